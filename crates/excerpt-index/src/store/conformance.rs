//! The contract of the traits of a store, [`Ledger`], [`Catalog`] and [`Snapshot`], checked by the
//! tests of each implementation.

use std::ops::ControlFlow;

use excerpt_chunk::{Chunker, Document, Hash};

use super::catalog::Catalog;
use super::ledger::{Finished, Followed, Ledger};
use super::snapshot::{
    AskedWord, Enough, PassageRequest, QueryVector, Shortlist, ShortlistRequest, Snapshot, Survey,
    SurveyRequest, VectorSupply,
};
use super::{Change, Described, LexicalQuery, Record, SkipRow, StoredDocument};
use crate::embed::Embedder;
use crate::model::{
    Attributes, DocumentId, Encoding, FieldWeights, Filter, LastSync, PathRange, Provenance, Skip,
    SkipReason, SourceId, SourceSummary, Stat,
};

/// A store whose only writer is the test.
pub(crate) trait TestStore {
    fn ledger(&mut self) -> Box<dyn Ledger + '_>;

    fn catalog(&self) -> Box<dyn Catalog + '_>;

    fn snapshot<'a>(&'a self, filter: &'a Filter) -> Box<dyn Snapshot + 'a>;
}

/// Asserts the contract of the store that `open` opens, as another process would, and that is empty
/// at first.
pub(crate) fn conforms<S: TestStore>(open: &dyn Fn() -> S, embedder: &dyn Embedder) {
    let test = Conformance {
        open,
        embedder,
        source: "/notes".into(),
        other: "/other".into(),
    };
    test.begin_and_finish();
    test.put_and_read();
    test.follow();
    test.search();
    test.change();
    test.remove();
    test.follow();
    test.reopen();
}

struct Conformance<'a, S> {
    open: &'a dyn Fn() -> S,
    embedder: &'a dyn Embedder,
    source: SourceId,
    other: SourceId,
}

fn record(path: &str, text: &str) -> Box<Record> {
    let document = Document::new(text).with_path(path);
    let chunking = Chunker::default().chunk(&document);
    let (hash, identity) = (Hash::of(text.as_bytes()), Hash::of(b"settings"));
    let attributes = Attributes::default();
    let known = Described {
        extraction: None,
        attributes: &attributes,
        provenance: &Provenance::default(),
        language: None,
    };
    Box::new(Record::new(&document, &chunking, hash, identity, &known).unwrap())
}

/// The documents at a path, of every source.
fn all_at(catalog: &dyn Catalog, path: &str) -> Vec<StoredDocument> {
    catalog.documents_at(None, path).unwrap()
}

fn only(catalog: &dyn Catalog, path: &str) -> StoredDocument {
    let mut found = all_at(catalog, path);
    assert_eq!(found.len(), 1, "{path}");
    found.remove(0)
}

/// The paths of documents, in their order, without those that are no longer in the index.
fn paths(shortlist: &Shortlist, documents: impl Iterator<Item = DocumentId>) -> Vec<String> {
    let documents = documents.filter_map(|id| shortlist.documents.get(&id));
    documents.map(|document| document.path.clone()).collect()
}

