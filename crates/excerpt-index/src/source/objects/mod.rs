//! Documents in an object store: the [`Source`](super::Source) [`ObjectSource`].

#[cfg(feature = "objects")]
mod answers;
#[cfg(feature = "objects")]
mod failure;
#[cfg(feature = "objects")]
mod folder;
mod origin;
#[cfg(feature = "objects")]
mod profile;
#[cfg(feature = "objects")]
mod source;
#[cfg(test)]
#[cfg(feature = "objects")]
mod tests;

#[cfg(feature = "objects")]
pub use self::folder::ObjectFolder;
#[cfg(feature = "objects")]
pub(crate) use self::folder::Put;
pub use self::origin::{ObjectAddressError, ObjectOrigin, ObjectService};
#[cfg(feature = "objects")]
pub use self::source::ObjectSource;
