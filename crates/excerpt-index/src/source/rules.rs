//! What of a folder is left out, by name: the [`Rules`] of one source root.
//!
//! In order: secrets, what git ignores, hidden names, vendored folders, and endings of what is not text. A pattern with `!` in
//! a `.gitignore` or `.ignore` brings back what is hidden or vendored, but never a secret.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::{IncrementalIgnore, WalkBuilder};
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::model::SkipReason;

/// Which files of a folder are documents, beside the rules that hold everywhere. Patterns are written as in a `.gitignore`, from the folder on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Selection {
    /// If there are some, only files that match one of these are documents.
    pub include: Vec<String>,
    /// What matches one of these is left out.
    pub ignore: Vec<String>,
    /// The size in bytes above which a file is left out; none for 2 MiB.
    pub max_file_size: Option<u64>,
}

impl Selection {
    /// The size in bytes above which a file is left out.
    #[must_use]
    pub fn max_file_size(&self) -> u64 {
        self.max_file_size.unwrap_or(2 << 20)
    }

    /// What is said here, and where nothing is, what `other` says.
    #[must_use]
    pub fn or(self, other: Selection) -> Selection {
        let said = |own: Vec<String>, other| if own.is_empty() { other } else { own };
        Selection {
            include: said(self.include, other.include),
            ignore: said(self.ignore, other.ignore),
            max_file_size: self.max_file_size.or(other.max_file_size),
        }
    }

    /// Looks whether the patterns can be read.
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
    let mut builder = GitignoreBuilder::new(root);
    for pattern in patterns {
        let refused = |error: ignore::Error| Error::Pattern {
            pattern: pattern.clone(),
            message: error.to_string(),
        };
        builder.add_line(None, pattern).map_err(refused)?;
    }
    let built = builder.build().map_err(|error| Error::Pattern {
        pattern: patterns.join("`, `"),
        message: error.to_string(),
    })?;
    Ok(Some(built))
}

/// Folders of code from elsewhere, or that tools make again. A folder that holds a `CACHEDIR.TAG` is one as well, which covers
/// the build folders of cargo and others.
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

/// The mark of a folder that can be made again: <https://bford.info/cachedir/>.
const CACHE_MARK: &str = "CACHEDIR.TAG";

/// The database of an index of ours, or what names it: a user may put an index into the folder that it is of.
const INDEX_MARKS: [&str; 2] = ["excerpt.db", "excerpt.generation"];

/// Whether a folder that holds a file of this name is left out as a whole.
pub(super) fn is_mark(name: &OsStr) -> bool {
    name == CACHE_MARK || INDEX_MARKS.iter().any(|mark| name == *mark)
}

/// Names of files with keys or passwords.
const SECRET_NAMES: [&str; 11] = [
    ".dockercfg",
    ".git-credentials",
    ".htpasswd",
    ".netrc",
    ".npmrc",
    ".pgpass",
    ".pypirc",
    "_netrc",
    "credentials",
    "secring.gpg",
    "shadow",
];

/// Beginnings of such names.
const SECRET_STARTS: [&str; 5] = [".env", "id_dsa", "id_ecdsa", "id_ed25519", "id_rsa"];

/// Endings of such names.
const SECRET_ENDINGS: [&str; 8] = ["jks", "kdbx", "key", "keystore", "p12", "pem", "pfx", "ppk"];

/// Endings with which `credentials.*` holds credentials; `credentials.md` and `credentials.rs` speak of them.
const DATA_ENDINGS: [&str; 11] = [
    "cfg",
    "conf",
    "csv",
    "db",
    "ini",
    "json",
    "properties",
    "toml",
    "xml",
    "yaml",
    "yml",
];

/// Endings of files that are not text, in order. What has another ending is looked into.
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

/// What a path is, as far as the rules care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    File,
    Folder,
}

/// The rules of one source root.
pub(crate) struct Rules {
    root: PathBuf,
    ignored: Option<IncrementalIgnore>,
    /// What the user's own patterns leave out, and the files that they let in.
    left_out: Option<Gitignore>,
    let_in: Option<Gitignore>,
}

impl Rules {
    /// The rules of the folder `root`. Ignore files above it do not count: an ignored folder that is searched on its own would
    /// be empty otherwise. They count without a git repository too.
    pub(crate) fn new(root: &Path) -> Self {
        let mut builder = WalkBuilder::new(root);
        builder.hidden(false).parents(false).require_git(false);
        Rules {
            root: root.to_path_buf(),
            ignored: builder.build_matchers().pop(),
            left_out: None,
            let_in: None,
        }
    }

    /// Adds the user's own patterns.
    ///
    /// # Errors
    ///
    /// [`Error::Pattern`].
    pub(crate) fn selecting(self, selection: &Selection) -> Result<Self> {
        Ok(Rules {
            left_out: matcher(&self.root, &selection.ignore)?,
            let_in: matcher(&self.root, &selection.include)?,
            ..self
        })
    }

