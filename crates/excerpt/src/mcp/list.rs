//! `list`: the collections, folders and documents, and the latest changes.

use std::sync::Arc;

use excerpt_service::text::address::address;
use excerpt_service::text::budget::{beginning, shortened, tokens};
use excerpt_service::text::{counted, one_line, thousands};
use excerpt_service::{
    ListKind, ListReply, ListRequest, ListedCollection, ListedDocument, ListedFolder, Overview,
};
use rmcp::model::Tool;
use rmcp::service::{RequestContext, RoleServer};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::annotations::reads;
use super::arguments::{default_tokens, read_tokens, schema};
use super::instructions::NAMED;
use super::names::quoted;
use super::reply::{Form, Reply, with_notes};
use super::shared::Shared;
use crate::output::{ago, date_of};

pub(super) const NAME: &str = "list";

/// The default and the maximum number of entries of an answer.
const DEFAULT: usize = 50;
const MOST: usize = 1000;

/// What to list, and how it is shown.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListArguments {
    #[serde(default)]
    what: ListKind,
    /// Only in this folder.
    #[serde(default)]
    path: Option<String>,
    #[serde(default)]
    collection: Vec<String>,
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = MOST))]
    limit: usize,
    /// Where to continue.
    #[serde(default)]
    offset: usize,
    #[serde(default = "default_tokens", deserialize_with = "read_tokens")]
    max_tokens: usize,
    #[serde(default)]
    format: Form,
}

fn default_limit() -> usize {
    DEFAULT
}

pub(super) fn tool() -> Tool {
    let description = "List the documents that changed last, the folders, all documents, or the collections; or a summary.";
    Tool::new(NAME, description, schema::<ListArguments>())
        .with_title("List")
        .with_annotations(reads())
}

/// An entry, as a line of text and as JSON.
type Entry = (String, Value);

impl Shared {
    pub(super) async fn list(
        self: &Arc<Self>,
        arguments: ListArguments,
        context: &RequestContext<RoleServer>,
    ) -> anyhow::Result<Reply> {
        let (offset, limit) = (arguments.offset, arguments.limit);
        let (most, form) = (arguments.max_tokens, arguments.format);
        let request = ListRequest {
            what: arguments.what,
            path: arguments.path,
            collections: arguments.collection,
            limit: Some(offset.saturating_add(limit)),
        };
        self.read(context, move |shared, index| {
            let reply = shared.scope.list(index, &request);
            let reply = reply.map_err(|error| shared.explained(error, index))?;
            let entries = shared.entries(reply);
            let notes = shared.lag(index, &request.collections);
            Ok(page(
                form,
                request.what,
                entries,
                (offset, limit, most),
                notes,
            ))
        })
        .await
    }

    /// The entries of a list, and how many there are in all.
    fn entries(&self, reply: ListReply) -> (Vec<Entry>, usize) {
        let entries: Vec<Entry> = match reply {
            ListReply::Documents(documents, total) => {
                let documents = documents.into_iter();
                let entries = documents.map(|listed| self.document(listed));
                return (entries.collect(), total);
            }
            ListReply::Folders(folders) => {
                let folders = folders.into_iter();
                folders.map(|listed| self.folder(&listed)).collect()
            }
            ListReply::Collections(collections) => collections.iter().map(collection).collect(),
            ListReply::Summary(None) => Vec::new(),
            ListReply::Summary(Some((overview, newest))) => {
                let newest = newest.into_iter().map(|listed| {
                    let (line, mut data) = self.document(listed);
                    data["what"] = "newest".into();
                    (line.replacen("- ", "- newest: ", 1), data)
                });
                summary(&overview).into_iter().chain(newest).collect()
            }
        };
        let total = entries.len();
        (entries, total)
    }

    fn document(&self, listed: ListedDocument) -> Entry {
        let ListedDocument { collection, entry } = listed;
        let path = self.scope.outward(&entry.path);
        let title = entry.title.as_deref();
        let title = title.map(|title| format!(" · {}", quoted(title)));
        let when = entry
            .changed
            .map(|changed| format!("{} ({}): ", ago(changed.at), date_of(changed.from)));
        let when = when.unwrap_or_default();
        let prefix = collection.as_ref().map(|name| format!("{name}: "));
        let line = format!(
            "- {when}{}{}{}",
            prefix.unwrap_or_default(),
            address(path),
            title.unwrap_or_default()
        );
        let mut data = json!({
            "path": path,
            "title": entry.title,
            "size": entry.size,
            "modified": entry.modified,
            "chunks": entry.chunks,
            "language": entry.language,
        });
        if let Some(changed) = entry.changed {
            data["changed"] = json!(changed);
        }
        (line, of_collection(data, collection.as_deref()))
    }

    fn folder(&self, listed: &ListedFolder) -> Entry {
        let ListedFolder { collection, entry } = listed;
        let path = match self.scope.outward(&entry.path) {
            "" => ".",
            path => path,
        };
        let prefix = collection.as_ref().map(|name| format!("{name}: "));
        let under = match entry.documents_under == entry.documents {
            true => String::new(),
            false => format!(
                ", {} including subfolders",
                thousands(entry.documents_under)
            ),
        };
        let line = format!(
            "- {}{} · {}{under}",
            prefix.unwrap_or_default(),
            address(path),
            counted(entry.documents, "document")
        );
        let data = json!({
            "path": path,
            "documents": entry.documents,
            "documents_under": entry.documents_under,
        });
        (line, of_collection(data, collection.as_deref()))
    }
}

