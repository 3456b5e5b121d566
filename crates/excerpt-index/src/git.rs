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

/// The address of the repository's `origin`, as its configuration in `folder` has it.
pub(crate) fn origin(folder: &Path) -> Option<String> {
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
