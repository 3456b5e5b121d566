//! The contract of every [`Source`], checked by the tests of each.

use std::collections::BTreeSet;

use super::{Entry, Reading, Source};
use crate::model::{Stat, Version};

/// Asserts the contract of a source that has at least one document and does not change meanwhile.
pub(crate) fn conforms(source: &dyn Source) {
    assert!(!source.id().as_str().is_empty());
    let listing = source.list().unwrap();
    assert!(!listing.entries.is_empty());
    let paths: Vec<&str> = listing.entries.iter().map(|entry| &*entry.path).collect();
    assert!(
        paths.is_sorted_by(|a, b| a < b),
        "in the order of their bytes, and each once: {paths:?}"
    );
    for path in paths
        .iter()
        .copied()
        .chain(listing.skips.iter().map(|skip| &*skip.path))
    {
        let segments = path.split('/');
        let is_plain = |segment: &str| !matches!(segment, "" | "." | "..");
        assert!(segments.into_iter().all(is_plain), "{path}");
    }
    let listed: BTreeSet<&str> = paths.iter().copied().collect();
    for skip in &listing.skips {
        assert!(!listed.contains(&*skip.path), "{}", skip.path);
    }

    for entry in &listing.entries {
        match source.read(entry) {
            Reading::Bytes { version, bytes, .. } => {
                assert_eq!(version, entry.version, "{}", entry.path);
                assert_eq!(bytes.len() as u64, entry.version.size(), "{}", entry.path);
            }
            Reading::Skip { skip, .. } => assert_eq!(skip.path, entry.path),
            Reading::Gone => panic!("`{}` was listed", entry.path),
        }
        assert_eq!(source.read(entry), source.read(entry));
    }
    assert_eq!(
        source.list().unwrap(),
        listing,
        "the same as long as nothing changes"
    );

    let vanished = Entry {
        path: format!("{}-that-is-not-there", paths[0]),
        version: Version::from(Stat {
            size: 1,
            ..Stat::default()
        }),
    };
    assert_eq!(source.read(&vanished), Reading::Gone);
}
