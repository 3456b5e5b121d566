//! The keyword index: tantivy beside the truth, derived from it and disposable. It holds the terms of every chunk, nothing of
//! the texts themselves; a match is a document's id and an ordinal, to be looked up in the truth.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use excerpt_chunk::Hash;
use serde::{Deserialize, Serialize};
use tantivy::indexer::IndexWriterOptions;
use tantivy::query::{
    BooleanQuery, BoostQuery, ConstScoreQuery, Occur, PhraseQuery, Query, TermQuery,
};
use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::{
    IndexReader, IndexSettings, IndexWriter, ReloadPolicy, Searcher, TantivyDocument, Term,
};

use super::analysis::{self, Purpose, analyzer};
use super::collect::{Best, Candidate, Documents};
use super::derived::Derived;
use super::fault::Fault;
use super::guard::guarded;
use super::read::{StoredChunk, StoredDocument};
use crate::search::Phrase;

pub(super) const DOCUMENT: &str = "document";
pub(super) const ORDINAL: &str = "ordinal";
pub(super) const REV: &str = "rev";

/// How much a word counts in a chunk's text, in its title and trail, in the titles and names inside it, and in its path. What says something of the
/// whole document stands beside each of its chunks, and so says half as much of one.
const BOOSTS: [f32; 4] = [1.0, 0.5, 1.0, 0.5];

/// How much a name counts where it is defined: beside the other fields, which hold it too.
const DEFINITION: f32 = 2.0;

/// The memory that a writer gathers terms in, over all its threads.
const HEAP: usize = 50 << 20;

/// How many chunks with a phrase are known at once.
const MOST_HELD: usize = 1 << 20;

/// How many threads analyse text.
const THREADS: usize = 2;

/// What a keyword index was made from and how far it is. It is kept in tantivy's commit, so it is true of what is committed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stamp {
    /// The id of the truth.
    pub(crate) store: String,
    /// The version of the analysis.
    pub(crate) analysis: u32,
    /// The `rev` of the last change that it holds.
    pub(crate) rev: i64,
}

/// What to search for.
#[derive(Clone, Debug)]
pub(crate) struct Wanted<'a> {
    /// Terms that a chunk with every word holds.
    pub(crate) required: &'a [String],
    /// Terms that only add to the score: identifiers as a whole.
    pub(crate) optional: &'a [String],
    /// [Names](analysis::name) whose definitions rank above their uses.
    pub(crate) names: &'a [String],
    /// What a chunk must hold, word behind word.
    pub(crate) phrases: &'a [Phrase],
    /// What a chunk must not hold.
    pub(crate) excluded: &'a [Phrase],
    /// The documents to search; none to search all.
    pub(crate) documents: Option<&'a Arc<Documents>>,
    /// How many chunks are wanted.
    pub(crate) limit: usize,
}

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Candidates {
    /// The best chunks that hold every required term, then the best of the others.
    pub(crate) chunks: Vec<Candidate>,
    /// How many of them hold every required term.
    pub(crate) complete: usize,
    /// How many chunks hold any term.
    pub(crate) chunks_total: usize,
    /// How many documents these belong to.
    pub(crate) documents_total: usize,
}

#[derive(Clone, Copy)]
struct Fields {
    text: Field,
    place: Field,
    inside: Field,
    defines: Field,
    path: Field,
    document: Field,
    ordinal: Field,
    rev: Field,
}

impl Fields {
    fn searched(self) -> [Field; 4] {
        [self.text, self.place, self.inside, self.path]
    }
}

/// A keyword index on disk.
pub(crate) struct Lexical {
    index: tantivy::Index,
    reader: IndexReader,
    fields: Fields,
    stamp: Stamp,
}

