//! From [`Piece`]s to [`Chunk`]s: coordinates, context, sizes, names and warnings, the same for
//! every strategy.

use std::ops::Range;
use std::sync::Arc;

use crate::atom::Place;
use crate::chunk::{Chunk, ChunkIds, Context, Cut, Hash, Part, Sizes, Strength, Warning};
use crate::config::Config;
use crate::day::dates;
use crate::document::{Document, each_once};
use crate::imports::Imports;
use crate::measure::Measure;
use crate::outline::{Definition, Kind, Node, Outline};
use crate::pack::{ONE_GRAPHEME, Piece};
use crate::span::{LineRuler, Span};

/// Everything that the pieces of one document refer to.
pub(crate) struct Assembly<'a, 'o> {
    text: &'a str,
    measure: &'o Measure<'o>,
    /// What the ids of the chunks are derived from.
    id: &'a str,
    path: Option<Arc<str>>,
    domain: Option<Arc<str>>,
    continuation: Option<Arc<str>>,
    config: &'o Config,
    outline: &'o Outline,
    places: &'o [Place],
    imports: Imports<'a>,
}

/// What distinguishes a chunk among the chunks of its document.
struct Among {
    ordinal: usize,
    part: Part,
    id: Hash,
    hash: Hash,
    /// Whether it is the only chunk.
    alone: bool,
}

impl<'a, 'o> Assembly<'a, 'o> {
    pub(crate) fn new(
        document: &Document<'a>,
        measure: &'o Measure<'o>,
        config: &'o Config,
        outline: &'o Outline,
        places: &'o [Place],
    ) -> Self {
        Assembly {
            text: document.text(),
            measure,
            id: document.id(),
            path: document.path().map(Into::into),
            domain: document.domain().map(Into::into),
            continuation: config.continuation_marker.as_deref().map(Into::into),
            config,
            outline,
            places,
            imports: Imports::new(document.text(), outline),
        }
    }

