//! The embedder that is built in: a row of numbers for each token; a text's vector is the sum of its tokens' rows, at unit length.
//!
//! `models/static/README.md` says where the table comes from, what it is worth, and what each byte of its file means.

use std::fmt;

use super::wordpiece::{MOST, WordPiece};
use super::{EmbedError, Embedder, Vectors, to_unit_length};
use crate::{Error, Result};

/// The table that stands in the program. The file has one place, where it is made and described: a copy here could fall behind it.
/// The crate is published within the program alone, so that nothing packs it without the folder.
static TABLE: &[u8] = include_bytes!("../../../../models/static/table.bin");

/// Its SHA-256, as `sha256sum` writes it. A test compares the two: at start it would cost more than all else.
const SUM: &str = include_str!("../../../../models/static/table.sha256");

/// How many digits of it name the table.
const NAMING: usize = 16;

/// Raised whenever a text gets another vector from the same table.
const RULES: u32 = 1;

const MAGIC: [u8; 8] = *b"XSTATIC\0";
const FORMAT: u32 = 1;
const BITS: u32 = 4;
/// Every part of the file begins at a multiple of it.
const ALIGN: usize = 64;
const UNKNOWN: &str = "[UNK]";
/// What a number has been raised by, so that it is not below nought in the file.
const RAISED: f32 = 8.0;

/// A table of tokens, read where it lies.
pub struct StaticTable {
    identity: String,
    words: WordPiece<'static>,
    /// A row's scale, little-endian.
    scales: &'static [[u8; 4]],
    /// The rows, two numbers to a byte.
    codes: &'static [u8],
    dimensions: usize,
    max_input: usize,
}

impl StaticTable {
    /// The table that is built in. Takes half a millisecond, so one keeps it.
    ///
    /// # Errors
    ///
    /// [`Error::Table`] when the program was damaged.
    pub fn built_in() -> Result<StaticTable> {
        let sum = SUM.get(..NAMING).unwrap_or(SUM);
        StaticTable::read(TABLE, sum).map_err(|fault| Error::Table {
            source: fault.into(),
        })
    }

    /// Reads a table, and checks all that would else be found wrong later.
    fn read(file: &'static [u8], sum: &str) -> Result<StaticTable, Fault> {
        let header = Header::read(file)?;
        let [words, scales, codes] = header.parts(file)?;
        let words = std::str::from_utf8(words).map_err(|_| Fault::NotText)?;
        let count = words.bytes().filter(|byte| *byte == b'\n').count();
        if count != header.count || !words.ends_with('\n') {
            return Err(Fault::Count {
                found: count,
                said: header.count,
            });
        }
        let words = WordPiece::new(words, count, header.unknown);
        if header.unknown as usize >= count || words.token(header.unknown) != UNKNOWN {
            return Err(Fault::Unknown);
        }
        let (scales, _) = scales.as_chunks();
        if let Some(token) = scales.iter().position(|scale| !is_scale(*scale)) {
            return Err(Fault::Scale { token });
        }
        Ok(StaticTable {
            identity: format!("static-{FORMAT}.{RULES}-{sum}"),
            words,
            scales,
            codes,
            dimensions: header.dimensions,
            max_input: header.max_input,
        })
    }

    /// How many tokens there are.
    #[must_use]
    pub fn vocabulary(&self) -> usize {
        self.words.count()
    }

    /// A token as the vocabulary writes it; `##` marks what continues a word.
    ///
    /// # Panics
    ///
    /// When there are not so many tokens.
    #[must_use]
    pub fn token(&self, number: u32) -> &str {
        self.words.token(number)
    }

    /// Appends the numbers of a text's tokens to `tokens`.
    pub fn tokenize(&self, text: &str, tokens: &mut Vec<u32>) {
        self.words.tokenize(text, tokens);
    }

