//! The nouns that cross borders: what is asked ([`Query`], [`Filter`]), what is answered ([`Answer`], [`DocumentHits`], [`Hit`]),
//! and what an index says of itself ([`Status`], [`SyncReport`], [`Skip`]).

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use excerpt_chunk::{Config, Hash, Span};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::search::Ranking;
use crate::source::Selection;
use crate::summary::Summary;

/// A question to an index.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Query {
    /// The words to search for.
    pub text: String,
    /// Where to search. Default: everywhere.
    pub filter: Filter,
    /// How many documents (or chunks, by [`Query::rank`]) to answer with, at most 1,000. Default: 5.
    pub limit: usize,
    /// How many chunks to show of one document. Default: 3.
    pub per_document: usize,
    /// What is ranked. Default: documents.
    pub rank: Rank,
    /// How it is ranked.
    pub ranking: Ranking,
}

impl Query {
    /// A question with every setting at its default.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Query {
            text: text.into(),
            filter: Filter::default(),
            limit: 5,
            per_document: 3,
            rank: Rank::Documents,
            ranking: Ranking::default(),
        }
    }

    /// Sets where to search.
    #[must_use]
    pub fn within(self, filter: Filter) -> Self {
        Query { filter, ..self }
    }

    /// Sets how many documents (or chunks) to answer with.
    #[must_use]
    pub fn limit(self, limit: usize) -> Self {
        Query { limit, ..self }
    }

    /// Sets how many chunks to show of one document.
    #[must_use]
    pub fn per_document(self, per_document: usize) -> Self {
        Query {
            per_document,
            ..self
        }
    }

    /// Sets what is ranked.
    #[must_use]
    pub fn rank(self, rank: Rank) -> Self {
        Query { rank, ..self }
    }

    /// Sets how it is ranked.
    #[must_use]
    pub fn ranking(self, ranking: Ranking) -> Self {
        Query { ranking, ..self }
    }
}

/// What a search ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Rank {
    /// Documents, each with its best chunks.
    Documents,
    /// Chunks alone: a document may come more than once.
    Chunks,
}

/// The part of an index that is searched. All conditions hold together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Filter {
    /// The roots of the sources to search; none for all.
    pub sources: Vec<PathBuf>,
    /// The names of the collections to search; none for all sources.
    pub collections: Vec<String>,
    /// A path inside a source: the document itself, or a folder with all under it. Compared by whole segments.
    pub path: Option<String>,
    /// Tags that a document must have, each of them, whatever their case.
    pub tags: Vec<String>,
    /// What a document must be, such as `doc` or `script`: one of these.
    pub kinds: Vec<String>,
    /// What a document must be written in, such as `rust` or `markdown`: one of these.
    pub languages: Vec<String>,
    /// The version that a document must be about; one that names no version is not left out. How well the versions fit has a say in the rank.
    pub version: Option<String>,
    /// The first and the last day (`YYYY-MM-DD`, `YYYY-MM` or `YYYY`) that a document may be dated; one without a date is left out.
    pub dated: (Option<String>, Option<String>),
    /// Fields of the front matter, each with the value that a document must have there.
    pub fields: Vec<(String, String)>,
}

impl Filter {
    /// Only the source at `root`; called several times, the sources at any of these.
    #[must_use]
    pub fn source(mut self, root: impl Into<PathBuf>) -> Self {
        self.sources.push(root.into());
        self
    }

    /// Only the document or folder at `path`.
    #[must_use]
    pub fn path(self, path: impl Into<String>) -> Self {
        Filter {
            path: Some(path.into()),
            ..self
        }
    }
}

/// What a search found.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Answer {
    /// The documents with their chunks, best first; by [`Rank::Chunks`] one entry a chunk.
    pub documents: Vec<DocumentHits>,
    /// How many documents hold at least one of the words.
    pub documents_total: usize,
    /// How many chunks hold at least one of the words.
    pub chunks_total: usize,
    /// Whether vectors had a say.
    pub vectors: bool,
    /// How long the search took.
    #[serde(rename = "seconds", serialize_with = "seconds")]
    pub elapsed: Duration,
    /// What one should know about the answer.
    pub notes: Vec<Note>,
}

impl Answer {
    /// The chunks, in the order of the answer.
    pub fn chunks(&self) -> impl Iterator<Item = &Hit> {
        self.documents.iter().flat_map(|document| &document.chunks)
    }
}

