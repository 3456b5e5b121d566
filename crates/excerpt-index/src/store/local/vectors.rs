//! The vectors of chunks: the database stores the numbers, the [`Codes`] find the near ones. Both
//! are updated here when the database changes.
//!
//! A vector belongs to a string and an embedder, whichever chunks have that string: a text that is
//! split again without changes, is moved, or comes back from another branch is not embedded again.
//! Codes of an embedder that still works serve until those of its successor are complete.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::ops::ControlFlow;

use excerpt_chunk::Hash;

use super::blocks::ChunkReader;
use super::codes::{self, ChangedCodes, Codes, Near, Stamp, Sums, code};
use super::collect::{keep_best, path_hash};
use super::merging::Merging;
use super::{PAGE, Store};
use crate::cores::scope_on_all_cores;
use crate::embed::{EmbedError, Embedder, always_there, embed_each};
use crate::fs::lock::WriteLock;
use crate::fs::{disk, layout};
use crate::model::{ChunkKey, DocumentId, NextVectors, Revision, VectorStatus};
use crate::store::StoreError;
use crate::store::ledger::Followed;
use crate::store::snapshot::QueryVector;
use crate::store::{Candidate, StoredChunk, StoredDocument};

/// After how many document changes vectors that no chunk uses are removed. Until then they are
/// available to texts that come back.
const SWEEP: u64 = 4_096;

/// The key of a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key(pub(super) [u8; 16]);

impl Key {
    pub(super) fn new(embedder: &str, input: &[u8]) -> Self {
        let identity = [embedder.as_bytes(), b"\0", input].concat();
        Key(Hash::of(&identity).0)
    }
}

impl Store {
    /// The codes by `embedder`, if there are any to search.
    pub(crate) fn codes(&self, embedder: &dyn Embedder) -> Option<&Codes> {
        self.codes.as_ref().filter(|codes| is_by(codes, embedder))
    }

    /// The codes of another embedder than the configured one, and that embedder, if it still works.
    pub(crate) fn former(
        &self,
        configured: &dyn Embedder,
    ) -> Option<(&Codes, &'static dyn Embedder)> {
        let codes = self
            .codes
            .as_ref()
            .filter(|codes| !is_by(codes, configured))?;
        let embedder = always_there(&codes.stamp().embedder)?;
        is_by(codes, embedder).then_some((codes, embedder))
    }

    /// The codes that will replace those that serve.
    fn next_codes(&self) -> Result<Option<Codes>, StoreError> {
        let codes = Codes::open(&self.dir, layout::NEXT_CODES, None).unwrap_or_default();
        match codes {
            Some(codes) if self.fit(&codes)? => Ok(Some(codes)),
            _ => Ok(None),
        }
    }

    /// The state of the vectors.
    pub(crate) fn vectors(&self) -> Result<VectorStatus, StoreError> {
        let (refused, refusal) = self.database.refused()?;
        let stamp = self.codes.as_ref().map(Codes::stamp);
        let next = |codes: Codes| -> Result<NextVectors, StoreError> {
            Ok(NextVectors {
                behind: self.database.changed_count(codes.stamp().rev)?,
                embedder: codes.stamp().embedder.clone(),
            })
        };
        Ok(VectorStatus {
            embedder: stamp.map(|stamp| stamp.embedder.clone()),
            behind: self
                .database
                .changed_count(stamp.map_or(Revision::default(), |stamp| stamp.rev))?,
            next: self.next_codes()?.map(next).transpose()?,
            refused,
            refusal,
            failure: self.database.failure()?,
        })
    }

    /// Opens the codes, if they can be used.
    pub(super) fn load_codes(&mut self) -> Result<(), StoreError> {
        let before = self.codes.take();
        self.codes = Codes::open(&self.dir, layout::CODES, before.as_ref()).unwrap_or_default();
        if !self.codes_fit()? {
            self.codes = None;
        }
        Ok(())
    }

