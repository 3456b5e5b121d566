//! The front matter that a mirror puts in front of a document which has none: [`AddedFrontMatter`].
//! It is no part of the document, so that a source leaves it out when it reads the mirror.

use std::fmt::Write as _;

/// The first lines of what is added, by which it is recognised.
const BEGIN: &str = "---\n# Added by excerpt mirror\npath: ";

/// The last line of it.
const END: &str = "---\n";

/// The fields after the path.
const FIELDS: [&str; 3] = ["domain: ", "title: ", "commit: "];

/// The byte order mark of UTF-8, which stays at the beginning of a text.
const MARK: char = '\u{feff}';

/// What is added to a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AddedFrontMatter<'a> {
    /// Its path inside the source.
    pub(crate) path: &'a str,
    pub(crate) domain: Option<&'a str>,
    pub(crate) title: Option<&'a str>,
    pub(crate) commit: Option<&'a str>,
}

impl AddedFrontMatter<'_> {
    /// Whether a text has no front matter of its own, and does not begin as if it had some.
    pub(crate) fn is_needed(text: &str) -> bool {
        !text.trim_start_matches(MARK).starts_with("---")
    }

    /// The text with this front matter.
    pub(crate) fn before(&self, text: &str) -> String {
        let (mark, rest) = parted(text);
        let mut added = format!("{mark}{BEGIN}{}\n", scalar(self.path));
        for (name, value) in FIELDS.iter().zip([self.domain, self.title, self.commit]) {
            if let Some(value) = value {
                // Writing to a string never fails.
                let _ = writeln!(added, "{name}{}", scalar(value));
            }
        }
        added.push_str(END);
        added.push_str(rest);
        added
    }
}

/// A text without the front matter that a mirror has added to it.
pub(super) fn without_added(text: String) -> String {
    match length(parted(&text).1) {
        None => text,
        Some(length) => {
            let (mark, rest) = parted(&text);
            format!("{mark}{}", &rest[length..])
        }
    }
}

/// How many bytes at the beginning of a text were added.
fn length(text: &str) -> Option<usize> {
    let mut rest = text.strip_prefix(BEGIN)?;
    rest = rest.split_once('\n')?.1;
    for name in FIELDS {
        if rest.starts_with(name) {
            rest = rest.split_once('\n')?.1;
        }
    }
    let rest = rest.strip_prefix(END)?;
    Some(text.len() - rest.len())
}

fn parted(text: &str) -> (&str, &str) {
    let rest = text.strip_prefix(MARK).unwrap_or(text);
    text.split_at(text.len() - rest.len())
}

/// The letters of the words that YAML reads as truth values or as null, such as `yes` and `off`.
const OF_KEYWORDS: &str = "aeflnorstuy";

/// A value in YAML, on one line: as it is where that is certainly read as the same text, and in
/// quotes otherwise.
fn scalar(value: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '/' | '.' | '-' | '_');
    let is_of_keyword = |c: char| OF_KEYWORDS.contains(c.to_ascii_lowercase());
    let is_word = value.starts_with(char::is_alphabetic)
        && value.chars().all(is_plain)
        && !value.ends_with(' ')
        && !value.chars().all(is_of_keyword);
    match is_word {
        true => value.to_string(),
        false => quoted(value),
    }
}

/// A value in double quotes: a string of JSON, which YAML reads, too. What YAML or a reader of
/// lines may take for the end of a line is escaped.
fn quoted(value: &str) -> String {
    let quoted = serde_json::Value::from(value).to_string();
    quoted
        .replace('\u{85}', "\\u0085")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

#[cfg(test)]
mod tests {
    use excerpt_chunk::{Chunker, Document};
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_fields_of_a_note_are_written_as_a_person_would() {
        let added = AddedFrontMatter {
            path: "domains/family/swim-team.md",
            domain: Some("family"),
            title: Some("Swim: the \"team\""),
            commit: Some("0e11"),
        };
        let text = added.before("# Swim team\n");
        assert_eq!(
            text,
            "---\n# Added by excerpt mirror\npath: domains/family/swim-team.md\ndomain: family\n\
             title: \"Swim: the \\\"team\\\"\"\ncommit: \"0e11\"\n---\n# Swim team\n"
        );
        assert_eq!(without_added(text), "# Swim team\n");
    }

    #[test]
    fn what_a_mirror_has_not_added_stays() {
        for text in [
            "",
            "---\npath: a.md\n---\nx",
            "---\n# Added by excerpt mirror\npath: a.md\nother: b\n---\nx",
            "---\n# Added by excerpt mirror\npath: a.md\n",
            "x\n---\n# Added by excerpt mirror\npath: a.md\n---\n",
        ] {
            assert_eq!(without_added(text.to_string()), text);
        }
        assert!(!AddedFrontMatter::is_needed("\u{feff}---\na: b\n---\n"));
        assert!(AddedFrontMatter::is_needed("\u{feff}# A\n"));
    }

    proptest! {
        #[test]
        fn any_text_is_the_same_after_it_was_mirrored(
            text in "\u{feff}?(---|#|\n|\r|a|é| )*",
            path in any::<String>(),
            domain in proptest::option::of(any::<String>()),
            title in proptest::option::of("[a-zA-Z0-9 :#~.\u{85}\u{2028}é-]{1,8}|yes|No|null|~|0x1|1e3|true"),
        ) {
            let added = AddedFrontMatter {
                path: &path,
                domain: domain.as_deref(),
                title: title.as_deref(),
                commit: None,
            };
            let mirrored = added.before(&text);
            let chunking = Chunker::default();
            let document = Document::new(&mirrored).with_path("a.md");
            let metadata = chunking.chunk(&document).document.metadata;
            let values = [("path", Some(&path)), ("domain", domain.as_ref()), ("title", title.as_ref())];
            for (name, value) in values {
                prop_assert_eq!(metadata.get(name).map(|it| it.as_str().map(str::to_string)), value.map(|it| Some(it.clone())));
            }
            prop_assert_eq!(without_added(mirrored), text);
        }
    }
}