fn seconds<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(duration.as_secs_f64())
}

/// Something to know about an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// Words of the query that are nowhere in the index, as they were written.
    Absent(Vec<String>),
    /// Phrases of the query that no chunk holds all of: their words were searched for instead.
    Scattered(Vec<String>),
    /// Only the first words of the query were searched for.
    Shortened {
        /// How many.
        words: usize,
    },
    /// The keyword index does not hold the latest changes yet.
    Behind {
        /// The process that writes the index at the moment.
        holder: Option<u32>,
    },
    /// The keyword index was missing or damaged, or the file of the vectors' codes damaged, and has been made again.
    Rebuilt,
    /// There are no vectors yet.
    NoVectors,
    /// The vectors had no say, though they were to have one.
    WithoutVectors {
        /// Why.
        reason: String,
    },
    /// Some documents have no vectors yet: only keywords find them.
    VectorsBehind {
        /// How many.
        documents: usize,
    },
    /// The vectors are still those of the embedder that was configured before.
    FormerVectors {
        /// That embedder.
        embedder: String,
        /// How many documents lack vectors by the one that is configured now.
        documents: usize,
        /// Why the last sync got none of them, if it got none.
        failure: Option<String>,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::Absent(words) => write!(f, "found nowhere: `{}`", words.join("`, `")),
            Note::Scattered(phrases) => {
                write!(f, "nowhere together: `{}`; searched for the words", phrases.join("`, `"))
            }
            Note::Shortened { words } => write!(f, "the query is long: only its first {words} words were searched for"),
            Note::Behind { holder: Some(process) } => {
                write!(f, "process {process} is writing the index: its latest changes are not searched yet")
            }
            Note::Behind { holder: None } => {
                f.write_str("the keyword index is behind: the latest changes are not searched; run `excerpt sync`")
            }
            Note::Rebuilt => f.write_str("a file of the index was missing or damaged and has been made again"),
            Note::NoVectors => f.write_str("there are no vectors yet, and only keywords find: run `excerpt sync`"),
            Note::WithoutVectors { reason } => write!(f, "the vectors had no say: {reason}"),
            Note::VectorsBehind { documents } => {
                write!(f, "{documents} changed documents have no vectors yet and are found by keywords alone: run `excerpt sync`")
            }
            Note::FormerVectors { embedder, documents, failure } => {
                write!(f, "the vectors are still those of `{embedder}`, as {documents} documents have none by the embedder configured: ")?;
                f.write_str(failure.as_deref().unwrap_or("run `excerpt sync`"))
            }
        }
    }
}

impl Serialize for Note {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A document that was found, with its best chunks.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct DocumentHits {
    /// The position in the answer, from 1.
    pub rank: usize,
    /// The root of its source.
    pub source: PathBuf,
    /// The name of the collection that the source is, if it is one.
    pub collection: Option<String>,
    /// Its path inside the source.
    pub path: String,
    /// Its title.
    pub title: Option<String>,
    /// Its first heading.
    pub first_heading: Option<String>,
    /// Its front matter, and what was said of it.
    pub metadata: Map<String, Value>,
    /// Its score: that of its best chunk, and a little for more good chunks.
    pub score: f32,
    /// Its best chunks, best first.
    pub chunks: Vec<Hit>,
}

/// A chunk that was found.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Hit {
    /// The position among all chunks that were found, from 1.
    pub rank: usize,
    /// How well the chunk fits: the higher the better, and comparable within one answer alone.
    pub score: f32,
    /// How much of the query's words the chunk holds, from 0 to 1, the rarer ones counting more.
    pub coverage: f32,
    /// The cosine of the chunk's vector and the question's, from -1 to 1; none without vectors.
    pub cosine: Option<f32>,
    /// Whether the chunk is probably no answer: it holds little of the query and is not near to it.
    pub weak: bool,
    /// What the score consists of.
    pub explanation: Explanation,
    /// Whether the chunk holds every word of the query (stop words aside), in its text, place or path.
    pub all_words: bool,
    /// Names the chunk.
    pub id: Hash,
    /// The document's path.
    pub path: String,
    /// The position among the document's chunks, from 0.
    pub ordinal: usize,
    /// The place in the document.
    pub span: Span,
    /// The place to open: `path:first-last`.
    pub citation: String,
    /// The headings or scopes around the chunk, outermost first.
    pub trail: Vec<String>,
    /// The headings or definitions inside the chunk.
    pub sections: Vec<String>,
    /// The names that the chunk defines in source code.
    pub defines: Vec<String>,
    /// What the chunk consists of.
    pub kind: String,
    /// The language, of a chunk that is one code block.
    pub language: Option<String>,
    /// The size of the chunk with its context, in the unit of the configuration.
    pub tokens: usize,
    /// The text, byte for byte.
    pub text: String,
    /// The lines of the text that answer best.
    pub snippet: Snippet,
}

