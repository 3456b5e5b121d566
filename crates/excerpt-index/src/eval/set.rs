//! A question set on disk: a folder with `queries.jsonl`, and the documents in `corpus/` or
//! elsewhere.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use excerpt_chunk::without_byte_order_mark;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::corpus::Corpus;
use super::measure::Passage;
use crate::fs::open::{Refused, read_below};
use crate::model::{Error, Selection, Skip, plain, segments};
use crate::read::Closest;
use crate::source::{Entry, Reading, Source};

/// The file with the questions, one JSON object per line.
pub(super) const QUESTIONS: &str = "queries.jsonl";
/// The default folder of the documents.
pub(super) const CORPUS: &str = "corpus";

/// Questions with known answers in a folder of documents.
#[derive(Debug)]
pub struct QuestionSet {
    /// The name of its folder.
    pub name: String,
    /// The questions that can be scored, in the order of the file.
    pub questions: Vec<Question>,
    /// The answers in documents that are not indexed. A question with no other answer is not
    /// scored.
    pub left_out: Vec<LeftOut>,
    corpus: Corpus,
    documents: BTreeMap<String, Entry>,
    texts: RefCell<HashMap<String, String>>,
}

/// A question with its answers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Question {
    /// Its id in the set: the `id` field, or else the query.
    pub id: String,
    /// The words to search for.
    pub query: String,
    /// The only folder to search, if there is one.
    pub scope: Option<String>,
    /// A label.
    pub category: Option<String>,
    /// The passages that answer it; none when no document does.
    pub answers: Vec<Passage>,
}

/// An answer in a document that is not indexed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LeftOut {
    /// The id of its question.
    pub id: String,
    /// The document.
    pub path: String,
    /// Why it is not indexed.
    pub reason: String,
}

/// Why a question set cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetError {
    /// The file with the questions does not exist.
    #[error("`{}` does not exist: a question set is a folder with this file, one question per line", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The path is a file instead of a folder.
    #[error("`{}` is a file: give the folder that contains it", path.display())]
    File {
        /// The file.
        path: PathBuf,
    },
    /// The folder with the documents does not exist.
    #[error("the folder `{}` does not exist: give the one with the documents as `--corpus`", path.display())]
    NoCorpus {
        /// The folder.
        path: PathBuf,
    },
    /// The questions are in the same folder as the documents.
    #[error("`{}` contains both questions and documents: move the questions into a folder of their own, which is then excluded", path.display())]
    Mixed {
        /// The folder.
        path: PathBuf,
    },
    /// A file cannot be read.
    #[error("cannot read `{}`: {}", path.display(), plain(source))]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A line of the questions is invalid.
    #[error("{}:{line}: {reason}", path.display())]
    Line {
        /// The file with the questions.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// There are no questions.
    #[error(
        "`{}` contains no questions: write one per line, such as {{\"query\": \"how long does tea draw\", \"relevant\": [{{\"path\": \"tea.md\"}}]}}",
        path.display()
    )]
    Empty {
        /// The file with the questions.
        path: PathBuf,
    },
    /// No question can be scored.
    #[error("every answer in `{}` is in a document that is not indexed, such as `{}` ({})", path.display(), first.path, first.reason)]
    LeftOut {
        /// The file with the questions.
        path: PathBuf,
        /// The first of these answers.
        first: LeftOut,
    },
    /// The documents cannot be listed.
    #[error(transparent)]
    Corpus(#[from] Error),
}

/// A line of the file.
#[derive(Deserialize)]
struct Line {
    id: Option<Value>,
    query: String,
    scope: Option<String>,
    category: Option<String>,
    relevant: Vec<Relevant>,
}

/// An answer: a document, or a part of it given by characters, bytes, lines or text.
#[derive(Deserialize)]
struct Relevant {
    path: String,
    start_char: Option<usize>,
    end_char: Option<usize>,
    start_byte: Option<usize>,
    end_byte: Option<usize>,
    start_line: Option<usize>,
    end_line: Option<usize>,
    text: Option<String>,
    #[serde(rename = "grade")]
    _grade: Option<Value>,
    #[serde(flatten)]
    other: Map<String, Value>,
}

