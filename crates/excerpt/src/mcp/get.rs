//! `get`: documents, or parts of them, as indexed.

use std::sync::Arc;

use anyhow::{anyhow, bail};
use excerpt_index::{DocumentText, Error, Index, ListOptions, ReadOptions, Target};
use excerpt_service::text::budget::{self, beginning, bounded};
use excerpt_service::text::shown;
use excerpt_service::{Changed, Fragment, VisibleSource, is_id, parsed};
use rmcp::model::Tool;
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Value, json};

use super::arguments::Arguments;
use super::fence::{Fenced, measured};
use super::names::{address, quoted, ticked, unquoted};
use super::reply::{Form, Reply, texts};
use super::search::reads;
use super::told::message;
use super::waiting::plain;
use super::{Shared, links, object, resources};

pub(super) const NAME: &str = "get";

/// The maximum number of targets of a call.
const MOST: usize = 20;

/// The minimum number of tokens for a useful part of a document, and the tokens that it takes to
/// name a document without text.
const WORTH: usize = 150;
const NAMED: usize = 40;

pub(super) fn tool() -> Tool {
    let input = json!({
        "type": "object",
        "properties": {
            "targets": {
                "type": "array", "items": {"type": "string"}, "maxItems": MOST,
                "description": "path, path:10-20, path#section or id",
            },
            "neighbours": {"type": "integer", "description": "Chunks to add before and after"},
            "links": {"type": "boolean"},
            "max_tokens": {"type": "integer", "default": budget::DEFAULT},
            "collection": texts(),
            "format": Form::schema(),
        },
        "required": ["targets"],
        "additionalProperties": false,
    });
    let description = "Read documents, lines, sections or chunks that `search` or `list` named. A target that cannot be read has its own error.";
    Tool::new(NAME, description, object(input))
        .with_title("Get")
        .with_annotations(reads())
}

/// The result for one target.
struct Item {
    target: String,
    read: anyhow::Result<(VisibleSource, DocumentText)>,
}

impl Shared {
    pub(super) async fn get(
        self: &Arc<Self>,
        arguments: &mut Arguments,
        context: &RequestContext<RoleServer>,
    ) -> anyhow::Result<Reply> {
        let targets = arguments.texts("targets")?;
        if targets.is_empty() || targets.len() > MOST {
            bail!("`targets` has {}, expected 1 to {MOST}", targets.len());
        }
        let mut options = ReadOptions::default();
        options.neighbours = arguments.whole("neighbours", 0, 1000)?;
        options.links = arguments.truth("links")?;
        let most = arguments.whole("max_tokens", budget::LEAST, budget::MOST)?;
        let collections = arguments.texts("collection")?;
        let form = arguments.form()?;
        self.read(context, move |shared, index| {
            let sources = shared.scope.chosen(&collections)?;
            let sources = shared.scope.indexed(index, sources)?;
            if sources.is_empty() {
                return shared.nothing_indexed(index);
            }
            let items: Vec<Item> = targets
                .into_iter()
                .map(|target| Item {
                    read: shared.read_target(index, &sources, &target, &options),
                    target,
                })
                .collect();
            let notes = shared.lag(index);
            Ok(shared.print(form, items, most.unwrap_or(budget::DEFAULT), notes))
        })
        .await
    }

    /// Reads a target from the one of `sources` that contains it. A path may be in quotes, as
    /// answers write it.
    pub(super) fn read_target(
        &self,
        index: &Index,
        sources: &[VisibleSource],
        given: &str,
        options: &ReadOptions,
    ) -> anyhow::Result<(VisibleSource, DocumentText)> {
        if let Some((name, path)) = resources::parsed(given) {
            let named = sources.iter().filter(|seen| seen.name == name);
            let named: Vec<VisibleSource> = named.cloned().collect();
            return self.read_path(index, &named, &path, options);
        }
        // The form in which a hit from several collections is shown.
        if let Some((name, rest)) = given.split_once(": ")
            && let Some(seen) = sources
                .iter()
                .find(|seen| seen.collection_name() == Some(name))
        {
            return self.read_path(index, std::slice::from_ref(seen), rest, options);
        }
        self.read_path(index, sources, given, options)
    }