/// What a score consists of: the shares add up to it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Explanation {
    /// What the keyword index says; none when it did not find the chunk.
    pub keywords: Option<Channel>,
    /// What the vectors say; none when they did not find the chunk.
    pub vectors: Option<Channel>,
    /// What else had a say, in the order in which it had it.
    pub signals: Vec<SignalShare>,
}

/// What one channel says of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Channel {
    /// The position among what the channel found, from 1.
    pub rank: usize,
    /// The channel's own score: BM25, or the cosine.
    pub score: f32,
    /// What that adds.
    pub share: f32,
}

/// What one signal does to a score.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SignalShare {
    /// The signal.
    pub name: &'static str,
    /// What it multiplies the score by.
    pub factor: f32,
    /// What that adds; below nought for a factor below 1.
    pub share: f32,
}

/// A few lines of a chunk around the words that were found: a slice of its text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Snippet {
    /// The text, byte for byte.
    pub text: String,
    /// The words that were found: byte ranges in `text`, in order and apart.
    #[serde(serialize_with = "pairs")]
    pub marks: Vec<Range<usize>>,
    /// The line of the document on which the snippet begins, from 1.
    pub line: usize,
}

fn pairs<S: Serializer>(ranges: &[Range<usize>], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(ranges.iter().map(|range| [range.start, range.end]))
}

/// What a sync does and how.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SyncOptions {
    /// How documents are cut.
    pub chunking: Config,
    /// Which files are documents.
    pub selection: Selection,
    /// The name of the collection that the source is; none for a folder that was never added.
    pub name: Option<String>,
    /// What is said of all documents.
    pub attributes: Attributes,
    /// What one document may take.
    pub limits: Limits,
    /// Whether files that were left out for what is in them are looked at again, though they have not changed. Default: no.
    pub retry: bool,
}

/// What one document may take. One that takes more is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// How many chunks it may fall into. Default: 50,000, some five times what the largest files fall into by the usual settings.
    pub chunks: usize,
    /// How long it may take to be cut. Default: a minute, some hundred times what the largest files take: only a fault of ours takes so long.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            chunks: 50_000,
            time: Duration::from_secs(60),
        }
    }
}

impl SyncOptions {
    /// Sets how documents are cut.
    #[must_use]
    pub fn chunking(self, chunking: Config) -> Self {
        SyncOptions { chunking, ..self }
    }

    /// Sets which files are documents.
    #[must_use]
    pub fn selection(self, selection: Selection) -> Self {
        SyncOptions { selection, ..self }
    }

    /// Sets what one document may take.
    #[must_use]
    pub fn limits(self, limits: Limits) -> Self {
        SyncOptions { limits, ..self }
    }

    /// Sets whether files that were left out for what is in them are looked at again.
    #[must_use]
    pub fn retry(self, retry: bool) -> Self {
        SyncOptions { retry, ..self }
    }

    /// Sets what is said of all documents.
    #[must_use]
    pub fn attributes(self, attributes: Attributes) -> Self {
        SyncOptions { attributes, ..self }
    }

    /// Sets the size in bytes above which a file is skipped.
    #[must_use]
    pub fn max_file_size(mut self, max_file_size: u64) -> Self {
        self.selection.max_file_size = Some(max_file_size);
        self
    }
}

/// What a user says of documents, beside what they say of themselves, and before it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Attributes {
    /// What the documents are, such as `doc` or `script`.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The title, of a document that stands alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The versions that they are about, as written: `3.12`, `3.x`, `>=2.1`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub versions: Vec<String>,
    /// Words to filter by.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
}

/// How far a sync is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// What it is at.
    pub stage: Stage,
    /// How many documents are done.
    pub done: usize,
    /// How many there are to do in this stage; 0 while that is not known.
    pub total: usize,
}

