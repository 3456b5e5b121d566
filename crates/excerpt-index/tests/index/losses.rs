//! The index of a source that has lost many documents at once is not emptied silently.

use std::fs;
use std::sync::mpsc::channel;

use excerpt_index::{Error, Stop, SyncOptions, Watching};

use crate::fixture::{World, paths};

fn notes(count: usize) -> World {
    let mut world = World::new();
    for number in 0..count {
        world = world.file(
            &format!("a/{number}.md"),
            format!("# Kettle {number}\n\n{}\n", "tea ".repeat(number + 1)),
        );
    }
    world
}

fn accepted() -> SyncOptions {
    SyncOptions::default().accept_removals(true)
}

#[track_caller]
fn is_stopped(world: &World, counts: (usize, usize)) {
    match world.try_sync() {
        Err(Error::Vanished {
            path,
            vanished,
            documents,
        }) => {
            assert_eq!((vanished, documents), counts);
            assert_eq!(path, world.root());
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_source_that_is_suddenly_empty_keeps_its_documents_until_that_is_accepted() {
    let mut world = notes(3);
    world.sync();
    fs::remove_dir_all(world.root().join("a")).unwrap();
    is_stopped(&world, (3, 3));
    is_stopped(&world, (3, 3));
    assert_eq!(world.search("kettle").documents.len(), 3);
    world.options = accepted();
    assert_eq!(world.sync().removed, 3);
    world.options = SyncOptions::default();
    assert_eq!(world.sync().removed, 0);
    world.assert_like_fresh();
}

#[test]
fn more_than_half_of_many_documents_are_not_removed_at_once() {
    let mut world = notes(50);
    world.sync();
    for number in 0..25 {
        world.remove(&format!("a/{number}.md"));
    }
    assert_eq!(world.sync().removed, 25, "half is not more than half");
    let world_of_49 = notes(49);
    world_of_49.sync();
    for number in 0..48 {
        world_of_49.remove(&format!("a/{number}.md"));
    }
    assert_eq!(world_of_49.sync().removed, 48, "49 are not many");
    world = notes(50);
    world.sync();
    for number in 0..26 {
        world.remove(&format!("a/{number}.md"));
    }
    is_stopped(&world, (26, 50));
    world.options = accepted();
    assert_eq!(world.sync().removed, 26);
    world.assert_like_fresh();
}

#[test]
fn a_sync_that_stops_applies_nothing() {
    let world = notes(60);
    world.sync();
    fs::rename(world.root().join("a"), world.root().join("../elsewhere")).unwrap();
    world.write("new.md", "# Samovar\n");
    is_stopped(&world, (60, 60));
    assert!(world.search("samovar").documents.is_empty());
    // As if a disk were mounted again.
    fs::rename(world.root().join("../elsewhere"), world.root().join("a")).unwrap();
    let report = world.sync();
    assert_eq!((report.added, report.removed, report.unchanged), (1, 0, 60));
    assert_eq!(paths(&world.search("samovar")), ["new.md"]);
    world.assert_like_fresh();
}

#[test]
fn excluded_documents_do_not_count_as_lost() {
    let mut world = notes(60);
    world.sync();
    world.options.selection.ignore = vec!["a/".to_string()];
    assert_eq!(world.sync().removed, 60);
    world.options.selection.ignore.clear();
    assert_eq!(world.sync().added, 60);
    world.options.selection.include = vec!["*.txt".to_string()];
    assert_eq!(world.sync().removed, 60);
    world.options.selection.include.clear();
    world.sync();
    world.write(".gitignore", "*.md\n");
    assert_eq!(world.sync().removed, 60);
}

#[test]
fn a_folder_that_is_renamed_is_not_lost() {
    let world = notes(60);
    world.sync();
    fs::rename(world.root().join("a"), world.root().join("b")).unwrap();
    let report = world.sync();
    assert_eq!((report.added, report.removed), (60, 60));
    world.assert_like_fresh();
}

#[test]
fn new_documents_do_not_make_up_for_a_loss() {
    let world = notes(60);
    world.sync();
    fs::remove_dir_all(world.root().join("a")).unwrap();
    for number in 0..60 {
        world.write(&format!("b/{number}.md"), "# Another branch\n");
    }
    is_stopped(&world, (60, 60));
}

#[test]
fn changed_settings_do_not_remove_lost_documents() {
    let mut world = notes(60);
    world.sync();
    fs::remove_dir_all(world.root().join("a")).unwrap();
    world.options.chunking.target = 100;
    is_stopped(&world, (60, 60));
    assert_eq!(world.open().status().unwrap().documents, 60);
}

#[test]
fn a_watch_waits_until_the_documents_are_back() {
    let world = notes(60);
    world.sync();
    let aside = world.root().join("../elsewhere");
    fs::rename(world.root().join("a"), &aside).unwrap();
    let stop = Stop::new();
    let stopper = stop.clone();
    let (send, told) = channel();
    let mut index = world.open();
    let (root, options) = (world.root(), world.options.clone());
    let watch = std::thread::spawn(move || {
        index.watch(&root, &options, &stop, |watching| {
            let ended = match watching {
                Watching::Waiting(error) => send.send(Err(error.to_string())),
                Watching::Synced(report) => send.send(Ok(report)),
                _ => Ok(()),
            };
            match ended {
                Ok(()) => std::ops::ControlFlow::Continue(()),
                Err(_) => std::ops::ControlFlow::Break(()),
            }
        })
    });
    let waiting = told.recv().unwrap().unwrap_err();
    assert!(waiting.starts_with("all 60 documents of "), "{waiting}");
    assert_eq!(world.open().status().unwrap().documents, 60);
    fs::rename(&aside, world.root().join("a")).unwrap();
    let report = told.recv().unwrap().unwrap();
    assert_eq!((report.removed, report.unchanged), (0, 60));
    stopper.stop();
    watch.join().unwrap().unwrap();
}
