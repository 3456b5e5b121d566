//! `get`: documents, or parts of them, as indexed.

use std::sync::Arc;

use anyhow::bail;
use excerpt_index::DocumentText;
use excerpt_service::text::address::{address, ticked};
use excerpt_service::text::budget::bounded;
use excerpt_service::text::shown;
use excerpt_service::{DocumentPart, GetItem, GetRequest, ReadDocument};
use rmcp::model::Tool;
use rmcp::service::{RequestContext, RoleServer};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::annotations::reads;
use super::arguments::{default_tokens, read_tokens, schema};
use super::fence::Fenced;
use super::links;
use super::messages::service_error;
use super::names::quoted;
use super::reply::{Form, Reply};
use super::shared::Shared;

pub(super) const NAME: &str = "get";

/// The maximum number of targets of a call.
const MOST: usize = 20;

/// The minimum number of tokens for a useful part of a document, and the tokens that it takes to
/// name a document without text.
const WORTH: usize = 150;
const NAMED: usize = 40;

/// What to read, and how it is shown.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct GetArguments {
    /// path, path:10-20, path#section or id
    #[schemars(length(max = MOST))]
    targets: Vec<String>,
    /// Chunks before and after.
    #[serde(default)]
    #[schemars(range(max = 1000))]
    neighbours: Option<usize>,
    #[serde(default)]
    links: bool,
    #[serde(default = "default_tokens", deserialize_with = "read_tokens")]
    max_tokens: usize,
    #[serde(default)]
    collection: Vec<String>,
    #[serde(default)]
    format: Form,
}

pub(super) fn tool() -> Tool {
    let description = "Read documents, lines, sections or chunks that `search` or `list` named. A target that cannot be read has its own error.";
    Tool::new(NAME, description, schema::<GetArguments>())
        .with_title("Get")
        .with_annotations(reads())
}

impl Shared {
    pub(super) async fn get(
        self: &Arc<Self>,
        arguments: GetArguments,
        context: &RequestContext<RoleServer>,
    ) -> anyhow::Result<Reply> {
        let targets = arguments.targets;
        if targets.is_empty() || targets.len() > MOST {
            bail!("`targets` has {}, expected 1 to {MOST}", targets.len());
        }
        let request = GetRequest {
            targets,
            neighbours: arguments.neighbours,
            links: arguments.links,
            collections: arguments.collection,
        };
        let (most, form) = (arguments.max_tokens, arguments.format);
        self.read(context, move |shared, index| {
            let items = shared.scope.get(index, &request);
            let items = items.map_err(|error| shared.explained(error, index))?;
            let notes = shared.lag(index, &request.collections);
            Ok(shared.print(form, items, most, notes))
        })
        .await
    }

