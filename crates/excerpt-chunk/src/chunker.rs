//! The verb: a [`Chunker`] is a checked configuration that cuts documents.

use regex::Regex;

use crate::assembly::Assembly;
use crate::atom::{Grain, Limits, Place};
use crate::chunk::{Chunking, Warning};
use crate::config::{Atomic, Config, ConfigError, ContextParts, Strategy};
use crate::document::Document;
use crate::naive;
use crate::pack::pack;
use crate::reading::{self, Reading};
use crate::size::grains;

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
        let text = document.text();
        let size = self.config.unit.measure(text);
        let reading = reading::read(document, &self.config, self.delimiter.as_ref(), size);
        let limits = self.limits(document, &reading);
        let (pieces, places) = match reading.strategy {
            Strategy::Naive => {
                let start = reading.outline.nodes[0].span.start;
                (naive::cut(text, start, &limits), vec![Place::document()])
            }
            _ => pack(text, &reading.outline, &limits),
        };
        let assembly = Assembly::new(document, &self.config, &reading.outline, &places);
        let chunks = assembly.chunks(&pieces);
        Chunking {
            strategy: reading.strategy,
            reason: reading.reason,
            unit: self.config.unit,
            size,
            gaps: assembly.gaps(&pieces),
            chunks,
            document: reading.outline.info,
            warnings: reading
                .outline
                .fallbacks
                .into_iter()
                .map(Warning::Fallback)
                .collect(),
        }
    }

    /// The bounds of the plan: the configured sizes in grains, and what the strategy makes of them.
    fn limits(&self, document: &Document<'_>, reading: &Reading) -> Limits {
        let config = &self.config;
        let scale = config.unit.grains();
        let strategy = reading.strategy;
        let target = config.target * scale;
        let max = match strategy {
            // The target is the size asked for, not one to aim at.
            Strategy::Fixed => target,
            _ => config.max * scale,
        };
        let line = |part, text: Option<&str>, prefix: usize| {
            let text = text.filter(|_| config.context.contains(part));
            text.map_or(0, |text| prefix + grains(text) + 1)
        };
        Limits {
            target,
            max,
            min: config.min * scale,
            overlap: config.overlap_size() * scale,
            levels: config.mandatory_levels(strategy),
            leads: strategy == Strategy::Markdown,
            entries: config.per_entry,
            overview: config
                .overview
                .filter(|_| document.is_overview() && strategy != Strategy::Whole)
                .map(|size| size * scale),
            join: matches!(strategy, Strategy::Headers | Strategy::Delimiter),
            keep: config.atomic == Atomic::Keep,
            context: config.context,
            path: line(ContextParts::PATH, document.path(), 0)
                + line(ContextParts::DOMAIN, document.domain(), "domain: ".len()),
            marker: config
                .continuation_marker
                .as_deref()
                .map_or(0, |marker| 1 + grains(marker)),
            include_delimiter: reading.include_delimiter,
            grain: match strategy {
                Strategy::Fixed if !config.complete_sentences => Grain::Raw,
                Strategy::Fixed => Grain::Sentence,
                Strategy::Whole => Grain::Whole,
                _ => Grain::Block,
            },
        }
    }
}
