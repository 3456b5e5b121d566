//! The result of a search: an [`Answer`] with its [`DocumentHits`] and [`Hit`]s, and the [`Note`]s
//! about it.

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use excerpt_chunk::{Hash, Span};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::error::shortened;
use super::{Encoding, Stat, counted, either};

/// What a search found.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Answer {
    /// The documents with their chunks, best first; with [`Rank::Chunks`](super::Rank::Chunks), one
    /// entry per chunk.
    pub documents: Vec<DocumentHits>,
    /// How many documents contain at least one of the words.
    pub documents_total: usize,
    /// How many documents were searched: those within the filter.
    pub documents_searched: usize,
    /// How many chunks contain at least one of the words.
    pub chunks_total: usize,
    /// Whether vectors contributed.
    pub vectors: bool,
    /// How long the search took.
    #[serde(rename = "seconds", serialize_with = "seconds")]
    pub elapsed: Duration,
    /// What the user should know about the answer.
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
    /// Words of the query, as written, that occur nowhere in what was searched.
    Absent(Vec<String>),
    /// Words of the query, as written, that occur nowhere in what was searched and are probably
    /// misspelt, each with the word that was searched for instead.
    Respelled(Vec<(String, String)>),
    /// Phrases of the query that no chunk contains. Their words were searched for instead.
    Scattered(Vec<String>),
    /// No document that matches without this filter has a value that it asks for.
    Unmatched {
        /// The filter: `tag`, `type`, `language` or a field of the front matter.
        filter: String,
        /// The requested values.
        asked: Vec<String>,
        /// Some of the existing values, the most frequent first.
        known: Vec<String>,
    },
    /// No document that matches without the filter by dates is dated in its period.
    Undated {
        /// How many documents there are.
        documents: usize,
        /// How many of them have a date.
        dated: usize,
    },
    /// Only the first words of the query were searched for.
    Shortened {
        /// How many.
        words: usize,
    },
    /// The query names a day or a longer period, and chunks of that time rank first.
    Dated {
        /// The words of the query that name it.
        said: String,
        /// The first and the last day, as `YYYY-MM-DD`; without a first, all days up to the last.
        days: (Option<String>, String),
    },
    /// The keyword index does not contain the latest changes yet.
    Behind {
        /// The process that is writing the index.
        holder: Option<u32>,
    },
    /// The keyword index was missing or damaged, or the file of the vectors' codes was damaged, and
    /// has been rebuilt.
    Rebuilt,
    /// There are no vectors yet.
    NoVectors,
    /// The vectors were not used, although they should have been.
    WithoutVectors {
        /// Why.
        reason: String,
    },
    /// The model that should have reordered the hits did not.
    NotReranked {
        /// Why.
        reason: String,
    },
    /// Some documents have no vectors yet and are found by keywords only.
    VectorsBehind {
        /// How many.
        documents: usize,
    },
    /// The vectors are still those of the previously configured embedder.
    FormerVectors {
        /// That embedder.
        embedder: String,
        /// How many documents lack vectors from the embedder configured now.
        documents: usize,
        /// Why the last sync got no vectors, if it got none.
        failure: Option<String>,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::Absent(words) => write!(f, "not found: {}", some(words)),
            Note::Respelled(words) => {
                let words = words.iter();
                let words =
                    words.map(|(written, meant)| format!("`{meant}` instead of `{written}`"));
                let words: Vec<String> = words.collect();
                write!(f, "searched for {}", words.join(", "))
            }
            Note::Scattered(phrases) => {
                let phrases = some(phrases);
                write!(
                    f,
                    "phrase not found: {phrases}; searched for its words instead"
                )
            }
            Note::Unmatched {
                filter,
                asked,
                known,
            } => unmatched(f, (filter, self.names_field()), asked, known),
            Note::Undated { documents, dated } => undated(f, *documents, *dated),
            Note::Shortened { words } => write!(
                f,
                "the query is too long: only its first {} used",
                match words {
                    1 => "word was".to_string(),
                    words => format!("{words} different words were"),
                }
            ),
            Note::Dated { said, days } => dated(f, said, days),
            Note::Behind {
                holder: Some(process),
            } => {
                write!(
                    f,
                    "process {process} is writing the index: its latest changes cannot be searched yet"
                )
            }
            Note::Behind { holder: None } => {
                f.write_str("the keyword index is out of date and lacks the latest changes")
            }
            Note::Rebuilt => {
                f.write_str("a file of the index was missing or damaged and has been rebuilt")
            }
            Note::NoVectors => {
                f.write_str("there are no vectors yet, so only keywords were searched")
            }
            Note::WithoutVectors { reason } => write!(f, "the vectors were not used: {reason}"),
            Note::NotReranked { reason } => write!(f, "the hits were not reranked: {reason}"),
            Note::VectorsBehind { documents } => {
                let (documents, have, are) = match documents {
                    1 => ("1 changed document".to_string(), "has", "is"),
                    count => (format!("{count} changed documents"), "have", "are"),
                };
                write!(
                    f,
                    "{documents} {have} no vectors yet and {are} found by keywords only"
                )
            }
            Note::FormerVectors {
                embedder,
                documents,
                failure,
            } => former_vectors(f, embedder, *documents, failure.as_deref()),
        }
    }
}

