//! A program of the user's that reads files: [`Converter`].

use std::io::{self, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use globset::{GlobBuilder, GlobMatcher};

use crate::limits::ReadLimits;
use crate::place::{FilePlace, FilePlaces};
use crate::reader::{ExtractedText, ReadError};

/// How long a program may take for one file.
const TIME: Duration = Duration::from_secs(60);

/// How long what a program has started may go on after its end.
const GRACE: Duration = Duration::from_secs(1);

/// How often it is checked whether the text is still needed.
const TURN: Duration = Duration::from_millis(20);

/// How much of what a program reports as an error is shown.
const MESSAGE: u64 = 1_000;

/// What stands for the file in the arguments of a program.
const FILE: &str = "{}";

/// A program that writes the text of a file to its standard output. It is run without a shell. A
/// form feed in the text ends a page, as `pdftotext` writes it.
#[derive(Clone, Debug)]
pub struct Converter {
    pattern: String,
    matcher: GlobMatcher,
    program: String,
    arguments: Vec<String>,
    time: Duration,
}

/// Why a converter cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConverterError {
    /// The pattern of file names is invalid.
    #[error("invalid pattern `{pattern}`: {message}")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        message: String,
    },
    /// There is no command, or a quote in it is not closed.
    #[error("the command for `{0}` is empty, or has an unclosed quote")]
    Command(String),
    /// The command does not say where the file goes.
    #[error("the command for `{0}` must contain `{{}}`, which stands for the file")]
    File(String),
}

impl Converter {
    /// A converter for the files that match a pattern: one without `/` is for the name of the file,
    /// any other for its path. The words of the `command` are separated by blanks, and quotes keep
    /// a word together; `{}` stands for the path of the file.
    ///
    /// # Errors
    ///
    /// When the pattern or the command is invalid.
    pub fn new(pattern: &str, command: &str) -> Result<Self, ConverterError> {
        let words = shlex::split(command).unwrap_or_default();
        let mut words = words.into_iter();
        let program = words.next().filter(|program| !program.is_empty());
        let program = program.ok_or_else(|| ConverterError::Command(pattern.to_string()))?;
        let arguments: Vec<String> = words.collect();
        if !arguments.iter().any(|argument| argument.contains(FILE)) {
            return Err(ConverterError::File(pattern.to_string()));
        }
        let mut glob = GlobBuilder::new(pattern);
        let glob = glob.literal_separator(true).case_insensitive(true).build();
        let glob = glob.map_err(|error| ConverterError::Pattern {
            pattern: pattern.to_string(),
            message: error.kind().to_string(),
        })?;
        Ok(Converter {
            pattern: pattern.to_string(),
            matcher: glob.compile_matcher(),
            program,
            arguments,
            time: TIME,
        })
    }

    /// Whether it reads the file at `path`.
    #[must_use]
    pub fn reads(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let subject = if self.pattern.contains('/') {
            path
        } else {
            name
        };
        self.matcher.is_match(subject)
    }

    /// The program.
    #[must_use]
    pub fn program(&self) -> &str {
        &self.program
    }

    /// Changes whenever the command does.
    pub(crate) fn identity(&self) -> String {
        format!("{} {:?}", self.program, self.arguments)
    }

    /// The text that the program writes for a file.
    pub(crate) fn convert(
        &self,
        bytes: &[u8],
        limits: &ReadLimits<'_>,
    ) -> Result<ExtractedText, ReadError> {
        let failed = |error: io::Error| self.failure(error.to_string());
        let mut file = tempfile::Builder::new()
            .suffix(self.ending())
            .tempfile()
            .map_err(failed)?;
        file.write_all(bytes).map_err(failed)?;
        // A program may refuse a file that another one has open for writing.
        let path = file.into_temp_path();
        let mut child = self.start(&path).map_err(failed)?;
        let ended = self.output(&mut child, limits);
        if ended.is_err() {
            end(&mut child);
            child.wait().map_err(failed)?;
        }
        let Ended {
            output,
            message,
            status,
        } = ended?;
        if !status.success() {
            let message = String::from_utf8_lossy(&message);
            let line = message.lines().map(str::trim).find(|line| !line.is_empty());
            return Err(self.failure(line.map_or_else(|| status.to_string(), str::to_string)));
        }
        self.document(output)
    }

    fn failure(&self, message: String) -> ReadError {
        ReadError::Converter {
            program: self.program.clone(),
            message,
        }
    }