/// A stage of a sync.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// The source is listed and compared with the index.
    List,
    /// What changed is read and cut.
    Cut,
    /// The keyword index is brought in step.
    Keywords,
    /// What changed is embedded.
    Vectors,
}

/// What a sync did.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SyncReport {
    /// Documents that were not in the index before.
    pub added: usize,
    /// Documents whose text is another one.
    pub changed: usize,
    /// Documents with the same text that were cut again, as the configuration is another one.
    pub recut: usize,
    /// Documents that are as they were.
    pub unchanged: usize,
    /// Documents that are no longer in the source and were removed.
    pub removed: usize,
    /// Files that were read.
    pub read: usize,
    /// The bytes that were read.
    pub bytes_read: u64,
    /// What was skipped, by reason; a skipped folder counts once.
    pub skipped: BTreeMap<SkipReason, usize>,
    /// Files that the source lists.
    pub listed: usize,
    /// Those of them that are not searched as they are, since the sync was broken off: the next one takes them up.
    pub remaining: usize,
    /// Why chunks lack vectors; none when all have theirs, or are not to have any.
    pub without_vectors: Option<String>,
    /// Whether documents were cut anew by other settings, aside: what was there before is served until all of it is complete.
    pub aside: bool,
    /// Whether the sync ran to its end.
    pub complete: bool,
    /// How long it took.
    pub seconds: f64,
}

/// A file or folder of a source that is not in the index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Skip {
    /// Its path inside the source; what is not UTF-8 in it is shown as `�`.
    pub path: String,
    /// Why it was skipped.
    pub reason: SkipReason,
    /// The reason in more words, such as the error of the operating system.
    pub detail: Option<String>,
}

impl Skip {
    /// A skip without more words.
    pub fn new(path: impl Into<String>, reason: SkipReason) -> Self {
        Skip {
            path: path.into(),
            reason,
            detail: None,
        }
    }

    /// Adds the reason in more words.
    #[must_use]
    pub fn with_detail(self, detail: impl ToString) -> Self {
        Skip {
            detail: Some(detail.to_string()),
            ..self
        }
    }
}

/// Why a file or folder is not in the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SkipReason {
    /// A pattern of the user's own leaves it out.
    LeftOut,
    /// The rules of `.gitignore`, `.ignore` and git's own excludes leave it out.
    Ignored,
    /// Its name begins with a dot.
    Hidden,
    /// It is a folder of code from elsewhere, or one that can be made again.
    Vendored,
    /// Its name says that it holds keys or passwords.
    Secret,
    /// It is not text.
    Binary,
    /// It is larger than [`Selection::max_file_size`].
    TooLarge,
    /// Its text is neither UTF-8 nor UTF-16 with a byte order mark.
    NotUtf8,
    /// Its name is not UTF-8.
    NameNotUtf8,
    /// It is a symbolic link.
    Link,
    /// It is a device, a pipe or a socket.
    Special,
    /// It falls into more chunks than [`Limits::chunks`].
    TooManyChunks,
    /// It took longer to be cut than [`Limits::time`], or could not be. It is tried again when it changes, or by [`SyncOptions::retry`].
    Quarantined,
    /// It cannot be read. What the index holds of it stays.
    Unreadable,
}

impl SkipReason {
    const NAMES: [(SkipReason, &'static str, &'static str); 14] = [
        (SkipReason::LeftOut, "left_out", "left out by a pattern"),
        (SkipReason::Ignored, "ignored", "ignored"),
        (SkipReason::Hidden, "hidden", "hidden"),
        (SkipReason::Vendored, "vendored", "vendored or generated"),
        (SkipReason::Secret, "secret", "may hold secrets"),
        (SkipReason::Binary, "binary", "binary"),
        (SkipReason::TooLarge, "too_large", "too large"),
        (SkipReason::NotUtf8, "not_utf8", "not UTF-8"),
        (
            SkipReason::NameNotUtf8,
            "name_not_utf8",
            "name is not UTF-8",
        ),
        (SkipReason::Link, "link", "symbolic link"),
        (SkipReason::Special, "special", "not a regular file"),
        (
            SkipReason::TooManyChunks,
            "too_many_chunks",
            "too many chunks",
        ),
        (SkipReason::Quarantined, "quarantined", "quarantined"),
        (SkipReason::Unreadable, "unreadable", "unreadable"),
    ];

