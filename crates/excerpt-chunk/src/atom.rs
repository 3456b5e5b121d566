//! Atoms: the smallest units that may form a chunk. Between two of them is a [`Boundary`], which
//! says how natural a split is there and what it costs.

use std::ops::Range;
use std::sync::Arc;

use crate::chunk::Strength;
use crate::split;

/// A place in the trail: the document, one of its sections, a definition in source code.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) label: Option<Arc<str>>,
    pub(crate) parent: usize,
    /// The node that creates it.
    pub(crate) node: usize,
    /// The grains of the signature that its later parts carry, including a line end; 0 without a
    /// signature.
    pub(crate) signature: usize,
    /// The index of its first atom.
    pub(crate) first_atom: usize,
    /// The grains of the header line that names it and everything around it; 0 without any label.
    pub(crate) header: usize,
    /// Whether the outermost label around it is the document's title.
    pub(crate) titled: bool,
    /// Whether it is a section that fits in a chunk.
    pub(crate) fits: bool,
    /// The index of the first node after it.
    pub(crate) end: usize,
}

impl Place {
    /// The place that contains everything.
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

/// What is between two atoms.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Boundary {
    pub(crate) strength: Strength,
    /// The cost of a split here.
    pub(crate) price: f32,
    /// Whether the text is split here whatever it costs.
    pub(crate) mandatory: bool,
    /// Whether what follows belongs to what comes before.
    pub(crate) glue: bool,
}

impl Boundary {
    /// A boundary where only the price counts for or against a split.
    pub(crate) fn plain(strength: Strength, price: f32) -> Self {
        Boundary {
            strength,
            price,
            mandatory: false,
            glue: false,
        }
    }

    /// Whether text after a split here continues the text before it.
    pub(crate) fn continues(&self) -> bool {
        !self.mandatory && self.strength > Strength::Definition
    }
}

/// A smallest unit, without the white space around it, with the boundary before it.
#[derive(Clone, Debug)]
pub(crate) struct Atom {
    /// Its bytes in the text.
    pub(crate) bytes: Range<usize>,
    /// The grains of the text up to its start and up to its end.
    pub(crate) grains: Range<usize>,
    pub(crate) boundary: Boundary,
    /// The level of the heading that it begins with, or 0.
    pub(crate) level: u8,
    /// Whether it is a part of a table without the table's header.
    pub(crate) needs_lead: bool,
    /// The innermost place that contains all of it.
    pub(crate) place: usize,
    /// The node that it is, or is part of.
    pub(crate) node: usize,
    /// The node that it begins with.
    pub(crate) head: usize,
    /// The innermost place in which it begins.
    pub(crate) begins: usize,
}

/// A flattened document.
pub(crate) struct Atoms {
    pub(crate) atoms: Vec<Atom>,
    /// The document first, then the sections in document order.
    pub(crate) places: Vec<Place>,
}

/// The innermost place that contains both. A place comes after the one around it, so the later of
/// two does not contain the other.
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

/// `raw` without the white space around it, but with the indentation of its first line; `None` if
/// nothing is left.
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
    // White space that is part of a kept grapheme is kept.
    while !split::is_grapheme_start(text, raw.start, start) {
        start = text.floor_char_boundary(start - 1);
    }
    let mut end = end;
    while !split::is_grapheme_start(text, start, end) {
        end = text.ceil_char_boundary(end + 1);
    }
    Some(start..end)
}
