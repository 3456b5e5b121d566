//! What is excluded from a folder by name: the [`Rules`] inside it.
//!
//! In order: secrets, what git ignores, hidden names, vendored folders, and file endings that are
//! not text. A pattern with `!` in a `.gitignore` or `.ignore` includes what is hidden or vendored,
//! but never a secret.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use excerpt_chunk::file_ending;
use excerpt_readers::{Choice, Readers};
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

pub(super) use super::ignores::IgnoreFiles;
use super::ignores::{Ignores, MOST_PATTERNS, is_ignore_file};
use super::secrets;
use crate::fs::layout;
use crate::fs::open::OpenFolder;
use crate::model::{Error, Result, Secret, Secrets, Selection, Skip, SkipReason};

impl Selection {
    /// The size in bytes above which plain text is skipped.
    #[must_use]
    pub fn max_file_size(&self) -> u64 {
        self.max_file_size.unwrap_or(2 << 20)
    }

    /// The size in bytes above which the file at `path` is skipped. What is not plain text holds
    /// little of it.
    #[must_use]
    pub fn max_size_of(&self, path: &str) -> u64 {
        match self.readers.choose(path) {
            Choice::Converter(_) | Choice::Reader(..) => self.max_file_size.unwrap_or(64 << 20),
            _ => self.max_file_size(),
        }
    }

    /// Whether files that contain keys or passwords are skipped.
    #[must_use]
    pub fn skips_secrets(&self) -> bool {
        self.secrets.unwrap_or_default() == Secrets::Skip
    }

    /// The secret, in its name or in its text, for which the file at `path` (relative to its
    /// source) is skipped.
    #[must_use]
    pub fn withholds(&self, path: &str, text: &str) -> Option<Secret> {
        match self.skips_secrets() {
            true if secrets::named(path) => Some(Secret::Named),
            true => secrets::found(text),
            false => None,
        }
    }

    /// These settings, and those of `other` where none are given here.
    #[must_use]
    pub fn or(self, other: Selection) -> Selection {
        let said = |own: Vec<String>, other| if own.is_empty() { other } else { own };
        Selection {
            include: said(self.include, other.include),
            ignore: said(self.ignore, other.ignore),
            max_file_size: self.max_file_size.or(other.max_file_size),
            ignore_files: self.ignore_files.or(other.ignore_files),
            secrets: self.secrets.or(other.secrets),
            readers: match self.readers.is_empty() {
                true => other.readers,
                false => self.readers,
            },
        }
    }

    /// Checks the patterns.
    ///
    /// # Errors
    ///
    /// [`Error::Pattern`].
    pub fn check(&self) -> Result<()> {
        matcher(Path::new(""), &self.include)?;
        matcher(Path::new(""), &self.ignore)?;
        Ok(())
    }
}

fn matcher(root: &Path, patterns: &[String]) -> Result<Option<Gitignore>> {
    if patterns.is_empty() {
        return Ok(None);
    }
    let refused = |pattern: &str, message: String| Error::Pattern {
        pattern: pattern.to_string(),
        message,
    };
    if patterns.len() > MOST_PATTERNS {
        let message = format!(
            "there are {} of them, but the limit is {MOST_PATTERNS}",
            patterns.len()
        );
        return Err(refused("ignore", message));
    }
    let mut builder = GitignoreBuilder::new(root);
    // Git takes `[` without `]` for a pattern that nothing matches, which nobody means here.
    builder.allow_unclosed_class(false);
    for pattern in patterns {
        let added = builder.add_line(None, pattern);
        added.map_err(|error| refused(pattern, error.to_string()))?;
    }
    // Each compiles alone, but all of them together may exceed the limit of the crate.
    let built = builder.build();
    Ok(Some(built.map_err(|error| {
        refused(&patterns[0], error.to_string())
    })?))
}

