//! Numbers in messages.

use std::time::Duration;

/// `1 line`, `2 lines`.
pub(crate) fn counted(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", either(number, "", "s"))
}

/// `1 second`, `20 seconds`.
pub(crate) fn seconds(duration: Duration) -> String {
    let seconds = usize::try_from(duration.as_secs());
    counted(seconds.unwrap_or(usize::MAX), "second")
}

/// What is said of one thing, or of any other number of them: `exists`, `exist`.
pub(crate) fn either<'w>(number: usize, one: &'w str, other: &'w str) -> &'w str {
    match number {
        1 => one,
        _ => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_is_singular() {
        let counts = [0, 1, 2].map(|number| counted(number, "file"));
        assert_eq!(counts, ["0 files", "1 file", "2 files"]);
    }
}
