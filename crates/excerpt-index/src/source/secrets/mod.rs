//! Files that contain keys or passwords: recognised by their names ([`named`]) and by their texts
//! ([`found`]).
//!
//! A text counts as a secret because of its structure, never because of a word in it. A private key
//! has to decode; a token has to have the right length and randomness. Source code and
//! documentation that only name a format, or show a placeholder, stay in the index.

mod name;
mod text;

pub(crate) use name::named;
pub(crate) use text::found;

/// Changes with the rules, so that documents indexed by an older version are checked again.
pub(crate) const VERSION: u32 = 1;
