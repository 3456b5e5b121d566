//! Who may see and do what over a network: tokens, each with a [`Grant`], and the secrets of hooks.
//! Both are kept in files that only their user can read.

mod file;
mod hooks;
mod secret;
mod tokens;

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::ServiceResult;
pub use hooks::{Hook, HookFile, HookSource};
pub use secret::{SecretKey, SessionKey};
pub use tokens::{Expiry, NewToken, Token, TokenFile, TokenRequest};

/// The folder of the user with the tokens, the hooks and the keys of servers.
///
/// # Errors
///
/// When the user's data folder is unknown.
pub fn folder() -> ServiceResult<PathBuf> {
    Ok(crate::target::data()?.join("serve"))
}

/// What a token shows, and whether it may change anything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Grant {
    /// The only collections that are visible, by name. Default: all that are served.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub collections: Vec<String>,
    /// The path inside what is served outside of which nothing is visible. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub under: Option<String>,
    /// Whether it may write: add, change, remove and sync collections. Default: no.
    pub write: bool,
}

impl Grant {
    /// Whether it shows everything that is served.
    #[must_use]
    pub fn shows_everything(&self) -> bool {
        self.collections.is_empty() && self.under.is_none()
    }

    /// Everything, for the user who runs the server.
    #[must_use]
    pub fn everything() -> Grant {
        Grant {
            write: true,
            ..Grant::default()
        }
    }
}
