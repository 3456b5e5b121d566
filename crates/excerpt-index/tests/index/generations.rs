//! Changed settings: the old state is served until everything has been split again, and then the
//! new state at once.

use std::fs;
use std::ops::ControlFlow;

use excerpt_index::{Config, Index, Progress, Stage, SyncOptions, quiet};

use crate::fixture::{World, by_keywords};

fn world(documents: usize) -> World {
    let mut world = World::new();
    for number in 0..documents {
        let text = format!("# Tea {number}\n\n{}", "Tea grows on hills. ".repeat(100));
        world = world.file(&format!("{number:03}.md"), text);
    }
    world
}

fn smaller() -> SyncOptions {
    SyncOptions::default().chunking(Config {
        target: 100,
        max: 100,
        ..Config::default()
    })
}

/// Interrupts a sync after some batches.
fn after(batches: usize) -> impl FnMut(Progress) -> ControlFlow<()> {
    let mut seen = 0;
    move |progress| {
        let is_cut = progress.stage == Stage::Cut;
        seen += usize::from(is_cut);
        match is_cut && seen > batches {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

fn chunks(index: &Index) -> usize {
    index.status().unwrap().chunks
}

#[test]
fn the_old_state_serves_until_the_new_one_is_complete() {
    let mut world = world(600);
    world.sync();
    let (reader, mut index) = (world.open(), world.open());
    let before = (chunks(&index), index.fingerprint().unwrap());
    world.options = smaller();
    assert_eq!(index.stale(&world.root(), &world.options).unwrap(), 600);

    let report = index.sync(&world.root(), &world.options, after(0)).unwrap();
    assert!(
        report.aside && !report.complete && report.remaining > 0,
        "{report:?}"
    );
    for index in [&index, &reader, &world.open()] {
        assert_eq!((chunks(index), index.fingerprint().unwrap()), before);
    }
    let building = index.status().unwrap().building.unwrap();
    assert_eq!(building.documents, 600);
    assert_eq!(building.remaining, report.remaining);
    let answer = reader.search(&by_keywords("tea").limit(1000)).unwrap();
    assert_eq!(answer.documents.len(), 600);

    // It continues where it stopped, and no file is read again.
    let report = index.sync(&world.root(), &world.options, quiet).unwrap();
    assert!(report.aside && report.complete, "{report:?}");
    assert_eq!(report.recut, building.remaining);
    assert_eq!(report.read, 0);
    assert!(chunks(&index) > 2 * before.0);
    assert_eq!(index.status().unwrap().building, None);
    world.assert_like_fresh();

    // An index that was already open sees the new state.
    let answer = reader.search(&by_keywords("tea").limit(1000)).unwrap();
    assert_eq!(answer.documents.len(), 600);
    assert_eq!(reader.fingerprint().unwrap(), index.fingerprint().unwrap());
    assert_eq!(chunks(&reader), chunks(&index));
}

#[test]
fn only_what_is_served_is_left_on_disk() {
    let mut world = world(3);
    world.sync();
    for _ in 0..3 {
        world.options = smaller();
        world.sync();
        world.options = SyncOptions::default();
        world.sync();
    }
    world.assert_like_fresh();
    let names = fs::read_dir(world.index_dir()).unwrap();
    let mut names: Vec<String> = names
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(
        names,
        [
            "cutting",
            "excerpt.generation",
            "generation-7",
            "lock",
            "sources.json"
        ]
    );
}

#[test]
fn an_incomplete_generation_is_discarded_when_the_settings_change_back() {
    let mut world = world(300);
    world.sync();
    let before = world.open().fingerprint().unwrap();
    world.options = smaller();
    let mut index = world.open();
    let report = index.sync(&world.root(), &world.options, after(0)).unwrap();
    assert!(!report.complete);
    world.options = SyncOptions::default();
    let report = index.sync(&world.root(), &world.options, quiet).unwrap();
    assert!(
        !report.aside && report.complete && report.unchanged == 300,
        "{report:?}"
    );
    assert_eq!(index.status().unwrap().building, None);
    assert_eq!(index.fingerprint().unwrap(), before);
    assert!(!world.index_dir().join("aside").exists());
}

#[test]
fn changes_made_meanwhile_are_not_lost() {
    let mut world = world(300);
    world.sync();
    world.options = smaller();
    let mut index = world.open();
    index.sync(&world.root(), &world.options, after(0)).unwrap();
    world.write("000.md", "# Coffee\n\nCoffee.\n");
    world.write("new.md", "# New\n\nNew.\n");
    world.remove("001.md");
    let report = index.sync(&world.root(), &world.options, quiet).unwrap();
    assert!(report.complete, "{report:?}");
    world.assert_like_fresh();
}

#[test]
fn an_incomplete_copy_is_rebuilt() {
    let mut world = world(3);
    world.sync();
    let aside = world.index_dir().join("aside");
    fs::create_dir(&aside).unwrap();
    fs::write(aside.join("excerpt.db"), "half").unwrap();
    world.options = smaller();
    assert!(world.sync().complete);
    world.assert_like_fresh();
}

#[test]
fn another_source_is_still_synced_meanwhile() {
    let mut world = world(300).file("../beside/a.md", "Coffee.\n");
    world.sync();
    let beside = world.root().parent().unwrap().join("beside");
    let mut index = world.open();
    index.sync(&beside, &SyncOptions::default(), quiet).unwrap();
    world.options = smaller();
    index.sync(&world.root(), &world.options, after(0)).unwrap();
    fs::write(beside.join("b.md"), "Cocoa.\n").unwrap();
    let report = index.sync(&beside, &SyncOptions::default(), quiet).unwrap();
    assert!(report.complete && report.added == 1, "{report:?}");
    let report = index.sync(&world.root(), &world.options, quiet).unwrap();
    assert!(report.complete && report.aside, "{report:?}");
    for word in ["coffee", "cocoa"] {
        assert_eq!(
            index.search(&by_keywords(word)).unwrap().documents.len(),
            1,
            "{word}"
        );
    }
    assert!(index.check().unwrap().is_sound());
}
