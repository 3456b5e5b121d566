//! Tokens: each is shown once when it is made, and kept as a hash with what it grants.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use excerpt_index::Collection;
use serde::{Deserialize, Serialize};

use super::Grant;
use super::file::PrivateFile;
use super::secret::{hash, is_same, random};
use crate::error::{ServiceError, ServiceResult};
use crate::remote::now;
use crate::target::plain_path;
use crate::text::shown;

/// What every token begins with, so that a scanner for secrets can recognise one.
const PREFIX: &str = "excerpt_";

/// The longest name of a token, in characters.
const LONGEST: usize = 100;

/// A token, without its secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Token {
    /// Its name, which no other has.
    pub name: String,
    /// The SHA-256 of its secret, in base64url.
    hash: String,
    /// What it grants.
    pub grant: Grant,
    /// When it was made, in seconds since 1970.
    pub created: i64,
    /// When it ends, in seconds since 1970; `None` for never.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub expires: Option<i64>,
}

impl Token {
    /// Its id, which reveals nothing about the secret and changes with it.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.hash
    }

    /// Whether it has ended.
    #[must_use]
    pub fn has_expired(&self) -> bool {
        self.expires.is_some_and(|end| end <= now())
    }
}

/// A token that was just made.
#[derive(Debug)]
pub struct NewToken {
    /// The token.
    pub token: Token,
    /// Its secret, which is not kept anywhere.
    pub secret: String,
}

/// When a token ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expiry {
    seconds: i64,
}

impl FromStr for Expiry {
    type Err = ServiceError;

    /// A number of minutes, hours, days or weeks, such as `30d`.
    fn from_str(text: &str) -> ServiceResult<Expiry> {
        let invalid = || ServiceError::InvalidExpiry { given: shown(text) };
        let unit = text.chars().last().ok_or_else(invalid)?;
        let seconds: i64 = match unit {
            'm' => 60,
            'h' => 60 * 60,
            'd' => 24 * 60 * 60,
            'w' => 7 * 24 * 60 * 60,
            _ => return Err(invalid()),
        };
        let count: i64 = text[..text.len() - 1].parse().map_err(|_| invalid())?;
        let total = count.checked_mul(seconds).filter(|total| *total > 0);
        // Two hundred years are for ever.
        let total = total.filter(|total| *total < 200 * 366 * 24 * 60 * 60);
        Ok(Expiry {
            seconds: total.ok_or_else(invalid)?,
        })
    }
}

/// A request to make a token.
#[derive(Clone, Debug, Default)]
pub struct TokenRequest {
    /// Its name.
    pub name: String,
    /// What it grants.
    pub grant: Grant,
    /// When it ends. Default: never.
    pub expiry: Option<Expiry>,
}

impl TokenRequest {
    fn checked(&self) -> ServiceResult<TokenRequest> {
        let mut request = self.clone();
        let is_printable = !self.name.chars().any(char::is_control);
        let is_name = is_printable && !self.name.trim().is_empty();
        if !is_name || self.name.chars().count() > LONGEST {
            return Err(ServiceError::InvalidTokenName {
                name: shown(&self.name),
            });
        }
        if let Some(under) = &self.grant.under {
            let path = plain_path(under).filter(|path| !path.is_empty());
            request.grant.under = Some(path.ok_or_else(|| ServiceError::InvalidBound {
                under: under.clone(),
            })?);
        }
        Ok(request)
    }
}

/// The tokens of a file.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Tokens {
    tokens: Vec<Token>,
}

/// A file with tokens.
#[derive(Debug)]
pub struct TokenFile(PrivateFile<Tokens>);

impl TokenFile {
    /// The file at `path`, which need not exist.
    #[must_use]
    pub fn at(path: PathBuf) -> TokenFile {
        TokenFile(PrivateFile::at(path))
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Makes a token. If the `library` is known, its collections must exist in it.
    ///
    /// # Errors
    ///
    /// When the name is taken or the request is invalid, and when the file cannot be written.
    pub fn add(&self, request: &TokenRequest, library: Option<&Path>) -> ServiceResult<NewToken> {
        let request = request.checked()?;
        if let Some(library) = library {
            for name in &request.grant.collections {
                Collection::named_in(library, name)?;
            }
        }
        let secret = format!("{PREFIX}{}", random()?);
        let created = now();
        let token = Token {
            hash: hash(&secret),
            name: request.name,
            grant: request.grant,
            created,
            expires: request.expiry.map(|expiry| created + expiry.seconds),
        };
        self.0.change(|all| {
            let is_taken = |known: &Token| known.name == token.name;
            if all.tokens.iter().any(is_taken) {
                return Err(ServiceError::TokenNameTaken {
                    name: shown(&token.name),
                });
            }
            all.tokens.push(token.clone());
            Ok(())
        })?;
        Ok(NewToken { token, secret })
    }

    /// All tokens, in the order in which they were made.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn all(&self) -> ServiceResult<Vec<Token>> {
        Ok(self.0.read()?.tokens.clone())
    }

    /// Removes the token with this name. A server that uses it refuses it from then on.
    ///
    /// # Errors
    ///
    /// When there is none, and when the file cannot be written.
    pub fn revoke(&self, name: &str) -> ServiceResult<Token> {
        self.0.change(|all| {
            let at = all.tokens.iter().position(|token| token.name == name);
            match at {
                Some(at) => Ok(all.tokens.remove(at)),
                None => Err(ServiceError::NoToken { name: shown(name) }),
            }
        })
    }

    /// Whether `secret` is that of `token`, and the token has not ended. The time does not depend
    /// on where it differs.
    #[must_use]
    pub fn is_of(token: &Token, secret: &str) -> bool {
        is_same(&token.hash, &hash(secret)) && !token.has_expired()
    }

