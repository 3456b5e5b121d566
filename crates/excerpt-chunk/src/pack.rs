//! The one packing algorithm: from an [`Outline`] and limits to the [`Piece`]s that become chunks.
//!
//! Chunking is planned, not greedy. Going backwards over the atoms, the plan finds for each one the
//! cheapest way to split the rest of the document. The cost is that of a chunk (its size and the
//! headings buried in it), plus the price of the split before it, plus the cost of the cheapest
//! rest.
//!
//! The plan's decisions after a split depend on nothing before it, so two versions of a document
//! are split identically from the first split they share. [Landmarks](crate::landmark) make them
//! share one soon, before an edit as well as after it.
//!
//! The window is bounded by `max`, and every size is a difference of two sums, so the plan is
//! linear.

use std::cmp::Ordering;
use std::ops::Range;

use crate::atom::{Atom, Atoms, Boundary, Place, shared, trimmed};
use crate::bounds::{Bounds, Grain};
use crate::chunk::Strength;
use crate::flatten::flatten;
use crate::landmark::landmarks;
use crate::measure::Measure;
use crate::outline::{Kind, Outline};
use crate::price;
use crate::split;

/// The header of a chunk names the section that it continues if at least one part in this many
/// belongs to it: a heading for a few last lines draws a search to the rest. In nDCG@10, a heading
/// in any case costs up to .009 on the documentation sets, as does one from a quarter on; one from
/// half of the chunk on costs .002 for links and .001 for sections of other packages; a third costs
/// nothing on either (`scripts/ranking`, `scripts/judge`).
const CONTINUED: usize = 3;

/// Why a piece exceeds any limit: it cannot be split.
pub(crate) const ONE_GRAPHEME: &str = "one grapheme larger than the limit";

/// A future chunk: a slice of the text and the places in the outline that describe it.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    /// Its own bytes.
    pub(crate) bytes: Range<usize>,
    /// Where the overlap before it begins; `bytes.start` without overlap.
    pub(crate) overlap: usize,
    pub(crate) strength: Strength,
    /// Whether it continues what the previous piece began.
    pub(crate) continues: bool,
    /// The level of the heading it begins with, or 0.
    pub(crate) level: u8,
    /// The innermost place that contains all of it.
    pub(crate) place: usize,
    /// The innermost place that its header names: the one that contains all of it, or the section
    /// that it continues.
    pub(crate) named: usize,
    /// The innermost place in which it begins.
    pub(crate) begins: usize,
    /// The other places it touches, in order.
    pub(crate) touched: Vec<usize>,
    pub(crate) kind: Kind,
    /// The node that it begins with.
    pub(crate) head: usize,
    /// The node that all of it belongs to: one code block or table.
    pub(crate) node: Option<usize>,
    /// The header rows of the table that it continues.
    pub(crate) lead: Option<Range<usize>>,
    /// Whether it is the overview of its document, with a limit of its own.
    pub(crate) overview: bool,
    /// Why it may exceed the limit.
    pub(crate) oversized: Option<&'static str>,
}

impl Piece {
    /// The exact size of its overlap and its text, in grains.
    pub(crate) fn exact(&self, measure: &Measure<'_>) -> usize {
        measure.exact(self.overlap..self.bytes.start) + measure.exact(self.bytes.clone())
    }

    /// The piece, split between graphemes if its exact size exceeds `max`; without its overlap, if
    /// the overlap is what exceeds it.
    #[must_use]
    pub(crate) fn refit(mut self, measure: &Measure<'_>, max: usize, keep: bool) -> Vec<Piece> {
        let fits = |range: Range<usize>| measure.exact(range) <= max;
        if self.exact(measure) <= max
            || (keep && self.oversized.is_some_and(|reason| reason != ONE_GRAPHEME))
        {
            return vec![self];
        }
        self.overlap = self.bytes.start;
        let mut parts = Vec::new();
        let mut start = self.bytes.start;
        let mut strength = self.strength;
        while start < self.bytes.end {
            let mut end = self.bytes.end;
            let mut one = split::is_one_grapheme(&measure.text[start..end]);
            while !one && !fits(start..end) {
                let middle = measure.text.floor_char_boundary(start + (end - start) / 2);
                end = split::grapheme_end(&measure.text[..end], start, middle.max(start + 1));
                one = split::is_one_grapheme(&measure.text[start..end]);
            }
            if let Some(bytes) = trimmed(measure.text, start..end) {
                let first = parts.is_empty();
                parts.push(Piece {
                    overlap: bytes.start,
                    strength,
                    continues: self.continues || !first,
                    level: if first { self.level } else { 0 },
                    overview: self.overview && first,
                    oversized: (!fits(bytes.clone())).then_some(ONE_GRAPHEME),
                    bytes,
                    ..self.clone()
                });
            }
            start = end;
            strength = Strength::Grapheme;
        }
        parts
    }
}