    /// Reads a target that does not name its source.
    fn read_path(
        &self,
        index: &Index,
        sources: &[VisibleSource],
        given: &str,
        options: &ReadOptions,
    ) -> anyhow::Result<(VisibleSource, DocumentText)> {
        let read = self.read_plain(index, sources, given, options);
        match unquoted(given).filter(|_| read.is_err()) {
            Some(given) => self.read_plain(index, sources, &given, options),
            None => read,
        }
    }

    fn read_plain(
        &self,
        index: &Index,
        sources: &[VisibleSource],
        given: &str,
        options: &ReadOptions,
    ) -> anyhow::Result<(VisibleSource, DocumentText)> {
        if is_id(given)
            && let Some(found) = self.read_chunk(index, sources, given, options)?
        {
            return Ok(found);
        }
        let exists = |path: &str| {
            let path = self.scope.inward(path);
            path.is_ok_and(|path| {
                let target = Target::document(path);
                let mut all = sources.iter();
                all.any(|seen| index.get(&target, &self.scope.reading(seen)).is_ok())
            })
        };
        let (path, part) = parsed(given, exists)?;
        let inside = self.scope.inward(path)?;
        let target = match part {
            Fragment::Whole => Target::document(&*inside),
            Fragment::Lines(first, last) => Target::lines_from(&*inside, first, last),
            Fragment::Section(section) => Target::section(&*inside, section),
        };
        let mut found = Vec::new();
        let (mut closest, mut skipped) = (None, None);
        for seen in sources {
            match index.get(&target, &self.bounded(seen, options)) {
                Ok(document) => found.push((seen.clone(), document)),
                Err(Error::UnknownDocument { closest: close, .. }) => closest = closest.or(close),
                Err(error @ Error::Skipped { .. }) => skipped = skipped.or(Some(error)),
                Err(error) => return Err(self.inside_out(error, &inside)),
            }
        }
        if let (Some(error), true) = (skipped, found.is_empty()) {
            return Err(self.inside_out(error, &inside));
        }
        // A document that is also in a collection is read from the folder, unless the collection is
        // named.
        if found.len() > 1 && found[0].0.collection.is_none() {
            found.truncate(1);
        }
        match found.len() {
            1 => Ok(found.remove(0)),
            0 if self.is_folder(index, sources, &inside)? => {
                bail!("`{}` is a folder: `list` shows its documents", shown(path))
            }
            0 => {
                let close = closest
                    .map(|close| ticked(&address(self.scope.outward(&close))))
                    .map(|close| format!(": did you mean {close}?"));
                let close =
                    close.unwrap_or_else(|| ": `list` and `search` show what exists".to_string());
                bail!("`{}` was not found{close}", shown(path))
            }
            _ => {
                let names = found.iter().map(|(seen, _)| match seen.collection_name() {
                    Some(name) => format!("`{name}`"),
                    None => "the folder itself".to_string(),
                });
                let names: Vec<String> = names.collect();
                bail!(
                    "`{}` is in {}: name the `collection`",
                    shown(path),
                    names.join(" and ")
                )
            }
        }
    }

