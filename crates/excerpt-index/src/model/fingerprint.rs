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
}
