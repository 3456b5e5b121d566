//! Sources that are not folders: a document has a tag in place of the metadata of a file.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use excerpt_index::{
    Changes, Entries, Entry, Files, Index, ListItem, Listing, OpenOptions, Provenance, Query,
    Reading, Skip, SkipReason, Source, SourceId, SyncOptions, SyncReport, Version, quiet,
};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;

use crate::fixture::{World, by_keywords, paths};

/// Documents with tags, as a server lists them.
struct Shelf {
    id: SourceId,
    documents: BTreeMap<String, (String, String)>,
    /// The documents that were read.
    read: Mutex<Vec<String>>,
}

impl Shelf {
    fn new(documents: &[(&str, &str, &str)]) -> Self {
        let mut shelf = Shelf {
            id: "https://example.org/shelf".into(),
            documents: BTreeMap::new(),
            read: Mutex::default(),
        };
        for (path, tag, text) in documents {
            shelf.put(path, tag, text);
        }
        shelf
    }

    fn put(&mut self, path: &str, tag: &str, text: &str) {
        let document = (tag.to_string(), text.to_string());
        self.documents.insert(path.to_string(), document);
    }

    fn version(&self, path: &str) -> Option<Version> {
        let (tag, text) = self.documents.get(path)?;
        Some(Version::Tag {
            tag: tag.clone(),
            size: text.len() as u64,
            changed: None,
        })
    }

    /// What a sync did, and which documents it read.
    fn sync(&self, index: &mut Index) -> (SyncReport, Vec<String>) {
        let report = index.sync_source(self, &SyncOptions::default(), quiet);
        let mut read = std::mem::take(&mut *self.read.lock().unwrap());
        read.sort();
        (report.unwrap(), read)
    }
}

impl Source for Shelf {
    fn id(&self) -> &SourceId {
        &self.id
    }

    fn entries(&self) -> excerpt_index::Result<Entries<'_>> {
        let documents = self.documents.keys();
        Ok(Entries::new(documents.filter_map(|path| {
            let (path, version) = (path.clone(), self.version(path)?);
            Some(Ok(ListItem::Document(Entry { path, version })))
        })))
    }

    fn read(&self, entry: &Entry) -> Reading {
        self.read.lock().unwrap().push(entry.path.clone());
        match self.version(&entry.path) {
            None => Reading::Gone,
            Some(version) => Reading::Bytes {
                bytes: self.documents[&entry.path].1.clone().into_bytes(),
                version,
                provenance: Provenance::default(),
            },
        }
    }
}

#[test]
fn a_document_is_read_again_when_its_tag_changes_and_only_then() {
    let dir = tempfile::tempdir().unwrap();
    let mut index = Index::open(dir.path(), OpenOptions::create()).unwrap();
    let mut shelf = Shelf::new(&[
        ("a.md", "1", "# A\n\nGreen tea.\n"),
        ("b.md", "2", "# B\n\nBlack tea.\n"),
        ("c/d.md", "3", "# D\n\nRed tea.\n"),
    ]);
    let (report, read) = shelf.sync(&mut index);
    assert_eq!(
        (report.added, read),
        (3, ["a.md", "b.md", "c/d.md"].map(str::to_string).to_vec())
    );
    assert_eq!(shelf.sync(&mut index).1, [""; 0]);

    // The same size, and the same text under another tag.
    shelf.put("b.md", "4", "# B\n\nWhite tea.\n");
    shelf.put("a.md", "5", "# A\n\nGreen tea.\n");
    let (report, read) = shelf.sync(&mut index);
    assert_eq!((report.changed, report.unchanged), (1, 2));
    assert_eq!(read, ["a.md", "b.md"]);
    let answer = index.search(&by_keywords("white")).unwrap();
    assert_eq!(paths(&answer), ["b.md"]);

    shelf.documents.remove("c/d.md");
    let (report, read) = shelf.sync(&mut index);
    assert_eq!((report.removed, read), (1, Vec::new()));
    let answer = index.search(&Query::new("red tea")).unwrap();
    assert!(!paths(&answer).contains(&"c/d.md"));
}

