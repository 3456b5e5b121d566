//! The display of the paths of documents: `get`, `chunk` and an editor accept them in the same
//! working directory.

use std::path::{Path, PathBuf};

/// The separator between the name of a collection and a path inside it.
const IN_COLLECTION: &str = " › ";

/// Turns the paths of an index into paths from the working directory.
#[derive(Debug, Default)]
pub struct Paths {
    /// The working directory; `None` if it cannot be read.
    here: Option<PathBuf>,
    /// A path as the user typed it, and its absolute form: everything at or below it is shown with
    /// the typed path.
    given: Option<(String, PathBuf)>,
}

impl Paths {
    /// Paths relative to the working directory; those at or below `given` begin with it as typed.
    pub fn from_here(given: Option<&Path>) -> Self {
        let given = given.and_then(|path| {
            let typed = path.to_str()?.trim_end_matches('/');
            Some((typed.to_string(), path.canonicalize().ok()?))
        });
        let here = std::env::current_dir().and_then(|here| here.canonicalize());
        Paths {
            here: here.ok(),
            given,
        }
    }

    /// The document or folder at `path` in the source at `root`.
    pub fn shown(&self, root: &Path, path: &str) -> String {
        let path = absolute(root, path);
        let shown = self.by_given(&path).or_else(|| self.by_here(&path, root));
        shown.unwrap_or_else(|| path.display().to_string())
    }

    /// The same for a document of a collection: by the collection's name.
    pub fn address(&self, collection: Option<&str>, root: &Path, path: &str) -> String {
        match collection {
            Some(name) if path.is_empty() => name.to_string(),
            Some(name) => format!("{name}{IN_COLLECTION}{path}"),
            None => self.shown(root, path),
        }
    }

    fn by_given(&self, path: &Path) -> Option<String> {
        let (typed, given) = self.given.as_ref()?;
        let rest = path.strip_prefix(given).ok()?.to_str()?;
        Some(match (&**typed, rest) {
            ("." | "", "") => ".".to_string(),
            ("." | "", rest) => rest.to_string(),
            (typed, "") => typed.to_string(),
            (typed, rest) => format!("{typed}/{rest}"),
        })
    }

    /// A path relative to the working directory: below it, or elsewhere inside the source.
    fn by_here(&self, path: &Path, root: &Path) -> Option<String> {
        let here = self.here.as_ref()?;
        let mut up = String::new();
        for folder in here.ancestors() {
            if let Ok(rest) = path.strip_prefix(folder) {
                let shown = format!("{up}{}", rest.to_str()?);
                let shown = shown.trim_end_matches('/');
                return Some(match shown {
                    "" => ".".to_string(),
                    shown => shown.to_string(),
                });
            }
            if folder == root {
                return None;
            }
            up += "../";
            if !folder.starts_with(root) {
                return None;
            }
        }
        None
    }
}

/// The absolute path of the document at `path`. A source that is a single file is its own document.
pub fn absolute(root: &Path, path: &str) -> PathBuf {
    match root.is_file() {
        true => root.to_path_buf(),
        false => root.join(path),
    }
}

/// The name of a collection and the path inside it, if `given` has the form of [`Paths::address`].
pub fn in_collection(given: &str) -> Option<(&str, &str)> {
    given.split_once(IN_COLLECTION)
}

/// A path without redundant parts; `None` if it contains `..` or is absolute.
#[must_use]
pub fn plain_path(path: &str) -> Option<String> {
    if path.starts_with('/') || path.contains('\0') {
        return None;
    }
    let segments = path
        .split('/')
        .filter(|segment| !matches!(*segment, "" | "."));
    let segments: Vec<&str> = segments.collect();
    (!segments.contains(&"..")).then(|| segments.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(here: &str, given: Option<(&str, &str)>) -> Paths {
        Paths {
            here: Some(here.into()),
            given: given.map(|(typed, leads)| (typed.to_string(), leads.into())),
        }
    }

    #[test]
    fn a_path_is_shown_from_the_working_directory() {
        let root = Path::new("/repo");
        let shown = |here: &str, path: &str| from(here, None).shown(root, path);
        assert_eq!(shown("/repo", "docs/a.md"), "docs/a.md");
        assert_eq!(shown("/repo/docs", "docs/a.md"), "a.md");
        assert_eq!(shown("/repo/docs", "src/a.rs"), "../src/a.rs");
        assert_eq!(shown("/repo/docs/deep", "a.md"), "../../a.md");
        assert_eq!(shown("/", "a.md"), "repo/a.md");
        assert_eq!(shown("/elsewhere", "a.md"), "/repo/a.md");
        assert_eq!(shown("/repo/docs", "docs"), ".");
        assert_eq!(shown("/repo/docs", ""), "..");
        assert_eq!(shown("/repo", ""), ".");
    }

    #[test]
    fn what_lies_at_a_path_that_was_typed_is_shown_by_it() {
        let root = Path::new("/repo");
        let paths = from("/home", Some(("../repo/docs", "/repo/docs")));
        assert_eq!(paths.shown(root, "docs/a.md"), "../repo/docs/a.md");
        assert_eq!(paths.shown(root, "docs"), "../repo/docs");
        assert_eq!(paths.shown(root, "src/a.rs"), "/repo/src/a.rs");
        let link = from("/repo", Some(("link", "/elsewhere")));
        assert_eq!(link.shown(Path::new("/elsewhere"), "a.md"), "link/a.md");
    }

    #[test]
    fn a_document_of_a_collection_is_shown_by_its_name() {
        let paths = from("/repo", None);
        let shown = paths.address(Some("guides"), Path::new("/data/guides"), "a/b.md");
        assert_eq!(shown, "guides › a/b.md");
        assert_eq!(in_collection(&shown), Some(("guides", "a/b.md")));
        assert_eq!(in_collection("a/b.md"), None);
    }
}