impl Note {
    /// Whether it is about a filter by a field of the front matter.
    #[must_use]
    pub fn names_field(&self) -> bool {
        match self {
            Note::Unmatched { filter, .. } => {
                !matches!(&**filter, "tag" | "type" | "language" | "version")
            }
            _ => false,
        }
    }
}

/// Words of a query, in backticks: as many as are useful, and of each the beginning.
fn some(words: &[String]) -> String {
    const NAMED: usize = 20;
    let named = words.iter().take(NAMED);
    let named: Vec<String> = named.map(|word| format!("`{}`", shortened(word))).collect();
    let more = match words.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more}", named.join(", "))
}

fn undated(f: &mut fmt::Formatter<'_>, documents: usize, dated: usize) -> fmt::Result {
    match (documents, dated) {
        (1, 0) => f.write_str("the document here has no date")?,
        (_, 0) => write!(f, "none of the {documents} documents here has a date")?,
        _ => write!(
            f,
            "no document here has a date in this period; {dated} of {documents} {} a date",
            either(dated, "has", "have")
        )?,
    }
    f.write_str(
        ": `since` and `until` compare dates in names of files, headings and front matter, and days of commits, but not the times of files",
    )
}

fn unmatched(
    f: &mut fmt::Formatter<'_>,
    (filter, is_field): (&str, bool),
    asked: &[String],
    known: &[String],
) -> fmt::Result {
    let asked = asked.iter().map(|value| shortened(value));
    let asked = asked.collect::<Vec<_>>().join("` or `");
    if is_field {
        let filter = shortened(filter);
        write!(f, "no document here has the front matter field `{filter}`")?;
        return match known.is_empty() {
            true => Ok(()),
            false => write!(
                f,
                " with the value `{asked}`; the values in use include `{}`",
                known.join("`, `")
            ),
        };
    }
    if known.is_empty() {
        return write!(f, "no document here has a {filter}");
    }
    write!(
        f,
        "no document here has the {filter} `{asked}`; the values in use include `{}`",
        known.join("`, `")
    )
}

fn dated(f: &mut fmt::Formatter<'_>, said: &str, days: &(Option<String>, String)) -> fmt::Result {
    match days {
        (None, last) => write!(
            f,
            "`{said}` is read as {last} or earlier: documents of that time come first"
        ),
        (Some(first), last) if first == last && first == said => {
            write!(f, "documents of {first} come first")
        }
        (Some(first), last) if first == last => write!(
            f,
            "`{said}` is read as {first}: documents of that day come first"
        ),
        (Some(first), last) => write!(
            f,
            "`{said}` is read as {first} to {last}: documents of that time come first"
        ),
    }
}

fn former_vectors(
    f: &mut fmt::Formatter<'_>,
    embedder: &str,
    documents: usize,
    failure: Option<&str>,
) -> fmt::Result {
    write!(
        f,
        "the vectors are still those of `{embedder}`, because {} {} none from the configured embedder yet",
        counted(documents, "document"),
        either(documents, "has", "have")
    )?;
    failure.map_or(Ok(()), |failure| write!(f, ": {failure}"))
}

impl Serialize for Note {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A matching document with its best chunks.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct DocumentHits {
    /// Its position in the answer, from 1.
    pub rank: usize,
    /// The root of its source.
    pub source: PathBuf,
    /// The name of the collection, if the source is one.
    pub collection: Option<String>,
    /// Its path inside the source.
    pub path: String,
    /// Its title.
    pub title: Option<String>,
    /// Its first heading.
    pub first_heading: Option<String>,
    /// Its front matter, and the attributes that the user gave it.
    pub metadata: Map<String, Value>,
    /// What its source knows about it, such as its last commit.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub provenance: Map<String, Value>,
    /// The encoding of its file. The places of its chunks refer to the text in UTF-8.
    pub encoding: Encoding,
    /// The metadata that its file had when it was indexed, if that is known.
    #[serde(skip)]
    pub stat: Option<Stat>,
    /// Its score: that of its best chunk, plus a little for further good chunks.
    pub score: f32,
    /// Its best chunks, best first.
    pub chunks: Vec<Hit>,
    /// The lower hits that were folded into this one, best first: see
    /// [`Query::fold_copies`](super::Query::fold_copies).
    pub also_in: Vec<AlsoIn>,
}

/// A document that says what a better hit says: a near-copy of its passages, or a translation of
/// the page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct AlsoIn {
    /// The root of its source.
    pub source: PathBuf,
    /// The name of the collection, if the source is one.
    pub collection: Option<String>,
    /// Its path inside the source.
    pub path: String,
    /// The first and the last line of its best chunk.
    pub lines: (usize, usize),
    /// The one part of its path that differs from that of the better hit, such as `fr`. `None` if
    /// the paths differ by more.
    pub part: Option<String>,
}

