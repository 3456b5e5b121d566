//! The ranks of sections: a part is of the first one, whether a text has chapters or not.

use crate::parse::latex::syntax::command;
use crate::parse::sections;

/// The commands of sections, the outermost first; those of one rank have one level.
const SECTIONS: [&[&str]; 7] = [
    &["part", "addpart"],
    &["chapter", "addchap"],
    &["section", "addsec"],
    &["subsection"],
    &["subsubsection"],
    &["paragraph"],
    &["subparagraph"],
];

/// Which ranks a text has. The levels of its sections are counted by these.
pub(super) type Ranks = [bool; SECTIONS.len()];

/// The rank of the sections that a command begins.
pub(super) fn rank(command: &str) -> Option<usize> {
    if !command.starts_with(['p', 'c', 's', 'a']) {
        return None;
    }
    SECTIONS.iter().position(|names| names.contains(&command))
}

/// The level of a section of this rank, which `ranks` has.
pub(super) fn level(ranks: Ranks, rank: usize) -> u8 {
    let above = ranks[..rank].iter().filter(|is_there| **is_there).count();
    sections::level(above)
}

/// The ranks of the sections that a text seems to have.
pub(super) fn likely_ranks(text: &str) -> Ranks {
    let mut ranks = [false; SECTIONS.len()];
    let mut at = 0;
    while let Some(found) = memchr::memchr2(b'\\', b'%', &text.as_bytes()[at..]) {
        at += found;
        if text.as_bytes()[at] == b'%' {
            at += memchr::memchr(b'\n', &text.as_bytes()[at..]).unwrap_or(text.len() - at);
            continue;
        }
        let name = command(&text[at..]);
        at = text.ceil_char_boundary((at + 1 + name.len().max(1)).min(text.len()));
        if text[at..].starts_with(['{', '*', '['])
            && let Some(rank) = rank(name)
        {
            ranks[rank] = true;
        }
    }
    ranks
}
