//! `search`: the chunks or documents that answer a question.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use excerpt_index::{
    Answer, Channels, Days, DocumentHits, Filter, Fusion, Hit, Index, ListOptions, Note, Query,
    Rank, Ranking, RankingPreset, SkipReason, is_at_or_below,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::changed::Changed;
use crate::error::{ServiceError, ServiceResult};
use crate::hit::{SearchHit, ShowPaths};
use crate::scope::Scope;
use crate::target::IndexTarget;

/// The most hits of an answer, those before its first page included.
pub const MOST_HITS: usize = 1_000;

/// A question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SearchRequest {
    /// The question, or some words; `"a phrase"` in quotes.
    #[schemars(length(max = 4_000))]
    pub query: String,
    /// Only in this folder or document. Default: everywhere.
    pub path: Option<String>,
    /// Only in these collections. Default: in everything that is visible.
    pub collections: Vec<String>,
    /// Only documents with all of these tags.
    pub tags: Vec<String>,
    /// Only documents of one of these types, such as `doc` or `script`.
    pub kinds: Vec<String>,
    /// Only documents in one of these languages, such as `rust` or `markdown`.
    pub languages: Vec<String>,
    /// Only documents about this version, or that name none.
    pub version: Option<String>,
    /// Only documents dated on this day or later: `YYYY-MM-DD`, `YYYY-MM`, `YYYY`, or a day by the
    /// clock of the server such as `yesterday`, `7d`, `2w` or `last week`.
    pub since: Option<String>,
    /// Only documents dated on this day or earlier.
    pub until: Option<String>,
    /// Only documents whose front matter has these values in these fields: an object, or in the
    /// query of an address `name=value`.
    #[serde(deserialize_with = "read_fields", serialize_with = "write_fields")]
    #[schemars(schema_with = "fields_schema")]
    pub fields: Vec<(String, String)>,
    /// What is ranked. Default: documents.
    pub ranks: RankedUnit,
    /// How many documents or chunks to return, as `ranks` says. A document may have several hits.
    /// Default: 5.
    #[schemars(range(min = 1, max = 100))]
    pub limit: usize,
    /// How many of the best documents or chunks to leave out, for the next page. Default: 0.
    #[schemars(range(max = 900))]
    pub offset: usize,
    /// Whether copies and translations of a better hit are folded into it. Default: no.
    pub fold_copies: bool,
    /// Exclude hits with a lower score. Default: none.
    pub min_score: Option<f32>,
    /// Exclude hits whose score is below this share of the best one's. Default: as configured, 0.
    #[schemars(range(min = 0, max = 1))]
    pub min_share: Option<f32>,
    /// Whether each hit has only the sentences or statements around the evidence as its text.
    /// Default: as configured, no.
    pub precise: Option<bool>,
    /// How long to wait for the model that reorders the hits, in seconds, if one is configured.
    /// Default: as configured, 2.
    #[schemars(range(min = 0, max = 10))]
    pub wait: Option<f64>,
    /// Whether hits that are probably no answers are left out. Default: no.
    pub without_weak: bool,
    /// Whether each hit says how its score is made up. Default: no.
    pub explain: bool,
    /// How to rank. Default: as configured.
    pub ranking: Option<RankingPreset>,
    /// Which channels to search. Default: as the ranking says.
    pub channels: Option<Channels>,
    /// How their scores are combined. Default: as the ranking says.
    pub fusion: Option<Fusion>,
}

impl Default for SearchRequest {
    fn default() -> Self {
        SearchRequest {
            query: String::new(),
            path: None,
            collections: Vec::new(),
            tags: Vec::new(),
            kinds: Vec::new(),
            languages: Vec::new(),
            version: None,
            since: None,
            until: None,
            fields: Vec::new(),
            ranks: RankedUnit::Documents,
            limit: 5,
            offset: 0,
            fold_copies: false,
            min_score: None,
            min_share: None,
            precise: None,
            wait: None,
            without_weak: false,
            explain: false,
            ranking: None,
            channels: None,
            fusion: None,
        }
    }
}

fn fields_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object",
        "additionalProperties": {"type": ["string", "number", "boolean"]}
    })
}

/// Reads fields from an object or from texts `name=value`.
fn read_fields<'d, D: Deserializer<'d>>(from: D) -> Result<Vec<(String, String)>, D::Error> {
    use serde::de::Error as _;
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Fields {
        Named(Map<String, Value>),
        Pairs(Vec<String>),
        Pair(String),
    }
    let pair = |text: &String| match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => {
            Ok((name.trim().to_string(), value.to_string()))
        }
        _ => Err(D::Error::custom("expected `name=value`")),
    };
    let expected = || D::Error::custom("expected an object of names and texts");
    match Fields::deserialize(from).map_err(|_| expected())? {
        Fields::Pairs(pairs) => pairs.iter().map(pair).collect(),
        Fields::Pair(text) => Ok(vec![pair(&text)?]),
        Fields::Named(fields) => {
            let fields = fields.into_iter().map(|(name, value)| match value {
                Value::String(text) => Ok((name, text)),
                Value::Number(number) => Ok((name, number.to_string())),
                Value::Bool(truth) => Ok((name, truth.to_string())),
                _ => Err(expected()),
            });
            fields.collect()
        }
    }
}

