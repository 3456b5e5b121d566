//! The built-in embedder: a row of numbers per token; the vector of a text is the sum of its
//! tokens' rows, scaled to unit length.
//!
//! `models/static/README.md` documents the origin of the table, its quality, and its file format.

use std::fmt;
use std::sync::LazyLock;

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use super::wordpiece::{MOST, WordPiece};
use super::{EmbedError, Embedder, Vectors, to_unit_length};
use crate::analysis::is_latin;
use crate::cores::on_all_cores;
use crate::model::{Error, Result};

/// The table inside the program. The file exists once, where it is built and documented: a copy
/// here could become out of date. The crate is only published as part of the program, so it is
/// never packaged without that folder.
static TABLE: &[u8] = include_bytes!("../../table/table.bin");

/// Its SHA-256, as `sha256sum` writes it. A test compares the two: at startup, that would take
/// longer than everything else.
const SUM: &str = include_str!("../../table/table.sha256");

/// How many digits of the checksum name the table.
const NAMING: usize = 16;

/// Incremented whenever a text gets a different vector from the same table.
const RULES: u32 = 1;

const MAGIC: [u8; 8] = *b"XSTATIC\0";
const FORMAT: u32 = 1;
const BITS: u32 = 4;
/// Every part of the file starts at a multiple of this.
const ALIGN: usize = 64;
const UNKNOWN: &str = "[UNK]";
/// The offset added to numbers so that they are not negative in the file.
const RAISED: f32 = 8.0;

/// A table of tokens, read in place.
pub struct StaticTable {
    identity: String,
    words: WordPiece<'static>,
    /// A row's scale, little-endian.
    scales: &'static [[u8; 4]],
    /// The rows, two numbers to a byte.
    codes: &'static [u8],
    dimensions: usize,
    max_input: usize,
    /// The capabilities of the processor.
    arch: Arch,
}

impl StaticTable {
    /// The built-in table. Takes most of a millisecond, so keep it.
    ///
    /// # Errors
    ///
    /// [`Error::Table`] when the program is damaged.
    pub fn built_in() -> Result<StaticTable> {
        let sum = SUM.get(..NAMING).unwrap_or(SUM);
        StaticTable::read(TABLE, sum).map_err(|fault| Error::Table {
            source: fault.into(),
        })
    }

