//! What a file says about itself: [`Metadata`], the front matter of its text.

use std::fmt::Write as _;

/// How many characters of what a file says are kept, each.
const LONGEST: usize = 2_000;

/// What a file says about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Metadata {
    pub(crate) title: Option<String>,
    pub(crate) authors: Vec<String>,
    /// A day, `YYYY-MM-DD`.
    pub(crate) date: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) keywords: Vec<String>,
    /// The natural language, such as `en` or `de-AT`.
    pub(crate) language: Option<String>,
}

impl Metadata {
    /// As front matter in YAML; empty if nothing is known.
    pub(crate) fn front_matter(&self) -> String {
        let mut lines = String::new();
        let one = |lines: &mut String, key: &str, value: Option<&str>| {
            if let Some(value) = value.map(spaced).filter(|value| !value.is_empty()) {
                let _ = writeln!(lines, "{key}: {}", quoted(&value));
            }
        };
        let many = |lines: &mut String, key: &str, values: &[String]| {
            let values = values.iter().map(|value| spaced(value));
            let values = values.filter(|value| !value.is_empty());
            let values: Vec<_> = values.map(|value| quoted(&value)).collect();
            if !values.is_empty() {
                let _ = writeln!(lines, "{key}: [{}]", values.join(", "));
            }
        };
        one(&mut lines, "title", self.title.as_deref());
        many(&mut lines, "authors", &self.authors);
        one(&mut lines, "date", self.date.as_deref().and_then(day));
        one(&mut lines, "description", self.description.as_deref());
        many(&mut lines, "keywords", &self.keywords);
        one(&mut lines, "language", self.language.as_deref());
        match lines.is_empty() {
            true => lines,
            false => format!("---\n{lines}---\n\n"),
        }
    }
}

/// The day at the beginning of a date and time as ISO 8601 writes it.
fn day(date: &str) -> Option<&str> {
    let day = date.trim().get(..10)?;
    let is_digit = |(at, byte): (usize, u8)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    day.bytes().enumerate().all(is_digit).then_some(day)
}

/// The text in one line.
fn spaced(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut spaced = words.join(" ");
    if let Some((end, _)) = spaced.char_indices().nth(LONGEST) {
        spaced.truncate(end);
        spaced.push('…');
    }
    spaced
}

/// A YAML string in double quotes.
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => (),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_is_front_matter() {
        let metadata = Metadata {
            title: Some(" A \"new\"\n title ".into()),
            authors: vec!["Ada".into(), String::new(), "B: C".into()],
            date: Some("2024-05-06T07:08:09Z".into()),
            ..Metadata::default()
        };
        assert_eq!(
            metadata.front_matter(),
            "---\ntitle: \"A \\\"new\\\" title\"\nauthors: [\"Ada\", \"B: C\"]\ndate: \"2024-05-06\"\n---\n\n"
        );
        assert_eq!(Metadata::default().front_matter(), "");
        let undated = Metadata {
            date: Some("May 2024".into()),
            ..Metadata::default()
        };
        assert_eq!(undated.front_matter(), "");
    }
}
