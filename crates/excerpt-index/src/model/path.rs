//! Paths inside a source.

/// A path in the form of document paths: `./docs//guide/` is `docs/guide`.
pub(crate) fn segments(path: &str) -> String {
    let segments = path
        .split('/')
        .filter(|segment| !matches!(*segment, "" | "."));
    segments.collect::<Vec<_>>().join("/")
}

/// Whether the document or folder at `path` is `folder` or below it, compared by whole segments;
/// everything is below `""`. Both are in the form of document paths.
///
/// ```
/// use excerpt_index::is_at_or_below;
///
/// assert!(is_at_or_below("docs", "docs/guide.md") && is_at_or_below("", "docs"));
/// assert!(!is_at_or_below("docs", "docs-old/guide.md"));
/// ```
#[must_use]
pub fn is_at_or_below(folder: &str, path: &str) -> bool {
    let rest = path.strip_prefix(folder);
    rest.is_some_and(|rest| folder.is_empty() || rest.is_empty() || rest.starts_with('/'))
}

/// A path and the folders that contain it, from the innermost outwards, without `""`.
pub(crate) fn with_folders(path: &str) -> impl Iterator<Item = &str> {
    let folders = path.rmatch_indices('/').map(|(end, _)| &path[..end]);
    std::iter::once(path).chain(folders)
}

/// The paths after one path and before another, by their bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathRange {
    /// The path that it begins after; `None` if it begins with the first.
    pub after: Option<String>,
    /// The path that it ends before; `None` if it ends with the last.
    pub before: Option<String>,
}

impl PathRange {
    /// Whether it contains a path.
    #[must_use]
    pub fn contains(&self, path: &str) -> bool {
        let is_after = self.after.as_deref().is_none_or(|after| path > after);
        is_after && self.before.as_deref().is_none_or(|before| path < before)
    }
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

    #[test]
    fn what_is_below_a_folder_is_decided_by_whole_names() {
        for (folder, path, is_below) in [
            ("", "a.md", true),
            ("", "", true),
            ("docs", "docs", true),
            ("docs", "docs/a.md", true),
            ("docs", "docs2/a.md", false),
            ("docs/a.md", "docs", false),
        ] {
            assert_eq!(is_at_or_below(folder, path), is_below, "{folder}: {path}");
        }
    }
}
