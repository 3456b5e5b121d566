//! The errors of an index, by what the caller can do about them.

use std::io;
use std::path::{Path, PathBuf};

use excerpt_chunk::ConfigError;

use super::{IndexedFiles, Secret, Skip, SkipReason, counted, either};

/// The result of every index operation.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why an index operation failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no index to read.
    #[error("no index in `{}`", path.display())]
    NotFound {
        /// The index directory.
        path: PathBuf,
    },
    /// The directory for a new index contains something else.
    #[error("`{}` is not empty and contains no index: choose an empty folder or an existing index", path.display())]
    NotAnIndex {
        /// The directory.
        path: PathBuf,
    },
    /// The database was created by another program.
    #[error("`{}` was not created by excerpt: choose another folder", path.display())]
    Foreign {
        /// The database.
        path: PathBuf,
    },
    /// The database has the format of a newer version.
    #[error("`{}` has format {found}, but this version of excerpt reads formats up to {known}: update excerpt", path.display())]
    Newer {
        /// The database.
        path: PathBuf,
        /// Its format.
        found: i64,
        /// The newest format that this version reads.
        known: i64,
    },
    /// The database, or another file of the index, is damaged.
    #[error("`{}` is damaged", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The damage that was found.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Another process writes the index.
    #[error("the index in `{}` is being written by {}{}", path.display(), process(*holder), so_far(*progress))]
    Locked {
        /// The index directory.
        path: PathBuf,
        /// The id of the process that writes, if known.
        holder: Option<u32>,
        /// How far its sync has come, if it tells.
        progress: Option<IndexedFiles>,
    },
    /// The root of the source cannot be read.
    #[error("cannot read `{}`: {}", path.display(), plain(source))]
    Source {
        /// The root of the source.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The destination of a mirror cannot be read or written.
    #[error("cannot mirror to `{destination}`: {}", plain(source))]
    Mirror {
        /// The destination.
        destination: String,
        /// Why not.
        source: io::Error,
    },
    /// The destination of a mirror has that of another source.
    #[error("`{destination}` already mirrors `{mirrored}`: choose another destination")]
    OtherMirror {
        /// The destination.
        destination: String,
        /// The source that is mirrored there.
        mirrored: String,
    },
    /// The root of a source is not UTF-8.
    #[error("the name of `{}` is not UTF-8: rename it, or sync a parent folder", path.display())]
    Name {
        /// The root.
        path: PathBuf,
    },
    /// The filter names a source that is not in the index.
    #[error("`{}` is not in the index{}", path.display(), indexed(sources))]
    UnknownSource {
        /// The root that was named.
        path: PathBuf,
        /// The roots in the index.
        sources: Vec<PathBuf>,
    },
    /// The document is not in the index.
    #[error("`{path}` is not in the index{}", next(closest.as_deref()))]
    UnknownDocument {
        /// The path that was named.
        path: String,
        /// The most similar path in the index.
        closest: Option<String>,
    },
    /// The document is not in the index because the last sync skipped its file or a folder above
    /// it.
    #[error("`{path}` is not in the index{}", skipped(path, skip))]
    Skipped {
        /// The path that was named.
        path: String,
        /// What was skipped, and why.
        skip: Skip,
    },
    /// So many documents of a source are gone that it may be a mistake: an unmounted disk, another
    /// branch, a folder emptied by accident.
    /// [`SyncOptions::accept_removals`](crate::SyncOptions::accept_removals) removes them.
    #[error(
        "{} of `{}` no longer {}, so the index was left unchanged",
        vanished_of(*vanished, *documents),
        path.display(),
        either(*vanished, "exists", "exist")
    )]
    Vanished {
        /// The root of the source.
        path: PathBuf,
        /// How many documents are gone.
        vanished: usize,
        /// How many documents of the source are in the index.
        documents: usize,
    },
    /// A source does not list its documents in the order of their paths, each once.
    #[error("the source lists `{path}` out of order, so the index was left unchanged")]
    Unordered {
        /// The path of the document.
        path: String,
    },
    /// More than one source has a document at that path.
    #[error("`{path}` is in {} sources ({}): specify the source", sources.len(), roots(sources))]
    AmbiguousDocument {
        /// The path that was named.
        path: String,
        /// The roots of the sources.
        sources: Vec<PathBuf>,
    },
    /// The document does not have these lines.
    #[error("invalid line range `{}` for `{path}`: it has {}", range(*first, *last), counted(*count, "line"))]
    Lines {
        /// The document.
        path: String,
        /// The first requested line.
        first: usize,
        /// The last requested line.
        last: usize,
        /// How many lines it has.
        count: usize,
    },
    /// The index contains texts that were added to it and exist nowhere else.
    #[error("texts that exist nowhere else were added to the index: remove `{}` by name first", names.join("`, `"))]
    Given {
        /// The collections that are such texts.
        names: Vec<String>,
    },
    /// No collection has that name.
    #[error("unknown collection `{name}`{}", expected(names))]
    UnknownCollection {
        /// The name.
        name: String,
        /// The existing names.
        names: Vec<String>,
    },
    /// A collection with that name already exists, for another root.
    #[error(
        "collection `{name}` already exists for `{}`",
        root.display()
    )]
    NameTaken {
        /// Its name.
        name: String,
        /// Its root.
        root: PathBuf,
    },
    /// A collection with that root already exists.
    #[error(
        "`{}` is already the collection `{name}`",
        root.display()
    )]
    RootTaken {
        /// Its name.
        name: String,
        /// Its root.
        root: PathBuf,
    },
    /// The text is not a valid collection name.
    #[error("invalid collection name `{name}`: try `{closest}`")]
    CollectionName {
        /// The text.
        name: String,
        /// A similar valid name.
        closest: String,
    },
    /// A file pattern is invalid.
    #[error("invalid file pattern `{pattern}`: {message}")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        message: String,
    },
    /// A filter is invalid.
    #[error(
        "invalid `{filter}` filter `{}`, expected {expected}",
        shortened(found)
    )]
    Filter {
        /// Which filter.
        filter: &'static str,
        /// The value that was given.
        found: String,
        /// The values that are accepted.
        expected: &'static str,
    },
    /// The document has no such section.
    #[error("`{path}` has no section `{}`{}", shortened(section), other_section(closest.as_deref(), *count))]
    UnknownSection {
        /// The document.
        path: String,
        /// The requested section.
        section: String,
        /// The most similar section, as a link names it.
        closest: Option<String>,
        /// How many sections the document has.
        count: usize,
    },
    /// No chunk has an id that starts like this.
    #[error("no chunk id starts with `{}`", shortened(id))]
    UnknownChunk {
        /// The given start of the id.
        id: String,
    },
    /// More than one chunk has an id that starts like this.
    #[error(
        "several chunk ids start with `{id}` ({}): give more digits",
        names(citations)
    )]
    AmbiguousChunk {
        /// The given start of the id.
        id: String,
        /// The places of some of these chunks, as `path:first-last`.
        citations: Vec<String>,
    },
    /// The query contains no word.
    #[error(
        "the query `{}` contains {}",
        shortened(query),
        instead_of_words(query)
    )]
    EmptyQuery {
        /// The query.
        query: String,
    },
    /// The built-in embedder cannot be read.
    #[error("the token table is damaged: {source}; reinstall excerpt")]
    Table {
        /// What is wrong with it.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// An embedder option is invalid.
    #[error(
        "invalid value `{}` for the embedder setting `{setting}`, expected {expected}",
        shortened(found)
    )]
    Embedder {
        /// The option.
        setting: &'static str,
        /// The value that was given.
        found: String,
        /// The values that are accepted.
        expected: &'static str,
    },
    /// The model that should rerank hits did not.
    #[error("the hits were not reranked: {reason}")]
    NotReranked {
        /// Why, and what to do about it.
        reason: String,
    },
    /// The folder of an embedding model cannot be used.
    #[error("cannot use the model in `{}`: {reason}", path.display())]
    Model {
        /// The folder.
        path: PathBuf,
        /// What is wrong with it and what to do about it.
        reason: String,
    },
    /// A number in a [`Ranking`](crate::Ranking) is out of range.
    #[error("`{setting}` is `{found}`, expected {expected}")]
    Ranking {
        /// The field.
        setting: &'static str,
        /// The value that was given.
        found: String,
        /// The values that are accepted.
        expected: &'static str,
    },
    /// The chunking configuration is invalid.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The operating system failed to read or write a file of the index.
    #[error("cannot access `{}`: {}", path.display(), plain(source))]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The disk is full.
    #[error("the disk with `{}` is full", path.display())]
    Full {
        /// The index directory.
        path: PathBuf,
    },
    /// The store failed because of a bug or an error of the operating system.
    #[error("cannot use the index in `{}`: {source}", path.display())]
    Store {
        /// The index directory.
        path: PathBuf,
        /// The cause.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl Error {
    /// The same error, where it is about a document, with the document's path as `shown` shows it.
    #[must_use]
    pub fn with_paths(mut self, shown: impl Fn(&str) -> String) -> Self {
        match &mut self {
            Error::Lines { path, .. }
            | Error::UnknownSection { path, .. }
            | Error::AmbiguousDocument { path, .. } => *path = shown(path),
            Error::Skipped { path, skip } => {
                *path = shown(path);
                skip.path = shown(&skip.path);
            }
            _ => {}
        }
        self
    }

    /// An error for a file with damaged contents.
    pub(crate) fn damaged(
        path: &Path,
        seen: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Error {
        Error::Damaged {
            path: path.to_path_buf(),
            source: seen.into(),
        }
    }

    /// Adds the path to an error of the operating system.
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Error + '_ {
        move |source| Error::Io {
            path: path.to_path_buf(),
            source,
        }
    }
}

