//! What of a folder is left out, by name: the [`Rules`] of one source root.
//!
//! In order: secrets, what git ignores, hidden names, vendored folders, and endings of what is not text. A pattern with `!` in
//! a `.gitignore` or `.ignore` brings back what is hidden or vendored, but never a secret.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use ignore::{IncrementalIgnore, WalkBuilder};

use crate::model::SkipReason;

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

/// The database of an index of ours, which a user may put into the folder that it is of.
const INDEX_MARK: &str = "excerpt.db";

/// Whether a folder that holds a file of this name is left out as a whole.
pub(super) fn is_mark(name: &OsStr) -> bool {
    name == CACHE_MARK || name == INDEX_MARK
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
        }
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
