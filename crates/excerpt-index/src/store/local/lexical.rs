//! The keyword index: a tantivy index next to the database, derived from it and disposable. It
//! contains the terms of every chunk, but not the texts; a match is the id of a document and an
//! ordinal, to be looked up in the database.

use std::collections::{BTreeMap, HashSet};
use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use excerpt_chunk::Hash;
use serde::{Deserialize, Serialize};
use tantivy::directory::error::LockError;
use tantivy::index::SegmentMeta;
use tantivy::indexer::{IndexWriterOptions, LogMergePolicy, MergeCandidate, MergePolicy};
use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::{
    FutureResult, IndexReader, IndexSettings, IndexWriter, ReloadPolicy, TantivyDocument,
    TantivyError, Term,
};

use super::collect::path_hash;
use super::derived::Derived;
use super::guard::guarded;
use super::keywords::Searched;
use super::statistics::Counts;
use super::tokenizer;
use super::waiting::{Room, Waiting};
use crate::analysis;
use crate::fs::disk;
use crate::model::{DocumentId, Revision};
use crate::store::StoreError;
use crate::store::{Documents, StoredChunk, StoredDocument};

pub(super) const DOCUMENT: &str = "document";
pub(super) const PATH_HASH: &str = "path_hash";
pub(super) const ORDINAL: &str = "ordinal";
pub(super) const REV: &str = "rev";

/// The memory in which a writer collects terms, over all its threads.
const HEAP: usize = 32 << 20;

/// How many bytes of texts may wait for those threads, which take about a second for them.
const MOST_WAITING: usize = 4 << 20;

/// Files with more bytes in total are not read in full each time they are opened, only when their
/// metadata differs from when they were written, before a change that may merge them, and by
/// `excerpt doctor`. Reading this many takes 2 ms.
const READ_ALWAYS: u64 = 16 << 20;

/// How many threads analyze text.
const THREADS: usize = 2;

/// A change of at most this many documents is small: it does not wait until large segments are
/// merged, which takes seconds.
const SMALL_CHANGE: usize = 64;

/// The chunks of the largest segment that a small change merges. Merging eight of them takes a
/// third of a second: some 80 µs of CPU time for each chunk.
const SMALL_SEGMENT: usize = 500;

/// How long to wait for the lock of the keyword index. Who holds that of the whole index finds it
/// taken only as long as a process that this one has just started is still a copy of it.
const LOCK_PATIENCE: Duration = Duration::from_secs(5);
const LOCK_RETRY: Duration = Duration::from_millis(5);

/// With more segments than this, large ones are merged even after small changes: a search looks
/// into each.
const MANY_SEGMENTS: usize = 32;

/// The segments of about one size that a large change leaves before it merges them: merged eight at
/// a time while they come, as tantivy does, each chunk would be merged two or three times.
const SEGMENTS_BEFORE_MERGE: usize = 256;

/// What a keyword index is derived from, and up to which `rev`. It is part of tantivy's commit, so
/// it always matches what is committed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stamp {
    /// The id of the database.
    pub(crate) store: String,
    /// The version of the analysis.
    pub(crate) analysis: u32,
    /// The `rev` of the last change in it.
    pub(crate) rev: Revision,
}

/// What the files of a keyword index look like when they are known to be sound.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seal {
    /// A hash over their metadata and over what tantivy records about them: while it is unchanged,
    /// they are sound without being read. `None` before they were first written.
    pub(crate) metadata: Option<Hash>,
    /// The end of each file, which contains tantivy's checksum of the rest: so a file is not taken
    /// for another one whose own checksum is right.
    pub(crate) ends: BTreeMap<String, Hash>,
}

/// Whether a sealed keyword index is opened without being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// If it is large.
    Sealed,
    /// The same, but what a small change may put into new files is read.
    SealedButSmall,
    Nothing,
}

/// The fields of a chunk's entry.
#[derive(Clone, Copy)]
pub(super) struct Fields {
    pub(super) text: Field,
    pub(super) place: Field,
    pub(super) inside: Field,
    pub(super) defines: Field,
    pub(super) path: Field,
    document: Field,
    path_hash: Field,
    ordinal: Field,
    rev: Field,
}

