//! How much a file may cost: [`ReadLimits`].

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::reader::ReadError;

/// The limits on reading one file. What exceeds them is an error, so that no file is half read.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ReadLimits<'a> {
    /// How many bytes of text it may have. Default: 16 MiB, as much as 8,000 pages.
    pub text: usize,
    /// How many bytes may be unpacked of it, all parts together. Default: 256 MiB.
    pub unpacked: usize,
    /// When the time is over.
    pub(crate) end: Option<Instant>,
    /// Set when the text is no longer needed.
    pub(crate) stop: Option<&'a AtomicBool>,
}

impl Default for ReadLimits<'_> {
    fn default() -> Self {
        ReadLimits {
            text: 16 << 20,
            unpacked: 256 << 20,
            end: None,
            stop: None,
        }
    }
}

impl<'a> ReadLimits<'a> {
    /// The same limits, and a time. A converter has a limit of its own.
    #[must_use]
    pub fn within(self, time: Duration) -> Self {
        ReadLimits {
            end: Instant::now().checked_add(time),
            ..self
        }
    }

    /// The same limits for a text that is no longer needed once `stop` is set.
    #[must_use]
    pub fn stopped_by(self, stop: &'a AtomicBool) -> Self {
        ReadLimits {
            stop: Some(stop),
            ..self
        }
    }

    /// An error once the text is no longer needed, or the time is over. Readers call this often.
    ///
    /// # Errors
    ///
    /// [`ReadError::Stopped`] and [`ReadError::TooSlow`].
    pub fn check(&self) -> Result<(), ReadError> {
        if self.end.is_some_and(|end| Instant::now() > end) {
            return Err(ReadError::TooSlow);
        }
        self.check_stop()
    }

    /// An error if a text of `bytes` bytes exceeds the limit.
    pub(crate) fn check_text(&self, bytes: usize) -> Result<(), ReadError> {
        match bytes > self.text {
            true => Err(ReadError::TooLarge {
                what: "text",
                limit: self.text,
            }),
            false => Ok(()),
        }
    }

    /// An error once the text is no longer needed.
    pub(crate) fn check_stop(&self) -> Result<(), ReadError> {
        match self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            true => Err(ReadError::Stopped),
            false => Ok(()),
        }
    }
}
