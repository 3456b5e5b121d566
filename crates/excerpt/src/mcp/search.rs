//! `search`: the chunks that answer a question.
//!
//! Chunks are ranked, not documents: an agent reads an answer from the top, within a budget, and
//! `limit` then counts passages. Ranked by document, the second and third best passage of the first
//! document would come before the best of the next one.

use std::collections::HashSet;
use std::sync::Arc;

use anyhow::bail;
use excerpt_index::{Answer, DocumentHits, Hit, Index, ListOptions, Note, Query, Rank};
use excerpt_service::text::budget::{self, bounded, shortened, tokens};
use excerpt_service::text::counted;
use excerpt_service::{Changed, SyncMode, VisibleSource};
use rmcp::model::{Tool, ToolAnnotations};
use rmcp::service::{RequestContext, RoleServer};
use serde::Serialize;
use serde_json::{Value, json};

use super::arguments::Arguments;
use super::fence::{Fenced, measured};
use super::instructions::Instructions;
use super::names::{address, quoted, ticked};
use super::passage::{QuotedHit, fit};
use super::reply::{Form, Reply, texts};
use super::waiting::plain;
use super::{Shared, object};
use crate::output::ONLY_WEAK;
use crate::scores::Scores;

pub(super) const NAME: &str = "search";

/// The default and the maximum number of hits.
const DEFAULT: usize = 5;
const MOST: usize = 20;

/// The default of `max_tokens`, for each hit of `limit`. With half of it, a hit is its citation and
/// a sentence or two; with twice as much, every question pays for passages that turn out not to be
/// needed, and `get` can read those that are.
const TOKENS: usize = 200;

/// The error for a place without documents, whether or not it is inside what is served.
const NOTHING_THERE: &str = "no documents at that `path`: `list` shows the folders";

pub(super) fn tool(instructions: &Instructions) -> Tool {
    let input = json!({
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "A question or keywords; \"a phrase\" in quotes"},
            "limit": {"type": "integer", "minimum": 1, "maximum": MOST, "default": DEFAULT},
            "max_tokens": {"type": "integer", "description": "Default: 200 for each of `limit`, at least 1000"},
            "path": {"type": "string", "description": "Only in this folder or document"},
            "collection": texts(),
            "tags": {"type": "array", "items": {"type": "string"}},
            "kind": {"type": "string", "description": "doc, script …"},
            "language": {"type": "string", "description": "rust, markdown …"},
            "version": {"type": "string"},
            "since": {"type": "string", "description": "YYYY-MM-DD"},
            "until": {"type": "string"},
            "fields": {"type": "object", "description": "Front matter fields and their values"},
            "weak": {"type": "boolean", "description": "Show weak matches"},
            "documents": {"type": "boolean", "description": "Documents only, without text"},
            "format": Form::schema(),
        },
        "required": ["query"],
        "additionalProperties": false,
    });
    Tool::new(NAME, instructions.of_search(), object(input))
        .with_title("Search")
        .with_annotations(reads())
}

/// The annotations of a tool that only reads.
pub(super) fn reads() -> ToolAnnotations {
    ToolAnnotations::new()
        .read_only(true)
        .destructive(false)
        .idempotent(true)
        .open_world(false)
}

