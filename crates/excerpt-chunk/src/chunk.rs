//! The result of chunking: a [`Chunk`] is a verbatim slice of a document, with its place stored
//! next to it; a [`Chunking`] is all chunks of one document, with the reasons.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha2::{Digest, Sha256};

use crate::config::{ContextParts, Strategy};
use crate::document::DocumentInfo;
use crate::measure::Measure;
use crate::outline::Kind;
use crate::span::{CharRuler, Span};

/// The chunks of one document.
///
/// The chunks' own spans are in order and do not overlap; together with [`gaps`](Chunking::gaps)
/// they cover every byte of the document.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Chunking<'a> {
    /// The strategy that was used; never [`Strategy::Auto`].
    pub strategy: Strategy,
    /// Why this strategy: the configuration, or what was detected in the content.
    pub reason: String,
    /// What the sizes of the chunks count: the name of the [`Unit`](crate::Unit), or what the
    /// [`Sizer`](crate::Sizer) calls it.
    pub unit: String,
    /// The size of the whole text, without any context.
    pub size: usize,
    /// The chunks, in the order of the text.
    pub chunks: Vec<Chunk<'a>>,
    /// The bytes in no chunk: white space between chunks, a byte order mark, and delimiters that
    /// are excluded.
    #[serde(serialize_with = "pairs")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<[usize; 2]>"))]
    pub gaps: Vec<Range<usize>>,
    /// Warnings about the document as a whole.
    pub warnings: Vec<Warning>,
    /// What the document says about itself.
    pub document: DocumentInfo,
}

fn pairs<S: Serializer>(ranges: &[Range<usize>], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(ranges.iter().map(|range| [range.start, range.end]))
}

impl Chunking<'_> {
    /// The characters (Unicode scalar values) of each chunk, counted from 0: the same place as
    /// the bytes of its span. `source` is the text of the document.
    pub fn chars<'s>(&'s self, source: &'s str) -> impl Iterator<Item = Range<usize>> + 's {
        let mut chars = CharRuler::new(source);
        self.chunks.iter().map(move |chunk| {
            let bytes = &chunk.span.bytes;
            chars.at(bytes.start)..chars.at(bytes.end)
        })
    }

    /// Counts and sizes over all chunks.
    #[must_use]
    pub fn summary(&self) -> Summary {
        let sizes = || self.chunks.iter().map(|chunk| chunk.size.total);
        let warned = |test: fn(&Warning) -> bool| {
            let carriers = self
                .chunks
                .iter()
                .filter(|chunk| chunk.warnings.iter().any(test));
            carriers.count()
        };
        Summary {
            chunks: self.chunks.len(),
            mean: sizes().sum::<usize>() / self.chunks.len().max(1),
            smallest: sizes().min().unwrap_or(0),
            largest: sizes().max().unwrap_or(0),
            oversized: warned(|warning| matches!(warning, Warning::Oversized { .. })),
            undersized: warned(|warning| matches!(warning, Warning::Undersized)),
        }
    }
}

/// Counts and sizes over the chunks of a document; sizes are totals in the unit of the
/// [`Chunking`], zero without chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Summary {
    /// How many chunks there are.
    pub chunks: usize,
    /// The mean size, rounded down.
    pub mean: usize,
    /// The size of the smallest chunk.
    pub smallest: usize,
    /// The size of the largest chunk.
    pub largest: usize,
    /// How many chunks exceed the limit.
    pub oversized: usize,
    /// How many chunks are under `min`.
    pub undersized: usize,
}

/// A passage of a document: a verbatim slice, with its place and the reason for the split before
/// it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Chunk<'a> {
    /// Identifies the chunk by the path or [id](crate::Document::with_id) of the document, its
    /// text, and its number among equal texts in the document: an edit elsewhere changes no id.
    pub id: Hash,
    /// The position among the document's chunks, from 0.
    pub ordinal: usize,
    /// The chunk's own part of the document.
    pub span: Span,
    /// The part repeated in front of it, which ends where `span` begins. It is not in `text`.
    pub overlap: Option<Span>,
    /// Where it begins in the file that the text was extracted from, as the fragment of an address:
    /// `page=12`. Set by what reads the file; `None` where the lines of the text tell the place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The text: byte for byte that of the document at `span`.
    pub text: &'a str,
    /// The place of the chunk in its document.
    pub context: Context,
    /// The titles of the headings or definitions that do not contain all of the chunk: first those
    /// that it continues, then those inside it.
    pub sections: Vec<Arc<str>>,
    /// The names that source code defines here: those of the definitions whose signature begins in
    /// the chunk, each once.
    pub defines: Vec<Arc<str>>,
    /// What the chunk consists of.
    pub kind: Kind,
    /// The name of the definition, in source code.
    pub name: Option<Arc<str>>,
    /// The language, for a chunk of source code or one that is a single code block.
    pub language: Option<Arc<str>>,
    /// The dates (`YYYY-MM-DD`) in the file name and in the headings around and inside the chunk,
    /// and those of the mails, commits and entries of a log in it.
    pub dates: Vec<String>,
    /// The sizes, in the unit of the [`Chunking`]; `tokens` in JSON, whatever the unit.
    #[serde(rename = "tokens")]
    pub size: Sizes,
    /// Which part it is of what was split because of its size.
    pub part: Part,
    /// The split before the chunk.
    pub cut: Cut,
    /// The hash of the text alone.
    pub hash: Hash,
    /// Warnings about the chunk.
    pub warnings: Vec<Warning>,
}

