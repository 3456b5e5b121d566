//! The text before a position: a [`Gap`] is the white space between a node and what comes before
//! it.

/// The white space before a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gap {
    /// How many line feeds it contains. The start of the text counts as one.
    pub(crate) newlines: usize,
    /// The start of the line if only white space comes before the position on it; otherwise the
    /// position itself.
    pub(crate) line: usize,
}

impl Gap {
    /// The gap before `at` in `text`, which begins at `start`.
    pub(crate) fn before(text: &str, start: usize, at: usize) -> Self {
        let bytes = text.as_bytes();
        let mut from = at;
        let mut newlines = 0;
        let mut line = None;
        while from > start {
            match bytes[from - 1] {
                b'\n' => {
                    newlines += 1;
                    line.get_or_insert(from);
                }
                b' ' | b'\t' | b'\r' | b'\x0c' => {}
                _ => break,
            }
            from -= 1;
        }
        if from == start {
            newlines += 1;
            line.get_or_insert(start);
        }
        Gap {
            newlines,
            line: line.unwrap_or(at),
        }
    }
}

/// The lines of a text, requested one after the other.
#[derive(Debug, Default)]
pub(crate) struct LineLengths {
    start: usize,
    end: usize,
}

impl LineLengths {
    /// The length in bytes of the line that contains `at`. Cheap if nearby positions are requested
    /// in a row.
    pub(crate) fn length_at(&mut self, text: &str, at: usize) -> usize {
        if at < self.start || at >= self.end {
            let bytes = text.as_bytes();
            self.start = memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |newline| newline + 1);
            self.end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |end| at + end + 1);
        }
        self.end - self.start
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_knows_its_line() {
        let gap = |at| Gap::before("a\n\n  b c", 0, at);
        assert_eq!(
            gap(5),
            Gap {
                newlines: 2,
                line: 3
            }
        );
        assert_eq!(
            gap(7),
            Gap {
                newlines: 0,
                line: 7
            }
        );
        assert_eq!(
            gap(0),
            Gap {
                newlines: 1,
                line: 0
            }
        );
    }

    #[test]
    fn lines_are_measured() {
        let mut lines = LineLengths::default();
        let text = "ab\ncdef\n";
        assert_eq!(lines.length_at(text, 1), 3);
        assert_eq!(lines.length_at(text, 4), 5);
        assert_eq!(lines.length_at(text, 8), 0);
    }
}
