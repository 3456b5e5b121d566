//! Reading documents, parts of them and chunks.

use super::Index;
use super::open::OpenIndex;
use crate::model::Result;
use crate::read::{DocumentText, ReadOptions, Reader, Target};

impl Index {
    /// Reads several targets from one state of the index. An error in one does not affect the
    /// others.
    pub fn read(&self, targets: &[Target], options: &ReadOptions) -> Vec<Result<DocumentText>> {
        let read = self.current(|open| open.read(targets, options));
        read.unwrap_or_else(|_| {
            let targets = targets.iter();
            targets.map(|target| self.get(target, options)).collect()
        })
    }

    /// Whether a document at this path may be read, whatever its source if `options` names none.
    ///
    /// # Errors
    ///
    /// When the index cannot be read.
    pub fn has_document(&self, path: &str, options: &ReadOptions) -> Result<bool> {
        self.current(|open| open.has_document(path, options))
    }

    /// Reads one target.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownDocument`](crate::Error::UnknownDocument) and
    /// [`Error::UnknownSection`](crate::Error::UnknownSection) with a suggestion,
    /// [`Error::AmbiguousDocument`](crate::Error::AmbiguousDocument),
    /// [`Error::UnknownChunk`](crate::Error::UnknownChunk),
    /// [`Error::AmbiguousChunk`](crate::Error::AmbiguousChunk), or
    /// [`Error::Lines`](crate::Error::Lines) when the document ends before the first line.
    pub fn get(&self, target: &Target, options: &ReadOptions) -> Result<DocumentText> {
        self.current(|open| open.get(target, options))
    }
}

impl OpenIndex {
    fn read(&self, targets: &[Target], options: &ReadOptions) -> Result<Vec<Result<DocumentText>>> {
        let at = self.at();
        let catalog = self.store.catalog().map_err(&at)?;
        let reader = Reader::new(&catalog);
        let read = targets
            .iter()
            .map(|target| reader.get(target, options).map_err(&at));
        Ok(read.collect())
    }

    fn has_document(&self, path: &str, options: &ReadOptions) -> Result<bool> {
        let at = self.at();
        let catalog = self.store.catalog().map_err(&at)?;
        Reader::new(&catalog).has(path, options).map_err(at)
    }

    fn get(&self, target: &Target, options: &ReadOptions) -> Result<DocumentText> {
        let at = self.at();
        let catalog = self.store.catalog().map_err(&at)?;
        Reader::new(&catalog).get(target, options).map_err(at)
    }
}