impl<'a> Chunk<'a> {
    /// The text to embed: the [header](Context::header) of the context, then the overlap, then the
    /// text. `source` is the text of the document; from another text, the overlap may be missing or
    /// wrong.
    ///
    /// ```
    /// use excerpt_chunk::{Chunker, Document};
    ///
    /// let source = "# Guide\n\nRun the installer.\n";
    /// let chunking = Chunker::default().chunk(&Document::new(source).with_path("guide.md"));
    /// let embedded = chunking.chunks[0].embedded(source);
    /// assert_eq!(embedded, "guide.md\nGuide\n# Guide\n\nRun the installer.");
    /// ```
    #[must_use]
    pub fn embedded(&self, source: &'a str) -> Cow<'a, str> {
        let text = self.overlap.as_ref().and_then(|overlap| {
            let bytes = overlap.bytes.start..self.span.bytes.end;
            source.get(bytes)
        });
        embedded_text(&self.context.header, text.unwrap_or(self.text))
    }

    /// The title of the innermost heading around the chunk, with ` (part n)` if the section was
    /// split because of its size.
    #[must_use]
    pub fn title(&self) -> Option<String> {
        let title = self.context.trail.last().or(self.sections.first())?;
        Some(match self.part.count {
            1 => title.to_string(),
            _ => format!("{title} (part {})", self.part.index),
        })
    }

    /// The trail as one line: `Guide > Install > Linux`. Empty without headings.
    #[must_use]
    pub fn breadcrumb(&self) -> String {
        self.context.trail.join(" > ")
    }

    /// Whether the chunk continues what the previous one began.
    #[must_use]
    pub fn is_continuation(&self) -> bool {
        self.part.index > 1
    }
}

/// The text to embed for a chunk with this header: `text` is its text with the overlap before it.
/// [`Chunk::embedded`] is the same for a chunk whose document is at hand.
#[must_use]
pub fn embedded_text<'t>(header: &str, text: &'t str) -> Cow<'t, str> {
    match header {
        "" => Cow::Borrowed(text),
        header => Cow::Owned(format!("{header}{text}")),
    }
}

/// The place of a chunk in its document. Never part of its text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Context {
    /// The document's path.
    pub path: Option<Arc<str>>,
    /// The document's domain: the first folder of its path, ignoring one named `domains`.
    pub domain: Option<Arc<str>>,
    /// The document's title.
    pub title: Option<Arc<str>>,
    /// The headings (or scopes) shared by everything in the chunk, outermost first.
    pub trail: Vec<Arc<str>>,
    /// What a later part needs to be understood alone: the header rows of a table.
    pub lead: Option<Arc<str>>,
    /// The modules that the chunk is part of, in source code: those that the path stands for, then
    /// those of the trail.
    pub module_path: Vec<Arc<str>>,
    /// The signature of the definition that the chunk continues, or whose comment it is, in source
    /// code. If the chunk goes on past the definition's end, the trail does not contain it: then
    /// these are the signatures of everything that the chunk begins in and the trail lacks, a line
    /// each.
    pub signature: Option<Arc<str>>,
    /// The configured marker of a chunk that continues what the previous one began.
    pub continuation: Option<Arc<str>>,
    /// The imports that the chunk uses, in source code.
    pub imports: Vec<Arc<str>>,
    /// The text that is counted and embedded in front of the chunk: the parts chosen by
    /// [`Config::context`](crate::Config::context), within a quarter of `max`. Outer headings are
    /// dropped first. If the chunk begins in a section and goes on past its end, the headings of
    /// that section are in it, too.
    pub header: String,
}

