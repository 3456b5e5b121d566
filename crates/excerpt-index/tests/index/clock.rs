//! Unusual times: files from the future and from 1970, a clock that jumps, and files that change
//! while they are read.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use excerpt_index::{Entries, Entry, Files, Reading, Source, Version, quiet};

use crate::fixture::{World, by_keywords, paths, set_time};

/// Writes a file and gives it a time.
fn write_at(world: &World, path: &str, text: &str, time: SystemTime) {
    world.touched(path, text);
    set_time(&world.root().join(path), time);
}

#[test]
fn a_change_of_a_file_of_any_time_is_noticed() {
    let now = SystemTime::now();
    let year = Duration::from_secs(365 * 86_400);
    let times = [
        UNIX_EPOCH,
        UNIX_EPOCH + Duration::from_nanos(1),
        now - year,
        now,
        now + Duration::from_secs(60),
        now + 100 * year,
    ];
    let world = World::new();
    for (number, time) in times.iter().enumerate() {
        write_at(&world, &format!("{number}.md"), "green tea", *time);
    }
    world.sync();
    let all = by_keywords("green").limit(times.len());
    assert_eq!(paths(&world.ask(&all)).len(), times.len());
    // With the same length, and between every two times, forwards and backwards.
    for (round, words) in ["black tea", "white tea", "herb teas", "green tea"]
        .iter()
        .enumerate()
    {
        for number in 0..times.len() {
            let time = times[(number + round + 1) % times.len()];
            write_at(&world, &format!("{number}.md"), words, time);
        }
        assert_eq!(world.sync().changed, times.len(), "{words}");
        world.assert_like_fresh();
    }
    let report = world.sync();
    assert_eq!((report.changed, report.unchanged), (0, times.len()));
}

#[test]
fn a_file_from_the_future_is_read_by_every_sync() {
    let world = World::new();
    let later = SystemTime::now() + Duration::from_secs(3600);
    write_at(&world, "a.md", "green tea", later);
    world.sync();
    write_at(&world, "a.md", "black tea", later);
    assert_eq!(world.sync().changed, 1);
    assert_eq!(paths(&world.search("black")), ["a.md"]);
}

/// A source whose files are changed between the listing and the reading, or during the reading.
struct Busy<'a> {
    files: Files,
    world: &'a World,
    /// The text written to each file before it is read.
    before: &'a str,
    /// The text written after it is read, with the time that was listed.
    behind: &'a str,
}

impl Source for Busy<'_> {
    fn id(&self) -> &excerpt_index::SourceId {
        self.files.id()
    }

    fn entries(&self) -> excerpt_index::Result<Entries<'_>> {
        self.files.entries()
    }

    fn read(&self, entry: &Entry) -> Reading {
        self.world.touched(&entry.path, self.before);
        let read = self.files.read(entry);
        let Reading::Bytes {
            version: Version::Stat(stat),
            ..
        } = &read
        else {
            return read;
        };
        let seen = UNIX_EPOCH + Duration::from_nanos(stat.mtime_ns.unsigned_abs());
        write_at(self.world, &entry.path, self.behind, seen);
        read
    }
}

#[test]
fn a_file_that_changes_while_it_is_read_is_read_again() {
    let world = World::new().file("a.md", "green tea");
    let source = Busy {
        files: Files::new(&world.root(), 1 << 20).unwrap(),
        world: &world,
        before: "black tea",
        behind: "white tea",
    };
    let mut index = world.open();
    index.sync_source(&source, &world.options, quiet).unwrap();
    // The text that was read is one that the file had.
    let answer = index.search(&by_keywords("black")).unwrap();
    assert_eq!(paths(&answer), ["a.md"]);
    drop(index);
    // It has the size and time of the listing, which are not trusted.
    assert_eq!(world.sync().changed, 1);
    assert_eq!(paths(&world.search("white")), ["a.md"]);
    world.assert_like_fresh();
}
