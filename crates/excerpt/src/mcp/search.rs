//! `search`: the chunks that answer a question.
//!
//! Chunks are ranked, not documents: an agent reads what it is given from the top, within a budget, and `limit` then counts passages. Ranked by
//! document, the second and third best passage of the first document would stand before the best of the next one.

use std::sync::Arc;

use anyhow::bail;
use excerpt_index::{Answer, Index, ListOptions, Note, Query, Rank};
use rmcp::model::{Tool, ToolAnnotations};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Value, json};

use super::arguments::Arguments;
use super::budget::{self, bounded, sent, shortened};
use super::fence::Fenced;
use super::instructions::Instructions;
use super::names::{address, ticked};
use super::passage::{Passage, fit};
use super::reply::{Reply, texts};
use super::scope::Seen;
use super::waiting::plain;
use super::{Shared, object};
use crate::place::{Changed, SyncMode};

pub(super) const NAME: &str = "search";

/// How many hits are answered with when nothing is said, and at most.
const DEFAULT: usize = 5;
const MOST: usize = 20;

/// What is told of a place without documents, be it inside of what is served or not.
const NOTHING_THERE: &str = "there are no documents at that `path`: `list` shows the folders";

pub(super) fn tool(instructions: &Instructions) -> Tool {
    let input = json!({
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "A question, or words; \"a phrase\" in quotes"},
            "limit": {"type": "integer", "minimum": 1, "maximum": MOST, "default": DEFAULT},
            "max_tokens": {"type": "integer", "default": budget::DEFAULT, "description": "For the whole answer"},
            "path": {"type": "string", "description": "Only this folder or document"},
            "collection": texts(),
            "tags": {"type": "array", "items": {"type": "string"}},
            "kind": {"type": "string", "description": "doc, script …"},
            "language": {"type": "string", "description": "rust, markdown …"},
            "version": {"type": "string"},
            "since": {"type": "string", "description": "YYYY-MM-DD"},
            "until": {"type": "string"},
            "fields": {"type": "object", "description": "Front matter: name and value"},
        },
        "required": ["query"],
        "additionalProperties": false,
    });
    let output = json!({
        "type": "object",
        "properties": {
            "hits": {"type": "array", "items": {
                "type": "object",
                "properties": {
                    "rank": {"type": "integer"},
                    "collection": {"type": "string"},
                    "path": {"type": "string"},
                    "citation": {"type": "string", "description": "path:first-last"},
                    "score": {"type": "number"},
                    "channel": {"type": "string", "enum": ["keywords", "vectors", "both"]},
                    "weak": {"type": "boolean", "description": "Probably no answer"},
                    "id": {"type": "string"},
                    "text": {"type": "string"},
                },
                "required": ["rank", "path", "citation", "score", "channel", "weak", "id"],
            }},
            "truncated": {
                "type": "object",
                "properties": {
                    "cut": texts(), "without_text": texts(), "omitted": {"type": "integer"},
                    "how": {"type": "string"},
                },
            },
            "notes": texts(),
        },
        "required": ["hits", "notes"],
    });
    Tool::new(NAME, instructions.of_search(), object(input))
        .with_title("Search")
        .with_raw_output_schema(object(output))
        .with_annotations(reads())
}

/// What is said of a tool that only reads.
pub(super) fn reads() -> ToolAnnotations {
    ToolAnnotations::new()
        .read_only(true)
        .destructive(false)
        .idempotent(true)
        .open_world(false)
}

