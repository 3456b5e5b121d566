//! The entry point: a [`Chunker`] is a validated configuration that splits documents.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::assembly::Assembly;
use crate::atom::Place;
use crate::bounds::{Bounds, Grain};
use crate::chunk::{Chunking, Warning};
use crate::config::{Atomic, Config, ContextParts, Strategy};
use crate::delimiter::Delimiter;
use crate::document::Document;
use crate::error::ConfigError;
use crate::measure::Measure;
use crate::naive;
use crate::outline::Outline;
use crate::pack::{Piece, pack};
use crate::parse::CodeParser;
use crate::reading::{self, Interpreted, Tools};
use crate::size::{SizeError, Sizer};

/// Splits documents with one configuration. Cheap to share between threads.
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
    delimiter: Option<Delimiter>,
    code: Option<Arc<dyn CodeParser>>,
}

impl Chunker {
    /// Validates the configuration.
    ///
    /// # Errors
    ///
    /// Names the invalid field: `min` not below `target`, `target` above `max`, an overlap not
    /// below `target`, a delimiter that does not compile, and what needs a feature that this build
    /// does not have.
    pub fn new(config: Config) -> Result<Self, ConfigError> {
        let delimiter = config.validate()?;
        Ok(Chunker {
            config,
            delimiter,
            code: None,
        })
    }

    /// The same chunker, which reads source code and data with the grammars of `parser`; without
    /// them they are read as lines.
    #[must_use]
    pub fn with_code_parser(self, parser: Arc<dyn CodeParser>) -> Self {
        Chunker {
            code: Some(parser),
            ..self
        }
    }