    /// Whether there is a file of codes that is damaged or belongs to another database.
    pub(crate) fn has_unusable_codes(&self) -> bool {
        self.codes.is_none() && self.dir.join(layout::CODES).symlink_metadata().is_ok()
    }

    /// Picks up what another process may have changed: these codes, or the database that they are
    /// derived from.
    pub(super) fn refresh_codes(&mut self) -> Result<(), StoreError> {
        let known = self.codes.as_ref().map(Codes::sums);
        let is_known = known == Some(Sums::of(&self.dir, layout::CODES));
        if !is_known || !self.codes_fit()? {
            self.load_codes()?;
        }
        Ok(())
    }

    /// Whether there are usable codes.
    fn codes_fit(&self) -> Result<bool, StoreError> {
        match &self.codes {
            Some(codes) => self.fit(codes),
            None => Ok(false),
        }
    }

    /// Whether codes belong to this database and can be updated from their current state.
    fn fit(&self, codes: &Codes) -> Result<bool, StoreError> {
        let stamp = codes.stamp();
        let range = self.database.pruned()?..=self.database.rev()?;
        Ok(stamp.store == self.database.id()? && range.contains(&stamp.rev))
    }

    /// Computes the vectors of changed chunks. `progress` receives how many of how many documents
    /// are done, and may cancel: what is done by then is kept. If the codes of a
    /// [former](Store::former) embedder serve, they do so until everything is done. Meanwhile the
    /// keyword index is [sealed](Store::seal_merged) when `merging` ends.
    pub(crate) fn embed(
        &mut self,
        _lock: &WriteLock,
        embedder: &dyn Embedder,
        mut merging: Option<&mut Merging>,
        progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Result<Followed, StoreError> {
        self.refresh_codes()?;
        let target = self.database.rev()?;
        let next = self.succeeding_codes(embedder)?;
        let before = next.as_ref().or(self.codes(embedder));
        let rev = before.map_or(Revision::default(), |codes| codes.stamp().rev);
        if before.is_some() && rev == target && self.former(embedder).is_none() {
            self.drop_next();
            return Ok(Followed::Complete);
        }
        let is_sweep_due = before.is_none() || rev.0 / SWEEP != target.0 / SWEEP;
        let mut turn = |done, total| {
            if let Some(merging) = &mut merging {
                // If that fails, the next turn tries again.
                let _ = self.seal_merged(merging);
            }
            progress(done, total)
        };
        let Some(update) = self.embed_changed(embedder, rev, target, &mut turn)? else {
            return Ok(Followed::Broken);
        };
        let ended = self.write_codes(embedder, before, update)?;
        self.load_codes()?;
        if ended == Followed::Complete && is_sweep_due {
            self.database.keep_vectors_in_use(embedder.identity())?;
        }
        let failure = match &ended {
            Followed::Failed(error) => Some(error.to_string()),
            _ => None,
        };
        self.database.set_failure(failure.as_deref())?;
        Ok(ended)
    }

    /// The codes by `embedder` that will replace those of a [former](Store::former) one.
    fn succeeding_codes(&self, embedder: &dyn Embedder) -> Result<Option<Codes>, StoreError> {
        match self.former(embedder) {
            Some(_) => Ok(self.next_codes()?.filter(|codes| is_by(codes, embedder))),
            None => Ok(None),
        }
    }

    /// Embeds what has changed from `rev` to `target`; `None` if `progress` cancels it before it
    /// begins.
    fn embed_changed(
        &self,
        embedder: &dyn Embedder,
        rev: Revision,
        target: Revision,
        progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Result<Option<VectorUpdate>, StoreError> {
        let mut changes = ChangedCodes::new(&self.dir, self.database.removed(rev)?)?;
        let total = self.database.changed_count(rev)?;
        if progress(0, total).is_break() {
            return Ok(None);
        }
        let following = Following::new(self, embedder, rev);
        let ended = following.run(total, progress, &mut changes)?;
        let rev = match ended {
            Followed::Complete => target,
            _ => changes.last().unwrap_or(rev),
        };
        Ok(Some(VectorUpdate {
            rev,
            changes,
            ended,
        }))
    }

    /// Writes the codes `before` with what was changed, and returns how the update has ended. Until
    /// they are complete, those of a [former](Store::former) embedder stay.
    fn write_codes(
        &self,
        embedder: &dyn Embedder,
        before: Option<&Codes>,
        update: VectorUpdate,
    ) -> Result<Followed, StoreError> {
        let stamp = Stamp {
            store: self.database.id()?,
            embedder: embedder.identity().to_string(),
            dimensions: embedder.dimensions(),
            rev: update.rev,
            since: None,
        };
        let is_complete = update.ended == Followed::Complete;
        let name = match self.former(embedder).is_some() && !is_complete {
            true => layout::NEXT_CODES,
            false => layout::CODES,
        };
        codes::write(&self.dir, name, &stamp, before, update.changes)?;
        if name == layout::CODES {
            self.drop_next();
        }
        Ok(update.ended)
    }

    /// Removes the codes that would have replaced those that serve. If that fails, only disk space
    /// is lost.
    fn drop_next(&self) {
        let _ = disk::remove(&self.dir.join(layout::NEXT_CODES));
    }

    /// The cosine of a chunk's vector and that of a question: `Some(None)` when it has none, `None`
    /// when there is no such chunk, or its vector is lost.
    pub(crate) fn cosine(
        &self,
        vector: &QueryVector,
        chunks: &ChunkReader<'_>,
        key: ChunkKey,
    ) -> Result<Option<Option<f32>>, StoreError> {
        let Some(input) = chunks.input(key)? else {
            return Ok(None);
        };
        let look = |numbers: &[u8]| cosine(&vector.numbers, numbers);
        let found = self
            .database
            .vector(Key::new(&vector.embedder, &input), look)?;
        Ok(found.map(Option::flatten))
    }

    /// Of the chunks that are [near](Codes::nearest) to `vector`, the nearest by cosine, best
    /// first. One that the database lacks is omitted, or counts as damage if it [has them
    /// all](Store::is_whole).
    pub(crate) fn nearest(
        &self,
        vector: &QueryVector,
        chunks: &ChunkReader<'_>,
        near: Vec<Near>,
        limit: usize,
        is_whole: bool,
    ) -> Result<Vec<Candidate>, StoreError> {
        let mut found = Vec::new();
        for near in near {
            let compared = self.cosine(vector, chunks, near.key)?;
            if compared.is_none() && is_whole {
                return Err(StoreError::Torn);
            }
            // One without a vector, or with a zero vector, is near nothing.
            if let Some(score) = compared.flatten() {
                found.push(Candidate {
                    key: near.key,
                    path_hash: near.path_hash,
                    rev: near.rev,
                    score,
                });
            }
        }
        keep_best(&mut found, limit, Candidate::order);
        found.sort_unstable_by(Candidate::order);
        Ok(found)
    }
}

/// What an update of the vectors has changed.
struct VectorUpdate {
    /// The state of the index that the codes have caught up with.
    rev: Revision,
    changes: ChangedCodes,
    ended: Followed,
}

/// A document whose chunks may lack vectors.
struct Lacking {
    document: DocumentId,
    rev: Revision,
    path_hash: u64,
    /// The keys of its chunks.
    keys: Vec<Key>,
}

/// Documents in the order of change, and the codes that they wait for.
#[derive(Default)]
struct LackingDocuments {
    queue: VecDeque<Lacking>,
    codes: HashMap<Key, NeededCode>,
    /// How many keys of the first document have codes, at least.
    coded: usize,
    /// How many codes were looked up.
    #[cfg(test)]
    looked_up: usize,
}

/// A code, if it exists yet, and how many chunks of the documents have it. A code that is needed
/// again later is read from where it is stored.
#[derive(Default)]
struct NeededCode {
    code: Option<Vec<u64>>,
    chunks: usize,
}

impl LackingDocuments {
    fn needs(&self, key: Key) -> bool {
        self.codes.contains_key(&key)
    }

    /// Adds a document, whose codes are to be set.
    fn push(&mut self, lacking: Lacking) {
        for key in &lacking.keys {
            self.codes.entry(*key).or_default().chunks += 1;
        }
        self.queue.push_back(lacking);
    }

    fn set(&mut self, key: Key, code: Option<Vec<u64>>) {
        self.codes.entry(key).or_default().code = code;
    }

    /// Hands the first document over, with its codes, if it has all of them. Looks only at those
    /// that were missing the last time.
    fn pop<E>(
        &mut self,
        take: impl FnOnce(&Lacking, &[&[u64]]) -> Result<(), E>,
    ) -> Result<bool, E> {
        let Some(first) = self.queue.front() else {
            return Ok(false);
        };
        let codes = &self.codes;
        let code = |key: &Key| codes.get(key)?.code.as_deref();
        while let Some(key) = first.keys.get(self.coded) {
            #[cfg(test)]
            (self.looked_up += 1);
            if code(key).is_none() {
                return Ok(false);
            }
            self.coded += 1;
        }
        let codes: Vec<&[u64]> = first.keys.iter().filter_map(code).collect();
        take(first, &codes)?;
        self.coded = 0;
        for key in self.queue.pop_front().into_iter().flat_map(|it| it.keys) {
            if let Entry::Occupied(mut needed) = self.codes.entry(key) {
                needed.get_mut().chunks -= 1;
                if needed.get().chunks == 0 {
                    needed.remove();
                }
            }
        }
        Ok(true)
    }
}

/// The changed documents of a store, and the vectors that their chunks lack.
struct Following<'a> {
    store: &'a Store,
    embedder: &'a dyn Embedder,
    /// The ids of changed documents still to be read, the `rev` of the last one requested, and
    /// whether that is the last of all.
    ids: VecDeque<DocumentId>,
    rev: Revision,
    is_last: bool,
    /// Documents that were read.
    documents: LackingDocuments,
    /// The texts to embed.
    waiting: VecDeque<(Key, String)>,
}

impl<'a> Following<'a> {
    fn new(store: &'a Store, embedder: &'a dyn Embedder, rev: Revision) -> Self {
        Following {
            store,
            embedder,
            ids: VecDeque::new(),
            rev,
            is_last: false,
            documents: LackingDocuments::default(),
            waiting: VecDeque::new(),
        }
    }