impl Fields {
    /// Those with the words of a chunk.
    pub(super) fn of_words(self) -> [Field; 4] {
        [self.text, self.place, self.inside, self.path]
    }
}

/// A keyword index on disk.
pub(crate) struct Lexical {
    index: tantivy::Index,
    reader: IndexReader,
    fields: Fields,
    stamp: Stamp,
    /// Those of the commit that is searched.
    counts: Counts,
    is_sealed: bool,
}

impl Lexical {
    /// Opens the keyword index in `dir`. Its files are read in full first, since tantivy checks
    /// nothing when it opens an index; large ones only if their metadata does not match `seal` or
    /// that is not trusted.
    ///
    /// # Errors
    ///
    /// Anything that makes it unusable; a rebuild repairs it.
    pub(crate) fn open(dir: &Path, seal: &Seal, trust: Trust) -> Result<Self, StoreError> {
        Lexical::open_in(&Derived::open(dir)?, seal, trust)
    }

    /// [Opens](Lexical::open) the keyword index in a folder.
    pub(super) fn open_in(files: &Derived, seal: &Seal, trust: Trust) -> Result<Self, StoreError> {
        let dir = files.path();
        guarded(|| {
            if !holds_files_alone(dir)? {
                return Err(StoreError::Value("a keyword index with other contents"));
            }
            let index = tantivy::Index::open(files.clone())?;
            let (schema, fields) = schema();
            if index.schema() != schema {
                return Err(StoreError::Value("a keyword index with other fields"));
            }
            let (metadata, bytes) = metadata(&index, dir)?;
            let is_sealed = trust != Trust::Nothing && seal.metadata == Some(metadata);
            let is_trusted = is_sealed && bytes > READ_ALWAYS;
            let is_sound = match trust {
                Trust::Sealed if is_trusted => true,
                Trust::SealedButSmall if is_trusted => is_small_sound(&index)?,
                _ => is_sound(&index, dir, seal)?,
            };
            if !is_sound {
                return Err(StoreError::Value("a keyword index with damaged files"));
            }
            let lexical = Lexical::new(index, fields)?;
            Ok(Lexical {
                is_sealed,
                ..lexical
            })
        })
    }

    /// Creates an empty keyword index in `dir`, replacing what is there.
    pub(crate) fn create(dir: &Path, stamp: Stamp) -> Result<Self, StoreError> {
        disk::remove(dir)?;
        disk::create_dir_all(dir)?;
        let (schema, fields) = schema();
        let index = tantivy::Index::create(Derived::open(dir)?, schema, IndexSettings::default())?;
        let mut writer = Writer::new(&index, fields, Merges::Later)?;
        writer.commit(&stamp)?;
        drop(writer);
        guarded(|| Lexical::new(index, fields))
    }

    fn new(index: tantivy::Index, fields: Fields) -> Result<Self, StoreError> {
        register(&index);
        // Read first, as by `reload`.
        let stamp = read_stamp(&index)?;
        let reader = index
            .reader_builder()
            .reload_policy(ReloadPolicy::Manual)
            .try_into()?;
        Ok(Lexical {
            stamp,
            index,
            reader,
            fields,
            counts: Counts::default(),
            is_sealed: false,
        })
    }

    /// What it is derived from, and up to which `rev`.
    pub(crate) fn stamp(&self) -> &Stamp {
        &self.stamp
    }

    /// Whether the metadata of its files is the same as when they were written, including what
    /// tantivy records about them.
    pub(crate) fn is_sealed(&self) -> bool {
        self.is_sealed
    }

    /// Switches to the last commit. The stamp is read first, so it is never ahead of what is
    /// searched.
    pub(crate) fn reload(&mut self) -> Result<(), StoreError> {
        guarded(|| {
            self.stamp = read_stamp(&self.index)?;
            self.reader.reload()?;
            self.counts = Counts::default();
            Ok(())
        })
    }

    /// A writer that merges segments like this. The caller holds the lock of the index.
    pub(crate) fn writer(&self, merges: Merges) -> Result<Writer, StoreError> {
        guarded(|| Writer::new(&self.index, self.fields, merges))
    }

    /// The names of the files of its last commit.
    pub(super) fn files(&self) -> Result<HashSet<PathBuf>, StoreError> {
        Ok(self.index.load_metas()?.list_segment_files())
    }

