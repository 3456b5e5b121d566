//! A sync applies the changes of a source, and does no unnecessary work.

use std::fs;
use std::ops::ControlFlow;
use std::time::{Duration, SystemTime};

use excerpt_chunk::Config;
use excerpt_index::{
    Encoding, Error, Index, Keywords, Note, OpenOptions, Query, ReadOptions, SkipReason, Stage,
    SyncOptions, Target, quiet,
};

use crate::fixture::{World, by_keywords, paths, set_time};

fn three() -> World {
    World::new()
        .file("tea.md", "# Tea\n\nGreen tea.\n")
        .file("coffee.md", "# Coffee\n\nBlack coffee.\n")
        .file("deep/er/milk.md", "# Milk\n\nFresh milk.\n")
}

#[test]
fn the_first_sync_indexes_everything() {
    let world = three();
    let report = world.sync();
    assert_eq!((report.added, report.read, report.complete), (3, 3, true));
    let status = world.open().status().unwrap();
    assert_eq!((status.documents, status.sources.len()), (3, 1));
    assert!(status.chunks >= 3 && status.text_bytes > 0 && status.disk_bytes > status.text_bytes);
    assert!(status.sources[0].last_sync.unwrap().finished.is_some());
    world.assert_like_fresh();
}

#[test]
fn the_second_sync_reads_nothing() {
    let world = three().file("broken.txt", b"caf\x81");
    world.sync();
    let report = world.sync();
    assert_eq!(
        (report.unchanged, report.read, report.bytes_read),
        (3, 0, 0)
    );
    assert_eq!(report.skipped[&SkipReason::NotUtf8], 1);
}

#[test]
fn only_an_edited_file_is_split_again() {
    let world = three();
    world.sync();
    world.write("tea.md", "# Tea\n\nOolong tea, dark.\n");
    let report = world.sync();
    assert_eq!((report.changed, report.unchanged, report.read), (1, 2, 1));
    assert_eq!(paths(&world.search("oolong")), ["tea.md"]);
    assert!(world.search("green").documents.is_empty());
    world.assert_like_fresh();
}

#[test]
fn an_edit_that_looks_the_same_right_after_a_sync_is_noticed() {
    let world = World::new();
    let now = SystemTime::now();
    world.touched("tea.md", "green tea");
    set_time(&world.root().join("tea.md"), now);
    world.sync();
    world.touched("tea.md", "black tea");
    set_time(&world.root().join("tea.md"), now);
    assert_eq!(world.sync().changed, 1);
    assert_eq!(paths(&world.search("black")), ["tea.md"]);
}

#[test]
fn a_file_from_the_future_is_read_by_each_sync() {
    let world = World::new();
    let later = SystemTime::now() + Duration::from_secs(3600);
    world.touched("tea.md", "green tea");
    set_time(&world.root().join("tea.md"), later);
    world.sync();
    world.touched("tea.md", "black tea");
    set_time(&world.root().join("tea.md"), later);
    assert_eq!(world.sync().changed, 1);
    assert_eq!(world.sync().read, 1);
}

#[test]
fn a_restored_file_is_noticed_by_its_older_time() {
    let world = three();
    world.sync();
    world.write("tea.md", "# Tea\n\nBlack tea.\n");
    crate::fixture::age(&world.root().join("tea.md"), Duration::from_secs(86_400));
    assert_eq!(world.sync().changed, 1);
    world.assert_like_fresh();
}

#[test]
fn a_file_with_only_another_time_is_not_split_again() {
    let world = three();
    world.sync();
    crate::fixture::age(&world.root().join("tea.md"), Duration::from_secs(60));
    let report = world.sync();
    assert_eq!((report.read, report.changed, report.unchanged), (1, 0, 3));
    assert_eq!(world.sync().read, 0);
}

#[test]
fn deleted_files_are_removed() {
    let world = three();
    world.sync();
    world.remove("tea.md");
    let report = world.sync();
    assert_eq!((report.removed, report.unchanged), (1, 2));
    assert!(world.search("green").documents.is_empty());
    world.assert_like_fresh();
}

