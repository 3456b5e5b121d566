//! Errors on a disk: nothing is lost, everything that can be repaired is, and the rest is reported.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use excerpt_index::{
    Entries, Entry, Error, Files, Index, Keywords, Note, OpenOptions, Reading, Skip, SkipReason,
    Source, SourceId, quiet,
};

use crate::fixture::{World, by_keywords, paths};

fn two() -> World {
    World::new()
        .file("docs/tea.md", "# Tea\n\nGreen tea.\n")
        .file("docs/private/milk.md", "# Milk\n\nFresh milk.\n")
}

/// A source in which some files and folders cannot be read.
struct Broken {
    files: Files,
    folder: Option<&'static str>,
    file: Option<&'static str>,
    /// The files that were read.
    read: Mutex<Vec<String>>,
}

impl Broken {
    fn new(world: &World) -> Self {
        Broken {
            files: Files::new(&world.root(), 1 << 20).unwrap(),
            folder: None,
            file: None,
            read: Mutex::default(),
        }
    }
}

impl Source for Broken {
    fn id(&self) -> &SourceId {
        self.files.id()
    }

    fn entries(&self) -> excerpt_index::Result<Entries<'_>> {
        let mut listing = self.files.list()?;
        if let Some(folder) = self.folder {
            listing
                .entries
                .retain(|entry| !entry.path.starts_with(folder));
            listing
                .skips
                .push(Skip::new(folder, SkipReason::Unreadable).with_detail("permission denied"));
        }
        Ok(listing.into_entries())
    }

    fn read(&self, entry: &Entry) -> Reading {
        self.read.lock().unwrap().push(entry.path.clone());
        match self.file == Some(&*entry.path) {
            true => Reading::Skip {
                skip: Skip::new(&*entry.path, SkipReason::Unreadable)
                    .with_detail("permission denied"),
                version: None,
                bytes: 0,
            },
            false => self.files.read(entry),
        }
    }
}

#[test]
fn an_unreadable_folder_deletes_nothing() {
    let world = two();
    world.sync();
    world.remove("docs/tea.md");
    let source = Broken {
        folder: Some("docs/private"),
        ..Broken::new(&world)
    };
    let mut index = world.open();
    let report = index.sync_source(&source, &world.options, quiet).unwrap();
    assert_eq!(
        (report.removed, report.skipped[&SkipReason::Unreadable]),
        (1, 1)
    );
    assert_eq!(
        paths(&index.search(&by_keywords("milk")).unwrap()),
        ["docs/private/milk.md"]
    );
    let skips = index.skips(&world.root()).unwrap();
    assert_eq!(skips[0].detail.as_deref(), Some("permission denied"));
}

#[test]
fn an_unreadable_file_keeps_its_indexed_state() {
    let world = two();
    world.sync();
    world.write("docs/tea.md", "# Tea\n\nBlack tea, hot.\n");
    let source = Broken {
        file: Some("docs/tea.md"),
        ..Broken::new(&world)
    };
    let mut index = world.open();
    let report = index.sync_source(&source, &world.options, quiet).unwrap();
    assert_eq!(
        (report.removed, report.skipped[&SkipReason::Unreadable]),
        (0, 1)
    );
    assert_eq!(
        paths(&index.search(&by_keywords("green")).unwrap()),
        ["docs/tea.md"]
    );
    assert_eq!(*source.read.lock().unwrap(), ["docs/tea.md"]);
    // It is read once it is readable again.
    assert_eq!(
        index
            .sync(&world.root(), &world.options, quiet)
            .unwrap()
            .changed,
        1
    );
    world.assert_like_fresh();
}

#[cfg(unix)]
#[test]
fn a_folder_without_permission_is_a_skip() {
    use std::os::unix::fs::PermissionsExt;
    let world = two();
    world.sync();
    let folder = world.root().join("docs/private");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o000)).unwrap();
    let denied = fs::read_dir(&folder).is_err();
    let report = world.sync();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    if !denied {
        println!("not tested: this user may read everything");
        return;
    }
    assert_eq!(
        (report.removed, report.skipped[&SkipReason::Unreadable]),
        (0, 1)
    );
}

fn keyword_files(world: &World) -> Vec<PathBuf> {
    let files = fs::read_dir(world.index_dir().join("lexical")).unwrap();
    files
        .map(|file| file.unwrap().path())
        .filter(|path| path.is_file())
        .collect()
}

