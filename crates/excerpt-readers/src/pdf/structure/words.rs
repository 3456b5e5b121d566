//! The [`Words`] of a document, and how two lines become one text.

use std::collections::HashSet;

use crate::pdf::layout::Line;

/// The words of the document, to tell the hyphen of a word from the one at the end of a line.
#[derive(Debug)]
pub(super) struct Words(HashSet<Box<str>>);

impl Words {
    pub(super) fn of(pages: &[Vec<Line>]) -> Words {
        let mut words = HashSet::new();
        for line in pages.iter().flatten() {
            let parts = line.text.split(|c: char| !c.is_alphanumeric() && c != '-');
            for word in parts.map(|word| word.trim_matches('-')) {
                if word.len() > 3 && !words.contains(word) {
                    words.insert(Box::from(word));
                }
            }
        }
        Words(words)
    }

    /// Adds a line to a paragraph.
    pub(super) fn join(&self, text: &mut String, line: &str, is_kept_apart: bool) {
        let Some(last) = text.chars().next_back() else {
            text.push_str(line);
            return;
        };
        let first = line.chars().next().unwrap_or(' ');
        let before = text.trim_end_matches(['-', '\u{2010}']);
        let is_hyphen = matches!(last, '-' | '\u{2010}')
            && text.len() - before.len() == last.len_utf8()
            && before.chars().next_back().is_some_and(char::is_alphabetic);
        if is_hyphen && first.is_lowercase() {
            let is_part = |c: char| !c.is_alphanumeric() && c != '-';
            let start = before.rsplit(is_part).next().unwrap_or_default();
            let end = line.split(is_part).next().unwrap_or_default();
            let is_compound = !self.0.contains(format!("{start}{end}").as_str())
                && self.0.contains(format!("{start}-{end}").as_str());
            if !is_compound {
                text.truncate(text.len() - last.len_utf8());
            }
        } else if is_hyphen && first.is_alphanumeric() {
            // A name such as `Jean-Paul`.
        } else if is_kept_apart {
            text.push('\n');
        } else if !(is_wide(last) && is_wide(first)) {
            text.push(' ');
        }
        text.push_str(line);
    }
}

/// Whether the character belongs to a script without spaces between words.
fn is_wide(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{a4cf}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ff60}' | '\u{20000}'..='\u{3ffff}')
}
