//! From text to vectors: texts that mean alike lie near each other, and near is the cosine.
//!
//! An [`Embedder`] is asked for [`Vectors`], one for each text, each at unit length. [`StaticTable`] is the one that is built in;
//! [`HttpEmbedder`] asks an endpoint for them.

mod characters;
#[cfg(test)]
pub(crate) mod conformance;
mod http;
mod static_table;
mod wordpiece;

pub use http::{HttpCheck, HttpEmbedder, HttpOptions};
pub use static_table::StaticTable;

use std::sync::LazyLock;

/// The embedder of this identity, if it is there whatever is configured: the [`StaticTable`] that is built in.
pub(crate) fn always_there(identity: &str) -> Option<&'static dyn Embedder> {
    static BUILT_IN: LazyLock<Option<StaticTable>> = LazyLock::new(|| StaticTable::built_in().ok());
    let table = BUILT_IN.as_ref()?;
    (table.identity() == identity).then_some(table)
}

/// What makes vectors of texts.
pub trait Embedder: Send + Sync {
    /// What a vector depends on besides its text, in one word: two embedders of one identity give the same vectors.
    fn identity(&self) -> &str;

    /// How many numbers a vector has.
    fn dimensions(&self) -> usize;

    /// What the cosine of a text and a question must at least be, with what the words that they share add to it, for the only text of an index to be
    /// taken for an answer; among more texts it must be higher. None when that is not known: then no text is marked as a weak match.
    fn floor(&self) -> Option<f32> {
        None
    }

    /// How many texts to give at once, at best, before their vectors are kept: what a process that is ended loses at most. Default: 256.
    fn at_once(&self) -> usize {
        256
    }

    /// How many tokens are embedded at once. A longer text is embedded in windows of so many, and has the mean of their vectors.
    fn max_input(&self) -> usize;

    /// Appends the vectors of `texts` to `vectors`, in the order of the texts.
    ///
    /// # Errors
    ///
    /// [`EmbedError`] when one of them cannot be had: then `vectors` is as it was.
    fn embed_documents(&self, texts: &[&str], vectors: &mut Vectors) -> Result<(), EmbedError>;

    /// The vector of a question, given in pieces that together are its text. A piece has the weight that its words have among the others in the
    /// searched texts, from 0 on; an embedder that cannot weigh words embeds the text as it is.
    ///
    /// # Errors
    ///
    /// [`EmbedError::Unavailable`] when it cannot be had.
    fn embed_query(&self, pieces: &[(&str, f32)]) -> Result<Vec<f32>, EmbedError>;
}

/// Why there is no vector.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EmbedError {
    /// One text is not embedded, whatever is tried; others may be.
    #[error("a text cannot be embedded: {reason}")]
    Refused {
        /// Its position among the texts.
        text: usize,
        /// What the embedder says.
        reason: String,
    },
    /// The embedder gives no vectors at the moment, or not as it is configured.
    #[error("no vectors from `{identity}`: {reason}")]
    Unavailable {
        /// The [identity](Embedder::identity) of the embedder.
        identity: String,
        /// What went wrong, and what may be done about it.
        reason: String,
    },
}

/// Vectors of one length, one behind the other. Cleared and used again, it allocates nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Vectors {
    dimensions: usize,
    numbers: Vec<f32>,
}

impl Vectors {
    /// None yet, of so many numbers each.
    ///
    /// # Panics
    ///
    /// When `dimensions` is 0.
    #[must_use]
    pub fn new(dimensions: usize) -> Vectors {
        assert!(dimensions > 0, "a vector has at least one number");
        Vectors {
            dimensions,
            numbers: Vec::new(),
        }
    }

    /// How many vectors there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.numbers.len() / self.dimensions
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// How many numbers each has.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// The vectors in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[f32]> {
        self.numbers.chunks_exact(self.dimensions)
    }

    /// Appends a nought vector, and lends it to be filled.
    pub fn add(&mut self) -> &mut [f32] {
        self.add_many(1)
    }

    /// Appends nought vectors, and lends them to be filled, one behind the other.
    pub fn add_many(&mut self, count: usize) -> &mut [f32] {
        let from = self.numbers.len();
        self.numbers.resize(from + count * self.dimensions, 0.0);
        &mut self.numbers[from..]
    }

    /// Takes all away and keeps the room.
    pub fn clear(&mut self) {
        self.numbers.clear();
    }
}

/// Brings a vector to unit length. The nought vector stays what it is.
fn to_unit_length(vector: &mut [f32]) {
    // Eight sums beside each other, which a processor can do at once; always in this order, so that each machine gets the same.
    let mut squares = [0.0_f32; 8];
    for numbers in vector.chunks(squares.len()) {
        for (sum, number) in squares.iter_mut().zip(numbers) {
            *sum += number * number;
        }
    }
    let length = squares.iter().sum::<f32>().sqrt();
    if length > 0.0 {
        for number in vector {
            *number /= length;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_come_back_in_the_order_they_were_added() {
        let mut vectors = Vectors::new(2);
        assert!(vectors.is_empty());
        vectors.add().copy_from_slice(&[1.0, 2.0]);
        vectors.add()[1] = 3.0;
        let all: Vec<&[f32]> = vectors.iter().collect();
        assert_eq!(all, [[1.0, 2.0], [0.0, 3.0]]);
        assert_eq!((vectors.len(), vectors.dimensions()), (2, 2));
        vectors.clear();
        assert_eq!(vectors, Vectors::new(2));
    }

    #[test]
    fn unit_length_keeps_the_direction_and_nought() {
        let mut vector = [3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -4.0];
        to_unit_length(&mut vector);
        assert_eq!((vector[0], vector[9]), (0.6, -0.8));
        let mut nought = [0.0; 3];
        to_unit_length(&mut nought);
        assert_eq!(nought, [0.0; 3]);
    }
}
