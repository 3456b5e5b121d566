//! How often a search asks its store.

use std::cell::Cell;
use std::fs;
use std::ops::ControlFlow;

use super::ParsedQuery;
use crate::analysis::days;
use crate::embed::StaticTable;
use crate::model::{Answer, Query};
use crate::store::snapshot::{
    PassageRequest, Passages, Shortlist, ShortlistRequest, Snapshot, Survey, SurveyRequest,
};
use crate::store::{Store, StoreError};
use crate::{Index, OpenOptions, SyncOptions};

/// Counts the calls of a snapshot.
struct Counted<'a> {
    snapshot: &'a dyn Snapshot,
    calls: Cell<[usize; 3]>,
}

impl Counted<'_> {
    fn count(&self, call: usize) {
        let mut calls = self.calls.get();
        calls[call] += 1;
        self.calls.set(calls);
    }
}

impl Snapshot for Counted<'_> {
    fn survey(&self, request: &SurveyRequest<'_>) -> Result<Survey, StoreError> {
        self.count(0);
        self.snapshot.survey(request)
    }

    fn shortlist(&self, request: &ShortlistRequest<'_>) -> Result<Shortlist, StoreError> {
        self.count(1);
        self.snapshot.shortlist(request)
    }

    fn passages(&self, request: &PassageRequest<'_>) -> Result<Passages, StoreError> {
        self.count(2);
        self.snapshot.passages(request)
    }
}

/// The answer, and how often the store was asked for a survey, a shortlist and passages.
fn ask(store: &Store, query: &Query) -> (Answer, [usize; 3]) {
    let snapshot = store.snapshot(&query.filter).unwrap();
    let counted = Counted {
        snapshot: &snapshot,
        calls: Cell::default(),
    };
    let table = StaticTable::built_in().unwrap();
    let parsed = ParsedQuery::of(query).unwrap();
    let answer = parsed.answer(&counted, Some(&table), None, days::today());
    (answer.unwrap(), counted.calls.get())
}

/// 300 documents, of which every `nth` says the same.
fn store(nth: usize) -> (tempfile::TempDir, Store) {
    let dir = tempfile::tempdir().unwrap();
    let (texts, index) = (dir.path().join("texts"), dir.path().join("index"));
    fs::create_dir(&texts).unwrap();
    for number in 0..300 {
        let said = match number % nth {
            0 => "the same in all of them, word for word and without an end".to_string(),
            _ => (0..12)
                .map(|word| format!("{}{word} ", number * 7))
                .collect(),
        };
        let text = format!("# Tea\n\nGreen tea is {said}.\n");
        fs::write(texts.join(format!("{number}.md")), text).unwrap();
    }
    let mut index_of = Index::open(&index, OpenOptions::create()).unwrap();
    let go_on = |_| ControlFlow::Continue(());
    index_of
        .sync(&texts, &SyncOptions::default(), go_on)
        .unwrap();
    drop(index_of);
    let store = Store::open(&index).unwrap();
    (dir, store)
}

#[test]
fn a_question_takes_three_calls_however_many_hits_it_has() {
    let (_dir, store) = store(3);
    for limit in [1, 10, 50, 200] {
        let query = Query::new("green tea \"green tea\" -milk on 5 October 2026");
        let query = query.limit(limit).fold_copies(false);
        let (answer, calls) = ask(&store, &query);
        assert_eq!(answer.documents.len(), limit);
        assert_eq!(calls, [1, 1, 1], "{limit}");
    }
}

#[test]
fn folded_copies_take_one_more() {
    let (_dir, store) = store(10);
    for limit in [10, 50] {
        let (answer, calls) = ask(&store, &copied(limit));
        assert_eq!(answer.documents.len(), limit);
        assert_eq!(calls, [1, 1, 2], "{limit}");
    }
}

#[test]
fn more_candidates_are_asked_for_only_when_copies_fill_the_list() {
    let (_dir, store) = store(3);
    let (answer, calls) = ask(&store, &copied(10));
    assert_eq!(answer.documents.len(), 10);
    assert_eq!(calls, [1, 2, 6]);
}

/// A query whose words are those of the copies.
fn copied(limit: usize) -> Query {
    let query = Query::new("green tea the same word for word").limit(limit);
    query.fold_copies(true)
}