/// A matching chunk.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Hit {
    /// Its position among all matching chunks, from 1.
    pub rank: usize,
    /// How well the chunk matches: higher is better. Comparable only within one answer.
    pub score: f32,
    /// How much of the query's words the chunk contains, from 0 to 1; rarer words count more.
    pub coverage: f32,
    /// The cosine of the chunk's vector and the query's, from -1 to 1; `None` without vectors.
    pub cosine: Option<f32>,
    /// Whether the chunk is probably not an answer: it contains little of the query and its vector
    /// is not close.
    pub weak: bool,
    /// How the score is made up.
    pub explanation: Explanation,
    /// Whether the chunk contains every word of the query (except stop words) in its text, trail or
    /// path.
    pub all_words: bool,
    /// The id of the chunk.
    pub id: Hash,
    /// The document's path.
    pub path: String,
    /// Its position among the document's chunks, from 0.
    pub ordinal: usize,
    /// The place in the document.
    pub span: Span,
    /// The place to open: `path:first-last`, or `path#place`.
    pub citation: String,
    /// Where the chunk is in a file that is not text, such as `page=12`; `None` for text.
    pub place: Option<String>,
    /// The headings or scopes that enclose the chunk, outermost first.
    pub trail: Vec<String>,
    /// The headings or definitions inside the chunk.
    pub sections: Vec<String>,
    /// In source code, the names that the chunk defines.
    pub defines: Vec<String>,
    /// The kind of content of the chunk.
    pub kind: String,
    /// The language of a chunk that is one code block.
    pub language: Option<String>,
    /// The size of the chunk with its context, in the unit of the configuration.
    pub tokens: usize,
    /// The text, byte for byte.
    pub text: String,
    /// The best matching lines of the text.
    pub snippet: Snippet,
}

/// How a score is made up: the shares add up to it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Explanation {
    /// The contribution of the keyword index; `None` when it did not find the chunk.
    pub keywords: Option<Channel>,
    /// The contribution of the vectors; `None` when they did not find the chunk.
    pub vectors: Option<Channel>,
    /// The other contributions, in the order in which they were applied.
    pub signals: Vec<SignalShare>,
}

/// The contribution of one channel to the score of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Channel {
    /// The position among the channel's results, from 1.
    pub rank: usize,
    /// The channel's own score: BM25, or the cosine.
    pub score: f32,
    /// What it adds to the score.
    pub share: f32,
}

/// The effect of one signal on a score.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SignalShare {
    /// The signal.
    pub name: &'static str,
    /// What it multiplies the score by.
    pub factor: f32,
    /// What it adds to the score; negative for a factor below 1.
    pub share: f32,
}

/// A few lines of a chunk around the matching words: a slice of its text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Snippet {
    /// The text, byte for byte.
    pub text: String,
    /// The matching words: byte ranges in `text`, in order and without overlap.
    #[serde(serialize_with = "pairs")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<[usize; 2]>"))]
    pub marks: Vec<Range<usize>>,
    /// The line of the document where the snippet starts, from 1.
    pub line: usize,
}

fn pairs<S: Serializer>(ranges: &[Range<usize>], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(ranges.iter().map(|range| [range.start, range.end]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_name_the_filter_and_repeat_no_long_query() {
        let unmatched = |filter: &str, known: &[&str]| {
            let note = Note::Unmatched {
                filter: filter.to_string(),
                asked: vec!["b".to_string()],
                known: known.iter().map(ToString::to_string).collect(),
            };
            note.to_string()
        };
        assert_eq!(
            unmatched("owner", &["c"]),
            "no document here has the front matter field `owner` with the value `b`; the values in use include `c`"
        );
        assert_eq!(
            unmatched("owner", &[]),
            "no document here has the front matter field `owner`"
        );
        assert_eq!(unmatched("tag", &[]), "no document here has a tag");
        let undated = |documents, dated| Note::Undated { documents, dated }.to_string();
        assert!(undated(43, 0).starts_with("none of the 43 documents here has a date: `since`"));
        assert!(undated(1, 0).starts_with("the document here has no date: `since`"));
        assert!(undated(43, 2).starts_with(
            "no document here has a date in this period; 2 of 43 have a date: `since`"
        ));
        let long = Note::Absent(vec!["x".repeat(255); 30]).to_string();
        assert!(
            long.len() < 1_000 && long.ends_with(" and 10 more"),
            "{long}"
        );
    }
}
