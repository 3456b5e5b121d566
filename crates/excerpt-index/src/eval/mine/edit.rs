//! What is taken out of a text, and where everything else is afterwards.

use std::ops::Range;

/// A part of a text and what stands in its place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Edit {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) with: &'static str,
}

impl Edit {
    /// Takes these bytes out.
    pub(super) fn remove(bytes: Range<usize>) -> Self {
        Edit {
            start: bytes.start,
            end: bytes.end,
            with: "",
        }
    }
}

/// The edits of one text, in order and disjoint.
#[derive(Debug, Default)]
pub(super) struct Edits(Vec<Edit>);

impl Edits {
    /// Those in `edits`. One inside of another is dropped; of two that overlap, the second loses
    /// what they share.
    pub(super) fn new(mut edits: Vec<Edit>) -> Self {
        // The longer one first.
        edits.sort_by(|a, b| (a.start, b.end).cmp(&(b.start, a.end)));
        let mut kept: Vec<Edit> = Vec::with_capacity(edits.len());
        for edit in edits {
            let before = kept.last().map_or(0, |last| last.end);
            if edit.end > before {
                kept.push(Edit {
                    start: edit.start.max(before),
                    ..edit
                });
            }
        }
        Edits(kept)
    }

    /// The text after the edits.
    pub(super) fn apply(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        for edit in &self.0 {
            out.push_str(&text[at..edit.start]);
            out.push_str(edit.with);
            at = edit.end;
        }
        out.push_str(&text[at..]);
        out
    }

    /// Where a place of the text is after the edits; one that is taken out is where it was.
    fn moved(&self, at: usize) -> usize {
        let (mut added, mut removed) = (0, 0);
        for edit in &self.0 {
            if edit.start >= at {
                break;
            }
            if edit.end > at {
                return edit.start + added - removed;
            }
            added += edit.with.len();
            removed += edit.end - edit.start;
        }
        at + added - removed
    }

    /// The bytes of a part of the text after the edits.
    pub(super) fn span(&self, bytes: &Range<usize>) -> Range<usize> {
        self.moved(bytes.start)..self.moved(bytes.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_follow_the_text() {
        let text = "/// Draws tea.\nfn draw() {} // see tea";
        let here = Edit {
            start: text.len() - 3,
            end: text.len(),
            with: "here",
        };
        let edits = Edits::new(vec![
            here,
            Edit::remove(0..15),
            Edit::remove(4..14),
            Edit::remove(10..15),
        ]);
        let edited = edits.apply(text);
        assert_eq!(edited, "fn draw() {} // see here");
        assert_eq!(&edited[edits.span(&(15..27))], "fn draw() {}");
        assert_eq!(&edited[edits.span(&(15..text.len()))], edited);
        assert_eq!(edits.span(&(3..15)), 0..0);
    }
}