fn process(holder: Option<u32>) -> String {
    holder.map_or_else(|| "another process".into(), |id| format!("process {id}"))
}

fn so_far(progress: Option<IndexedFiles>) -> String {
    progress.map_or_else(String::new, |IndexedFiles { indexed, listed }| {
        format!(" ({indexed} of {} so far)", counted(listed, "file"))
    })
}

fn range(first: usize, last: usize) -> String {
    match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    }
}

fn expected(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [name] => format!(", expected `{name}`"),
        names => format!(", expected one of `{}`", names.join("`, `")),
    }
}

fn indexed(sources: &[PathBuf]) -> String {
    match sources {
        [] => String::new(),
        sources => format!(" (indexed: {})", roots(sources)),
    }
}

fn roots(sources: &[PathBuf]) -> String {
    let names = sources.iter().map(|root| format!("`{}`", root.display()));
    names.collect::<Vec<_>>().join(", ")
}

fn next(closest: Option<&str>) -> String {
    match closest {
        Some(path) => format!(", did you mean `{path}`?"),
        None => String::new(),
    }
}

fn other_section(closest: Option<&str>, count: usize) -> String {
    match (closest, count) {
        (Some(section), _) => format!(", did you mean `{section}`?"),
        (None, 0) => ": it has no sections, so give a line range instead".into(),
        (None, _) => ": give one of its headings in lower case, with `-` for each space".into(),
    }
}