    /// The built-in table, read once for the whole process; `None` if it is damaged.
    pub(crate) fn shared() -> Option<&'static StaticTable> {
        static BUILT_IN: LazyLock<Option<StaticTable>> =
            LazyLock::new(|| StaticTable::built_in().ok());
        BUILT_IN.as_ref()
    }

    /// Reads a table and checks everything that would otherwise fail later.
    fn read(file: &'static [u8], sum: &str) -> Result<StaticTable, BadTable> {
        let header = Header::read(file)?;
        let [words, scales, codes] = header.parts(file)?;
        let words = std::str::from_utf8(words).map_err(|_| BadTable::NotText)?;
        let Some(words) = WordPiece::new(words, header.count, header.unknown) else {
            return Err(BadTable::Count {
                found: words.matches('\n').count(),
                said: header.count,
            });
        };
        let count = words.count();
        if header.unknown as usize >= count || words.token(header.unknown) != UNKNOWN {
            return Err(BadTable::Unknown);
        }
        let (scales, _) = scales.as_chunks();
        if let Some(token) = scales.iter().position(|scale| !is_scale(*scale)) {
            return Err(BadTable::Scale { token });
        }
        Ok(StaticTable {
            identity: format!("static-{FORMAT}.{RULES}-{sum}"),
            words,
            scales,
            codes,
            dimensions: header.dimensions,
            max_input: header.max_input,
            arch: Arch::new(),
        })
    }

    /// How many tokens there are.
    #[must_use]
    pub fn vocabulary(&self) -> usize {
        self.words.count()
    }

    /// A token as written in the vocabulary; `##` marks one that continues a word.
    ///
    /// # Panics
    ///
    /// When the table has no token with this number.
    #[must_use]
    pub fn token(&self, number: u32) -> &str {
        self.words.token(number)
    }

    /// Whether a word, in any case, is a token by itself.
    pub(crate) fn has_word(&self, word: &str) -> bool {
        self.words.number(&word.to_lowercase()).is_some()
    }

    /// Appends the numbers of a text's tokens to `tokens`.
    pub fn tokenize(&self, text: &str, tokens: &mut Vec<u32>) {
        self.words.tokenize(text, tokens);
    }

    /// Fills `vector`, which is zero.
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

    /// Adds the rows of tokens to a vector, each `weight` times. The numbers are the same on every
    /// processor: wider ones compute more of them at once, each in the same steps.
    fn sum(&self, tokens: &[u32], weight: f32, vector: &mut [f32]) {
        self.arch.dispatch(Sum {
            table: self,
            tokens,
            weight,
            vector,
        });
    }

    #[inline(always)]
    fn sum_rows(&self, tokens: &[u32], weight: f32, vector: &mut [f32]) {
        let (lower, upper) = vector.split_at_mut(self.dimensions / 2);
        let mut raised = 0.0;
        for tokens in tokens.chunks(TOGETHER) {
            // Where fewer are left, the first one fills in with a weight of zero.
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

    #[inline(always)]
    fn scale(&self, token: u32) -> f32 {
        f32::from_le_bytes(self.scales[token as usize])
    }

    #[inline(always)]
    fn row(&self, token: u32) -> &[u8] {
        let bytes = self.dimensions / 2;
        &self.codes[token as usize * bytes..][..bytes]
    }
}

/// The arguments of [`StaticTable::sum_rows`]: a closure would be compiled for the processors that
/// all have in common.
struct Sum<'a> {
    table: &'a StaticTable,
    tokens: &'a [u32],
    weight: f32,
    vector: &'a mut [f32],
}

impl WithSimd for Sum<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        self.table.sum_rows(self.tokens, self.weight, self.vector);
    }
}

/// How many rows are added at once: each number of the sum is then read and written once for all of
/// them.
const TOGETHER: usize = 4;

/// How many bytes of a row are added at once, where it has as many: the compiler only vectorizes a
/// loop whose length it knows.
const LANES: usize = 32;

/// Adds rows, each times its scale, to the two halves of a vector. The lower and upper halves of
/// the bytes are the halves of a row, so nothing needs shuffling.
#[inline(always)]
fn add(rows: [&[u8]; TOGETHER], scales: [f32; TOGETHER], lower: &mut [f32], upper: &mut [f32]) {
    let [a, b, c, d] = rows.map(|row| row.as_chunks::<LANES>());
    let (lower, lower_rest) = lower.as_chunks_mut::<LANES>();
    let (upper, upper_rest) = upper.as_chunks_mut::<LANES>();
    let rows = a.0.iter().zip(b.0).zip(c.0.iter().zip(d.0));
    for ((lower, upper), ((a, b), (c, d))) in lower.iter_mut().zip(upper).zip(rows) {
        add_lanes([a, b, c, d].map(|row| &row[..]), scales, lower, upper);
    }
    add_lanes([a.1, b.1, c.1, d.1], scales, lower_rest, upper_rest);
}

/// Adds slices of equal length.
#[inline(always)]
fn add_lanes(
    [a, b, c, d]: [&[u8]; TOGETHER],
    scales: [f32; TOGETHER],
    lower: &mut [f32],
    upper: &mut [f32],
) {
    let times = |codes: [u8; TOGETHER]| {
        let [a, b, c, d] = codes.map(f32::from);
        (a * scales[0] + b * scales[1]) + (c * scales[2] + d * scales[3])
    };
    for lane in 0..lower.len() {
        let codes = [a[lane], b[lane], c[lane], d[lane]];
        lower[lane] += times(codes.map(|code| code & 15));
        upper[lane] += times(codes.map(|code| code >> 4));
    }
}