    /// The number of its segments.
    pub(super) fn segments(&self) -> usize {
        self.reader.searcher().segment_readers().len()
    }

    /// Whether it has so many segments that they are merged even after small changes.
    pub(crate) fn has_many_segments(&self) -> bool {
        self.segments() > MANY_SEGMENTS
    }

    /// The largest merge that is due, of segments of about one size.
    pub(super) fn due_merge(&self) -> Result<Option<MergeCandidate>, StoreError> {
        guarded(|| {
            let segments = self.index.searchable_segment_metas()?;
            let due = LogMergePolicy::default().compute_merge_candidates(&segments);
            Ok(due.into_iter().max_by_key(|merge| merge.0.len()))
        })
    }

    /// The seal of its files as they are now.
    pub(crate) fn seal(&self, dir: &Path) -> Result<Seal, StoreError> {
        Ok(Seal {
            metadata: Some(metadata(&self.index, dir)?.0),
            ends: ends(&self.index, dir)?,
        })
    }

    /// The chunks of some documents, or of all, for a search.
    pub(crate) fn searched(&self, documents: Option<&Documents>) -> Result<Searched, StoreError> {
        let (searcher, counts) = (self.reader.searcher(), self.counts.clone());
        Searched::of(searcher, self.fields, counts, documents)
    }

    /// How many chunks it contains of each document and `rev`.
    pub(crate) fn chunk_counts(
        &self,
    ) -> Result<BTreeMap<(DocumentId, Revision), usize>, StoreError> {
        guarded(|| self.count())
    }

    fn count(&self) -> Result<BTreeMap<(DocumentId, Revision), usize>, StoreError> {
        let mut counts = BTreeMap::new();
        for segment in self.reader.searcher().segment_readers() {
            let document = segment.fast_fields().u64(DOCUMENT)?;
            let rev = segment.fast_fields().u64(REV)?;
            for doc in segment.doc_ids_alive() {
                let key = (
                    DocumentId(document.first(doc).unwrap_or_default()),
                    Revision(rev.first(doc).unwrap_or_default()),
                );
                *counts.entry(key).or_default() += 1;
            }
        }
        Ok(counts)
    }
}

/// The right to change a keyword index. Uncommitted changes are lost.
pub(crate) struct Writer {
    writer: IndexWriter<Waiting>,
    room: Arc<Room>,
    fields: Fields,
}

impl Writer {
    fn new(index: &tantivy::Index, fields: Fields, merges: Merges) -> Result<Self, StoreError> {
        register(index);
        let options = || {
            IndexWriterOptions::builder()
                .num_worker_threads(THREADS)
                .memory_budget_per_thread(HEAP / THREADS)
                .num_merge_threads(1)
                .build()
        };
        let begun = Instant::now();
        let writer: IndexWriter<Waiting> = loop {
            match index.writer_with_options(options()) {
                Err(TantivyError::LockFailure(LockError::LockBusy, _))
                    if begun.elapsed() < LOCK_PATIENCE =>
                {
                    thread::sleep(LOCK_RETRY);
                }
                opened => break opened?,
            }
        };
        writer.set_merge_policy(Box::new(merges));
        // A killed writer leaves files that no commit names, with names that this one would use.
        writer.garbage_collect_files().wait()?;
        Ok(Writer {
            writer,
            room: Room::new(MOST_WAITING),
            fields,
        })
    }

    /// Adds the chunks of a document, replacing those it had.
    pub(crate) fn put(
        &self,
        document: &StoredDocument,
        text: &str,
        chunks: &[StoredChunk],
    ) -> Result<(), StoreError> {
        let fields = self.fields;
        let id = document.id;
        self.remove(id);
        for chunk in chunks {
            let own = text
                .get(chunk.bytes())
                .ok_or(StoreError::Value("a chunk outside its text"))?;
            let (mut entry, mut bytes) = (TantivyDocument::new(), 0);
            let mut add_text = |field, text: &str| {
                bytes += text.len();
                entry.add_text(field, text);
            };
            add_text(fields.text, own);
            let place = heading(document.title.as_deref(), &chunk.trail);
            add_text(fields.place, &place);
            add_text(fields.inside, &chunk.sections.join("\n"));
            for name in &chunk.defines {
                add_text(fields.defines, &analysis::name(name));
            }
            add_text(fields.path, &document.path);
            entry.add_u64(fields.document, id.0);
            entry.add_u64(fields.path_hash, path_hash(&document.path));
            entry.add_u64(fields.ordinal, chunk.ordinal as u64);
            entry.add_u64(fields.rev, document.rev.0);
            let waiting = self.room.admit(entry, bytes);
            guarded(|| Ok(self.writer.add_document(waiting)?))?;
        }
        Ok(())
    }