impl QuestionSet {
    /// Reads the questions in `folder` about the documents in `corpus`, or else in its subfolder
    /// `corpus`. If `folder` is inside the folder of the documents, it is excluded from them.
    ///
    /// # Errors
    ///
    /// [`SetError`], with the line of an invalid question: invalid JSON, no answer, an answer in a
    /// document that does not exist, or one outside of its document.
    pub fn read(folder: &Path, corpus: Option<&Path>) -> Result<Self, SetError> {
        if folder.is_file() {
            return Err(SetError::File {
                path: folder.to_path_buf(),
            });
        }
        let path = folder.join(QUESTIONS);
        let read = read_below(folder, QUESTIONS, u64::MAX).map_err(|refused| match refused {
            Refused::Missing => SetError::Missing { path: path.clone() },
            Refused::Io(error) => unreadable(&path, error),
            other => unreadable(&path, io::Error::other(other)),
        })?;
        let lines =
            String::from_utf8(read).map_err(|error| unreadable(&path, io::Error::other(error)))?;
        let folder = (folder.canonicalize()).map_err(|source| unreadable(folder, source))?;
        let corpus = corpus_folder(&folder, corpus)?;
        let listing = corpus.list()?;
        let documents = listing.entries.into_iter();
        let mut set = QuestionSet {
            name: (folder.file_name())
                .map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
            questions: Vec::new(),
            left_out: Vec::new(),
            corpus,
            documents: documents.map(|entry| (entry.path.clone(), entry)).collect(),
            texts: RefCell::default(),
        };
        set.add(&lines, &listing.skips)
            .map_err(|(line, reason)| SetError::Line {
                path: path.clone(),
                line,
                reason,
            })?;
        match (set.questions.is_empty(), set.left_out.first()) {
            (false, _) => Ok(set),
            (true, None) => Err(SetError::Empty { path }),
            (true, Some(first)) => Err(SetError::LeftOut {
                path,
                first: first.clone(),
            }),
        }
    }

    /// The documents, as a source to index.
    #[must_use]
    pub fn source(&self) -> &dyn Source {
        &self.corpus
    }

    /// Adds the questions in `lines`, or returns which line is wrong and why.
    fn add(&mut self, lines: &str, skips: &[Skip]) -> Result<(), (usize, String)> {
        let mut seen: HashMap<String, usize> = HashMap::new();
        let lines = without_byte_order_mark(lines).lines();
        for (number, line) in (1..).zip(lines).filter(|(_, line)| !line.trim().is_empty()) {
            let question = self.question(line, skips);
            let question = question.map_err(|reason| (number, reason))?;
            if let Some(first) = seen.insert(question.id.clone(), number) {
                let reason = format!(
                    "duplicate question `{}`, first given on line {first}",
                    question.id
                );
                return Err((number, reason));
            }
            let left_out = self.left_out.iter().any(|left| left.id == question.id);
            if !question.answers.is_empty() || !left_out {
                self.questions.push(question);
            }
        }
        Ok(())
    }

    fn question(&mut self, line: &str, skips: &[Skip]) -> Result<Question, String> {
        let line: Line = serde_json::from_str(line).map_err(|error| reason(&error))?;
        if !line.query.chars().any(char::is_alphanumeric) {
            return Err(format!("the query `{}` contains no words", line.query));
        }
        let id = match line.id {
            Some(Value::String(id)) => id,
            Some(id) => id.to_string(),
            None => line.query.clone(),
        };
        let mut answers = Vec::new();
        for relevant in &line.relevant {
            let path = segments(&relevant.path);
            match self.left_out(&path, skips)? {
                None => answers.push(self.passage(path, relevant)?),
                Some(reason) => self.left_out.push(LeftOut {
                    id: id.clone(),
                    path,
                    reason,
                }),
            }
        }
        Ok(Question {
            id,
            query: line.query,
            scope: line.scope.filter(|scope| !segments(scope).is_empty()),
            category: line.category,
            answers,
        })
    }

