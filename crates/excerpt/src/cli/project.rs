//! What a project says in its `excerpt.toml`. The file is data: it names no command and no path.

use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context as _, anyhow};
use excerpt_chunk::{Settings, settings_from_toml};

/// The name of the file.
const FILE: &str = "excerpt.toml";

/// What the file in `root` says of the cut; nothing without a file.
pub(crate) fn settings(root: &Path) -> anyhow::Result<Settings> {
    let folder = if root.is_dir() {
        root
    } else {
        root.parent().unwrap_or(root)
    };
    let path = folder.join(FILE);
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(Settings::default());
        }
        Err(error) => {
            return Err(error).with_context(|| format!("cannot read `{}`", path.display()));
        }
    };
    settings_from_toml(&text).map_err(|error| anyhow!("{}:{error}", path.display()))
}

/// What the nearest file around `path` says, looked for up to the root of the git repository.
pub(crate) fn settings_around(path: &Path) -> anyhow::Result<Settings> {
    let path = std::path::absolute(path)?;
    for folder in path.ancestors().filter(|folder| folder.is_dir()) {
        if folder.join(FILE).is_file() {
            return settings(folder);
        }
        if folder.join(".git").exists() {
            break;
        }
    }
    Ok(Settings::default())
}
