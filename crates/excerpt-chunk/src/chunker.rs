//! The verb: a [`Chunker`] is a checked configuration that cuts documents.

use regex::Regex;

use crate::assembly::Assembly;
use crate::atom::{Grain, Limits, Place};
use crate::chunk::{Chunking, Warning};
use crate::config::{Atomic, Config, ConfigError, ContextParts, Strategy};
use crate::document::Document;
use crate::naive;
use crate::pack::{Piece, pack};
use crate::reading::{self, Reading};
use crate::size::Sizer;

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
        let sizer = Sizer::new(document.text(), self.config.unit);
        let size = sizer.between(0..sizer.text.len()) / self.config.unit.grains();
        let reading = reading::read(document, &self.config, self.delimiter.as_ref(), size);
        let limits = self.limits(document, &sizer, &reading);
        let (pieces, places) = self.cut(&sizer, &reading, limits);
        let assembly = Assembly::new(document, &sizer, &self.config, &reading.outline, &places);
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

    /// The pieces of a document, and the places they refer to. Where sums of sizes are not exact, each piece is measured again,
    /// and the whole is cut anew with a little less room until all of them fit.
    fn cut(
        &self,
        sizer: &Sizer<'_>,
        reading: &Reading,
        mut limits: Limits,
    ) -> (Vec<Piece>, Vec<Place>) {
        let outline = &reading.outline;
        let max = self.config.max * self.config.unit.grains();
        loop {
            let (pieces, places) = match reading.strategy {
                Strategy::Naive => {
                    let start = outline.nodes[0].span.start;
                    (naive::cut(sizer, start, &limits), vec![Place::document()])
                }
                _ => pack(sizer, outline, &limits),
            };
            if sizer.is_additive() {
                return (pieces, places);
            }
            let over = pieces
                .iter()
                .filter(|piece| piece.oversized.is_none())
                .map(|piece| {
                    let max = limits
                        .overview
                        .filter(|_| piece.overview)
                        .map_or(max, |overview| overview.max(max));
                    sizer
                        .exact(piece.overlap..piece.bytes.end)
                        .saturating_sub(max)
                });
            let over = over.max().unwrap_or(0);
            if over == 0 || limits.max <= over {
                return (pieces, places);
            }
            limits.max -= over;
            limits.target = limits.target.min(limits.max);
            limits.overview = limits
                .overview
                .map(|overview| overview.saturating_sub(over).max(limits.max));
        }
    }

    /// The bounds of the plan: the configured sizes in grains, and what the strategy makes of them.
    fn limits(&self, document: &Document<'_>, sizer: &Sizer<'_>, reading: &Reading) -> Limits {
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
            text.map_or(0, |text| prefix + sizer.of(text) + 1)
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
                .map_or(0, |marker| 1 + sizer.of(marker)),
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