    /// Why the document at `path` is not indexed; `None` if it is.
    ///
    /// # Errors
    ///
    /// When there is no such document.
    fn left_out(&self, path: &str, skips: &[Skip]) -> Result<Option<String>, String> {
        if let Some(entry) = self.documents.get(path) {
            if self.texts.borrow().contains_key(path) {
                return Ok(None);
            }
            return match self.corpus.read(entry) {
                Reading::Bytes { bytes, .. } => match Selection::default().text(path, bytes) {
                    Ok(read) => {
                        self.texts.borrow_mut().insert(path.to_string(), read.text);
                        Ok(None)
                    }
                    Err(skip) => Ok(Some(words(&skip))),
                },
                Reading::Skip { skip, .. } => Ok(Some(words(&skip))),
                Reading::Gone => Err(format!("`{path}` was deleted just now")),
            };
        }
        let root = self.corpus.id().path();
        if self.corpus.is_own(path) {
            return Err(format!(
                "`{path}` is in the folder of the questions, which is excluded from the documents"
            ));
        }
        let covers = |skip: &&Skip| {
            let rest = path.strip_prefix(&*skip.path);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        match skips.iter().find(covers) {
            Some(skip) if root.join(path).symlink_metadata().is_ok() => Ok(Some(words(skip))),
            _ => {
                let mut closest = Closest::new(path);
                self.documents.keys().for_each(|known| closest.offer(known));
                let closest = closest
                    .found()
                    .map(|path| format!(", did you mean `{path}`?"));
                let closest = closest.unwrap_or_default();
                let root = root.display();
                Err(format!(
                    "there is no document `{path}` in `{root}`{closest}"
                ))
            }
        }
    }

    fn passage(&self, path: String, relevant: &Relevant) -> Result<Passage, String> {
        let texts = self.texts.borrow();
        let text = texts.get(&path).map_or("", |text| text);
        let chars = place(relevant, text).map_err(|reason| format!("`{path}` {reason}"))?;
        Ok(Passage { path, chars })
    }

    /// The characters at these bytes of a document.
    pub(super) fn chars(&self, path: &str, bytes: Range<usize>) -> Range<usize> {
        let mut texts = self.texts.borrow_mut();
        if !texts.contains_key(path) {
            let reading = self
                .documents
                .get(path)
                .map(|entry| self.corpus.read(entry));
            let text = match reading {
                Some(Reading::Bytes { bytes, .. }) => Selection::default().text(path, bytes).ok(),
                _ => None,
            };
            texts.insert(
                path.to_string(),
                text.map_or_else(String::new, |read| read.text),
            );
        }
        chars(&texts[path], bytes.clone()).unwrap_or(bytes)
    }
}

/// The documents in `corpus`, or else in the folder `corpus` of the set in `folder`.
fn corpus_folder(folder: &Path, corpus: Option<&Path>) -> Result<Corpus, SetError> {
    let path = corpus.map_or_else(|| folder.join(CORPUS), Path::to_path_buf);
    let found = path.canonicalize().map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => SetError::NoCorpus { path: path.clone() },
        _ => unreadable(&path, source),
    })?;
    if found.is_file() {
        return Err(SetError::File { path });
    }
    if found == folder {
        return Err(SetError::Mixed { path });
    }
    Ok(Corpus::new(&found, folder)?)
}

fn unreadable(path: &Path, source: io::Error) -> SetError {
    SetError::Io {
        path: path.to_path_buf(),
        source,
    }
}

/// What is wrong with a line that is not a question; its place as a column only, since there is one
/// line.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let message = text
        .rsplit_once(" at line ")
        .map_or(&*text, |(message, _)| message);
    match error.classify() {
        serde_json::error::Category::Data => message.to_string(),
        _ => format!("invalid JSON: {message} at column {}", error.column()),
    }
}

/// The reason of a skip, with its details.
fn words(skip: &Skip) -> String {
    match &skip.detail {
        Some(detail) => format!("{}: {detail}", skip.reason),
        None => skip.reason.to_string(),
    }
}