/// Folders of third-party code or generated files. A folder with a `CACHEDIR.TAG` counts as well,
/// which covers the build folders of cargo and others.
const VENDORED: [&str; 8] = [
    "__pycache__",
    "bower_components",
    "node_modules",
    "site-packages",
    "third_party",
    "vendor",
    "venv",
    "virtualenv",
];

/// The mark of a folder that can be regenerated: <https://bford.info/cachedir/>.
const CACHE_MARK: &str = "CACHEDIR.TAG";

/// A folder that contains a file of one of these names is excluded as a whole. Next to the mark of
/// a cache, these are the database of an excerpt index, or the file that names it: a user may put
/// an index into the folder that it indexes.
pub(super) const MARKS: [&str; 3] = [CACHE_MARK, layout::DATABASE, layout::POINTER];

/// Whether a folder that contains a file of this name is excluded as a whole.
pub(super) fn is_mark(name: &OsStr) -> bool {
    MARKS.iter().any(|mark| name == *mark)
}

/// Endings of files that are not text, in order. Files with other endings are read to find out.
const BINARY_ENDINGS: [&str; 89] = [
    "7z",
    "a",
    "aac",
    "apk",
    "avi",
    "avif",
    "bin",
    "blend",
    "bmp",
    "br",
    "bz2",
    "class",
    "db",
    "deb",
    "dll",
    "dmg",
    "doc",
    "docx",
    "dylib",
    "ear",
    "eot",
    "epub",
    "exe",
    "fbx",
    "flac",
    "flv",
    "gif",
    "glb",
    "gz",
    "heic",
    "icns",
    "ico",
    "idx",
    "iso",
    "jar",
    "jpeg",
    "jpg",
    "lib",
    "lz4",
    "m4a",
    "m4v",
    "mkv",
    "mov",
    "mp3",
    "mp4",
    "mpg",
    "npy",
    "npz",
    "o",
    "obj",
    "odp",
    "ods",
    "odt",
    "ogg",
    "onnx",
    "otf",
    "pack",
    "parquet",
    "pdb",
    "pdf",
    "png",
    "ppt",
    "pptx",
    "psd",
    "pyc",
    "pyo",
    "rar",
    "rlib",
    "rmeta",
    "rpm",
    "safetensors",
    "so",
    "sqlite",
    "sqlite3",
    "tar",
    "tgz",
    "tif",
    "tiff",
    "ttf",
    "wasm",
    "wav",
    "webm",
    "webp",
    "woff",
    "woff2",
    "xls",
    "xlsx",
    "xz",
    "zip",
];

/// The user's own patterns: what they exclude and which files they include.
#[derive(Debug, Default)]
struct Patterns {
    left_out: Option<Gitignore>,
    let_in: Option<Gitignore>,
}

impl Patterns {
    /// Whether they exclude the node at `path`.
    fn leave_out(&self, path: &Path, node: PathKind) -> bool {
        let is_folder = node == PathKind::Folder;
        let left_out = self.left_out.as_ref();
        let left_out = left_out.is_some_and(|rules| rules.matched(path, is_folder).is_ignore());
        let let_in = self.let_in.as_ref().filter(|_| !is_folder);
        let let_in = let_in.is_none_or(|rules| {
            rules
                .matched_path_or_any_parents(path, is_folder)
                .is_ignore()
        });
        left_out || !let_in
    }
}

/// The kind of a path, as far as the rules need it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathKind {
    File,
    Folder,
}

/// The rules inside a folder of a source. Ignore files above the source's root do not apply:
/// otherwise an ignored folder that is searched on its own would be empty. Those inside apply even
/// without a git repository.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    ignores: Ignores,
    patterns: Arc<Patterns>,
    skips_secrets: bool,
    readers: Readers,
}

impl Rules {
    /// The rules for every source.
    pub(super) fn of_user() -> Self {
        Rules {
            ignores: Ignores::of_user(),
            patterns: Arc::default(),
            skips_secrets: true,
            readers: Readers::default(),
        }
    }

