//! What is answered: an [`Answer`] with its [`DocumentHits`] and [`Hit`]s, and what is to be said of it, the [`Note`]s.

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use excerpt_chunk::{Hash, Span};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::Encoding;

/// What a search found.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Answer {
    /// The documents with their chunks, best first; by [`Rank::Chunks`](super::Rank::Chunks) one entry a chunk.
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
    /// Words of the query that are nowhere in what was searched, as they were written.
    Absent(Vec<String>),
    /// Phrases of the query that no chunk holds all of: their words were searched for instead.
    Scattered(Vec<String>),
    /// A filter asks for what no document has that could be found without it.
    Unmatched {
        /// What it is about: `tag`, `type`, `language` or a field of the front matter.
        filter: String,
        /// What was asked for.
        asked: Vec<String>,
        /// What there is: some of it, what most documents have first.
        known: Vec<String>,
    },
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
            Note::Absent(words) => write!(f, "not found: `{}`", words.join("`, `")),
            Note::Scattered(phrases) => {
                write!(
                    f,
                    "phrase not found: `{}`; searched for its words instead",
                    phrases.join("`, `")
                )
            }
            Note::Unmatched {
                filter,
                asked,
                known,
            } => {
                write!(
                    f,
                    "no document here has the {filter} `{}`",
                    asked.join("` or `")
                )?;
                match known.is_empty() {
                    true => f.write_str(" or any other"),
                    false => write!(f, "; the values in use include `{}`", known.join("`, `")),
                }
            }
            Note::Shortened { words } => write!(
                f,
                "the query is too long: only its first {words} words were used"
            ),
            Note::Behind {
                holder: Some(process),
            } => {
                write!(
                    f,
                    "process {process} is writing the index: its latest changes cannot be searched yet"
                )
            }
            Note::Behind { holder: None } => f.write_str(
                "the keyword index is out of date and lacks the latest changes: run `excerpt sync`",
            ),
            Note::Rebuilt => {
                f.write_str("a file of the index was missing or damaged and has been rebuilt")
            }
            Note::NoVectors => f.write_str(
                "there are no vectors yet, so only keywords were searched: run `excerpt sync`",
            ),
            Note::WithoutVectors { reason } => write!(f, "the vectors were not used: {reason}"),
            Note::VectorsBehind { documents } => {
                let (documents, have, are) = match documents {
                    1 => ("1 changed document".to_string(), "has", "is"),
                    count => (format!("{count} changed documents"), "have", "are"),
                };
                write!(
                    f,
                    "{documents} {have} no vectors yet and {are} found by keywords only: run `excerpt sync`"
                )
            }
            Note::FormerVectors {
                embedder,
                documents,
                failure,
            } => {
                let documents = match documents {
                    1 => "1 document has".to_string(),
                    count => format!("{count} documents have"),
                };
                write!(
                    f,
                    "the vectors are still those of `{embedder}`, because {documents} none from the configured embedder yet: "
                )?;
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
    /// What its file is encoded in; the places of its chunks count the text in UTF-8.
    pub encoding: Encoding,
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