impl Lexical {
    /// Opens the keyword index in `dir`. Unless its files look as `seal` says, they are read in whole first: tantivy checks
    /// nothing when it opens a file.
    ///
    /// # Errors
    ///
    /// Whatever keeps it from being used, which making it again will mend.
    pub(crate) fn open(dir: &Path, seal: Option<Hash>) -> Result<Self, Fault> {
        guarded(|| {
            let index = tantivy::Index::open(Derived::open(dir)?)?;
            let (schema, fields) = schema();
            if index.schema() != schema {
                return Err(Fault::Value("a keyword index with other fields"));
            }
            let sealed = seal == Some(look(&index, dir)?);
            if !sealed && !is_sound(&index, dir)? {
                return Err(Fault::Value("a keyword index with damaged files"));
            }
            Lexical::new(index, fields)
        })
    }

    /// Makes an empty keyword index in `dir`, in place of what is there.
    pub(crate) fn create(dir: &Path, stamp: Stamp) -> Result<Self, Fault> {
        if dir.exists() {
            fs::remove_dir_all(dir)?;
        }
        fs::create_dir_all(dir)?;
        let (schema, fields) = schema();
        let index = tantivy::Index::create(Derived::open(dir)?, schema, IndexSettings::default())?;
        let mut writer = Writer::new(&index, fields)?;
        writer.commit(&stamp)?;
        drop(writer);
        Lexical::new(index, fields)
    }

    fn new(index: tantivy::Index, fields: Fields) -> Result<Self, Fault> {
        register(&index);
        let reader = index
            .reader_builder()
            .reload_policy(ReloadPolicy::Manual)
            .try_into()?;
        let mut lexical = Lexical {
            stamp: read_stamp(&index)?,
            index,
            reader,
            fields,
        };
        lexical.reload()?;
        Ok(lexical)
    }

    /// What it was made from and how far it is.
    pub(crate) fn stamp(&self) -> &Stamp {
        &self.stamp
    }

    /// Goes on to the last commit. The stamp is read first: it is never ahead of what is searched.
    pub(crate) fn reload(&mut self) -> Result<(), Fault> {
        guarded(|| {
            self.stamp = read_stamp(&self.index)?;
            self.reader.reload()?;
            Ok(())
        })
    }

    /// A writer. The caller holds the lock of the index.
    pub(crate) fn writer(&self) -> Result<Writer, Fault> {
        guarded(|| Writer::new(&self.index, self.fields))
    }

    /// A hash over how the files look: as long as it stays, they need not be read to know that they are sound.
    pub(crate) fn seal(&self, dir: &Path) -> Result<Hash, Fault> {
        look(&self.index, dir)
    }

    /// The best chunks for what is wanted.
    ///
    /// Two searches: for the chunks that hold every required term, and for those that hold any. The scores of both are BM25
    /// over all terms, so that they can be compared; which of the two a chunk comes from is told apart from its score.
    pub(crate) fn candidates(&self, wanted: &Wanted<'_>) -> Result<Candidates, Fault> {
        guarded(|| self.find(wanted))
    }

    fn find(&self, wanted: &Wanted<'_>) -> Result<Candidates, Fault> {
        let searcher = self.reader.searcher();
        let best = Best {
            limit: wanted.limit,
            within: wanted.documents.cloned(),
        };
        let any = searcher.search(&self.any_query(wanted), &best)?;
        if wanted.required.len() < 2 {
            return Ok(Candidates {
                complete: any.best.len(),
                chunks_total: any.chunks,
                documents_total: any.documents.len(),
                chunks: any.best,
            });
        }
        let all = searcher.search(&self.all_query(wanted), &best)?;
        let complete = all.best.len();
        let mut chunks = all.best;
        let key = |candidate: &Candidate| (candidate.document, candidate.ordinal);
        let first: HashSet<_> = chunks.iter().map(key).collect();
        // When `all` had more than the limit, the rest of `any` may be complete as well, but is not reached.
        let rest = any
            .best
            .into_iter()
            .filter(|candidate| !first.contains(&key(candidate)));
        chunks.extend(rest.take(wanted.limit - complete));
        Ok(Candidates {
            chunks,
            complete,
            chunks_total: any.chunks,
            documents_total: any.documents.len(),
        })
    }