    /// The rules for files that are not on this disk: the excludes of its user do not apply.
    pub(super) fn of_tree() -> Self {
        Rules {
            ignores: Ignores::of_tree(),
            ..Rules::of_user()
        }
    }

    /// Whether they depend on the contents or the existence of a file with this name.
    pub(super) fn depend_on(name: &str) -> bool {
        let name = OsStr::new(name);
        is_ignore_file(name) || is_mark(name)
    }

    /// Adds the user's own patterns for the source at `root`.
    ///
    /// # Errors
    ///
    /// [`Error::Pattern`].
    pub(super) fn selecting(self, root: &Path, selection: &Selection) -> Result<Self> {
        Ok(Rules {
            patterns: Arc::new(Patterns {
                left_out: matcher(root, &selection.ignore)?,
                let_in: matcher(root, &selection.include)?,
            }),
            skips_secrets: selection.skips_secrets(),
            readers: selection.readers.clone(),
            ignores: match selection.ignore_files {
                Some(false) => Ignores::none(),
                _ => self.ignores,
            },
        })
    }

    /// The rules inside the folder at `path` (relative to the root), with the ignore files `files`
    /// of the folder, whose children `holds` knows by name. Also returns the ignore files that were
    /// not read, each with the reason.
    pub(super) fn within(
        &self,
        files: &IgnoreFiles<'_>,
        path: &str,
        holds: impl Fn(&str) -> bool,
    ) -> (Rules, Vec<Skip>) {
        let (ignores, skips) = self.ignores.within(files, path, holds);
        let rules = Rules {
            ignores,
            patterns: Arc::clone(&self.patterns),
            skips_secrets: self.skips_secrets,
            readers: self.readers.clone(),
        };
        (rules, skips)
    }

    /// Whether ignore files had more patterns than the limit.
    pub(super) fn are_too_many(&self) -> bool {
        self.ignores.are_too_many()
    }

    /// The node at `path` as a skip, if they exclude it.
    pub(super) fn skipped(&self, path: &str, node: PathKind) -> Option<Skip> {
        let reason = self.skip(path, node)?;
        let skip = Skip::new(path, reason);
        Some(match reason {
            SkipReason::Secret => skip.with_detail(Secret::Named),
            SkipReason::NoReader => match self.readers.choose(path) {
                Choice::Missing(format) => skip.with_detail(format.missing_reader()),
                _ => skip,
            },
            SkipReason::Ignored => match self.ignores.say(path, node == PathKind::Folder) {
                Match::Ignore(rule) => skip.with_detail(rule),
                _ => skip,
            },
            _ => skip,
        })
    }

    /// Why they exclude the node at `path` (relative to the root, and directly in the folder).
    pub(super) fn skip(&self, path: &str, node: PathKind) -> Option<SkipReason> {
        let name = path.rsplit('/').next()?;
        if node == PathKind::File && self.skips_secrets && secrets::named(path) {
            return Some(SkipReason::Secret);
        }
        if self.patterns.leave_out(Path::new(path), node) {
            return Some(SkipReason::LeftOut);
        }
        let said = self.ignores.say(path, node == PathKind::Folder);
        match node {
            _ if said.is_ignore() => Some(SkipReason::Ignored),
            PathKind::File if is_binary(name) => match self.readers.choose(path) {
                Choice::Text => Some(SkipReason::Binary),
                Choice::Missing(_) => Some(SkipReason::NoReader),
                _ if said.is_whitelist() => None,
                _ => name.starts_with('.').then_some(SkipReason::Hidden),
            },
            _ if said.is_whitelist() => None,
            _ if name.starts_with('.') => Some(SkipReason::Hidden),
            PathKind::Folder if VENDORED.contains(&name) => Some(SkipReason::Vendored),
            _ => None,
        }
    }

