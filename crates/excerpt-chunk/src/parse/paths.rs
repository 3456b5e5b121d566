//! The paths of files that a text names without their ending.

use std::borrow::Cow;

/// Whether the name of the file in a path has an ending.
pub(super) fn has_ending(path: &str) -> bool {
    let name = path.rsplit('/').next();
    name.is_some_and(|name| name.contains('.'))
}

/// A path with this ending, unless it has one.
pub(super) fn with_ending<'a>(path: &'a str, ending: &str) -> Cow<'a, str> {
    match has_ending(path) {
        true => path.into(),
        false => format!("{path}.{ending}").into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_without_an_ending_gets_one() {
        assert_eq!(with_ending("a.b/c", "rst"), "a.b/c.rst");
        assert_eq!(with_ending("a/b.c", "rst"), "a/b.c");
        assert_eq!(with_ending("", "rst"), ".rst");
    }
}
