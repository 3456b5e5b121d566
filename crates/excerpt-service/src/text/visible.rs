//! Which characters of a text are invisible or misleading. Everything that shows text from outside
//! uses this: the terminal, HTML pages, and the output for agents.

/// The characters of `text`, each with whether it is hidden: a control character (line ends and
/// tabs included), a mark that changes the direction of text, a tag, a separator, or any other
/// character without a glyph.
///
/// Joiners and variation selectors, which scripts and emoji need, are visible directly after the
/// character that they modify. A run of them, which modifies nothing and can carry a message, is
/// hidden.
pub fn characters(text: &str) -> impl Iterator<Item = (usize, char, bool)> {
    let mut before = Before::Nothing;
    text.char_indices().map(move |(at, char)| {
        let (hidden, now) = match char {
            '\u{fe00}'..='\u{fe0f}' => (before != Before::Glyph, Before::Selector),
            '\u{34f}' | '\u{200c}' | '\u{200d}' => (
                matches!(before, Before::Nothing | Before::Joiner),
                Before::Joiner,
            ),
            _ if has_no_glyph(char) => (true, Before::Nothing),
            _ => (false, Before::Glyph),
        };
        before = now;
        (at, char, hidden)
    })
}

/// Whether `text` contains a hidden character.
pub fn has_hidden(text: &str) -> bool {
    characters(text).any(|(_, _, hidden)| hidden)
}

/// What precedes a character.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    /// The start of the text, or a character without a glyph.
    Nothing,
    Glyph,
    /// A variation selector.
    Selector,
    Joiner,
}

/// Control characters and those that Unicode calls default ignorable, except for joiners and the
/// first sixteen variation selectors.
fn has_no_glyph(char: char) -> bool {
    matches!(char,
        '\u{ad}'
        | '\u{61c}'
        | '\u{115f}' | '\u{1160}'
        | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}' | '\u{200e}' | '\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{3164}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}'
        // Tags and 240 variation selectors: both can encode any byte.
        | '\u{e0000}'..='\u{e0fff}'
    ) || char.is_control()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(text: &str) -> String {
        let hidden = characters(text).filter(|(_, _, hidden)| *hidden);
        hidden.map(|(_, char, _)| char).collect()
    }

    #[test]
    fn control_characters_direction_marks_and_tags_are_hidden() {
        for char in [
            '\0',
            '\t',
            '\n',
            '\r',
            '\x1b',
            '\x7f',
            '\u{85}',
            '\u{9b}',
            '\u{ad}',
            '\u{61c}',
            '\u{200b}',
            '\u{200e}',
            '\u{200f}',
            '\u{2028}',
            '\u{2029}',
            '\u{202a}',
            '\u{202e}',
            '\u{2060}',
            '\u{2066}',
            '\u{2069}',
            '\u{feff}',
            '\u{e0001}',
            '\u{e0041}',
            '\u{e007f}',
            '\u{e0100}',
            '\u{e01ef}',
        ] {
            assert_eq!(hidden(&format!("a{char}b")), char.to_string(), "{char:?}");
        }
    }

    #[test]
    fn joiners_in_scripts_and_emoji_are_visible() {
        for text in [
            "né n\u{303} 漢 한국 עברית العربية",
            "می\u{200c}خواهم",
            "क्\u{200d}ष",
            "👩\u{200d}🚀 ❤\u{fe0f} 1\u{fe0f}\u{20e3} 👁\u{fe0f}\u{200d}🗨\u{fe0f}",
        ] {
            assert_eq!(hidden(text), "", "{text}");
        }
    }

    #[test]
    fn a_run_of_joiners_or_selectors_is_hidden() {
        assert_eq!(hidden("a\u{fe00}\u{fe01}\u{fe02}b"), "\u{fe01}\u{fe02}");
        assert_eq!(hidden("a\u{200d}\u{200c}\u{200d}b"), "\u{200c}\u{200d}");
        assert_eq!(hidden("\u{fe0f}\u{200d}"), "\u{fe0f}");
        assert_eq!(hidden("\u{202e}\u{200d}"), "\u{202e}\u{200d}");
    }
}
