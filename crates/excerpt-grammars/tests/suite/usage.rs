//! What this process takes while something runs, as the system counts it: grammars allocate in C as well.

use std::fs;

/// The measure of the most that is taken from its beginning on.
pub(crate) struct Peak {
    before: Option<usize>,
}

impl Peak {
    /// Begins to measure.
    pub(crate) fn begin() -> Self {
        // Makes the peak what is taken now. Only Linux can do that.
        let reset = fs::write("/proc/self/clear_refs", "5").is_ok();
        Peak {
            before: peak().filter(|_| reset),
        }
    }

    /// How many bytes more than at the beginning were taken at once; none where the system does not tell.
    pub(crate) fn taken(&self) -> Option<usize> {
        Some(peak()?.saturating_sub(self.before?))
    }
}

fn peak() -> Option<usize> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: usize = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kilobytes * 1024)
}

/// The processor time that this process has taken, in seconds; none where the system does not tell.
pub(crate) fn processor_seconds() -> Option<f64> {
    const TICKS_A_SECOND: f64 = 100.0;
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // Behind the name, which may hold anything: the state, ten numbers, then the times of the user and of the system.
    let (_, numbers) = stat.rsplit_once(')')?;
    let mut times = numbers.split_whitespace().skip(11).take(2);
    let user: f64 = times.next()?.parse().ok()?;
    let system: f64 = times.next()?.parse().ok()?;
    Some((user + system) / TICKS_A_SECOND)
}
