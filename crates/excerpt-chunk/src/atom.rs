//! Atoms: the smallest pieces that may stand alone. An [`Outline`] is walked once and flattened into them; between two atoms
//! stands a [`Boundary`], which says how naturally the text parts there and what a cut would cost.

use std::ops::Range;
use std::sync::Arc;

use crate::chunk::Strength;
use crate::config::{ContextParts, Levels};
use crate::outline::{Kind, Node, Outline};
use crate::size::{Ruler, Sizer};
use crate::split;

/// What bounds the walk and the plan, in grains.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    pub(crate) target: usize,
    pub(crate) max: usize,
    pub(crate) min: usize,
    pub(crate) overlap: usize,
    /// The heading levels with a mandatory cut before them.
    pub(crate) levels: Levels,
    /// Whether a heading right behind another one goes with it, mandatory cut or not.
    pub(crate) leads: bool,
    /// Whether a cut before each item of a top-level list, and behind the list, is mandatory.
    pub(crate) entries: bool,
    /// The size of the first chunk, where it has one of its own.
    pub(crate) overview: Option<usize>,
    /// The size of the continuation marker.
    pub(crate) marker: usize,
    /// Whether pieces between mandatory cuts that are under `min` may join a neighbour.
    pub(crate) join: bool,
    /// Whether code blocks, tables and sentences larger than `max` are kept whole.
    pub(crate) keep: bool,
    pub(crate) context: ContextParts,
    /// The size of the header line with the path; 0 without.
    pub(crate) path: usize,
    pub(crate) include_delimiter: bool,
    pub(crate) grain: Grain,
}

/// How far the walk goes down where it need not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grain {
    /// To blocks and list items.
    Block,
    /// To sentences.
    Sentence,
    /// Not by the outline at all, but to raw positions.
    Raw,
    /// Not at all: everything is one piece if it fits.
    Whole,
}

/// A place in the trail: the document, a section in it, a definition in source code.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) label: Option<Arc<str>>,
    pub(crate) parent: usize,
    /// The node that makes it.
    pub(crate) node: usize,
    /// The grains of the signature that its later parts carry, with a line end; 0 for what has none.
    pub(crate) signature: usize,
    /// The index of the first atom in it.
    pub(crate) first_atom: usize,
    /// The grains of the header line that names it and all around it; 0 without any label.
    pub(crate) header: usize,
    /// Whether the outermost label around it is the document's title.
    titled: bool,
    /// Whether it is a section that fits a chunk.
    fits: bool,
    /// The node after its last one.
    end: usize,
}

impl Place {
    /// The place around everything.
    pub(crate) fn document() -> Self {
        Place {
            label: None,
            parent: 0,
            node: 0,
            signature: 0,
            first_atom: 0,
            header: 0,
            titled: false,
            fits: false,
            end: usize::MAX,
        }
    }
}

/// What stands between two atoms.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Boundary {
    pub(crate) strength: Strength,
    /// What a cut here costs.
    pub(crate) price: f32,
    /// Whether a cut is made here whatever it costs.
    pub(crate) mandatory: bool,
    /// Whether what follows belongs to what stands before.
    pub(crate) glue: bool,
}

impl Boundary {
    /// Whether what stands behind a cut here goes on with what stands before it.
    pub(crate) fn continues(&self) -> bool {
        !self.mandatory && self.strength > Strength::Definition
    }
}

/// A smallest piece: trimmed of white space around it, with the boundary before it.
#[derive(Clone, Debug)]
pub(crate) struct Atom {
    /// Its bytes in the text.
    pub(crate) bytes: Range<usize>,
    /// The grains of the text before its start and before its end.
    pub(crate) grains: Range<usize>,
    pub(crate) boundary: Boundary,
    /// The level of the heading that it begins with, else 0.
    pub(crate) level: u8,
    /// Whether it is a table part that does not hold the table's header.
    pub(crate) needs_lead: bool,
    /// The innermost place around all of it.
    pub(crate) place: usize,
    /// The node it is, or is a part of.
    pub(crate) node: usize,
}