/// A state of a [`History`]: what each path has.
type State = BTreeMap<String, Content>;

#[derive(Clone, Debug, PartialEq)]
enum Content {
    Text(u8),
    Ignored,
    Unreadable,
}

/// A source that knows its former states, in the last of them.
struct History {
    id: SourceId,
    states: Vec<State>,
    cursor: String,
    /// How often everything was listed.
    listed: AtomicUsize,
}

impl History {
    fn new(states: &[State]) -> Self {
        History {
            id: "https://example.org/history".into(),
            states: states.to_vec(),
            cursor: (states.len() - 1).to_string(),
            listed: AtomicUsize::new(0),
        }
    }

    fn now(&self) -> &State {
        self.states.last().unwrap()
    }

    fn text(&self, path: &str) -> Option<String> {
        match self.now().get(path)? {
            Content::Text(text) => Some(format!("# Text {text}\n\nA text.\n")),
            Content::Ignored | Content::Unreadable => None,
        }
    }

    /// What has changed since another state.
    fn changes(&self, since: &str) -> Option<Changes> {
        let former = since.parse::<usize>().ok();
        let former = former.and_then(|number| self.states.get(number))?;
        let all: BTreeSet<&String> = former.keys().chain(self.now().keys()).collect();
        let is_different = |path: &&String| former.get(*path) != self.now().get(*path);
        let paths: Vec<String> = all.into_iter().filter(is_different).cloned().collect();
        let mut listing = Listing::default();
        for path in paths.iter().filter(|path| self.now().contains_key(*path)) {
            match self.item(path) {
                ListItem::Document(entry) => listing.entries.push(entry),
                ListItem::Skip(skip) => listing.skips.push(skip),
            }
        }
        Some(Changes {
            paths,
            listing,
            ..Changes::default()
        })
    }

    fn item(&self, path: &str) -> ListItem {
        let reason = match &self.now()[path] {
            Content::Text(tag) => {
                return ListItem::Document(Entry {
                    path: path.to_string(),
                    version: Version::Tag {
                        tag: tag.to_string(),
                        size: self.text(path).unwrap().len() as u64,
                        changed: None,
                    },
                });
            }
            Content::Ignored => SkipReason::Ignored,
            Content::Unreadable => SkipReason::Unreadable,
        };
        ListItem::Skip(Skip::new(path, reason))
    }

    fn sync(&self, index: &mut Index, options: &SyncOptions) -> SyncReport {
        index.sync_source(self, options, quiet).unwrap()
    }
}

impl Source for History {
    fn id(&self) -> &SourceId {
        &self.id
    }

    fn entries(&self) -> excerpt_index::Result<Entries<'_>> {
        let mut is_first = true;
        let entries = self.now().keys().map(move |path| {
            if std::mem::take(&mut is_first) {
                self.listed.fetch_add(1, Ordering::Relaxed);
            }
            Ok(self.item(path))
        });
        let changes = |since: &str| Ok(self.changes(since));
        Ok(Entries::new(entries).with_cursor(self.cursor.clone(), changes))
    }

    fn read(&self, entry: &Entry) -> Reading {
        match self.text(&entry.path) {
            None => Reading::Gone,
            Some(text) => Reading::Bytes {
                bytes: text.into_bytes(),
                version: entry.version.clone(),
                provenance: Provenance::default(),
            },
        }
    }
}

fn index_in(dir: &tempfile::TempDir) -> Index {
    Index::open(dir.path(), OpenOptions::create()).unwrap()
}

/// What an index has of a source.
fn held(index: &Index, source: &History) -> (excerpt_chunk::Hash, Vec<Skip>) {
    let root = source.id.path();
    (index.fingerprint().unwrap(), index.skips(root).unwrap())
}

