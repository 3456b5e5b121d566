//! Shared by the benches: the files to measure on, the configuration, and the clock.

use std::path::PathBuf;
use std::time::Duration;

use cpu_time::ProcessTime;
use excerpt_chunk::{Chunker, Config, ContextParts, Overlap, Preset, Unit};

/// The limit at which chunkers are compared, in characters.
pub const LIMIT: usize = 1600;

/// The limit at which they are compared in real tokens.
pub const TOKENS: usize = 400;

/// The minimum and maximum number of words of a question.
const WORDS: [usize; 2] = [4, 14];

/// The files of the list in the first argument, with their texts.
pub fn files() -> Vec<(PathBuf, String)> {
    let list = std::env::args()
        .nth(1)
        .expect("the first argument is a list of files");
    let list = std::fs::read_to_string(list).expect("the list can be read");
    let read = |path: &str| Some((path.into(), std::fs::read_to_string(path).ok()?));
    list.lines().filter_map(read).collect()
}

/// The first heading or line of documentation that can serve as a question.
pub fn question(text: &str) -> Option<String> {
    let marks = ["/// ", "//! ", "# ", "## "];
    let lines = text.lines().map(str::trim);
    let mut lines = lines.filter_map(|line| marks.iter().find_map(|mark| line.strip_prefix(mark)));
    lines.find_map(|line| {
        let sentence = line.split(". ").next()?.trim_end_matches('.');
        let words = sentence.split_whitespace();
        let words = words.filter(|word| word.contains(char::is_alphabetic));
        let words = words.count();
        (WORDS[0]..=WORDS[1])
            .contains(&words)
            .then(|| sentence.to_string())
    })
}

/// Chunks of at most [`LIMIT`] characters without overlap and context, like those of the peers.
pub fn chunker() -> Chunker {
    Chunker::new(bare(Unit::Chars, LIMIT)).expect(VALID)
}

/// The same with all grammars.
pub fn code_chunker() -> Chunker {
    excerpt_grammars::chunker(bare(Unit::Chars, LIMIT)).expect(VALID)
}

/// The same with at most [`TOKENS`] tokens of `o200k`.
pub fn token_chunker() -> Chunker {
    Chunker::new(bare(Unit::O200k, TOKENS)).expect(VALID)
}

const VALID: &str = "the configuration is valid";

fn bare(unit: Unit, limit: usize) -> Config {
    Config {
        target: limit,
        max: limit,
        overlap: Overlap::Size(0),
        context: ContextParts::NONE,
        ..Preset::Auto.config(unit)
    }
}

/// The result of `work`, and the CPU time it took.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = ProcessTime::now();
    let done = work();
    (done, start.elapsed())
}

/// The peak memory of the process since the last call, in bytes (Linux; 0 elsewhere).
pub fn peak_memory() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().split(' ').next()?.parse().ok());
    // Writing 5 resets the peak to the current usage.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    kilobytes.unwrap_or(0) * 1024
}

/// The median, the largest and the smallest.
pub fn spread(times: &[Duration]) -> [f64; 3] {
    let mut times: Vec<f64> = times.iter().map(Duration::as_secs_f64).collect();
    times.sort_by(f64::total_cmp);
    [times[times.len() / 2], times[times.len() - 1], times[0]]
}