impl Context {
    /// Writes the header: as many of the chosen parts as fit in `room` grains. Returns whether all
    /// of them fit. The trail goes on with the headings `continued`, those of the section that the
    /// chunk continues. `signed` says whether the signature is that of the last place in the trail.
    pub(crate) fn render(
        &mut self,
        parts: ContextParts,
        continued: &[Arc<str>],
        room: usize,
        measure: &Measure<'_>,
        signed: bool,
    ) -> bool {
        let chosen =
            |part, text: &'_ Option<Arc<str>>| text.clone().filter(|_| parts.contains(part));
        let mut path = chosen(ContextParts::PATH, &self.path);
        let mut lead = chosen(ContextParts::LEAD, &self.lead)
            .or_else(|| chosen(ContextParts::LEAD, &self.signature));
        let mut domain =
            chosen(ContextParts::DOMAIN, &self.domain).map(|domain| format!("domain: {domain}"));
        let title = chosen(ContextParts::TITLE, &self.title);
        let trail = self.trail.iter().chain(continued);
        let trail = trail.filter(|_| parts.contains(ContextParts::TRAIL));
        let trail: Vec<&str> = trail.map(|label| &**label).collect();
        let has_trail = !trail.is_empty();
        let title = title.filter(|title| trail.first() != Some(&&**title));
        let all: Vec<&str> = title.iter().map(|title| &**title).chain(trail).collect();
        // A signature names the last place of the trail once more.
        let named = signed && self.lead.is_none() && lead.is_some() && has_trail;
        let mut place = &all[..all.len() - usize::from(named)];
        let mut complete = true;
        let rows = self.lead.is_some();
        let mut marker = self
            .continuation
            .as_deref()
            .filter(|_| parts != ContextParts::NONE);
        loop {
            self.header.clear();
            let place_line = place.join(" > ");
            // The marker follows the place or, without one, the signature. Rows take no addition.
            let (line, last) = match lead.as_deref() {
                Some(signature) if place.is_empty() && !rows => (signature, None),
                last => (&*place_line, last),
            };
            let marked = [Some(line).filter(|line| !line.is_empty()), marker];
            let marked: Vec<&str> = marked.into_iter().flatten().collect();
            let marked = Some(marked.join(" ")).filter(|line| !line.is_empty());
            for line in [path.as_deref(), domain.as_deref(), marked.as_deref(), last] {
                self.header
                    .extend(line.into_iter().flat_map(|line| [line, "\n"]));
            }
            if measure.of(&self.header) <= room {
                return complete;
            }
            complete = false;
            // What a reader misses least is dropped first: outer headings, a marker alone, the
            // domain, the path, the last heading, the header rows or signature.
            match place {
                [_, inner @ ..] if !inner.is_empty() => place = inner,
                [] if marker.is_some() && !(named && lead.is_some()) => marker = None,
                _ if domain.is_some() => domain = None,
                _ if path.is_some() => path = None,
                [_] if !named => place = &[],
                _ if named && lead.is_some() => {
                    lead = None;
                    place = &all[all.len() - 1..];
                }
                [_] => place = &[],
                _ => lead = None,
            }
        }
    }
}

/// The sizes of a chunk's parts, in the unit of the [`Chunking`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Sizes {
    /// The size of the text.
    pub text: usize,
    /// The size of the context's header.
    pub context: usize,
    /// The size of the overlap.
    pub overlap: usize,
    /// The size of the three together; because of rounding it may exceed their sum by two.
    pub total: usize,
}

/// Which part of something that was split because of its size; `1 of 1` if it was not split.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Part {
    /// The position, from 1.
    pub index: usize,
    /// How many parts there are.
    pub count: usize,
}

/// The split before a chunk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cut {
    /// How natural the split is.
    pub strength: Strength,
    /// The same in words, such as `heading 2` or `after a code block`.
    pub reason: String,
}

/// How natural a split is at a place, from the strongest to the weakest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Strength {
    /// The start of the document.
    Start,
    /// A match of the delimiter.
    Delimiter,
    /// Before a heading.
    Heading,
    /// At a horizontal rule.
    Rule,
    /// Between two definitions or statements of a source file, outside of all others.
    Definition,
    /// Between two blocks.
    Block,
    /// Between two list items.
    Item,
    /// After a code block.
    Code,
    /// Between two rows of a table.
    Row,
    /// Between two cells of a row that is too large.
    Cell,
    /// Between two lines.
    Line,
    /// Between two sentences.
    Sentence,
    /// Between two words.
    Word,
    /// Between two graphemes.
    Grapheme,
}

impl Strength {
    /// The strength of a split inside of a part; `first` at its start.
    pub(crate) fn or_of(self, first: Strength) -> Strength {
        match self {
            Strength::Start => first,
            inner => inner,
        }
    }
}