/// A document, flattened.
pub(crate) struct Atoms {
    pub(crate) atoms: Vec<Atom>,
    /// The document first, then the sections in order.
    pub(crate) places: Vec<Place>,
}

/// The prices of cuts, and in `pack` of all else. Swept over 1,875 files of real Markdown, all together, for full chunks, whole sections and reuse
/// after an edit at once (`benches/runs` has the curve). Lower prices for inner cuts (rows, lines, sentences) split blocks for the
/// sake of fill; higher ones for blocks leave chunks half empty.
mod price {
    pub(super) const HEADING: f32 = 0.0;
    pub(super) const RULE: f32 = 0.05;
    pub(super) const BLOCK: f32 = 0.2;
    pub(super) const ITEM: f32 = 0.45;
    /// After a code block: what follows may well speak of it.
    pub(super) const AFTER_CODE: f32 = 0.5;
    /// Added between the blocks of a section that fits a chunk, and before a section in such a one.
    pub(super) const WHOLE_SECTION: f32 = 1.2;
    pub(super) const WHOLE_PARENT: f32 = 0.4;
    /// Added inside an item or a quote.
    pub(super) const NESTED: f32 = 0.7;
    /// Added between a line ending in `:` and what it introduces.
    pub(super) const LEAD_IN: f32 = 1.0;
    pub(super) const ROW: f32 = 2.0;
    pub(super) const LINE: f32 = 2.5;
    pub(super) const LINE_AFTER_BLANK: f32 = 1.5;
    pub(super) const SENTENCE: f32 = 2.0;
    pub(super) const WORD: f32 = 12.0;
    pub(super) const GRAPHEME: f32 = 14.0;
    /// In source code: added for each level of depth, so that a function is parted between its own statements before theirs.
    pub(super) const DEPTH: f32 = 0.5;
    /// Between two definitions, or at a blank line beside one.
    pub(super) const DEFINITION: f32 = 0.1;
    /// Between statements, at a blank line.
    pub(super) const AFTER_BLANK: f32 = 0.3;
    pub(super) const STATEMENT: f32 = 1.5;
    /// Between statements on one line: dearer than through what belongs together,
    pub(super) const SAME_LINE: f32 = 40.0;
    /// unless the line must be cut anyway, and better here than between two words.
    pub(super) const LONG_LINE: f32 = 11.0;
    /// Between sentences, where sentences are the measure.
    pub(super) const PLAIN_SENTENCE: f32 = 0.25;
}

/// The most that depth adds to the price of a cut: where all is deep, it says nothing.
const DEEPEST: f32 = 4.0;

/// An atom smaller than `max` by this factor joins the one before it: a window of the plan then holds at most about twice as many.
const FINEST: usize = 64;

/// Flattens `outline`. Walks each node once, in order, without recursion.
pub(crate) fn flatten(sizer: &Sizer<'_>, outline: &Outline, limits: &Limits) -> Atoms {
    let mut walk = Walk {
        text: sizer.text,
        sizer,
        outline,
        limits,
        ruler: sizer.ruler(),
        atoms: Vec::with_capacity(outline.nodes.len()),
        places: vec![Place {
            header: title_header(sizer, outline, limits),
            ..Place::document()
        }],
        place: 0,
        at: outline.nodes[0].span.start,
        delimiters: &outline.delimiters,
        after_delimiter: false,
        text_end: (0, 0),
    };
    match limits.grain {
        Grain::Raw => walk.raw(),
        _ => walk.nodes(),
    }
    Atoms {
        atoms: walk.atoms,
        places: walk.places,
    }
}

fn title_header(sizer: &Sizer<'_>, outline: &Outline, limits: &Limits) -> usize {
    let title = outline.info.title.as_deref();
    let title = title.filter(|_| limits.context.contains(ContextParts::TITLE));
    title.map_or(0, |title| sizer.of(title) + 1)
}

