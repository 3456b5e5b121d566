//! The outline under construction. A [`Sequence`] is the children of an opened node of the outline;
//! a [`Level`] is a node of the tree whose children are being walked. Several levels may feed one
//! sequence, because the nodes around a body do not matter. Comments and attributes are [`Waiting`]
//! until it is known what they belong to.

use std::ops::Range;

use excerpt_chunk::{Kind, OutlineBuilder};
use tree_sitter::Node;

use crate::gap::{Gap, LineLengths};

/// A line is long if it has more bytes than this and than `detail`: it is split inside.
const LONG_LINE: usize = 200;

/// How many parts of a line make up a node of the size of `detail`, at most.
const PARTS: usize = 64;

/// A node of the tree whose children are walked.
#[derive(Clone, Copy)]
pub(crate) struct Level {
    /// The number of its kind.
    pub(crate) kind: u16,
    pub(crate) bytes: (usize, usize),
    /// Whether its named children are members or statements, each with a node of its own.
    pub(crate) members: bool,
    /// How many nodes of the outline end with it: a definition after its comments is a node in a
    /// node.
    pub(crate) closes: u8,
    /// Where the body begins: everything before it is the header, which stays together. 0 without a
    /// body.
    pub(crate) header_until: usize,
    /// The definition that has already been opened together with a wrapper.
    pub(crate) defined: usize,
    /// Whether it is inside a function, where variables are not definitions.
    pub(crate) local: bool,
    /// The kind of the innermost definition around it.
    pub(crate) scope: Kind,
    /// Whether no child has been seen.
    pub(crate) first: bool,
    /// How many named children have been seen.
    pub(crate) index: usize,
}

/// The children of an opened node of the outline.
#[derive(Default)]
pub(crate) struct Sequence {
    /// How many bytes it covers.
    pub(crate) size: usize,
    /// Whether it has a child.
    pub(crate) begun: bool,
    /// Whether the last child is a statement that continues until its line ends.
    pub(crate) piece: bool,
    /// Whether the last child is a run of imports.
    pub(crate) imports: bool,
    /// Whether the next child belongs to the last one.
    pub(crate) glue: bool,
    /// Comments and attributes whose owner is not known yet.
    pub(crate) waiting: Vec<Waiting>,
    /// The levels of the sections that are open in it.
    pub(crate) sections: Vec<u8>,
}

/// A comment or an attribute.
pub(crate) struct Waiting {
    /// Its bytes, from the start of its line if nothing comes before it.
    pub(crate) bytes: Range<usize>,
    /// How many line feeds precede it.
    pub(crate) newlines: usize,
    pub(crate) attribute: bool,
    /// Whether it does not belong to what follows.
    pub(crate) apart: bool,
}

/// A node of the tree with its position.
#[derive(Clone, Copy)]
pub(crate) struct Found<'tree> {
    pub(crate) node: Node<'tree>,
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) gap: Gap,
}

/// An outline, and where its next node goes.
pub(crate) struct Draft<'b, 'text> {
    text: &'text str,
    /// How large a node may be without being opened.
    detail: usize,
    pub(crate) builder: &'b mut OutlineBuilder<'text>,
    pub(crate) levels: Vec<Level>,
    pub(crate) sequences: Vec<Sequence>,
    lines: LineLengths,
    /// Where the last node was opened.
    opened_at: usize,
    /// The line of a closing bracket with more text after it, such as `} else {`: the start of what
    /// follows, and whether that is glued.
    pub(crate) held: Option<(usize, bool)>,
}

impl<'b, 'text> Draft<'b, 'text> {
    /// Continues the open nodes of `builder`, with the children of `root`.
    pub(crate) fn new(
        text: &'text str,
        detail: usize,
        builder: &'b mut OutlineBuilder<'text>,
        root: Node<'_>,
    ) -> Self {
        Draft {
            text,
            detail,
            builder,
            levels: vec![Level {
                kind: root.kind_id(),
                bytes: (root.start_byte(), root.end_byte()),
                members: true,
                closes: 1,
                header_until: 0,
                defined: 0,
                local: false,
                scope: Kind::Document,
                first: true,
                index: 0,
            }],
            sequences: vec![Sequence {
                size: text.len(),
                ..Sequence::default()
            }],
            lines: LineLengths::default(),
            opened_at: 0,
            held: None,
        }
    }

    /// The innermost level.
    pub(crate) fn level(&mut self) -> &mut Level {
        let last = self.levels.len() - 1;
        &mut self.levels[last]
    }

    /// The innermost sequence.
    pub(crate) fn sequence(&mut self) -> &mut Sequence {
        let last = self.sequences.len() - 1;
        &mut self.sequences[last]
    }

    /// Whether the line that contains `at` must be split inside.
    pub(crate) fn long_line(&mut self, at: usize) -> bool {
        self.lines.length_at(self.text, at) > self.detail.max(LONG_LINE)
    }

    /// Whether a part of a line begins at `at`, in a line that must be split inside. Smaller parts
    /// than those that a chunk can be made of would only take memory: a line of 2 MiB may have a
    /// million of them.
    pub(crate) fn parts_line(&mut self, at: usize) -> bool {
        at.saturating_sub(self.opened_at) >= self.detail / PARTS && self.long_line(at)
    }

