//! [`Index`]: all that a face calls.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use excerpt_chunk::{Hash, LineIndex};
use sha2::{Digest, Sha256};

use crate::closest::Closest;
use crate::embed::{Embedder, StaticTable};
use crate::error::{Error, Result};
use crate::lock::WriteLock;
use crate::model::{
    Answer, Check, DocumentText, Keywords, LastSync, Note, Progress, Query, Skip, SourceStatus,
    Status, SyncOptions, SyncReport,
};
use crate::search::{search, segments};
use crate::source::{Files, Source};
use crate::store::{Fault, Store, StoredDocument};
use crate::sync::Sync;

/// How an index is opened.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct OpenOptions {
    /// Whether to make the index if there is none. Default: no.
    pub create: bool,
}

impl OpenOptions {
    /// To make the index if there is none.
    #[must_use]
    pub fn create() -> Self {
        OpenOptions { create: true }
    }
}

/// An index on disk.
///
/// Any number of them may read the same directory, in this process and in others, while one writes. An `Index` may be sent to
/// another thread, but not be shared by several: open one for each.
pub struct Index {
    store: Store,
    /// What makes the vectors; none when they are switched off.
    embedder: Option<Arc<dyn Embedder>>,
    /// Whether the keyword index had to be made again since the last answer.
    rebuilt: bool,
    /// Whether the last sync was broken off: whoever did not want to wait for that does not wait for the keyword index either.
    hurried: bool,
}

impl Index {
    /// Opens the index in `dir`. If its keyword index is behind, missing or damaged, and nobody else writes, it is mended first.
    ///
    /// # Errors
    ///
    /// [`Error::NotFound`] when there is no index and none is to be made; [`Error::NotAnIndex`], [`Error::Foreign`],
    /// [`Error::Newer`] and [`Error::Damaged`] when what is there cannot be used.
    pub fn open(dir: &Path, options: OpenOptions) -> Result<Self> {
        let store = match options.create {
            true => Store::create(dir)?,
            false => Store::open(dir)?,
        };
        let mut index = Index {
            store,
            embedder: Some(Arc::new(StaticTable::built_in()?)),
            rebuilt: false,
            hurried: false,
        };
        index.step()?;
        Ok(index)
    }

    /// Sets what makes the vectors of chunks and questions; with none, the index answers by keywords alone, and what vectors it holds stay. Default: the
    /// [`StaticTable`] that is built in.
    #[must_use]
    pub fn with_embedder(self, embedder: Option<Arc<dyn Embedder>>) -> Self {
        Index { embedder, ..self }
    }

    /// What makes the vectors; none when they are switched off.
    #[must_use]
    pub fn embedder(&self) -> Option<&dyn Embedder> {
        self.embedder.as_deref()
    }