    fn start(&self, path: &Path) -> io::Result<Child> {
        let path = path.to_string_lossy();
        let arguments = self.arguments.iter();
        let arguments = arguments.map(|argument| argument.replace(FILE, &path));
        let mut command = Command::new(&self.program);
        // What it starts ends with it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
    }

    /// Waits for its end, or for a limit. It may close its output before it ends; what it has
    /// started may keep the output open after that, and is ended after [`GRACE`]. Until then, the
    /// program is not waited for: the system could give its id to another one.
    fn output(&self, child: &mut Child, limits: &ReadLimits<'_>) -> Result<Ended, ReadError> {
        let most = limits.text as u64 + 1;
        let outputs = received(child.stdout.take(), most);
        let messages = received(child.stderr.take(), MESSAGE);
        let failed = |error: io::Error| self.failure(error.to_string());
        let begun = Instant::now();
        let mut ended = None;
        let mut is_group_ended = false;
        let mut output = None;
        loop {
            output = output.or_else(|| outputs.recv_timeout(TURN).ok());
            if output
                .as_ref()
                .is_some_and(|output| output.len() as u64 == most)
            {
                return Err(ReadError::TooLarge {
                    what: "text",
                    limit: limits.text,
                });
            }
            if ended.is_none() && has_ended(child).map_err(failed)? {
                ended = Some(Instant::now());
            }
            if let (Some(output), Some(_)) = (&mut output, ended) {
                return Ok(Ended {
                    output: std::mem::take(output),
                    message: messages.recv_timeout(TURN).unwrap_or_default(),
                    status: child.wait().map_err(failed)?,
                });
            }
            if !is_group_ended && ended.is_some_and(|ended| ended.elapsed() > GRACE) {
                end(child);
                is_group_ended = true;
            }
            if begun.elapsed() > self.time {
                let time = match self.time.as_secs() {
                    1 => "1 second".to_string(),
                    seconds => format!("{seconds} seconds"),
                };
                return Err(self.failure(format!("no result after {time}")));
            }
            limits.check_stop()?;
            if output.is_some() {
                thread::sleep(TURN);
            }
        }
    }

    /// The ending of the file for the program, which may depend on it.
    fn ending(&self) -> &str {
        let ending = self.pattern.rfind('.').map(|at| &self.pattern[at..]);
        let is_plain = |ending: &&str| ending[1..].chars().all(char::is_alphanumeric);
        ending.filter(is_plain).unwrap_or_default()
    }

    fn document(&self, output: Vec<u8>) -> Result<ExtractedText, ReadError> {
        let text = String::from_utf8(output);
        let text = text.map_err(|_| self.failure("the output is not UTF-8".to_string()))?;
        if text.trim().is_empty() {
            return Err(ReadError::NoText);
        }
        let mut places = FilePlaces::default();
        if text.contains('\u{c}') {
            let ends = text.match_indices('\u{c}').map(|(at, _)| at + 1);
            for (page, start) in std::iter::once(0).chain(ends).enumerate() {
                if start < text.len() {
                    places.push(start, FilePlace::Page(page + 1));
                }
            }
        }
        Ok(ExtractedText {
            text,
            places,
            language: "text",
        })
    }
}

/// The same pattern and command.
impl PartialEq for Converter {
    fn eq(&self, other: &Self) -> bool {
        self.pattern == other.pattern && self.identity() == other.identity()
    }
}

impl Eq for Converter {}

/// Whether a program has ended. Its id stays its own until it is waited for.
#[cfg(unix)]
fn has_ended(child: &Child) -> io::Result<bool> {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    Ok(waitid(WaitId::Pid(Pid::from_child(child)), options)?.is_some())
}

#[cfg(not(unix))]
fn has_ended(child: &mut Child) -> io::Result<bool> {
    Ok(child.try_wait()?.is_some())
}