/// Whether there are documents in `sources`, below `path` if one is named.
fn has_documents(
    index: &Index,
    sources: &[VisibleSource],
    path: Option<&str>,
) -> anyhow::Result<bool> {
    for seen in sources {
        let mut options = ListOptions::default().source(&seen.root).limit(1);
        options.path = path.map(str::to_string);
        if !index.documents(&options).map_err(plain)?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

fn is_unmatched(note: &Note) -> bool {
    matches!(note, Note::Unmatched { .. })
}

/// A search request.
struct Asked {
    query: Query,
    path: Option<String>,
    collections: Vec<String>,
    shown: Shown,
}

/// How the answer is shown.
#[derive(Clone, Copy)]
struct Shown {
    form: Form,
    /// Whether a text shows weak hits in full.
    weak: bool,
    /// Whether documents are shown without their texts.
    documents: bool,
    max_tokens: usize,
}

impl Shown {
    /// Whether weak hits are only counted, and copies of better hits folded into these. A program
    /// gets all of them.
    fn folds(self) -> bool {
        self.form == Form::Text && !self.weak
    }

    /// The tokens that are left above the notes and the last line.
    fn left_above(self, notes: &[String]) -> usize {
        let mut under = Fenced::default();
        under.notes(notes);
        under.line("end");
        let under = self.form.tokens(&under.measured(), &notes);
        self.max_tokens.saturating_sub(under)
    }
}

impl Shared {
    pub(super) async fn search(
        self: &Arc<Self>,
        arguments: &mut Arguments,
        context: &RequestContext<RoleServer>,
    ) -> anyhow::Result<Reply> {
        let asked = self.asked(arguments)?;
        self.read(context, move |shared, index| shared.found(index, asked))
            .await
    }

    fn asked(&self, arguments: &mut Arguments) -> anyhow::Result<Asked> {
        let text = arguments.text("query")?.unwrap_or_default();
        let limit = arguments.whole("limit", 1, MOST)?.unwrap_or(DEFAULT);
        let mut query = Query::new(text).rank(Rank::Chunks).limit(limit);
        let filter = &mut query.filter;
        filter.tags = arguments.texts("tags")?;
        filter.kinds = arguments.texts("kind")?;
        filter.languages = arguments.texts("language")?;
        filter.version = arguments.text("version")?;
        filter.dated = (arguments.text("since")?, arguments.text("until")?);
        filter.fields = arguments.pairs("fields")?;
        let path = arguments.text("path")?;
        let documents = arguments.truth("documents")?;
        if documents {
            query = query.rank(Rank::Documents);
        }
        let shown = Shown {
            form: arguments.form()?,
            weak: arguments.truth("weak")?,
            documents,
            max_tokens: arguments
                .whole("max_tokens", budget::LEAST, budget::MOST)?
                .unwrap_or(TOKENS * limit.max(DEFAULT)),
        };
        Ok(Asked {
            // Documents without texts do not name their copies.
            query: query.fold_copies(shown.folds() && !documents),
            path: path.map(|path| self.scope.inward(&path)).transpose()?,
            collections: arguments.texts("collection")?,
            shown,
        })
    }

    fn found(&self, index: &mut Index, asked: Asked) -> anyhow::Result<Reply> {
        let scope = &self.scope;
        let sources = scope.chosen(&asked.collections)?;
        let sources = scope.indexed(index, sources)?;
        if sources.is_empty() {
            return self.nothing_indexed(index);
        }
        let Some(path) = scope.below(asked.path.as_deref()) else {
            bail!(NOTHING_THERE);
        };
        let ranking = scope.ranking(&sources, &self.options.embedding);
        let ranking = ranking.unwrap_or_else(|_| self.ranking.clone());
        let scores = Scores::of(&ranking);
        let mut query = asked.query.ranking(ranking);
        let places = scope.filter(&sources, path);
        query.filter.sources = places.sources;
        query.filter.path = places.path;
        let answer = index.search(&query).map_err(plain)?;
        let is_bare = answer.documents.is_empty()
            && !has_documents(index, &sources, query.filter.path.as_deref())?;
        if is_bare && asked.path.is_some() {
            bail!(NOTHING_THERE);
        }
        let mut notes = self.lag(index);
        let is_behind = !notes.is_empty();
        if answer.documents.is_empty() {
            let nothing = match is_behind {
                true => "no results in what is indexed so far",
                false if is_bare => "no results: there are no documents here",
                // A filter value that no document has is reported.
                false if answer.notes.iter().any(is_unmatched) => "no results",
                false => "no results: try other words or fewer filters",
            };
            notes.insert(0, nothing.to_string());
        }
        if !is_bare {
            notes.extend(self.notes_of(index, &answer, is_behind)?);
        }
        let is_shown = |hit: &Hit| !hit.weak || !asked.shown.folds();
        let documents = answer.documents.iter();
        let documents = documents.filter(|document| document.chunks.iter().any(is_shown));
        notes.extend(self.changed(index, documents)?);
        match asked.shown.documents {
            true => self.without_texts(&answer, (asked.shown, scores), notes),
            false => self.shown(&answer, (asked.shown, scores), notes),
        }
    }

    /// The notes of the index about the answer, without those about what is not visible.
    fn notes_of(
        &self,
        index: &Index,
        answer: &Answer,
        is_behind: bool,
    ) -> anyhow::Result<Vec<String>> {
        let is_all = self.scope.is_all_of(index)?;
        let is_said = |note: &&Note| match note {
            // The note that the index is out of date includes what is missing.
            Note::NoVectors | Note::Behind { .. } if is_behind => false,
            Note::Absent(_) | Note::Scattered(_) => !is_behind,
            Note::VectorsBehind { .. } | Note::FormerVectors { .. } => is_all && !is_behind,
            _ => true,
        };
        let notes = answer.notes.iter().filter(is_said);
        let told = |note: &Note| match note {
            Note::Behind { .. } if self.engine.mode() != SyncMode::Never => {
                "changes are being indexed: ask again in a moment for the latest".to_string()
            }
            // The existing values come from documents.
            Note::Unmatched {
                filter,
                asked,
                known,
            } => {
                let listed = |values: &[String], between: &str| {
                    let values = values.iter();
                    let values = values.map(|value| ticked(&address(&shortened(value))));
                    values.collect::<Vec<_>>().join(between)
                };
                let there = match known.is_empty() {
                    true => "no document has one".to_string(),
                    false => format!("they have {}", listed(known, ", ")),
                };
                let asked = listed(asked, " or ");
                format!("no document here has the {filter} {asked}: {there}")
            }
            // It may repeat a long question.
            note => bounded(&note.to_string()),
        };
        Ok(notes.map(told).collect())
    }

    /// Notes about the documents that have changed since they were indexed.
    fn changed<'d>(
        &self,
        index: &Index,
        documents: impl Iterator<Item = &'d DocumentHits>,
    ) -> anyhow::Result<Vec<String>> {
        let mut seen = Vec::new();
        let mut notes = Vec::new();
        for found in documents {
            let place = (&found.source, &found.path);
            if seen.contains(&place) {
                continue;
            }
            seen.push(place);
            let options = ListOptions::default()
                .source(&found.source)
                .path(&found.path);
            let entries = index.documents(&options).map_err(plain)?;
            let entry = entries.iter().find(|entry| entry.path == found.path);
            let changed = entry.and_then(|entry| {
                Changed::since(&found.source, &found.path, entry.size, entry.modified)
            });
            notes.extend(changed.map(|changed| self.changed_note(changed, &found.path)));
        }
        Ok(notes)
    }

    /// The note about a document that has changed since it was indexed.
    pub(super) fn changed_note(&self, changed: Changed, path: &str) -> String {
        let path = ticked(&address(self.scope.outward(path)));
        match (changed, self.options.sync) {
            (Changed::Other, SyncMode::Auto) => format!(
                "{path} changed after it was indexed: ask again in a moment for its current text"
            ),
            (Changed::Gone, _) => format!("{path} no longer exists: this is its indexed text"),
            (Changed::Other, _) => {
                format!("{path} has changed since it was indexed: run `excerpt sync`")
            }
        }
    }

    /// The hits of an answer with as much of their texts as there is room for.
    fn shown(
        &self,
        answer: &Answer,
        (shown, scores): (Shown, Scores),
        mut notes: Vec<String>,
    ) -> anyhow::Result<Reply> {
        let found = answer
            .documents
            .iter()
            .flat_map(|document| document.chunks.iter().map(move |hit| (document, hit)));
        let mut hits: Vec<QuotedHit<'_>> = found
            .enumerate()
            .map(|(at, (document, hit))| {
                QuotedHit::of(at + 1, document, hit, scores, |path| {
                    self.scope.outward(path)
                })
            })
            .collect();
        let form = shown.form;
        let weak = hits.iter().filter(|hit| hit.weak);
        let weak: Vec<String> = weak.map(QuotedHit::place).collect();
        notes.extend(weak_note(&weak, hits.len(), shown));
        if shown.folds() {
            hits.retain(|hit| !hit.weak);
        }
        // The fields of a document are shown with its best hit.
        let mut seen = HashSet::new();
        for hit in &mut hits {
            if !seen.insert((hit.collection, hit.path)) {
                hit.fields.clear();
            }
        }
        let truncated = fit(form, &mut hits, shown.left_above(&notes));
        let mut text = Fenced::default();
        for hit in &hits {
            text.line(&hit.head());
            text.quote(hit.text.unwrap_or_default());
        }
        // Serialized to text first, so that scores are written as by `excerpt search --json`.
        let written: Value = serde_json::from_str(&serde_json::to_string(&hits)?)?;
        let mut data = json!({"hits": written, "notes": notes});
        if let Some(how) = truncated.how() {
            let citations = |ranks: &[usize]| -> Vec<&str> {
                let named = hits.iter().filter(|hit| ranks.contains(&hit.rank));
                named.map(|hit| &*hit.citation).collect()
            };
            data["truncated"] = json!({
                "cut": citations(&truncated.cut),
                "without_text": citations(&truncated.without_text),
                "omitted": truncated.omitted,
                "how": how,
            });
            notes.push(how);
        }
        text.notes(&notes);
        Ok(Reply::of(form, text.sealed(&self.marks), &data))
    }
}

/// A document of an answer, without its text. The names are those of [`crate::wire::DocumentHit`].
#[derive(Serialize)]
struct Found<'a> {
    rank: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    collection: Option<&'a str>,
    path: &'a str,
    title: Option<String>,
    score: f32,
    weak: bool,
}

