//! Random secrets, their hashes, and the sessions of the page.

use std::fmt;
use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use super::file::PrivateFile;
use crate::error::{ServiceError, ServiceResult};

/// The bytes of a secret. None can be guessed.
const BYTES: usize = 32;

/// Random bytes in the alphabet of base64url.
///
/// # Errors
///
/// When the operating system has none.
pub(super) fn random() -> ServiceResult<String> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).map_err(|error| ServiceError::NoRandomBytes(error.to_string()))?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// The SHA-256 of a secret in base64url. One that is random and this long needs no slower hash.
pub(super) fn hash(secret: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(secret.as_bytes()))
}

/// Whether two texts are equal, in a time that does not depend on where they differ.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    one.as_bytes().ct_eq(other.as_bytes()).into()
}

/// A key for HMAC-SHA-256.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SecretKey(String);

/// A file with a key.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct KeptKey {
    key: Option<SecretKey>,
}

/// A key must not be printed.
impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretKey")
    }
}

impl SecretKey {
    /// A new one.
    ///
    /// # Errors
    ///
    /// When the operating system has no random bytes.
    pub fn new() -> ServiceResult<SecretKey> {
        random().map(SecretKey)
    }

    /// The key in the file at `path`, which is made if there is none.
    ///
    /// # Errors
    ///
    /// When others can read the file, or it cannot be read or written.
    pub fn kept(path: PathBuf) -> ServiceResult<SecretKey> {
        let file = PrivateFile::<KeptKey>::at(path);
        if let Some(key) = &file.read()?.key {
            return Ok(key.clone());
        }
        file.change(|kept| {
            let key = match kept.key.take() {
                Some(key) => key,
                None => SecretKey::new()?,
            };
            kept.key = Some(key.clone());
            Ok(key)
        })
    }

    /// One that was chosen elsewhere.
    #[must_use]
    pub fn of(text: String) -> SecretKey {
        SecretKey(text)
    }

    /// Its text, to be shown once.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    fn mac(&self, parts: &[&[u8]]) -> Hmac<Sha256> {
        // A key of any length is accepted.
        let mut mac = match Hmac::<Sha256>::new_from_slice(self.0.as_bytes()) {
            Ok(mac) => mac,
            Err(_) => unreachable!("HMAC takes keys of any length"),
        };
        for part in parts {
            mac.update(part);
        }
        mac
    }

    /// The signature of `message` in hexadecimal digits.
    #[must_use]
    pub fn signature(&self, message: &[u8]) -> String {
        let bytes = self.mac(&[message]).finalize().into_bytes();
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Whether `signature`, in hexadecimal digits, is that of `message`. The time does not depend
    /// on where it differs.
    #[must_use]
    pub fn signed(&self, message: &[u8], signature: &str) -> bool {
        is_same(&self.signature(message), &signature.to_ascii_lowercase())
    }

    /// Whether `text` is the key itself, compared as [`SecretKey::signed`] does.
    #[must_use]
    pub fn is(&self, text: &str) -> bool {
        is_same(&hash(&self.0), &hash(text))
    }
}

/// Signs the sessions of the page: a session is the id of a token, a purpose and an end, and needs
/// no memory on the server. It is worth nothing once the token is revoked.
#[derive(Clone, Debug)]
pub struct SessionKey(SecretKey);

impl SessionKey {
    /// With the key of a server.
    #[must_use]
    pub fn of(key: SecretKey) -> SessionKey {
        SessionKey(key)
    }

    /// A session for the token with this id, until `end` in seconds since 1970.
    #[must_use]
    pub fn session(&self, purpose: &str, token: &str, end: i64) -> String {
        let said = format!("{purpose}.{token}.{end}");
        let signature = self.0.signature(said.as_bytes());
        format!("{token}.{end}.{signature}")
    }

    /// The id of the token of a session that has not ended by `now`.
    #[must_use]
    pub fn token<'s>(&self, purpose: &str, session: &'s str, now: i64) -> Option<&'s str> {
        let mut parts = session.splitn(3, '.');
        let (token, end, signature) = (parts.next()?, parts.next()?, parts.next()?);
        let said = format!("{purpose}.{token}.{end}");
        let is_valid = self.0.signed(said.as_bytes(), signature);
        let end: i64 = end.parse().ok()?;
        (is_valid && now < end).then_some(token)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_that_of_the_standard() {
        // Test case 2 of RFC 4231.
        let key = SecretKey::of("Jefe".to_string());
        let message = b"what do ya want for nothing?";
        let signature = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        assert_eq!(key.signature(message), signature);
        assert!(key.signed(message, &signature.to_uppercase()));
        assert!(!key.signed(message, &signature[1..]));
        assert!(!key.signed(b"other", signature));
        assert!(!key.signed(message, ""));
    }

    #[test]
    fn a_session_is_for_one_purpose_and_ends() {
        let key = SessionKey::of(SecretKey::of("k".to_string()));
        let session = key.session("api", "id", 100);
        assert_eq!(key.token("api", &session, 99), Some("id"));
        assert_eq!(key.token("api", &session, 100), None);
        assert_eq!(key.token("page", &session, 99), None);
        let longer = session.replace(".100.", ".900.");
        assert_eq!(key.token("api", &longer, 99), None);
        for forged in ["", "id", "id.900", "id.900.", "..", "id.x.y"] {
            assert_eq!(key.token("api", forged, 99), None, "{forged}");
        }
        let other = SessionKey::of(SecretKey::of("l".to_string()));
        assert_eq!(other.token("api", &session, 99), None);
    }
}