/// Ends a program that was not waited for, and on Unix what it has started. It may have ended by
/// itself in the meantime.
fn end(child: &mut Child) {
    #[cfg(unix)]
    {
        let group = rustix::process::Pid::from_child(child);
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
}

/// How a program ended.
struct Ended {
    output: Vec<u8>,
    /// The beginning of what it reports as errors.
    message: Vec<u8>,
    status: ExitStatus,
}

/// Receives what a program writes, up to `most` bytes.
fn received(from: Option<impl io::Read + Send + 'static>, most: u64) -> Receiver<Vec<u8>> {
    let (send, receive) = sync_channel(1);
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut from) = from {
            // What was read before an error is all there is.
            let _ = from.by_ref().take(most).read_to_end(&mut bytes);
            // Nobody receives a late result.
            let _ = send.send(bytes);
            // Reads the rest, or the program would wait until somebody does.
            let _ = io::copy(&mut from, &mut io::sink());
        }
    });
    receive
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;

    fn converted(
        command: &str,
        contents: &str,
        limits: &ReadLimits<'_>,
    ) -> Result<ExtractedText, ReadError> {
        let converter = Converter::new("*.txt", command).unwrap();
        converter.convert(contents.as_bytes(), limits)
    }

    fn failure(command: &str) -> String {
        converted(command, "", &ReadLimits::default())
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn the_output_of_a_program_is_the_text() {
        let read = converted("cat {}", "one\u{c}two\n\u{c}", &ReadLimits::default()).unwrap();
        assert_eq!(read.text, "one\u{c}two\n\u{c}");
        let pages: Vec<_> = read.places.iter().collect();
        assert_eq!(pages, [(0, &FilePlace::Page(1)), (4, &FilePlace::Page(2))]);
        let quoted = "sh -c 'tr a-z A-Z < \"$1\"' sh {}";
        let read = converted(quoted, "tea", &ReadLimits::default()).unwrap();
        assert_eq!(read.text, "TEA");
    }

    #[test]
    fn a_program_that_fails_is_an_error_with_its_own_words() {
        let error = failure("sh -c 'echo it is broken >&2; exit 3' {}");
        assert_eq!(error, "`sh` failed: it is broken");
        let error = failure("there-is-no-such-program {}");
        assert!(
            error.starts_with("`there-is-no-such-program` failed: "),
            "{error}"
        );
        assert_eq!(failure("true {}"), "it contains only images, or nothing");
        assert_eq!(
            failure("printf '\\377' {}"),
            "`printf` failed: the output is not UTF-8"
        );
    }

    #[test]
    fn a_program_is_ended_when_it_exceeds_a_limit() {
        let limits = ReadLimits {
            text: 1_000,
            ..ReadLimits::default()
        };
        let error = converted("yes {}", "", &limits).unwrap_err();
        let limit = ReadError::TooLarge {
            what: "text",
            limit: 1_000,
        };
        assert_eq!(error, limit);
        let slow = Converter {
            time: Duration::from_millis(30),
            ..Converter::new("*.txt", "sleep 600 {}").unwrap()
        };
        let error = Converter {
            arguments: vec!["600".into()],
            ..slow.clone()
        }
        .convert(b"", &ReadLimits::default())
        .unwrap_err();
        assert_eq!(
            error.to_string(),
            "`sleep` failed: no result after 0 seconds"
        );
        let stop = AtomicBool::new(true);
        let stopped = Converter {
            time: TIME,
            arguments: vec!["600".into()],
            ..slow
        };
        let limits = ReadLimits::default().stopped_by(&stop);
        assert_eq!(stopped.convert(b"", &limits), Err(ReadError::Stopped));
    }

    #[test]
    fn what_a_program_leaves_behind_is_ended() {
        let left = converted(
            "sh -c 'sleep 600 & echo tea' {}",
            "",
            &ReadLimits::default(),
        );
        // With its output open, the limit of time would be the result.
        assert_eq!(left.unwrap().text, "tea\n");
    }

    #[test]
    fn the_id_of_a_program_is_its_own_until_its_output_is_complete() {
        let mut child = Command::new("true").spawn().unwrap();
        while !has_ended(&child).unwrap() {
            thread::yield_now();
        }
        let id = rustix::process::Pid::from_child(&child);
        assert!(rustix::process::test_kill_process(id).is_ok());
        assert!(has_ended(&child).unwrap());
        assert!(child.wait().unwrap().success());
    }

    #[test]
    fn a_pattern_is_for_the_name_or_the_path() {
        let reads = |pattern, path| Converter::new(pattern, "cat {}").unwrap().reads(path);
        assert!(reads("*.pdf", "deep/in/A.PDF"));
        assert!(reads("scans/*.pdf", "scans/a.pdf"));
        assert!(!reads("scans/*.pdf", "a.pdf"));
        for (pattern, command) in [
            ("*.pdf", ""),
            ("*.pdf", "cat 'a {}"),
            ("*.pdf", "cat"),
            ("a{b", "cat {}"),
        ] {
            assert!(
                Converter::new(pattern, command).is_err(),
                "{pattern} {command}"
            );
        }
    }
}