fn skipped(path: &str, skip: &Skip) -> String {
    let detail = skip.detail.as_deref();
    if skip.reason == SkipReason::Secret {
        let detail = detail.map(|detail| format!(" ({detail})"));
        let detail = detail.unwrap_or_default();
        return format!(
            " because it may contain secrets{detail}: {}",
            Secret::ADVICE
        );
    }
    let what = match skip.path == path {
        true => "it was skipped",
        false => "it is in a folder that was skipped",
    };
    let detail = detail.map(|detail| format!(": {detail}"));
    format!(": {what} ({}{})", skip.reason, detail.unwrap_or_default())
}

fn vanished_of(vanished: usize, documents: usize) -> String {
    match documents {
        1 => "the one document".into(),
        _ if vanished == documents => format!("all {documents} documents"),
        _ => format!("{vanished} of the {documents} documents"),
    }
}

fn names(citations: &[String]) -> String {
    format!("`{}`", citations.join("`, `"))
}

/// What a query contains that has no word to search for, and what to do.
fn instead_of_words(query: &str) -> &'static str {
    /// The longest word that is indexed, in bytes.
    const LONGEST: usize = 255;
    let words = query.split_whitespace();
    let mut words = words.filter(|word| word.contains(char::is_alphanumeric));
    let is_excluded = |word: &str| word.starts_with('-');
    let is_too_long = |word: &str| word.len() > LONGEST && !is_excluded(word);
    if words.clone().any(is_too_long) {
        "only words that are too long to search for: give a shorter one"
    } else if words.any(is_excluded) {
        "only excluded words: give at least one word without `-`"
    } else {
        "no words: give at least one letter or digit"
    }
}