/// Buffers of one call.
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

    /// With it, 9 % of the queries without an answer go unmarked and 2.5 % of those with one are
    /// marked; 13 % and 1.8 % with 0.15, 6 % and 3.7 % with 0.25. `docs/ranking.md` has the figures
    /// of each set.
    fn floor(&self) -> Option<f32> {
        Some(0.2)
    }

    /// Its tokens are English: of words in other letters than Latin ones, it only knows the single
    /// letters, which are alike in all texts.
    fn knows_script_of(&self, text: &str) -> bool {
        is_latin(text)
    }

    fn max_input(&self) -> usize {
        self.max_input
    }

    fn at_once(&self) -> usize {
        // They take a third of a second, and the more there are, the less it costs to write each.
        8_192
    }

    fn embed_documents(&self, texts: &[&str], vectors: &mut Vectors) -> Result<(), EmbedError> {
        let rows = vectors.add_many(texts.len());
        on_all_cores(|| {
            let rows = rows.par_chunks_mut(self.dimensions).zip(texts);
            rows.for_each_init(Scratch::default, |scratch, (vector, text)| {
                self.embed(text, scratch, vector);
            });
        });
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

/// The header of the file.
struct Header {
    count: usize,
    dimensions: usize,
    max_input: usize,
    unknown: u32,
    /// The offset and length of the vocabulary, the offset of the scales, the offset of the codes.
    places: [u64; 4],
}

impl Header {
    const BYTES: usize = 64;

    fn read(file: &[u8]) -> Result<Header, BadTable> {
        let Some(header) = file.first_chunk::<{ Header::BYTES }>() else {
            return Err(BadTable::Short { bytes: file.len() });
        };
        let (words, _) = header.as_chunks::<4>();
        let word = |at: usize| u32::from_le_bytes(words[at / 4]);
        let long = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
        if !header.starts_with(&MAGIC) {
            return Err(BadTable::Magic);
        }
        if word(8) != FORMAT {
            return Err(BadTable::Format { found: word(8) });
        }
        if word(20) != BITS {
            return Err(BadTable::Bits { found: word(20) });
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
                return Err(BadTable::Size { what, found, most });
            }
        }
        match header.dimensions % 2 {
            0 => Ok(header),
            _ => Err(BadTable::Odd {
                found: header.dimensions,
            }),
        }
    }

    /// The vocabulary, the scales and the codes, one after the other with less than [`ALIGN`] bytes
    /// between them.
    fn parts<'f>(&self, file: &'f [u8]) -> Result<[&'f [u8]; 3], BadTable> {
        let [words, words_bytes, scales, codes] = self.places;
        // The checked sizes keep both products in range.
        let scales_bytes = self.count as u64 * 4;
        let codes_bytes = self.count as u64 * (self.dimensions as u64 / 2);
        let mut end = Header::BYTES;
        let mut part = |name, from: u64, bytes: u64| {
            let fault = BadTable::Part { name, from, bytes };
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
            false => Err(BadTable::Length {
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
enum BadTable {
    #[error("it has {bytes} bytes, but its header alone takes {}", Header::BYTES)]
    Short { bytes: usize },
    #[error("it does not start like a token table")]
    Magic,
    #[error("it has format {found}, expected {FORMAT}")]
    Format { found: u32 },
    #[error("its numbers have {found} bits, expected {BITS}")]
    Bits { found: u32 },
    #[error("it has {found} {what}, expected 1 to {most}")]
    Size {
        what: &'static str,
        found: usize,
        most: usize,
    },
    #[error("it has {found} dimensions, which do not fill whole bytes")]
    Odd { found: usize },
    #[error("its {name} cannot be {bytes} bytes at offset {from}")]
    Part {
        name: &'static str,
        from: u64,
        bytes: u64,
    },
    #[error("it has {found} bytes, but its header says {said}")]
    Length { found: usize, said: usize },
    #[error("its vocabulary is not UTF-8")]
    NotText,
    #[error("its vocabulary has {found} lines, but its header says {said} tokens")]
    Count { found: usize, said: usize },
    #[error("its token for unknown words is not `{UNKNOWN}`")]
    Unknown,
    #[error("the scale of token {token} is not a number of at least 0")]
    Scale { token: usize },
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use sha2::{Digest, Sha256};

    use super::*;
    use crate::embed::conformance::conforms;

    fn built_in() -> StaticTable {
        StaticTable::built_in().unwrap()
    }

    /// A file of tokens, each with its scale and its row.
    fn file(tokens: &[(&str, f32, [i8; 4])], max_input: u32) -> Vec<u8> {
        let mut parts = [Vec::new(), Vec::new(), Vec::new()];
        for (token, scale, [a, b, c, d]) in tokens {
            parts[0].extend_from_slice(format!("{token}\n").as_bytes());
            parts[1].extend_from_slice(&scale.to_le_bytes());
            let code = |lower: i8, upper: i8| (lower + 8) as u8 | ((upper + 8) as u8) << 4;
            parts[2].extend_from_slice(&[code(*a, *c), code(*b, *d)]);
        }
        let mut file = MAGIC.to_vec();
        for number in [FORMAT, tokens.len() as u32, 4, BITS, max_input, 0] {
            file.extend_from_slice(&number.to_le_bytes());
        }
        let words = Header::BYTES;
        let scales = (words + parts[0].len()).next_multiple_of(ALIGN);
        let codes = (scales + parts[1].len()).next_multiple_of(ALIGN);
        for number in [words, parts[0].len(), scales, codes] {
            file.extend_from_slice(&(number as u64).to_le_bytes());
        }
        for part in parts {
            file.extend_from_slice(&part);
            file.resize(file.len().next_multiple_of(ALIGN), 0);
        }
        file
    }

    const TOKENS: [(&str, f32, [i8; 4]); 4] = [
        ("[UNK]", 0.0, [0, 0, 0, 0]),
        ("tea", 1.0, [3, 0, 0, 4]),
        ("##pot", 0.5, [-6, 0, 0, 0]),
        ("cup", 2.0, [0, -7, 7, 0]),
    ];

    fn small() -> Vec<u8> {
        file(&TOKENS, 2)
    }

    fn read(file: Vec<u8>) -> Result<StaticTable, BadTable> {
        StaticTable::read(file.leak(), "sum")
    }

    fn document(table: &StaticTable, text: &str) -> Vec<f32> {
        let mut vectors = Vectors::new(table.dimensions());
        table.embed_documents(&[text], &mut vectors).unwrap();
        vectors.iter().next().unwrap().to_vec()
    }

    fn close(one: &[f32], other: &[f32]) -> bool {
        let near = |(one, other): (&f32, &f32)| (one - other).abs() < 1e-6;
        one.len() == other.len() && one.iter().zip(other).all(near)
    }

    #[test]
    fn the_built_in_table_keeps_the_promises_of_an_embedder() {
        conforms(&built_in());
    }

    #[test]
    fn the_numbers_are_the_same_on_every_processor() {
        let table = built_in();
        let mut tokens = Vec::new();
        table.tokenize(
            "Green tea, brewed at 80 °C: parseHTTPConfig(x86)",
            &mut tokens,
        );
        for count in 0..=tokens.len() {
            let (mut widest, mut narrowest) = (vec![0.0; 256], vec![0.0; 256]);
            table.sum(&tokens[..count], 0.75, &mut widest);
            table.sum_rows(&tokens[..count], 0.75, &mut narrowest);
            let bits = |vector: &[f32]| vector.iter().map(|it| it.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&widest), bits(&narrowest));
        }
    }

    #[test]
    fn a_small_table_keeps_them_too() {
        conforms(&read(small()).unwrap());
    }

    #[test]
    fn the_built_in_table_is_the_one_whose_sum_stands_beside_it() {
        let mut sum = String::new();
        for byte in Sha256::digest(TABLE) {
            write!(sum, "{byte:02x}").unwrap();
        }
        assert_eq!(SUM, format!("{sum}  table.bin\n"));
        let identity = format!("static-1.1-{}", &sum[..16]);
        assert_eq!(built_in().identity(), identity);
    }

    #[test]
    fn the_built_in_table_has_the_size_that_its_description_says() {
        let table = built_in();
        assert_eq!(table.vocabulary(), 30_522);
        assert_eq!((table.dimensions(), table.max_input()), (256, 2_048));
    }

    #[test]
    fn a_vector_is_the_sum_of_the_rows_at_unit_length() {
        let table = read(small()).unwrap();
        assert!(close(&document(&table, "Tea"), &[0.6, 0.0, 0.0, 0.8]));
        // (3, 0, 0, 4) and half of (-6, 0, 0, 0).
        assert!(close(&document(&table, "teapot"), &[0.0, 0.0, 0.0, 1.0]));
        let half = 0.5_f32.sqrt();
        assert!(close(
            &document(&table, "cup cup"),
            &[0.0, -half, half, 0.0]
        ));
    }

    #[test]
    fn a_text_longer_than_a_window_has_the_mean_of_its_windows() {
        let table = read(small()).unwrap();
        // Two windows, `tea tea` and `cup`, with equal weight.
        let half = 0.5_f32.sqrt();
        let [x, y] = [0.6 * half, half * half];
        let expected = [x, -y, y, 0.8 * half];
        assert!(close(&document(&table, "tea tea cup"), &expected));
    }

    #[test]
    fn a_question_of_one_piece_has_the_vector_of_a_document() {
        let table = built_in();
        let text = "How do I rotate the API key of a service account?";
        let question = table.embed_query(&[(text, 1.0)]).unwrap();
        assert_eq!(question, document(&table, text));
    }

    #[test]
    fn the_weight_of_a_piece_moves_a_question_towards_it() {
        let table = read(small()).unwrap();
        let question = |tea, cup| table.embed_query(&[("tea ", tea), ("cup", cup)]).unwrap();
        assert!(close(&question(1.0, 0.0), &document(&table, "tea")));
        assert!(close(&question(1.0, 1.0), &document(&table, "tea cup")));
        assert!(close(&question(2.0, 2.0), &document(&table, "tea cup")));
        let tea = document(&table, "tea");
        let nearness = |question: Vec<f32>| -> f32 {
            question
                .iter()
                .zip(&tea)
                .map(|(one, other)| one * other)
                .sum()
        };
        assert!(nearness(question(2.0, 1.0)) > nearness(question(1.0, 1.0)));
    }

    #[test]
    fn a_text_without_a_known_token_has_the_zero_vector() {
        let table = built_in();
        for text in ["", " \n\t", "\u{200B}", "\u{1F980} \u{1F980}"] {
            assert_eq!(document(&table, text), [0.0; 256], "{text:?}");
            assert_eq!(table.embed_query(&[(text, 1.0)]).unwrap(), [0.0; 256]);
        }
        assert_eq!(table.embed_query(&[]).unwrap(), [0.0; 256]);
    }

    #[test]
    fn what_means_alike_is_nearer_than_what_does_not() {
        let table = built_in();
        let vector = |text| document(&table, text);
        let near = |one: &[f32], other: &[f32]| -> f32 {
            one.iter().zip(other).map(|(one, other)| one * other).sum()
        };
        let question = vector("delete a file");
        let [alike, other] = ["remove documents from disk", "the weather in spring"].map(vector);
        assert!(near(&question, &alike) > near(&question, &other) + 0.1);
    }

    #[test]
    fn every_token_of_the_vocabulary_is_found_as_itself() {
        let table = built_in();
        for number in 0..table.vocabulary() as u32 {
            assert_eq!(table.words.number(table.token(number)), Some(number));
        }
    }

    #[test]
    fn a_damaged_table_says_what_is_wrong_with_it() {
        let edited = |at: usize, bytes: &[u8]| {
            let mut file = small();
            file[at..at + bytes.len()].copy_from_slice(bytes);
            file
        };
        let number = |at: usize, number: u32| edited(at, &number.to_le_bytes());
        let longer = |by: usize| {
            let mut file = small();
            file.resize(file.len() + by, 0);
            file
        };
        let unended = {
            let mut file = small();
            let end = Header::BYTES + "[UNK]\ntea\n##pot\ncup".len();
            file[40] -= 1;
            file[end] = 0;
            file
        };
        let cases = [
            (
                small()[..63].to_vec(),
                "it has 63 bytes, but its header alone takes 64",
            ),
            (Vec::new(), "it has 0 bytes, but its header alone takes 64"),
            (edited(0, b"Y"), "it does not start like a token table"),
            (number(8, 2), "it has format 2, expected 1"),
            (number(20, 8), "its numbers have 8 bits, expected 4"),
            (number(12, 0), "it has 0 tokens, expected 1 to 1048575"),
            (
                number(12, 1 << 20),
                "it has 1048576 tokens, expected 1 to 1048575",
            ),
            (number(16, 0), "it has 0 dimensions, expected 1 to 65536"),
            (
                number(24, 0),
                "it has 0 tokens in a window, expected 1 to 1073741824",
            ),
            (
                number(16, 3),
                "it has 3 dimensions, which do not fill whole bytes",
            ),
            (
                number(32, 128),
                "its vocabulary cannot be 20 bytes at offset 128",
            ),
            (
                number(40, 10_000),
                "its vocabulary cannot be 10000 bytes at offset 64",
            ),
            (
                edited(40, &u64::MAX.to_le_bytes()),
                "its vocabulary cannot be 18446744073709551615 bytes at offset 64",
            ),
            (number(48, 64), "its scales cannot be 16 bytes at offset 64"),
            (number(56, 0), "its codes cannot be 8 bytes at offset 0"),
            (
                number(12, 100),
                "its scales cannot be 400 bytes at offset 128",
            ),
            (longer(64), "it has 320 bytes, but its header says 256"),
            (
                small()[..200].to_vec(),
                "it has 200 bytes, but its header says 256",
            ),
            (edited(70, b"\xFF"), "its vocabulary is not UTF-8"),
            (
                number(12, 3),
                "its vocabulary has 4 lines, but its header says 3 tokens",
            ),
            (
                unended,
                "its vocabulary has 3 lines, but its header says 4 tokens",
            ),
            (number(28, 1), "its token for unknown words is not `[UNK]`"),
            (number(28, 4), "its token for unknown words is not `[UNK]`"),
            (
                edited(128 + 4, &f32::NAN.to_le_bytes()),
                "the scale of token 1 is not a number of at least 0",
            ),
            (
                edited(128 + 12, &(-1.0_f32).to_le_bytes()),
                "the scale of token 3 is not a number of at least 0",
            ),
        ];
        for (file, message) in cases {
            assert_eq!(read(file).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn no_header_and_no_length_is_misread_into_a_panic() {
        for at in 0..Header::BYTES {
            for value in [0, 1, 2, 3, 63, 64, 65, 127, 128, 200, 255] {
                let mut file = small();
                file[at] = value;
                if let Ok(table) = read(file) {
                    document(&table, "tea teapot cup kettle");
                }
            }
        }
        for length in 0..small().len() {
            assert!(read(small()[..length].to_vec()).is_err(), "{length} bytes");
        }
    }

    #[test]
    fn what_is_shown_for_debugging_is_short() {
        let table = read(small()).unwrap();
        let shown = r#"StaticTable { identity: "static-1.1-sum", tokens: 4, .. }"#;
        assert_eq!(format!("{table:?}"), shown);
    }
}
