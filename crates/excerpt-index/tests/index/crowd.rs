//! Many readers during writes: none gets an error, and none sees half a document.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use excerpt_index::{Answer, Index, OpenOptions, Query, quiet};

use crate::fixture::{World, by_keywords};

const READERS: usize = 8;
const VERSIONS: usize = 12;
const DOCUMENTS: usize = 6;

/// Writes all documents in a version that each of their chunks names.
fn write(world: &World, version: usize) {
    for document in 0..DOCUMENTS {
        let sections = (0..8 + version % 3).map(|section| {
            format!(
                "## Part {section}\n\nThe kettle of version{version} sings in part {section}.\n\n"
            )
        });
        let text = format!("# Kettle {document}\n\n{}", sections.collect::<String>());
        world.touched(&format!("{document}.md"), text);
    }
}

/// Asserts that all chunks of a document belong to one version of it.
fn assert_whole(answer: &Answer) {
    for document in &answer.documents {
        let versions: BTreeSet<&str> = document
            .chunks
            .iter()
            .flat_map(|hit| hit.text.split_whitespace())
            .filter(|word| word.starts_with("version"))
            .collect();
        assert!(versions.len() <= 1, "{}: {versions:?}", document.path);
    }
}

#[test]
fn readers_never_see_half_a_document_during_writes() {
    let mut world = World::new();
    world.options.chunking.target = 30;
    world.options.chunking.max = 60;
    world.options.chunking.min = 0;
    write(&world, 0);
    world.sync();
    let (world, is_over, answers) = (&world, AtomicBool::new(false), AtomicUsize::new(0));
    let shared = world.open();
    let read = &|reader: usize| {
        let queries = [
            by_keywords("kettle sings"),
            Query::new("which kettle sings"),
        ];
        let queries = queries.map(|query| query.limit(DOCUMENTS).per_document(20));
        // Half of them share an index, as the threads of a server do.
        let own = reader.is_multiple_of(2).then(|| world.open());
        let index = own.as_ref().unwrap_or(&shared);
        for query in queries.iter().cycle() {
            let answer = index.search(query).unwrap();
            assert_whole(&answer);
            answers.fetch_add(1, Ordering::Relaxed);
            if is_over.load(Ordering::Relaxed) {
                assert_eq!(answer.documents.len(), DOCUMENTS, "{:?}", answer.notes);
                break;
            }
        }
    };
    std::thread::scope(|scope| {
        let readers = (0..READERS).map(|reader| scope.spawn(move || read(reader)));
        let readers: Vec<_> = readers.collect();
        for version in 1..=VERSIONS {
            // Every reader has had an answer in between.
            let before = answers.load(Ordering::Relaxed);
            while answers.load(Ordering::Relaxed) < before + READERS
                && readers.iter().all(|reader| !reader.is_finished())
            {
                std::thread::yield_now();
            }
            write(world, version);
            // A reader that finds the keyword index out of date updates it, and holds the lock
            // meanwhile.
            while let Err(error) = world.try_sync() {
                assert!(
                    matches!(error, excerpt_index::Error::Locked { .. }),
                    "{error}"
                );
            }
        }
        is_over.store(true, Ordering::Relaxed);
    });
    world.assert_like_fresh();
}

#[test]
fn eight_processes_that_open_a_new_index_at_once_get_the_same_one() {
    let world = World::new().file("a.md", "# A\n\nGreen tea.\n");
    std::thread::scope(|scope| {
        for _ in 0..READERS {
            scope.spawn(|| {
                let mut index = Index::open(&world.index_dir(), OpenOptions::create()).unwrap();
                match index.sync(&world.root(), &world.options, quiet) {
                    Err(error) => {
                        assert!(
                            matches!(error, excerpt_index::Error::Locked { .. }),
                            "{error}"
                        );
                    }
                    Ok(report) => assert!(report.complete),
                }
                index.search(&by_keywords("tea")).unwrap();
            });
        }
    });
    world.assert_like_fresh();
}
