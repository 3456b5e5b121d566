//! How many tokens an answer takes, and how it is kept within a limit.
//!
//! There is one measure: [`tokens`], of a text as it is sent.

use std::ops::Range;

/// The default for the tokens of an answer.
pub const DEFAULT: usize = 4_000;
/// The fewest tokens that can be requested.
pub const LEAST: usize = 100;
/// The most tokens that can be requested.
pub const MOST: usize = 100_000;

/// The tokens of a text, estimated from its characters.
pub fn tokens(text: &str) -> usize {
    let mut meter = Meter::default();
    text.chars().for_each(|c| meter.add(c));
    meter.total()
}

/// The beginning of a text, of at most `room` tokens: as many whole lines as fit, or if these would
/// leave much of the room unused, a part of the next line as well.
pub fn beginning(text: &str, room: usize) -> &str {
    let mut meter = Meter::default();
    let mut lines = 0;
    for (at, c) in text.char_indices() {
        meter.add(c);
        if meter.total() > room {
            return &text[..if lines > at / 2 { lines } else { at }];
        }
        if c == '\n' {
            lines = at + 1;
        }
    }
    text
}

/// The part of a text that takes at most `room` tokens and contains `best` if that fits: the
/// beginning if it reaches that far, else lines around it, or if its line is too long, the text
/// from there on.
pub fn around(text: &str, best: Range<usize>, room: usize) -> Range<usize> {
    let begun = beginning(text, room).len();
    if begun >= best.end {
        return 0..begun;
    }
    let line = text[..best.start].rfind('\n').map_or(0, |at| at + 1);
    let mut start = match tokens(&text[line..best.end]) > room {
        true => best.start,
        false => line,
    };
    let end = start + beginning(&text[start..], room).len();
    // Lines before it, while there is room.
    while let Some(before) = text[..start].strip_suffix('\n') {
        let line = before.rfind('\n').map_or(0, |at| at + 1);
        if tokens(&text[line..end]) > room {
            break;
        }
        start = line;
    }
    start..end
}

/// The classes of characters that a tokenizer groups.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum CharacterClass {
    #[default]
    Blanks,
    Ends,
    Capitals,
    Letters,
    Digits,
    Marks,
    /// Letters of alphabets for which tokenizers know few words.
    Rare,
    /// Letters that are words by themselves, and symbols.
    WriterState,
}

/// Estimates the tokens of a text without the model's own tokenizer, one character at a time: a run
/// of letters counts one token for every eight, a run of digits one for every three, and so on. The
/// constants were fitted to `o200k` so that the estimate is rarely too low: for prose, source code,
/// JSON and numbers it is 0.95 to 1.35 times the real number, for other scripts up to 1.7 times,
/// and for noise 0.8 times. A test checks this.
#[derive(Default)]
struct Meter {
    /// The tokens of the runs that have ended.
    ended: usize,
    kind: CharacterClass,
    /// The length of the current run.
    run: usize,
}

impl Meter {
    fn add(&mut self, c: char) {
        let (kind, length) = match c {
            ' ' => (CharacterClass::Blanks, 1),
            '\n' | '\t' => (CharacterClass::Ends, 1),
            '\r' => (CharacterClass::Ends, 2),
            'a'..='z' => (CharacterClass::Letters, 1),
            'A'..='Z' => (CharacterClass::Capitals, 1),
            '0'..='9' => (CharacterClass::Digits, 1),
            '!'..='~' => (CharacterClass::Marks, 1),
            '\0'..='\u{7f}' => (CharacterClass::WriterState, 3),
            '\u{80}'..='\u{52f}' => (CharacterClass::Letters, 2),
            '\u{530}'..'\u{2000}' if c.is_alphabetic() => (CharacterClass::Rare, 1),
            '\u{2000}'..='\u{ffff}' => (CharacterClass::WriterState, 1),
            _ => (CharacterClass::WriterState, 3),
        };
        // A capital begins a word.
        if (self.kind, self.run, kind) == (CharacterClass::Capitals, 1, CharacterClass::Letters) {
            self.kind = CharacterClass::Letters;
        }
        if kind != self.kind {
            self.ended = self.total();
            // A number does not include the blank before it, as a word does.
            let is_alone =
                (self.kind, self.run, kind) == (CharacterClass::Blanks, 1, CharacterClass::Digits);
            self.ended += usize::from(is_alone);
            self.kind = kind;
            self.run = 0;
        }
        self.run += length;
    }