struct Walk<'a> {
    text: &'a str,
    sizer: &'a Sizer<'a>,
    outline: &'a Outline,
    limits: &'a Limits,
    ruler: Ruler<'a>,
    atoms: Vec<Atom>,
    places: Vec<Place>,
    place: usize,
    /// Where the text that is in no atom yet begins.
    at: usize,
    /// The delimiters not yet passed.
    delimiters: &'a [Range<usize>],
    /// Whether a delimiter stands right before `at`.
    after_delimiter: bool,
    /// A place, and where the text before it ends but for white space.
    text_end: (usize, usize),
}

impl Walk<'_> {
    fn raw(&mut self) {
        let header = (self.limits.path + self.places[0].header).min(self.limits.max / 4);
        let first = self.limits.max.saturating_sub(header).max(1);
        let size = first.saturating_sub(self.limits.overlap).max(1);
        let span = self.outline.nodes[0].span.clone();
        split::raw(self.sizer, span, first, size, |piece, strength| {
            self.push(piece, plain(strength, 0.0), 0, 0, false);
        });
    }

    fn nodes(&mut self) {
        let nodes = &self.outline.nodes;
        // The boundary before a node that was opened is the one before its first child.
        let mut inherited = Some(plain(Strength::Start, 0.0));
        // A text in which its parser saw nothing is one piece, or its lines.
        if nodes.len() == 1 {
            return self.leaf(0, plain(Strength::Start, 0.0));
        }
        let mut index = 1;
        while index < nodes.len() {
            while index >= self.places[self.place].end {
                self.place = self.places[self.place].parent;
            }
            let boundary = match inherited.take() {
                Some(boundary) => boundary,
                None => self.boundary(index),
            };
            let node = &nodes[index];
            if node.is_place() {
                self.enter(index);
            }
            if node.kind == Kind::Section {
                inherited = Some(self.heading(boundary, index));
                index += 1;
            } else if node.kind == Kind::List || (node.end > index + 1 && !self.fits(&node.span)) {
                inherited = Some(boundary);
                index += 1;
            } else {
                self.enter_all_in(index);
                self.leaf(index, boundary);
                index = node.end;
            }
        }
    }

    /// Notes the places inside the node at `index`, which becomes one atom.
    fn enter_all_in(&mut self, index: usize) {
        let nodes = &self.outline.nodes;
        if !nodes[index].kind.is_code() {
            return;
        }
        let place = self.place;
        let inside = nodes.iter().enumerate();
        let inside = inside.take(nodes[index].end).skip(index + 1);
        for (index, _) in inside.filter(|(_, node)| node.is_place()) {
            while index >= self.places[self.place].end {
                self.place = self.places[self.place].parent;
            }
            self.enter(index);
        }
        self.place = place;
    }

    /// Enters the section or definition at `index`.
    fn enter(&mut self, index: usize) {
        let node = &self.outline.nodes[index];
        let fits = self.fits(&node.span);
        let parent = &self.places[self.place];
        let mut place = Place {
            label: node.label.clone(),
            parent: self.place,
            node: index,
            signature: self.signature_size(index),
            first_atom: self.atoms.len(),
            header: parent.header,
            titled: parent.titled,
            fits,
            end: node.end,
        };
        if let Some(label) = &node.label {
            let trail = self.limits.context.contains(ContextParts::TRAIL);
            if self.place == 0 || !self.named(self.place) {
                let title = &self.outline.info.title;
                place.titled = title.as_ref() == Some(label);
            }
            if trail && !(place.titled && !self.named(self.place) && place.header > 0) {
                let separator = if place.header > 0 { 3 } else { 1 };
                place.header += self.sizer.of(label) + separator;
            }
        }
        self.place = self.places.len();
        self.places.push(place);
    }

    /// The grains of the signature of the definition at `index`, with a line end, where contexts hold it.
    fn signature_size(&self, index: usize) -> usize {
        let found = self.outline.definition(index);
        let found = found.filter(|_| self.limits.context.contains(ContextParts::LEAD));
        found.map_or(0, |found| 1 + self.sizer.between(found.signature.clone()))
    }

    /// Whether the place or one around it has a label.
    fn named(&self, mut place: usize) -> bool {
        while place > 0 {
            if self.places[place].label.is_some() {
                return true;
            }
            place = self.places[place].parent;
        }
        false
    }

    /// The boundary before the section at `index`, given the one before any block there.
    fn heading(&self, before: Boundary, index: usize) -> Boundary {
        let nodes = &self.outline.nodes;
        let parent = nodes[index].parent;
        // A title with nothing of its own leads its first section, unless it is large enough to be searched for itself.
        let bare = index == parent + 2 && nodes[index - 1].kind == Kind::Heading;
        let title = self.atoms.last().map_or(0, |title| title.grains.len());
        let led = bare && (self.limits.leads || (self.limits.join && title < self.limits.min));
        let mandatory = self.limits.levels.contains(nodes[index].level) && !led;
        Boundary {
            strength: match before.strength {
                Strength::Start => Strength::Start,
                _ => Strength::Heading,
            },
            price: match self.places[self.places[self.place].parent].fits {
                true => price::HEADING + price::WHOLE_PARENT,
                false => price::HEADING,
            },
            mandatory,
            glue: before.glue && !mandatory,
        }
    }

    /// The boundary before a node that has a sibling before it.
    fn boundary(&self, index: usize) -> Boundary {
        let nodes = &self.outline.nodes;
        let node = &nodes[index];
        let mut previous = index - 1;
        while nodes[previous].parent != node.parent {
            previous = nodes[previous].parent;
        }
        let previous = &nodes[previous];
        if node.kind.is_code() {
            return self.code_boundary(node, previous);
        }
        let parent = nodes[node.parent].kind;
        let sentences = self.limits.grain == Grain::Sentence;
        // A heading, or a section that is nothing but one: a title without text belongs to the next.
        let glue = nodes[index - 1].kind == Kind::Heading;
        let (strength, mut price) = match (previous.kind, node.kind) {
            (_, Kind::Item) => (Strength::Item, price::ITEM),
            (Kind::Rule, _) => (Strength::Rule, price::RULE),
            (Kind::Code, _) if parent != Kind::Document || node.kind != Kind::Code => {
                (Strength::Code, price::AFTER_CODE)
            }
            _ => (Strength::Block, price::BLOCK),
        };
        if sentences {
            price = price.min(price::BLOCK) / 2.0;
        }
        let list_in_item =
            node.kind == Kind::Item && nodes[nodes[node.parent].parent].kind == Kind::Item;
        if list_in_item || matches!(parent, Kind::Item | Kind::Quote | Kind::Footnote) {
            price += price::NESTED;
        }
        if self.places[self.place].fits {
            price += price::WHOLE_SECTION;
        }
        if previous.kind == Kind::Paragraph && introduces(&self.text[previous.span.clone()]) {
            price += price::LEAD_IN;
        }
        Boundary {
            strength,
            price,
            mandatory: self.limits.entries && !glue && self.parts_entries(index, previous.kind),
            glue,
        }
    }

    /// The boundary before a node of source code, with its previous sibling.
    fn code_boundary(&self, node: &Node, previous: &Node) -> Boundary {
        let before = &self.text[previous.span.start..node.span.start];
        let space = &before[before.trim_end().len()..];
        let lines = memchr::memchr_iter(b'\n', space.as_bytes()).take(2).count();
        let depth = self.depth(node);
        let (one, other) = (node.kind.is_definition(), previous.kind.is_definition());
        let price = match lines {
            0 if self.line_fits(node.span.start) => price::SAME_LINE,
            0 => price::LONG_LINE,
            1 if one && other => price::DEFINITION,
            1 => price::STATEMENT,
            _ if one || other => price::DEFINITION,
            _ => price::AFTER_BLANK,
        };
        Boundary {
            strength: match lines {
                0 => Strength::Word,
                _ if depth == 0.0 => Strength::Definition,
                _ if one || other => Strength::Block,
                _ => Strength::Line,
            },
            price: price + depth,
            mandatory: false,
            glue: node.glued,
        }
    }

    /// Whether the line around `at` fits a chunk.
    fn line_fits(&self, at: usize) -> bool {
        let text = self.text.as_bytes();
        let reach = 4 * self.limits.max;
        let from = at.saturating_sub(reach);
        let to = text.len().min(at + reach);
        let start = memchr::memrchr(b'\n', &text[from..at]).map_or(from, |feed| from + feed + 1);
        let end = memchr::memchr(b'\n', &text[at..to]).map_or(to, |feed| at + feed);
        let start = self.text.ceil_char_boundary(start);
        let end = self.text.floor_char_boundary(end);
        self.sizer.fits(start..end.max(start), self.limits.max)
    }

    /// What the depth of a node of source code adds to the price of a cut beside it: nothing outside all definitions.
    fn depth(&self, node: &Node) -> f32 {
        let mut depth = 0.0;
        let mut around = node.parent;
        while around > 0 && self.outline.nodes[around].kind.is_code() && depth < DEEPEST {
            depth += price::DEPTH;
            around = self.outline.nodes[around].parent;
        }
        depth
    }

    /// Whether the node at `index` begins an entry of a top-level list, or stands behind such a list.
    fn parts_entries(&self, index: usize, previous: Kind) -> bool {
        let nodes = &self.outline.nodes;
        let node = &nodes[index];
        let top = |index: usize| matches!(nodes[index].kind, Kind::Document | Kind::Section);
        match node.kind {
            Kind::Item => top(nodes[node.parent].parent),
            Kind::List => top(node.parent),
            _ => previous == Kind::List && top(node.parent),
        }
    }

    /// Whether the text in `span` fits a chunk of its own, if need be without the indentation it begins with.
    fn fits(&mut self, span: &Range<usize>) -> bool {
        let end = self.text_end(span.end).max(span.start);
        let max = self.limits.max;
        if self.sizer.fits(span.start..end, max) {
            return true;
        }
        let part = &self.text[span.start..end];
        let first = end - part.trim_start_matches([' ', '\t']).len();
        let whole = split::is_grapheme_start(self.text, span.start, first);
        first > span.start && whole && self.sizer.fits(first..end, max)
    }

    /// Where the text before `end` ends but for white space. Nodes in nodes ask for the same place again and again.
    fn text_end(&mut self, end: usize) -> usize {
        if self.text_end.0 != end {
            let text = self.text;
            let mut at = text[..end].trim_end().len();
            // White space may belong to the character before it, as in `trimmed`.
            while at > 0 && !split::is_grapheme_start(text, text.floor_char_boundary(at - 1), at) {
                at = text.ceil_char_boundary(at + 1);
            }
            self.text_end = (end, at);
        }
        self.text_end.1
    }

    fn leaf(&mut self, index: usize, boundary: Boundary) {
        let node = &self.outline.nodes[index];
        let level = match node.kind {
            Kind::Heading if self.outline.nodes[node.parent].kind == Kind::Section => node.level,
            _ => 0,
        };
        let prose = matches!(node.kind, Kind::Paragraph | Kind::Heading);
        let text = self.text;
        let span = node.span.clone();
        if self.limits.grain == Grain::Sentence && node.kind == Kind::Paragraph {
            self.sentences(index, span, boundary, price::PLAIN_SENTENCE);
        } else if self.fits(&span) {
            self.push(span, boundary, level, index, false);
        } else if prose {
            self.sentences(index, span, boundary, price::SENTENCE);
        } else if self.limits.keep && matches!(node.kind, Kind::Code | Kind::Table) {
            self.push(span, boundary, level, index, false);
        } else {
            let fence = node.kind == Kind::Code && is_fence(first_line(&text[span.clone()]));
            let depth = self.depth(node);
            let mut pieces = Vec::new();
            split::lines(text, span, |piece, _| pieces.push(piece));
            let last = pieces.len() - 1;
            for (at_line, piece) in pieces.into_iter().enumerate() {
                let line = &text[piece.clone()];
                let boundary = match at_line {
                    0 => boundary,
                    _ => self.line_boundary(
                        node.kind,
                        depth,
                        piece.start,
                        at_line,
                        fence && (at_line == 1 || (at_line == last && is_fence(line))),
                    ),
                };
                let needs_lead = node.kind == Kind::Table && at_line >= 2;
                self.words(index, piece, boundary, needs_lead);
            }
        }
    }

    fn line_boundary(
        &self,
        kind: Kind,
        depth: f32,
        start: usize,
        at_line: usize,
        fence: bool,
    ) -> Boundary {
        let (strength, price, glue) = match kind {
            Kind::Table => (Strength::Row, price::ROW, at_line <= 2),
            _ => {
                let before = &self.text[..start].trim_end_matches([' ', '\t']);
                let blank = before.ends_with("\n\n") || before.ends_with("\n\r\n");
                let price = if blank {
                    price::LINE_AFTER_BLANK
                } else {
                    price::LINE
                };
                (Strength::Line, price + depth, fence)
            }
        };
        Boundary {
            strength,
            price,
            mandatory: false,
            glue,
        }
    }

    fn sentences(&mut self, index: usize, span: Range<usize>, first: Boundary, price: f32) {
        let text = self.text;
        let keep = self.limits.keep;
        split::sentences(text, span, |piece, strength| {
            let boundary = match strength {
                Strength::Start => first,
                _ => plain(strength, price),
            };
            if keep {
                self.push(piece, boundary, 0, index, false);
            } else {
                self.words(index, piece, boundary, false);
            }
        });
    }

    /// A piece that is cut between words if it does not fit.
    fn words(&mut self, index: usize, piece: Range<usize>, first: Boundary, needs_lead: bool) {
        if self.fits(&piece) {
            return self.push(piece, first, 0, index, needs_lead);
        }
        let max = self.limits.max;
        split::words(
            self.sizer,
            piece,
            (max / FINEST * 2).max(1),
            max,
            |piece, strength| {
                let boundary = match strength {
                    Strength::Start => first,
                    Strength::Word => plain(strength, price::WORD),
                    _ => plain(strength, price::GRAPHEME),
                };
                self.push(piece, boundary, 0, index, needs_lead);
            },
        );
    }

    /// Makes an atom of `piece`, or two and more where delimiters stand in it.
    fn push(
        &mut self,
        piece: Range<usize>,
        boundary: Boundary,
        level: u8,
        node: usize,
        needs_lead: bool,
    ) {
        let mut start = self.at.max(piece.start);
        let mut boundary = boundary;
        while let [delimiter, rest @ ..] = self.delimiters
            && delimiter.start < piece.end
        {
            let (from, to) = self.widened(start, delimiter);
            self.delimiters = rest;
            self.atom(start..from, boundary, level, node, needs_lead);
            boundary = plain(Strength::Block, 0.0);
            start = if self.limits.include_delimiter {
                from
            } else {
                to
            };
            self.at = start;
            self.after_delimiter = true;
        }
        self.atom(
            start..piece.end.max(start),
            boundary,
            level,
            node,
            needs_lead,
        );
        self.at = piece.end.max(start);
    }

    /// `bytes`, without the white space they begin with where that alone makes them too large.
    fn without_indentation_too_much(&self, bytes: Range<usize>) -> Range<usize> {
        let part = &self.text[bytes.clone()];
        let first = bytes.end - part.trim_start_matches([' ', '\t']).len();
        let fits = |range: Range<usize>| self.sizer.fits(range, self.limits.max);
        let whole = split::is_grapheme_start(self.text, bytes.start, first);
        match first > bytes.start && whole && !fits(bytes.clone()) && fits(first..bytes.end) {
            true => first..bytes.end,
            false => bytes,
        }
    }

    /// A delimiter's bytes, grown to whole graphemes.
    fn widened(&self, start: usize, delimiter: &Range<usize>) -> (usize, usize) {
        let mut from = delimiter.start.max(start);
        while !split::is_grapheme_start(self.text, start, from) {
            from = self.text.floor_char_boundary(from - 1);
        }
        let mut to = delimiter.end.max(from);
        while !split::is_grapheme_start(self.text, from, to) {
            to = self.text.ceil_char_boundary(to + 1);
        }
        (from, to)
    }

    fn atom(
        &mut self,
        raw: Range<usize>,
        boundary: Boundary,
        level: u8,
        node: usize,
        needs_lead: bool,
    ) {
        let Some(bytes) = trimmed(self.text, raw) else {
            return;
        };
        let bytes = self.without_indentation_too_much(bytes);
        let mut boundary = boundary;
        if self.after_delimiter {
            self.after_delimiter = false;
            boundary.strength = Strength::Delimiter;
            boundary.mandatory = true;
            boundary.glue = false;
        }
        if self.atoms.is_empty() {
            boundary.strength = Strength::Start;
        }
        let from = self.ruler.at(bytes.start);
        let grains = from..self.ruler.at(bytes.end);
        let fine = self.limits.max / FINEST;
        if let Some(previous) = self.atoms.last_mut()
            && !boundary.mandatory
            && grains.len() < fine
            && previous.grains.len() < fine
            // White space between them counts, too: it may be any size.
            && grains.end - previous.grains.start <= 2 * fine
            && (level == 0 || previous.level > 0)
        {
            previous.bytes.end = bytes.end;
            previous.grains.end = grains.end;
            previous.place = shared(&self.places, previous.place, self.place);
            if previous.node != node && previous.level == 0 {
                previous.node = 0;
            }
            let joined = self.atoms.len() - 1;
            let entered = self.places.iter_mut().rev();
            for place in entered.take_while(|place| place.first_atom > joined) {
                place.first_atom = joined;
            }
            return;
        }
        self.atoms.push(Atom {
            bytes,
            grains,
            boundary,
            level,
            needs_lead,
            place: self.place,
            node,
        });
    }
}