/// Damages each file of the keyword index in turn, and asserts that a search repairs it.
fn is_repaired_after(damage: impl Fn(&Path)) {
    let world = two();
    world.sync();
    let names: Vec<PathBuf> = keyword_files(&world);
    assert!(names.len() > 4);
    let count = names.len();
    for number in 0..count {
        // A rebuilt keyword index has other files.
        let mut files = keyword_files(&world);
        files.sort();
        let Some(file) = files
            .get(number)
            .filter(|file| fs::metadata(file).unwrap().len() > 0)
        else {
            continue;
        };
        damage(file);
        let index = world.open();
        let answer = index.search(&by_keywords("green tea")).unwrap();
        assert_eq!(paths(&answer), ["docs/tea.md"], "{}", file.display());
        assert!(index.check().unwrap().is_sound());
        assert_eq!(index.status().unwrap().keywords, Keywords::InStep);
    }
}

#[test]
fn a_truncated_keyword_index_is_rebuilt() {
    is_repaired_after(|file| {
        let bytes = fs::read(file).unwrap();
        fs::write(file, &bytes[..bytes.len() / 2]).unwrap();
    });
}

#[test]
fn a_keyword_index_with_a_flipped_bit_is_rebuilt() {
    is_repaired_after(|file| {
        let mut bytes = fs::read(file).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x10;
        fs::write(file, bytes).unwrap();
        // File systems store times with a limited resolution: a write too soon after the last one
        // would not be noticed.
        let later = std::time::SystemTime::now() + std::time::Duration::from_secs(10);
        let file = fs::File::options().write(true).open(file).unwrap();
        file.set_modified(later).unwrap();
    });
}

#[test]
fn a_keyword_index_without_one_of_its_files_is_rebuilt() {
    is_repaired_after(|file| fs::remove_file(file).unwrap());
}

#[test]
fn a_missing_keyword_index_is_rebuilt_and_reported() {
    let world = two();
    world.sync();
    fs::remove_dir_all(world.index_dir().join("lexical")).unwrap();
    let index = world.open();
    let answer = index.search(&by_keywords("tea")).unwrap();
    assert_eq!(paths(&answer), ["docs/tea.md"]);
    assert_eq!(answer.notes, [Note::Rebuilt]);
    assert!(index.search(&by_keywords("tea")).unwrap().notes.is_empty());
}

#[test]
fn a_keyword_index_of_another_store_is_not_used() {
    let (world, other) = (two(), World::new().file("a.md", "green elephants"));
    world.sync();
    other.sync();
    copy(
        &other.index_dir().join("lexical"),
        &world.index_dir().join("lexical"),
    );
    assert_eq!(paths(&world.search("green")), ["docs/tea.md"]);
    assert!(world.open().check().unwrap().is_sound());
}

/// The state after a process that ended between the commit to the database and the one to the
/// keyword index.
#[test]
fn an_outdated_keyword_index_is_updated() {
    let world = two();
    world.sync();
    let lexical = world.index_dir().join("lexical");
    copy(&lexical, &world.other_dir());
    world.write("docs/tea.md", "# Tea\n\nOolong, dark.\n");
    world.write("docs/new.md", "# New\n\nJasmine.\n");
    world.remove("docs/private/milk.md");
    world.sync();
    copy(&world.other_dir(), &lexical);
    let index = world.open();
    assert_eq!(
        paths(&index.search(&by_keywords("oolong jasmine")).unwrap()),
        ["docs/new.md", "docs/tea.md"]
    );
    assert!(
        index
            .search(&by_keywords("milk green"))
            .unwrap()
            .documents
            .is_empty()
    );
    assert!(
        index
            .search(&by_keywords("oolong"))
            .unwrap()
            .notes
            .is_empty()
    );
    world.assert_like_fresh();
}

