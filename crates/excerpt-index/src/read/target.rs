//! [`Target`]: what to read.

/// What to read from an index.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Target {
    /// A whole document.
    Document {
        /// Its path inside its source.
        path: String,
    },
    /// Some lines of a document.
    Lines {
        /// Its path inside its source.
        path: String,
        /// The first line, from 1.
        first: usize,
        /// The character of the first line to start at, from 1.
        column: usize,
        /// The last line; one after the end means the end.
        last: usize,
    },
    /// The section under a heading, including its subsections; in source code a definition.
    Section {
        /// The document's path inside its source.
        path: String,
        /// The heading, as a link names it (`how-it-works`) or as written; or the name of a
        /// definition.
        section: String,
    },
    /// A chunk.
    Chunk {
        /// The first hexadecimal digits of its id, or all 32.
        id: String,
    },
}

impl Target {
    /// A whole document.
    #[must_use]
    pub fn document(path: impl Into<String>) -> Self {
        Target::Document { path: path.into() }
    }

    /// The lines `first` to `last` of a document, from 1.
    #[must_use]
    pub fn lines(path: impl Into<String>, first: usize, last: usize) -> Self {
        Target::Lines {
            path: path.into(),
            first,
            column: 1,
            last,
        }
    }

    /// A document from a character of the line `first` on, both from 1, to the end of the line
    /// `last`.
    #[must_use]
    pub fn lines_from(
        path: impl Into<String>,
        (first, column): (usize, usize),
        last: usize,
    ) -> Self {
        Target::Lines {
            path: path.into(),
            first,
            column,
            last,
        }
    }

    /// A section of a document.
    #[must_use]
    pub fn section(path: impl Into<String>, section: impl Into<String>) -> Self {
        Target::Section {
            path: path.into(),
            section: section.into(),
        }
    }

    /// The chunk whose id starts with `id`.
    #[must_use]
    pub fn chunk(id: impl Into<String>) -> Self {
        Target::Chunk { id: id.into() }
    }
}

/// The first and the last id that start with these hexadecimal digits.
pub(crate) fn ids(digits: &str) -> Option<([u8; 16], [u8; 16])> {
    let filled = |with: &str| {
        let digits = format!("{digits}{}", with.repeat(32 - digits.len()));
        let number = u128::from_str_radix(&digits, 16).ok()?;
        Some(number.to_be_bytes())
    };
    let is_part =
        (1..=32).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    match is_part {
        true => Some((filled("0")?, filled("f")?)),
        false => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_digits_stand_for_all_ids_that_begin_so() {
        let (from, to) = ids("3Fa").unwrap();
        assert_eq!((from[0], from[1], from[15]), (0x3f, 0xa0, 0));
        assert_eq!((to[0], to[1], to[15]), (0x3f, 0xaf, 0xff));
        for wrong in ["", "xyz", "+1", &"0".repeat(33)] {
            assert_eq!(ids(wrong), None, "{wrong}");
        }
    }
}
