//! The resource usage of this process as counted by the system, since grammars also allocate in C.

use std::fs;

/// Measures the peak memory from its start on.
pub(crate) struct Peak {
    before: Option<usize>,
}

impl Peak {
    /// Starts the measurement.
    pub(crate) fn begin() -> Self {
        // Resets the peak to the current usage. Only Linux supports this.
        let reset = fs::write("/proc/self/clear_refs", "5").is_ok();
        Peak {
            before: peak().filter(|_| reset),
        }
    }

    /// The peak in bytes above the usage at the start; `None` if the system does not report it.
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

/// The processor time of this process in seconds; `None` if the system does not report it.
pub(crate) fn processor_seconds() -> Option<f64> {
    const TICKS_A_SECOND: f64 = 100.0;
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // After the name, which may contain anything: the state, ten numbers, then the user and system
    // times.
    let (_, numbers) = stat.rsplit_once(')')?;
    let mut times = numbers.split_whitespace().skip(11).take(2);
    let user: f64 = times.next()?.parse().ok()?;
    let system: f64 = times.next()?.parse().ok()?;
    Some((user + system) / TICKS_A_SECOND)
}