    /// The chunks of `pieces`, which are in document order.
    pub(crate) fn chunks(&self, pieces: &[Piece]) -> Vec<Chunk<'a>> {
        let mut ids = ChunkIds::new(self.id);
        let mut lines = LineRuler::new(self.text);
        let alone = pieces.len() == 1;
        let numbered = pieces.iter().zip(parts(pieces)).enumerate();
        numbered
            .map(|(ordinal, (piece, part))| {
                let hash = Hash::of(self.text[piece.bytes.clone()].as_bytes());
                let (overlap, span) = lines.spans(piece.overlap, piece.bytes.clone());
                let among = Among {
                    ordinal,
                    part,
                    id: ids.next(hash),
                    hash,
                    alone,
                };
                self.chunk(piece, span, overlap, among)
            })
            .collect()
    }

    fn chunk(&self, piece: &Piece, span: Span, overlap: Option<Span>, among: Among) -> Chunk<'a> {
        let unit = self.measure.grains();
        let text = &self.text[piece.bytes.clone()];
        let text_size = self.measure.exact(piece.bytes.clone());
        let overlap_size = self.measure.exact(piece.overlap..piece.bytes.start);
        let max = match self.config.overview {
            Some(overview) if piece.overview => overview * unit,
            _ => self.config.max * unit,
        };
        // A grapheme that is too large for a plan with less room may still fit.
        let oversized = piece
            .oversized
            .filter(|reason| *reason != ONE_GRAPHEME || text_size > max);
        let room = match oversized {
            // What exceeds the limit anyway keeps its context.
            Some(_) => max / 4,
            // Its limit is that of the text.
            None if piece.overview => max / 4,
            None => (max / 4).min(max.saturating_sub(text_size + overlap_size)),
        };
        let mut context = self.context(piece, among.part);
        let sections = piece
            .touched
            .iter()
            .filter_map(|place| self.places[*place].label.clone());
        let sections: Vec<Arc<str>> = sections.collect();
        let dates = self.dates(context.trail.iter().chain(&sections), &piece.bytes);
        let complete = context.render(
            self.config.context,
            &self.labels(piece.named, piece.place),
            room,
            self.measure,
            self.names_place(piece, context.signature.as_deref()),
        );
        let header_size = self.measure.of(&context.header);
        let mut warnings = Vec::new();
        if let Some(reason) = oversized
            && text_size + overlap_size + header_size > max
        {
            warnings.push(Warning::Oversized { reason });
        }
        if text_size < self.config.min * unit && !among.alone {
            warnings.push(Warning::Undersized);
        }
        if !complete {
            warnings.push(Warning::ContextShortened);
        }
        Chunk {
            id: among.id,
            ordinal: among.ordinal,
            span,
            overlap,
            place: None,
            text,
            context,
            dates,
            sections,
            defines: self.defines(piece),
            kind: piece.kind,
            name: self.definition(piece).map(|found| found.name.clone()),
            language: self.language(piece),
            size: Sizes {
                text: text_size / unit,
                context: header_size / unit,
                overlap: overlap_size / unit,
                total: (text_size + header_size + overlap_size) / unit,
            },
            part: among.part,
            cut: Cut {
                strength: piece.strength,
                reason: self.reason(piece),
            },
            hash: among.hash,
            warnings,
        }
    }

    /// The dates in the file name and in `headings`, and of the text in `bytes`, each once.
    fn dates<'h>(
        &self,
        headings: impl Iterator<Item = &'h Arc<str>>,
        bytes: &Range<usize>,
    ) -> Vec<String> {
        let name = self
            .path
            .as_deref()
            .and_then(|path| path.rsplit(['/', '\\']).next());
        let named = name.into_iter().chain(headings.map(|heading| &**heading));
        let days = self.outline.days_in(bytes.clone());
        let days = days.map(|day| day.to_string());
        each_once(named.flat_map(dates).chain(days))
    }

    /// The labels of `place` and of those around it, up to the place `outer`, outermost first.
    fn labels(&self, mut place: usize, outer: usize) -> Vec<Arc<str>> {
        let mut labels = Vec::new();
        while place > outer {
            labels.extend(self.places[place].label.clone());
            place = self.places[place].parent;
        }
        labels.reverse();
        labels
    }

    fn context(&self, piece: &Piece, part: Part) -> Context {
        Context {
            path: self.path.clone(),
            domain: self.domain.clone(),
            continuation: self.continuation.clone().filter(|_| part.index > 1),
            title: self.outline.info.title.clone(),
            trail: self.labels(piece.place, 0),
            lead: piece.lead.clone().map(|lead| self.text[lead].into()),
            module_path: self.modules(piece),
            signature: self.signature(piece),
            imports: self.imports.used_by(piece.bytes.clone()),
            header: String::new(),
        }
    }

    /// The names of the definitions that begin in the piece. Keys of data are excluded: they are
    /// not defined in one place and used elsewhere.
    fn defines(&self, piece: &Piece) -> Vec<Arc<str>> {
        let definitions = &self.outline.definitions;
        let from = definitions.partition_point(|found| found.signature.start < piece.bytes.start);
        let here = definitions[from..]
            .iter()
            .take_while(|found| found.signature.start < piece.bytes.end);
        let mut names: Vec<Arc<str>> = Vec::new();
        for found in here {
            let kind = self.outline.nodes[found.node].kind;
            let data = matches!(kind, Kind::Key | Kind::Element | Kind::Style);
            if !data && !names.contains(&found.name) {
                names.push(found.name.clone());
            }
        }
        names
    }

    /// The innermost definition that contains the whole piece.
    fn definition(&self, piece: &Piece) -> Option<&Definition> {
        self.outline.definition(self.places[piece.place].node)
    }

    /// The signature of the definition that the piece is a part of, unless the piece contains it;
    /// of all those that it begins in but that do not contain it, if there are any.
    fn signature(&self, piece: &Piece) -> Option<Arc<str>> {
        let mut left = Vec::new();
        let mut place = piece.begins;
        while place != piece.place {
            left.extend(self.continued(piece, place));
            place = self.places[place].parent;
        }
        if left.is_empty() {
            let signature = self.definition(piece)?.signature.clone();
            let contained = piece.bytes.contains(&signature.start);
            return (!contained).then(|| self.text[signature].into());
        }
        left.reverse();
        Some(left.join("\n").into())
    }

    /// The name of `place`, a place in source code, if the piece begins inside it: its signature,
    /// or its label if it has none. A part of data is named by its label.
    fn continued(&self, piece: &Piece, place: usize) -> Option<&str> {
        let Place { node, label, .. } = &self.places[place];
        let (index, node) = (*node, &self.outline.nodes[*node]);
        if !node.kind.is_code() {
            return None;
        }
        let data = matches!(node.kind, Kind::Key | Kind::Element | Kind::Style);
        match self.outline.definition(index) {
            Some(found) => {
                let signature = &self.text[found.signature.clone()];
                let telling = !data && signature.contains(&*found.name);
                let text = if telling {
                    Some(signature)
                } else {
                    label.as_deref()
                };
                text.filter(|_| found.signature.start < piece.bytes.start)
            }
            None => {
                let before = &self.text[node.span.start..piece.bytes.start.max(node.span.start)];
                label.as_deref().filter(|_| !before.trim_start().is_empty())
            }
        }
    }

    /// Whether `signature` contains the name of the last place in the piece's trail.
    fn names_place(&self, piece: &Piece, signature: Option<&str>) -> bool {
        let found = self.definition(piece).zip(signature);
        found.is_some_and(|(found, signature)| {
            !piece.bytes.contains(&found.signature.start)
                && &self.text[found.signature.clone()] == signature
                && signature.contains(&*found.name)
        })
    }

    /// The modules that the piece is part of: those of the document, then those around it in the
    /// text.
    fn modules(&self, piece: &Piece) -> Vec<Arc<str>> {
        let mut inner = Vec::new();
        let mut place = self.places[piece.place].parent;
        while place > 0 {
            let node = self.places[place].node;
            if self.outline.nodes[node].kind == Kind::Module {
                inner.extend(
                    self.outline
                        .definition(node)
                        .map(|found| found.name.clone()),
                );
            }
            place = self.places[place].parent;
        }
        inner.reverse();
        self.outline.modules.iter().cloned().chain(inner).collect()
    }

    /// What the piece begins with, and whether it begins where that does. In source code this is
    /// the outermost node that begins there.
    fn first(&self, piece: &Piece) -> (Kind, bool) {
        let nodes = &self.outline.nodes;
        let mut node = &nodes[piece.head];
        let whole = |node: &Node| {
            let from = node.span.start.min(piece.bytes.start);
            self.text[from..piece.bytes.start].trim_start().is_empty()
        };
        let begins = whole(node);
        loop {
            let around = &nodes[node.parent()];
            if !begins || !around.kind.is_code() || !whole(around) {
                return (node.kind, begins);
            }
            node = around;
        }
    }

    fn language(&self, piece: &Piece) -> Option<Arc<str>> {
        if self.outline.language.is_some() {
            return self.outline.language.clone();
        }
        let node = &self.outline.nodes[piece.node?];
        match node.kind {
            Kind::Code => node.label.clone(),
            _ => None,
        }
    }

    /// The reason for the split before a piece, in words.
    fn reason(&self, piece: &Piece) -> String {
        let (kind, begins) = self.first(piece);
        let reason = match piece.strength {
            Strength::Start => "start",
            Strength::Delimiter => "delimiter",
            Strength::Heading => {
                return match self.outline.section_name(piece.level) {
                    Some(name) => format!("before a {name}"),
                    None => format!("heading {}", piece.level),
                };
            }
            Strength::Rule => "after a rule",
            Strength::Definition | Strength::Block | Strength::Line | Strength::Word
                if begins && kind == Kind::Statement =>
            {
                "at a statement"
            }
            Strength::Block if self.outline.is_in_comment(piece.head) && begins => {
                "between blocks of a comment"
            }
            Strength::Definition | Strength::Block if kind == Kind::Document => "between blocks",
            Strength::Word if !(begins && kind.is_definition()) => "between words",
            Strength::Definition | Strength::Block | Strength::Word => {
                let noun = kind.to_string();
                let article = if noun.starts_with(['e', 'i', 'H']) {
                    "an"
                } else {
                    "a"
                };
                return format!("before {article} {noun}");
            }
            Strength::Item => return format!("between {}", self.outline.terms.items),
            Strength::Code => "after a code block",
            Strength::Row => "between table rows",
            Strength::Cell => "between table cells",
            Strength::Line => "between lines",
            Strength::Sentence => "between sentences",
            Strength::Grapheme => "inside a word",
        };
        reason.to_string()
    }

    /// The bytes that are in no piece.
    pub(crate) fn gaps(&self, pieces: &[Piece]) -> Vec<Range<usize>> {
        let ends = pieces.iter().map(|piece| piece.bytes.end);
        let starts = pieces.iter().map(|piece| piece.bytes.start);
        let from = std::iter::once(0).chain(ends);
        let to = starts.chain(std::iter::once(self.text.len()));
        from.zip(to)
            .filter(|(from, to)| from < to)
            .map(|(from, to)| from..to)
            .collect()
    }
}

/// Which part of its run each piece is. A run ends at a split that separates topics: a heading, a
/// rule, a delimiter.
fn parts(pieces: &[Piece]) -> Vec<Part> {
    let mut parts = Vec::with_capacity(pieces.len());
    let runs = pieces.chunk_by(|_, next| next.continues);
    for run in runs {
        let count = run.len();
        parts.extend((1..=count).map(|index| Part { index, count }));
    }
    parts
}