    /// Whether there are documents below `path`, a path inside the sources.
    fn is_folder(
        &self,
        index: &Index,
        sources: &[VisibleSource],
        path: &str,
    ) -> anyhow::Result<bool> {
        let Some(below) = self.scope.below(Some(path)) else {
            return Ok(false);
        };
        for seen in sources {
            let options = ListOptions::default()
                .source(&seen.root)
                .path(&below)
                .limit(1);
            if !index.documents(&options).map_err(plain)?.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// An error of the index about the document at `path`, with the path as shown.
    fn inside_out(&self, error: Error, path: &str) -> anyhow::Error {
        let shown = format!("`{}`", self.scope.outward(path));
        anyhow!(
            "{}",
            plain(error)
                .to_string()
                .replace(&format!("`{path}`"), &shown)
        )
    }

    fn bounded(&self, seen: &VisibleSource, options: &ReadOptions) -> ReadOptions {
        let mut bounded = self.scope.reading(seen);
        bounded.neighbours = options.neighbours;
        bounded.links = options.links;
        bounded
    }

    /// The chunk whose id begins like this, if there is one.
    fn read_chunk(
        &self,
        index: &Index,
        sources: &[VisibleSource],
        id: &str,
        options: &ReadOptions,
    ) -> anyhow::Result<Option<(VisibleSource, DocumentText)>> {
        for seen in sources {
            match index.get(&Target::chunk(id), &self.bounded(seen, options)) {
                Ok(document) => return Ok(Some((seen.clone(), document))),
                Err(Error::UnknownChunk { .. }) => {}
                Err(error) => return Err(plain(error)),
            }
        }
        Ok(None)
    }

    fn print(&self, form: Form, items: Vec<Item>, most: usize, mut notes: Vec<String>) -> Reply {
        let mut printed = Vec::new();
        let mut text = Fenced::default();
        let is_failure = items.iter().all(|item| item.read.is_err());
        let mut under = Fenced::default();
        under.notes(&notes);
        under.line("end");
        let mut left = most.saturating_sub(form.tokens(&under.measured(), &notes));
        let count = items.len();
        // The number of documents that get some room; the others are only named.
        let mut room_for = (most / WORTH).max(1);
        for (at, item) in items.into_iter().enumerate() {
            let target = shown(&item.target);
            let (seen, document) = match item.read {
                Ok(read) => read,
                Err(error) => {
                    let told = message(&error);
                    let line = format!("error {}: {told}", ticked(&address(&target)));
                    let data = json!({"target": target, "error": told});
                    left = left.saturating_sub(form.tokens(&measured(&line), &data));
                    text.line(&line);
                    printed.push(data);
                    continue;
                }
            };
            let is_full = at > 0 && left < (count - at) * NAMED / 2;
            if room_for == 0 || is_full {
                let rest = left_out(&address(&target));
                let mut data = json!({"target": target});
                // A target that is too long to repeat is known from the request.
                if target == item.target {
                    data["rest"] = target.into();
                }
                left = left.saturating_sub(form.tokens(&measured(&rest), &data));
                text.line(&rest);
                printed.push(data);
                continue;
            }
            room_for -= 1;
            let (size, modified) = (document.size, document.modified);
            let changed = Changed::since(&document.source, &document.path, size, modified);
            notes.extend(changed.map(|changed| self.changed_note(changed, &document.path)));
            // Each remaining document gets a share; what it does not need goes to the others.
            let others = (count - at).min(room_for + 1);
            let share = left.saturating_sub((count - at - others) * NAMED) / others;
            let item = Asked {
                number: at + 1,
                target: &target,
                seen: &seen,
                form,
            };
            let item = self.printed(item, document, share, &mut notes);
            left = left.saturating_sub(form.tokens(&item.text.measured(), &item.data));
            text.append(item.text);
            printed.push(item.data);
        }
        notes.dedup();
        let data = json!({"items": printed, "notes": notes});
        text.notes(&notes);
        let reply = Reply::of(form, text.sealed(&self.marks), &data);
        match is_failure {
            true => reply.failed(),
            false => reply,
        }
    }

    fn printed(
        &self,
        asked: Asked<'_>,
        document: DocumentText,
        most: usize,
        notes: &mut Vec<String>,
    ) -> Printed {
        let path = self.scope.outward(&document.path).to_string();
        let form = asked.form;
        let (first, last) = document.span.lines;
        let collection = asked.seen.collection_name();
        // The form for JSON, and the form for a line.
        let placed = |path: &str| match collection {
            Some(name) => format!("{name}: {path}"),
            None => path.to_string(),
        };
        let (place, place_shown) = (placed(&path), placed(&address(&path)));
        let title = document.title.as_deref();
        let titled = title.map_or(String::new(), |title| format!(" · {}", quoted(title)));
        let number = asked.number;
        let head = |last: usize| {
            let total = document.lines_total;
            format!("[{number}] {place_shown}:{first}-{last} of {total}{titled}")
        };
        // Links and front matter, which are also in the text, leave half of the room to the text.
        let links = document.links.as_ref();
        let links = links.map(|links| links::told(&self.scope, links, form, most / 3));
        let (links_text, links) = links.unwrap_or_default();
        let mut data = json!({
            "target": asked.target,
            "path": path,
            "title": title.map(bounded),
            "lines_total": document.lines_total,
        });
        if document.metadata.is_empty() || form.tokens("", &document.metadata) <= most / 6 {
            data["metadata"] = Value::Object(document.metadata);
        } else {
            notes.push(format!(
                "the front matter of {} is left out because it is long: `get` its first lines",
                ticked(&address(&path))
            ));
        }
        if let Some(name) = collection {
            data["collection"] = name.into();
        }
        if !links.is_null() {
            data["links"] = links;
        }
        let whole = document.text;
        // The lines around the text, and the longest possible line in place of the rest.
        let lines = |first: &str, last: usize| format!(":{first}-{last}");
        let longest = lines(&format!("{last}.{}", whole.len()), last);
        let mut around = Fenced::default();
        around.line(&head(last));
        around.line(&left_out(&format!("{place_shown}{longest}")));
        let around = around.measured() + &links_text.measured();
        let longest = format!("{place}{longest}");
        let around = form.tokens(&around, &(&data, [&longest; 2]));
        let room = most.saturating_sub(around).max(20);
        let shown = cut(&whole, &document.chunks, document.span.bytes.start, room);
        let is_cut = shown.len() < whole.len();
        let ended = shown.matches('\n').count();
        let begun = shown
            .rsplit('\n')
            .next()
            .unwrap_or_default()
            .chars()
            .count();
        let rest = is_cut.then(|| {
            let column = if ended == 0 { document.column } else { 1 } + begun;
            match column {
                1 => lines(&(first + ended).to_string(), last),
                _ => lines(&format!("{}.{column}", first + ended), last),
            }
        });
        let last = match is_cut {
            true if begun == 0 => first + ended.saturating_sub(1),
            true => first + ended,
            false => last,
        };
        let mut text = Fenced::default();
        text.line(&head(last));
        text.quote(shown);
        if let Some(rest) = &rest {
            text.line(&left_out(&format!("{place_shown}{rest}")));
        }
        text.append(links_text);
        data["citation"] = format!("{path}:{first}-{last}").into();
        data["text"] = shown.into();
        if let Some(rest) = rest {
            data["rest"] = format!("{place}{rest}").into();
        }
        Printed { text, data }
    }
}

/// A target and the source in which it was found.
struct Asked<'a> {
    /// The number of the target, from 1.
    number: usize,
    target: &'a str,
    /// The source.
    seen: &'a VisibleSource,
    form: Form,
}

/// An item of the answer.
struct Printed {
    text: Fenced,
    data: Value,
}

/// The line in place of the rest of a text, with the target to request it.
fn left_out(rest: &str) -> String {
    format!("… the rest exceeds `max_tokens`: get {}", ticked(rest))
}

/// As many whole chunks of a text as fit into `room`, or if these would leave much of it unused, as
/// many lines. The text begins at the byte `start` of its document.
fn cut<'t>(
    text: &'t str,
    chunks: &[excerpt_index::ChunkPlace],
    start: usize,
    room: usize,
) -> &'t str {
    let begun = beginning(text, room);
    if begun.len() == text.len() {
        return text;
    }
    let ends = chunks
        .iter()
        .map(|chunk| chunk.span.bytes.end.saturating_sub(start));
    // A chunk that ends within a line is followed by the rest of that line.
    let at_end = |end: usize| match begun.as_bytes().get(end) {
        Some(b'\n') => Some(end + 1),
        _ => begun.get(..end)?.ends_with('\n').then_some(end),
    };
    match ends.filter_map(at_end).max() {
        Some(end) if end > begun.len() / 2 => &begun[..end],
        _ => begun,
    }
}