    /// Embeds what is missing until everything is done, the embedder fails, or `progress`, which
    /// receives how many of the `total` documents are done, cancels. Adds the codes of the complete
    /// documents to `changes`.
    fn run(
        mut self,
        total: usize,
        progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
        changes: &mut ChangedCodes,
    ) -> Result<Followed, StoreError> {
        let mut embedded = Embedded::default();
        let mut done = 0;
        self.read()?;
        let ended = loop {
            embedded = self.embed_next(&embedded)?;
            done += self.complete(changes)?;
            let is_through = embedded.is_empty() && self.is_through();
            let flow = progress(done, total);
            if is_through {
                break Followed::Complete;
            }
            if let Some(error) = embedded.failure.take() {
                break Followed::Failed(error);
            }
            if flow.is_break() {
                break Followed::Broken;
            }
        };
        self.keep(&embedded)?;
        self.complete(changes)?;
        Ok(ended)
    }

    /// Embeds a batch on all cores while this thread writes the `previous` one and reads ahead.
    fn embed_next(&mut self, previous: &Embedded) -> Result<Embedded, StoreError> {
        let (embedder, batch) = (self.embedder, self.batch());
        let mut next = Embedded::default();
        scope_on_all_cores(|scope| {
            scope.spawn(|_| next = embedded_by(embedder, &batch));
            self.keep(previous)?;
            self.read()
        })?;
        Ok(next)
    }