    /// How rare each term is in the texts (the idf of BM25), and none for a term that is nowhere.
    pub(crate) fn weights(&self, terms: &[String]) -> Result<Vec<Option<f32>>, Fault> {
        let searcher = self.reader.searcher();
        let total = searcher.num_docs() as f32;
        let weight = |term: &String| {
            let count = |field| frequency(&searcher, field, term);
            let text = count(self.fields.text)?;
            let elsewhere = count(self.fields.place)? + count(self.fields.path)?;
            let present = text + elsewhere > 0;
            let frequency = (text as f32).min(total);
            Ok(present.then(|| (1.0 + (total - frequency + 0.5) / (frequency + 0.5)).ln()))
        };
        guarded(|| terms.iter().map(weight).collect())
    }

    /// How rare each term is in the texts, against a term that is in one chunk alone: from 0 for one that is everywhere to 1.
    pub(crate) fn rarities(&self, terms: &[String]) -> Result<Vec<f32>, Fault> {
        let searcher = self.reader.searcher();
        let total = searcher.num_docs() as f32;
        let rarity = |term: &String| {
            let count = frequency(&searcher, self.fields.text, term)? as f32;
            let idf = ((total + 1.0) / (count.min(total) + 0.5)).ln();
            Ok((idf / (total + 1.0).ln().max(1.0)).clamp(0.0, 1.0))
        };
        guarded(|| terms.iter().map(rarity).collect())
    }

    /// How many chunks it holds of each document and `rev`.
    pub(crate) fn chunk_counts(&self) -> Result<BTreeMap<(u64, u64), usize>, Fault> {
        guarded(|| self.count())
    }

    fn count(&self) -> Result<BTreeMap<(u64, u64), usize>, Fault> {
        let mut counts = BTreeMap::new();
        for segment in self.reader.searcher().segment_readers() {
            let document = segment.fast_fields().u64(DOCUMENT)?;
            let rev = segment.fast_fields().u64(REV)?;
            for doc in segment.doc_ids_alive() {
                let key = (
                    document.first(doc).unwrap_or_default(),
                    rev.first(doc).unwrap_or_default(),
                );
                *counts.entry(key).or_default() += 1;
            }
        }
        Ok(counts)
    }

    fn any_query(&self, wanted: &Wanted<'_>) -> BooleanQuery {
        let terms = wanted.required.iter().chain(wanted.optional);
        // Side by side, not word by word: tantivy joins plain terms faster than what is joined already.
        let words = terms.flat_map(|term| self.in_fields(term));
        let words = words.chain(self.definitions(wanted)).collect();
        self.limited(BooleanQuery::new(words), wanted)
    }

    fn all_query(&self, wanted: &Wanted<'_>) -> BooleanQuery {
        let required = wanted
            .required
            .iter()
            .map(|term| (Occur::Must, self.word_query(term)));
        let optional = wanted
            .optional
            .iter()
            .map(|term| (Occur::Should, self.word_query(term)));
        let words = required.chain(optional).chain(self.definitions(wanted));
        self.limited(BooleanQuery::new(words.collect()), wanted)
    }

    /// The definitions of the names. As all else by BM25: a name that much defines says little.
    fn definitions(&self, wanted: &Wanted<'_>) -> impl Iterator<Item = (Occur, Box<dyn Query>)> {
        wanted.names.iter().map(|name| {
            let term = Term::from_field_text(self.fields.defines, name);
            let query: Box<dyn Query> = Box::new(TermQuery::new(term, IndexRecordOption::Basic));
            let boosted: Box<dyn Query> = Box::new(BoostQuery::new(query, DEFINITION));
            (Occur::Should, boosted)
        })
    }

    /// A term in any field.
    fn word_query(&self, term: &str) -> Box<dyn Query> {
        Box::new(BooleanQuery::new(self.in_fields(term).collect()))
    }

    /// A term in each field.
    fn in_fields(&self, term: &str) -> impl Iterator<Item = (Occur, Box<dyn Query>)> {
        let fields = self.fields.searched().into_iter().zip(BOOSTS);
        fields.map(move |(field, boost)| {
            let term = Term::from_field_text(field, term);
            let query = TermQuery::new(term, IndexRecordOption::WithFreqs);
            let boosted: Box<dyn Query> = Box::new(BoostQuery::new(Box::new(query), boost));
            (Occur::Should, boosted)
        })
    }

