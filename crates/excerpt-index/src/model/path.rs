//! Paths inside a source.

/// A path in the form of document paths: `./docs//guide/` is `docs/guide`.
pub(crate) fn segments(path: &str) -> String {
    let segments = path
        .split('/')
        .filter(|segment| !matches!(*segment, "" | "."));
    segments.collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_may_be_written_in_several_ways() {
        assert_eq!(segments("./docs//guide/"), "docs/guide");
        assert_eq!(segments("."), "");
        assert_eq!(segments("a.md"), "a.md");
    }
}
