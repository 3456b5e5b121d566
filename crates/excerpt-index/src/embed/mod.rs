//! From text to vectors: texts with similar meaning have vectors with a high cosine.
//!
//! An [`Embedder`] computes [`Vectors`], one per text, each of unit length. [`StaticTable`] is
//! built in; [`HttpEmbedder`] gets them from an endpoint; `OnnxEmbedder` computes them with a model
//! on disk.

mod characters;
#[cfg(test)]
pub(crate) mod conformance;
mod http;
#[cfg(feature = "onnx")]
mod onnx;
mod static_table;
mod windows;
mod wordpiece;

pub use http::{HttpCheck, HttpEmbedder, HttpOptions};
#[cfg(feature = "onnx")]
pub use onnx::{OnnxEmbedder, OnnxOptions, Pooling};
pub use static_table::StaticTable;

use sha2::{Digest, Sha256};

/// The embedder with this identity, if it is available whatever the configuration: the built-in
/// [`StaticTable`].
pub(crate) fn always_there(identity: &str) -> Option<&'static dyn Embedder> {
    let table = StaticTable::shared()?;
    (table.identity() == identity).then_some(table)
}

/// Computes vectors from texts.
pub trait Embedder: Send + Sync {
    /// An identifier of everything a vector depends on besides its text: two embedders with the
    /// same identity return the same vectors.
    fn identity(&self) -> &str;

    /// How many numbers a vector has.
    fn dimensions(&self) -> usize;

    /// The least cosine of a text and a query, with what the words that they share add to it, for
    /// the only text of an index to count as an answer; among more texts it must be higher. `None`
    /// when unknown: then no text is marked as a weak match.
    fn floor(&self) -> Option<f32> {
        None
    }

    /// Whether the vector of a text says what it is about. `false` for a script that it does not
    /// know.
    fn knows_script_of(&self, text: &str) -> bool {
        let _ = text;
        true
    }

    /// How many texts to pass at once before their vectors are stored: the most that a killed
    /// process loses. Default: 256.
    fn at_once(&self) -> usize {
        256
    }

    /// How many tokens are embedded at once. A longer text is embedded in windows of this size and
    /// gets the mean of their vectors.
    fn max_input(&self) -> usize;

    /// Appends the vectors of `texts` to `vectors`, in the order of the texts.
    ///
    /// # Errors
    ///
    /// [`EmbedError`] when one of them cannot be embedded: then `vectors` is unchanged.
    fn embed_documents(&self, texts: &[&str], vectors: &mut Vectors) -> Result<(), EmbedError>;

    /// The vector of a query, given in pieces whose concatenation is its text. Each piece has a
    /// weight of at least 0: that of its words in the searched texts, relative to the others. An
    /// embedder that cannot weight words embeds the text as it is.
    ///
    /// # Errors
    ///
    /// [`EmbedError::Unavailable`] when it cannot be computed.
    fn embed_query(&self, pieces: &[(&str, f32)]) -> Result<Vec<f32>, EmbedError>;
}

/// Why there is no vector.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EmbedError {
    /// One text cannot be embedded, even on retry; others may.
    #[error("a text cannot be embedded: {reason}")]
    Refused {
        /// Its position among the texts.
        text: usize,
        /// The reason that the embedder gives.
        reason: String,
    },
    /// The embedder returns no vectors at the moment, or none with its configuration.
    #[error("no vectors from `{identity}`: {reason}")]
    Unavailable {
        /// The [identity](Embedder::identity) of the embedder.
        identity: String,
        /// What went wrong and what to do about it.
        reason: String,
    },
}

/// Embeds texts and passes the position and the vector of each to `take`, or why the embedder
/// refuses it.
///
/// # Errors
///
/// Any other error of the embedder. What has been passed until then is valid.
pub fn embed_each(
    embedder: &dyn Embedder,
    texts: &[&str],
    mut take: impl FnMut(usize, Result<&[f32], String>),
) -> Result<(), EmbedError> {
    let mut vectors = Vectors::new(embedder.dimensions());
    let mut pending = vec![(0, texts.len())];
    while let Some((start, end)) = pending.pop() {
        if start == end {
            continue;
        }
        vectors.clear();
        match embedder.embed_documents(&texts[start..end], &mut vectors) {
            Ok(()) => {
                for (text, vector) in (start..end).zip(vectors.iter()) {
                    take(text, Ok(vector));
                }
            }
            // What is before it has been embedded and is embedded again.
            Err(EmbedError::Refused { text, reason }) if text < end - start => {
                let refused = start + text;
                take(refused, Err(reason));
                pending.extend([(refused + 1, end), (start, refused)]);
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Vectors of the same length, one after the other. Reuse after [`Vectors::clear`] does not
/// allocate.
#[derive(Clone, Debug, PartialEq)]
pub struct Vectors {
    dimensions: usize,
    numbers: Vec<f32>,
}

impl Vectors {
    /// An empty list of vectors with this many numbers each.
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

    /// Appends a zero vector and returns it to be filled.
    pub fn add(&mut self) -> &mut [f32] {
        self.add_many(1)
    }

    /// Appends zero vectors and returns them to be filled, one after the other.
    pub fn add_many(&mut self, count: usize) -> &mut [f32] {
        let from = self.numbers.len();
        self.numbers.resize(from + count * self.dimensions, 0.0);
        &mut self.numbers[from..]
    }

    /// Removes all vectors and keeps the memory.
    pub fn clear(&mut self) {
        self.numbers.clear();
    }
}

/// A hash of everything that the vectors of an embedder depend on, for its
/// [identity](Embedder::identity).
fn identity_hash(numbers: &[u64], texts: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    for number in numbers {
        hash.update(number.to_le_bytes());
    }
    for text in texts {
        // The length marks where a text ends.
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    }
    let hash = hash.finalize();
    hash[..6].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Scales a vector to unit length. The zero vector is unchanged.
fn to_unit_length(vector: &mut [f32]) {
    // Eight partial sums, which a processor can compute at once; always in this order, so that
    // every machine gets the same result.
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
    fn unit_length_keeps_the_direction_and_zero() {
        let mut vector = [3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -4.0];
        to_unit_length(&mut vector);
        assert_eq!((vector[0], vector[9]), (0.6, -0.8));
        let mut zero = [0.0; 3];
        to_unit_length(&mut zero);
        assert_eq!(zero, [0.0; 3]);
    }
}
