//! Git repositories and object stores as they are named in a request to add one.

use std::path::{Path, PathBuf};

use excerpt_index::{
    GitAddressError, GitOrigin, GitReference, GitRemote, ObjectOrigin, Origin, Selection,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{ServiceError, ServiceResult};

/// What is added of a source that is not on this disk. Default: all files of the default branch of
/// a git repository, and all objects of a prefix in the store of the provider.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RemotePart {
    /// A branch.
    pub branch: Option<String>,
    /// A tag, in place of a branch.
    pub tag: Option<String>,
    /// The complete id of a commit, in place of a branch.
    pub commit: Option<String>,
    /// A folder of a git repository.
    pub under: Option<String>,
    /// The address of an object store. Default: the one that the environment names, or else that of
    /// the provider.
    pub endpoint: Option<String>,
}

impl RemotePart {
    /// What `given` names that is not on this disk; `None` if it names a file or a folder. A folder
    /// with a repository is meant as one if it has no working tree, or if a part of it is named.
    ///
    /// # Errors
    ///
    /// When it is an address that cannot be used, or that contains a password; when it is no
    /// repository, although a part of one is named, or no object store, although an endpoint is;
    /// and when the name of the part is invalid.
    pub(crate) fn of(&self, given: &str) -> ServiceResult<Option<Origin>> {
        if ObjectOrigin::is_meant(given) {
            return self
                .objects(given)
                .map(|origin| Some(Origin::Objects(origin)));
        }
        if self.endpoint.is_some() {
            let path = given.to_string();
            return Err(ServiceError::NotAnObjectStore { path });
        }
        Ok(self.repository(given)?.map(Origin::Git))
    }

    /// The place that is meant as the destination of a mirror: an object store, or a folder.
    ///
    /// # Errors
    ///
    /// When it is an address of something else, or one that cannot be used.
    pub(crate) fn destination(given: &str, endpoint: Option<&str>) -> ServiceResult<Origin> {
        let part = RemotePart {
            endpoint: endpoint.map(str::to_string),
            ..RemotePart::default()
        };
        if ObjectOrigin::is_meant(given) {
            return part.objects(given).map(Origin::Objects);
        }
        if part.endpoint.is_some() || given.contains("://") {
            let address = given.to_string();
            return Err(ServiceError::NotADestination { address });
        }
        Ok(Origin::Disk(resolved(&std::path::absolute(given)?)))
    }

    fn objects(&self, given: &str) -> ServiceResult<ObjectOrigin> {
        let (scheme, rest) = given.split_once("://").unwrap_or(("", given));
        let authority = rest.split(['/', '#']).next().unwrap_or_default();
        if authority.contains('@') || Selection::default().withholds("", given).is_some() {
            let address = format!(
                "{scheme}://{}",
                authority.rsplit('@').next().unwrap_or_default()
            );
            return Err(ServiceError::PasswordInAddress { address });
        }
        if !self.is_everything() {
            let path = given.to_string();
            return Err(ServiceError::NotARepository { path });
        }
        let invalid = |error| ServiceError::ObjectAddress {
            address: given.split('?').next().unwrap_or_default().to_string(),
            error,
        };
        let origin: ObjectOrigin = given.parse().map_err(invalid)?;
        let endpoint = self.endpoint.clone();
        match endpoint.or_else(|| origin.endpoint_in_environment()) {
            Some(endpoint) => origin.at(&endpoint).map_err(invalid),
            None => Ok(origin),
        }
    }

    fn repository(&self, given: &str) -> ServiceResult<Option<GitOrigin>> {
        let path = Path::new(given);
        let remote = match path.exists() {
            true if is_bare(path) || (!self.is_everything() && path.join(".git").exists()) => {
                let unreadable = |error| ServiceError::Unreadable {
                    path: given.to_string(),
                    error,
                };
                GitRemote::of_folder(&path.canonicalize().map_err(unreadable)?)
            }
            true => Err(GitAddressError::Unknown),
            false => GitRemote::parse(given).and_then(|remote| match path.is_absolute() {
                // There is nothing at this path.
                true => Err(GitAddressError::Unknown),
                false => Ok(remote),
            }),
        };
        let remote = match remote {
            Ok(remote) => remote,
            Err(GitAddressError::Unknown) if self.is_everything() && !given.contains("://") => {
                return Ok(None);
            }
            Err(GitAddressError::Unknown) if path.exists() => {
                let path = given.to_string();
                return Err(ServiceError::NotARepository { path });
            }
            Err(error) => {
                let address = given.to_string();
                return Err(ServiceError::Address { address, error });
            }
        };
        if remote.has_password() || Selection::default().withholds("", given).is_some() {
            let address = remote.to_string();
            return Err(ServiceError::PasswordInAddress { address });
        }
        let under = self.under.as_deref();
        if let Some(under) = under.filter(|under| under.split('/').any(|part| part == "..")) {
            let under = under.to_string();
            return Err(ServiceError::InvalidSubfolder { under });
        }
        let origin = GitOrigin::new(remote, self.reference()?, under);
        Ok(Some(origin))
    }

    fn is_everything(&self) -> bool {
        let whole = RemotePart {
            endpoint: self.endpoint.clone(),
            ..RemotePart::default()
        };
        *self == whole
    }

