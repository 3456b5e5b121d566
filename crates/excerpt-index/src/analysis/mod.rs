//! What a text says, for indexing and searching alike: its terms (`words.rs`), the days that it
//! names (`days/`), the versions that it is about (`version.rs`), whether it is a question
//! (`asking.rs`), its sections and how links name them (`sections.rs`, `anchors.rs`), and the
//! language that its name determines.

mod anchors;
mod asking;
pub(crate) mod days;
mod headings;
mod sections;
mod stems;
mod version;
mod words;

use excerpt_chunk::{CodeParser as _, Document};
use excerpt_grammars::Grammars;

pub(crate) use anchors::{label_name, shared_labels};
pub(crate) use asking::asks;
pub use headings::is_date;
pub(crate) use sections::{Section, Sections};
pub(crate) use version::{Fit, fit};
pub(crate) use words::{Analyzer, Phrase, Purpose, Term, Terms, VERSION, is_latin, name};

/// The language that a document's name determines.
pub(crate) fn language(path: &str) -> Option<&'static str> {
    let detected = Grammars.detect(&Document::new("").with_path(path))?;
    Some(detected.language)
}