    fn total(&self) -> usize {
        let of_run = match self.kind {
            // A single blank is part of the word after it.
            CharacterClass::Blanks => usize::from(self.run > 1),
            CharacterClass::Letters => self.run.div_ceil(8),
            CharacterClass::Capitals | CharacterClass::Digits => self.run.div_ceil(3),
            // Two are one token; in JSON, more are one token each.
            CharacterClass::Ends => self.run - usize::from(self.run > 1),
            CharacterClass::Marks | CharacterClass::Rare => self.run.div_ceil(2),
            CharacterClass::WriterState => self.run,
        };
        self.ended + of_run
    }
}

/// A name that may be long, shortened to fit into a line.
pub fn shortened(name: &str) -> String {
    begun(name, 100)
}

/// A text that may be very long, such as a title, shortened to what is worth showing.
pub fn bounded(text: &str) -> String {
    begun(text, 300)
}

/// The first characters of a text, followed by `…` if there are more.
pub fn begun(text: &str, most: usize) -> String {
    let mut short: String = text.chars().take(most).collect();
    if text.chars().nth(most).is_some() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_text_is_shortened_at_a_line_end() {
        let text = "one line\nanother line\nthe last\n";
        assert_eq!(beginning(text, 6), "one line\nanother line\n");
        assert_eq!(beginning(text, 100), text);
        assert_eq!(beginning("a line that is too long", 2), "a line ");
        assert_eq!(beginning("a\nline that is too long", 5), "a\nline that is ");
        assert_eq!(beginning("", 2), "");
        assert_eq!(beginning(&"語".repeat(90), 20).chars().count(), 20);
    }

    #[test]
    fn a_shortened_text_contains_the_best_part() {
        let text: String = (0..50).map(|n| format!("line number {n}\n")).collect();
        for at in [0, 7, 25, 49] {
            let best = text.find(&format!("number {at}\n")).unwrap();
            for room in 8..200 {
                let kept = around(&text, best..best + 9, room);
                assert!(kept.contains(&best), "{at} of {room}: {kept:?}");
                assert!(tokens(&text[kept.clone()]) <= room, "{at} of {room}");
                // Whole lines, and every line that fits.
                assert!(text[..kept.start].is_empty() || text[..kept.start].ends_with('\n'));
                assert!(text[kept.clone()].ends_with('\n'));
                assert!(kept.len() == text.len() || tokens(&text[kept]) + 6 > room);
            }
        }
        let long = "word ".repeat(500) + "here it is " + &"word ".repeat(500);
        let best = long.find("here").unwrap();
        let kept = around(&long, best..best + 10, 20);
        assert!(long[kept].starts_with("here it is word"));
    }

    #[test]
    fn a_beginning_stays_within_its_room() {
        let text = "Some words, and_a_name (42)!\n\n\tÜber 12345 Zeichen: 日本語 🎉\n".repeat(9);
        for room in 0..200 {
            let begun = beginning(&text, room);
            assert!(
                tokens(begun) <= room && text.starts_with(begun),
                "{room}: {begun}"
            );
        }
    }

    #[test]
    fn the_estimate_is_close_and_not_too_low() {
        let bpe = bpe_openai::o200k_base();
        let code = include_str!("budget.rs");
        let prose = include_str!("../../../../docs/guide/agents.md");
        let data = json!({"hits": [{"citation": "docs/guide.md:12-40", "score": 0.731, "id": "9f3a00c4d2b1", "text": prose}], "code": code});
        let pretty = serde_json::to_string_pretty(&data).unwrap_or_default();
        let numbers: String = (0..400)
            .map(|n| format!("{}:{:x}, ", n * 7919, n * 104_729))
            .collect();
        for text in [code, prose, &data.to_string(), &pretty, &numbers] {
            let (told, counted) = (tokens(text) as f64, bpe.count(text) as f64);
            let ratio = told / counted;
            assert!((0.85..1.35).contains(&ratio), "{ratio}: {}", &text[..60]);
        }
    }
}