    /// Removes the chunks of a document.
    pub(crate) fn remove(&self, document: DocumentId) {
        self.writer
            .delete_term(Term::from_field_u64(self.fields.document, document.0));
    }

    /// Commits the changes and makes them visible.
    pub(crate) fn commit(&mut self, stamp: &Stamp) -> Result<(), StoreError> {
        let payload = serde_json::to_string(stamp)?;
        guarded(|| {
            let mut commit = self.writer.prepare_commit()?;
            commit.set_payload(&payload);
            commit.commit()?;
            Ok(())
        })
    }

    /// Starts a merge on a thread of its own. Its end is that of the result, or the error.
    pub(super) fn start_merge(
        &mut self,
        merge: &MergeCandidate,
    ) -> FutureResult<Option<SegmentMeta>> {
        self.writer.merge(&merge.0)
    }

    /// Waits until small segments are merged: an interrupted merge would start again each time.
    pub(crate) fn finish(self) -> Result<(), StoreError> {
        guarded(|| Ok(self.writer.wait_merging_threads()?))
    }
}

/// Which segments a writer merges while it is written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Merges {
    /// Small ones.
    Small,
    /// Only very many at a time: the rest is merged once everything is written.
    Later,
    /// None of its own accord.
    Asked,
}

impl Merges {
    /// Those of a change of as many `documents`.
    pub(crate) fn of_change(documents: usize) -> Self {
        match documents <= SMALL_CHANGE {
            true => Merges::Small,
            false => Merges::Later,
        }
    }
}

impl MergePolicy for Merges {
    fn compute_merge_candidates(&self, segments: &[SegmentMeta]) -> Vec<MergeCandidate> {
        let mut policy = LogMergePolicy::default();
        match self {
            Merges::Small => policy.set_max_docs_before_merge(SMALL_SEGMENT),
            Merges::Later => policy.set_min_num_segments(SEGMENTS_BEFORE_MERGE),
            Merges::Asked => return Vec::new(),
        }
        policy.compute_merge_candidates(segments)
    }
}

/// The title and trail; a title that is also the first heading occurs once.
fn heading(title: Option<&str>, trail: &[String]) -> String {
    let title = title.filter(|title| trail.first().is_none_or(|first| first != title));
    let lines: Vec<&str> = title
        .into_iter()
        .chain(trail.iter().map(String::as_str))
        .collect();
    lines.join("\n")
}

/// Whether every file of the last commit is unchanged.
fn is_sound(index: &tantivy::Index, dir: &Path, seal: &Seal) -> Result<bool, StoreError> {
    // tantivy checks only the files that it has recorded as its own.
    let known = index.directory().list_managed_files();
    let named = index.load_metas()?.list_segment_files();
    let unknown = named.difference(&known);
    let are_known = unknown.into_iter().all(|file| !dir.join(file).exists());
    // A file that was written after the seal has no other evidence than its own checksum.
    let ends = ends(index, dir)?;
    let are_theirs = ends
        .iter()
        .all(|(name, end)| seal.ends.get(name).is_none_or(|sealed| sealed == end));
    Ok(are_known && are_theirs && index.validate_checksum()?.is_empty())
}