    /// The token with this secret, unless it has ended.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn with_secret(&self, secret: &str) -> ServiceResult<Option<Arc<Token>>> {
        let hash = hash(secret);
        self.find(|token| is_same(&token.hash, &hash))
    }

    /// The token with this [`Token::id`], unless it has ended.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn with_id(&self, id: &str) -> ServiceResult<Option<Arc<Token>>> {
        self.find(|token| is_same(&token.hash, id))
    }

    fn find(&self, is_meant: impl Fn(&Token) -> bool) -> ServiceResult<Option<Arc<Token>>> {
        let all = self.0.read()?;
        let mut found = None;
        // All are compared, so that the time says nothing.
        for token in &all.tokens {
            if is_meant(token) {
                found = Some(token);
            }
        }
        let found = found.filter(|token| !token.has_expired());
        Ok(found.map(|token| Arc::new(token.clone())))
    }

    /// The secret of the one token that grants everything, kept in the file at `path`. It is made
    /// if there is none.
    ///
    /// # Errors
    ///
    /// When others can read the file, or it cannot be read or written.
    pub fn own(path: PathBuf) -> ServiceResult<NewToken> {
        let file = PrivateFile::<OwnToken>::at(path);
        let kept = file.read()?;
        let secret = match &kept.token {
            Some(secret) => secret.clone(),
            None => file.change(|own| {
                if own.token.is_none() {
                    own.token = Some(format!("{PREFIX}{}", random()?));
                }
                Ok(own.token.clone().unwrap_or_default())
            })?,
        };
        Ok(NewToken::of_owner(secret))
    }
}

impl NewToken {
    /// A token that grants everything, for this process alone.
    ///
    /// # Errors
    ///
    /// When the system has no random numbers.
    pub fn of_process() -> ServiceResult<NewToken> {
        Ok(NewToken::of_owner(format!("{PREFIX}{}", random()?)))
    }

    fn of_owner(secret: String) -> NewToken {
        let token = Token {
            name: "owner".to_string(),
            hash: hash(&secret),
            grant: Grant::everything(),
            created: 0,
            expires: None,
        };
        NewToken { token, secret }
    }
}

/// The file with the token of the user who runs the server.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct OwnToken {
    token: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> (tempfile::TempDir, TokenFile) {
        let folder = tempfile::tempdir().unwrap();
        let file = TokenFile::at(folder.path().join("tokens.json"));
        (folder, file)
    }

    fn request(name: &str) -> TokenRequest {
        TokenRequest {
            name: name.to_string(),
            ..TokenRequest::default()
        }
    }

    #[test]
    fn a_token_is_known_by_its_secret_until_it_is_revoked() {
        let (_folder, file) = file();
        assert!(file.all().unwrap().is_empty());
        let one = file.add(&request("one"), None).unwrap();
        let two = file.add(&request("two"), None).unwrap();
        assert_ne!(one.secret, two.secret);
        let text = std::fs::read_to_string(file.path()).unwrap();
        assert!(!text.contains(&one.secret[PREFIX.len()..]));
        let found = file.with_secret(&one.secret).unwrap().unwrap();
        assert_eq!(found.name, "one");
        assert!(file.with_secret("excerpt_").unwrap().is_none());
        assert!(file.add(&request("one"), None).is_err());
        file.revoke("one").unwrap();
        assert!(file.with_secret(&one.secret).unwrap().is_none());
        assert!(file.with_id(one.token.id()).unwrap().is_none());
        assert!(file.with_id(two.token.id()).unwrap().is_some());
        assert!(file.revoke("one").is_err());
    }

    #[test]
    fn an_expired_token_is_unknown() {
        let (_folder, file) = file();
        let made = file.add(&request("a"), None).unwrap();
        file.0
            .change(|all| {
                all.tokens[0].expires = Some(now() - 1);
                Ok(())
            })
            .unwrap();
        assert!(file.with_secret(&made.secret).unwrap().is_none());
        assert!(file.all().unwrap()[0].has_expired());
    }

    #[test]
    fn an_expiry_is_a_number_with_a_unit() {
        let seconds = |text: &str| text.parse::<Expiry>().map(|expiry| expiry.seconds).ok();
        assert_eq!(seconds("30d"), Some(30 * 86_400));
        assert_eq!(seconds("2w"), Some(14 * 86_400));
        assert_eq!(seconds("90m"), Some(5_400));
        for wrong in [
            "",
            "d",
            "30",
            "0d",
            "-1d",
            "1.5h",
            "30 d",
            "9999999999999999w",
            "3é",
        ] {
            assert_eq!(seconds(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn invalid_requests_are_refused() {
        let (_folder, file) = file();
        assert!(file.add(&request(" "), None).is_err());
        for under in ["../x", "/etc", "a/../../b", "", "."] {
            let mut request = request("a");
            request.grant.under = Some(under.to_string());
            assert!(file.add(&request, None).is_err(), "{under}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_others_can_read_is_refused() {
        use std::os::unix::fs::PermissionsExt as _;
        let (_folder, file) = file();
        file.add(&request("a"), None).unwrap();
        let mode = std::fs::metadata(file.path()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let open = std::fs::Permissions::from_mode(0o640);
        std::fs::set_permissions(file.path(), open).unwrap();
        let file = TokenFile::at(file.path().to_path_buf());
        assert!(matches!(file.all(), Err(ServiceError::NotPrivate { .. })));
    }

    #[test]
    fn the_own_token_is_made_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("serve").join("own.json");
        let made = TokenFile::own(path.clone()).unwrap();
        let again = TokenFile::own(path).unwrap();
        assert_eq!(made.secret, again.secret);
        assert_eq!(made.token, again.token);
        assert!(made.token.grant.write);
    }
}
