//! `search`: the chunks that answer a question.
//!
//! Chunks are ranked, not documents: an agent reads an answer from the top, within a budget, and
//! `limit` then counts passages. Ranked by document, the second and third best passage of the first
//! document would come before the best of the next one.

use std::collections::HashSet;
use std::sync::Arc;

use excerpt_index::{Answer, DocumentHits, Index, Note};
use excerpt_service::text::address::{address, ticked};
use excerpt_service::text::budget::{bounded, shortened, tokens};
use excerpt_service::text::{counted, skip_counts};
use excerpt_service::{
    BriefDocument, BriefHit, Changed, DocumentHit, RankedUnit, SearchHit, SearchReply,
    SearchRequest, SyncMode, fit, shown_count,
};
use rmcp::model::Tool;
use rmcp::service::{RequestContext, RoleServer};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::annotations::reads;
use super::arguments::{object, read_fields, read_tokens, schema};
use super::fence::{Fenced, measured};
use super::instructions::Instructions;
use super::messages;
use super::names::quoted;
use super::passage::{FormCost, head, how, place};
use super::reply::{Form, Reply};
use super::shared::Shared;
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

fn is_unmatched(note: &Note) -> bool {
    matches!(note, Note::Unmatched { .. } | Note::Undated { .. })
}

/// A question, and how the answer is shown.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SearchArguments {
    /// A question or keywords; "a phrase" in quotes.
    query: String,
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = MOST))]
    limit: usize,
    /// Default: 200 per `limit`, at least 1000.
    #[serde(default, deserialize_with = "read_tokens")]
    max_tokens: Option<usize>,
    /// Only in this folder or document.
    #[serde(default)]
    path: Option<String>,
    #[serde(default)]
    collection: Vec<String>,
    #[serde(default)]
    tags: Vec<String>,
    /// doc, script …
    #[serde(default)]
    kind: Vec<String>,
    /// rust, markdown …
    #[serde(default)]
    language: Vec<String>,
    #[serde(default)]
    version: Option<String>,
    /// YYYY-MM-DD
    #[serde(default)]
    since: Option<String>,
    #[serde(default)]
    until: Option<String>,
    /// Of the front matter.
    #[serde(default, deserialize_with = "read_fields")]
    #[schemars(schema_with = "object")]
    fields: Vec<(String, String)>,
    /// Show weak matches.
    #[serde(default)]
    weak: bool,
    /// Documents only, without text.
    #[serde(default)]
    documents: bool,
    #[serde(default)]
    format: Form,
}

fn default_limit() -> usize {
    DEFAULT
}