    /// The name, as it is kept and as programs read it.
    #[must_use]
    pub fn name(self) -> &'static str {
        let found = Self::NAMES.iter().find(|(reason, ..)| *reason == self);
        found.map_or("", |(_, name, _)| name)
    }

    /// The reason of that name.
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        let found = Self::NAMES.iter().find(|(_, known, _)| *known == name);
        found.map(|(reason, ..)| *reason)
    }
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = Self::NAMES.iter().find(|(reason, ..)| reason == self);
        f.write_str(found.map_or("", |(.., words)| words))
    }
}

/// The size and time of a file, by which a sync sees that it may have changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// The size in bytes.
    pub size: u64,
    /// The time of the last change, in nanoseconds since 1970.
    pub mtime_ns: i64,
}

impl Stat {
    /// The time of the last change, in whole seconds since 1970.
    pub(crate) fn seconds(self) -> i64 {
        self.mtime_ns.div_euclid(1_000_000_000)
    }
}

/// What an index holds and how it is.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Status {
    /// The sources, by root.
    pub sources: Vec<SourceStatus>,
    /// How many documents it holds.
    pub documents: usize,
    /// How many chunks it holds.
    pub chunks: usize,
    /// The bytes of text it holds; what two documents share counts once.
    pub text_bytes: u64,
    /// The bytes it takes on disk.
    pub disk_bytes: u64,
    /// The state of the keyword index.
    pub keywords: Keywords,
    /// The state of the vectors.
    pub vectors: VectorStatus,
    /// What is being made anew by other settings, while the old state serves.
    pub building: Option<Building>,
}

/// A source that is being cut anew.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Building {
    /// Where the source is.
    pub root: PathBuf,
    /// How many documents it has.
    pub documents: usize,
    /// How many of them are still to be cut.
    pub remaining: usize,
}

/// The state of the vectors of an index.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct VectorStatus {
    /// The embedder whose vectors there are; none when there are none.
    pub embedder: Option<String>,
    /// How many documents changed since and lack theirs.
    pub behind: usize,
    /// Those that another embedder makes, to take their place when each document has some; none when none are being made.
    pub next: Option<NextVectors>,
    /// How many texts the embedder refuses: only keywords find them.
    pub refused: usize,
    /// The reason that it gave for one of them.
    pub refusal: Option<String>,
    /// Why the last sync got no vectors; none when it did.
    pub failure: Option<String>,
}

/// Vectors that are being made while those of another embedder serve.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct NextVectors {
    /// The embedder that makes them.
    pub embedder: String,
    /// How many documents lack theirs.
    pub behind: usize,
}

/// What an index holds of one source.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct SourceStatus {
    /// The name of the collection; none for a folder that was never added.
    pub name: Option<String>,
    /// Where the source is.
    pub root: PathBuf,
    /// How many documents of it the index holds.
    pub documents: usize,
    /// How many chunks.
    pub chunks: usize,
    /// The last sync; none while the first one has not begun to write.
    pub last_sync: Option<LastSync>,
    /// What was skipped, by reason; a skipped folder counts once. [`Index::skips`](crate::Index::skips) lists them.
    pub skipped: BTreeMap<SkipReason, usize>,
    /// What the last complete sync saw of it; none before the first.
    pub summary: Option<Summary>,
}

/// The last sync of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LastSync {
    /// When it began, in seconds since 1970.
    pub started: i64,
    /// When it ended, in seconds since 1970; none when it was interrupted or is under way.
    pub finished: Option<i64>,
}

/// The state of the keyword index, which is derived from the rest and can always be made again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Keywords {
    /// It holds every change.
    InStep,
    /// It lacks the latest changes.
    Behind,
    /// It is missing or cannot be read.
    Missing,
}

/// What a comparison of the keyword index with the rest found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Check {
    /// Documents in the index.
    pub documents: usize,
    /// Chunks in the index.
    pub chunks: usize,
    /// Documents of which the keyword index lacks chunks, or holds too many.
    pub differing: usize,
    /// Documents that only the keyword index knows.
    pub surplus: usize,
}

impl Check {
    /// Whether the keyword index holds exactly what the rest holds.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.differing == 0 && self.surplus == 0
    }
}
