//! The little that is to be known of git: where a working tree has its repository.

use std::fs;
use std::path::{Path, PathBuf};

/// The folder that all working trees of a repository have in common, for the working tree at `folder`; none when it is not one. Whether it holds a
/// repository is for the caller to see.
pub(crate) fn common_folder(folder: &Path) -> Option<PathBuf> {
    let git = folder.join(".git");
    let git = match git.is_dir() {
        true => git,
        false => linked(&git)?,
    };
    Some(match fs::read_to_string(git.join("commondir")) {
        Ok(target) => git.join(target.trim()),
        Err(_) => git,
    })
}

/// The folder that a `.git` file points to, as worktrees and submodules have it.
fn linked(file: &Path) -> Option<PathBuf> {
    let text = fs::read_to_string(file).ok()?;
    let target = text.strip_prefix("gitdir:")?.trim();
    Some(file.parent()?.join(target))
}