pub(super) fn tool(instructions: &Instructions) -> Tool {
    Tool::new(NAME, instructions.of_search(), schema::<SearchArguments>())
        .with_title("Search")
        .with_annotations(reads())
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
    fn of(arguments: &SearchArguments) -> Shown {
        let tokens = TOKENS * arguments.limit.max(DEFAULT);
        Shown {
            form: arguments.format,
            weak: arguments.weak,
            documents: arguments.documents,
            max_tokens: arguments.max_tokens.unwrap_or(tokens),
        }
    }

    /// Whether weak hits after the last good one are only counted, and copies of better hits folded
    /// into these. A program gets all of them.
    fn folds(self) -> bool {
        self.form == Form::Text && !self.weak
    }

    /// How many of some hits, best first, are shown.
    fn count<T>(self, found: &[T], is_weak: impl Fn(&T) -> bool) -> usize {
        match self.folds() {
            true => shown_count(found, is_weak),
            false => found.len(),
        }
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

impl SearchArguments {
    fn request(self, shown: Shown) -> SearchRequest {
        SearchRequest {
            query: self.query,
            path: self.path,
            collections: self.collection,
            tags: self.tags,
            kinds: self.kind,
            languages: self.language,
            version: self.version,
            since: self.since,
            until: self.until,
            fields: self.fields,
            limit: self.limit,
            ranks: match self.documents {
                true => RankedUnit::Documents,
                false => RankedUnit::Chunks,
            },
            // Documents without texts do not name their copies.
            fold_copies: !self.documents && shown.folds(),
            ..SearchRequest::default()
        }
    }
}

impl Shared {
    pub(super) async fn search(
        self: &Arc<Self>,
        arguments: SearchArguments,
        context: &RequestContext<RoleServer>,
    ) -> anyhow::Result<Reply> {
        let shown = Shown::of(&arguments);
        let request = arguments.request(shown);
        self.read(context, move |shared, index| {
            shared.answered(index, &request, shown)
        })
        .await
    }

    fn answered(
        &self,
        index: &Index,
        request: &SearchRequest,
        shown: Shown,
    ) -> anyhow::Result<Reply> {
        let reply = self.scope.search(index, request);
        let reply = reply.map_err(|error| self.explained(error, index))?;
        let answer = &reply.answer;
        let mut notes = self.lag(index, &request.collections);
        let is_behind = !notes.is_empty();
        if answer.documents.is_empty() {
            let nothing = match is_behind {
                true => "no results in what is indexed so far",
                false if reply.is_bare => "no results: there are no documents here",
                // A filter value that no document has is reported.
                false if answer.notes.iter().any(is_unmatched) => "no results",
                false => "no results: try other words or fewer filters",
            };
            notes.insert(0, nothing.to_string());
        }
        if reply.is_bare && !is_behind {
            let skipped = self.scope.skipped(index, request)?;
            if !skipped.is_empty() {
                notes.push(format!("not searched: {}", skip_counts(&skipped)));
            }
        }
        if !reply.is_bare {
            let said = self.scope.notes(index, answer, is_behind)?;
            notes.extend(said.into_iter().map(|note| self.note_of(note)));
        }
        let is_weak = |document: &DocumentHits| document.chunks.iter().all(|hit| hit.weak);
        let count = shown.count(&answer.documents, is_weak);
        let documents = answer.documents.iter().take(count);
        for (path, changed) in SearchReply::changed(documents) {
            notes.push(self.changed_note(changed, path));
        }
        let scores = Scores::of(&reply.ranking);
        match shown.documents {
            true => self.without_texts(answer, (shown, scores), notes),
            false => self.shown(answer, (shown, scores), notes),
        }
    }

    /// A note of the index about an answer.
    fn note_of(&self, note: &Note) -> String {
        match note {
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
                // As the arguments are called.
                let filter = match &**filter {
                    "type" => "kind".to_string(),
                    field if note.names_field() => {
                        let field = ticked(&address(&shortened(field)));
                        format!("front matter field {field} with the value")
                    }
                    filter => filter.to_string(),
                };
                format!("no document here has the {filter} {asked}: {there}")
            }
            // It may repeat a long question.
            note => bounded(&messages::note(note)),
        }
    }

    /// The note about a document that has changed since it was indexed.
    pub(super) fn changed_note(&self, changed: Changed, path: &str) -> String {
        let path = ticked(&address(self.scope.outward(path)));
        match (changed, self.rights.sync) {
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
        let found = found
            .enumerate()
            .map(|(at, (document, hit))| SearchHit::of(at + 1, document, hit, &*self.scope));
        let found: Vec<SearchHit<'_>> = found.collect();
        let mut hits: Vec<BriefHit<'_>> = found.iter().map(BriefHit::of).collect();
        let form = shown.form;
        let good = shown_count(&hits, |hit| hit.weak);
        let weaker: Vec<String> = hits[good..].iter().map(place).collect();
        notes.extend(weak_note(&weaker, hits.len(), shown));
        hits.truncate(shown.count(&hits, |hit| hit.weak));
        // The fields of a document are shown with its best hit.
        let mut seen = HashSet::new();
        for hit in &mut hits {
            if !seen.insert((hit.collection, hit.path)) {
                hit.fields.clear();
            }
        }
        let cost = FormCost { form, scores };
        let truncated = fit(&mut hits, shown.left_above(&notes), &cost);
        let mut text = Fenced::default();
        for hit in &hits {
            text.line(&head(hit, scores));
            text.quote(hit.text.unwrap_or_default());
        }
        // Serialized to text first, so that scores are written as by `excerpt search --json`.
        let written: Value = serde_json::from_str(&serde_json::to_string(&hits)?)?;
        let mut data = json!({"hits": written, "notes": notes});
        if let Some(how) = how(&truncated) {
            let citations = |ranks: &[usize]| -> Vec<&str> {
                let named = hits.iter().filter(|hit| ranks.contains(&hit.rank));
                named.map(|hit| hit.citation).collect()
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

/// The path of a document as shown in a line and accepted by `get`.
fn document_place(found: &BriefDocument<'_>) -> String {
    let collection = found.collection.map(|name| format!("{}: ", address(name)));
    format!("{}{}", collection.unwrap_or_default(), address(found.path))
}

fn document_line(found: &BriefDocument<'_>, scores: Scores) -> String {
    let title = found.title.as_deref();
    let title = title.map(|title| format!(" · {}", quoted(title)));
    format!(
        "[{}] {} · score {}{}{}",
        found.rank,
        document_place(found),
        scores.precise(found.score),
        if found.weak { " weak" } else { "" },
        title.unwrap_or_default()
    )
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
        let documents = documents.map(|document| DocumentHit::of(document, &*self.scope));
        let documents: Vec<DocumentHit<'_>> = documents.collect();
        let mut found: Vec<BriefDocument<'_>> = documents.iter().map(BriefDocument::of).collect();
        let good = shown_count(&found, |found| found.weak);
        let weaker: Vec<String> = found[good..].iter().map(document_place).collect();
        notes.extend(weak_note(&weaker, found.len(), shown));
        found.truncate(shown.count(&found, |found| found.weak));
        let mut text = Fenced::default();
        let mut left = shown.left_above(&notes).saturating_sub(HOW);
        let mut kept = 0;
        for found in &mut found {
            let taken = |found: &BriefDocument<'_>| {
                let line = measured(&document_line(found, scores));
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
            text.line(&document_line(found, scores));
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

/// The note about the weak matches after the last good one of `total`, of which these are the
/// places: how many are hidden, or that there are no others.
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