    /// The configuration.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Splits a document. Any text gives chunks: nothing panics, nothing is lost.
    #[must_use]
    pub fn chunk<'a>(&self, document: &Document<'a>) -> Chunking<'a> {
        let measure = self.measure(document);
        let reading = self.read(document, &measure);
        self.assemble(document, &measure, reading)
    }

    /// Like [`chunk`](Self::chunk), but measures with `sizer`: the sizes of the configuration count
    /// what it counts, and [`Config::unit`] is not used.
    ///
    /// # Errors
    ///
    /// [`SizeError`], if the sizer fails on any part of the document, or gives a size that a text
    /// cannot have.
    pub fn chunk_with<'a>(
        &self,
        document: &Document<'a>,
        sizer: &dyn Sizer,
    ) -> Result<Chunking<'a>, SizeError> {
        let measure = Measure::with(document.text(), sizer)?;
        let reading = self.read(document, &measure);
        let chunking = self.assemble(document, &measure, reading);
        measure.verified(chunking)
    }

    /// The outline from which a document is split.
    #[must_use]
    pub fn outline(&self, document: &Document<'_>) -> Outline {
        self.read(document, &self.measure(document)).outline
    }

    /// Like [`outline`](Self::outline), but can be cancelled: once `stop` is set, it is the outline
    /// of what was read so far, or any other.
    #[must_use]
    pub fn outline_until(&self, document: &Document<'_>, stop: &AtomicBool) -> Outline {
        let watched = document.stopped_by(stop);
        self.read(&watched, &self.measure(document)).outline
    }

    /// Like [`chunk`](Self::chunk), but can be cancelled: returns `None` if `stop` is set while the
    /// document is being read, which is where a text may take long.
    #[must_use]
    pub fn try_chunk<'a>(
        &self,
        document: &Document<'a>,
        stop: &AtomicBool,
    ) -> Option<Chunking<'a>> {
        let watched = document.stopped_by(stop);
        let measure = self.measure(document);
        let reading = self.read(&watched, &measure);
        (!watched.is_stopped()).then(|| self.assemble(document, &measure, reading))
    }

    /// The measure of a document, in the configured unit.
    fn measure<'a>(&self, document: &Document<'a>) -> Measure<'a> {
        Measure::in_unit(document.text(), self.config.unit)
    }

    /// Splits a document that has been read.
    fn assemble<'a>(
        &self,
        document: &Document<'a>,
        measure: &Measure<'_>,
        reading: Interpreted,
    ) -> Chunking<'a> {
        let limits = self.limits(document, measure, &reading);
        let (pieces, places) = self.cut(measure, &reading, limits);
        let assembly = Assembly::new(document, measure, &self.config, &reading.outline, &places);
        let chunks = assembly.chunks(&pieces);
        Chunking {
            strategy: reading.strategy,
            reason: reading.reason,
            unit: measure.unit().to_string(),
            size: reading.size,
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

    /// The document, read as configured.
    fn read(&self, document: &Document<'_>, measure: &Measure<'_>) -> Interpreted {
        // The context may take a quarter of the limit.
        let detail = measure.certain_bytes(self.config.max * measure.grains() * 3 / 4);
        let tools = Tools {
            delimiter: self.delimiter.as_ref(),
            code: self.code.as_deref(),
            detail,
            measure,
        };
        reading::read(document, &self.config, &tools)
    }

    /// The pieces of a document, and the places they refer to. If sums of sizes are not exact, each
    /// piece is measured again, the whole document is split again with a little less room, and
    /// pieces that are still too large are split on their own.
    fn cut(
        &self,
        measure: &Measure<'_>,
        reading: &Interpreted,
        mut limits: Bounds,
    ) -> (Vec<Piece>, Vec<Place>) {
        const TRIES: usize = 3;
        let room = |piece: &Piece| match self.config.overview {
            Some(overview) if piece.overview => overview,
            _ => self.config.max,
        };
        let mut tries = 0;
        loop {
            tries += 1;
            let (pieces, places) = plan(measure, reading, &limits);
            if measure.is_additive() {
                return (pieces, places);
            }
            let over = pieces.iter().filter(|piece| piece.oversized.is_none());
            let over = over.map(|piece| piece.exact(measure).saturating_sub(room(piece)));
            let over = over.max().unwrap_or(0);
            if over == 0 || over >= limits.max || tries == TRIES {
                let refitted = pieces.into_iter();
                let refitted = refitted.flat_map(|piece| {
                    let max = room(&piece);
                    piece.refit(measure, max, limits.keep)
                });
                return (refitted.collect(), places);
            }
            limits.max -= over;
            limits.target = limits.target.min(limits.max);
            let overview = limits
                .overview
                .map(|overview| overview.saturating_sub(over));
            limits.overview = overview.map(|overview| overview.max(limits.max));
        }
    }

    /// The bounds of the plan: the configured sizes in grains, adjusted for the strategy.
    fn limits(
        &self,
        document: &Document<'_>,
        measure: &Measure<'_>,
        reading: &Interpreted,
    ) -> Bounds {
        let config = &self.config;
        let scale = measure.grains();
        let strategy = reading.strategy;
        let target = config.target * scale;
        let max = match strategy {
            // Here the target is the limit, not a size to aim at.
            Strategy::Fixed => target,
            _ => config.max * scale,
        };
        let line = |part, text: Option<&str>, prefix: usize| {
            let text = text.filter(|_| config.context.contains(part));
            text.map_or(0, |text| prefix + measure.of(text) + 1)
        };
        Bounds {
            target,
            max,
            min: config.min * scale,
            overlap: config.overlap_size() * scale,
            levels: config.mandatory_levels(strategy),
            days: matches!(strategy, Strategy::Markdown | Strategy::Headers)
                && reading.outline.is_journal(),
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
                .filter(|_| config.context != ContextParts::NONE)
                .map_or(0, |marker| 1 + measure.of(marker)),
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

/// The pieces of a document according to the plan, or to the plain packer.
fn plan(measure: &Measure<'_>, reading: &Interpreted, limits: &Bounds) -> (Vec<Piece>, Vec<Place>) {
    let outline = &reading.outline;
    match reading.strategy {
        Strategy::Naive => {
            let start = outline.nodes[0].span.start;
            (naive::cut(measure, start, limits), vec![Place::document()])
        }
        _ => pack(measure, outline, limits),
    }
}
