//! What may become a question.

use std::ops::Range;

use super::edit::Edit;

/// What a question was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum QuestionKind {
    Definition,
    Link,
    Section,
    Commit,
}

impl QuestionKind {
    pub(super) const ALL: [QuestionKind; 4] = [
        QuestionKind::Definition,
        QuestionKind::Link,
        QuestionKind::Section,
        QuestionKind::Commit,
    ];

    /// Its name as the category of a question.
    pub(super) fn name(self) -> &'static str {
        match self {
            QuestionKind::Definition => "definition",
            QuestionKind::Link => "link",
            QuestionKind::Section => "section",
            QuestionKind::Commit => "commit",
        }
    }
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The number of the document.
    pub(super) page: usize,
    /// The bytes of its text; `None` for all of it.
    pub(super) bytes: Option<Range<usize>>,
}

/// A possible question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    pub(super) kind: QuestionKind,
    pub(super) query: String,
    /// The language of the document with the answer.
    pub(super) language: String,
    /// Whether the words of a link are the title of its target.
    pub(super) is_title: bool,
    pub(super) answers: Vec<Place>,
    /// What has to be taken out of the documents, with their numbers.
    pub(super) edits: Vec<(usize, Edit)>,
}