    /// Reads ahead, at most a page of documents, until there is a batch to embed.
    fn read(&mut self) -> Result<(), StoreError> {
        if self.ids.is_empty() {
            let page = self.store.database.changed(self.rev, PAGE)?;
            self.is_last = page.len() < PAGE;
            self.rev = page.last().map_or(self.rev, |(_, rev)| *rev);
            self.ids.extend(page.into_iter().map(|(id, _)| id));
        }
        while self.waiting.len() < self.embedder.at_once()
            && let Some(id) = self.ids.pop_front()
        {
            self.add(id)?;
        }
        Ok(())
    }

    /// Adds a document.
    fn add(&mut self, id: DocumentId) -> Result<(), StoreError> {
        let database = &self.store.database;
        let Some(document) = database.document(id)? else {
            return Ok(());
        };
        let mut text = None;
        let mut keys = Vec::new();
        for chunk in database.chunks(id)? {
            let key = Key::new(self.embedder.identity(), &chunk.input.0);
            keys.push(key);
            if !self.documents.needs(key) {
                self.add_chunk(key, &document, &chunk, &mut text)?;
            }
        }
        self.documents.push(Lacking {
            document: id,
            rev: document.rev,
            path_hash: path_hash(&document.path),
            keys,
        });
        Ok(())
    }