fn write_fields<S: Serializer>(fields: &[(String, String)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(fields.iter().map(|(name, value)| (name, value)))
}

/// A day that `text` names, as `YYYY-MM-DD`. Other text is returned unchanged: the index reports
/// what is wrong with it.
fn day(text: &str, of: fn(Days) -> String) -> String {
    Days::named(text).map_or_else(|| text.to_string(), of)
}

/// What a search ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RankedUnit {
    /// Documents, each with its best chunks.
    #[default]
    Documents,
    /// Chunks.
    Chunks,
}

/// The answer to a question.
#[derive(Clone, Debug, Serialize)]
pub struct SearchReply {
    /// What was found.
    pub answer: Answer,
    /// How it was ranked.
    pub ranking: Ranking,
    /// Whether there are no documents at all where the search was.
    pub is_bare: bool,
    /// Whether there may be more hits after these.
    pub has_more: bool,
    /// The best score, if all hits were left out because of [`SearchRequest::min_score`].
    #[serde(skip)]
    pub too_low: Option<f32>,
    offset: usize,
}

/// The hits of an answer, for a program.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SearchResults<'a> {
    /// The hits, best first.
    pub hits: Vec<SearchHit<'a>>,
    /// How many documents contain at least one of the words.
    pub matched: usize,
    /// How many documents were searched.
    pub searched: usize,
    /// Whether vectors contributed.
    pub vectors: bool,
    /// Whether there may be more hits after these.
    pub more: bool,
    /// What to know about the answer.
    pub notes: Vec<String>,
}

impl SearchResults<'_> {
    /// No hits, and why.
    #[must_use]
    pub fn nothing(note: String) -> Self {
        SearchResults {
            hits: Vec::new(),
            matched: 0,
            searched: 0,
            vectors: false,
            more: false,
            notes: vec![note],
        }
    }
}

impl SearchReply {
    /// The hits, ranked from the offset of the request on.
    #[must_use]
    pub fn results<'a>(
        &'a self,
        request: &SearchRequest,
        paths: &impl ShowPaths,
        notes: Vec<String>,
    ) -> SearchResults<'a> {
        let found = self.answer.documents.iter();
        let found =
            found.flat_map(|document| document.chunks.iter().map(move |hit| (document, hit)));
        let hits = found.enumerate().map(|(at, (document, hit))| {
            let mut hit = SearchHit::of(self.offset + at + 1, document, hit, paths);
            hit.explanation = hit.explanation.filter(|_| request.explain);
            hit
        });
        SearchResults {
            hits: hits.collect(),
            matched: self.answer.documents_total,
            searched: self.answer.documents_searched,
            vectors: self.answer.vectors,
            more: self.has_more,
            notes,
        }
    }

    /// How the documents of some hits have changed since they were indexed, each with its path
    /// inside its source.
    pub fn changed<'d>(
        documents: impl Iterator<Item = &'d DocumentHits>,
    ) -> Vec<(&'d str, Changed)> {
        let mut seen = Vec::new();
        let mut all = Vec::new();
        for found in documents {
            let place = (&found.source, &found.path);
            if seen.contains(&place) {
                continue;
            }
            seen.push(place);
            let changed = found.stat.and_then(|stat| {
                Changed::since(&found.source, &found.path, stat.size, stat.seconds())
            });
            all.extend(changed.map(|changed| (&*found.path, changed)));
        }
        all
    }
}

impl SearchRequest {
    /// The answer within `filter`. `configured` is the ranking unless the request names another.
    fn answered(
        &self,
        index: &Index,
        mut filter: Filter,
        configured: Ranking,
    ) -> ServiceResult<SearchReply> {
        let min_share = self.min_share.unwrap_or(configured.min_share);
        let precise = self.precise.unwrap_or(configured.precise);
        let mut ranking = self.ranking.map_or(configured, RankingPreset::ranking);
        (ranking.min_share, ranking.precise) = (min_share, precise);
        ranking.channels = self.channels.unwrap_or(ranking.channels);
        ranking.fusion = self.fusion.unwrap_or(ranking.fusion);
        filter.tags.clone_from(&self.tags);
        filter.kinds.clone_from(&self.kinds);
        filter.version.clone_from(&self.version);
        filter.languages.clone_from(&self.languages);
        filter.dated = (
            self.since.as_deref().map(|text| day(text, Days::first)),
            self.until.as_deref().map(|text| day(text, Days::last)),
        );
        filter.fields.clone_from(&self.fields);
        let query = Query::new(&*self.query)
            .within(filter)
            .ranking(ranking.clone())
            .limit(self.offset + self.limit)
            .fold_copies(self.fold_copies)
            .rank(match self.ranks {
                RankedUnit::Documents => Rank::Documents,
                RankedUnit::Chunks => Rank::Chunks,
            });
        let wait = self
            .wait
            .and_then(|wait| Duration::try_from_secs_f64(wait).ok());
        let query = match wait {
            Some(wait) => query.rerank_wait(wait),
            None => query,
        };
        let mut answer = index.search(&query)?;
        let has_more = answer.documents.len() >= self.offset + self.limit;
        let before: usize = {
            let skipped = answer.documents.len().min(self.offset);
            let skipped = answer.documents.drain(..skipped);
            skipped.map(|document| document.chunks.len()).sum()
        };
        let least = self.min_score.unwrap_or(f32::NEG_INFINITY);
        let scores = answer.chunks().map(|hit| hit.score);
        let best = scores.max_by(f32::total_cmp);
        for document in &mut answer.documents {
            let is_left_out = |hit: &Hit| hit.score < least || (self.without_weak && hit.weak);
            document.chunks.retain(|hit| !is_left_out(hit));
        }
        let documents = &mut answer.documents;
        documents.retain(|document| !document.chunks.is_empty());
        Ok(SearchReply {
            answer,
            ranking,
            is_bare: false,
            has_more,
            too_low: best.filter(|best| *best < least),
            offset: before,
        })
    }
}

