//! The stores of the crate `object_store` that need no server.

use std::sync::Arc;

use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{Attribute, Attributes, ObjectStore, PutOptions};
use tokio::runtime::Runtime;

use super::{ObjectFolder, ObjectOrigin, ObjectSource};
use crate::model::{Selection, SkipReason};
use crate::source::conformance::conforms;
use crate::source::{Reading, Source as _};

fn put(store: &dyn ObjectStore, path: &str, text: &str, metadata: &[(&'static str, &str)]) {
    let mut attributes = Attributes::new();
    for (name, value) in metadata {
        attributes.insert(
            Attribute::Metadata((*name).into()),
            (*value).to_string().into(),
        );
    }
    let options = PutOptions {
        attributes,
        ..PutOptions::default()
    };
    let path = Path::parse(path).unwrap();
    let put = store.put_opts(&path, text.to_string().into(), options);
    Runtime::new().unwrap().block_on(put).unwrap();
}

fn origin(prefix: &str) -> ObjectOrigin {
    format!("s3://notes/{prefix}").parse().unwrap()
}

fn source(store: &Arc<InMemory>, prefix: &str) -> ObjectSource {
    let store = Arc::clone(store) as Arc<dyn ObjectStore>;
    let folder = ObjectFolder::within(store, &origin(prefix), true).unwrap();
    ObjectSource::of("s3://notes".into(), folder, &Selection::default()).unwrap()
}

#[test]
fn objects_are_documents_by_the_rules_of_a_folder() {
    let store = Arc::new(InMemory::new());
    for (path, text) in [
        ("in/a.md", "# A\n"),
        ("in/empty.md", ""),
        ("in/docs/b.md", "# B\n"),
        ("in/docs!/c.md", "# C\n"),
        ("in/.hidden/d.md", "# D\n"),
        ("in/vendor/x/e.md", "# E\n"),
        ("in/vendor/x/f.md", "# F\n"),
        ("in/id_rsa", "secret"),
        ("in/picture.png", "png"),
        ("in/binary.md", "\0\0"),
        ("inside/g.md", "# G\n"),
    ] {
        put(&*store, path, text, &[]);
    }
    put(&*store, "in/large.md", &"x".repeat(3 << 20), &[]);
    let source = source(&store, "in");
    conforms(&source);
    let listing = source.list().unwrap();
    let paths: Vec<&str> = listing.entries.iter().map(|entry| &*entry.path).collect();
    assert_eq!(
        paths,
        ["a.md", "binary.md", "docs!/c.md", "docs/b.md", "empty.md"]
    );
    let mut skips: Vec<(&str, SkipReason)> = listing
        .skips
        .iter()
        .map(|skip| (&*skip.path, skip.reason))
        .collect();
    skips.sort_unstable_by_key(|(path, _)| *path);
    assert_eq!(
        skips,
        [
            (".hidden", SkipReason::Hidden),
            ("id_rsa", SkipReason::Secret),
            ("large.md", SkipReason::TooLarge),
            ("picture.png", SkipReason::Binary),
            ("vendor", SkipReason::Vendored),
        ]
    );
}

#[test]
fn an_object_that_changes_has_another_version_and_its_metadata() {
    let store = Arc::new(InMemory::new());
    put(&*store, "a.md", "# A\n", &[("team", "tea")]);
    let source = source(&store, "");
    let before = source.list().unwrap().entries.remove(0);
    let Reading::Text { provenance, .. } = source.read(&before) else {
        panic!("it is a text");
    };
    assert_eq!(provenance["team"], "tea");
    put(&*store, "a.md", "# B\n", &[]);
    let after = source.list().unwrap().entries.remove(0);
    assert_ne!(before.version, after.version);
    // What is read is what is there now.
    let Reading::Text { text, version, .. } = source.read(&before) else {
        panic!("it is a text");
    };
    assert_eq!((&*text, version), ("# B\n", after.version));
}

#[test]
fn a_store_that_does_not_order_its_objects_is_ordered() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(LocalFileSystem::new_with_prefix(folder.path()).unwrap());
    for path in ["b/z.md", "a.md", "b/a.md", "b!.md", "c.md", "a/b.md"] {
        put(&*store, path, "# A\n", &[]);
    }
    let folder = ObjectFolder::within(store, &origin(""), false).unwrap();
    let source = ObjectSource::of("s3://notes".into(), folder, &Selection::default()).unwrap();
    conforms(&source);
    assert_eq!(source.list().unwrap().entries.len(), 6);
}

#[test]
fn what_is_expected_is_read_once_and_what_was_not_is_read_anyway() {
    let store = Arc::new(InMemory::new());
    for number in 0..50 {
        put(&*store, &format!("{number}.md"), "# A\n", &[]);
    }
    let source = source(&store, "");
    let entries = source.list().unwrap().entries;
    let expected: Vec<_> = entries.iter().collect();
    source.expect(&expected[..40]);
    source.expect(&expected[20..]);
    for entry in &entries {
        assert!(matches!(source.read(entry), Reading::Text { .. }));
    }
    // It is not from before.
    put(&*store, "7.md", "# B\n", &[]);
    let seven = entries.iter().find(|entry| entry.path == "7.md").unwrap();
    let Reading::Text { text, .. } = source.read(seven) else {
        panic!("it is a text");
    };
    assert_eq!(text, "# B\n");
}