    /// Fills the nought vector `vector`.
    fn embed(&self, text: &str, scratch: &mut Scratch, vector: &mut [f32]) {
        let Scratch { tokens, window } = scratch;
        tokens.clear();
        self.words.tokenize(text, tokens);
        if tokens.len() <= self.max_input {
            self.sum(tokens, 1.0, vector);
        } else {
            for tokens in tokens.chunks(self.max_input) {
                window.clear();
                window.resize(self.dimensions, 0.0);
                self.sum(tokens, 1.0, window);
                to_unit_length(window);
                for (sum, number) in vector.iter_mut().zip(&*window) {
                    *sum += number;
                }
            }
        }
        to_unit_length(vector);
    }

    /// Adds the rows of tokens to a vector, each `weight` times.
    fn sum(&self, tokens: &[u32], weight: f32, vector: &mut [f32]) {
        let (lower, upper) = vector.split_at_mut(self.dimensions / 2);
        let mut raised = 0.0;
        for tokens in tokens.chunks(TOGETHER) {
            // Where fewer are left, the first one stands in with no weight.
            let mut rows = [self.row(tokens[0]); TOGETHER];
            let mut scales = [0.0; TOGETHER];
            for (at, token) in tokens.iter().enumerate() {
                rows[at] = self.row(*token);
                scales[at] = weight * self.scale(*token);
                raised += RAISED * scales[at];
            }
            add(rows, scales, lower, upper);
        }
        for number in vector {
            *number -= raised;
        }
    }

    fn scale(&self, token: u32) -> f32 {
        f32::from_le_bytes(self.scales[token as usize])
    }

    fn row(&self, token: u32) -> &[u8] {
        let bytes = self.dimensions / 2;
        &self.codes[token as usize * bytes..][..bytes]
    }
}

/// How many rows are added at once: each number of the sum is then read and written once for all of them.
const TOGETHER: usize = 4;

/// Adds rows, each times its scale, to the two halves of a vector. The halves of the bytes are the halves of a row, so that nothing is
/// shuffled, and the compiler makes vector instructions of it.
fn add(
    [a, b, c, d]: [&[u8]; TOGETHER],
    scales: [f32; TOGETHER],
    lower: &mut [f32],
    upper: &mut [f32],
) {
    let rows = a.iter().zip(b).zip(c.iter().zip(d));
    let sums = lower.iter_mut().zip(upper);
    let times = |codes: [u8; TOGETHER]| {
        let [a, b, c, d] = codes.map(f32::from);
        (a * scales[0] + b * scales[1]) + (c * scales[2] + d * scales[3])
    };
    for ((lower, upper), ((a, b), (c, d))) in sums.zip(rows) {
        *lower += times([a & 15, b & 15, c & 15, d & 15]);
        *upper += times([a >> 4, b >> 4, c >> 4, d >> 4]);
    }
}

/// What one call works in.
#[derive(Default)]
struct Scratch {
    tokens: Vec<u32>,
    window: Vec<f32>,
}

impl Embedder for StaticTable {
    fn identity(&self) -> &str {
        &self.identity
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn max_input(&self) -> usize {
        self.max_input
    }

    fn embed_documents(&self, texts: &[&str], vectors: &mut Vectors) -> Result<(), EmbedError> {
        let mut scratch = Scratch::default();
        for text in texts {
            self.embed(text, &mut scratch, vectors.add());
        }
        Ok(())
    }

    fn embed_query(&self, pieces: &[(&str, f32)]) -> Result<Vec<f32>, EmbedError> {
        let mut vector = vec![0.0; self.dimensions];
        let mut tokens = Vec::new();
        for (piece, weight) in pieces {
            tokens.clear();
            self.words.tokenize(piece, &mut tokens);
            self.sum(&tokens, *weight, &mut vector);
        }
        to_unit_length(&mut vector);
        Ok(vector)
    }
}

impl fmt::Debug for StaticTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StaticTable")
            .field("identity", &self.identity)
            .field("tokens", &self.vocabulary())
            .finish_non_exhaustive()
    }
}

/// What the file begins with.
struct Header {
    count: usize,
    dimensions: usize,
    max_input: usize,
    unknown: u32,
    /// Where the vocabulary begins, its length, where the scales begin, where the codes do.
    places: [u64; 4],
}

impl Header {
    const BYTES: usize = 64;