/// How many atoms a chunk may have. Atoms much smaller than the limit are joined before the plan,
/// so only text between mandatory splits can have this many. Without a bound, a text of empty
/// headings would cost a comparison for each pair in a window.
const WINDOW: usize = 256;

/// How far a landmark reaches, as a multiple of the limit (3/2). Nearer landmarks make chunks
/// emptier; farther ones let an edit change more of them. For the curve see `benches/runs`.
const REACH: (usize, usize) = (3, 2);

/// Splits a document: its pieces, and the places they refer to.
pub(crate) fn pack(
    measure: &Measure<'_>,
    outline: &Outline,
    limits: &Bounds,
) -> (Vec<Piece>, Vec<Place>) {
    let Atoms { atoms, places } = flatten(measure, outline, limits);
    let plan = Plan {
        text: measure.text,
        measure,
        outline,
        limits,
        atoms: &atoms,
        places: &places,
    };
    let ends = plan.ends();
    let mut pieces = Vec::new();
    let mut start = 0;
    while start < atoms.len() {
        pieces.push(plan.piece(start, ends[start]));
        start = ends[start];
    }
    (pieces, places)
}

struct Plan<'a> {
    text: &'a str,
    measure: &'a Measure<'a>,
    outline: &'a Outline,
    limits: &'a Bounds,
    atoms: &'a [Atom],
    places: &'a [Place],
}

/// What the plan's innermost loop reads of an atom: all of it is next to each other.
struct Step {
    /// The grains of the text up to its end.
    end: usize,
    /// The innermost place that contains all of it.
    place: usize,
    /// What its heading costs inside a chunk.
    buried: f64,
    /// Whether the text is split before it whatever it costs.
    mandatory: bool,
    /// Whether it belongs to what comes before.
    glue: bool,
    /// The next atom that follows a mandatory split.
    next_mandatory: usize,
    /// The place of the definition that a split before it parts from its comments.
    parts: Option<usize>,
}