impl IndexTarget {
    /// Answers a question from the part of the index that the target is. The path and the
    /// collections of the request are ignored: the target was chosen by them.
    ///
    /// # Errors
    ///
    /// Those of the index.
    pub fn search(&self, index: &Index, request: &SearchRequest) -> ServiceResult<SearchReply> {
        let configured = self.configuration.ranking.clone();
        let mut reply = request.answered(index, self.filter.clone(), configured)?;
        let is_empty = reply.answer.documents.is_empty() && request.offset == 0;
        let below = self.path.as_deref().unwrap_or_default();
        let roots = self.sources.iter().map(|source| &*source.root);
        reply.is_bare = is_empty && !has_documents(index, roots, below)?;
        Ok(reply)
    }
}

impl Scope {
    /// Answers a question from what is visible.
    ///
    /// # Errors
    ///
    /// When a collection does not exist, nothing that is visible is indexed, or there are no
    /// documents at the path of the request, and those of the index.
    pub fn search(&self, index: &Index, request: &SearchRequest) -> ServiceResult<SearchReply> {
        let inward = |path: &String| self.inward(path);
        let inside = request.path.as_ref().map(inward).transpose()?;
        let sources = self.selected(index, &request.collections)?;
        let Some(below) = self.below(inside.as_deref()) else {
            return Err(ServiceError::NoDocumentsThere);
        };
        let filter = self.filter(&sources, below.clone());
        let mut reply = request.answered(index, filter, self.ranking(&sources))?;
        let is_empty = reply.answer.documents.is_empty() && request.offset == 0;
        let roots = sources.iter().map(|seen| &*seen.root);
        reply.is_bare = is_empty && !has_documents(index, roots, &below)?;
        if reply.is_bare && inside.is_some() {
            return Err(ServiceError::NoDocumentsThere);
        }
        Ok(reply)
    }

    /// How many files and folders of what a search reads were skipped, by reason, without those
    /// that are rarely wanted.
    ///
    /// # Errors
    ///
    /// As [`Scope::search`].
    pub fn skipped(
        &self,
        index: &Index,
        request: &SearchRequest,
    ) -> ServiceResult<BTreeMap<SkipReason, usize>> {
        let inward = |path: &String| self.inward(path);
        let inside = request.path.as_ref().map(inward).transpose()?;
        let mut counts = BTreeMap::new();
        let Some(below) = self.below(inside.as_deref()) else {
            return Ok(counts);
        };
        for seen in self.selected(index, &request.collections)? {
            for skip in index.skips(&seen.root)? {
                let is_wanted = !matches!(skip.reason, SkipReason::Hidden | SkipReason::Vendored);
                if is_wanted && is_at_or_below(&below, &skip.path) {
                    *counts.entry(skip.reason).or_default() += 1;
                }
            }
        }
        Ok(counts)
    }

    /// The notes about an answer, without those about what is not visible. If the index
    /// `is_behind`, which has a note of its own, also without what follows from it.
    ///
    /// # Errors
    ///
    /// Those of the index.
    pub fn notes<'a>(
        &self,
        index: &Index,
        answer: &'a Answer,
        is_behind: bool,
    ) -> ServiceResult<Vec<&'a Note>> {
        let mut said = Vec::new();
        for note in &answer.notes {
            let is_said = match note {
                // The note that the index is out of date includes what is missing.
                Note::NoVectors | Note::Behind { .. } if is_behind => false,
                Note::Absent(_) | Note::Scattered(_) => !is_behind,
                Note::VectorsBehind { .. } | Note::FormerVectors { .. } => {
                    !is_behind && self.is_all_of(index)?
                }
                _ => true,
            };
            if is_said {
                said.push(note);
            }
        }
        Ok(said)
    }
}

/// Whether there are documents in the sources at these roots, below a path.
fn has_documents<'r>(
    index: &Index,
    roots: impl Iterator<Item = &'r Path>,
    below: &str,
) -> ServiceResult<bool> {
    for root in roots {
        let options = ListOptions::default().source(root);
        let options = options.path(below).limit(1);
        if !index.documents(&options)?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}
