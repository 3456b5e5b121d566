//! Hooks: a host of git repositories calls one after a push, and signs the call with a secret.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use excerpt_index::{Collection, Origin};
use serde::{Deserialize, Serialize};

use super::file::PrivateFile;
use super::secret::SecretKey;
use crate::error::{ServiceError, ServiceResult};
use crate::remote::now;
use crate::text::shown;

/// A hook.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hook {
    /// Its name, the last part of its address.
    pub name: String,
    /// The collections that it has fetched.
    pub collections: Vec<String>,
    /// The secret that its calls are signed with.
    secret: SecretKey,
    /// When it was made, in seconds since 1970.
    pub created: i64,
}

/// What says who sent a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookSource<'h> {
    /// The HMAC-SHA-256 of the body in hexadecimal digits: GitHub and Bitbucket
    /// (`X-Hub-Signature-256`, `X-Hub-Signature`, with `sha256=` before it), Gitea and Forgejo
    /// (`X-Gitea-Signature`, `X-Forgejo-Signature`).
    Signature(&'h str),
    /// The secret itself: GitLab (`X-Gitlab-Token`).
    Token(&'h str),
}

impl Hook {
    /// Whether a call with this body was sent by someone who knows the secret.
    #[must_use]
    pub fn is_from(&self, source: HookSource<'_>, body: &[u8]) -> bool {
        match source {
            HookSource::Signature(signature) => {
                let digits = signature.strip_prefix("sha256=").unwrap_or(signature);
                self.secret.signed(body, digits)
            }
            HookSource::Token(token) => self.secret.is(token),
        }
    }

    /// The secret, to be shown once.
    #[must_use]
    pub fn secret(&self) -> &str {
        self.secret.reveal()
    }
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Hooks {
    hooks: Vec<Hook>,
}

/// A file with hooks.
#[derive(Debug)]
pub struct HookFile(PrivateFile<Hooks>);

impl HookFile {
    /// The file at `path`, which need not exist.
    #[must_use]
    pub fn at(path: PathBuf) -> HookFile {
        HookFile(PrivateFile::at(path))
    }

    /// Makes a hook for some collections of the `library`; without any, for the one of its name.
    ///
    /// # Errors
    ///
    /// When the name is invalid or taken, a collection does not exist or is no repository, or the
    /// file cannot be written.
    pub fn add(&self, name: &str, collections: &[String], library: &Path) -> ServiceResult<Hook> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if name.is_empty() || name.starts_with('.') || !name.chars().all(is_plain) {
            return Err(ServiceError::InvalidHookName { name: shown(name) });
        }
        let collections = match collections.is_empty() {
            true => vec![name.to_string()],
            false => collections.to_vec(),
        };
        for name in &collections {
            let found = Collection::named_in(library, name)?;
            if !matches!(Origin::of(&found.root), Origin::Git(_)) {
                return Err(ServiceError::HookOfNoRepository { name: found.name });
            }
        }
        let hook = Hook {
            name: name.to_string(),
            collections,
            secret: SecretKey::new()?,
            created: now(),
        };
        self.0.change(|all| {
            if all.hooks.iter().any(|known| known.name == name) {
                return Err(ServiceError::HookNameTaken { name: shown(name) });
            }
            all.hooks.push(hook.clone());
            Ok(())
        })?;
        Ok(hook)
    }

    /// All hooks, in the order in which they were made.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn all(&self) -> ServiceResult<Vec<Hook>> {
        Ok(self.0.read()?.hooks.clone())
    }

    /// The hook with this name.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn named(&self, name: &str) -> ServiceResult<Option<Arc<Hook>>> {
        let all = self.0.read()?;
        let found = all.hooks.iter().find(|hook| hook.name == name);
        Ok(found.map(|hook| Arc::new(hook.clone())))
    }

    /// Removes the hook with this name.
    ///
    /// # Errors
    ///
    /// When there is none, and when the file cannot be written.
    pub fn remove(&self, name: &str) -> ServiceResult<Hook> {
        self.0.change(|all| {
            let at = all.hooks.iter().position(|hook| hook.name == name);
            match at {
                Some(at) => Ok(all.hooks.remove(at)),
                None => Err(ServiceError::NoHook { name: shown(name) }),
            }
        })
    }
}