#[test]
fn a_renamed_file_keeps_its_text_once() {
    let world = three();
    world.sync();
    let before = world.open().status().unwrap().text_bytes;
    fs::rename(world.root().join("tea.md"), world.root().join("chai.md")).unwrap();
    let report = world.sync();
    assert_eq!((report.added, report.removed), (1, 1));
    assert_eq!(world.open().status().unwrap().text_bytes, before);
    world.assert_like_fresh();
}

#[test]
fn another_configuration_splits_again_without_reading() {
    let mut world = three();
    world.sync();
    world.options = SyncOptions::default().chunking(Config {
        target: 100,
        max: 200,
        ..Config::default()
    });
    let report = world.sync();
    assert_eq!((report.recut, report.read), (3, 0));
    world.assert_like_fresh();
}

#[test]
fn an_invalid_configuration_is_an_error() {
    let world = three();
    let options = SyncOptions::default().chunking(Config {
        max: 0,
        ..Config::default()
    });
    let error = world
        .open()
        .sync(&world.root(), &options, quiet)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "`max` is `0`, expected a size of at least 1"
    );
}

#[test]
fn a_vanished_root_deletes_nothing() {
    let world = three();
    world.sync();
    fs::remove_dir_all(world.root()).unwrap();
    let error = world
        .open()
        .sync(&world.root(), &world.options, quiet)
        .unwrap_err();
    assert!(matches!(error, Error::Source { .. }), "{error}");
    assert_eq!(world.open().status().unwrap().documents, 3);
}

#[test]
fn every_skip_is_counted_and_listed() {
    let utf16: Vec<u8> = [0xFF, 0xFE]
        .into_iter()
        .chain("grüner Tee".encode_utf16().flat_map(u16::to_le_bytes))
        .collect();
    let mut world = three()
        .file("wide.txt", utf16)
        .file("data.txt", b"\0\x01")
        .file("broken.txt", b"caf\x81")
        .file("large.txt", "x".repeat(2000))
        .file(".env", "PASSWORD=x")
        .file("server.pem", "x")
        .file(".gitignore", "*.log\n")
        .file("a.log", "x")
        .file("node_modules/x/index.js", "x");
    world.options = SyncOptions::default().max_file_size(1000);
    let report = world.sync();
    assert_eq!(report.added, 4);
    assert_eq!(paths(&world.search("grüner")), ["wide.txt"]);
    let expected = [
        (".env", SkipReason::Secret),
        (".gitignore", SkipReason::Hidden),
        ("a.log", SkipReason::Ignored),
        ("broken.txt", SkipReason::NotUtf8),
        ("data.txt", SkipReason::Binary),
        ("large.txt", SkipReason::TooLarge),
        ("node_modules", SkipReason::Vendored),
        ("server.pem", SkipReason::Secret),
    ];
    let skips = world.open().skips(&world.root()).unwrap();
    let found: Vec<_> = skips
        .iter()
        .map(|skip| (&*skip.path, skip.reason))
        .collect();
    assert_eq!(found, expected);
    assert_eq!(report.skipped.values().sum::<usize>(), expected.len());
    assert_eq!(
        world.open().status().unwrap().sources[0].skipped,
        report.skipped
    );
}

#[test]
fn the_encoding_of_a_file_is_stored_and_reported() {
    let text = "# Tee\n\nGrüner Tee.\n";
    let wide = |mark: [u8; 2], unit: fn(u16) -> [u8; 2]| -> Vec<u8> {
        mark.into_iter()
            .chain(text.encode_utf16().flat_map(unit))
            .collect()
    };
    let little = wide([0xFF, 0xFE], u16::to_le_bytes);
    let big = wide([0xFE, 0xFF], u16::to_be_bytes);
    let mut world = World::new()
        .file("a.md", text)
        .file("b.md", little)
        .file("c.md", &big);
    world.sync();
    let encodings = |world: &World| {
        let index = world.open();
        ["a.md", "b.md", "c.md"].map(|path| {
            let read = index.get(&Target::document(path), &ReadOptions::default());
            let read = read.unwrap();
            // Spans refer to the text in UTF-8, whatever the encoding of the file.
            assert_eq!((&*read.text, read.span.bytes), (text, 0..text.len()));
            read.encoding
        })
    };
    let expected = [Encoding::Utf8, Encoding::Utf16Le, Encoding::Utf16Be];
    assert_eq!(encodings(&world), expected);
    for document in &world.search("grüner").documents {
        let at = ["a.md", "b.md", "c.md"]
            .iter()
            .position(|path| *path == document.path);
        assert_eq!(document.encoding, expected[at.unwrap()]);
    }
    // Splitting it again keeps the encoding; the same text in another encoding changes it.
    world.options.chunking.target = 100;
    assert_eq!(world.sync().recut, 3);
    assert_eq!(encodings(&world), expected);
    world.write("a.md", big);
    assert_eq!(world.sync().unchanged, 3);
    assert_eq!(encodings(&world)[0], Encoding::Utf16Be);
    world.assert_like_fresh();
}

