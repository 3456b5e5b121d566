//! The documents of a question set.

use std::path::Path;

use crate::model::{Result, Selection, SourceId};
use crate::source::{Entries, Entry, Files, ListItem, Reading, Source};

/// The files under a folder, without those in the folder of the questions, which contain the
/// questions themselves.
#[derive(Clone, Debug)]
pub(super) struct Corpus {
    files: Files,
    /// The folder of the questions, if it is inside.
    own: Option<String>,
}

impl Corpus {
    /// The documents in `folder`, for the questions in `questions`; both are absolute.
    pub(super) fn new(folder: &Path, questions: &Path) -> Result<Self> {
        let own = questions.strip_prefix(folder).ok();
        Ok(Corpus {
            files: Files::selected(folder, &Selection::default())?,
            own: own.and_then(Path::to_str).map(|own| own.replace('\\', "/")),
        })
    }

    /// Whether a document is in the folder of the questions.
    pub(super) fn is_own(&self, path: &str) -> bool {
        let inside = |own: &String| path.strip_prefix(&**own);
        let rest = self.own.as_ref().and_then(inside);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

impl Source for Corpus {
    fn id(&self) -> &SourceId {
        self.files.id()
    }

    fn entries(&self) -> Result<Entries<'_>> {
        let entries = self.files.entries()?.filter(|listed| match listed {
            Ok(ListItem::Document(entry)) => !self.is_own(&entry.path),
            Ok(ListItem::Skip(skip)) => !self.is_own(&skip.path),
            Err(_) => true,
        });
        Ok(Entries::new(entries))
    }

    fn read(&self, entry: &Entry) -> Reading {
        self.files.read(entry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::conformance::conforms;

    #[test]
    fn a_corpus_keeps_the_promises_of_a_source() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for path in ["a.md", "b/c.md", "questions/queries.jsonl"] {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "tea").unwrap();
        }
        let corpus = Corpus::new(&root, &root.join("questions")).unwrap();
        conforms(&corpus);
        assert_eq!(corpus.list().unwrap().entries.len(), 2);
    }
}
