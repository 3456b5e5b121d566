//! `/v1/collections`: what is served, by name.

use std::sync::Arc;
use std::time::Duration;

use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use excerpt_chunk::Settings;
use excerpt_index::Attributes;
use excerpt_service::text::{counted, one_line};
use excerpt_service::{
    AddInput, AddReply, AddRequest, Addition, CheckEnd, EditRequest, ListKind, ListReply,
    ListRequest, ListedCollection, RemotePart, SyncRequest, VisibleSource,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::time::timeout;

use super::Operation;
use crate::http::call::{Call, given, json, read_chunking, written};
use crate::http::problem::ProblemDetails;
use crate::http::tenant::Tenant;

/// How long a change may wait for its sync: less than an answer may take.
const LONGEST_WAIT: Duration = Duration::from_secs(50);

const GROUP: &str = "Collections";
const NAME: &[(&str, &str)] = &[("name", "The name of a collection.")];

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::new(Method::GET, "/v1/collections", "listCollections", list)
            .said(GROUP, "List the collections")
            .json::<CollectionList>(200),
        Operation::new(Method::POST, "/v1/collections", "addCollection", add)
            .said(GROUP, "Add a text or a folder")
            .description("It needs a token with `write` for everything that is served. Folders must be inside the folder that is served, or inside those of `excerpt serve --allow-root` in its place; repositories and object stores are added on the server, with `excerpt add`. The answer comes when what was added can be searched.")
            .body::<AddBody>()
            .json::<Added>(201)
            .problems(&[403, 409, 413, 502]),
        Operation::new(Method::PATCH, "/v1/collections/{name}", "editCollection", edit)
            .said(GROUP, "Change the settings and attributes of a collection")
            .description("What is not given stays as it is. The answer comes when the documents are split again, or after 50 seconds, with a note. It needs a token with `write` that shows the whole collection.")
            .path_parameters(NAME)
            .body::<EditBody>()
            .json::<Added>(200)
            .problems(&[403, 404, 409, 502]),
        Operation::new(Method::DELETE, "/v1/collections/{name}", "removeCollection", remove)
            .said(GROUP, "Remove a collection from the index")
            .description("Its files stay as they are; a text that was added is gone. It needs a token with `write` that shows the whole collection.")
            .path_parameters(NAME)
            .nothing(204)
            .problems(&[403, 404]),
    ]
}

/// The collections.
#[derive(Serialize, JsonSchema)]
struct CollectionList {
    collections: Vec<CollectionItem>,
}

/// A collection.
#[derive(Serialize, JsonSchema)]
struct CollectionItem {
    /// Its name.
    name: String,
    /// The folder, file or address; only with a token for everything that is served.
    #[serde(skip_serializing_if = "Option::is_none")]
    root: Option<String>,
    /// How many documents of it are visible.
    documents: usize,
    /// How many chunks they have.
    chunks: usize,
    /// What is said of its documents.
    attributes: Attributes,
    /// The settings that it is split with, as far as they were given.
    chunking: Settings,
    /// Whether it is a text that is stored in the index itself.
    is_text: bool,
}

impl CollectionItem {
    fn of(listed: ListedCollection, tenant: &Tenant) -> CollectionItem {
        let collection = listed.collection;
        let root = collection.root.display().to_string();
        CollectionItem {
            name: collection.name,
            root: (tenant.grant.shows_everything() && !collection.given).then_some(root),
            documents: listed.documents,
            chunks: listed.chunks,
            attributes: collection.attributes,
            chunking: collection.chunking,
            is_text: collection.given,
        }
    }
}

async fn list(call: Call) -> Result<Response, ProblemDetails> {
    let _: NoParameters = call.query()?;
    let body = call.answer(|_, tenant, index| {
        let request = ListRequest {
            what: ListKind::Collections,
            ..ListRequest::default()
        };
        let collections = match tenant.scope.list(index, &request)? {
            ListReply::Collections(collections) => collections,
            _ => Vec::new(),
        };
        let collections = collections.into_iter();
        let collections = collections.map(|listed| CollectionItem::of(listed, tenant));
        written(&CollectionList {
            collections: collections.collect(),
        })
    });
    let body = body.await?;
    Ok(call.kept(body))
}

