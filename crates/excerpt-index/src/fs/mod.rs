//! The file system: reading what may be hostile (`open.rs`), writing what must not be lost
//! (`disk.rs`, `lock.rs`), the files of an index (`layout.rs`) and of a git repository (`git.rs`).

pub(crate) mod disk;
pub(crate) mod git;
pub(crate) mod layout;
pub(crate) mod lock;
pub(crate) mod open;