#[test]
fn a_document_that_becomes_binary_is_removed() {
    let world = three();
    world.sync();
    world.write("tea.md", b"\0\0\0");
    let report = world.sync();
    assert_eq!(
        (report.removed, report.skipped[&SkipReason::Binary]),
        (1, 1)
    );
    world.assert_like_fresh();
}

#[test]
fn a_skip_that_no_longer_applies_is_removed() {
    let world = three().file("data.txt", b"\0");
    world.sync();
    world.remove("data.txt");
    assert!(world.sync().skipped.is_empty());
    assert!(world.open().skips(&world.root()).unwrap().is_empty());
}

#[test]
fn two_sources_share_an_index_and_their_texts() {
    let world = three();
    world.sync();
    let texts = world.open().status().unwrap().text_bytes;
    let other = three();
    world
        .open()
        .sync(&other.root(), &world.options, quiet)
        .unwrap();
    let status = world.open().status().unwrap();
    assert_eq!(
        (status.sources.len(), status.documents, status.text_bytes),
        (2, 6, texts)
    );
    other.remove("tea.md");
    world
        .open()
        .sync(&other.root(), &world.options, quiet)
        .unwrap();
    assert_eq!(world.open().status().unwrap().text_bytes, texts);
    assert_eq!(paths(&world.search("green")), ["tea.md"]);
}

/// Stops a sync as soon as it has written a batch.
fn stop_early(progress: excerpt_index::Progress) -> ControlFlow<()> {
    match (progress.stage, progress.done) {
        (Stage::Cut, 1..) | (Stage::Vectors, _) => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    }
}

#[test]
fn a_sync_can_be_interrupted_and_continued() {
    let mut world = World::new();
    for number in 0..600 {
        world = world.file(
            &format!("{number}.md"),
            format!("# Note {number}\n\nText of note {number}.\n"),
        );
    }
    let report = world
        .open()
        .sync(&world.root(), &world.options, stop_early)
        .unwrap();
    assert!(!report.complete && report.added > 0 && report.added < 600);
    let status = world.open().status().unwrap();
    assert_eq!(status.sources[0].last_sync.unwrap().finished, None);
    let rest = world.sync();
    assert_eq!((rest.complete, rest.added + report.added), (true, 600));
    world.assert_like_fresh();
}

#[test]
fn documents_split_before_an_interruption_are_found_by_keywords() {
    let mut world = World::new().file("README.md", "# Read me\n\nThe kettle.\n");
    for number in 0..600 {
        world = world.file(&format!("a/{number}.md"), format!("# Note {number}\n"));
    }
    let mut index = world.open();
    let report = index
        .sync(&world.root(), &world.options, stop_early)
        .unwrap();
    assert_eq!((report.listed, report.complete), (601, false));
    assert!((1..601).contains(&report.added), "{report:?}");
    assert_eq!(report.remaining, 601 - report.added);
    // Files at the top are indexed first.
    assert_eq!(
        paths(&index.search(&by_keywords("kettle")).unwrap()),
        ["README.md"]
    );
    let status = index.status().unwrap();
    assert_eq!(
        (status.documents, status.keywords),
        (report.added, Keywords::InStep)
    );
    assert_eq!(
        index.search(&Query::new("kettle")).unwrap().notes,
        [Note::NoVectors]
    );
    let rest = index.sync(&world.root(), &world.options, quiet).unwrap();
    assert_eq!((rest.listed, rest.remaining, rest.complete), (601, 0, true));
    world.assert_like_fresh();
}