/// A summary of what is visible: one line per property.
fn summary(content: &Overview) -> Vec<Entry> {
    let counts = |all: &[(String, usize)], name: fn(&str) -> String| {
        let all = all.iter().take(NAMED);
        all.map(|(of, count)| format!("{} {}", name(of), thousands(*count)))
            .collect()
    };
    let names = |all: &[String]| all.iter().take(NAMED).map(|it| quoted(it)).collect();
    let mut entries = vec![property(
        "documents",
        &[counted(content.documents, "document")],
        json!(content.documents),
    )];
    let lists: [(&str, Vec<String>, Value); 5] = [
        (
            "languages",
            counts(&content.languages, str::to_string),
            json!(content.languages),
        ),
        (
            "folders",
            counts(&content.folders, quoted),
            json!(content.folders),
        ),
        ("topics", names(&content.topics), json!(content.topics)),
        ("titles", names(&content.titles), json!(content.titles)),
        (
            "collections",
            names(&content.collections),
            json!(content.collections),
        ),
    ];
    let lists = lists.into_iter().filter(|(_, line, _)| !line.is_empty());
    entries.extend(lists.map(|(what, line, all)| property(what, &line, all)));
    entries
}

fn collection(listed: &ListedCollection) -> Entry {
    let said = &listed.collection.attributes;
    let title = said.title.as_deref();
    let title = title.map(|title| format!(" · {}", quoted(title)));
    let line = format!(
        "- {} · {}{}",
        address(&listed.collection.name),
        counted(listed.documents, "document"),
        title.unwrap_or_default()
    );
    let data = json!({
        "name": listed.collection.name,
        "documents": listed.documents,
        "said": said,
    });
    (line, data)
}

/// An entry of a summary: the first few values of a property, and how many more there are.
fn property(what: &str, line: &[String], mut value: Value) -> Entry {
    let mut more = 0;
    if let Some(all) = value.as_array_mut() {
        more = all.len().saturating_sub(NAMED);
        all.truncate(NAMED);
    }
    let line = format!("- {what}: {}", line.join(", "));
    let mut data = json!({"what": what, "value": value});
    if more == 0 {
        return (line, data);
    }
    data["more"] = more.into();
    (format!("{line} +{}", thousands(more)), data)
}

fn of_collection(mut data: Value, name: Option<&str>) -> Value {
    if let Some(name) = name {
        data["collection"] = name.into();
    }
    data
}

/// Entries, and how many there are in all, from `offset` on: at most `limit`, and no more than fit
/// into `most` tokens. Their lines begin with `-`; other lines do not.
fn page(
    form: Form,
    what: ListKind,
    (entries, total): (Vec<Entry>, usize),
    (offset, limit, most): (usize, usize, usize),
    notes: Vec<String>,
) -> Reply {
    /// The tokens for the lines after the entries.
    const UNDER: usize = 30;
    let mut left = most.saturating_sub(UNDER + form.tokens(&notes.join("\n"), &notes));
    let mut listed: Vec<Value> = Vec::new();
    let mut text = String::new();
    for (line, data) in entries.into_iter().skip(offset).take(limit) {
        let line = one_line(&line);
        let taken = form.tokens(&line, &data) + 1;
        let is_full = taken > left;
        if is_full && !listed.is_empty() {
            break;
        }
        let (line, data) = match (is_full, what) {
            (true, ListKind::Summary) => (cut_to(&line, left), without_length(data, left)),
            // A path is shown whole, so that it can be used.
            (true, _) => (line, without_length(data, left)),
            (false, _) => (line, data),
        };
        left = left.saturating_sub(taken);
        text += &line;
        text.push('\n');
        listed.push(data);
    }
    let end = offset.saturating_add(listed.len());
    text += &match (listed.len(), total, what) {
        (_, 0, ListKind::Collections) => "no collections\n".to_string(),
        (_, _, ListKind::Summary) if offset == 0 && listed.len() == total => String::new(),
        (_, 0, _) => "no documents\n".to_string(),
        (0, ..) => format!(
            "no entries from {offset} on: there are {}\n",
            thousands(total)
        ),
        _ if end < total => format!(
            "{} to {} of {}; more with `offset` {end}\n",
            thousands(offset + 1),
            thousands(end),
            thousands(total)
        ),
        _ => format!("{} in total\n", thousands(total)),
    };
    let is_begun = end < total && !listed.is_empty();
    let mut data = json!({"entries": listed, "total": total, "notes": notes});
    if is_begun {
        data["next"] = end.into();
    }
    Reply::of(form, with_notes(text, &notes), &data)
}

/// A line that is too long by itself, shortened to `most` tokens, with the last quote closed.
fn cut_to(line: &str, most: usize) -> String {
    /// The tokens for the ellipsis and the quote.
    const END: usize = 3;
    let kept = beginning(line, most.saturating_sub(END));
    if kept.len() == line.len() {
        return line.to_string();
    }
    let mut is_quoted = false;
    let mut is_escaped = false;
    for c in kept.chars() {
        is_quoted ^= c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
    }
    let end = if is_quoted { "…\"" } else { "…" };
    format!("{}{end}", kept.trim_end().trim_end_matches('\\'))
}

/// An entry that is too long by itself, with its title and attributes shortened, and only as many
/// of its values as fit into `most` tokens.
fn without_length(mut data: Value, most: usize) -> Value {
    for place in ["/title", "/said/title"] {
        if let Some(title) = data.pointer_mut(place)
            && let Some(long) = title.as_str()
        {
            *title = shortened(long).into();
        }
    }
    while tokens(&data.to_string()) > most
        && let Some(values) = data["value"].as_array_mut()
        && values.pop().is_some()
    {
        let more = data["more"].as_u64().unwrap_or(0);
        data["more"] = (more + 1).into();
    }
    data
}