    /// Whether the user's own patterns leave out the node at `path`.
    fn is_left_out(&self, path: &Path, node: Node) -> bool {
        let is_folder = node == Node::Folder;
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

    /// Why the rules leave out the node at `path` (relative to the root), whatever they say of the folders around it.
    ///
    /// Asked folder by folder on the way down, as the walk in [`Files`](super::Files) does, one question costs what the walk of
    /// the `ignore` crate costs. That walk does not tell what it leaves out, and we promise to list it.
    pub(crate) fn skip(&mut self, path: &Path, node: Node) -> Option<SkipReason> {
        let name = path.file_name()?.to_str()?;
        if node == Node::File && is_secret(name) {
            return Some(SkipReason::Secret);
        }
        if self.is_left_out(path, node) {
            return Some(SkipReason::LeftOut);
        }
        let (mut ignored, mut wanted) = (false, false);
        if let Some(rules) = &mut self.ignored {
            let found = rules.matched(path, node == Node::Folder);
            (ignored, wanted) = (found.is_ignore(), found.is_whitelist());
        }
        match node {
            _ if ignored => Some(SkipReason::Ignored),
            Node::File if is_binary(name) => Some(SkipReason::Binary),
            _ if wanted => None,
            _ if name.starts_with('.') => Some(SkipReason::Hidden),
            Node::Folder if VENDORED.contains(&name) => Some(SkipReason::Vendored),
            _ => None,
        }
    }

    /// Whether the rules leave out `path` (relative to the root) or a folder around it.
    pub(crate) fn excludes(&mut self, path: &Path, node: Node) -> bool {
        let mut folders: Vec<&Path> = path
            .ancestors()
            .skip(1)
            .filter(|folder| !folder.as_os_str().is_empty())
            .collect();
        folders.reverse();
        let around = folders.into_iter().map(|folder| (folder, Node::Folder));
        let mut all = around.chain([(path, node)]);
        all.any(|(path, node)| {
            let cache = node == Node::Folder && self.root.join(path).join(CACHE_MARK).is_file();
            cache || self.skip(path, node).is_some()
        })
    }
}

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let ending = ending(&name);
    SECRET_NAMES.contains(&&*name)
        || SECRET_STARTS.iter().any(|start| name.starts_with(start))
        || SECRET_ENDINGS.contains(&ending)
        || (name.starts_with("credentials") && DATA_ENDINGS.contains(&ending))
}

fn is_binary(name: &str) -> bool {
    let ending = ending(name).to_ascii_lowercase();
    BINARY_ENDINGS.binary_search(&&*ending).is_ok()
}

fn ending(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() => ending,
        _ => "",
    }
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
    fn secrets_are_told_by_name() {
        for name in [
            ".env",
            ".env.local",
            "server.PEM",
            "tls.key",
            "id_rsa",
            "id_ed25519.pub",
            ".npmrc",
            "credentials",
            "credentials.json",
        ] {
            assert!(is_secret(name), "{name}");
        }
        for name in [
            "credentials.md",
            "environment.md",
            "keys.rs",
            "pem.txt",
            "credentials_test.go",
        ] {
            assert!(!is_secret(name), "{name}");
        }
    }

    #[test]
    fn a_pattern_brings_back_the_hidden_but_no_secret() {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(root.path().join(".ignore"), "!.github/\n!.env\n!vendor/\n").unwrap();
        let mut rules = Rules::new(root.path());
        assert_eq!(rules.skip(Path::new(".github"), Node::Folder), None);
        assert_eq!(rules.skip(Path::new("vendor"), Node::Folder), None);
        assert_eq!(
            rules.skip(Path::new(".env"), Node::File),
            Some(SkipReason::Secret)
        );
        assert_eq!(
            rules.skip(Path::new(".cache"), Node::Folder),
            Some(SkipReason::Hidden)
        );
    }

    #[test]
    fn own_patterns_leave_out_and_let_in() {
        let selection = Selection {
            include: vec!["*.md".to_string(), "guide/".to_string()],
            ignore: vec!["drafts/".to_string(), "/top.md".to_string()],
            max_file_size: None,
        };
        let rules = Rules::new(Path::new("/nowhere"));
        let mut rules = rules.selecting(&selection).unwrap();
        let mut skip = |path: &str, node| rules.skip(Path::new(path), node);
        for path in ["a.md", "deep/b.md", "guide/c.txt", "deep/top.md"] {
            assert_eq!(skip(path, Node::File), None, "{path}");
        }
        for path in ["a.txt", "top.md"] {
            assert_eq!(skip(path, Node::File), Some(SkipReason::LeftOut), "{path}");
        }
        assert_eq!(skip("deep/drafts", Node::Folder), Some(SkipReason::LeftOut));
        assert_eq!(skip("deep", Node::Folder), None);
        let wrong = Selection {
            ignore: vec!["a{b".to_string()],
            ..Selection::default()
        };
        let error = wrong.check().unwrap_err().to_string();
        assert!(
            error.starts_with("`a{b` is no pattern of files: "),
            "{error}"
        );
    }

    #[test]
    fn what_lies_in_an_excluded_folder_is_excluded() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(root.path().join("out/deep")).unwrap();
        std::fs::write(root.path().join("out/CACHEDIR.TAG"), "").unwrap();
        std::fs::write(root.path().join(".gitignore"), "build/\n").unwrap();
        let mut rules = Rules::new(root.path());
        for path in ["build/a.md", "vendor/x/a.md", "out/deep", ".git/config"] {
            assert!(rules.excludes(Path::new(path), Node::File), "{path}");
        }
        assert!(!rules.excludes(Path::new("docs/a.md"), Node::File));
    }
}
