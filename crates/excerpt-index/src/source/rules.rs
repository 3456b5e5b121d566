//! What of a folder is left out, by name: the [`Rules`] inside it.
//!
//! In order: secrets, what git ignores, hidden names, vendored folders, and endings of what is not text. A pattern with `!` in
//! a `.gitignore` or `.ignore` brings back what is hidden or vendored, but never a secret.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use serde::{Deserialize, Serialize};

use super::ignores::Ignores;
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

/// The user's own patterns: what they leave out, and the files that they let in.
#[derive(Debug, Default)]
struct Patterns {
    left_out: Option<Gitignore>,
    let_in: Option<Gitignore>,
}

impl Patterns {
    /// Whether they leave out the node at `path`.
    fn leave_out(&self, path: &Path, node: Node) -> bool {
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
}

/// What a path is, as far as the rules care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    File,
    Folder,
}

/// The rules inside a folder of a source. Ignore files above the source's root do not count: an ignored folder that is searched on its own would be
/// empty otherwise. They count without a git repository too.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    ignores: Ignores,
    patterns: Arc<Patterns>,
}

impl Rules {
    /// Those that hold for every source.
    pub(super) fn of_user() -> Self {
        Rules {
            ignores: Ignores::of_user(),
            patterns: Arc::default(),
        }
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
            ..self
        })
    }

    /// Those inside `folder`, a path relative to `root`, which is one with children that `holds` knows by name.
    pub(super) fn within(&self, root: &Path, folder: &str, holds: impl Fn(&str) -> bool) -> Rules {
        Rules {
            ignores: self.ignores.within(root, folder, holds),
            patterns: Arc::clone(&self.patterns),
        }
    }

    /// Why they leave out the node at `path` (relative to the root, and in the folder itself).
    pub(super) fn skip(&self, path: &str, node: Node) -> Option<SkipReason> {
        let name = path.rsplit('/').next()?;
        if node == Node::File && is_secret(name) {
            return Some(SkipReason::Secret);
        }
        if self.patterns.leave_out(Path::new(path), node) {
            return Some(SkipReason::LeftOut);
        }
        let said = self.ignores.say(path, node == Node::Folder);
        match node {
            _ if said.is_ignore() => Some(SkipReason::Ignored),
            Node::File if is_binary(name) => Some(SkipReason::Binary),
            _ if said.is_whitelist() => None,
            _ if name.starts_with('.') => Some(SkipReason::Hidden),
            Node::Folder if VENDORED.contains(&name) => Some(SkipReason::Vendored),
            _ => None,
        }
    }

    /// Whether the rules of the folder `root` leave out `path` (relative to it, with `/` between its segments) or a folder around it.
    pub(crate) fn exclude(root: &Path, path: &str, node: Node) -> bool {
        let mut rules = Rules::of_user();
        let mut folder = "";
        loop {
            rules = rules.within(root, folder, |name| root.join(folder).join(name).exists());
            let start = match folder {
                "" => 0,
                _ => folder.len() + 1,
            };
            let end = path[start..].find('/').map(|end| start + end);
            let Some(end) = end else {
                return rules.leaves_out(root, path, node);
            };
            folder = &path[..end];
            if rules.leaves_out(root, folder, Node::Folder) {
                return true;
            }
        }
    }

    fn leaves_out(&self, root: &Path, path: &str, node: Node) -> bool {
        let cache = node == Node::Folder && root.join(path).join(CACHE_MARK).is_file();
        cache || self.skip(path, node).is_some()
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
        let rules = Rules::of_user().within(root.path(), "", |name| name == ".ignore");
        assert_eq!(rules.skip(".github", Node::Folder), None);
        assert_eq!(rules.skip("vendor", Node::Folder), None);
        assert_eq!(rules.skip(".env", Node::File), Some(SkipReason::Secret));
        assert_eq!(rules.skip(".cache", Node::Folder), Some(SkipReason::Hidden));
    }

    #[test]
    fn own_patterns_leave_out_and_let_in() {
        let selection = Selection {
            include: vec!["*.md".to_string(), "guide/".to_string()],
            ignore: vec!["drafts/".to_string(), "/top.md".to_string()],
            max_file_size: None,
        };
        let rules = Rules::of_user().selecting(Path::new("/nowhere"), &selection);
        let rules = rules.unwrap();
        let skip = |path: &str, node| rules.skip(path, node);
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
        let exclude = |path| Rules::exclude(root.path(), path, Node::File);
        for path in ["build/a.md", "vendor/x/a.md", "out/deep", ".git/config"] {
            assert!(exclude(path), "{path}");
        }
        assert!(!exclude("docs/a.md"));
    }
}
