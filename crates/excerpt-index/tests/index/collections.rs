//! Collections: several named sources in one index, each with its own chunking, files and
//! attributes; and the filters on the properties of documents.

use std::fs;
use std::path::Path;

use excerpt_index::{
    Answer, Attributes, Collection, Error, Filter, Index, OpenOptions, Query, Selection, Settings,
    quiet,
};

use crate::fixture::{World, by_keywords, paths};

/// A world whose folders are collections.
struct Library {
    world: World,
    index: Index,
}

impl Library {
    fn new(world: World) -> Library {
        let index = Index::open(&world.index_dir(), OpenOptions::create()).unwrap();
        Library { world, index }
    }

    /// Adds the folder or file at `path` and syncs it.
    fn add(&mut self, path: &str, say: impl FnOnce(&mut Collection)) {
        let root = self.world.root().join(path);
        let mut collection = Collection::new(Collection::name_for(&root), &root);
        say(&mut collection);
        self.index.add(collection.clone()).unwrap();
        self.sync(&collection);
    }

    fn sync(&mut self, collection: &Collection) {
        let options = collection.options(Settings::default(), Selection::default());
        let report = self.index.sync(&collection.root, &options, quiet).unwrap();
        assert!(report.complete);
    }

    fn ask(&mut self, query: &str, filter: impl FnOnce(&mut Filter)) -> Answer {
        let mut all = Filter::default();
        filter(&mut all);
        let query = by_keywords(query).within(all).limit(50);
        self.index.search(&query).unwrap()
    }

    fn found(&mut self, filter: impl FnOnce(&mut Filter)) -> Vec<String> {
        let answer = self.ask("tea", filter);
        let mut found: Vec<String> = paths(&answer).iter().map(|path| path.to_string()).collect();
        found.sort();
        found
    }
}

fn strings(of: &[&str]) -> Vec<String> {
    of.iter().map(|text| text.to_string()).collect()
}

#[test]
fn collections_are_searched_together_or_by_name() {
    let world = World::new()
        .file("green/a.md", "# Green\n\nGreen tea.\n")
        .file("black/b.md", "# Black\n\nBlack tea.\n")
        .file("alone.md", "# Alone\n\nTea alone.\n");
    let mut library = Library::new(world);
    for path in ["green", "black", "alone.md"] {
        library.add(path, |_| {});
    }
    assert_eq!(library.found(|_| {}), ["a.md", "alone.md", "b.md"]);
    let answer = library.ask("tea", |filter| filter.collections = strings(&["black"]));
    assert_eq!(paths(&answer), ["b.md"]);
    assert_eq!(answer.documents[0].collection.as_deref(), Some("black"));
    let two = library.found(|filter| filter.collections = strings(&["black", "alone.md"]));
    assert_eq!(two, ["alone.md", "b.md"]);
    let mut filter = Filter::default();
    filter.collections = strings(&["blck"]);
    let query = by_keywords("tea").within(filter);
    let error = library.index.search(&query).unwrap_err().to_string();
    assert_eq!(
        error,
        "unknown collection `blck`, expected one of `alone.md`, `black`, `green`"
    );
}

#[test]
fn a_removed_collection_is_gone_and_its_files_stay() {
    let world = World::new()
        .file("green/a.md", "Green tea.\n")
        .file("black/b.md", "Black tea.\n");
    let mut library = Library::new(world);
    library.add("green", |_| {});
    library.add("black", |_| {});
    assert_eq!(library.index.remove("green").unwrap(), 1);
    assert_eq!(library.found(|_| {}), ["b.md"]);
    assert!(library.world.root().join("green/a.md").exists());
    assert!(library.index.check().unwrap().is_sound());
    let names: Vec<String> = Collection::all_in(&library.world.index_dir())
        .unwrap()
        .into_iter()
        .map(|collection| collection.name)
        .collect();
    assert_eq!(names, ["black"]);
    let error = library.index.remove("green").unwrap_err();
    assert!(matches!(error, Error::UnknownCollection { .. }), "{error}");
    library.add("green", |_| {});
    assert_eq!(library.found(|_| {}), ["a.md", "b.md"]);
}

#[test]
fn each_collection_has_its_own_chunking_and_files() {
    let long = "Tea grows on hills. ".repeat(200);
    let world = World::new()
        .file("one/a.md", &long)
        .file("one/drafts/b.md", "Tea.\n")
        .file("one/c.txt", "Tea.\n")
        .file("two/a.md", &long);
    let mut library = Library::new(world);
    library.add("one", |collection| {
        collection.chunking.target = Some(100);
        collection.chunking.max = Some(100);
        collection.selection.include = strings(&["*.md"]);
        collection.selection.ignore = strings(&["drafts/"]);
    });
    library.add("two", |_| {});
    let status = library.index.status().unwrap();
    let of = |name: &str| {
        let mut sources = status.sources.iter();
        sources
            .find(|source| source.name.as_deref() == Some(name))
            .unwrap()
    };
    assert_eq!((of("one").documents, of("two").documents), (1, 1));
    assert!(
        of("one").chunks > 2 * of("two").chunks,
        "{:?}",
        status.sources
    );
}