    fn read(file: &[u8]) -> Result<Header, Fault> {
        let Some(header) = file.first_chunk::<{ Header::BYTES }>() else {
            return Err(Fault::Short { bytes: file.len() });
        };
        let (words, _) = header.as_chunks::<4>();
        let word = |at: usize| u32::from_le_bytes(words[at / 4]);
        let long = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
        if !header.starts_with(&MAGIC) {
            return Err(Fault::Magic);
        }
        if word(8) != FORMAT {
            return Err(Fault::Format { found: word(8) });
        }
        if word(20) != BITS {
            return Err(Fault::Bits { found: word(20) });
        }
        let header = Header {
            count: word(12) as usize,
            dimensions: word(16) as usize,
            max_input: word(24) as usize,
            unknown: word(28),
            places: [long(32), long(40), long(48), long(56)],
        };
        let sizes = [
            ("tokens", header.count, MOST),
            ("dimensions", header.dimensions, 1 << 16),
            ("tokens in a window", header.max_input, 1 << 30),
        ];
        for (what, found, most) in sizes {
            if found == 0 || found > most {
                return Err(Fault::Size { what, found, most });
            }
        }
        match header.dimensions % 2 {
            0 => Ok(header),
            _ => Err(Fault::Odd {
                found: header.dimensions,
            }),
        }
    }

    /// The vocabulary, the scales and the codes, one behind the other with less than [`ALIGN`] bytes between them.
    fn parts<'f>(&self, file: &'f [u8]) -> Result<[&'f [u8]; 3], Fault> {
        let [words, words_bytes, scales, codes] = self.places;
        // Neither product exceeds what the sizes were held to.
        let scales_bytes = self.count as u64 * 4;
        let codes_bytes = self.count as u64 * (self.dimensions as u64 / 2);
        let mut end = Header::BYTES;
        let mut part = |name, from: u64, bytes: u64| {
            let fault = Fault::Part { name, from, bytes };
            let from = usize::try_from(from).ok();
            let from = from.filter(|from| *from == end.next_multiple_of(ALIGN));
            let found = from
                .zip(usize::try_from(bytes).ok())
                .and_then(|(from, bytes)| Some((from, from.checked_add(bytes)?)))
                .and_then(|(from, to)| Some((to, file.get(from..to)?)));
            let (to, part) = found.ok_or(fault)?;
            end = to;
            Ok(part)
        };
        let parts = [
            part("vocabulary", words, words_bytes)?,
            part("scales", scales, scales_bytes)?,
            part("codes", codes, codes_bytes)?,
        ];
        let said = end.next_multiple_of(ALIGN);
        match file.len() == said {
            true => Ok(parts),
            false => Err(Fault::Length {
                found: file.len(),
                said,
            }),
        }
    }
}

fn is_scale(scale: [u8; 4]) -> bool {
    let scale = f32::from_le_bytes(scale);
    scale.is_finite() && scale >= 0.0
}

/// What is wrong with a table.
#[derive(Debug, thiserror::Error, PartialEq)]
enum Fault {
    #[error(
        "it has {bytes} bytes, and its header alone would have {}",
        Header::BYTES
    )]
    Short { bytes: usize },
    #[error("it does not begin as a table does")]
    Magic,
    #[error("it has format {found}, and {FORMAT} is read")]
    Format { found: u32 },
    #[error("its numbers have {found} bits, and {BITS} are read")]
    Bits { found: u32 },
    #[error("it has {found} {what}, and 1 to {most} are read")]
    Size {
        what: &'static str,
        found: usize,
        most: usize,
    },
    #[error("it has {found} dimensions, which do not fill whole bytes")]
    Odd { found: usize },
    #[error("its {name} cannot be the {bytes} bytes from {from} on")]
    Part {
        name: &'static str,
        from: u64,
        bytes: u64,
    },
    #[error("it has {found} bytes, and {said} by its header")]
    Length { found: usize, said: usize },
    #[error("its vocabulary is not UTF-8")]
    NotText,
    #[error("its vocabulary has {found} lines, and {said} tokens by its header")]
    Count { found: usize, said: usize },
    #[error("its token for what is unknown is not `{UNKNOWN}`")]
    Unknown,
    #[error("the scale of token {token} is no number from 0 on")]
    Scale { token: usize },
}
