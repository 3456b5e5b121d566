//! What a search asks of a store, in as few calls as there are steps that build on each other: a
//! [`Survey`] of what is searched, a [`Shortlist`] of chunks, and their [`Passages`].

use std::collections::HashMap;
use std::rc::Rc;

use excerpt_chunk::Hash;

use super::{
    ById, Candidate, Candidates, Features, LexicalQuery, Period, StoreError, StoredChunk,
    StoredDocument,
};
use crate::analysis::{Fit, Phrase};
use crate::embed::Embedder;
use crate::model::{ChunkKey, DocumentId, Note};

/// The part of an index that a filter allows, in one consistent state. Each call is one round trip
/// to the engine that holds it.
pub(crate) trait Snapshot {
    /// What is searched, and how rare the words of a question are in it.
    ///
    /// # Errors
    ///
    /// When the engine fails.
    fn survey(&self, request: &SurveyRequest<'_>) -> Result<Survey, StoreError>;

    /// The chunks that may be answers, with what their ranks depend on.
    ///
    /// # Errors
    ///
    /// [`StoreError::Torn`] when a derived file names a chunk that the data does not contain,
    /// although both have the same revision, and when the engine fails.
    fn shortlist(&self, request: &ShortlistRequest<'_>) -> Result<Shortlist, StoreError>;

    /// Chunks with their texts.
    ///
    /// # Errors
    ///
    /// When the engine fails.
    fn passages(&self, request: &PassageRequest<'_>) -> Result<Passages, StoreError>;
}

/// What to find out about the searched documents.
pub(crate) struct SurveyRequest<'a> {
    /// The words of the question.
    pub(crate) words: &'a [AskedWord<'a>],
    /// Whether a word exists, in what is searched or not.
    pub(crate) is_word: fn(&str) -> bool,
    /// The terms of its words one by one, if their vector is needed.
    pub(crate) pieces: &'a [String],
    /// Its phrases.
    pub(crate) phrases: &'a [Phrase],
    /// The period that it asks about.
    pub(crate) period: Option<&'a Period>,
    /// The embedder of the question, if vectors are to be searched.
    pub(crate) embedder: Option<&'a dyn Embedder>,
}

/// A word of the question.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AskedWord<'a> {
    pub(crate) term: &'a str,
    pub(crate) written: &'a str,
    /// How many of its letters may be wrong, if it does not occur; it may also be two words in one.
    /// `None` for a word that is only searched for as it is.
    pub(crate) edits: Option<u8>,
}

/// What is searched.
pub(crate) struct Survey {
    /// How many documents are searched.
    pub(crate) documents: usize,
    /// How many chunks are searched.
    pub(crate) chunks: u64,
    /// Whether the index never had a document.
    pub(crate) is_empty: bool,
    /// If the filter allows no document: its values that none has.
    pub(crate) unmatched: Option<Vec<Note>>,
    /// The [idf](super::idf) of each word; `None` for one that does not occur.
    pub(crate) weights: Vec<Option<f32>>,
    /// For each word that does not occur and may be misspelt: the nearest with a stem that does, or
    /// the two words that it consists of; `None` if there are none.
    pub(crate) meant: Vec<Option<String>>,
    /// How rare each piece is, from 0 for one that is everywhere to 1 for one in a single chunk.
    pub(crate) rarities: Vec<f32>,
    /// Whether a chunk contains all phrases.
    pub(crate) holds_phrases: bool,
    /// Whether a document has a date in the period.
    pub(crate) is_dated: bool,
    /// Whether there is more source code than prose.
    pub(crate) is_mostly_code: bool,
    /// The vectors that the question can be compared with, if an embedder is given.
    pub(crate) vectors: Option<VectorSupply>,
}

/// The vectors that a question can be compared with.
pub(crate) enum VectorSupply {
    /// Those of the embedder; of this many documents they are not those of the last version.
    Current { behind: usize },
    /// Those of another embedder, which still works, until those of the configured one are
    /// complete; this many documents still lack the latter.
    Former {
        embedder: &'static dyn Embedder,
        documents: usize,
        /// Why the configured one returned none at the last sync.
        failure: Option<String>,
    },
    /// None, perhaps because the embedder failed at the last sync.
    Missing { failure: Option<String> },
}

/// The vector of a question.
pub(crate) struct QueryVector {
    /// The identity of its embedder.
    pub(crate) embedder: String,
    pub(crate) numbers: Vec<f32>,
    /// [`Embedder::floor`].
    pub(crate) floor: Option<f32>,
}

/// Which chunks to list.
pub(crate) struct ShortlistRequest<'a> {
    /// The words of the question, and how many chunks to list at first.
    pub(crate) words: LexicalQuery<'a>,
    /// Whether to search by words, and not only to apply the phrases and exclusions.
    pub(crate) by_words: bool,
    /// The vector of the question, if vectors are searched.
    pub(crate) vector: Option<&'a QueryVector>,
    /// How many of the nearest chunks to list.
    pub(crate) nearest: usize,
    /// The period that the question asks about: the nearest chunks of its documents are listed,
    /// too, so many of them.
    pub(crate) period: Option<&'a Period>,
    pub(crate) nearest_of_period: usize,
    /// More chunks are listed until there are enough.
    pub(crate) enough: Enough,
}

/// How many answers a list must contain, if there are as many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Enough {
    Chunks(usize),
    Documents(usize),
}

/// The chunks that may be answers.
pub(crate) struct Shortlist {
    pub(crate) by_words: Candidates,
    /// The nearest by vector, best first.
    pub(crate) nearest: Vec<Candidate>,
    /// What the signals need to know of each. One that is missing here is no longer in the index.
    pub(crate) features: ById<ChunkKey, Rc<Features>>,
    pub(crate) documents: ById<DocumentId, Rc<StoredDocument>>,
    /// How well the versions of documents match the requested one.
    pub(crate) fits: ById<DocumentId, Fit>,
    /// Whether no other chunk contains any of the words.
    pub(crate) is_all: bool,
}

impl Shortlist {
    /// Whether it contains as many answers as are wanted.
    pub(crate) fn holds(&self, enough: Enough) -> bool {
        match enough {
            Enough::Chunks(wanted) => self.features.len() >= wanted,
            Enough::Documents(wanted) => self.documents.len() >= wanted,
        }
    }
}

/// Which chunks to read.
pub(crate) struct PassageRequest<'a> {
    /// Chunks by document.
    pub(crate) chunks: &'a [(&'a StoredDocument, Vec<ChunkKey>)],
    /// The vector to compare them with.
    pub(crate) vector: Option<&'a QueryVector>,
    /// How many bytes to read of the beginning of each document, at most.
    pub(crate) beginning: usize,
}

/// Chunks with their texts. One that is missing is no longer in the index.
#[derive(Default)]
pub(crate) struct Passages {
    pub(crate) chunks: HashMap<ChunkKey, StoredPassage>,
    /// The beginnings of the documents, by the hash of their texts.
    pub(crate) beginnings: HashMap<Hash, String>,
}

/// A chunk with its text.
pub(crate) struct StoredPassage {
    pub(crate) chunk: StoredChunk,
    pub(crate) text: String,
    /// The cosine of its vector and that of the question; `None` without a vector.
    pub(crate) cosine: Option<f32>,
}
