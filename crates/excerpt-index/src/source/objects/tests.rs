//! The stores of the crate `object_store` that need no server, and servers of other makes.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use object_store::aws::AmazonS3Builder;
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{Attribute, Attributes, ObjectStore, PutOptions};
use tokio::runtime::Runtime;

use super::answers::CheckedConnector;
use super::folder::Put;
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
    let Reading::Bytes { provenance, .. } = source.read(&before) else {
        panic!("it is a text");
    };
    assert_eq!(provenance["team"], "tea");
    put(&*store, "a.md", "# B\n", &[]);
    let after = source.list().unwrap().entries.remove(0);
    assert_ne!(before.version, after.version);
    // What is read is what is there now.
    let Reading::Bytes { bytes, version, .. } = source.read(&before) else {
        panic!("it is a text");
    };
    assert_eq!((&*bytes, version), (&b"# B\n"[..], after.version));
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
        assert!(matches!(source.read(entry), Reading::Bytes { .. }));
    }
    // It is not from before.
    put(&*store, "7.md", "# B\n", &[]);
    let seven = entries.iter().find(|entry| entry.path == "7.md").unwrap();
    let Reading::Bytes { bytes, .. } = source.read(seven) else {
        panic!("it is a text");
    };
    assert_eq!(bytes, b"# B\n");
}

/// A server of another make, which ends with the test.
struct Server {
    process: Child,
    url: String,
}

impl Server {
    /// Those that `EXCERPT_S3_SERVERS` names: see `crates/excerpt/tests/objects`.
    fn all() -> Vec<Server> {
        let commands = std::env::var("EXCERPT_S3_SERVERS").unwrap_or_default();
        if commands.is_empty() {
            eprintln!("skipped: EXCERPT_S3_SERVERS names no servers of S3");
            return Vec::new();
        }
        commands.split("\n\n").map(Server::start).collect()
    }

    fn start(command: &str) -> Server {
        let mut words = command.lines();
        let mut process = Command::new(words.next().unwrap())
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut url = String::new();
        let mut output = BufReader::new(process.stdout.take().unwrap());
        output.read_line(&mut url).unwrap();
        let url = url.trim().to_string();
        Server { process, url }
    }

    fn store(&self) -> Arc<dyn ObjectStore> {
        // An error says that there is one already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let builder = AmazonS3Builder::new()
            .with_http_connector(CheckedConnector::default())
            .with_endpoint(&self.url)
            .with_allow_http(true)
            .with_region("us-east-1")
            .with_access_key_id("S3RVER")
            .with_secret_access_key("S3RVER")
            .with_bucket_name("notes");
        Arc::new(builder.build().unwrap())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}

#[test]
fn servers_of_other_makes_conform() {
    for server in Server::all() {
        let store = server.store();
        for (path, text) in [
            ("in/a.md", "# A\n"),
            ("in/b/c d.md", "# C\n"),
            ("in/ü.md", "# Ü\n"),
            ("in/e.md", ""),
        ] {
            put(&*store, path, text, &[("team", "tea")]);
        }
        put(&*store, "inside.md", "# I\n", &[]);
        let folder = ObjectFolder::within(Arc::clone(&store), &origin("in"), true).unwrap();
        let source =
            ObjectSource::of("s3://notes/in".into(), folder, &Selection::default()).unwrap();
        conforms(&source);
        let entries = source.list().unwrap().entries;
        let paths: Vec<&str> = entries.iter().map(|entry| &*entry.path).collect();
        assert_eq!(
            paths,
            ["a.md", "b/c d.md", "e.md", "ü.md"],
            "{}",
            server.url
        );
        let Reading::Bytes { provenance, .. } = source.read(&entries[0]) else {
            panic!("it is a text");
        };
        assert_eq!(provenance["team"], "tea", "{}", server.url);

        // What a mirror relies on.
        let folder = ObjectFolder::within(store, &origin("out"), true).unwrap();
        let put = |text: &str, replaces| folder.put("x/a.md", text.into(), &[], replaces).unwrap();
        assert!(matches!(put("1", false), Put::Written(_)));
        assert_eq!(put("2", false), Put::Exists, "{}", server.url);
        let Put::Written(stamp) = put("3", true) else {
            panic!("it replaces what is there");
        };
        let mut stamps = Vec::new();
        let found = |path: &str, stamp| stamps.push((path.to_string(), stamp));
        folder.each_stamp(found).unwrap();
        assert!(stamp.is_some(), "{}", server.url);
        assert_eq!(stamps, [("x/a.md".to_string(), stamp)], "{}", server.url);
        let read = || {
            let mut bytes = Vec::new();
            let add = &mut |part: &[u8]| bytes.extend_from_slice(part);
            folder.each_part("x/a.md", 1, add).unwrap().then_some(bytes)
        };
        assert_eq!(read(), Some(b"3".to_vec()));
        folder.delete("x/a.md").unwrap();
        folder.delete("x/a.md").unwrap();
        assert_eq!(read(), None);
    }
}
