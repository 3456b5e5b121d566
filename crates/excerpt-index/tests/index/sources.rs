//! Sources that are not folders: a document has a tag in place of the metadata of a file.

use std::collections::BTreeMap;
use std::sync::Mutex;

use excerpt_index::{
    Encoding, Entries, Entry, Index, ListItem, OpenOptions, Query, Reading, Source, SourceId,
    SyncOptions, SyncReport, Version, quiet,
};

use crate::fixture::{by_keywords, paths};

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
        Ok(Box::new(documents.filter_map(|path| {
            let (path, version) = (path.clone(), self.version(path)?);
            Some(Ok(ListItem::Document(Entry { path, version })))
        })))
    }

    fn read(&self, entry: &Entry) -> Reading {
        self.read.lock().unwrap().push(entry.path.clone());
        match self.version(&entry.path) {
            None => Reading::Gone,
            Some(version) => Reading::Text {
                text: self.documents[&entry.path].1.clone(),
                encoding: Encoding::default(),
                bytes: version.size(),
                version,
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