    /// `query` with the phrases and without what is excluded.
    fn limited(&self, query: BooleanQuery, wanted: &Wanted<'_>) -> BooleanQuery {
        let mut clauses: Vec<(Occur, Box<dyn Query>)> = Vec::new();
        let mut limit = |occur, query: Box<dyn Query>| {
            clauses.push((occur, Box::new(ConstScoreQuery::new(query, 0.0))));
        };
        for phrase in wanted.phrases {
            limit(Occur::Must, self.phrase_query(phrase));
        }
        for phrase in wanted.excluded {
            limit(Occur::MustNot, self.phrase_query(phrase));
        }
        if clauses.is_empty() {
            return query;
        }
        clauses.push((Occur::Must, Box::new(query)));
        BooleanQuery::new(clauses)
    }

    /// A phrase in one of the fields.
    fn phrase_query(&self, phrase: &Phrase) -> Box<dyn Query> {
        let of_field = |field| -> Box<dyn Query> {
            let terms = phrase.terms.iter();
            let mut terms: Vec<(usize, Term)> = terms
                .map(|(position, term)| (*position, Term::from_field_text(field, term)))
                .collect();
            match terms.len() {
                1 => Box::new(TermQuery::new(terms.remove(0).1, IndexRecordOption::Basic)),
                _ => Box::new(PhraseQuery::new_with_offset(terms)),
            }
        };
        let fields = self.fields.searched().into_iter();
        let fields = fields.map(|field| (Occur::Should, of_field(field)));
        Box::new(BooleanQuery::new(fields.collect()))
    }

    /// The chunks that hold every phrase, by document and ordinal, of these documents if some are named.
    pub(crate) fn holding(
        &self,
        phrases: &[Phrase],
        documents: Option<&Arc<Documents>>,
    ) -> Result<HashSet<(u64, u64)>, Fault> {
        let clauses = phrases
            .iter()
            .map(|phrase| (Occur::Must, self.phrase_query(phrase)));
        let query = BooleanQuery::new(clauses.collect());
        let all = Best {
            limit: MOST_HELD,
            within: documents.cloned(),
        };
        let found = guarded(|| Ok(self.reader.searcher().search(&query, &all)?.best))?;
        Ok(found
            .into_iter()
            .map(|candidate| (candidate.document, candidate.ordinal))
            .collect())
    }
}

/// The right to change a keyword index. What is not committed is forgotten.
pub(crate) struct Writer {
    writer: IndexWriter,
    fields: Fields,
}

impl Writer {
    fn new(index: &tantivy::Index, fields: Fields) -> Result<Self, Fault> {
        register(index);
        let options = IndexWriterOptions::builder()
            .num_worker_threads(THREADS)
            .memory_budget_per_thread(HEAP / THREADS)
            .num_merge_threads(1)
            .build();
        let writer: IndexWriter = index.writer_with_options(options)?;
        // A writer that was killed leaves files that no commit names, under the names that this one would take.
        writer.garbage_collect_files().wait()?;
        Ok(Writer { writer, fields })
    }

    /// Adds the chunks of a document, in place of those it had.
    pub(crate) fn put(
        &self,
        document: &StoredDocument,
        text: &str,
        chunks: &[StoredChunk],
    ) -> Result<(), Fault> {
        let fields = self.fields;
        let id = document.id.unsigned_abs();
        self.remove(id);
        for chunk in chunks {
            let mut entry = TantivyDocument::new();
            let own = text
                .get(chunk.bytes())
                .ok_or(Fault::Value("a chunk outside its text"))?;
            entry.add_text(fields.text, own);
            entry.add_text(
                fields.place,
                heading(document.title.as_deref(), &chunk.trail),
            );
            entry.add_text(fields.inside, chunk.sections.join("\n"));
            for name in &chunk.defines {
                entry.add_text(fields.defines, analysis::name(name));
            }
            entry.add_text(fields.path, &document.path);
            entry.add_u64(fields.document, id);
            entry.add_u64(fields.ordinal, chunk.ordinal as u64);
            entry.add_u64(fields.rev, document.rev.unsigned_abs());
            guarded(|| Ok(self.writer.add_document(entry)?))?;
        }
        Ok(())
    }