/// The characters of `text` that an answer names; `None` for all of it.
fn place(relevant: &Relevant, text: &str) -> Result<Option<Range<usize>>, String> {
    let said = |unit: &str, start: Option<usize>, end: Option<usize>| match (start, end) {
        (None, None) => Ok(None),
        (Some(start), Some(end)) => Ok(Some(start..end)),
        _ => Err(format!(
            "has an answer with only one of `start_{unit}` and `end_{unit}`"
        )),
    };
    let outside = |what: &str, count: usize, range: Range<usize>| {
        let (start, end) = (range.start, range.end);
        format!("has {count} {what}, but the answer is given as {start} to {end}")
    };
    if let Some(range) = said("char", relevant.start_char, relevant.end_char)? {
        let count = text.chars().count();
        return match range.start < range.end && range.end <= count {
            true => Ok(Some(range)),
            false => Err(outside("characters", count, range)),
        };
    }
    if let Some(range) = said("byte", relevant.start_byte, relevant.end_byte)? {
        return match chars(text, range.clone()) {
            Some(chars) if !chars.is_empty() => Ok(Some(chars)),
            _ => Err(outside("bytes", text.len(), range)),
        };
    }
    let end_line = relevant.end_line.or(relevant.start_line);
    if let Some(range) = said("line", relevant.start_line, end_line)? {
        let found = lines(text, range.start, range.end).filter(|found| !found.is_empty());
        return match found {
            Some(found) => Ok(Some(found)),
            None => Err(outside("lines", text.lines().count(), range)),
        };
    }
    if let Some(quote) = &relevant.text {
        return quoted(text, quote).map(Some);
    }
    match relevant.other.keys().next() {
        None => Ok(None),
        Some(unknown) => Err(format!(
            "has an answer with the unknown field `{unknown}`, expected `text`, `start_line`, `start_char`, `start_byte` or none of them"
        )),
    }
}

/// The characters at `bytes` of `text`, if both ends are on character boundaries.
fn chars(text: &str, bytes: Range<usize>) -> Option<Range<usize>> {
    let start = text.get(..bytes.start)?.chars().count();
    Some(start..start + text.get(bytes)?.chars().count())
}

/// The characters of the lines from `first` to `last`, from 1, both included, without the last line
/// break.
fn lines(text: &str, first: usize, last: usize) -> Option<Range<usize>> {
    if first == 0 || last < first {
        return None;
    }
    let mut at = 0;
    let mut start = None;
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        if number == first {
            start = Some(at);
        }
        if number == last {
            let end = at + line.trim_end_matches(['\r', '\n']).chars().count();
            return start.map(|start| start..end);
        }
        at += line.chars().count();
    }
    None
}

