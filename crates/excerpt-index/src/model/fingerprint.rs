//! [`Fingerprint`]: one hash of many values.

use excerpt_chunk::Hash;
use sha2::{Digest, Sha256};

/// A hash over a list of values that keeps them apart.
#[derive(Default)]
pub(crate) struct Fingerprint(Sha256);

impl Fingerprint {
    pub(crate) fn add(&mut self, value: &[u8]) {
        // The length marks where a value ends.
        self.0.update((value.len() as u64).to_le_bytes());
        self.0.update(value);
    }

    /// Adds a value that may be missing, which is not an empty one.
    pub(crate) fn add_option(&mut self, value: Option<impl AsRef<[u8]>>) {
        self.add(&[u8::from(value.is_some())]);
        if let Some(value) = value {
            self.add(value.as_ref());
        }
    }

    pub(crate) fn end(self) -> Hash {
        Hash(self.bytes())
    }

    /// The first bytes of the hash, at most 32.
    pub(crate) fn bytes<const COUNT: usize>(self) -> [u8; COUNT] {
        let mut bytes = [0; COUNT];
        bytes.copy_from_slice(&self.0.finalize()[..COUNT]);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_hashed_one_by_one() {
        let hash = |values: &[&str]| {
            let mut digest = Fingerprint::default();
            values.iter().for_each(|value| digest.add(value.as_bytes()));
            digest.end()
        };
        assert_ne!(hash(&["ab", "c"]), hash(&["a", "bc"]));
    }

    #[test]
    fn a_missing_value_is_not_an_empty_one() {
        let hash = |value: Option<&str>| {
            let mut digest = Fingerprint::default();
            digest.add_option(value);
            digest.end()
        };
        assert_ne!(hash(None), hash(Some("")));
    }
}
