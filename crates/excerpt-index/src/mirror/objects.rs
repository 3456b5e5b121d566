//! A folder of an object store as the destination of a mirror.

use std::collections::{HashMap, HashSet};
use std::io;

use super::{Creation, LARGEST, MirrorTarget, ObjectMetadata, ObjectStamp};
use crate::source::{ObjectFolder, Put};

impl MirrorTarget for ObjectFolder {
    fn name(&self) -> String {
        self.address().to_string()
    }

    fn read(&self, path: &str, part: &mut dyn FnMut(&[u8])) -> io::Result<bool> {
        self.each_part(path, LARGEST, part)
    }

    fn stamps(&self, paths: &[&str]) -> io::Result<HashMap<String, ObjectStamp>> {
        let wanted: HashSet<&str> = paths.iter().copied().collect();
        let mut stamps = HashMap::new();
        self.each_stamp(|path, stamp| {
            if wanted.contains(path) {
                stamps.insert(path.to_string(), stamp);
            }
        })?;
        Ok(stamps)
    }

    fn create(&self, path: &str, bytes: &[u8], metadata: &ObjectMetadata) -> io::Result<Creation> {
        Ok(match self.put(path, bytes.to_vec(), metadata, false)? {
            Put::Written(stamp) => Creation::Created(stamp),
            Put::Exists => Creation::Exists,
        })
    }

    fn replace(
        &self,
        path: &str,
        bytes: &[u8],
        metadata: &ObjectMetadata,
    ) -> io::Result<ObjectStamp> {
        match self.put(path, bytes.to_vec(), metadata, true)? {
            Put::Written(stamp) => Ok(stamp),
            Put::Exists => Ok(None),
        }
    }

    fn remove(&self, path: &str) -> io::Result<()> {
        self.delete(path)
    }
}