    /// Removes the chunks of a document.
    pub(crate) fn remove(&self, document: u64) {
        self.writer
            .delete_term(Term::from_field_u64(self.fields.document, document));
    }

    /// Makes the changes lasting and visible.
    pub(crate) fn commit(&mut self, stamp: &Stamp) -> Result<(), Fault> {
        let payload = serde_json::to_string(stamp)?;
        guarded(|| {
            let mut commit = self.writer.prepare_commit()?;
            commit.set_payload(&payload);
            commit.commit()?;
            Ok(())
        })
    }

    /// Waits for the joining of small segments to end: what is cut off would be begun again each time.
    pub(crate) fn finish(self) -> Result<(), Fault> {
        guarded(|| Ok(self.writer.wait_merging_threads()?))
    }
}

/// The title and trail, with a title that is also the first heading only once.
fn heading(title: Option<&str>, trail: &[String]) -> String {
    let title = title.filter(|title| trail.first().is_none_or(|first| first != title));
    let lines: Vec<&str> = title
        .into_iter()
        .chain(trail.iter().map(String::as_str))
        .collect();
    lines.join("\n")
}

fn frequency(searcher: &Searcher, field: Field, term: &str) -> Result<u64, Fault> {
    Ok(searcher.doc_freq(&Term::from_field_text(field, term))?)
}

/// Whether every file of the last commit is as it was written.
fn is_sound(index: &tantivy::Index, dir: &Path) -> Result<bool, Fault> {
    // tantivy looks at those files alone that it has written down as its own.
    let known = index.directory().list_managed_files();
    let named = index.load_metas()?.list_segment_files();
    let unknown = named.difference(&known);
    let are_known = unknown.into_iter().all(|file| !dir.join(file).exists());
    Ok(are_known && index.validate_checksum()?.is_empty())
}

/// A hash over what the last commit says of itself, and over the names, sizes and times of its files.
fn look(index: &tantivy::Index, dir: &Path) -> Result<Hash, Fault> {
    let mut names: Vec<PathBuf> = index
        .load_metas()?
        .list_segment_files()
        .into_iter()
        .collect();
    names.sort();
    let mut looks = fs::read_to_string(dir.join("meta.json"))?;
    for name in names {
        // tantivy names files that a segment may have, such as one of deletions.
        if let Ok(metadata) = fs::metadata(dir.join(&name)) {
            let time = metadata
                .modified()?
                .duration_since(SystemTime::UNIX_EPOCH)
                .unwrap_or_default();
            looks += &format!(
                "{} {} {}\n",
                name.display(),
                metadata.len(),
                time.as_nanos()
            );
        }
    }
    Ok(Hash::of(looks.as_bytes()))
}

fn read_stamp(index: &tantivy::Index) -> Result<Stamp, Fault> {
    let payload = index.load_metas()?.payload;
    let payload = payload.ok_or(Fault::Value("a keyword index without a stamp"))?;
    Ok(serde_json::from_str(&payload)?)
}

fn register(index: &tantivy::Index) {
    index
        .tokenizers()
        .register(analysis::NAME, analyzer(Purpose::Document));
}

fn schema() -> (Schema, Fields) {
    let words = TextFieldIndexing::default()
        .set_tokenizer(analysis::NAME)
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
        ordinal: schema.add_u64_field(ORDINAL, FAST),
        rev: schema.add_u64_field(REV, FAST),
    };
    (schema.build(), fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_that_is_the_first_heading_counts_once() {
        let trail = ["Guide".to_string(), "Install".to_string()];
        assert_eq!(heading(Some("Guide"), &trail), "Guide\nInstall");
        assert_eq!(heading(Some("Manual"), &trail), "Manual\nGuide\nInstall");
        assert_eq!(heading(None, &[]), "");
    }
}