    /// Brings the index in step with the folder (or file) at `root`. `progress` is told how far it is, and may break off: what is
    /// done until then stays, and the next sync goes on from there. A sync that is broken off while it cuts goes on to the keyword index,
    /// so that what was cut is found, unless it is broken off there too.
    ///
    /// # Errors
    ///
    /// [`Error::Locked`] while another process writes; [`Error::Source`] when the root cannot be read, and nothing was changed.
    pub fn sync(
        &mut self,
        root: &Path,
        options: &SyncOptions,
        progress: impl FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<SyncReport> {
        self.sync_source(&Files::new(root, options.max_file_size)?, options, progress)
    }

    /// Brings the index in step with a source, as [`Index::sync`] does with a folder.
    ///
    /// # Errors
    ///
    /// As [`Index::sync`].
    pub fn sync_source(
        &mut self,
        source: &dyn Source,
        options: &SyncOptions,
        mut progress: impl FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<SyncReport> {
        let lock = WriteLock::acquire(self.store.dir())?;
        let rebuilt = self.store.refresh_locked(&lock).map_err(self.at())?;
        let dir = self.store.dir().to_path_buf();
        let embedder = self.embedder.as_deref();
        let sync = Sync::new(
            &mut self.store,
            &lock,
            source,
            options,
            embedder,
            &mut progress,
        )?;
        let report = sync.run().map_err(|fault| fault.at(&dir))?;
        self.rebuilt |= rebuilt;
        self.hurried = !report.complete;
        Ok(report)
    }

    /// Answers a query from what is indexed.
    ///
    /// # Errors
    ///
    /// [`Error::EmptyQuery`] for a query without a word, [`Error::UnknownSource`] for a filter on a source that is not there, and as [`Ranking::check`].
    ///
    /// [`Ranking::check`]: crate::Ranking::check
    pub fn search(&mut self, query: &Query) -> Result<Answer> {
        query.ranking.check()?;
        let behind = self.step()?;
        let embedder = self.embedder.as_deref();
        let found = match search(&self.store, embedder, query) {
            // A file went bad while the index was open: mend it and ask once more.
            Err(Fault::Keywords(_)) => {
                self.store.distrust();
                self.hurried = false;
                self.step()?;
                search(&self.store, self.embedder.as_deref(), query)
            }
            found => found,
        };
        let mut answer = found.map_err(self.at())?;
        answer.notes.extend(behind);
        if std::mem::take(&mut self.rebuilt) {
            answer.notes.push(Note::Rebuilt);
        }
        Ok(answer)
    }

    /// The text of the document at `path`, or its `lines` (first and last, from 1). `source` is the root of its source; without
    /// it, only one source may have such a document.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownDocument`] with the path that was probably meant, [`Error::AmbiguousDocument`], or [`Error::Lines`] when
    /// the document ends before the first line.
    pub fn get(
        &self,
        source: Option<&Path>,
        path: &str,
        lines: Option<(usize, usize)>,
    ) -> Result<DocumentText> {
        let document = self.find(source, path)?;
        let text = self.store.truth.text(document.text).map_err(self.at())?;
        let index = LineIndex::new(&text);
        let (first, last) = lines.unwrap_or((1, usize::MAX));
        let wrong = first == 0 || last < first || (first > index.len() && lines.is_some());
        if wrong {
            return Err(Error::Lines {
                path: document.path,
                first,
                last,
                count: index.len(),
            });
        }
        let bytes = index.lines(first, last);
        Ok(DocumentText {
            source: PathBuf::from(document.root),
            path: document.path,
            title: document.title,
            first_heading: document.first_heading,
            metadata: document.metadata,
            span: index.span(bytes.clone()),
            lines_total: index.len(),
            text: text[bytes].to_string(),
        })
    }

    fn find(&self, source: Option<&Path>, path: &str) -> Result<StoredDocument> {
        let path = segments(path);
        let mut found = self.store.truth.documents_at(&path).map_err(self.at())?;
        let wanted = |document: &StoredDocument| {
            source.is_none_or(|root| root.as_os_str() == &*document.root)
        };
        found.retain(wanted);
        match found.len() {
            0 => Err(self.unknown(source, path)?),
            1 => Ok(found.remove(0)),
            _ => Err(Error::AmbiguousDocument {
                path,
                sources: found
                    .into_iter()
                    .map(|document| document.root.into())
                    .collect(),
            }),
        }
    }

    /// Why a document was not found.
    fn unknown(&self, source: Option<&Path>, path: String) -> Result<Error> {
        let sources = self.store.truth.sources().map_err(self.at())?;
        let id = match source {
            None => None,
            Some(root) => match sources
                .iter()
                .find(|(_, known, _)| root.as_os_str() == &**known)
            {
                Some((id, ..)) => Some(*id),
                None => {
                    return Ok(Error::UnknownSource {
                        path: root.into(),
                        sources: sources
                            .into_iter()
                            .map(|(_, root, _)| root.into())
                            .collect(),
                    });
                }
            },
        };
        let mut closest = Closest::new(&path);
        self.store
            .truth
            .each_path(id, |known| closest.offer(known))
            .map_err(self.at())?;
        let closest = closest.found();
        Ok(Error::UnknownDocument { path, closest })
    }

    /// What the index holds and how it is, read from the store itself.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn status(&self) -> Result<Status> {
        self.read_status().map_err(self.at())
    }

    fn read_status(&self) -> Result<Status, Fault> {
        let truth = &self.store.truth;
        let mut sources = Vec::new();
        for (id, root, last_sync) in truth.sources()? {
            let counts = truth.counts(id)?;
            sources.push(SourceStatus {
                root: root.into(),
                documents: counts.documents,
                chunks: counts.chunks,
                last_sync,
                skipped: truth.skip_counts(id)?,
            });
        }
        Ok(Status {
            documents: sources.iter().map(|source| source.documents).sum(),
            chunks: sources.iter().map(|source| source.chunks).sum(),
            sources,
            text_bytes: truth.text_bytes()?,
            disk_bytes: self.store.disk_bytes(),
            keywords: self.store.keywords()?,
            vectors: self.store.vectors()?,
        })
    }

    /// The last sync of the source at `root`; none before the first one has begun to write.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn last_sync(&self, root: &Path) -> Result<Option<LastSync>> {
        let truth = &self.store.truth;
        let root = root.to_string_lossy();
        let read = || match truth.source(&root)? {
            Some(source) => truth.last_sync(source),
            None => Ok(None),
        };
        read().map_err(self.at())
    }