fn plain(strength: Strength, price: f32) -> Boundary {
    Boundary {
        strength,
        price,
        mandatory: false,
        glue: false,
    }
}

/// The innermost place around both. A place comes after the one around it, so the later of two is not around the other.
pub(crate) fn shared(places: &[Place], mut a: usize, mut b: usize) -> usize {
    while a != b {
        if a > b {
            a = places[a].parent;
        } else {
            b = places[b].parent;
        }
    }
    a
}

/// `raw` without the white space around it, but with the indentation of its first line; `None` if nothing is left.
pub(crate) fn trimmed(text: &str, raw: Range<usize>) -> Option<Range<usize>> {
    let part = &text[raw.clone()];
    let end = raw.start + part.trim_end().len();
    let first = raw.end - part.trim_start().len();
    if first >= end {
        return None;
    }
    let at_line = raw.start == 0 || text.as_bytes()[raw.start - 1] == b'\n';
    let mut start = match memchr::memrchr(b'\n', &text.as_bytes()[raw.start..first]) {
        Some(newline) => raw.start + newline + 1,
        None if at_line => raw.start,
        None => first,
    };
    // White space that belongs to a grapheme with what is kept is kept.
    while !split::is_grapheme_start(text, raw.start, start) {
        start = text.floor_char_boundary(start - 1);
    }
    let mut end = end;
    while !split::is_grapheme_start(text, start, end) {
        end = text.ceil_char_boundary(end + 1);
    }
    Some(start..end)
}

/// Whether a paragraph introduces what follows it.
fn introduces(paragraph: &str) -> bool {
    paragraph
        .trim_end()
        .trim_end_matches(['*', '_', '`'])
        .ends_with([':', '：'])
}

fn first_line(text: &str) -> &str {
    text.trim_start_matches(['\n', '\r'])
        .lines()
        .next()
        .unwrap_or_default()
}

fn is_fence(line: &str) -> bool {
    let line = line.trim_start_matches(['>', ' ', '\t', '-', '*', '+']);
    line.starts_with("```") || line.starts_with("~~~")
}
