//! An answer that quotes documents, as a text in which no line of a document can pass for a line of
//! the server.
//!
//! Each line of the server starts with the *mark* of the answer, `@` and six digits that occur
//! nowhere else in it. The last of these lines is `end`. The text between them is quoted unchanged.
//! The mark is the first word of the answer, before any text of a document. It is computed from the
//! whole answer by a hash with a random key of this process, so that the same answer has the same
//! text.
//!
//! Within an answer, the number of digits does not matter for safety: a mark whose digits occur in
//! the answer is not used. The search for one ends, because after some attempts it goes on with
//! more digits. The number of digits matters next to other answers in the same conversation: the
//! author of a document cannot know their marks, and a line that guesses one is right once in a
//! million times. Three digits would be one token less a line, and a page of text can hold them
//! all.
//!
//! A prefix on each quoted line would be as safe, but takes more tokens than a mark on the few
//! lines between, and the model could not copy the text. A fixed fence, or a hash without a key,
//! can be written into a document. If a client truncates an answer, the lines that are left are
//! still marked.

use std::hash::{BuildHasher as _, RandomState};

use excerpt_service::text::one_line;

/// How many digits a mark has (two tokens), and after how many attempts it gets one more.
const DIGITS: usize = 6;
const TRIES: usize = 16;

/// Makes the marks of a server.
#[derive(Default)]
pub(super) struct Marks {
    key: RandomState,
}

/// An answer that is being built.
#[derive(Default)]
pub(super) struct Fenced {
    parts: Vec<Piece>,
}

enum Piece {
    /// A line of the server.
    Line(String),
    /// A text quoted from a document.
    Quote(String),
}

impl Piece {
    fn text(&self) -> &str {
        match self {
            Piece::Line(text) | Piece::Quote(text) => text,
        }
    }
}

impl Fenced {
    /// Adds a line of the server.
    pub(super) fn line(&mut self, line: &str) {
        self.parts.push(Piece::Line(one_line(line)));
    }

    /// Adds the notes under the answer.
    pub(super) fn notes(&mut self, notes: &[String]) {
        for note in notes {
            self.line(&format!("note: {note}"));
        }
    }

    /// Adds a text from a document.
    pub(super) fn quote(&mut self, text: &str) {
        if !text.is_empty() {
            self.parts.push(Piece::Quote(text.to_string()));
        }
    }

    /// Appends another answer.
    pub(super) fn append(&mut self, other: Fenced) {
        self.parts.extend(other.parts);
    }

    /// A text with the same number of tokens as this part of the answer.
    pub(super) fn measured(&self) -> String {
        self.written(&sample())
    }

    /// The text of the answer.
    pub(super) fn sealed(mut self, marks: &Marks) -> String {
        self.line("end");
        let mark = marks.of(&self);
        self.written(&mark)
    }

    fn written(&self, mark: &str) -> String {
        let mut text = String::new();
        for part in &self.parts {
            if let Piece::Line(_) = part {
                text += mark;
                text.push(' ');
            }
            text += part.text();
            if !text.ends_with('\n') {
                text.push('\n');
            }
        }
        text
    }
}

impl Marks {
    /// A mark that does not occur in the answer.
    fn of(&self, answer: &Fenced) -> String {
        let texts: Vec<&str> = answer.parts.iter().map(Piece::text).collect();
        let numbers = (0_u64..).map(|attempt| self.key.hash_one((attempt, &texts)));
        unused(numbers, &texts)
    }
}

/// The mark with the first number whose digits occur in none of the texts.
fn unused(numbers: impl Iterator<Item = u64>, texts: &[&str]) -> String {
    let marks = numbers.enumerate().map(|(attempt, number)| {
        let digits = (DIGITS + attempt / TRIES).min(19);
        format!("@{:0digits$}", number % 10_u64.pow(digits as u32))
    });
    let is_unused = |mark: &String| !texts.iter().any(|text| text.contains(&mark[1..]));
    let mut unused = marks.filter(is_unused);
    // No text contains all numbers of 19 digits.
    unused.next().unwrap_or_default()
}

/// A mark for measuring.
fn sample() -> String {
    format!("@{}", "0".repeat(DIGITS))
}

/// A text with the same number of tokens as a line of the server.
pub(super) fn measured(line: &str) -> String {
    format!("{} {line}\n", sample())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(text: &str) -> Fenced {
        let mut answer = Fenced::default();
        answer.line("[1] a.md:1-2\nnote: x");
        answer.quote(text);
        answer.line("[2] b.md:1-1");
        answer.quote("B");
        answer
    }

    #[test]
    fn a_line_of_the_server_begins_with_the_mark() {
        let marks = Marks::default();
        let text = answer("A\n\nnote: y").sealed(&marks);
        let mark = text.split(' ').next().unwrap();
        assert_eq!(mark.len(), 1 + DIGITS);
        assert_eq!(
            text.replace(mark, "@"),
            "@ [1] a.md:1-2\u{fffd}note: x\nA\n\nnote: y\n@ [2] b.md:1-1\nB\n@ end\n"
        );
        assert_eq!(
            text.len(),
            answer("A\n\nnote: y").measured().len() + mark.len() + 5
        );
    }

    #[test]
    fn equal_answers_have_equal_marks_and_different_answers_different_ones() {
        let marks = Marks::default();
        let of = |marks: &Marks, text: &str| marks.of(&answer(text));
        assert_eq!(of(&marks, "A"), of(&marks, "A"));
        assert_ne!(of(&marks, "A"), of(&marks, "B"));
        assert_ne!(of(&marks, "A"), of(&Marks::default(), "A"));
    }

    #[test]
    fn a_mark_that_occurs_in_the_text_is_not_used() {
        let texts = ["a 000001", "b@000002 c"];
        assert_eq!(unused(1..9, &texts), "@000003");
        assert_eq!(unused([5_000_002, 12].into_iter(), &texts), "@000012");
    }

    #[test]
    fn a_longer_mark_is_used_for_a_text_that_contains_all_short_ones() {
        let all: String = (0..1_000_000)
            .map(|number| format!("@{number:06}\n"))
            .collect();
        let marks = Marks::default();
        let text = answer(&all).sealed(&marks);
        let mark = text.split(' ').next().unwrap();
        assert!(mark.len() > 1 + DIGITS, "{mark}");
        assert_eq!(text.matches(&mark[1..]).count(), 3);
    }
}
