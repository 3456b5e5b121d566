//! The little of git that is needed: where the repository of a working tree is, and what identifies
//! it.

use std::path::{Path, PathBuf};

use crate::fs::open::{FileKind, OpenFolder, Refused};

/// The entry in the folder of a working tree: the folder of its repository, or a file that points
/// to it.
pub(crate) const GIT: &str = ".git";

/// The configuration of a repository.
pub(crate) const CONFIG: &str = "config";

/// The file in which the repository of an added working tree names the common one.
const COMMON: &str = "commondir";

/// The file with the references that have none of their own, and how much of it is read.
const PACKED: &str = "packed-refs";
const MOST_PACKED: u64 = 64 << 20;

/// The repository of a working tree.
pub(crate) struct Repository {
    /// The folder that all its working trees share, with links resolved.
    pub(crate) common: PathBuf,
    /// The same folder, held open.
    pub(crate) folder: OpenFolder,
    /// The folder of this working tree alone, in it or the same.
    pub(crate) own: PathBuf,
    /// Whether the working tree was added to the first one with `git worktree`.
    pub(crate) is_added: bool,
}

impl Repository {
    /// The repository of the working tree in `folder`; `None` when it is not one.
    ///
    /// # Errors
    ///
    /// The file that was not read, and why: [`GIT`] (an empty name) or a file in it. A link in
    /// place of `.git` is not followed.
    pub(crate) fn of(folder: &OpenFolder) -> Result<Option<Repository>, (&'static str, Refused)> {
        let own = match folder.look(GIT).map(|look| look.kind) {
            None => None,
            Some(FileKind::Folder) => Some(folder.folder(GIT).map_err(|refused| ("", refused))?),
            Some(_) => linked(folder).map_err(|refused| ("", refused))?,
        };
        let Some(own) = own else {
            return Ok(None);
        };
        let own_path = own.path().to_path_buf();
        let (common, is_added) = match own.configuration(COMMON) {
            Ok(target) => {
                let common = followed(own.path(), target.trim());
                (common.map_err(|refused| (COMMON, refused))?, true)
            }
            Err(Refused::Missing) => (Some(own), false),
            Err(refused) => return Err((COMMON, refused)),
        };
        // A repository has a `HEAD`; in old ones it is a link.
        let is_one = |folder: &OpenFolder| {
            let head = folder.look("HEAD").map(|look| look.kind);
            matches!(head, Some(FileKind::File | FileKind::Link))
        };
        let named = common.filter(is_one).and_then(|folder| {
            let common = folder.path().canonicalize().ok()?;
            Some((common, folder))
        });
        Ok(named.map(|(common, folder)| Repository {
            common,
            folder,
            own: own_path,
            is_added,
        }))
    }

    /// The commit that the working tree is at; `None` before the first.
    pub(crate) fn head(&self) -> Option<String> {
        let is_hash = |text: &str| {
            matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
        };
        let own = OpenFolder::open(&self.own).ok()?;
        let mut text = own.configuration("HEAD").ok()?.trim().to_string();
        if let Some(name) = text.strip_prefix("ref:").map(str::trim) {
            let parts = name.split('/').all(|part| !part.is_empty() && part != "..");
            if !name.starts_with("refs/") || !parts {
                return None;
            }
            text = match self.folder.configuration(name) {
                Ok(hash) => hash.trim().to_string(),
                Err(_) => {
                    let packed = self.folder.read(PACKED, MOST_PACKED).ok()?;
                    let packed = String::from_utf8_lossy(&packed).into_owned();
                    let mut lines = packed.lines().filter_map(|line| line.split_once(' '));
                    lines.find(|(_, packed)| *packed == name)?.0.to_string()
                }
            };
        }
        is_hash(&text).then_some(text)
    }

    /// The folder of its objects; `None` if it borrows objects from anywhere else: git follows the
    /// names that it finds there, and theirs, which may lead to another machine.
    pub(crate) fn objects(&self) -> Option<PathBuf> {
        let is_alone = match self.folder.configuration("objects/info/alternates") {
            Ok(others) => others.trim().is_empty(),
            Err(refused) => matches!(refused, Refused::Missing),
        };
        is_alone.then(|| self.common.join("objects"))
    }

    /// What all its working trees and clones share: the address that it was cloned from, or else
    /// its folder.
    pub(crate) fn name(&self) -> String {
        let config = self.folder.configuration(CONFIG).unwrap_or_default();
        origin(&config).unwrap_or_else(|| self.common.to_string_lossy().into_owned())
    }
}

/// The address of the repository's `origin` from its configuration.
fn origin(config: &str) -> Option<String> {
    let mut lines = config.lines().map(str::trim);
    lines.find(|line| *line == r#"[remote "origin"]"#)?;
    let mut fields = lines.take_while(|line| !line.starts_with('['));
    let url = fields.find_map(|line| line.strip_prefix("url")?.trim_start().strip_prefix('='))?;
    let url = url.trim().trim_matches('"');
    (!url.is_empty()).then(|| url.to_string())
}

/// The folder that a `.git` file in `folder` points to, as in worktrees and submodules.
fn linked(folder: &OpenFolder) -> Result<Option<OpenFolder>, Refused> {
    let text = folder.configuration(GIT)?;
    match text.strip_prefix("gitdir:") {
        Some(target) => followed(folder.path(), target.trim()),
        None => Ok(None),
    }
}

/// The folder that a file of git in `folder` names; `None` when there is none. It may be anywhere
/// on this machine, but not on another one: looking there would already reveal who asks.
fn followed(folder: &Path, target: &str) -> Result<Option<OpenFolder>, Refused> {
    if is_elsewhere(target) || target.is_empty() {
        return Ok(None);
    }
    match OpenFolder::open(&folder.join(target)) {
        Ok(found) => Ok(Some(found)),
        Err(Refused::Missing) => Ok(None),
        Err(refused) => Err(refused),
    }
}

/// Whether a path is on another machine.
fn is_elsewhere(path: &str) -> bool {
    path.starts_with("//") || path.starts_with(r"\\")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_origin_is_the_url_of_that_remote() {
        let config = "[core]\n\turl = no\n[remote \"fork\"]\n\turl = a\n[remote \"origin\"]\n\tfetch = +x\n\turl = git@host:tea.git\n[branch \"main\"]\n";
        assert_eq!(origin(config).as_deref(), Some("git@host:tea.git"));
        assert_eq!(origin("[remote \"origin\"]\n[core]\n\turl = no\n"), None);
        assert_eq!(origin("[core]\n"), None);
    }
}