#[test]
fn an_added_text_is_stored_as_a_file() {
    let mut library = Library::new(World::new());
    let mut collection = Collection::new("How to: tea?", "");
    collection.attributes.title = Some("How to make tea".to_string());
    let first = library
        .index
        .add_text(collection.clone(), "tea.md", "Take 80 degrees.\n")
        .unwrap();
    let second = library
        .index
        .add_text(collection, "tea.md", "Take 90 degrees.\n")
        .unwrap();
    assert_eq!(first.name, "How-to-tea");
    assert_eq!(second.name, "How-to-tea-2");
    library.sync(&first);
    library.sync(&second);
    // The given title is searchable and shown.
    let answer = library.ask("make", |_| {});
    assert_eq!(answer.documents.len(), 2);
    assert_eq!(
        answer.documents[0].title.as_deref(),
        Some("How to make tea")
    );
    let root = first.root.clone();
    assert_eq!(fs::read_to_string(&root).unwrap(), "Take 80 degrees.\n");
    assert!(root.starts_with(library.world.index_dir().canonicalize().unwrap()));
    assert_eq!(library.index.remove("How-to-tea").unwrap(), 1);
    assert!(!root.exists());
}

#[test]
fn the_title_of_an_empty_file_is_searchable() {
    let world = World::new().file("empty.md", "").file("blank/a.md", " \n");
    let mut library = Library::new(world);
    library.add("empty.md", |collection| {
        collection.attributes.title = Some("Kettle manual".to_string());
    });
    library.add("blank", |_| {});
    let answer = library.ask("kettle", |_| {});
    assert_eq!(paths(&answer), ["empty.md"]);
    assert_eq!(answer.documents[0].chunks[0].text, "");
    let status = library.index.status().unwrap();
    assert_eq!((status.documents, status.chunks), (2, 1));
    assert!(library.index.check().unwrap().is_sound());
}

#[test]
fn what_cannot_be_added_is_reported() {
    let mut library = Library::new(World::new().file("green/a.md", "tea"));
    let root = library.world.root().join("green");
    let mut add = |name: &str, root: &Path, say: fn(&mut Collection)| {
        let mut collection = Collection::new(name, root);
        say(&mut collection);
        library.index.add(collection).unwrap_err().to_string()
    };
    assert!(add("x", Path::new("/nowhere"), |_| {}).starts_with("cannot read `/nowhere`"));
    assert!(add("a b", &root, |_| {}).contains("try `a-b`"));
    let wrong = |collection: &mut Collection| collection.chunking.max = Some(0);
    assert!(add("x", &root, wrong).contains("`max` is `0`"));
    let wrong = |collection: &mut Collection| collection.selection.ignore = strings(&["a{b"]);
    assert!(add("x", &root, wrong).contains("invalid file pattern `a{b`"));
    assert!(
        Collection::all_in(&library.world.index_dir())
            .unwrap()
            .is_empty()
    );
}

/// Documents about tea, each with different front matter.
fn shelf() -> Library {
    let world = World::new()
        .file(
            "all/a.md",
            "---\ntype: note\ntags: [Hot, green]\ndate: 2026-01-31\nowner: Ann\n---\nTea.\n",
        )
        .file(
            "all/b.md",
            "---\ntags: hot, black\ndate: 2026-02-01\nversion: 3.x\n---\nTea.\n",
        )
        .file(
            "all/2025-12-24.md",
            "---\nversions: [\"2.7\", \"3.12\"]\n---\nTea.\n",
        )
        .file("all/c.rs", "/// Tea.\nfn tea() {}\n")
        .file("said/d.md", "---\ntags: cold\n---\nTea.\n");
    let mut library = Library::new(world);
    library.add("all", |_| {});
    library.add("said", |collection| {
        let mut attributes = Attributes::default();
        attributes.kind = Some("doc".to_string());
        attributes.tags = strings(&["iced"]);
        attributes.versions = strings(&["4"]);
        collection.attributes = attributes;
    });
    library
}

