//! The verb: a [`Chunker`] is a checked configuration that cuts documents.

use regex::Regex;

use crate::chunk::Chunking;
use crate::config::{Config, ConfigError};
use crate::document::Document;

/// Cuts documents by one configuration. Cheap to share between threads.
///
/// ```
/// use excerpt_chunk::{Chunker, Document};
///
/// let document = Document::new("# Notes\n\nOne paragraph.\n").with_path("notes.md");
/// let chunking = Chunker::default().chunk(&document);
/// assert_eq!(chunking.chunks[0].text, "# Notes\n\nOne paragraph.");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Chunker {
    config: Config,
    delimiter: Option<Regex>,
}

impl Chunker {
    /// Checks the configuration.
    ///
    /// # Errors
    ///
    /// Names the field that cannot be used: `min` not below `target`, `target` above `max`, an overlap not below `target`,
    /// a delimiter that does not compile.
    pub fn new(config: Config) -> Result<Self, ConfigError> {
        let delimiter = config.validate()?;
        Ok(Chunker { config, delimiter })
    }

    /// The configuration.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Cuts a document. Any text gives chunks: nothing panics, nothing is lost.
    #[must_use]
    pub fn chunk<'a>(&self, document: &Document<'a>) -> Chunking<'a> {
        use crate::{chunk::*, config::*, document::*, outline::*, size::*, span::*};
        let text = document.text();
        let index = LineIndex::new(text);
        let hash = Hash::of(text.as_bytes());
        let chunk = Chunk { id: Hash::chunk_id(document.path().unwrap_or(""), hash, 0), ordinal: 0, span: index.span(0..text.len()), overlap: None, text,
            context: Context { path: document.path().map(Into::into), ..Context::default() }, sections: vec![], kind: Kind::Paragraph, name: None, language: None,
            tokens: Sizes::default(), part: Part { index: 1, count: 1 }, cut: Cut { strength: Strength::Start, reason: "start".into() }, hash, warnings: vec![] };
        let chunks = if text.is_empty() { vec![] } else { vec![chunk] };
        Chunking { strategy: Strategy::Whole, reason: "stand-in".into(), unit: Unit::Tokens, size: Unit::Tokens.measure(text), chunks, gaps: vec![], warnings: vec![], document: DocumentInfo::default() }
    }
}