/// Whether those files of the last commit are unchanged that a small change may merge, or replace
/// by files with the same contents and more: small segments, and the lists of what is deleted.
fn is_small_sound(index: &tantivy::Index) -> Result<bool, StoreError> {
    let segments = index.searchable_segment_metas()?.into_iter();
    let small = segments.filter(|segment| segment.num_docs() as usize <= SMALL_SEGMENT);
    let small: Vec<String> = small.map(|segment| segment.id().uuid_string()).collect();
    let known = index.directory().list_managed_files();
    for file in index
        .load_metas()?
        .list_segment_files()
        .intersection(&known)
    {
        let name = file.to_string_lossy();
        let is_read = name.ends_with(".del") || small.iter().any(|id| name.starts_with(id));
        if is_read {
            let is_sound = index.directory().validate_checksum(file);
            if !is_sound.map_err(TantivyError::from)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// The hash of the end of each file of the last commit.
fn ends(index: &tantivy::Index, dir: &Path) -> Result<BTreeMap<String, Hash>, StoreError> {
    // tantivy ends a file with a description of about 100 bytes.
    const END: u64 = 256;
    let mut ends = BTreeMap::new();
    for name in index.load_metas()?.list_segment_files() {
        let mut file = match File::open(dir.join(&name)) {
            // tantivy also names files that a segment only may have, such as one of deletions.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            opened => opened?,
        };
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(END)))?;
        let mut end = length.to_le_bytes().to_vec();
        file.take(END).read_to_end(&mut end)?;
        ends.insert(name.to_string_lossy().into_owned(), Hash::of(&end));
    }
    Ok(ends)
}

/// Whether a folder contains only regular files: opening a FIFO would block until another process
/// writes to it.
fn holds_files_alone(dir: &Path) -> io::Result<bool> {
    for entry in fs::read_dir(dir)? {
        if !entry?.file_type()?.is_file() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A hash over the metadata of the last commit and over the names, sizes and times of its files;
/// and how many bytes these have.
fn metadata(index: &tantivy::Index, dir: &Path) -> Result<(Hash, u64), StoreError> {
    let mut names: Vec<PathBuf> = index
        .load_metas()?
        .list_segment_files()
        .into_iter()
        .collect();
    names.sort();
    let mut looks = fs::read_to_string(dir.join("meta.json"))?;
    let mut bytes = 0;
    for name in names {
        if let Ok(metadata) = fs::metadata(dir.join(&name)) {
            let time = metadata
                .modified()?
                .duration_since(SystemTime::UNIX_EPOCH)
                .unwrap_or_default();
            bytes += metadata.len();
            looks += &format!(
                "{} {} {}\n",
                name.display(),
                metadata.len(),
                time.as_nanos()
            );
        }
    }
    Ok((Hash::of(looks.as_bytes()), bytes))
}

fn read_stamp(index: &tantivy::Index) -> Result<Stamp, StoreError> {
    let payload = index.load_metas()?.payload;
    let payload = payload.ok_or(StoreError::Value("a keyword index without a stamp"))?;
    Ok(serde_json::from_str(&payload)?)
}

fn register(index: &tantivy::Index) {
    index
        .tokenizers()
        .register(tokenizer::NAME, tokenizer::of_documents());
}

fn schema() -> (Schema, Fields) {
    let words = TextFieldIndexing::default()
        .set_tokenizer(tokenizer::NAME)
        .set_index_option(IndexRecordOption::WithFreqsAndPositions);
    let words = TextOptions::default().set_indexing_options(words);
    let exact = TextFieldIndexing::default()
        .set_tokenizer("raw")
        .set_fieldnorms(false)
        .set_index_option(IndexRecordOption::Basic);
    let exact = TextOptions::default().set_indexing_options(exact);
    let mut schema = Schema::builder();
    let fields = Fields {
        text: schema.add_text_field("text", words.clone()),
        place: schema.add_text_field("place", words.clone()),
        inside: schema.add_text_field("inside", words.clone()),
        defines: schema.add_text_field("defines", exact),
        path: schema.add_text_field("path", words),
        document: schema.add_u64_field(DOCUMENT, INDEXED | FAST),
        path_hash: schema.add_u64_field(PATH_HASH, FAST),
        ordinal: schema.add_u64_field(ORDINAL, FAST),
        rev: schema.add_u64_field(REV, FAST),
    };
    (schema.build(), fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds so many chunks at once.
    fn add(lexical: &Lexical, merges: Merges, chunks: usize) {
        let mut writer = lexical.writer(merges).unwrap();
        for _ in 0..chunks {
            let entry = writer.room.admit(TantivyDocument::new(), 0);
            writer.writer.add_document(entry).unwrap();
        }
        writer.commit(lexical.stamp()).unwrap();
        writer.finish().unwrap();
    }

    /// How many chunks each segment has.
    fn segments(lexical: &mut Lexical) -> Vec<u32> {
        lexical.reload().unwrap();
        let searcher = lexical.reader.searcher();
        let segments = searcher.segment_readers().iter();
        segments.map(|segment| segment.num_docs()).collect()
    }

    fn created(dir: &Path) -> Lexical {
        let stamp = Stamp {
            store: "a store".to_string(),
            analysis: analysis::VERSION,
            rev: Revision::default(),
        };
        Lexical::create(&dir.join("lexical"), stamp).unwrap()
    }

    #[test]
    fn before_a_small_change_what_it_may_merge_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let mut lexical = created(dir.path());
        let folder = dir.path().join("lexical");
        // Two threads write a segment each.
        add(&lexical, Merges::Small, 2 * SMALL_SEGMENT + 2);
        add(&lexical, Merges::Small, 1);
        lexical.reload().unwrap();
        let segments = lexical.index.searchable_segment_metas().unwrap();
        let (count, mut large) = (segments.len(), 0);
        for segment in segments {
            let name = segment.id().uuid_string() + ".fast";
            let path = folder.join(name);
            let sound = fs::read(&path).unwrap();
            assert!(is_small_sound(&lexical.index).unwrap());
            let mut damaged = sound.clone();
            damaged[0] ^= 1;
            fs::write(&path, damaged).unwrap();
            let is_large = segment.num_docs() as usize > SMALL_SEGMENT;
            assert_eq!(is_small_sound(&lexical.index).unwrap(), is_large);
            large += usize::from(is_large);
            let seal = Seal::default();
            assert!(!is_sound(&lexical.index, &folder, &seal).unwrap());
            fs::write(&path, sound).unwrap();
        }
        assert!(0 < large && large < count, "{large} of {count}");
    }

    #[test]
    fn what_large_changes_leave_is_merged_once_they_are_through() {
        let dir = tempfile::tempdir().unwrap();
        let mut lexical = created(dir.path());
        for _ in 0..12 {
            add(&lexical, Merges::of_change(SMALL_CHANGE + 1), 1);
        }
        assert_eq!(segments(&mut lexical), [1; 12]);
        let due = lexical.due_merge().unwrap().unwrap();
        let mut writer = lexical.writer(Merges::Asked).unwrap();
        writer.start_merge(&due).wait().unwrap();
        assert_eq!(segments(&mut lexical), [12]);
        assert!(lexical.due_merge().unwrap().is_none());
    }

    #[test]
    fn a_large_change_merges_very_many_segments_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let mut lexical = created(dir.path());
        for _ in 0..SEGMENTS_BEFORE_MERGE {
            add(&lexical, Merges::Later, 1);
        }
        assert_eq!(segments(&mut lexical), [SEGMENTS_BEFORE_MERGE as u32]);
    }

    #[test]
    fn a_small_change_merges_small_segments_alone() {
        let dir = tempfile::tempdir().unwrap();
        let mut lexical = created(dir.path());
        let large = 4 * SMALL_SEGMENT;
        for _ in 0..10 {
            // Two threads share them: one has at least half.
            add(&lexical, Merges::of_change(SMALL_CHANGE), large);
        }
        let of_size = segments(&mut lexical);
        let are_large = of_size
            .iter()
            .filter(|size| **size as usize > SMALL_SEGMENT);
        assert!(are_large.count() >= 10, "{of_size:?}");
        for _ in 0..20 {
            add(&lexical, Merges::Small, 1);
        }
        let tiny = segments(&mut lexical).into_iter().filter(|size| *size == 1);
        assert!(tiny.count() < 8);
        // Those of all sizes are not merged meanwhile, however many they are.
        for _ in 0..MANY_SEGMENTS {
            add(&lexical, Merges::Small, 2 * SMALL_SEGMENT + 2);
        }
        segments(&mut lexical);
        assert!(lexical.has_many_segments());
    }

    #[test]
    fn a_title_that_is_the_first_heading_counts_once() {
        let trail = ["Guide".to_string(), "Install".to_string()];
        assert_eq!(heading(Some("Guide"), &trail), "Guide\nInstall");
        assert_eq!(heading(Some("Manual"), &trail), "Manual\nGuide\nInstall");
        assert_eq!(heading(None, &[]), "");
    }
}
