//! From an [`Outline`] to [`Atoms`]: one walk in document order, without recursion, that descends
//! only into nodes that do not fit.

mod boundary;

use std::ops::Range;

use crate::atom::{Atom, Atoms, Boundary, Place, shared, trimmed};
use crate::bounds::{Bounds, Grain};
use crate::chunk::Strength;
use crate::config::ContextParts;
use crate::measure::{Measure, Ruler};
use crate::outline::{Kind, Outline};
use crate::price;
use crate::split;
use crate::text::is_fence;
use boundary::introduces;

/// An atom smaller than `max` by this factor joins the one before it, so a window of the plan holds
/// at most about twice as many.
const FINEST: usize = 64;

/// A word larger than `max` divided by this can be a chunk: text without white space, such as an
/// encoded file, is a paragraph rather than a word.
const SHORT: usize = 8;

/// Flattens `outline`. Visits each node once, in order, without recursion.
pub(crate) fn flatten(measure: &Measure<'_>, outline: &Outline, limits: &Bounds) -> Atoms {
    let mut walk = Walk {
        text: measure.text,
        measure,
        outline,
        limits,
        ruler: measure.ruler(),
        atoms: Vec::with_capacity(outline.nodes.len()),
        places: vec![Place {
            header: title_header(measure, outline, limits),
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
        _ => {
            walk.nodes();
            walk.keep_last_words();
        }
    }
    Atoms {
        atoms: walk.atoms,
        places: walk.places,
    }
}

fn title_header(measure: &Measure<'_>, outline: &Outline, limits: &Bounds) -> usize {
    let title = outline.info.title.as_deref();
    let title = title.filter(|_| limits.context.contains(ContextParts::TITLE));
    title.map_or(0, |title| measure.of(title) + 1)
}

struct Walk<'a> {
    text: &'a str,
    measure: &'a Measure<'a>,
    outline: &'a Outline,
    limits: &'a Bounds,
    ruler: Ruler<'a>,
    atoms: Vec<Atom>,
    places: Vec<Place>,
    place: usize,
    /// The start of the text that is in no atom yet.
    at: usize,
    /// The delimiters still ahead.
    delimiters: &'a [Range<usize>],
    /// Whether a delimiter ends at `at`.
    after_delimiter: bool,
    /// A position, and where the text before it ends without trailing white space.
    text_end: (usize, usize),
}

impl Walk<'_> {
    fn raw(&mut self) {
        let max = self.limits.max;
        let header = self.limits.path + self.places[0].header;
        let room = |header: usize| max.saturating_sub(header.min(max / 4)).max(1);
        let first = room(header);
        let later = room(header + self.limits.marker);
        let size = later.saturating_sub(self.limits.overlap).max(1);
        let span = self.outline.nodes[0].span.clone();
        split::raw(self.measure, span, first, size, |piece, strength| {
            self.push(piece, Boundary::plain(strength, 0.0), 0, 0, false);
        });
    }

    fn nodes(&mut self) {
        let nodes = &self.outline.nodes;
        // The boundary before an opened node is the one before its first child.
        let mut inherited = Some(Boundary::plain(Strength::Start, 0.0));
        // If the parser found no structure, the text is one atom, or its lines.
        if nodes.len() == 1 {
            return self.leaf(0, Boundary::plain(Strength::Start, 0.0));
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
            } else if node.kind == Kind::List
                || (node.end() > index + 1 && !self.fits_with_heading(index, boundary))
            {
                inherited = Some(boundary);
                index += 1;
            } else {
                self.enter_all_in(index);
                let around = self.place;
                if let Some(closed) = self.closed_by(index) {
                    self.place = closed;
                }
                self.leaf(index, boundary);
                self.place = around;
                index = node.end();
            }
        }
    }

    /// If the node at `index` is a closing bracket, the place of the text that it closes. A class's
    /// bracket after its last method tells nothing about the class: text that ends with it still
    /// belongs to the method.
    fn closed_by(&self, index: usize) -> Option<usize> {
        let node = &self.outline.nodes[index];
        let last = node.end == self.outline.nodes[node.parent()].end;
        let closes = node.kind == Kind::Statement && node.glued && last;
        Some(self.atoms.last().filter(|_| closes)?.place)
    }

    /// Records the places inside the node at `index`, which becomes one atom.
    fn enter_all_in(&mut self, index: usize) {
        let nodes = &self.outline.nodes;
        if !nodes[index].kind.is_code() {
            return;
        }
        let place = self.place;
        let inside = nodes.iter().enumerate();
        let inside = inside.take(nodes[index].end()).skip(index + 1);
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
            end: node.end(),
        };
        if let Some(label) = &node.label {
            let trail = self.limits.context.contains(ContextParts::TRAIL);
            if self.place == 0 || !self.named(self.place) {
                let title = &self.outline.info.title;
                place.titled = title.as_ref() == Some(label);
            }
            if trail && !(place.titled && !self.named(self.place) && place.header > 0) {
                let separator = if place.header > 0 { 3 } else { 1 };
                place.header += self.measure.of(label) + separator;
            }
        }
        self.place = self.places.len();
        self.places.push(place);
    }

    /// The grains of the signature of the definition at `index`, including a line end, if contexts
    /// include it.
    fn signature_size(&self, index: usize) -> usize {
        let found = self.outline.definition(index);
        let found = found.filter(|_| self.limits.context.contains(ContextParts::LEAD));
        found.map_or(0, |found| 1 + self.measure.between(found.signature.clone()))
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

    /// Whether the text in `span` fits in a chunk of its own, if necessary without its leading
    /// indentation.
    fn fits(&mut self, span: &Range<usize>) -> bool {
        let end = self.text_end(span.end).max(span.start);
        let max = self.limits.max;
        if self.measure.fits(span.start..end, max) {
            return true;
        }
        let part = &self.text[span.start..end];
        let first = end - part.trim_start_matches([' ', '\t']).len();
        let whole = split::is_grapheme_start(self.text, span.start, first);
        first > span.start && whole && self.measure.fits(first..end, max)
    }

    /// Where the text before `end` ends without trailing white space. Nested nodes request the same
    /// position repeatedly.
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
            Kind::Heading if self.outline.nodes[node.parent()].kind == Kind::Section => node.level,
            _ => 0,
        };
        let prose = matches!(node.kind, Kind::Paragraph | Kind::Heading);
        // A row is a part of its table.
        let owner = if node.kind == Kind::Row {
            node.parent()
        } else {
            index
        };
        let follows_header = node.kind == Kind::Row && !self.outline.is_header(index);
        let text = self.text;
        let span = node.span.clone();
        if self.limits.grain == Grain::Sentence && node.kind == Kind::Paragraph {
            self.sentences(index, span, boundary, price::PLAIN_SENTENCE);
        } else if self.fits_with_heading(index, boundary) && !self.leaves_a_word(index, boundary) {
            self.push(span, boundary, level, owner, follows_header);
        } else if prose {
            self.sentences(index, span, boundary, price::SENTENCE);
        } else if self.limits.keep && matches!(node.kind, Kind::Code | Kind::Table) {
            self.push(span, boundary, level, index, false);
        } else {
            let fenced = self.outline.nodes[self.outline.block(index)].kind == Kind::Code;
            let opens = fenced && is_nested_fence(first_line(&text[span.clone()]));
            let depth = self.depth(node);
            let separator = self.outline.nodes[owner].cell_separator;
            let mut pieces = Vec::new();
            match node.kind {
                // Lines of a row are lines in its cells.
                Kind::Row if separator > 0 => pieces.push(span),
                _ => split::lines(text, span, |piece, _| pieces.push(piece)),
            }
            let last = pieces.len() - 1;
            for (at_line, piece) in pieces.into_iter().enumerate() {
                let line = &text[piece.clone()];
                let boundary = match at_line {
                    0 => boundary,
                    _ => self.line_boundary(
                        node,
                        depth,
                        piece.start,
                        at_line,
                        (opens && at_line == 1)
                            || (fenced && at_line == last && is_nested_fence(line)),
                    ),
                };
                let header = usize::from(node.header_lines);
                let has_header = node.kind == Kind::Table && header > 0;
                let needs_lead = follows_header || (has_header && at_line >= header);
                match separator {
                    0 => self.words(owner, piece, boundary, needs_lead),
                    _ => self.cells(owner, piece, boundary, needs_lead),
                }
            }
        }
    }

    fn sentences(&mut self, index: usize, span: Range<usize>, first: Boundary, price: f32) {
        let text = self.text;
        let max = self.limits.max;
        let fits = |piece: &Range<usize>| self.measure.fits(piece.clone(), max);
        let mut lines = Vec::new();
        match split::has_own_lines(&text[span.clone()]) {
            true => split::lines(text, span, |line, strength| lines.push((line, strength))),
            false => lines.push((span, Strength::Start)),
        }
        let by_line = lines.len() > 1;
        let mut pieces = Vec::new();
        for (line, first) in lines {
            if by_line && fits(&line) {
                pieces.push((line, first));
                continue;
            }
            split::sentences(text, line, |piece, strength| {
                let strength = strength.or_of(first);
                if fits(&piece) {
                    pieces.push((piece, strength));
                    return;
                }
                split::lax_sentences(text, piece, |piece, inner| {
                    pieces.push((piece, inner.or_of(strength)));
                });
            });
        }
        // What the last word after each piece needs, if one follows.
        let mut after = self.last_word(index).map(|word| self.measure.between(word));
        let heading = self
            .heading_before(first)
            .map_or(0, |start| self.measure.between(start..pieces[0].0.start));
        let mut rooms = vec![max; pieces.len()];
        for (room, (piece, _)) in rooms.iter_mut().zip(&pieces).rev() {
            *room = max.saturating_sub(after.unwrap_or(0)).max(1);
            let last = after.is_none() && piece.end == pieces[pieces.len() - 1].0.end;
            after =
                (last && self.is_word(piece.clone())).then(|| self.measure.between(piece.clone()));
        }
        rooms[0] = rooms[0].saturating_sub(heading).max(1);
        for ((piece, strength), room) in pieces.into_iter().zip(rooms) {
            let boundary = match strength {
                Strength::Start => first,
                _ => Boundary::plain(strength, price),
            };
            if self.limits.keep {
                self.push(piece, boundary, 0, index, false);
            } else {
                self.words_within(index, piece, boundary, false, room);
            }
        }
    }

    /// The single word that is all the text after the paragraph at `index` in its section.
    fn last_word(&self, index: usize) -> Option<Range<usize>> {
        let nodes = &self.outline.nodes;
        let node = &nodes[index];
        let next = nodes.get(node.end())?;
        let ends = nodes
            .get(next.end())
            .is_none_or(|after| after.parent != node.parent || after.kind == Kind::Section);
        let word = next.kind == Kind::Paragraph
            && next.parent == node.parent
            && ends
            && self.is_word(next.span.clone());
        word.then(|| next.span.clone())
    }

    /// Whether the text in `span` is a single word, too small to be a chunk.
    fn is_word(&self, span: Range<usize>) -> bool {
        let short = self.limits.max / SHORT;
        trimmed(self.text, span).is_none_or(|word| {
            self.measure.fits(word.clone(), short) && split::is_one_word(&self.text[word])
        })
    }

    /// Whether the paragraph at `index` fits in a chunk, but not together with the single word
    /// that is left after it.
    fn leaves_a_word(&self, index: usize, boundary: Boundary) -> bool {
        let node = &self.outline.nodes[index];
        let Some(word) = self
            .last_word(index)
            .filter(|_| node.kind == Kind::Paragraph)
        else {
            return false;
        };
        let start = self.heading_before(boundary).unwrap_or(node.span.start);
        let end = start + self.text[start..word.end].trim_end().len();
        !self.measure.fits(start..end, self.room())
    }

    /// How much text fits next to the context of the place that is open, in grains. A context above
    /// a quarter of the limit loses its outer headings.
    fn room(&self) -> usize {
        let Bounds { max, path, .. } = *self.limits;
        let all = self.places[self.place].header;
        let with = |outer: usize| path + all - self.places[outer].header;
        let mut header = path + all;
        if header > max / 4 {
            let mut outer = self.place;
            while outer > 0 && with(self.places[outer].parent) <= max / 4 {
                outer = self.places[outer].parent;
            }
            header = with(outer);
        }
        max - header.min(max / 4)
    }

    /// Where the headings begin that what follows `boundary` belongs to.
    fn heading_before(&self, boundary: Boundary) -> Option<usize> {
        const LEVELS: usize = 6;
        let mut glue = boundary.glue;
        let headings = self.atoms.iter().rev().take(LEVELS).take_while(|atom| {
            let belongs = glue && atom.level > 0;
            glue = atom.boundary.glue;
            belongs
        });
        Some(headings.last()?.bytes.start)
    }

    /// Whether the node at `index` fits in a chunk; prose directly below a heading, together with
    /// the heading, and a paragraph, with its context, since it can be split between its sentences.
    fn fits_with_heading(&mut self, index: usize, boundary: Boundary) -> bool {
        let node = &self.outline.nodes[index];
        let prose = matches!(
            node.kind,
            Kind::Paragraph | Kind::Item | Kind::Quote | Kind::Footnote
        );
        let start = self.heading_before(boundary).filter(|_| prose);
        self.fits(&node.span)
            && start.is_none_or(|start| self.fits(&(start..node.span.end)))
            && (node.kind != Kind::Paragraph || self.fits_with_context(&node.span))
    }

    /// Whether the text in `span` fits in a chunk next to the context of the place that is open.
    fn fits_with_context(&mut self, span: &Range<usize>) -> bool {
        let end = self.text_end(span.end).max(span.start);
        self.measure.fits(span.start..end, self.room())
    }

    /// Glues the last word of a section to what comes before it, and a block that is kept whole to
    /// the word, or the line that introduces it, between it and its heading: neither is a chunk.
    fn keep_last_words(&mut self) {
        for index in 1..self.atoms.len() {
            let (before, here) = (&self.atoms[index - 1], &self.atoms[index]);
            let boundary = here.boundary;
            if boundary.mandatory
                || here.level > 0
                || before.place != here.place
                || boundary.strength > Strength::Sentence
            {
                continue;
            }
            let word = |atom: &Atom| {
                self.outline.nodes[atom.node].kind == Kind::Paragraph
                    && self.is_word(atom.bytes.clone())
            };
            let next = self.atoms.get(index + 1);
            let last = next.is_none_or(|next| next.place != here.place || next.boundary.mandatory);
            let kept = self.limits.keep && here.grains.len() > self.limits.max;
            let remains = before.level == 0 && last && word(here);
            let leads = |atom: &Atom| {
                let text = &self.text[atom.bytes.clone()];
                word(atom) || (atom.grains.len() < self.limits.min && introduces(text))
            };
            let led = kept && before.level == 0 && before.boundary.glue && leads(before);
            self.atoms[index].boundary.glue |= remains || led;
        }
    }

    /// Adds a row of the table `node`, split between its cells if it does not fit, and between the
    /// sentences of a cell that does not.
    fn cells(&mut self, node: usize, row: Range<usize>, first: Boundary, needs_lead: bool) {
        if self.fits(&row) {
            return self.push(row, first, 0, node, needs_lead);
        }
        let (text, separator) = (self.text, self.outline.nodes[node].cell_separator);
        let mut boundary = first;
        split::cells(text, row, separator, |cell| {
            self.words(node, cell, boundary, needs_lead);
            boundary = Boundary::plain(Strength::Cell, price::CELL);
        });
    }

    /// Adds a part of the text, split between its sentences and words if it does not fit.
    fn words(&mut self, index: usize, piece: Range<usize>, first: Boundary, needs_lead: bool) {
        self.words_within(index, piece, first, needs_lead, self.limits.max);
    }

    /// Adds a part of the text, split between its sentences and words if it is larger than `room`.
    fn words_within(
        &mut self,
        index: usize,
        piece: Range<usize>,
        first: Boundary,
        needs_lead: bool,
        room: usize,
    ) {
        let max = self.limits.max;
        if self.fits(&piece) && (room == max || self.measure.fits(piece.clone(), room)) {
            return self.push(piece, first, 0, index, needs_lead);
        }
        // A value of data may be a whole text.
        let text = self.text;
        split::sentences(text, piece, |sentence, strength| {
            let first = match strength {
                Strength::Start => first,
                _ => Boundary::plain(strength, price::INNER_SENTENCE),
            };
            if self.measure.fits(sentence.clone(), room) {
                return self.push(sentence, first, 0, index, needs_lead);
            }
            split::lines(text, sentence, |line, strength| {
                let first = match strength {
                    Strength::Start => first,
                    _ => Boundary::plain(strength, price::INNER_LINE),
                };
                if self.measure.fits(line.clone(), room) {
                    return self.push(line, first, 0, index, needs_lead);
                }
                let size = (max / FINEST * 2).max(1);
                split::words(self.measure, line, size, max, |word, strength| {
                    let boundary = match strength {
                        Strength::Start => first,
                        Strength::Word => Boundary::plain(strength, price::WORD),
                        _ => Boundary::plain(strength, price::GRAPHEME),
                    };
                    self.push(word, boundary, 0, index, needs_lead);
                });
            });
        });
    }

    /// Adds a part of the text as an atom, or as several if it contains delimiters.
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
            boundary = Boundary::plain(Strength::Block, 0.0);
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

    /// `bytes`, without the leading white space if only that makes them too large.
    fn without_indentation_too_much(&self, bytes: Range<usize>) -> Range<usize> {
        let part = &self.text[bytes.clone()];
        let first = bytes.end - part.trim_start_matches([' ', '\t']).len();
        let fits = |range: Range<usize>| self.measure.fits(range, self.limits.max);
        let whole = split::is_grapheme_start(self.text, bytes.start, first);
        match first > bytes.start && whole && !fits(bytes.clone()) && fits(first..bytes.end) {
            true => first..bytes.end,
            false => bytes,
        }
    }

    /// The bytes of a delimiter, extended to whole graphemes.
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

    /// Whether `bytes`, the text of the next atom, are the first comments of a definition.
    fn begins_with_comments(&self, bytes: &Range<usize>) -> bool {
        let place = &self.places[self.place];
        let first = place.first_atom == self.atoms.len();
        let found = self.outline.definition(place.node).filter(|_| first);
        found.is_some_and(|found| bytes.end <= found.signature.start)
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
        let commented = grains.len() < fine && self.begins_with_comments(&bytes);
        if let Some(previous) = self.atoms.last_mut()
            && !boundary.mandatory
            && grains.len() < fine
            && previous.grains.len() < fine
            // The white space between them counts, too: it may be of any size.
            && grains.end - previous.grains.start <= 2 * fine
            && (level == 0 || previous.level > 0)
            && !commented
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
            head: node,
            begins: self.place,
        });
    }
}

fn first_line(text: &str) -> &str {
    text.trim_start_matches(['\n', '\r'])
        .lines()
        .next()
        .unwrap_or_default()
}

/// Whether a line in a list or a quote opens or closes a fenced block.
fn is_nested_fence(line: &str) -> bool {
    is_fence(line.trim_start_matches(['>', ' ', '\t', '-', '*', '+']))
}
