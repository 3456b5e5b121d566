//! Every previous format of the index: the current code opens it and reads from it, and after a
//! sync it equals a new index.

use excerpt_index::{Error, Index, OpenOptions, ReadOptions, Target};
use rusqlite::Connection;
use rusqlite::types::ValueRef;

use crate::fixture::{World, by_keywords, paths};

/// The files that the indexes were built from, and the statements that create the indexes, oldest
/// first.
const FILES: [(&str, &str); 3] = [
    (
        "guide/tea.md",
        include_str!("../formats/notes/guide/tea.md"),
    ),
    ("kettle.rs", include_str!("../formats/notes/kettle.rs")),
    ("milk.txt", include_str!("../formats/notes/milk.txt")),
];
pub(crate) const FORMATS: [&str; 11] = [
    include_str!("../formats/v1.sql"),
    include_str!("../formats/v2.sql"),
    include_str!("../formats/v3.sql"),
    include_str!("../formats/v4.sql"),
    include_str!("../formats/v5.sql"),
    include_str!("../formats/v6.sql"),
    include_str!("../formats/v7.sql"),
    include_str!("../formats/v8.sql"),
    include_str!("../formats/v9.sql"),
    include_str!("../formats/v10.sql"),
    include_str!("../formats/v11.sql"),
];

/// A world with the files, and an index of an old format.
pub(crate) fn old(statements: &str) -> World {
    let world = World::new();
    for (path, text) in FILES {
        world.write(path, text);
    }
    std::fs::create_dir(world.index_dir()).unwrap();
    let database = Connection::open(world.index_dir().join("excerpt.db")).unwrap();
    database.execute_batch(statements).unwrap();
    let root = world.root();
    let moved = database.execute("UPDATE source SET root = ?1", [root.to_str().unwrap()]);
    assert_eq!(moved.unwrap(), 1);
    seal(&database);
    world
}

/// Recomputes the checksum of the source, if the format has checksums: over the type, the length
/// and the bytes of each value.
fn seal(database: &Connection) {
    const COLUMNS: &str = "id, root, name, started, finished, summary, skips_sum";
    let Ok(mut select) = database.prepare(&format!("SELECT {COLUMNS}, sum FROM source")) else {
        return;
    };
    let mut rows = select.query([]).unwrap();
    let row = rows.next().unwrap().unwrap();
    let mut bytes = Vec::new();
    for column in 0..COLUMNS.split(", ").count() {
        let (kind, value) = match row.get_ref(column).unwrap() {
            ValueRef::Null => (0, Vec::new()),
            ValueRef::Integer(number) => (1, number.to_le_bytes().to_vec()),
            ValueRef::Text(text) => (3, text.to_vec()),
            value => panic!("{value:?}"),
        };
        bytes.push(kind);
        bytes.extend((value.len() as u64).to_le_bytes());
        bytes.extend(value);
    }
    let sum = twox_hash::XxHash3_64::oneshot(&bytes).cast_signed();
    drop(rows);
    database
        .execute("UPDATE source SET sum = ?1", [sum])
        .unwrap();
}

#[test]
fn an_index_of_any_format_opens_and_answers_and_a_sync_completes_it() {
    for (number, statements) in (1..).zip(FORMATS) {
        let world = old(statements);
        let index = Index::open(&world.index_dir(), OpenOptions::default()).unwrap();
        for (path, text) in FILES {
            assert_eq!(
                index
                    .get(&Target::document(path), &ReadOptions::default())
                    .unwrap()
                    .text,
                text,
                "format {number}"
            );
        }
        let answer = index.search(&by_keywords("degrees")).unwrap();
        assert_eq!(paths(&answer).len(), 2, "format {number}");
        assert!(index.check().unwrap().is_sound());
        drop(index);
        let report = world.sync();
        assert_eq!(
            (report.added, report.removed, report.complete),
            (0, 0, true)
        );
        world.assert_like_fresh();
    }
}

#[test]
fn what_is_damaged_in_an_old_format_is_damaged_in_the_newest() {
    // Formats 5 and 6 have checksums, and a row for each chunk.
    for statements in &FORMATS[4..6] {
        let world = old(statements);
        let database = Connection::open(world.index_dir().join("excerpt.db")).unwrap();
        let damaged = database.execute(
            "UPDATE chunk SET header = 'forged' WHERE document = (SELECT id FROM document WHERE path = ?1)",
            ["guide/tea.md"],
        );
        assert!(damaged.unwrap() > 0);
        drop(database);
        let opened = Index::open(&world.index_dir(), OpenOptions::default());
        assert!(
            matches!(opened, Err(Error::Damaged { .. })),
            "{:?}",
            opened.err()
        );
    }
}

#[test]
fn there_is_a_fixture_of_every_format() {
    let world = World::new().file("a.md", "tea");
    world.sync();
    let database = Connection::open(world.index_dir().join("excerpt.db")).unwrap();
    let newest: i64 = database
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .unwrap();
    assert_eq!(newest, FORMATS.len() as i64);
}
