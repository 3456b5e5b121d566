//! A watch on real files, with real system events. The tests wait for reports of the watch, never
//! for a time.

use std::fs::{self, File};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use excerpt_index::{Error, Index, OpenOptions, Result, Stop, SyncOptions, SyncReport, Watching};

use crate::fixture::{World, paths};

/// Longer than a slow machine needs.
const DEADLINE: Duration = Duration::from_secs(120);

/// A watch on a separate thread.
struct Watch {
    stop: Stop,
    told: Receiver<Watching>,
    thread: Option<JoinHandle<Result<()>>>,
}

impl Watch {
    /// Starts a watch, and waits until its first sync has ended.
    fn over(world: &World, root: &Path) -> Watch {
        let (stop, (teller, told)) = (Stop::new(), channel());
        let (ending, root, dir): (_, PathBuf, _) = (stop.clone(), root.into(), world.index_dir());
        let thread = std::thread::spawn(move || {
            let mut index = Index::open(&dir, OpenOptions::create())?.with_embedder(None);
            let tell = |watching| match watching {
                Watching::Progress(_) => ControlFlow::Continue(()),
                watching => match teller.send(watching) {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(_) => ControlFlow::Break(()),
                },
            };
            index.watch(&root, &SyncOptions::default(), &ending, tell)
        });
        let watch = Watch {
            stop,
            told,
            thread: Some(thread),
        };
        watch.synced();
        watch
    }

    fn next(&self) -> Watching {
        self.told.recv_timeout(DEADLINE).unwrap()
    }

    /// The report of the next sync.
    fn synced(&self) -> SyncReport {
        match self.next() {
            Watching::Synced(report) => report,
            other => panic!("{other:?}"),
        }
    }

    /// The error for which it waits.
    fn waiting(&self) -> Error {
        loop {
            match self.next() {
                Watching::Waiting(error) => return error,
                Watching::Synced(_) => {}
                other => panic!("{other:?}"),
            }
        }
    }

    /// Waits for syncs until they have reported this many added, changed and removed documents in
    /// total.
    fn until(&self, added: usize, changed: usize, removed: usize) {
        let (mut found, started) = ((0, 0, 0), Instant::now());
        while found != (added, changed, removed) {
            assert!(started.elapsed() < DEADLINE, "{found:?}");
            let report = self.synced();
            found.0 += report.added;
            found.1 += report.changed;
            found.2 += report.removed;
        }
    }

