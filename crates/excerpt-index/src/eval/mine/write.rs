//! The set on disk: the changed documents in `corpus/`, the questions in `queries.jsonl`, and what
//! they were made from in `meta.json`.

use std::fs;
use std::io;
use std::path::Path;

use serde::Serialize;
use serde_json::json;

use super::candidate::{Candidate, QuestionKind};
use super::choice::id;
use super::edit::Edits;
use super::page::Page;
use super::{MineError, Mined};
use crate::eval::set::{CORPUS, QUESTIONS};

/// A set to be written.
pub(super) struct Set<'a> {
    pub(super) mined: &'a Mined,
    pub(super) revision: Option<&'a str>,
    pub(super) limit: usize,
    pub(super) pages: &'a [Page],
    pub(super) questions: &'a [Candidate],
}

/// A line of the questions.
#[derive(Serialize)]
struct Line<'a> {
    id: String,
    query: &'a str,
    category: &'a str,
    language: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    wording: Option<&'a str>,
    relevant: Vec<Relevant<'a>>,
}

#[derive(Serialize)]
struct Relevant<'a> {
    path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_byte: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_byte: Option<usize>,
    grade: u8,
}

impl Set<'_> {
    /// Writes the set; the questions last, so that a folder with questions is complete.
    pub(super) fn write(&self, out: &Path) -> Result<(), MineError> {
        let edits = self.edits();
        for (page, edits) in self.pages.iter().zip(&edits) {
            let path = out.join(CORPUS).join(&page.path);
            write(&path, edits.apply(&page.text).as_bytes())?;
        }
        let meta = json!({
            "name": self.mined.name,
            "made_by": "excerpt eval mine",
            "revision": self.revision,
            "limit": self.limit,
            "files": self.mined.files,
            "skipped": self.mined.skipped,
            "questions": self.mined.questions,
        });
        write(&out.join("meta.json"), format!("{meta:#}\n").as_bytes())?;
        let mut lines = String::new();
        for question in self.questions {
            let line = serde_json::to_string(&self.line(question, &edits));
            lines.push_str(&line.map_err(|error| unwritable(out, error.into()))?);
            lines.push('\n');
        }
        write(&out.join(QUESTIONS), lines.as_bytes())
    }

    /// The edits of each document.
    fn edits(&self) -> Vec<Edits> {
        let mut edits = vec![Vec::new(); self.pages.len()];
        for question in self.questions {
            for (page, edit) in &question.edits {
                edits[*page].push(edit.clone());
            }
        }
        edits.into_iter().map(Edits::new).collect()
    }

    fn line<'s>(&'s self, question: &'s Candidate, edits: &[Edits]) -> Line<'s> {
        let relevant = question.answers.iter().map(|place| {
            let bytes = place.bytes.as_ref();
            let bytes = bytes.map(|bytes| edits[place.page].span(bytes));
            Relevant {
                path: &self.pages[place.page].path,
                start_byte: bytes.as_ref().map(|bytes| bytes.start),
                end_byte: bytes.map(|bytes| bytes.end),
                grade: 1,
            }
        });
        Line {
            id: id(question),
            query: &question.query,
            category: question.kind.name(),
            language: &question.language,
            wording: (question.kind == QuestionKind::Link).then_some(match question.is_title {
                true => "title",
                false => "own",
            }),
            relevant: relevant.collect(),
        }
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), MineError> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder).map_err(|error| unwritable(folder, error))?;
    fs::write(path, bytes).map_err(|error| unwritable(path, error))
}

fn unwritable(path: &Path, source: io::Error) -> MineError {
    MineError::Io {
        path: path.to_path_buf(),
        source,
    }
}