impl<S: TestStore> Conformance<'_, S> {
    fn put(&self, store: &mut dyn TestStore, source: &SourceId, path: &str, text: &str) {
        let mut record = record(path, text);
        let before = all_at(&*store.catalog(), path);
        record.id = before.first().map(|document| document.id);
        let changes = [Change::Put(record)];
        store.ledger().apply(source, &changes).unwrap();
    }

    /// Sources are known by their ids. A sync counts as interrupted until it has finished, and
    /// leaves behind what the next one needs.
    fn begin_and_finish(&self) {
        let mut store = (self.open)();
        let mut ledger = store.ledger();
        assert_eq!(ledger.behind().unwrap(), 0, "nothing to lack");
        for (source, name) in [(&self.source, Some("notes")), (&self.other, None)] {
            let begun = ledger.register(source, name).unwrap();
            assert_eq!(begun.last_sync, None);
            assert!(begun.skips.is_empty());
            assert_eq!((begun.cursor, begun.has_summary), (None, false));
        }
        ledger.start_sync(&self.source, 5).unwrap();
        let begun = ledger.register(&self.source, Some("notes")).unwrap();
        let interrupted = LastSync {
            started: 5,
            finished: None,
        };
        assert_eq!(begun.last_sync, Some(interrupted));
        let sync = LastSync {
            finished: Some(8),
            ..interrupted
        };
        self.finish(&mut *ledger, sync);
        drop(ledger);

        let catalog = store.catalog();
        let sources = catalog.sources().unwrap();
        let known: Vec<_> = sources
            .iter()
            .map(|known| (&known.id, &known.name))
            .collect();
        let name = Some("notes".to_string());
        assert_eq!(known, [(&self.source, &name), (&self.other, &None)]);
        assert_eq!(sources[0].last_sync, Some(sync));
        assert_eq!(catalog.skips(&self.source).unwrap()[0].skip.path, "a.bin");
        assert!(catalog.skips(&self.other).unwrap().is_empty());
        let counts = catalog.skip_counts(&self.source).unwrap();
        assert_eq!(counts[&SkipReason::Binary], 1);
        let at = catalog.skip_at(None, "a.bin").unwrap();
        assert_eq!(at.unwrap().reason, SkipReason::Binary);
        let summary = catalog.summary(&self.source).unwrap();
        assert_eq!(summary.unwrap().documents, 7);
        let unknown = catalog.counts(Some(&"/unknown".into()), "");
        assert!(unknown.unwrap_err().to_string().contains("/unknown"));
    }

    /// Finishes a sync with a skip, a summary and a cursor, which hold until another sync starts.
    fn finish(&self, ledger: &mut dyn Ledger, sync: LastSync) {
        let skip = SkipRow {
            reader: None,
            skip: Skip {
                path: "a.bin".into(),
                reason: SkipReason::Binary,
                detail: None,
            },
            stat: None,
            settled: true,
        };
        let summary = SourceSummary {
            documents: 7,
            ..SourceSummary::default()
        };
        let finished = Finished {
            sync,
            skips: Some(&[skip]),
            summary: Some(&summary),
            cursor: Some("state 1"),
        };
        for _ in 0..2 {
            ledger.start_sync(&self.source, 5).unwrap();
            assert_eq!(
                ledger.register(&self.source, Some("notes")).unwrap().cursor,
                None
            );
            ledger.finish_sync(&self.source, &finished).unwrap();
            let begun = ledger.register(&self.source, Some("notes")).unwrap();
            assert_eq!(begun.last_sync, Some(sync));
            assert_eq!(begun.cursor.as_deref(), Some("state 1"));
            assert!(begun.has_summary);
            assert_eq!(begun.skips.len(), 1, "replaced, not added");
        }
        let unchanged = Finished {
            skips: None,
            summary: None,
            ..finished
        };
        ledger.finish_sync(&self.source, &unchanged).unwrap();
        let begun = ledger.register(&self.source, Some("notes")).unwrap();
        assert_eq!((begun.skips.len(), begun.has_summary), (1, true));
    }

    /// Records are read as written, and each change of a document has a higher revision.
    fn put_and_read(&self) {
        let mut store = (self.open)();
        let texts = [
            ("a.md", "# A\n\nGreen tea.\n"),
            ("folder/b.md", "# B\n\nBlack tea.\n"),
        ];
        let changes = texts.map(|(path, text)| Change::Put(record(path, text)));
        store.ledger().apply(&self.source, &changes).unwrap();
        self.put(&mut store, &self.other, "o.md", "# O\n\nWhite tea.\n");

        let catalog = store.catalog();
        let mut last = None;
        for (path, text) in texts {
            let document = only(&*catalog, path);
            assert!(last.replace(document.rev) < Some(document.rev));
            assert_eq!(catalog.text(document.text).unwrap(), text);
            let chunks = catalog.chunks(document.id).unwrap();
            let own: String = chunks.iter().map(|chunk| &text[chunk.bytes()]).collect();
            assert_eq!(own.trim(), text.trim());
            assert_eq!(catalog.chunk_count(document.id).unwrap(), chunks.len());
            let first = catalog.chunk_at(document.id, 0).unwrap();
            assert_eq!(first, Some(chunks[0].id));
            let id = chunks[0].id.0;
            let same = catalog.chunks_between(id, id).unwrap();
            assert_eq!(same[0].0.path, path);
        }
        let counts = catalog.counts(Some(&self.source), "").unwrap();
        assert_eq!(counts.documents, 2);
        let count = |source, path| catalog.document_count(source, path).unwrap();
        assert_eq!(
            [count(None, ""), count(Some(&self.source), "folder")],
            [3, 1]
        );
        let stale = |identity| catalog.stale_count(&self.source, identity, 9).unwrap();
        assert_eq!(
            [stale(Hash::of(b"settings")), stale(Hash::of(b"others"))],
            [0, 2]
        );
        drop(catalog);
        self.list_known(&mut store);
    }

    /// What is known is listed by path, of one source, in pages or at a path.
    fn list_known(&self, store: &mut dyn TestStore) {
        let ledger = store.ledger();
        let known = |range: &PathRange, limit| ledger.known(&self.source, range, limit).unwrap();
        let range = |after: Option<&str>, before: Option<&str>| PathRange {
            after: after.map(str::to_string),
            before: before.map(str::to_string),
        };
        let all = known(&range(None, None), 10);
        let paths: Vec<&str> = all.iter().map(|known| &*known.path).collect();
        assert_eq!(paths, ["a.md", "folder/b.md"]);
        assert_eq!(known(&range(None, None), 1)[0].path, "a.md");
        let found = [
            (None, Some("a.md")),
            (None, Some("b")),
            (Some("a.md"), None),
            (Some("a.md"), Some("folder/b.md")),
        ];
        let found = found.map(|(after, before)| {
            let found = known(&range(after, before), 10).into_iter();
            found.map(|known| known.path).collect::<Vec<_>>()
        });
        assert_eq!(found, [&[][..], &["a.md"], &["folder/b.md"], &[]]);
        let under = |path| ledger.known_at(&self.source, path).unwrap().len();
        assert_eq!(
            [under("a.md"), under("folder"), under("fold"), under("a")],
            [1, 1, 0, 0]
        );
        let hashes = [all[1].hash, all[0].hash, all[1].hash];
        let texts = ledger.texts(&hashes).unwrap();
        assert_eq!(texts.len(), 3);
        assert_eq!(texts[0], texts[2]);
        assert!(texts[1].contains("Green"));
    }

    /// Makes everything searchable, and asserts that nothing is left to do.
    fn follow(&self) {
        let mut store = (self.open)();
        let mut ledger = store.ledger();
        assert!(ledger.behind().unwrap() > 0);
        let mut go_on = |_, _| ControlFlow::Continue(());
        let mut untold = |_, _| panic!("there is nothing to do");
        assert!(ledger.index_words(&mut go_on).unwrap().is_continue());
        assert!(ledger.index_words(&mut untold).unwrap().is_continue());
        for on_progress in [&mut go_on as &mut dyn FnMut(_, _) -> _, &mut untold] {
            let followed = ledger.embed(self.embedder, on_progress).unwrap();
            assert_eq!(followed, Followed::Complete);
        }
        assert!(ledger.merge_words(&mut untold).unwrap().is_continue());
        assert_eq!(ledger.behind().unwrap(), 0);
        drop(ledger);
        let everything = Filter::default();
        let vectors = self.survey(&*store.snapshot(&everything)).vectors;
        assert!(matches!(vectors, Some(VectorSupply::Current { behind: 0 })));
    }

    fn survey(&self, snapshot: &dyn Snapshot) -> Survey {
        let words = [
            ("tea", None),
            ("coffee", Some(1)),
            ("blakc", Some(1)),
            ("blacktea", Some(0)),
        ];
        let words = words.map(|(term, edits)| AskedWord {
            term,
            written: term,
            edits,
        });
        let request = SurveyRequest {
            words: &words,
            is_word: |_| false,
            pieces: &[],
            phrases: &[],
            period: None,
            embedder: Some(self.embedder),
        };
        snapshot.survey(&request).unwrap()
    }

    /// The chunks with a word, and those nearest to it by vector.
    fn shortlist(&self, snapshot: &dyn Snapshot, word: &str) -> (QueryVector, Shortlist) {
        let vector = QueryVector {
            embedder: self.embedder.identity().to_string(),
            numbers: self.embedder.embed_query(&[(word, 1.0)]).unwrap(),
            floor: None,
        };
        let request = ShortlistRequest {
            words: LexicalQuery {
                required: &[word.to_string()],
                optional: &[],
                names: &[],
                phrases: &[],
                sequences: &[],
                excluded: &[],
                weights: &FieldWeights::default(),
                limit: 10,
            },
            by_words: true,
            vector: Some(&vector),
            nearest: 10,
            period: None,
            nearest_of_period: 0,
            enough: Enough::Documents(10),
        };
        let shortlist = snapshot.shortlist(&request).unwrap();
        (vector, shortlist)
    }

    /// The paths of the documents that contain a word, in the order of paths.
    fn found(&self, store: &dyn TestStore, word: &str, filter: &Filter) -> Vec<String> {
        let (_, shortlist) = self.shortlist(&*store.snapshot(filter), word);
        let chunks = shortlist.by_words.chunks.iter();
        let mut found = paths(&shortlist, chunks.map(|chunk| chunk.key.document));
        found.sort();
        found
    }

    /// The paths of the documents nearest to a word, nearest first.
    fn near(&self, store: &dyn TestStore, word: &str, filter: &Filter) -> Vec<String> {
        let (_, shortlist) = self.shortlist(&*store.snapshot(filter), word);
        let chunks = shortlist.nearest.iter();
        paths(&shortlist, chunks.map(|chunk| chunk.key.document))
    }

    /// Both channels find everything, and nothing outside of a filter.
    fn search(&self) {
        let store = (self.open)();
        let everything = Filter::default();
        let found = |word, filter| self.found(&store, word, filter);
        assert_eq!(found("tea", &everything), ["a.md", "folder/b.md", "o.md"]);
        assert_eq!(found("black", &everything), ["folder/b.md"]);
        assert_eq!(
            self.near(&store, "black tea", &everything)[0],
            "folder/b.md"
        );

        let folder = Filter::default().path("folder");
        assert_eq!(found("tea", &folder), ["folder/b.md"]);
        assert_eq!(self.near(&store, "green tea", &folder), ["folder/b.md"]);
        let other = Filter::default().source("/other");
        assert_eq!(found("tea", &other), ["o.md"]);
        let nowhere = Filter::default().path("nowhere");
        assert!(found("tea", &nowhere).is_empty());
        assert!(self.near(&store, "tea", &nowhere).is_empty());

        let survey = self.survey(&*store.snapshot(&everything));
        assert_eq!(
            (survey.documents, survey.chunks, survey.is_empty),
            (3, 3, false)
        );
        assert!(survey.weights[0].is_some(), "a word that occurs");
        assert_eq!(survey.weights[1], None, "one that does not");
        let [black, parted] = ["black", "black tea"].map(|meant| Some(meant.to_string()));
        assert_eq!(survey.meant, [None, None, black, parted], "misspelt ones");
        let survey = self.survey(&*store.snapshot(&other));
        assert_eq!(
            survey.meant[2..],
            [None, None],
            "what is not searched stays unknown"
        );
        let survey = self.survey(&*store.snapshot(&nowhere));
        assert_eq!(survey.documents, 0);
        assert!(survey.unmatched.is_some());
        self.read_passages(&store, &everything);
    }

    /// The passages of a shortlist are its chunks, with their texts and cosines.
    fn read_passages(&self, store: &dyn TestStore, filter: &Filter) {
        let snapshot = store.snapshot(filter);
        let (vector, shortlist) = self.shortlist(&*snapshot, "black");
        let first = shortlist.by_words.chunks[0];
        assert!(shortlist.features.contains_key(&first.key));
        let document = &shortlist.documents[&first.key.document];
        assert_eq!(document.rev, first.rev);
        let request = PassageRequest {
            chunks: &[(document, vec![first.key])],
            vector: Some(&vector),
            beginning: 3,
        };
        let passages = snapshot.passages(&request).unwrap();
        let passage = &passages.chunks[&first.key];
        assert_eq!(passage.text.trim(), "# B\n\nBlack tea.");
        assert!(passage.cosine.is_some_and(|cosine| cosine > 0.0));
        assert_eq!(passages.beginnings[&document.text], "# B");
    }

    /// A document keeps its id while its path stays; a touch does not change it; a reader sees the
    /// state of one moment.
    fn change(&self) {
        let mut store = (self.open)();
        let before = only(&*store.catalog(), "a.md");
        self.touch(&mut store, &before);

        let reader = (self.open)();
        let then = reader.catalog();
        assert_eq!(only(&*then, "a.md").text, before.text);
        self.put(&mut store, &self.source, "a.md", "# A\n\nOolong tea.\n");
        self.put(&mut store, &self.source, "c.md", "# C\n\nJasmine tea.\n");
        assert_eq!(only(&*then, "a.md").text, before.text, "as at the begin");
        assert_eq!(then.text(before.text).unwrap(), "# A\n\nGreen tea.\n");
        drop(then);
        let now = reader.catalog();
        let after = only(&*now, "a.md");
        assert_eq!(after.id, before.id);
        assert!(after.rev > before.rev);
        assert!(now.text(before.text).is_err(), "nobody has it any more");
        drop(now);

        assert_eq!(store.ledger().behind().unwrap(), 2);
        drop(store);
        self.follow();
        let (store, everything) = ((self.open)(), Filter::default());
        assert!(self.found(&store, "green", &everything).is_empty());
        assert_eq!(self.found(&store, "oolong", &everything), ["a.md"]);
        assert_eq!(self.near(&store, "jasmine", &everything)[0], "c.md");
    }

    fn touch(&self, store: &mut dyn TestStore, document: &StoredDocument) {
        let stat = Stat {
            size: 7,
            mtime_ns: 9,
            inode: Some(u64::MAX),
            ctime_ns: Some(11),
        };
        let touch = Change::Touch {
            id: document.id,
            stat,
            settled: true,
            encoding: Encoding::default(),
        };
        let mut ledger = store.ledger();
        ledger.apply(&self.source, &[touch]).unwrap();
        let known = ledger.known_at(&self.source, &document.path).unwrap();
        assert_eq!((known[0].stat, known[0].settled), (stat, true));
        assert_eq!(ledger.behind().unwrap(), 0);
        drop(ledger);
        let catalog = store.catalog();
        let touched = only(&*catalog, &document.path);
        assert_eq!((touched.stat, touched.rev), (Some(stat), document.rev));
    }

    /// Removed documents are no longer found, and a new one at their path is another.
    fn remove(&self) {
        let mut store = (self.open)();
        let id = only(&*store.catalog(), "folder/b.md").id;
        let remove = Change::Remove { id };
        store.ledger().apply(&self.source, &[remove]).unwrap();
        let catalog = store.catalog();
        assert!(catalog.document(id).unwrap().is_none());
        assert!(catalog.chunks(id).unwrap().is_empty());
        drop(catalog);
        let everything = Filter::default();
        assert!(self.found(&store, "black", &everything).is_empty());
        let near = self.near(&store, "black tea", &everything);
        assert!(!near.contains(&"folder/b.md".to_string()));
        self.put(
            &mut store,
            &self.source,
            "folder/b.md",
            "# B\n\nBlack tea.\n",
        );
        assert_ne!(only(&*store.catalog(), "folder/b.md").id, id);
    }

    /// Everything is there when the store is opened again.
    fn reopen(&self) {
        let (mut store, everything) = ((self.open)(), Filter::default());
        assert_eq!(store.ledger().behind().unwrap(), 0);
        assert_eq!(self.found(&store, "black", &everything), ["folder/b.md"]);
        assert_eq!(
            self.near(&store, "black tea", &everything)[0],
            "folder/b.md"
        );
        assert_eq!(store.catalog().sources().unwrap().len(), 2);
    }
}
