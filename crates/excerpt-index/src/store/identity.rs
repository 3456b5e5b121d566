//! The identity of the settings that a document was stored with: two halves of 8 bytes, of which
//! the first is that of the settings on which its chunks depend.

use std::ops::RangeInclusive;

use excerpt_chunk::Hash;

const HALF: usize = 8;

/// The identity of settings, from a description of those on which the chunks of a document depend,
/// and of the rest.
pub(crate) fn identity(splitting: &str, rest: &str) -> Hash {
    let mut identity = Hash::of(splitting.as_bytes());
    let rest = Hash::of(rest.as_bytes());
    identity.0[HALF..].copy_from_slice(&rest.0[HALF..]);
    identity
}

/// The first and the last identity of the settings that give the same chunks.
pub(super) fn of_same_splitting(identity: Hash) -> RangeInclusive<[u8; 16]> {
    let (mut first, mut last) = (identity.0, identity.0);
    first[HALF..].fill(0);
    last[HALF..].fill(u8::MAX);
    first..=last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_give_the_same_chunks_have_one_range_of_identities() {
        let (own, tagged) = (identity("a", "b"), identity("a", "c"));
        assert_ne!(own, tagged);
        assert!(of_same_splitting(own).contains(&tagged.0));
        assert!(!of_same_splitting(own).contains(&identity("b", "b").0));
    }
}