impl Plan<'_> {
    /// For each atom, where the chunk that begins with it ends in the cheapest plan.
    fn ends(&self) -> Vec<usize> {
        let count = self.atoms.len();
        let whole = self.limits.grain == Grain::Whole;
        if whole && count > 0 && self.size(0, count) <= self.limits.max {
            return vec![count; count];
        }
        let extras = self.extras();
        let landmarks = self.landmarks();
        let steps = self.steps();
        let mut cost = vec![0.0; count + 1];
        let mut ends = vec![count; count];
        for start in (0..count).rev() {
            let (mut best, mut best_end) = (f64::INFINITY, count);
            self.candidates(start, extras[start], &steps, |end, price| {
                let total = price + cost[end];
                if total < best {
                    (best, best_end) = (total, end);
                }
            });
            ends[start] = best_end;
            let boundary = &self.atoms[start].boundary;
            let glue = if boundary.glue { price::GLUE } else { 0.0 };
            let landmark = if landmarks[start] {
                price::LANDMARK
            } else {
                0.0
            };
            cost[start] = best + f64::from(boundary.price) + glue - landmark;
        }
        ends
    }

    /// The chunks that may begin at `start`: where each ends and what it costs.
    fn candidates(
        &self,
        start: usize,
        extra: usize,
        steps: &[Step],
        mut candidate: impl FnMut(usize, f64),
    ) {
        let count = self.atoms.len();
        let min = self.limits.min;
        let overview = self.overview(start);
        let (target, max) = match overview {
            Some(size) => (size, size),
            None => (self.limits.target, self.limits.max),
        };
        let per_target = (target as f64).recip();
        let window = &steps[start..=count.min(start + WINDOW)];
        let before = self.atoms[start].grains.start;
        let overlap = self.overlap_reserve(start);
        // Whether the header names it depends on where the chunk ends; its room is always kept.
        let continued = self.continued(start);
        // The limit of an overview is that of its text.
        let around_text = |place: usize, signature| match overview {
            Some(_) => 0,
            None => self.header(place.max(continued), extra + signature) + overlap,
        };
        // The place of the last atom, and the one that contains all of them.
        let mut here = window[0].place;
        let mut place = here;
        let mut around_all = around_text(place, 0);
        let mut buried = 0.0;
        let mut glued = true;
        // The size of the last part that joined the first one.
        let mut joined = None;
        for (last, pair) in (start..).zip(window.windows(2)) {
            let [step, next] = pair else { break };
            let end = last + 1;
            if last > start {
                if step.mandatory && overview.is_none() {
                    if !self.joins(start, last, steps) {
                        break;
                    }
                    joined = Some(self.size(last, step.next_mandatory));
                    buried += price::JOIN;
                }
                glued &= step.glue;
                buried += step.buried;
                if step.place != here {
                    here = step.place;
                    let all = shared(self.places, place, here);
                    if all != place {
                        place = all;
                        around_all = around_text(place, 0);
                    }
                }
            }
            let text = step.end - before;
            if text > max && last > start && !(glued && self.is_kept(last, max)) {
                break;
            }
            let mut around = around_all;
            let mut others_comment = 0.0;
            if let Some(parted) = next.parts {
                let definition = &self.places[parted];
                match definition.first_atom.cmp(&start) {
                    Ordering::Less => {}
                    Ordering::Equal => around = around_text(place, definition.signature),
                    Ordering::Greater => others_comment = price::OTHERS_COMMENT,
                }
            }
            let total = text + around;
            if total > max && !glued {
                continue;
            }
            // What has joined is whole, unless it is itself to be split.
            if joined.is_some_and(|part| part <= target) && !next.mandatory {
                continue;
            }
            // Signed, which is converted faster.
            let away = (total.min(max) as isize - target as isize) as f64 * per_target;
            let mut price = price::FILL * away * away + buried;
            if text < min && !(start == 0 && end == count) {
                price += price::DUST;
            }
            candidate(end, price + others_comment);
        }
    }

    /// What the loop reads of each atom, and of the end of the text.
    fn steps(&self) -> Vec<Step> {
        let mut next_mandatory = self.atoms.len();
        let mut steps = Vec::with_capacity(self.atoms.len() + 1);
        steps.push(Step {
            end: 0,
            place: 0,
            buried: 0.0,
            mandatory: true,
            glue: false,
            next_mandatory,
            parts: None,
        });
        for (index, atom) in self.atoms.iter().enumerate().rev() {
            steps.push(Step {
                end: atom.grains.end,
                place: atom.place,
                buried: price::buried(atom.level),
                mandatory: atom.boundary.mandatory,
                glue: atom.boundary.glue,
                next_mandatory,
                parts: self.parts(index, atom),
            });
            if atom.boundary.mandatory {
                next_mandatory = index;
            }
        }
        steps.reverse();
        steps
    }

    /// The place of the definition that a split before the atom parts from the comments in front of
    /// it, if there is one.
    fn parts(&self, index: usize, atom: &Atom) -> Option<usize> {
        let place = &self.places[atom.place];
        let begun = place.first_atom < index;
        let definition = begun.then(|| self.outline.definition(place.node))??;
        (atom.bytes.start <= definition.signature.start).then_some(atom.place)
    }

    /// Whether an atom is a code block or a table.
    fn is_block(&self, atom: &Atom) -> bool {
        matches!(self.outline.nodes[atom.node].kind, Kind::Code | Kind::Table)
    }

    /// Whether a chunk above the limit may end with this atom: one that is kept whole although it
    /// is too large keeps its heading, too, and the last word after it.
    fn is_kept(&self, index: usize, max: usize) -> bool {
        let atom = &self.atoms[index];
        let is_paragraph = || self.outline.nodes[atom.node].kind == Kind::Paragraph;
        self.limits.keep && (atom.grains.len() > max || self.is_block(atom) || is_paragraph())
    }

    /// Whether a chunk that begins at `start` may continue across the mandatory split before `cut`:
    /// only if it consists of whole parts, each a sibling of the first one or below one that begins
    /// in the chunk, and what comes before or after the split is too small to be a chunk. The days
    /// of a journal are never joined.
    fn joins(&self, start: usize, cut: usize, steps: &[Step]) -> bool {
        let whole = start == 0 || self.atoms[start].boundary.mandatory;
        let cut_begins = self.places[self.atoms[cut].begins].node;
        let next_day = self.limits.days && self.outline.ends_day(cut_begins);
        if !self.limits.join || !whole || next_day {
            return false;
        }
        let (first, second) = (self.atoms[start].place, self.atoms[cut].place);
        let parent = self.places[second].parent;
        let by_delimiter = self.atoms[cut].boundary.strength == Strength::Delimiter;
        let is_sibling = parent == self.places[first].parent;
        let is_below = parent == first || self.places[parent].first_atom >= start;
        let related = by_delimiter || is_sibling || is_below;
        let small = |from, to| self.size(from, to) < self.limits.min;
        related && (small(start, cut) || small(cut, steps[cut].next_mandatory))
    }

    /// For each atom, whether the boundary before it is a landmark.
    fn landmarks(&self) -> Vec<bool> {
        let (times, per) = REACH;
        let reach = self.limits.max * times / per;
        landmarks(self.text, self.atoms, reach, |atom| {
            let Boundary {
                price,
                mandatory,
                glue,
                ..
            } = atom.boundary;
            match (mandatory, glue) {
                (true, _) => f32::MIN,
                (_, true) => f32::MAX,
                _ => price - price::buried(atom.level) as f32,
            }
        })
    }

    /// The size of the text from atom `start` to before atom `end`, in grains.
    fn size(&self, start: usize, end: usize) -> usize {
        self.atoms[end - 1].grains.end - self.atoms[start].grains.start
    }

    /// The innermost section of prose that a chunk beginning at `start` continues: its heading
    /// comes before the chunk. The document if there is none. Source code has signatures for that.
    fn continued(&self, start: usize) -> usize {
        let mut continued = 0;
        let mut place = self.atoms[start].begins;
        while place > 0 {
            let around = &self.places[place];
            if self.outline.nodes[around.node].kind != Kind::Section {
                return 0;
            }
            if continued == 0 && around.first_atom < start {
                continued = place;
            }
            place = around.parent;
        }
        continued
    }

    /// The innermost place that the header of atoms `start..end` in `place` names: the section that
    /// they continue, if enough of them belongs to it.
    fn named(&self, start: usize, end: usize, place: usize) -> usize {
        let continued = self.continued(start);
        // Both are around the place in which the atoms begin, and what is inside comes later.
        if continued <= place {
            return place;
        }
        let atoms = &self.atoms[start..end];
        let inside = |atom: &Atom| shared(self.places, atom.place, continued) == continued;
        let after = atoms.get(atoms.partition_point(inside));
        let size = self.size(start, end);
        let part = after.map_or(size, |atom| atom.grains.start - atoms[0].grains.start);
        match part * CONTINUED >= size {
            true => continued,
            false => place,
        }
    }

    /// The size of the header of a chunk in `place` that needs `extra` in addition, up to its
    /// limit.
    fn header(&self, place: usize, extra: usize) -> usize {
        let full = self.limits.path + self.places[place].header + extra;
        full.min(self.limits.max / 4)
    }

    /// For each atom, the size of what the header of a chunk beginning there contains besides its
    /// place: table rows, the signature of the definition that it continues, the continuation
    /// marker.
    fn extras(&self) -> Vec<usize> {
        let mut known = (usize::MAX, 0);
        let sizes = self.atoms.iter().enumerate().map(|(index, atom)| {
            let marker = match atom.boundary.continues() {
                true => self.limits.marker,
                false => 0,
            };
            if atom.needs_lead && known.0 != atom.node {
                known = (atom.node, self.lead(atom).map_or(0, |(_, size)| size));
            }
            let lead = if atom.needs_lead { known.1 } else { 0 };
            let place = &self.places[atom.place];
            let goes_on = place.first_atom < index && atom.boundary.continues();
            let signature = if goes_on { place.signature } else { 0 };
            marker + lead + signature
        });
        sizes.collect()
    }

    /// The limit of the chunk that begins at `start`, if it is the document's overview.
    fn overview(&self, start: usize) -> Option<usize> {
        self.limits.overview.filter(|_| start == 0)
    }

    /// The header rows that a chunk beginning with `atom` carries, and their size with a line end;
    /// `None` if they alone exceed the limit of a header.
    fn lead(&self, atom: &Atom) -> Option<(Range<usize>, usize)> {
        let rows = atom.needs_lead.then(|| self.table_header(atom.node))?;
        let size = self.measure.between(rows.clone()) + 1;
        (size <= self.limits.max / 4).then_some((rows, size))
    }

    /// The header of the table `node`: its first row, or as many lines as it says.
    fn table_header(&self, node: usize) -> Range<usize> {
        let table = &self.outline.nodes[node];
        let mut span = table.span.clone();
        let mut end = span.start;
        if self.outline.is_header(node + 1) {
            span = self.outline.nodes[node + 1].span.clone();
            end = span.end;
        } else {
            let mut lines = 0;
            for line in self.text[span.clone()].split_inclusive('\n') {
                end += line.len();
                lines += u8::from(!line.trim().is_empty());
                if lines == table.header_lines {
                    break;
                }
            }
        }
        let rows = self.text[span.start..end].trim_end();
        let start = span.start + rows.len() - rows.trim_start_matches(['\n', '\r']).len();
        start..span.start + rows.len()
    }

    /// The room reserved for the overlap of a chunk that begins at `start`: none if it begins a new
    /// section, which does not continue the text before it.
    fn overlap_reserve(&self, start: usize) -> usize {
        match self.atoms[start].boundary.continues() {
            // The text keeps at least a quarter of the limit, the header takes at most another.
            true => self.limits.overlap.min(self.limits.max / 2),
            false => 0,
        }
    }

    fn piece(&self, start: usize, end: usize) -> Piece {
        let atoms = &self.atoms[start..end];
        let first = &atoms[0];
        let last = &atoms[atoms.len() - 1];
        let bytes = first.bytes.start..last.bytes.end;
        let all = atoms.iter().map(|atom| atom.place);
        let place = all.fold(first.place, |a, b| shared(self.places, a, b));
        let named = self.named(start, end, place);
        let size = self.size(start, end);
        let block = self.outline.block(first.node);
        let in_block = |atom: &Atom| self.outline.block(atom.node) == block;
        let same_node = atoms.iter().all(in_block);
        let kind = |atom: &Atom| self.outline.nodes[atom.node].kind;
        let around = self.outline.nodes[self.places[place].node].kind;
        let overview = self.overview(start).is_some();
        let max = self.overview(start).unwrap_or(self.limits.max);
        let largest = atoms.iter().max_by_key(|atom| atom.grains.len());
        let largest = largest.unwrap_or(first);
        // A block that is kept whole keeps its context, too.
        let extra = || self.lead(first).map_or(0, |(_, size)| size);
        let whole_block = self.limits.keep && self.is_block(largest);
        let over = size > max || (whole_block && size + self.header(named, extra()) > max);
        let oversized = over.then(|| match kind(largest) {
            _ if split::is_one_grapheme(&self.text[bytes.clone()]) => ONE_GRAPHEME,
            Kind::Code => "a code block kept whole",
            Kind::Table => "a table kept whole",
            _ => "a sentence kept whole",
        });
        Piece {
            overlap: self.overlap(start, size, named),
            strength: first.boundary.strength,
            continues: first.boundary.continues(),
            level: first.level,
            place,
            named,
            begins: first.begins,
            touched: self.touched(start, end, place),
            kind: match kind(first) {
                _ if overview => Kind::Overview,
                _ if first.level > 0 && !(same_node && atoms.len() == 1) => Kind::Section,
                _ if around.is_code() => around,
                Kind::Document => Kind::Mixed,
                _ if same_node => self.outline.nodes[block].kind,
                first_kind if atoms.iter().all(|atom| kind(atom) == first_kind) => first_kind,
                _ => Kind::Mixed,
            },
            head: first.head,
            node: same_node.then_some(block),
            lead: self.lead(first).map(|(rows, _)| rows),
            overview,
            oversized,
            bytes,
        }
    }

    /// The places that atoms `start..end` touch but that do not contain all of them: first those
    /// that they continue, then those that begin in them.
    fn touched(&self, start: usize, end: usize, place: usize) -> Vec<usize> {
        let mut touched = Vec::new();
        let mut around = self.atoms[start].place;
        while around != place {
            touched.push(around);
            around = self.places[around].parent;
        }
        touched.reverse();
        let goes_on = touched.len();
        let after = self
            .places
            .partition_point(|place| place.first_atom < start);
        let inside = self.places[after..]
            .iter()
            .take_while(|place| place.first_atom < end);
        for index in (after..).take(inside.count()) {
            let mut around = place;
            while around > index {
                around = self.places[around].parent;
            }
            if around != index && !touched[..goes_on].contains(&index) {
                touched.push(index);
            }
        }
        touched
    }

    /// Where the overlap of the chunk that begins at `start` begins: as many whole blocks and
    /// sentences before it as fit.
    fn overlap(&self, start: usize, size: usize, named: usize) -> usize {
        let here = &self.atoms[start];
        let lead = self.lead(here).map_or(0, |(_, size)| size);
        let extra = lead
            + if here.boundary.continues() {
                self.limits.marker
            } else {
                0
            };
        let header = self
            .header(named, extra)
            .min(self.limits.max.saturating_sub(size));
        let left = self.limits.max.saturating_sub(size + header);
        let room = self.overlap_reserve(start).min(left);
        let mut from = here.bytes.start;
        if room == 0 {
            return from;
        }
        for previous in self.atoms[..start].iter().rev() {
            if here.grains.start - previous.grains.start > room {
                let inside = match self.outline.nodes[previous.node].kind {
                    _ if self.limits.grain == Grain::Raw => Some(split::last_grains(
                        self.measure,
                        previous.bytes.start,
                        here.bytes.start,
                        room,
                    )),
                    Kind::Paragraph => self.last_sentences(previous, here.grains.start, room),
                    _ => None,
                };
                from = inside.unwrap_or(from);
                break;
            }
            from = previous.bytes.start;
            if previous.boundary.mandatory || previous.level > 0 {
                break;
            }
        }
        from
    }

    /// The start of the last sentences of `atom` that, with everything up to `until`, fit in
    /// `room`.
    fn last_sentences(&self, atom: &Atom, until: usize, room: usize) -> Option<usize> {
        let mut found = None;
        let mut before = atom.grains.start;
        split::sentences(self.text, atom.bytes.clone(), |piece, strength| {
            if strength != Strength::Start && found.is_none() && until - before <= room {
                found = Some(piece.start);
            }
            before += self.measure.between(piece);
        });
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{ContextParts, Levels};
    use crate::document::Document;
    use crate::parse::{Markdown, Parser};
    use crate::size::Unit;

    /// How many chunks the plan for `text` considers.
    fn weighed(text: &str, levels: &str) -> usize {
        let limits = Bounds {
            days: false,
            target: 1600,
            max: 1600,
            min: 200,
            overlap: 0,
            levels: levels.parse().unwrap_or(Levels::NONE),
            leads: false,
            entries: false,
            overview: None,
            marker: 0,
            join: true,
            keep: false,
            context: ContextParts::NONE,
            path: 0,
            include_delimiter: false,
            grain: Grain::Block,
        };
        let outline = Markdown.parse(&Document::new(text), 0);
        let measure = Measure::in_unit(text, Unit::Chars);
        let Atoms { atoms, places } = flatten(&measure, &outline, &limits);
        let plan = Plan {
            text,
            measure: &measure,
            outline: &outline,
            limits: &limits,
            atoms: &atoms,
            places: &places,
        };
        let (extras, steps) = (plan.extras(), plan.steps());
        let mut count = 0;
        for (start, extra) in extras.into_iter().enumerate() {
            plan.candidates(start, extra, &steps, |_, _| count += 1);
        }
        count
    }

    #[test]
    fn four_times_the_text_is_four_times_the_comparisons() {
        let shapes: [(&str, &str, &str); 7] = [
            ("x", "", ""),
            ("words in one line ", "", ""),
            ("| a | b |\n", "| h | i |\n|---|---|\n", ""),
            ("- item\n", "", ""),
            ("> quote\n>\n", "", ""),
            ("# h\n\n", "", ""),
            ("## h\n\n", "", "2"),
        ];
        for (unit, before, levels) in shapes {
            let text = |bytes: usize| format!("{before}{}", unit.repeat(bytes / unit.len()));
            let (small, large) = (
                weighed(&text(50_000), levels),
                weighed(&text(200_000), levels),
            );
            assert!(large <= 5 * small, "{unit:?}: {small} to {large}");
        }
    }
}