#[test]
fn while_another_process_writes_the_answer_reports_what_is_missing() {
    let world = two();
    world.sync();
    let lexical = world.index_dir().join("lexical");
    copy(&lexical, &world.other_dir());
    world.write("docs/tea.md", "# Tea\n\nGreen oolong, dark.\n");
    world.sync();
    copy(&world.other_dir(), &lexical);
    let lock = fs::File::options()
        .write(true)
        .open(world.index_dir().join("lock"))
        .unwrap();
    lock.lock().unwrap();
    let mut index = Index::open(&world.index_dir(), OpenOptions::default()).unwrap();
    let answer = index.search(&by_keywords("green milk")).unwrap();
    // Documents that have changed since are shown in their current state.
    assert_eq!(paths(&answer), ["docs/private/milk.md", "docs/tea.md"]);
    let tea = &answer.documents[1].chunks[0];
    assert_eq!(tea.text, "# Tea\n\nGreen oolong, dark.");
    assert_eq!(
        answer.notes,
        [Note::Behind {
            holder: Some(std::process::id())
        }]
    );
    assert_eq!(index.status().unwrap().keywords, Keywords::Behind);
    let error = index
        .sync(&world.root(), &world.options, quiet)
        .unwrap_err();
    assert!(matches!(error, Error::Locked { .. }));
    lock.unlock().unwrap();
    assert_eq!(index.search(&by_keywords("oolong")).unwrap().notes, []);
}

#[test]
fn an_open_index_sees_what_another_one_writes() {
    let world = two();
    world.sync();
    let reader = Index::open(&world.index_dir(), OpenOptions::default()).unwrap();
    world.write("docs/tea.md", "# Tea\n\nOolong, dark.\n");
    world.sync();
    assert_eq!(
        paths(&reader.search(&by_keywords("oolong")).unwrap()),
        ["docs/tea.md"]
    );
}

#[test]
fn what_is_not_an_index_is_left_alone_and_reported() {
    let dir = tempfile::tempdir().unwrap();
    let open = |name: &str, options| {
        Index::open(&dir.path().join(name), options)
            .err()
            .unwrap()
            .to_string()
    };
    let shown = |name: &str| format!("`{}`", dir.path().join(name).display());
    assert_eq!(
        open("none", OpenOptions::default()),
        format!("no index in {}", shown("none"))
    );
    fs::create_dir(dir.path().join("photos")).unwrap();
    fs::write(dir.path().join("photos/a.txt"), "x").unwrap();
    assert_eq!(
        open("photos", OpenOptions::create()),
        format!(
            "{} is not empty and contains no index: choose an empty folder or an existing index",
            shown("photos")
        )
    );
    fs::create_dir(dir.path().join("foreign")).unwrap();
    fs::write(dir.path().join("foreign/excerpt.db"), "x".repeat(5000)).unwrap();
    for options in [OpenOptions::default(), OpenOptions::create()] {
        assert_eq!(
            open("foreign", options),
            format!(
                "{} was not created by excerpt: choose another folder",
                shown("foreign/excerpt.db")
            )
        );
    }
}

#[test]
fn a_damaged_database_is_reported() {
    let world = two();
    world.sync();
    let path = world.index_dir().join("excerpt.db");
    let mut bytes = fs::read(&path).unwrap();
    // The first page is kept, so that the file is still recognised as ours.
    bytes[4096..].fill(0xAA);
    fs::write(&path, bytes).unwrap();
    let opened = Index::open(&world.index_dir(), OpenOptions::default());
    let error = opened.and_then(|index| index.status()).err().unwrap();
    assert_eq!(
        error.to_string(),
        format!("`{}` is damaged", path.display())
    );
}

fn copy(from: &Path, to: &Path) {
    if to.exists() {
        fs::remove_dir_all(to).unwrap();
    }
    fs::create_dir(to).unwrap();
    for file in fs::read_dir(from).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), to.join(file.file_name())).unwrap();
    }
}

/// A text that was read during a change, possibly half of one state and half of another, is
/// replaced by the final one.
#[test]
fn a_file_that_changes_while_it_is_read_is_correct_in_the_end() {
    let text = |word: &str| format!("# State\n\n{}", format!("{word} tea.\n\n").repeat(20_000));
    let (green, black) = (text("green"), text("black"));
    assert_eq!(green.len(), black.len());
    let world = two().file("docs/state.md", &green);
    let path = world.root().join("docs/state.md");
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            // In place, as by an editor that does not replace the file.
            while !is_over.load(Ordering::Relaxed) {
                for state in [&black, &green] {
                    let mut file = fs::OpenOptions::new().write(true).open(&path).unwrap();
                    std::io::Write::write_all(&mut file, state.as_bytes()).unwrap();
                }
            }
        });
        for _ in 0..8 {
            assert!(world.try_sync().unwrap().complete);
        }
        is_over.store(true, Ordering::Relaxed);
    });
    world.sync();
    world.assert_like_fresh();
    assert!(world.ask(&by_keywords("black")).documents.is_empty());
}