/// No parameters.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NoParameters {}

/// What is added: `text` or `path`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("oneOf" = [{"required": ["text"]}, {"required": ["path"]}]))]
struct AddBody {
    /// A text.
    #[serde(deserialize_with = "given")]
    #[schemars(with = "String")]
    text: Option<String>,
    /// A folder or file on the server.
    #[serde(deserialize_with = "given")]
    #[schemars(with = "String")]
    path: Option<String>,
    /// Whether it replaces what has the same path or name. Default: no.
    replace: bool,
    /// The name of the collection. Default: that of the folder or file, or one made of the title.
    name: Option<String>,
    /// The type of its documents.
    kind: Option<excerpt_service::DocumentType>,
    /// The title, of a file or a text.
    title: Option<String>,
    /// The versions that its documents are about.
    versions: Vec<String>,
    /// Words to filter by.
    tags: Vec<String>,
    /// How they are split.
    #[serde(deserialize_with = "read_chunking")]
    chunking: Settings,
}

/// What a collection contains after it was added or changed.
#[derive(Serialize, JsonSchema)]
struct Added {
    /// The name of the collection.
    name: String,
    /// How many documents it has.
    documents: usize,
    /// How many chunks they have.
    chunks: usize,
    /// Whether anything was added or changed; not if the same text or settings were there already.
    stored: bool,
    /// What to know about it.
    notes: Vec<String>,
}

impl Added {
    fn of(reply: AddReply) -> Added {
        /// How many warnings are named.
        const MOST: usize = 20;
        let (warnings, more) = reply.contents.first_warnings(MOST, str::to_string);
        let mut notes = reply.notes;
        notes.extend(warnings);
        if more > 0 {
            notes.push(format!("{} more", counted(more, "warning")));
        }
        if let Some(reason) = reply
            .report
            .as_ref()
            .and_then(|it| it.without_vectors.clone())
        {
            notes.push(format!("without vectors: {reason}"));
        }
        Added {
            name: reply.collection.name,
            documents: reply.contents.documents,
            chunks: reply.contents.chunks,
            stored: reply.report.is_some(),
            notes,
        }
    }
}

async fn add(mut call: Call) -> Result<Response, ProblemDetails> {
    call.check_writes()?;
    if !call.tenant.scope.shows_what_is_added() {
        let detail = "nothing can be added to a part of an index: open or serve the whole folder that is indexed, and use a token without limits";
        return Err(ProblemDetails::new(StatusCode::FORBIDDEN, detail));
    }
    let body: AddBody = call.json().await?;
    let input = match (body.text, body.path) {
        (Some(text), None) => AddInput::Text(text),
        (None, Some(path)) => AddInput::Path(path),
        (Some(_), Some(_)) => {
            let detail = "`text` and `path` are both given: omit one";
            return Err(ProblemDetails::field("path", detail));
        }
        (None, None) => {
            let detail = "`text` or `path` is missing: give a text or a folder";
            return Err(ProblemDetails::field("text", detail));
        }
    };
    let request = AddRequest {
        input,
        addition: Addition {
            name: body.name,
            kind: body.kind,
            title: body.title,
            versions: body.versions,
            tags: body.tags,
            chunking: body.chunking,
            ..Addition::default()
        },
        part: RemotePart::default(),
        replace: body.replace,
    };
    let tenant = Arc::clone(&call.tenant);
    let added = call.server.engine.write(move |writer| {
        let prepared = tenant.scope.prepared(&request)?;
        Ok::<_, ProblemDetails>(tenant.scope.add(writer, prepared)?)
    });
    json(StatusCode::CREATED, &Added::of(added.await?))
}

