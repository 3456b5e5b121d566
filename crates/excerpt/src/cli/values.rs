//! What the values of options are read by, each with an error that says what is expected.

use std::num::NonZeroUsize;
use std::time::Duration;

use serde::de::DeserializeOwned;

/// A number of seconds, at most an hour.
pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds| *seconds <= 3600.0);
    let duration = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    duration.ok_or_else(|| "expected a number of seconds up to 3600".to_string())
}

/// A whole number of at least one.
pub(super) fn at_least_one(text: &str) -> Result<NonZeroUsize, String> {
    let expected = |_| "expected a whole number of at least 1".to_string();
    text.parse().map_err(expected)
}

/// A number of bytes.
pub(super) fn bytes(text: &str) -> Result<u64, String> {
    let expected = |_| "expected a whole number of bytes".to_string();
    text.parse().map_err(expected)
}

/// A score.
pub(super) fn score(text: &str) -> Result<f32, String> {
    let score = text.parse().ok().filter(|score: &f32| score.is_finite());
    score.ok_or_else(|| "expected a number".to_string())
}

/// A share of a whole.
pub(super) fn share(text: &str) -> Result<f32, String> {
    let share = text.parse().ok();
    let share = share.filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "expected a number from 0 to 1".to_string())
}

/// One of the words that a setting accepts.
pub(super) fn word<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_value(text.into()).map_err(|error| {
        // The message of serde: "unknown variant `x`, expected one of `a`, `b`".
        let message = error.to_string().replace(['`', '\n'], "");
        match message.split_once("expected ") {
            Some((_, words)) => format!("expected {words}"),
            None => message,
        }
    })
}
