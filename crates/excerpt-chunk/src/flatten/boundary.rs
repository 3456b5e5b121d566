//! How natural a split is before a node of the outline, and what it costs.

use crate::atom::Boundary;
use crate::bounds::Grain;
use crate::chunk::Strength;
use crate::flatten::Walk;
use crate::outline::{Kind, Node};
use crate::price;

impl Walk<'_> {
    /// The boundary before the section at `index`, given the boundary before any block there.
    pub(super) fn heading(&self, before: Boundary, index: usize) -> Boundary {
        let nodes = &self.outline.nodes;
        let parent = nodes[index].parent();
        // A title without text of its own stays with its first section, unless it is large enough
        // to be found on its own.
        let bare = index == parent + 2 && nodes[index - 1].kind == Kind::Heading;
        let title = self.atoms.last().map_or(0, |title| title.grains.len());
        let led = bare && (self.limits.leads || (self.limits.join && title < self.limits.min));
        let chosen = self.limits.levels.contains(nodes[index].level) && !led;
        let mandatory = chosen || (self.limits.days && self.outline.ends_day(index));
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

    /// The boundary before a node that has a previous sibling.
    pub(super) fn boundary(&self, index: usize) -> Boundary {
        let nodes = &self.outline.nodes;
        let node = &nodes[index];
        let mut previous = index - 1;
        while nodes[previous].parent != node.parent {
            previous = nodes[previous].parent();
        }
        if node.kind.is_code() {
            return self.code_boundary(index, previous);
        }
        let previous = &nodes[previous];
        let parent = nodes[node.parent()].kind;
        let sentences = self.limits.grain == Grain::Sentence;
        // A heading, or a section that consists only of one: a title without text belongs to what
        // follows.
        let follows_header = node.kind == Kind::Row && self.outline.is_header(index - 1);
        let glue = nodes[index - 1].kind == Kind::Heading || node.glued || follows_header;
        let (strength, mut price) = match (previous.kind, node.kind) {
            (_, Kind::Item) => (Strength::Item, price::ITEM),
            (_, Kind::Row) => (Strength::Row, price::ROW),
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
            node.kind == Kind::Item && nodes[nodes[node.parent()].parent()].kind == Kind::Item;
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

    /// The boundary before the node of source code at `index`, given its previous sibling.
    fn code_boundary(&self, index: usize, previous: usize) -> Boundary {
        let nodes = &self.outline.nodes;
        let (node, first) = (&nodes[index], previous == nodes[index].parent() + 1);
        if self.outline.is_in_comment(index) {
            return Boundary {
                strength: Strength::Block,
                price: price::AFTER_BLANK + self.depth(node),
                mandatory: false,
                glue: node.glued,
            };
        }
        let previous = &nodes[previous];
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
        let imports = previous.kind == Kind::Import && lines > 0;
        let bonus = if imports { price::AFTER_IMPORTS } else { 0.0 };
        Boundary {
            strength: match lines {
                0 => Strength::Word,
                _ if depth == 0.0 => Strength::Definition,
                _ if one || other => Strength::Block,
                _ => Strength::Line,
            },
            price: price + depth - bonus,
            mandatory: self.limits.entries
                && !node.glued
                && lines > 0
                && self.parts_units(node, previous, first),
            glue: node.glued,
        }
    }

    /// Whether a node of source code, or the sibling before it, is a chunk of its own where each
    /// top-level definition is one. Imports are one, too. `after_first` says whether that sibling
    /// is the first: in a module, the line that opens it, which belongs to what follows.
    fn parts_units(&self, node: &Node, previous: &Node, after_first: bool) -> bool {
        let nodes = &self.outline.nodes;
        let mut around = &nodes[node.parent()];
        if after_first && around.kind == Kind::Module && !previous.kind.is_definition() {
            return false;
        }
        while around.kind == Kind::Module {
            around = &nodes[around.parent()];
        }
        if !matches!(around.kind, Kind::Document | Kind::Section) {
            return false;
        }
        let unit = |node: &Node| node.kind.is_definition() || node.kind == Kind::Import;
        unit(node) || unit(previous)
    }

    /// Whether the line that contains `at` fits in a chunk.
    fn line_fits(&self, at: usize) -> bool {
        let text = self.text.as_bytes();
        let reach = 4 * self.limits.max;
        let from = at.saturating_sub(reach);
        let to = text.len().min(at + reach);
        let start = memchr::memrchr(b'\n', &text[from..at]).map_or(from, |feed| from + feed + 1);
        let end = memchr::memchr(b'\n', &text[at..to]).map_or(to, |feed| at + feed);
        let start = self.text.ceil_char_boundary(start);
        let end = self.text.floor_char_boundary(end);
        self.measure.fits(start..end.max(start), self.limits.max)
    }

    /// What depth in source code adds to the price of a split before or after a node: nothing
    /// outside of all definitions and code blocks.
    pub(super) fn depth(&self, node: &Node) -> f32 {
        let mut depth = 0.0;
        let mut around = &self.outline.nodes[node.parent()];
        while (around.kind.is_code() || around.kind == Kind::Code) && depth < price::DEEPEST {
            depth += price::DEPTH;
            around = &self.outline.nodes[around.parent()];
        }
        depth
    }

    /// Whether the node at `index` begins an entry of a top-level list, or directly follows such a
    /// list.
    fn parts_entries(&self, index: usize, previous: Kind) -> bool {
        let nodes = &self.outline.nodes;
        let node = &nodes[index];
        let top = |index: usize| matches!(nodes[index].kind, Kind::Document | Kind::Section);
        match node.kind {
            Kind::Item => top(nodes[node.parent()].parent()),
            Kind::List => top(node.parent()),
            _ => previous == Kind::List && top(node.parent()),
        }
    }

    pub(super) fn line_boundary(
        &self,
        node: &Node,
        depth: f32,
        start: usize,
        at_line: usize,
        fence: bool,
    ) -> Boundary {
        let (strength, price, glue) = match node.kind {
            Kind::Table => (
                Strength::Row,
                price::ROW,
                at_line <= usize::from(node.header_lines),
            ),
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
}

/// Whether a paragraph introduces what follows it.
pub(super) fn introduces(paragraph: &str) -> bool {
    paragraph
        .trim_end()
        .trim_end_matches(['*', '_', '`'])
        .ends_with([':', '：'])
}