    /// Reads the code of a chunk, or adds its text to those to embed. `text` is that of the
    /// document, once it has been read.
    fn add_chunk(
        &mut self,
        key: Key,
        document: &StoredDocument,
        chunk: &StoredChunk,
        text: &mut Option<String>,
    ) -> Result<(), StoreError> {
        let database = &self.store.database;
        let known = database.vector(key, |numbers| code(&signed(numbers)))?;
        if known.is_none() {
            let text = match text {
                Some(text) => text,
                None => text.insert(database.text(document.text)?),
            };
            let embedded = chunk.embedded(text);
            let embedded = embedded.ok_or(StoreError::Value("a chunk outside its text"))?;
            self.waiting.push_back((key, embedded.into_owned()));
        }
        let code = known.map(|code| code.unwrap_or_else(|| self.no_code()));
        self.documents.set(key, code);
        Ok(())
    }

    /// The code of a text that gets no vector.
    fn no_code(&self) -> Vec<u64> {
        code(&vec![0; self.embedder.dimensions()])
    }

    /// Some of the texts to embed.
    fn batch(&mut self) -> Vec<(Key, String)> {
        let count = self.waiting.len().min(self.embedder.at_once());
        self.waiting.drain(..count).collect()
    }

    /// Stores the vectors of a batch.
    fn keep(&mut self, embedded: &Embedded) -> Result<(), StoreError> {
        if embedded.is_empty() {
            return Ok(());
        }
        let Embedded {
            vectors, refused, ..
        } = embedded;
        self.store.database.put_vectors(vectors, refused)?;
        for (key, numbers) in vectors {
            self.documents.set(*key, Some(code(numbers)));
        }
        for (key, _) in refused {
            self.documents.set(*key, Some(self.no_code()));
        }
        Ok(())
    }

    /// Moves the codes of the next complete documents to `changes`, and returns how many documents
    /// those are.
    fn complete(&mut self, changes: &mut ChangedCodes) -> Result<usize, StoreError> {
        let mut count = 0;
        while self.documents.pop(|document, codes| {
            changes.put(document.document, document.rev, document.path_hash, codes)
        })? {
            count += 1;
        }
        Ok(count)
    }