    /// Whether the rules of the folder `root` exclude `path` (relative to it, with `/` between its
    /// segments) or a folder above it.
    pub(crate) fn exclude(root: &Path, path: &str, node: PathKind) -> bool {
        let root = OpenFolder::open(root).ok();
        let opened = |path: &str| root.as_ref()?.folder(path).ok();
        let mut rules = Rules::of_user();
        let mut folder = "";
        loop {
            // A folder that cannot be opened has no readable ignore files.
            if let Some(opened) = opened(folder) {
                let files = IgnoreFiles::Folder(&opened);
                (rules, _) = rules.within(&files, folder, |name| opened.look(name).is_some());
            }
            let start = match folder {
                "" => 0,
                _ => folder.len() + 1,
            };
            let end = path[start..].find('/').map(|end| start + end);
            let leave_out = |path: &str, node| {
                let is_cache =
                    || opened(path).is_some_and(|folder| folder.look(CACHE_MARK).is_some());
                (node == PathKind::Folder && is_cache()) || rules.skip(path, node).is_some()
            };
            let Some(end) = end else {
                return leave_out(path, node);
            };
            folder = &path[..end];
            if leave_out(folder, PathKind::Folder) {
                return true;
            }
        }
    }
}

fn is_binary(name: &str) -> bool {
    file_ending(name).is_some_and(|ending| {
        let ending = ending.to_ascii_lowercase();
        BINARY_ENDINGS.binary_search(&&*ending).is_ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_in_order() {
        assert!(VENDORED.is_sorted());
        assert!(BINARY_ENDINGS.is_sorted());
    }

    #[test]
    fn a_pattern_brings_back_the_hidden_but_no_secret() {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(root.path().join(".ignore"), "!.github/\n!.env\n!vendor/\n").unwrap();
        let folder = OpenFolder::open(root.path()).unwrap();
        let (rules, _) =
            Rules::of_user().within(&IgnoreFiles::Folder(&folder), "", |name| name == ".ignore");
        assert_eq!(rules.skip(".github", PathKind::Folder), None);
        assert_eq!(rules.skip("vendor", PathKind::Folder), None);
        assert_eq!(rules.skip(".env", PathKind::File), Some(SkipReason::Secret));
        assert_eq!(
            rules.skip(".cache", PathKind::Folder),
            Some(SkipReason::Hidden)
        );
    }

    #[test]
    fn own_patterns_leave_out_and_let_in() {
        let selection = Selection {
            include: vec!["*.md".to_string(), "guide/".to_string()],
            ignore: vec!["drafts/".to_string(), "/top.md".to_string()],
            ..Selection::default()
        };
        let rules = Rules::of_user().selecting(Path::new("/nowhere"), &selection);
        let rules = rules.unwrap();
        let skip = |path: &str, node| rules.skip(path, node);
        for path in ["a.md", "deep/b.md", "guide/c.txt", "deep/top.md"] {
            assert_eq!(skip(path, PathKind::File), None, "{path}");
        }
        for path in ["a.txt", "top.md"] {
            assert_eq!(
                skip(path, PathKind::File),
                Some(SkipReason::LeftOut),
                "{path}"
            );
        }
        assert_eq!(
            skip("deep/drafts", PathKind::Folder),
            Some(SkipReason::LeftOut)
        );
        assert_eq!(skip("deep", PathKind::Folder), None);
        let wrong = Selection {
            ignore: vec!["a{b".to_string()],
            ..Selection::default()
        };
        let error = wrong.check().unwrap_err().to_string();
        assert!(error.starts_with("invalid file pattern `a{b`: "), "{error}");
    }

    #[test]
    fn what_lies_in_an_excluded_folder_is_excluded() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(root.path().join("out/deep")).unwrap();
        std::fs::write(root.path().join("out/CACHEDIR.TAG"), "").unwrap();
        std::fs::write(root.path().join(".gitignore"), "build/\n").unwrap();
        let exclude = |path| Rules::exclude(root.path(), path, PathKind::File);
        for path in ["build/a.md", "vendor/x/a.md", "out/deep", ".git/config"] {
            assert!(exclude(path), "{path}");
        }
        assert!(!exclude("docs/a.md"));
    }
}