/// The characters of `text` that `quote` quotes. All runs of white space are equal, so quotes stay
/// valid when a text is rewrapped.
fn quoted(text: &str, quote: &str) -> Result<Range<usize>, String> {
    let wanted: Vec<&str> = quote.split_whitespace().collect();
    let wanted = wanted.join(" ");
    let mut folded = String::new();
    let mut places = Vec::new();
    for (at, char) in text.chars().enumerate() {
        let char = if char.is_whitespace() { ' ' } else { char };
        if char != ' ' || !folded.ends_with(' ') {
            folded.push(char);
            places.push(at);
        }
    }
    let mut found = folded.match_indices(&*wanted);
    match (found.next(), found.count()) {
        _ if wanted.is_empty() => Err("has an answer with an empty `text`".to_string()),
        (None, _) => Err(format!("does not contain the text `{wanted}`")),
        (Some((at, _)), 0) => {
            let start = folded[..at].chars().count();
            let last = start + wanted.chars().count() - 1;
            Ok(places[start]..places[last] + 1)
        }
        (Some(_), others) => Err(format!(
            "contains the text `{wanted}` {} times: quote more of it",
            others + 1
        )),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const NOTE: &str = "# Tée\n\nGreen tea.\nBlack téa.\nIt draws\n  long.\n";

    fn folder(questions: &str) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join(CORPUS)).unwrap();
        fs::write(dir.path().join(CORPUS).join("é.md"), NOTE).unwrap();
        fs::write(dir.path().join(CORPUS).join("cup.png"), "cup").unwrap();
        fs::write(dir.path().join(CORPUS).join("cup.txt"), b"caf\x81").unwrap();
        fs::write(dir.path().join(QUESTIONS), questions).unwrap();
        dir
    }

    fn read(questions: &str) -> QuestionSet {
        QuestionSet::read(folder(questions).path(), None).unwrap()
    }

    fn refused(questions: &str) -> String {
        let dir = folder(questions);
        let error = QuestionSet::read(dir.path(), None).unwrap_err().to_string();
        let path = dir.path().canonicalize().unwrap();
        error
            .replace(path.to_str().unwrap(), "SET")
            .replace(dir.path().to_str().unwrap(), "SET")
    }

    fn answer(answer: &str) -> String {
        format!("{{\"query\": \"tea\", \"relevant\": [{answer}]}}")
    }

    #[test]
    fn an_answer_is_a_document_or_a_part_said_in_four_ways() {
        let places = [
            ("", None),
            (", \"grade\": 2", None),
            (", \"start_line\": 3, \"end_line\": 4", Some(7..28)),
            (", \"start_line\": 3", Some(7..17)),
            (", \"text\": \"Black téa\"", Some(18..27)),
            (", \"text\": \"It draws long.\"", Some(29..45)),
            (", \"start_char\": 2, \"end_char\": 5", Some(2..5)),
            (", \"start_byte\": 3, \"end_byte\": 6", Some(3..5)),
            (
                ", \"start_char\": 2, \"end_char\": 5, \"start_line\": 1, \"end_line\": 1",
                Some(2..5),
            ),
        ];
        for (place, chars) in places {
            let set = read(&answer(&format!("{{\"path\": \"./é.md\"{place}}}")));
            let passage = &set.questions[0].answers[0];
            assert_eq!(
                (&*passage.path, &passage.chars),
                ("é.md", &chars),
                "{place}"
            );
        }
    }

    #[test]
    fn bytes_of_a_hit_become_characters() {
        let set = read(&answer("{\"path\": \"é.md\"}"));
        assert_eq!(set.chars("é.md", 3..6), 3..5);
    }

    #[test]
    fn a_question_is_named_by_its_id_or_its_words() {
        let set = read(
            "\u{feff}{\"id\": 7, \"query\": \"a\", \"relevant\": [{\"path\": \"é.md\"}], \"repo\": 1}\n\n{\"query\": \"b\", \"scope\": \"x/\", \"relevant\": [{\"path\": \"é.md\"}]}\n",
        );
        let ids: Vec<_> = set.questions.iter().map(|question| &*question.id).collect();
        assert_eq!(ids, ["7", "b"]);
        assert_eq!(set.questions[1].scope.as_deref(), Some("x/"));
    }

    #[test]
    fn answers_in_documents_that_are_left_out_are_named() {
        let set = read(&format!(
            "{}\n{}\n",
            answer("{\"path\": \"é.md\"}, {\"path\": \"cup.txt\", \"text\": \"?\"}"),
            answer("{\"path\": \"cup.png\", \"start_line\": 9}").replace("tea", "cup")
        ));
        assert_eq!(set.questions.len(), 1);
        let left_out = set.left_out.iter();
        let left_out: Vec<_> = left_out
            .map(|left| (&*left.id, &*left.path, &*left.reason))
            .collect();
        assert_eq!(
            left_out,
            [
                ("tea", "cup.txt", "not UTF-8"),
                ("cup", "cup.png", "binary")
            ]
        );
        assert_eq!(
            refused(&answer("{\"path\": \"cup.png\"}")),
            "every answer in `SET/queries.jsonl` is in a document that is not indexed, such as `cup.png` (binary)"
        );
    }

    #[test]
    fn a_question_may_have_no_answer() {
        let set = read("{\"query\": \"a\", \"relevant\": []}");
        assert_eq!(set.questions[0].answers, []);
    }

    #[test]
    fn the_folder_of_the_questions_is_no_document() {
        let dir = tempfile::tempdir().unwrap();
        let own = dir.path().join("eval");
        fs::create_dir(&own).unwrap();
        fs::write(own.join("notes.md"), "tea").unwrap();
        fs::write(dir.path().join("evaluating.md"), "tea").unwrap();
        fs::write(own.join(QUESTIONS), answer("{\"path\": \"evaluating.md\"}")).unwrap();
        let set = QuestionSet::read(&own, Some(dir.path())).unwrap();
        let listing = set.source().list().unwrap();
        let paths: Vec<_> = listing.entries.iter().map(|entry| &*entry.path).collect();
        assert_eq!(paths, ["evaluating.md"]);
        fs::write(own.join(QUESTIONS), answer("{\"path\": \"eval/notes.md\"}")).unwrap();
        let error = QuestionSet::read(&own, Some(dir.path())).unwrap_err();
        assert!(error.to_string().ends_with(
            "queries.jsonl:1: `eval/notes.md` is in the folder of the questions, which is excluded from the documents"
        ));
        let error = QuestionSet::read(&own, Some(&own)).unwrap_err();
        assert!(error.to_string().ends_with(
            "contains both questions and documents: move the questions into a folder of their own, which is then excluded"
        ));
    }

    #[test]
    fn what_cannot_be_used_is_named_with_its_line() {
        let good = answer("{\"path\": \"é.md\"}");
        let cases = [
            (
                format!("{good}\nno json\n"),
                "2: invalid JSON: expected ident at column 2",
            ),
            ("{\"query\": \"a\"}".into(), "1: missing field `relevant`"),
            (
                "{\"query\": 7, \"relevant\": []}".into(),
                "1: invalid type: integer `7`, expected a string",
            ),
            (
                good.replace("tea", "?!"),
                "1: the query `?!` contains no words",
            ),
            (
                format!("{good}\n\n{good}"),
                "3: duplicate question `tea`, first given on line 1",
            ),
            (
                answer("{\"path\": \"e.md\"}"),
                "1: there is no document `e.md` in `SET/corpus`, did you mean `é.md`?",
            ),
            (
                answer("{\"path\": \"cup\"}"),
                "1: there is no document `cup` in `SET/corpus`, did you mean `cup.txt`?",
            ),
            (
                answer("{\"path\": \"../queries.jsonl\"}"),
                "1: there is no document `../queries.jsonl` in `SET/corpus`",
            ),
        ];
        for (questions, message) in cases {
            assert_eq!(refused(&questions), format!("SET/queries.jsonl:{message}"));
        }
        assert!(refused("\n").starts_with(
            "`SET/queries.jsonl` contains no questions: write one per line, such as {\"query\": "
        ));
    }

    #[test]
    fn an_answer_that_is_not_there_is_named() {
        let cases = [
            (
                "\"start_line\": 3, \"end_line\": 9",
                "has 6 lines, but the answer is given as 3 to 9",
            ),
            (
                "\"start_line\": 2, \"end_line\": 2",
                "has 6 lines, but the answer is given as 2 to 2",
            ),
            (
                "\"start_char\": 5, \"end_char\": 99",
                "has 46 characters, but the answer is given as 5 to 99",
            ),
            (
                "\"start_byte\": 4, \"end_byte\": 6",
                "has 48 bytes, but the answer is given as 4 to 6",
            ),
            (
                "\"start_char\": 5",
                "has an answer with only one of `start_char` and `end_char`",
            ),
            ("\"text\": \"coffee\"", "does not contain the text `coffee`"),
            ("\"text\": \" \"", "has an answer with an empty `text`"),
            (
                "\"text\": \"r\"",
                "contains the text `r` 2 times: quote more of it",
            ),
            (
                "\"quote\": \"tea\"",
                "has an answer with the unknown field `quote`, expected `text`, `start_line`, `start_char`, `start_byte` or none of them",
            ),
        ];
        for (place, message) in cases {
            let questions = answer(&format!("{{\"path\": \"é.md\", {place}}}"));
            assert_eq!(
                refused(&questions),
                format!("SET/queries.jsonl:1: `é.md` {message}")
            );
        }
    }

    #[test]
    fn a_set_without_its_parts_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let message = |folder: &Path, corpus: Option<&Path>| {
            let error = QuestionSet::read(folder, corpus).unwrap_err().to_string();
            let path = dir.path().canonicalize().unwrap();
            let error = error.replace(path.to_str().unwrap(), "SET");
            error.replace(dir.path().to_str().unwrap(), "SET")
        };
        assert_eq!(
            message(dir.path(), None),
            "`SET/queries.jsonl` does not exist: a question set is a folder with this file, one question per line"
        );
        let file = dir.path().join(QUESTIONS);
        fs::write(&file, "").unwrap();
        assert_eq!(
            message(dir.path(), None),
            "the folder `SET/corpus` does not exist: give the one with the documents as `--corpus`"
        );
        assert_eq!(
            message(&file, None),
            "`SET/queries.jsonl` is a file: give the folder that contains it"
        );
        assert_eq!(
            message(dir.path(), Some(&file)),
            "`SET/queries.jsonl` is a file: give the folder that contains it"
        );
    }
}