    /// The mean size of a chunk with its context, in the unit of the configuration; 0 without chunks.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn mean_size(&self) -> Result<f64> {
        self.read_mean_size().map_err(self.at())
    }

    fn read_mean_size(&self) -> Result<f64, Fault> {
        let truth = &self.store.truth;
        let (mut chunks, mut sum) = (0, 0);
        for document in truth.chunk_counts()?.into_keys() {
            for chunk in truth.chunks(document.cast_signed())? {
                chunks += 1;
                sum += chunk.tokens;
            }
        }
        Ok(sum as f64 / f64::from(chunks.max(1)))
    }

    /// How many documents are searched: those that the keyword index holds as they are.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn searched(&self) -> Result<usize> {
        self.store.followed().map_err(self.at())
    }

    /// What the last complete sync of the source at `root` left out, by path.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownSource`] when the index has no such source.
    pub fn skips(&self, root: &Path) -> Result<Vec<Skip>> {
        let sources = self.store.truth.sources().map_err(self.at())?;
        match sources
            .iter()
            .find(|(_, known, _)| root.as_os_str() == &**known)
        {
            Some((id, ..)) => {
                let rows = self.store.truth.skips(*id).map_err(self.at())?;
                Ok(rows.into_iter().map(|row| row.skip).collect())
            }
            None => Err(Error::UnknownSource {
                path: root.into(),
                sources: sources
                    .into_iter()
                    .map(|(_, root, _)| root.into())
                    .collect(),
            }),
        }
    }

    /// A hash over all documents and chunks: equal for two indexes with the same content, however they came to it.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn fingerprint(&self) -> Result<Hash> {
        let mut digest = Fingerprint::default();
        self.store
            .truth
            .each_value(|value| digest.add(value))
            .map_err(self.at())?;
        Ok(digest.end())
    }

    /// Compares the keyword index with the rest, chunk by chunk.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn check(&self) -> Result<Check> {
        self.compare().map_err(self.at())
    }

    fn compare(&self) -> Result<Check, Fault> {
        let truth = self.store.truth.chunk_counts()?;
        let mut keywords = match self.store.lexical() {
            Some(lexical) => lexical.chunk_counts()?,
            None => Default::default(),
        };
        let mut check = Check {
            documents: truth.len(),
            ..Check::default()
        };
        for (document, (rev, chunks)) in truth {
            check.chunks += chunks;
            let held = keywords
                .remove(&(document, rev.unsigned_abs()))
                .unwrap_or(0);
            check.differing += usize::from(held != chunks);
        }
        check.surplus = keywords.len();
        Ok(check)
    }

    /// Brings the keyword index in step if this process may, and says so if it may not.
    fn step(&mut self) -> Result<Option<Note>> {
        if self.store.refresh().map_err(self.at())? == Keywords::InStep {
            return Ok(None);
        }
        if self.hurried {
            return Ok(Some(Note::Behind { holder: None }));
        }
        match self.store.heal() {
            Ok(rebuilt) => {
                self.rebuilt |= rebuilt;
                Ok(None)
            }
            Err(Fault::Told(Error::Locked { holder, .. })) => Ok(Some(Note::Behind { holder })),
            // An index that may only be read answers from what is there.
            Err(Fault::Told(Error::Io { .. })) => Ok(Some(Note::Behind { holder: None })),
            Err(fault) => Err(fault.at(self.store.dir())),
        }
    }

    fn at(&self) -> impl Fn(Fault) -> Error + use<> {
        let dir = self.store.dir().to_path_buf();
        move |fault| fault.at(&dir)
    }
}

/// A hash over a list of values, each as a whole.
#[derive(Default)]
struct Fingerprint(Sha256);

impl Fingerprint {
    fn add(&mut self, value: &[u8]) {
        self.0.update((value.len() as u64).to_le_bytes());
        self.0.update(value);
    }

    fn end(self) -> Hash {
        let mut short = [0; 16];
        short.copy_from_slice(&self.0.finalize()[..16]);
        Hash(short)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_may_go_to_another_thread() {
        fn sendable<T: Send>() {}
        sendable::<Index>();
    }

    #[test]
    fn values_are_hashed_one_by_one() {
        let hash = |values: &[&str]| {
            let mut digest = Fingerprint::default();
            values.iter().for_each(|value| digest.add(value.as_bytes()));
            digest.end()
        };
        assert_ne!(hash(&["ab", "c"]), hash(&["a", "bc"]));
    }
}