/// Whether there are documents in `sources`, below `path` if one is named.
fn has_documents(index: &Index, sources: &[Seen], path: Option<&str>) -> anyhow::Result<bool> {
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

/// A search as it was asked for.
struct Asked {
    query: Query,
    path: Option<String>,
    collections: Vec<String>,
    max_tokens: usize,
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
        let mut query = Query::new(text)
            .ranking(self.ranking.clone())
            .rank(Rank::Chunks)
            .limit(arguments.whole("limit", 1, MOST)?.unwrap_or(DEFAULT));
        let filter = &mut query.filter;
        filter.tags = arguments.texts("tags")?;
        filter.kinds = arguments.texts("kind")?;
        filter.languages = arguments.texts("language")?;
        filter.version = arguments.text("version")?;
        filter.dated = (arguments.text("since")?, arguments.text("until")?);
        filter.fields = arguments.pairs("fields")?;
        let path = arguments.text("path")?;
        Ok(Asked {
            query,
            path: path.map(|path| self.scope.inward(&path)).transpose()?,
            collections: arguments.texts("collection")?,
            max_tokens: arguments
                .whole("max_tokens", budget::LEAST, budget::MOST)?
                .unwrap_or(budget::DEFAULT),
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
        let mut query = asked.query;
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
                true => "nothing was found in what is indexed so far",
                false if is_bare => "nothing can be found: there are no documents here",
                // What none has is told.
                false if answer.notes.iter().any(is_unmatched) => "nothing was found",
                false => "nothing was found: try other words, or fewer filters",
            };
            notes.insert(0, nothing.to_string());
        }
        if !is_bare {
            notes.extend(self.notes_of(index, &answer, is_behind)?);
        }
        if !answer.documents.is_empty() && answer.chunks().all(|hit| hit.weak) {
            notes.push("only weak matches: probably nothing here answers this".to_string());
        }
        notes.extend(self.changed(index, &answer)?);
        self.shown(&answer, asked.max_tokens, notes)
    }

    /// What the index says of the answer, as far as it is about what may be seen.
    fn notes_of(
        &self,
        index: &Index,
        answer: &Answer,
        is_behind: bool,
    ) -> anyhow::Result<Vec<String>> {
        let is_all = self.scope.is_all_of(index)?;
        let is_said = |note: &&Note| match note {
            // What is said of the whole holds for what it lacks.
            Note::NoVectors | Note::Behind { .. } if is_behind => false,
            Note::Absent(_) | Note::Scattered(_) => !is_behind,
            Note::VectorsBehind { .. } | Note::FormerVectors { .. } => is_all && !is_behind,
            _ => true,
        };
        let notes = answer.notes.iter().filter(is_said);
        let told = |note: &Note| match note {
            Note::Behind { .. } if self.keeper.mode() != SyncMode::Never => {
                "changes are being indexed: ask again in a moment for the latest".to_string()
            }
            // What there is comes from the documents.
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
                    true => "none has one".to_string(),
                    false => format!("there are {}", listed(known, ", ")),
                };
                let asked = listed(asked, " or ");
                format!("no document here has the {filter} {asked}: {there}")
            }
            // It may repeat a long question.
            note => bounded(&note.to_string()),
        };
        Ok(notes.map(told).collect())
    }

    /// The documents that are no longer as they were indexed.
    fn changed(&self, index: &Index, answer: &Answer) -> anyhow::Result<Vec<String>> {
        let mut seen = Vec::new();
        let mut notes = Vec::new();
        for found in &answer.documents {
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

    /// What one should know of a document that is no longer as it was indexed.
    pub(super) fn changed_note(&self, changed: Changed, path: &str) -> String {
        let path = ticked(&address(self.scope.outward(path)));
        match (changed, self.options.sync) {
            (Changed::Other, SyncMode::Auto) => format!(
                "{path} was changed after it had been indexed: ask again in a moment for what it says now"
            ),
            _ => changed.told(&path),
        }
    }

    fn shown(&self, answer: &Answer, most: usize, mut notes: Vec<String>) -> anyhow::Result<Reply> {
        let found = answer
            .documents
            .iter()
            .flat_map(|document| document.chunks.iter().map(move |hit| (document, hit)));
        let mut hits: Vec<Passage<'_>> = found
            .enumerate()
            .map(|(at, (document, hit))| {
                Passage::of(at + 1, document, hit, self.scope.outward(&document.path))
            })
            .collect();
        let mut under = Fenced::default();
        under.notes(&notes);
        under.line("end");
        let truncated = fit(
            &mut hits,
            most.saturating_sub(sent(&under.measured(), &notes)),
        );
        let mut text = Fenced::default();
        for hit in &hits {
            text.line(&hit.head());
            text.quote(hit.text.as_deref().unwrap_or_default());
            if truncated.cut.contains(&hit.rank) || truncated.without_text.contains(&hit.rank) {
                text.line(&hit.rest());
            }
        }
        // By way of text, so that a score is written as `excerpt search --json` writes it.
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
        Ok(Reply::of(text.sealed(&self.marks), data))
    }
}
