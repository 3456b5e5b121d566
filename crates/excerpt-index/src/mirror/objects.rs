//! A folder of an object store as the destination of a mirror.

use std::io;

use excerpt_chunk::Hash;

use super::{MirrorTarget, ObjectMetadata};
use crate::source::ObjectFolder;

/// The most bytes of an object that is compared. A larger one is no document.
const LARGEST: u64 = 256 << 20;

impl MirrorTarget for ObjectFolder {
    fn name(&self) -> String {
        self.address().to_string()
    }

    fn get(&self, path: &str) -> io::Result<Option<Vec<u8>>> {
        self.read(path, LARGEST)
    }

    fn create(&self, path: &str, bytes: &[u8], metadata: &ObjectMetadata) -> io::Result<bool> {
        self.put(path, bytes.to_vec(), metadata, false)
    }

    fn replace(&self, path: &str, bytes: &[u8], metadata: &ObjectMetadata) -> io::Result<()> {
        self.put(path, bytes.to_vec(), metadata, true).map(drop)
    }

    fn remove(&self, path: &str) -> io::Result<()> {
        self.delete(path)
    }

    fn hash(&self, path: &str) -> io::Result<Option<Hash>> {
        match self.get(path) {
            // It is none that a mirror wrote.
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => Ok(Some(Hash::of(b""))),
            bytes => Ok(bytes?.map(|bytes| Hash::of(&bytes))),
        }
    }
}