    /// Opens a node of the outline in the current sequence, at `line` or at the comments and
    /// attributes that belong to it, which are returned.
    pub(crate) fn open(
        &mut self,
        kind: Kind,
        line: usize,
        newlines: usize,
    ) -> (usize, usize, Vec<Waiting>) {
        let sequence = self.sequence();
        let mut waiting = std::mem::take(&mut sequence.waiting);
        let attached = waiting.split_off(attached_from(&waiting, newlines));
        self.end_run();
        self.comments(&waiting);
        let mut start = attached.first().map_or(line, |first| first.bytes.start);
        let mut glue = std::mem::take(&mut self.sequence().glue);
        if let Some((held, held_glue)) = self.held.take()
            && newlines == 0
        {
            start = held;
            glue |= held_glue;
        }
        // A line that fits must not be split.
        let inside = newlines == 0 && self.sequence().begun;
        glue |= inside && start == line && !self.long_line(line);
        let index = self.builder.open(kind, start);
        self.opened_at = start;
        if glue {
            self.builder.glue(index);
        }
        self.sequence().begun = true;
        (index, start, attached)
    }

    /// Writes comments that do not belong to what follows, one node per group of lines.
    fn comments(&mut self, comments: &[Waiting]) {
        let groups = comments.chunk_by(|_, next| next.newlines < 2);
        for group in groups {
            let (Some(first), Some(last)) = (group.first(), group.last()) else {
                continue;
            };
            let leaf = self
                .builder
                .leaf(Kind::Comment, first.bytes.start..last.bytes.end);
            if std::mem::take(&mut self.sequence().glue) {
                self.builder.glue(leaf);
            }
            self.sequence().begun = true;
        }
    }

    /// Writes the comments and attributes of a definition as its first children.
    pub(crate) fn lead(&mut self, attached: Vec<Waiting>) {
        let groups = attached.chunk_by(|one, next| !one.attribute && !next.attribute);
        for group in groups {
            let (Some(first), Some(last)) = (group.first(), group.last()) else {
                continue;
            };
            let kind = match first.attribute && !is_text(&self.text[first.bytes.clone()]) {
                true => Kind::Statement,
                false => Kind::Comment,
            };
            let leaf = self.builder.leaf(kind, first.bytes.start..last.bytes.end);
            if self.sequence().begun {
                self.builder.glue(leaf);
            }
            self.sequence().begun = true;
            self.sequence().glue = true;
        }
    }

    /// Writes everything that is waiting as comments.
    pub(crate) fn flush(&mut self) {
        let waiting = std::mem::take(&mut self.sequence().waiting);
        if !waiting.is_empty() {
            self.end_run();
            self.comments(&waiting);
        }
    }

    /// Closes the open statement or run of imports.
    pub(crate) fn end_run(&mut self) {
        let sequence = self.sequence();
        let open = std::mem::take(&mut sequence.piece) | std::mem::take(&mut sequence.imports);
        if open {
            self.builder.close(0);
        }
    }

    /// Leaves the innermost level, and with it the sequence that it owns.
    pub(crate) fn leave(&mut self) {
        let Some(level) = self.levels.pop() else {
            return;
        };
        if level.closes > 0 && self.sequences.len() > 1 {
            self.flush();
            self.end_run();
            while self.sequence().sections.pop().is_some() {
                self.builder.close(level.bytes.1);
            }
            for _ in 0..level.closes {
                self.builder.close(level.bytes.1);
            }
            self.sequences.pop();
        }
    }

    /// Begins the children of the node of the outline that was just opened.
    pub(crate) fn enter(&mut self, found: Found<'_>, around: Level, members: bool) {
        self.sequences.push(Sequence {
            size: found.end - found.start,
            ..Sequence::default()
        });
        self.levels.push(Level {
            kind: found.node.kind_id(),
            bytes: (found.start, found.end),
            members,
            closes: 1,
            header_until: 0,
            defined: 0,
            first: true,
            index: 0,
            ..around
        });
    }

    /// Closes everything that is open in the outermost sequence and inside it.
    pub(crate) fn finish(&mut self) {
        loop {
            self.flush();
            self.end_run();
            if self.levels.len() <= 1 {
                break;
            }
            self.leave();
        }
        while self.sequence().sections.pop().is_some() {
            self.builder.close(self.text.len());
        }
    }
}

/// Whether a string or an attribute ends with triple quotes, as `@doc """…"""` does: it is a text.
pub(crate) fn is_text(written: &str) -> bool {
    written.ends_with("\"\"\"") || written.ends_with("'''")
}

/// The index of the first comment or attribute that belongs to what follows after `newlines` line
/// feeds: no blank line is between them, or one of them is an attribute.
fn attached_from(waiting: &[Waiting], newlines: usize) -> usize {
    let attribute = waiting.iter().position(|waiting| waiting.attribute);
    let attribute = attribute.unwrap_or(waiting.len());
    let mut from = waiting.len();
    let mut behind = newlines;
    while let Some(before) = from.checked_sub(1) {
        let joined = before >= attribute || (behind < 2 && !waiting[before].apart);
        if !joined {
            break;
        }
        behind = waiting[before].newlines;
        from = before;
    }
    from
}