fn content() -> impl Strategy<Value = Content> {
    prop_oneof![
        6 => (0_u8..3).prop_map(Content::Text),
        1 => Just(Content::Ignored),
        1 => Just(Content::Unreadable),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn following_changes_leads_to_the_same_index_as_listing_everything(
        states in vec(btree_map("[ab]/[a-c]", content(), 1..6), 2..4),
    ) {
        let dirs = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let [mut followed, mut fresh] = dirs.each_ref().map(index_in);
        let options = SyncOptions::default().accept_removals(true);
        let mut states: Vec<State> = states;
        // What cannot be read is kept as it was, which a fresh index cannot do.
        states.last_mut().unwrap().retain(|_, content| *content != Content::Unreadable);
        for count in 1..=states.len() {
            History::new(&states[..count]).sync(&mut followed, &options);
        }
        let last = History::new(&states);
        last.sync(&mut fresh, &options);
        prop_assert_eq!(held(&followed, &last), held(&fresh, &last));
    }
}

fn state(texts: &[(&str, u8)]) -> State {
    let texts = texts.iter();
    texts
        .map(|(path, text)| (path.to_string(), Content::Text(*text)))
        .collect()
}

#[test]
fn what_has_changed_is_asked_for_in_place_of_everything() {
    let dir = tempfile::tempdir().unwrap();
    let mut index = index_in(&dir);
    let options = SyncOptions::default();
    let states = [
        state(&[("a.md", 0), ("b.md", 1), ("c/d.md", 2), ("c/e.md", 2)]),
        state(&[("a.md", 0), ("b.md", 2), ("c/d.md", 2), ("f.md", 1)]),
    ];
    let first = History::new(&states[..1]);
    first.sync(&mut index, &options);
    assert_eq!(first.listed.into_inner(), 1);

    let second = History::new(&states);
    let report = second.sync(&mut index, &options);
    let counts = (report.added, report.changed, report.removed);
    assert_eq!((counts, report.unchanged), ((1, 1, 1), 2));
    assert_eq!((report.listed, report.read), (4, 2));
    assert_eq!(second.sync(&mut index, &options).unchanged, 4);
    assert_eq!(second.listed.into_inner(), 0);

    // Other settings, a request to try everything again, and an unknown state.
    let mut tagged = SyncOptions::default();
    tagged.attributes.tags.push("tea".to_string());
    for (options, cursor) in [
        (&tagged, "1"),
        (&tagged.clone().retry(true), "1"),
        (&tagged, "forgotten"),
        // The same state, whatever the source knows of it.
        (&tagged, "forgotten"),
        (&tagged, "1"),
    ] {
        let mut again = History::new(&states);
        again.cursor = cursor.to_string();
        assert_eq!(again.sync(&mut index, options).listed, 4);
        assert_eq!(again.listed.into_inner(), usize::from(cursor == "1"));
    }
}

/// Files that look as they did when they were first listed, and may be away when they are read.
struct Coarse {
    files: Files,
    listing: Listing,
    away: Option<&'static str>,
}

impl Source for Coarse {
    fn id(&self) -> &SourceId {
        self.files.id()
    }

    fn entries(&self) -> excerpt_index::Result<Entries<'_>> {
        let entries = self.listing.clone().into_entries();
        Ok(entries.with_cursor("as before".to_string(), |_| Ok(None)))
    }

    fn read(&self, entry: &Entry) -> Reading {
        match self.away {
            Some(path) if path == entry.path => Reading::Gone,
            _ => self.files.read(entry),
        }
    }
}

#[test]
fn what_is_away_while_it_is_read_is_found_again() {
    let world = World::new()
        .file("a.md", "# Tea\n\nGreen tea.\n")
        .file("b.md", "# Milk\n\nCold milk.\n");
    let files = Files::new(&world.root(), 1 << 20).unwrap();
    let mut source = Coarse {
        listing: files.list().unwrap(),
        files,
        away: Some("b.md"),
    };
    let mut index = world.open();
    for (away, added, read) in [(Some("b.md"), 1, 1), (None, 1, 1), (None, 0, 0)] {
        source.away = away;
        let synced = index.sync_source(&source, &world.options, quiet);
        let report = synced.unwrap();
        assert_eq!((report.added, report.read), (added, read));
    }
}
