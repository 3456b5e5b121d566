//! Atoms: the smallest pieces that may stand alone. Between two of them stands a [`Boundary`], which says how naturally the text
//! parts there and what a cut would cost.

use std::ops::Range;
use std::sync::Arc;

use crate::chunk::Strength;
use crate::split;

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
    pub(crate) titled: bool,
    /// Whether it is a section that fits a chunk.
    pub(crate) fits: bool,
    /// The node after its last one.
    pub(crate) end: usize,
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
    /// A boundary at which nothing but its price speaks for or against a cut.
    pub(crate) fn plain(strength: Strength, price: f32) -> Self {
        Boundary {
            strength,
            price,
            mandatory: false,
            glue: false,
        }
    }

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