    fn end(mut self) -> Result<()> {
        self.stop.stop();
        self.thread.take().unwrap().join().unwrap()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.stop.stop();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn world() -> World {
    World::new()
        .file("tea.md", "# Tea\n\nGreen tea.\n")
        .file("a/b/cups.md", "# Cups\n\nTwo cups.\n")
}

/// Writes a file atomically.
fn put(world: &World, path: &str, content: impl AsRef<[u8]>) {
    let aside = world.root().with_file_name("aside.md");
    let path = world.root().join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&aside, content).unwrap();
    fs::rename(aside, path).unwrap();
}

#[test]
fn added_changed_and_deleted_files_are_indexed() {
    let world = world();
    let watch = Watch::over(&world, &world.root());
    put(&world, "kettle.md", "# Kettle\n\nThe kettle.\n");
    watch.until(1, 0, 0);
    put(&world, "a/b/cups.md", "# Cups\n\nThree cups.\n");
    watch.until(0, 1, 0);
    world.remove("tea.md");
    watch.until(0, 0, 1);
    assert_eq!(paths(&world.search("three")), ["a/b/cups.md"]);
    watch.end().unwrap();
    world.assert_like_fresh();
}

#[test]
fn a_file_that_an_editor_replaces_is_followed() {
    let world = world();
    let watch = Watch::over(&world, &world.root());
    for round in 0..3 {
        let path = world.root().join("a/b/cups.md");
        let aside = world.root().join("a/b/.cups.md.swp");
        fs::write(&aside, format!("# Cups\n\n{round} more cups.\n")).unwrap();
        fs::rename(&aside, &path).unwrap();
        watch.until(0, 1, 0);
    }
    watch.end().unwrap();
    world.assert_like_fresh();
}

#[test]
fn a_single_file_that_an_editor_replaces_is_followed() {
    let world = world();
    let watch = Watch::over(&world, &world.root().join("tea.md"));
    for round in 0..3 {
        let aside = world.root().join("tea.md~");
        fs::write(&aside, format!("# Tea\n\n{round} more cups.\n")).unwrap();
        fs::rename(&aside, world.root().join("tea.md")).unwrap();
        watch.until(0, 1, 0);
    }
}

#[test]
fn thousands_of_files_at_once_are_indexed() {
    let world = world();
    let watch = Watch::over(&world, &world.root());
    for file in 0..3_000 {
        put(
            &world,
            &format!("many/{}/{file}.md", file % 50),
            format!("# {file}\n"),
        );
    }
    watch.until(3_000, 0, 0);
    for folder in 0..25 {
        fs::remove_dir_all(world.root().join(format!("many/{folder}"))).unwrap();
    }
    watch.until(0, 0, 1_500);
    watch.end().unwrap();
    world.assert_like_fresh();
}

#[test]
fn a_recreated_folder_is_followed() {
    let world = world();
    let watch = Watch::over(&world, &world.root());
    for round in 0..2 {
        fs::remove_dir_all(world.root().join("a")).unwrap();
        watch.until(0, 0, 1);
        put(&world, "a/b/cups.md", format!("# Cups\n\n{round} cups.\n"));
        watch.until(1, 0, 0);
        put(
            &world,
            "a/b/cups.md",
            format!("# Cups\n\n{round} other cups.\n"),
        );
        watch.until(0, 1, 0);
    }
}

#[test]
fn a_renamed_folder_is_followed() {
    let world = world();
    let watch = Watch::over(&world, &world.root());
    fs::rename(world.root().join("a"), world.root().join("c")).unwrap();
    watch.until(1, 0, 1);
    put(&world, "c/b/cups.md", "# Cups\n\nThree cups.\n");
    watch.until(0, 1, 0);
    // Another folder with the previous name of the first one.
    put(&world, "a/b/cups.md", "# Cups\n\nFour cups.\n");
    watch.until(1, 0, 0);
    put(&world, "a/b/cups.md", "# Cups\n\nFive cups.\n");
    watch.until(0, 1, 0);
    put(&world, "c/b/cups.md", "# Cups\n\nSix cups.\n");
    watch.until(0, 1, 0);
}

#[test]
fn a_changed_ignore_file_is_applied() {
    let world = world();
    let watch = Watch::over(&world, &world.root());
    put(&world, ".gitignore", "b/\n");
    watch.until(0, 0, 1);
    world.remove(".gitignore");
    watch.until(1, 0, 0);
    put(&world, "a/CACHEDIR.TAG", "");
    watch.until(0, 0, 1);
    world.remove("a/CACHEDIR.TAG");
    watch.until(1, 0, 0);
}

#[test]
fn a_stream_of_changes_starves_nothing() {
    let world = world();
    let watch = Watch::over(&world, &world.root());
    std::thread::scope(|scope| {
        let (done, finished) = channel::<()>();
        let world = &world;
        scope.spawn(move || {
            for round in 0_u64.. {
                world.touched("log.txt", format!("line {round}\n"));
                if finished.try_recv().is_ok() {
                    break;
                }
            }
        });
        for _ in 0..3 {
            let report = watch.synced();
            assert!(report.complete);
        }
        done.send(()).unwrap();
    });
    watch.end().unwrap();
}

#[test]
fn an_unavailable_source_is_waited_for_and_nothing_is_deleted() {
    let world = world();
    let watch = Watch::over(&world, &world.root());
    let aside = world.root().with_file_name("aside");
    fs::rename(world.root(), &aside).unwrap();
    let error = watch.waiting();
    assert!(matches!(error, Error::Source { .. }), "{error}");
    assert_eq!(world.open().status().unwrap().documents, 2);
    fs::rename(&aside, world.root()).unwrap();
    let report = watch.synced();
    assert_eq!((report.unchanged, report.removed), (2, 0));
    put(&world, "a/b/cups.md", "# Cups\n\nThree cups.\n");
    watch.until(0, 1, 0);
}

#[test]
fn an_index_that_another_process_writes_is_waited_for() {
    let world = world();
    let watch = Watch::over(&world, &world.root());
    let lock = File::options()
        .read(true)
        .write(true)
        .open(world.index_dir().join("lock"))
        .unwrap();
    lock.lock().unwrap();
    put(&world, "kettle.md", "# Kettle\n");
    let error = watch.waiting();
    assert!(matches!(error, Error::Locked { .. }), "{error}");
    drop(lock);
    // It is reported once; the next report is the sync.
    assert_eq!(watch.synced().added, 1);
}

#[test]
fn a_root_that_never_existed_is_an_error() {
    let world = world();
    let error = world
        .open()
        .watch(
            &world.root().join("nowhere"),
            &world.options,
            &Stop::new(),
            |_| ControlFlow::Continue(()),
        )
        .unwrap_err();
    assert!(matches!(error, Error::Source { .. }), "{error}");
}

#[test]
fn the_caller_can_end_it() {
    let world = world();
    let end = |watching| match watching {
        Watching::Synced(_) => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    };
    let mut index = world.open();
    index
        .watch(&world.root(), &world.options, &Stop::new(), end)
        .unwrap();
    assert_eq!(index.status().unwrap().documents, 2);
}