    fn reference(&self) -> ServiceResult<GitReference> {
        let invalid = |name: &str| ServiceError::Reference {
            name: name.to_string(),
        };
        match (&self.branch, &self.tag, &self.commit) {
            (None, None, None) => Ok(GitReference::Default),
            (Some(name), None, None) if is_name(name) => Ok(GitReference::Branch(name.clone())),
            (None, Some(name), None) if is_name(name) => Ok(GitReference::Tag(name.clone())),
            (None, None, Some(id)) if is_id(id) => Ok(GitReference::Commit(id.to_lowercase())),
            (Some(name), ..) | (_, Some(name), _) | (.., Some(name)) => Err(invalid(name)),
        }
    }
}

/// A path without links and `..`, as far as it exists.
fn resolved(path: &Path) -> PathBuf {
    let resolved = path
        .ancestors()
        .find_map(|above| Some((above.canonicalize().ok()?, path.strip_prefix(above).ok()?)));
    match resolved {
        Some((whole, rest)) if rest.as_os_str().is_empty() => whole,
        Some((above, rest)) => above.join(rest),
        None => path.to_path_buf(),
    }
}

/// The name of a collection of what is not on this disk.
pub(crate) fn name_of(origin: &Origin) -> String {
    let parts = match origin {
        Origin::Git(origin) => return name_of_repository(origin),
        Origin::Objects(origin) => [origin.bucket(), origin.prefix()],
        _ => [""; 2],
    };
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("-")
}

fn name_of_repository(origin: &GitOrigin) -> String {
    let reference = match &origin.reference {
        GitReference::Default => "",
        GitReference::Branch(name) | GitReference::Tag(name) => name,
        GitReference::Commit(id) => id.get(..12).unwrap_or(id),
    };
    let parts = [origin.remote().name(), &*origin.under, reference];
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("-")
}

/// The version that the documents of a part of a repository are about: the name of its branch or
/// tag, if one was named.
pub(crate) fn version_of(origin: &Origin) -> Option<&str> {
    let Origin::Git(origin) = origin else {
        return None;
    };
    match &origin.reference {
        GitReference::Branch(name) | GitReference::Tag(name) => Some(name),
        GitReference::Default | GitReference::Commit(_) => None,
    }
}

/// Whether git could use it as the name of a branch or a tag:
/// <https://git-scm.com/docs/git-check-ref-format>.
fn is_name(name: &str) -> bool {
    let is_odd = |c: char| c.is_control() || " ~^:?*[\\".contains(c);
    let is_part =
        |part: &str| !part.is_empty() && !part.starts_with('.') && !part.ends_with(".lock");
    !name.starts_with('-')
        && !name.ends_with('.')
        && !name.contains("..")
        && !name.contains("@{")
        && !name.contains(is_odd)
        && name.split('/').all(is_part)
}

/// Whether it is the complete id of a commit, in SHA-1 or SHA-256.
fn is_id(id: &str) -> bool {
    matches!(id.len(), 40 | 64) && id.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether a folder is a git repository without a working tree.
fn is_bare(folder: &Path) -> bool {
    let is_folder = |name: &str| folder.join(name).is_dir();
    folder.join("HEAD").is_file() && is_folder("objects") && is_folder("refs")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn branch(name: &str) -> RemotePart {
        RemotePart {
            branch: Some(name.into()),
            ..RemotePart::default()
        }
    }

    #[test]
    fn an_address_is_a_repository_and_a_path_is_not() {
        let whole = RemotePart::default();
        let origin = |given: &str| whole.of(given).unwrap();
        let repository = origin("git@host:owner/repo.git").unwrap();
        assert_eq!(name_of(&repository), "repo");
        assert!(origin("https://host/owner/repo").is_some());
        assert!(origin("notes").is_none());
        assert!(origin("/nowhere/at/all").is_none());
        let folder = tempfile::tempdir().unwrap();
        assert!(origin(folder.path().to_str().unwrap()).is_none());
        assert!(branch("main").of(folder.path().to_str().unwrap()).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_does_not_hide_where_a_mirror_is() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("notes")).unwrap();
        std::os::unix::fs::symlink(root.join("notes"), root.join("link")).unwrap();
        let given = root.join("link/mirror");
        let destination = RemotePart::destination(given.to_str().unwrap(), None).unwrap();
        assert_eq!(
            destination.to_string(),
            root.join("notes/mirror").to_str().unwrap()
        );
        std::fs::create_dir(&given).unwrap();
        let again = RemotePart::destination(given.to_str().unwrap(), None).unwrap();
        assert_eq!(again.to_string(), destination.to_string());
    }

    #[test]
    fn what_would_run_a_program_or_reveal_a_password_is_refused() {
        let whole = RemotePart::default();
        for given in [
            "ext::sh -c true",
            "--upload-pack=x",
            "ftp://host/r",
            "https://me:word@host/r",
        ] {
            let error = whole.of(given).unwrap_err();
            assert!(!error.to_string().contains("word@"), "{error}");
        }
    }

    #[test]
    fn names_of_branches_are_those_that_git_allows() {
        for name in ["main", "feature/a-b", "v1.2.x", "日本"] {
            let origin = branch(name).of("https://host/r").unwrap().unwrap();
            assert_eq!(version_of(&origin), Some(name));
        }
        for name in [
            "", "-x", "a b", "a:b", "*", "a..b", "a//b", ".a", "a.lock", "a^", "x@{1}",
        ] {
            assert!(branch(name).of("https://host/r").is_err(), "{name}");
        }
        let short = RemotePart {
            commit: Some("c0ffee".into()),
            ..RemotePart::default()
        };
        assert!(short.of("https://host/r").is_err());
    }
}