#[test]
fn progress_reaches_its_total() {
    let world = three();
    let mut seen = Vec::new();
    let watch = |progress| {
        seen.push(progress);
        ControlFlow::Continue(())
    };
    world
        .open()
        .sync(&world.root(), &world.options, watch)
        .unwrap();
    for stage in [Stage::Cut, Stage::Keywords] {
        let last = seen
            .iter()
            .rfind(|progress| progress.stage == stage)
            .unwrap();
        assert_eq!((last.done, last.total), (3, 3));
    }
}

#[test]
fn a_single_file_can_be_a_source() {
    let world = three();
    let mut index = Index::open(&world.index_dir(), OpenOptions::create()).unwrap();
    index
        .sync(&world.root().join("tea.md"), &world.options, quiet)
        .unwrap();
    assert_eq!(index.status().unwrap().documents, 1);
    let tea = Target::document("tea.md");
    let document = index.get(&tea, &ReadOptions::default()).unwrap();
    assert_eq!(document.text, "# Tea\n\nGreen tea.\n");
}

#[test]
fn a_higher_limit_indexes_a_file_that_was_too_large() {
    let mut world = World::new().file("large.md", "tea ".repeat(500));
    world.options = SyncOptions::default().max_file_size(1000);
    assert_eq!(world.sync().skipped[&SkipReason::TooLarge], 1);
    world.options = SyncOptions::default();
    let report = world.sync();
    assert_eq!((report.added, report.skipped.len()), (1, 0));
}

#[test]
fn an_index_inside_its_source_is_not_indexed() {
    let world = three();
    let dir = world.root().join("index");
    let mut index = Index::open(&dir, OpenOptions::create()).unwrap();
    for _ in 0..2 {
        index.sync(&world.root(), &world.options, quiet).unwrap();
        assert_eq!(index.status().unwrap().documents, 3);
    }
    assert_eq!(index.skips(&world.root()).unwrap()[0].path, "index");
}

#[test]
fn a_sync_writes_nothing_into_its_source() {
    let world = three();
    let list = || {
        let mut names: Vec<_> = fs::read_dir(world.root())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        names.sort();
        names
    };
    let before = list();
    world.sync();
    assert_eq!(list(), before);
}

#[cfg(unix)]
#[test]
fn a_change_that_keeps_size_and_time_is_noticed() {
    let world = World::new().file("a.md", "green").file("b.md", "water");
    let time = fs::metadata(world.root().join("a.md")).unwrap();
    let time = time.modified().unwrap();
    world.sync();
    assert_eq!(world.sync().read, 0);
    world.touched("a.md", "black");
    set_time(&world.root().join("a.md"), time);
    let report = world.sync();
    assert_eq!((report.changed, report.read), (1, 1));
    assert_eq!(paths(&world.search("black")), ["a.md"]);
    assert_eq!(world.sync().read, 0);
}

#[cfg(unix)]
#[test]
fn a_file_that_replaces_another_of_the_same_size_and_time_is_noticed() {
    let world = World::new()
        .file("a.md", "green")
        .file("other.txt", "black");
    let time = fs::metadata(world.root().join("a.md")).unwrap();
    let time = time.modified().unwrap();
    set_time(&world.root().join("other.txt"), time);
    world.sync();
    fs::rename(world.root().join("other.txt"), world.root().join("a.md")).unwrap();
    let report = world.sync();
    assert_eq!((report.changed, report.removed), (1, 1));
    assert_eq!(paths(&world.search("black")), ["a.md"]);
}

#[cfg(unix)]
#[test]
fn a_skipped_file_that_becomes_text_of_the_same_size_and_time_is_noticed() {
    let world = World::new().file("a.md", b"te\x81");
    let time = fs::metadata(world.root().join("a.md")).unwrap();
    let time = time.modified().unwrap();
    world.sync();
    assert_eq!(world.sync().read, 0);
    world.touched("a.md", "tea");
    set_time(&world.root().join("a.md"), time);
    assert_eq!(world.sync().added, 1);
}

#[cfg(unix)]
#[test]
fn changed_permissions_cause_a_read_but_no_split() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::new().file("a.md", "green");
    world.sync();
    let path = world.root().join("a.md");
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
    let report = world.sync();
    assert_eq!((report.read, report.unchanged, report.changed), (1, 1, 0));
    assert_eq!(world.sync().read, 0);
}