/// Checks that the client sees a collection as a whole.
fn check_collection(call: &Call, name: &str) -> Result<(), ProblemDetails> {
    if !call.tenant.scope.shows_states() {
        let detail = "this token shows only a part of each collection";
        return Err(ProblemDetails::new(StatusCode::FORBIDDEN, detail));
    }
    let chosen = call.tenant.scope.chosen(&[name.to_string()])?;
    match chosen.iter().any(|seen| seen.collection.is_some()) {
        true => Ok(()),
        false => {
            let detail = format!("`{name}` is not a collection, but the folder that is served");
            Err(ProblemDetails::new(StatusCode::FORBIDDEN, detail))
        }
    }
}

/// What is changed; what is not given stays as it is. An empty title, version or tag removes what
/// there is.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct EditBody {
    /// The type of its documents.
    kind: Option<excerpt_service::DocumentType>,
    /// The title, of a file or a text.
    title: Option<String>,
    /// The versions that its documents are about.
    versions: Vec<String>,
    /// Words to filter by.
    tags: Vec<String>,
    /// How its documents are split.
    #[serde(deserialize_with = "read_chunking")]
    chunking: Settings,
}

impl EditBody {
    fn changes(self) -> Addition {
        Addition {
            kind: self.kind,
            title: self.title,
            versions: self.versions,
            tags: self.tags,
            chunking: self.chunking,
            ..Addition::default()
        }
    }
}

async fn edit(mut call: Call) -> Result<Response, ProblemDetails> {
    call.check_writes()?;
    let name = call.path("name").await?;
    let body: EditBody = call.json().await?;
    check_collection(&call, &name)?;
    let tenant = Arc::clone(&call.tenant);
    let request = EditRequest {
        name: name.clone(),
        changes: body.changes(),
    };
    let edited = call
        .server
        .engine
        .write(move |writer| Ok::<_, ProblemDetails>(tenant.scope.edit(writer, &request)?));
    let edited = edited.await?;
    let is_stored = !edited.is_same;
    let mut added = Added::of(edited);
    added.stored = is_stored;
    let sources = call.tenant.scope.chosen(std::slice::from_ref(&name))?;
    added.notes.extend(synced(&call, &sources).await);
    let contents = call.answer(move |_, tenant, index| Ok(tenant.scope.contents(index, &name)?));
    let contents = contents.await?;
    (added.documents, added.chunks) = (contents.documents, contents.chunks);
    json(StatusCode::OK, &added)
}

/// Has the sources of a change synced, and waits for it. Returns the note about what is not done.
async fn synced(call: &Call, sources: &[VisibleSource]) -> Option<String> {
    let engine = &call.server.engine;
    let mut state = engine.state();
    let ticket = engine.request_sync(sources, SyncRequest::default())?;
    let is_served = timeout(LONGEST_WAIT, state.wait_for(|_| ticket.is_served()));
    let Ok(Ok(state)) = is_served.await else {
        return Some(
            "its documents are still being split: `/v1/status` shows the progress".to_string(),
        );
    };
    let mut ends = sources
        .iter()
        .filter_map(|seen| state.sources.get(&seen.root));
    ends.find_map(|source| match &source.end {
        CheckEnd::Failed(error) => Some(one_line(&error.to_string())),
        _ => None,
    })
}

async fn remove(mut call: Call) -> Result<Response, ProblemDetails> {
    call.check_writes()?;
    let name = call.path("name").await?;
    check_collection(&call, &name)?;
    let tenant = Arc::clone(&call.tenant);
    let removed = call
        .server
        .engine
        .write(move |writer| Ok::<_, ProblemDetails>(tenant.scope.remove(writer, &name)?));
    removed.await?;
    // The folder that is served stays, also if it was a collection.
    let sources = call.tenant.scope.sources()?;
    call.server
        .engine
        .request_sync(&sources, SyncRequest::default());
    Ok(StatusCode::NO_CONTENT.into_response())
}