impl Found<'_> {
    /// Its path as shown in a line and accepted by `get`.
    fn place(&self) -> String {
        let collection = self.collection.map(|name| format!("{}: ", address(name)));
        format!("{}{}", collection.unwrap_or_default(), address(self.path))
    }

    fn line(&self, scores: Scores) -> String {
        let title = self.title.as_deref();
        let title = title.map(|title| format!(" · {}", quoted(title)));
        format!(
            "[{}] {} · score {}{}{}",
            self.rank,
            self.place(),
            scores.precise(self.score),
            if self.weak { " weak" } else { "" },
            title.unwrap_or_default()
        )
    }
}

impl Shared {
    /// The documents of an answer, without their texts.
    fn without_texts(
        &self,
        answer: &Answer,
        (shown, scores): (Shown, Scores),
        mut notes: Vec<String>,
    ) -> anyhow::Result<Reply> {
        /// The tokens for the note about what is omitted.
        const HOW: usize = 20;
        let documents = answer.documents.iter();
        let mut found: Vec<Found<'_>> = documents
            .map(|document| Found {
                rank: document.rank,
                collection: document.collection.as_deref(),
                path: self.scope.outward(&document.path),
                title: document.title.as_deref().map(bounded),
                score: document.score,
                weak: document.chunks.iter().all(|hit| hit.weak),
            })
            .collect();
        let weak = found.iter().filter(|found| found.weak);
        let weak: Vec<String> = weak.map(Found::place).collect();
        notes.extend(weak_note(&weak, found.len(), shown));
        if shown.folds() {
            found.retain(|found| !found.weak);
        }
        let mut text = Fenced::default();
        let mut left = shown.left_above(&notes).saturating_sub(HOW);
        let mut kept = 0;
        for found in &mut found {
            let taken = |found: &Found<'_>| {
                let line = measured(&found.line(scores));
                shown.form.tokens(&line, found) + 1
            };
            if taken(found) > left && kept > 0 {
                break;
            }
            // One that is too long alone.
            if taken(found) > left {
                found.title = found.title.as_deref().map(shortened);
            }
            left = left.saturating_sub(taken(found));
            text.line(&found.line(scores));
            kept += 1;
        }
        if kept < found.len() {
            let omitted = counted(found.len() - kept, "document");
            notes.push(format!("{omitted} left out: raise `max_tokens`"));
        }
        text.notes(&notes);
        let written: Value = serde_json::from_str(&serde_json::to_string(&found[..kept])?)?;
        let data = json!({"documents": written, "notes": notes});
        Ok(Reply::of(shown.form, text.sealed(&self.marks), &data))
    }
}

/// The note about weak matches, of which these are the places, among `total`: how many are hidden,
/// or that there are no others.
fn weak_note(weak: &[String], total: usize, shown: Shown) -> Option<String> {
    /// The maximum number of tokens for the places of the best of them.
    const PLACES: usize = 60;
    let is_all = weak.len() == total;
    if weak.is_empty() || !(is_all || shown.folds()) {
        return None;
    }
    if !shown.folds() {
        return Some(ONLY_WEAK.to_string());
    }
    if !is_all {
        let matches = match weak.len() {
            1 => "1 weaker match".to_string(),
            count => format!("{count} weaker matches"),
        };
        return Some(format!("{matches}: ask with `weak: true`"));
    }
    let mut places = String::new();
    for place in weak.iter().take(3) {
        let place = format!(" {}", ticked(place));
        if tokens(&places) + tokens(&place) > PLACES {
            break;
        }
        places += &place;
    }
    let shown = "to see them, ask with `weak: true`";
    Some(match places.is_empty() {
        true => format!("only weak matches, probably no answer: {shown}"),
        false => format!("only weak matches, probably no answer:{places}; {shown}"),
    })
}