/// The first 40 characters of a text that may be long.
pub(super) fn shortened(query: &str) -> String {
    const SHOWN: usize = 40;
    match query.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &query[..end]),
        None => query.to_string(),
    }
}

/// The message of the operating system, starting in lower case and without the error number.
#[must_use]
pub fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_lowercase().chain(chars).collect(),
        None => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn missing() -> io::Error {
        io::Error::from_raw_os_error(2)
    }

    #[test]
    fn every_message_names_the_thing_and_the_next_step() {
        let path = || PathBuf::from("/data/i");
        let messages = [
            (Error::NotFound { path: path() }, "no index in `/data/i`"),
            (
                Error::NotAnIndex { path: path() },
                "`/data/i` is not empty and contains no index: choose an empty folder or an existing index",
            ),
            (
                Error::Foreign {
                    path: "/data/i/excerpt.db".into(),
                },
                "`/data/i/excerpt.db` was not created by excerpt: choose another folder",
            ),
            (
                Error::Newer {
                    path: "/data/i/excerpt.db".into(),
                    found: 7,
                    known: 1,
                },
                "`/data/i/excerpt.db` has format 7, but this version of excerpt reads formats up to 1: update excerpt",
            ),
            (
                Error::Damaged {
                    path: "/data/i/excerpt.db".into(),
                    source: "torn".into(),
                },
                "`/data/i/excerpt.db` is damaged",
            ),
            (
                Error::Locked {
                    path: path(),
                    holder: Some(12),
                    progress: Some(IndexedFiles {
                        indexed: 1_000,
                        listed: 2_000,
                    }),
                },
                "the index in `/data/i` is being written by process 12 (1000 of 2000 files so far)",
            ),
            (
                Error::Locked {
                    path: path(),
                    holder: None,
                    progress: None,
                },
                "the index in `/data/i` is being written by another process",
            ),
            (
                Error::Source {
                    path: "/notes".into(),
                    source: missing(),
                },
                "cannot read `/notes`: no such file or directory",
            ),
            (
                Error::Name {
                    path: "/notes".into(),
                },
                "the name of `/notes` is not UTF-8: rename it, or sync a parent folder",
            ),
            (
                Error::UnknownSource {
                    path: "/b".into(),
                    sources: vec!["/a".into()],
                },
                "`/b` is not in the index (indexed: `/a`)",
            ),
            (
                Error::UnknownDocument {
                    path: "a.md".into(),
                    closest: Some("b.md".into()),
                },
                "`a.md` is not in the index, did you mean `b.md`?",
            ),
            (
                Error::UnknownDocument {
                    path: "a.md".into(),
                    closest: None,
                },
                "`a.md` is not in the index",
            ),
            (
                Error::Skipped {
                    path: "a.txt".into(),
                    skip: Skip::new("a.txt", SkipReason::Secret)
                        .with_detail("GitHub token on line 2"),
                },
                "`a.txt` is not in the index because it may contain secrets (GitHub token on line 2): to index such files, set `secrets = \"index\"` in `[files]` of your own excerpt.toml",
            ),
            (
                Error::Skipped {
                    path: "a.txt".into(),
                    skip: Skip::new("a.txt", SkipReason::TooLarge)
                        .with_detail("9 bytes, the limit is 8"),
                },
                "`a.txt` is not in the index: it was skipped (too large: 9 bytes, the limit is 8)",
            ),
            (
                Error::Skipped {
                    path: "vendor/a.txt".into(),
                    skip: Skip::new("vendor", SkipReason::Vendored),
                },
                "`vendor/a.txt` is not in the index: it is in a folder that was skipped (vendored or generated)",
            ),
            (
                Error::Vanished {
                    path: "/notes".into(),
                    vanished: 72,
                    documents: 120,
                },
                "72 of the 120 documents of `/notes` no longer exist, so the index was left unchanged",
            ),
            (
                Error::Vanished {
                    path: "/notes".into(),
                    vanished: 1,
                    documents: 3,
                },
                "1 of the 3 documents of `/notes` no longer exists, so the index was left unchanged",
            ),
            (
                Error::Vanished {
                    path: "/notes".into(),
                    vanished: 3,
                    documents: 3,
                },
                "all 3 documents of `/notes` no longer exist, so the index was left unchanged",
            ),
            (
                Error::Vanished {
                    path: "/notes".into(),
                    vanished: 1,
                    documents: 1,
                },
                "the one document of `/notes` no longer exists, so the index was left unchanged",
            ),
            (
                Error::Unordered {
                    path: "a.md".into(),
                },
                "the source lists `a.md` out of order, so the index was left unchanged",
            ),
            (
                Error::AmbiguousDocument {
                    path: "a.md".into(),
                    sources: vec!["/a".into(), "/b".into()],
                },
                "`a.md` is in 2 sources (`/a`, `/b`): specify the source",
            ),
            (
                Error::Lines {
                    path: "a.md".into(),
                    first: 7,
                    last: 9,
                    count: 1,
                },
                "invalid line range `7-9` for `a.md`: it has 1 line",
            ),
            (
                Error::UnknownSection {
                    path: "a.md".into(),
                    section: "watr".into(),
                    closest: Some("water".into()),
                    count: 2,
                },
                "`a.md` has no section `watr`, did you mean `water`?",
            ),
            (
                Error::UnknownSection {
                    path: "a.md".into(),
                    section: "milk".into(),
                    closest: None,
                    count: 2,
                },
                "`a.md` has no section `milk`: give one of its headings in lower case, with `-` for each space",
            ),
            (
                Error::UnknownSection {
                    path: "a.txt".into(),
                    section: "milk".into(),
                    closest: None,
                    count: 0,
                },
                "`a.txt` has no section `milk`: it has no sections, so give a line range instead",
            ),
            (
                Error::UnknownChunk { id: "3fa9".into() },
                "no chunk id starts with `3fa9`",
            ),
            (
                Error::AmbiguousChunk {
                    id: "3f".into(),
                    citations: vec!["a.md:1-3".into(), "b.md:7-9".into()],
                },
                "several chunk ids start with `3f` (`a.md:1-3`, `b.md:7-9`): give more digits",
            ),
            (
                Error::EmptyQuery { query: "?!".into() },
                "the query `?!` contains no words: give at least one letter or digit",
            ),
            (
                Error::Table {
                    source: "its vocabulary is not UTF-8".into(),
                },
                "the token table is damaged: its vocabulary is not UTF-8; reinstall excerpt",
            ),
            (
                Error::Embedder {
                    setting: "dimensions",
                    found: "0".into(),
                    expected: "a number from 1 to 65536",
                },
                "invalid value `0` for the embedder setting `dimensions`, expected a number from 1 to 65536",
            ),
            (
                Error::Ranking {
                    setting: "recency",
                    found: "2".into(),
                    expected: "a share from 0 to 1",
                },
                "`recency` is `2`, expected a share from 0 to 1",
            ),
            (
                Error::Io {
                    path: path(),
                    source: missing(),
                },
                "cannot access `/data/i`: no such file or directory",
            ),
            (
                Error::Full { path: path() },
                "the disk with `/data/i` is full",
            ),
            (
                Error::Store {
                    path: path(),
                    source: "disk full".into(),
                },
                "cannot use the index in `/data/i`: disk full",
            ),
        ];
        for (error, message) in messages {
            assert_eq!(error.to_string(), message);
        }
    }

    #[test]
    fn a_long_query_is_shown_in_part() {
        let long = "x".repeat(5_000);
        for (query, message) in [
            (
                "-milk -\"old tea\"",
                "the query `-milk -\"old tea\"` contains only excluded words: give at least one word without `-`",
            ),
            (
                &long,
                "the query `xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…` contains only words that are too long to search for: give a shorter one",
            ),
        ] {
            let query = query.to_string();
            assert_eq!(Error::EmptyQuery { query }.to_string(), message);
        }
        let error = Error::EmptyQuery {
            query: "?".repeat(1000),
        };
        assert_eq!(error.to_string().chars().filter(|c| *c == '?').count(), 40);
    }
}
