//! The little that is to be known of git: where a working tree has its repository, and what that is known by.

use std::fs;
use std::path::{Path, PathBuf};

/// Where a working tree has its repository.
pub(crate) struct Repository {
    /// The folder that all its working trees have in common.
    pub(crate) common: PathBuf,
    /// Whether the working tree is one that was added beside the first.
    pub(crate) is_added: bool,
}

impl Repository {
    /// That of the working tree at `folder`; none when it is not one.
    pub(crate) fn of(folder: &Path) -> Option<Repository> {
        let git = folder.join(".git");
        let git = match git.is_dir() {
            true => git,
            false => linked(&git)?,
        };
        let (common, is_added) = match fs::read_to_string(git.join("commondir")) {
            Ok(target) => (git.join(target.trim()), true),
            Err(_) => (git, false),
        };
        let common = common.canonicalize().ok()?;
        common
            .join("HEAD")
            .is_file()
            .then_some(Repository { common, is_added })
    }

    /// What all its working trees and clones have in common: the address that it was cloned from, else its folder.
    pub(crate) fn name(&self) -> String {
        origin(&self.common).unwrap_or_else(|| self.common.to_string_lossy().into_owned())
    }
}

/// The address of the repository's `origin`, as its configuration in `folder` has it.
fn origin(folder: &Path) -> Option<String> {
    let text = fs::read_to_string(folder.join("config")).ok()?;
    let mut lines = text.lines().map(str::trim);
    lines.find(|line| *line == r#"[remote "origin"]"#)?;
    let mut fields = lines.take_while(|line| !line.starts_with('['));
    let url = fields.find_map(|line| line.strip_prefix("url")?.trim_start().strip_prefix('='))?;
    let url = url.trim().trim_matches('"');
    (!url.is_empty()).then(|| url.to_string())
}

/// The folder that a `.git` file points to, as worktrees and submodules have it.
fn linked(file: &Path) -> Option<PathBuf> {
    let text = fs::read_to_string(file).ok()?;
    let target = text.strip_prefix("gitdir:")?.trim();
    Some(file.parent()?.join(target))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_origin_is_the_url_of_that_remote() {
        let folder = tempfile::tempdir().unwrap();
        let of = |config: &str| {
            fs::write(folder.path().join("config"), config).unwrap();
            origin(folder.path())
        };
        let config = "[core]\n\turl = no\n[remote \"fork\"]\n\turl = a\n[remote \"origin\"]\n\tfetch = +x\n\turl = git@host:tea.git\n[branch \"main\"]\n";
        assert_eq!(of(config).as_deref(), Some("git@host:tea.git"));
        assert_eq!(of("[remote \"origin\"]\n[core]\n\turl = no\n"), None);
        assert_eq!(of("[core]\n"), None);
    }
}