/// A warning about a chunk or a document.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Warning {
    /// The chunk exceeds `max`, for the reason given.
    Oversized {
        /// Why it was not split.
        reason: &'static str,
    },
    /// The chunk's text is smaller than `min`.
    Undersized,
    /// Not all of the context fits its share of `max`.
    ContextShortened,
    /// The document was not split as configured: what was done instead, and why.
    Fallback(String),
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::Oversized { reason } => write!(f, "oversized: {reason}"),
            Warning::Undersized => f.write_str("undersized"),
            Warning::ContextShortened => f.write_str("context shortened"),
            Warning::Fallback(reason) => write!(f, "fallback: {reason}"),
        }
    }
}

impl Serialize for Warning {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Computes the ids of the chunks of one document.
pub(crate) struct ChunkIds {
    path: Hash,
    seen: HashMap<Hash, u64>,
}

impl ChunkIds {
    /// For the document at `path`.
    pub(crate) fn new(path: &str) -> Self {
        ChunkIds {
            path: Hash::of(path.as_bytes()),
            seen: HashMap::new(),
        }
    }

    /// The id of the next chunk, whose text has the hash `text`: a hash of the path's hash, the
    /// text's hash and its number among equal texts.
    pub(crate) fn next(&mut self, text: Hash) -> Hash {
        let occurrence = self.seen.entry(text).or_default();
        let mut named = [0; 40];
        named[..16].copy_from_slice(&self.path.0);
        named[16..32].copy_from_slice(&text.0);
        named[32..].copy_from_slice(&occurrence.to_le_bytes());
        *occurrence += 1;
        Hash::of(&named)
    }
}

/// The first sixteen bytes of a SHA-256 hash, written as 32 hexadecimal digits.
///
/// Content is addressed by it, and content may be hostile, so it is a cryptographic hash. On texts
/// as short as chunks, processors compute SHA-256 2.6 times as fast as BLAKE3 (1,100 bytes: 1,720
/// and 655 MB/s), which needs long inputs to be faster.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hash(pub [u8; 16]);

impl Hash {
    /// The hash of `bytes`.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        let mut hasher = Hasher::default();
        hasher.update(bytes);
        hasher.finalize()
    }
}

/// Computes the [`Hash`](struct@Hash) of bytes that come in parts.
#[derive(Clone, Debug, Default)]
pub struct Hasher(Sha256);

impl Hasher {
    /// Adds the next part.
    pub fn update(&mut self, part: &[u8]) {
        self.0.update(part);
    }

    /// The hash of all parts, one after another.
    #[must_use]
    pub fn finalize(self) -> Hash {
        let mut short = [0; 16];
        short.copy_from_slice(&self.0.finalize()[..16]);
        Hash(short)
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        // At once: each write costs as much as all digits.
        let mut shown = [0; 32];
        for (digits, byte) in shown.chunks_exact_mut(2).zip(self.0) {
            digits[0] = DIGITS[usize::from(byte >> 4)];
            digits[1] = DIGITS[usize::from(byte & 15)];
        }
        f.write_str(str::from_utf8(&shown).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Hash {
    type Err = &'static str;

    /// Reads the hash that [`Display`](fmt::Display) writes.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const EXPECTED: &str = "expected 32 hexadecimal digits";
        if text.len() != 32 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(EXPECTED);
        }
        let number = u128::from_str_radix(text, 16).map_err(|_| EXPECTED)?;
        Ok(Hash(number.to_be_bytes()))
    }
}

impl<'de> Deserialize<'de> for Hash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <Cow<'_, str>>::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

impl Serialize for Hash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_derived_from_the_id_of_a_document_rather_than_its_path() {
        use crate::{Chunker, Document};
        let ids = |document: Document<'_>| -> Vec<Hash> {
            let chunking = Chunker::default().chunk(&document);
            chunking.chunks.iter().map(|chunk| chunk.id).collect()
        };
        let text = Document::new("One paragraph.\n");
        let by_path = ids(text.with_path("7"));
        assert_eq!(ids(text.with_id("7").with_path("a.md")), by_path);
        assert_eq!(ids(text.with_id("7")), by_path);
        assert_ne!(ids(text.with_id("8").with_path("7")), by_path);
    }

    #[test]
    fn a_hash_is_read_as_it_is_written() {
        let hash = Hash::of(b"tea");
        assert_eq!(hash.to_string().parse(), Ok(hash));
        let json = serde_json::to_string(&hash).unwrap();
        assert_eq!(serde_json::from_str::<Hash>(&json).unwrap(), hash);
        for text in [
            "",
            "12",
            "+1234567890123456789012345678901",
            &"g".repeat(32),
        ] {
            assert!(text.parse::<Hash>().is_err(), "{text}");
        }
    }
}