    fn print(&self, form: Form, items: Vec<GetItem>, most: usize, mut notes: Vec<String>) -> Reply {
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
            let is_full = room_for == 0 || (at > 0 && left < (count - at) * NAMED / 2);
            let item = match item.read {
                Err(error) => Printed::error(&target, &service_error(&error)),
                // A target that is too long to repeat is known from the request.
                Ok(_) if is_full => Printed::named(&target, target == item.target),
                Ok(read) => {
                    room_for -= 1;
                    let path = &read.document.path;
                    let changed = read.changed();
                    notes.extend(changed.map(|changed| self.changed_note(changed, path)));
                    // Each remaining document gets a share; what it does not need goes to the
                    // others.
                    let others = (count - at).min(room_for + 1);
                    let share = left.saturating_sub((count - at - others) * NAMED) / others;
                    let asked = Asked {
                        number: at + 1,
                        target: &target,
                        form,
                    };
                    self.printed(asked, read, share, &mut notes)
                }
            };
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
        read: ReadDocument,
        most: usize,
        notes: &mut Vec<String>,
    ) -> Printed {
        let ReadDocument {
            document,
            collection,
        } = &read;
        let form = asked.form;
        let path = self.scope.outward(&document.path);
        let head = Head::of(asked.number, &read, path);
        // Links and front matter, which are also in the text, leave half of the room to the text.
        let links = document.links.as_ref();
        let links = links.map(|links| links::shown(&self.scope, links, form, most / 3));
        let (links_text, links) = links.unwrap_or_default();
        let mut data = json!({
            "target": asked.target,
            "path": path,
            "title": document.title.as_deref().map(bounded),
            "lines_total": document.lines_total,
        });
        if document.metadata.is_empty() || form.tokens("", &document.metadata) <= most / 6 {
            data["metadata"] = Value::Object(document.metadata.clone());
        } else {
            notes.push(format!(
                "the front matter of {} is left out because it is long: `get` its first lines",
                ticked(&address(path))
            ));
        }
        if let Some(name) = collection {
            data["collection"] = name.as_str().into();
        }
        if !links.is_null() {
            data["links"] = links;
        }
        let around = head.around(document) + &links_text.measured();
        let longest = format!("{}{}", head.place, DocumentPart::longest_rest(document));
        let around = form.tokens(&around, &(&data, [&longest; 2]));
        let room = most.saturating_sub(around).max(20);
        let mut part = DocumentPart::of(document, room);
        // In JSON, quotes and line ends take more.
        let size = form.tokens(part.text, &part.text);
        if size > room {
            part = DocumentPart::of(document, room * room / size);
        }
        let mut text = Fenced::default();
        text.line(&head.line(part.last));
        text.quote(part.text);
        if let Some(rest) = &part.rest {
            text.line(&left_out(&format!("{}{rest}", head.place_shown)));
        }
        text.append(links_text);
        data["citation"] = format!("{path}:{}-{}", head.first, part.last).into();
        data["text"] = part.text.into();
        if let Some(rest) = part.rest {
            data["rest"] = format!("{}{rest}", head.place).into();
        }
        Printed { text, data }
    }
}

/// A target that was asked for.
struct Asked<'a> {
    /// The number of the target, from 1.
    number: usize,
    target: &'a str,
    form: Form,
}

/// The line above a text.
struct Head {
    number: usize,
    /// The path with its collection, for JSON and for a line.
    place: String,
    place_shown: String,
    first: usize,
    lines_total: usize,
    /// The title, to be appended.
    title: String,
}

impl Head {
    fn of(number: usize, read: &ReadDocument, path: &str) -> Self {
        let placed = |path: &str| match &read.collection {
            Some(name) => format!("{name}: {path}"),
            None => path.to_string(),
        };
        let title = read.document.title.as_deref();
        Head {
            number,
            place: placed(path),
            place_shown: placed(&address(path)),
            first: read.document.span.lines.0,
            lines_total: read.document.lines_total,
            title: title.map_or(String::new(), |title| format!(" · {}", quoted(title))),
        }
    }

    /// The line above a text that ends at the line `last`.
    fn line(&self, last: usize) -> String {
        let Head {
            number,
            place_shown,
            first,
            lines_total,
            title,
            ..
        } = self;
        format!("[{number}] {place_shown}:{first}-{last} of {lines_total}{title}")
    }

    /// A text as long as the lines around a text, with the longest possible one in place of the
    /// rest.
    fn around(&self, document: &DocumentText) -> String {
        let longest = DocumentPart::longest_rest(document);
        let mut around = Fenced::default();
        around.line(&self.line(document.span.lines.1));
        around.line(&left_out(&format!("{}{longest}", self.place_shown)));
        around.measured()
    }
}

/// An item of the answer.
struct Printed {
    text: Fenced,
    data: Value,
}

impl Printed {
    /// A target that cannot be read.
    fn error(target: &str, error: &str) -> Self {
        let mut text = Fenced::default();
        text.line(&format!("error {}: {error}", ticked(&address(target))));
        Printed {
            text,
            data: json!({"target": target, "error": error}),
        }
    }

    /// A document without text. If the target `is_whole`, it can be requested again.
    fn named(target: &str, is_whole: bool) -> Self {
        let mut text = Fenced::default();
        text.line(&left_out(&address(target)));
        let mut data = json!({"target": target});
        if is_whole {
            data["rest"] = target.into();
        }
        Printed { text, data }
    }
}

/// The line in place of the rest of a text, with the target to request it.
fn left_out(rest: &str) -> String {
    format!("… the rest exceeds `max_tokens`: get {}", ticked(rest))
}