    /// Whether nothing is left to read or embed.
    fn is_through(&self) -> bool {
        self.is_last && self.ids.is_empty() && self.documents.queue.is_empty()
    }
}

/// The result of a batch.
#[derive(Default)]
struct Embedded {
    vectors: Vec<(Key, Vec<i8>)>,
    /// The texts that the embedder rejects, and why.
    refused: Vec<(Key, String)>,
    /// Why it returned no vectors for the rest.
    failure: Option<EmbedError>,
}

impl Embedded {
    fn is_empty(&self) -> bool {
        self.vectors.is_empty() && self.refused.is_empty() && self.failure.is_none()
    }
}

/// Embeds a batch.
fn embedded_by(embedder: &dyn Embedder, batch: &[(Key, String)]) -> Embedded {
    let mut embedded = Embedded::default();
    let texts: Vec<&str> = batch.iter().map(|(_, text)| &**text).collect();
    let ended = embed_each(embedder, &texts, |text, vector| {
        let key = batch[text].0;
        match vector {
            Ok(vector) => embedded.vectors.push((key, rounded(vector))),
            Err(reason) => embedded.refused.push((key, reason)),
        }
    });
    embedded.failure = ended.err();
    embedded
}

/// Whether codes are from an embedder.
fn is_by(codes: &Codes, embedder: &dyn Embedder) -> bool {
    let stamp = codes.stamp();
    stamp.embedder == embedder.identity() && stamp.dimensions == embedder.dimensions()
}

/// A vector in bytes: the largest of its numbers becomes 127. Only its direction is kept.
fn rounded(vector: &[f32]) -> Vec<i8> {
    let largest = vector
        .iter()
        .fold(0.0_f32, |most, number| most.max(number.abs()));
    let scale = if largest > 0.0 { 127.0 / largest } else { 0.0 };
    vector
        .iter()
        .map(|number| (number * scale).round() as i8)
        .collect()
}

/// The stored numbers of a vector.
fn signed(numbers: &[u8]) -> Vec<i8> {
    numbers.iter().map(|number| number.cast_signed()).collect()
}

/// The cosine of a vector of unit length and a stored one; `None` when the stored one is zero, or
/// their lengths differ.
fn cosine(query: &[f32], numbers: &[u8]) -> Option<f32> {
    if query.len() != numbers.len() {
        return None;
    }
    let pairs = || {
        query
            .iter()
            .zip(numbers)
            .map(|(query, number)| (query, f32::from(number.cast_signed())))
    };
    let dot: f32 = pairs().map(|(query, number)| query * number).sum();
    let square: f32 = pairs().map(|(_, number)| number * number).sum();
    (square > 0.0).then(|| dot / square.sqrt())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::model::{Progress, Stage, SyncOptions};
    use crate::{Index, OpenOptions};

    #[test]
    fn a_rounded_vector_keeps_its_direction() {
        let vector = [0.6, -0.8, 0.0, 0.001];
        let kept: Vec<u8> = rounded(&vector)
            .iter()
            .map(|number| number.cast_unsigned())
            .collect();
        let near = cosine(&vector, &kept).unwrap();
        assert!((near - 1.0).abs() < 1e-4, "{near}");
        let opposite = [-0.6, 0.8, 0.0, -0.001];
        assert!((cosine(&opposite, &kept).unwrap() + 1.0).abs() < 1e-4);
        assert_eq!(cosine(&vector, &[0; 4]), None);
        assert_eq!(cosine(&vector, &kept[..3]), None);
    }

    #[test]
    fn four_times_the_chunks_are_four_times_the_look_ups() {
        let work = |chunks: usize| {
            let keys = (0..chunks).map(|number| Key::new("", &number.to_le_bytes()));
            let keys: Vec<Key> = keys.collect();
            let lacking = |id, keys: &[Key]| Lacking {
                document: DocumentId(id),
                rev: Revision(id),
                path_hash: id,
                keys: keys.to_vec(),
            };
            let mut documents = LackingDocuments::default();
            documents.push(lacking(1, &keys));
            documents.push(lacking(2, &keys[..1]));
            let mut popped = Vec::new();
            for (number, key) in keys.iter().enumerate() {
                documents.set(*key, Some(vec![number as u64]));
                while documents
                    .pop(|document, codes| {
                        popped.push((document.document.0, codes.len(), codes[codes.len() - 1][0]));
                        Ok::<(), ()>(())
                    })
                    .unwrap()
                {}
                // No code is dropped that a document waits for.
                assert_eq!(popped.is_empty(), number + 1 < chunks);
            }
            assert_eq!(popped, [(1, chunks, chunks as u64 - 1), (2, 1, 0)]);
            assert!(documents.codes.is_empty());
            documents.looked_up
        };
        let (few, many) = (work(100), work(400));
        assert!(many <= 4 * few, "{few} and {many}");
    }

    fn sync(root: &Path, dir: &Path, most_told: usize) {
        let mut index = Index::open(dir, OpenOptions::create()).unwrap();
        let mut told = 0;
        let progress = |progress: Progress| {
            told += usize::from(progress.stage == Stage::Vectors);
            match told > most_told {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        };
        index.sync(root, &SyncOptions::default(), progress).unwrap();
    }

    /// The codes of each document, by path, and how many vectors there are.
    fn content(dir: &Path) -> (BTreeMap<String, Vec<u64>>, usize) {
        let store = Store::open(dir).unwrap();
        let codes = store.codes.as_ref().unwrap();
        assert_eq!(codes.stamp().rev, store.database.rev().unwrap());
        let groups = codes.groups().into_iter().map(|(id, group)| {
            let document = store.database.document(id).unwrap().unwrap();
            assert_eq!(document.rev, group.rev);
            (document.path, group.words)
        });
        let groups = groups.collect();
        let sql = "SELECT count(*) FROM vector";
        let count = |row: &rusqlite::Row<'_>| row.get::<_, u32>(0);
        let vectors = store.database.connection.query_row(sql, [], count).unwrap();
        (groups, vectors as usize)
    }

    #[test]
    fn after_many_changes_the_codes_are_those_of_a_new_index() {
        let dir = tempfile::tempdir().unwrap();
        let [root, index, new] = ["notes", "index", "new"].map(|name| dir.path().join(name));
        fs::create_dir(&root).unwrap();
        let write = |name: usize, words: &str| {
            let text = format!("# Note {name}\n\nIt tells of {words} and of {name}.\n");
            fs::write(root.join(format!("{name}.md")), text).unwrap();
        };
        (0..700).for_each(|name| write(name, "tea"));
        // Cancelled repeatedly between changes.
        for most in [1, 0, 2] {
            sync(&root, &index, most);
            write(most * 100, "coffee and milk");
            fs::remove_file(root.join(format!("{}.md", 50 + most))).unwrap();
        }
        sync(&root, &index, usize::MAX);
        fs::rename(root.join("600.md"), root.join("moved.md")).unwrap();
        (300..320).for_each(|name| write(name, "water"));
        write(51, "what comes back");
        sync(&root, &index, usize::MAX);

        sync(&root, &new, usize::MAX);
        let ((groups, vectors), (expected, fewest)) = (content(&index), content(&new));
        assert_eq!(groups.len(), 698);
        assert!(groups == expected, "other codes than those of a new index");
        assert!(groups.values().all(|words| !words.is_empty()));
        // Unused vectors are kept for a while, and removed when the codes are rebuilt.
        assert!(vectors > fewest, "{vectors} {fewest}");
        fs::remove_file(index.join(layout::CODES)).unwrap();
        sync(&root, &index, usize::MAX);
        assert!(content(&index) == content(&new));
    }

    #[test]
    fn a_key_depends_on_the_embedder_and_the_string() {
        let key = |embedder, input: &str| Key::new(embedder, input.as_bytes());
        assert_eq!(key("a", "text"), key("a", "text"));
        assert_ne!(key("a", "text"), key("b", "text"));
        assert_ne!(key("a", "text"), key("a", "texts"));
    }
}