#[test]
fn documents_are_filtered_by_front_matter_and_by_attributes() {
    let mut library = shelf();
    assert_eq!(library.found(|_| {}).len(), 5);
    assert_eq!(
        library.found(|filter| filter.tags = strings(&["HOT"])),
        ["a.md", "b.md"]
    );
    assert_eq!(
        library.found(|filter| filter.tags = strings(&["hot", "black"])),
        ["b.md"]
    );
    assert_eq!(
        library.found(|filter| filter.tags = strings(&["iced", "cold"])),
        ["d.md"]
    );
    assert_eq!(
        library.found(|filter| filter.kinds = strings(&["doc", "note"])),
        ["a.md", "d.md"]
    );
    assert_eq!(
        library.found(|filter| filter.languages = strings(&["Rust"])),
        ["c.rs"]
    );
    assert_eq!(
        library.found(|filter| filter.fields = vec![("owner".into(), "ann".into())]),
        ["a.md"]
    );
    let dated = |since: Option<&str>, until: Option<&str>| {
        let days = (since.map(str::to_string), until.map(str::to_string));
        move |filter: &mut Filter| filter.dated = days
    };
    assert_eq!(library.found(dated(Some("2026"), None)), ["a.md", "b.md"]);
    assert_eq!(
        library.found(dated(None, Some("2026-01"))),
        ["2025-12-24.md", "a.md"]
    );
    assert_eq!(
        library.found(dated(Some("2026-02-01"), Some("2026-02-01"))),
        ["b.md"]
    );
    let mut backward = Filter::default();
    backward.dated = (Some("2026-03".into()), Some("2026-02-28".into()));
    let error = library.index.search(&Query::new("tea").within(backward));
    let told = "invalid `since` filter `2026-03`, expected a day that is not after `until`";
    assert_eq!(error.unwrap_err().to_string(), told);
    let none = library.ask("tea", |filter| filter.tags = strings(&["nothing"]));
    assert!(none.documents.is_empty());
    assert_eq!((none.documents_total, none.chunks_total), (0, 0));
    let told = |library: &mut Library, set: &dyn Fn(&mut Filter)| -> Vec<String> {
        let none = library.ask("tea", |filter| set(filter));
        assert!(none.documents.is_empty());
        none.notes.iter().map(ToString::to_string).collect()
    };
    let tags = told(&mut library, &|filter| {
        filter.tags = strings(&["nothing"]);
    });
    assert_eq!(
        tags,
        [
            "no document here has the tag `nothing`; the values in use include `hot`, `black`, `cold`, `green`, `iced`"
        ]
    );
    let golang = told(&mut library, &|filter| {
        filter.languages = strings(&["golang"]);
    });
    assert_eq!(
        golang,
        [
            "no document here has the language `golang`; the values in use include `markdown`, `rust`"
        ]
    );
    // Values that occur only elsewhere are not listed.
    let elsewhere = told(&mut library, &|filter| {
        filter.languages = strings(&["golang"]);
        filter.path = Some("nowhere".to_string());
    });
    assert_eq!(elsewhere, [""; 0]);
}

#[test]
fn a_filter_applies_to_vectors_as_to_words() {
    let library = shelf();
    let mut filter = Filter::default();
    filter.tags = strings(&["black"]);
    let answer = library
        .index
        .search(&Query::new("a hot drink").within(filter))
        .unwrap();
    assert!(answer.vectors);
    assert_eq!(paths(&answer), ["b.md"]);
}

#[test]
fn versions_rank_exact_covering_partial_unknown() {
    let mut library = shelf();
    let versions = |library: &mut Library, version: &str| {
        let answer = library.ask("tea", |filter| filter.version = Some(version.to_string()));
        let name = |document: &excerpt_index::DocumentHits| {
            let mut signals = document.chunks[0].explanation.signals.iter();
            let version = signals.find(|signal| signal.name.starts_with("version"));
            (document.path.clone(), version.map(|signal| signal.name))
        };
        let mut found: Vec<_> = answer.documents.iter().map(name).collect();
        found.sort();
        found
    };
    let found = versions(&mut library, "3.12");
    let expected = [
        ("2025-12-24.md", Some("version, exact")),
        ("a.md", Some("version, not said")),
        ("b.md", Some("version, covering")),
        ("c.rs", Some("version, not said")),
    ];
    let expected = expected.map(|(path, name)| (path.to_string(), name));
    assert_eq!(found, expected);
    assert_eq!(
        versions(&mut library, "3")[0],
        ("2025-12-24.md".to_string(), Some("version, in part"))
    );
    let error = library
        .index
        .search(&by_keywords("tea").within({
            let mut filter = Filter::default();
            filter.version = Some(" ".to_string());
            filter
        }))
        .unwrap_err();
    assert!(matches!(error, Error::Filter { .. }), "{error}");
}

#[test]
fn changed_attributes_are_applied() {
    let mut library = shelf();
    let mut said = Collection::all_in(&library.world.index_dir())
        .unwrap()
        .remove(1);
    assert_eq!(said.name, "said");
    library.index.remove("said").unwrap();
    said.attributes.tags = strings(&["hot"]);
    library.index.add(said.clone()).unwrap();
    library.sync(&said);
    assert_eq!(
        library.found(|filter| filter.tags = strings(&["hot"])),
        ["a.md", "b.md", "d.md"]
    );
}
