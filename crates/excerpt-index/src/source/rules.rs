//! What of a folder is left out, by name: the [`Rules`] inside it.
//!
//! In order: secrets, what git ignores, hidden names, vendored folders, and endings of what is not text. A pattern with `!` in
//! a `.gitignore` or `.ignore` brings back what is hidden or vendored, but never a secret.

use std::ffi::OsStr;
use std::path::Path;

use super::ignores::Ignores;
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

/// The rules inside a folder of a source. Ignore files above the source's root do not count: an ignored folder that is searched on its own would be
/// empty otherwise. They count without a git repository too.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    ignores: Ignores,
}

impl Rules {
    /// Those that hold for every source.
    pub(super) fn of_user() -> Self {
        Rules {
            ignores: Ignores::of_user(),
        }
    }

    /// Those inside `folder`, a path relative to `root`, which is one with children that `holds` knows by name.
    pub(super) fn within(&self, root: &Path, folder: &str, holds: impl Fn(&str) -> bool) -> Rules {
        Rules {
            ignores: self.ignores.within(root, folder, holds),
        }
    }

    /// Why they leave out the node at `path` (relative to the root, and in the folder itself).
    pub(super) fn skip(&self, path: &str, node: Node) -> Option<SkipReason> {
        let name = path.rsplit('/').next()?;
        if node == Node::File && is_secret(name) {
            return Some(SkipReason::Secret);
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
