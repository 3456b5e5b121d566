//! `/v1/documents` and what else is listed and read.

use axum::http::{Method, StatusCode};
use axum::response::Response;
use excerpt_index::{DocumentText, Index};
use excerpt_service::{
    GetRequest, ListKind, ListReply, ListRequest, ListedDocument, ListedFolder, Overview,
    ServiceError,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Operation;
use crate::http::call::{Call, written};
use crate::http::problem::ProblemDetails;
use crate::http::tenant::Tenant;

const GROUP: &str = "Documents";

/// The most documents of a page.
const MOST: usize = 1_000;

/// The most chunks before and after a target.
const MOST_NEIGHBOURS: usize = 1_000;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::new(Method::GET, "/v1/documents", "listDocuments", list)
            .said(GROUP, "List documents")
            .query::<ListParameters>()
            .json::<DocumentList>(200)
            .problems(&[404]),
        Operation::new(Method::GET, "/v1/documents/{target}", "getDocument", get)
            .said(GROUP, "Read a document, or a part of one")
            .description("The slashes of a path may stay as they are. The text is what was indexed, byte for byte.")
            .path_parameters(&[(
                "target",
                "The path of a document, also with lines (`path:10-20`) or a section (`path#name`, with `#` as `%23`), or the id of a chunk.",
            )])
            .query::<GetParameters>()
            .json::<ReadDocumentText>(200)
            .problems(&[404, 409, 416]),
        Operation::new(Method::GET, "/v1/folders", "listFolders", folders)
            .said(GROUP, "List the folders with documents")
            .query::<PartParameters>()
            .json::<FolderList>(200)
            .problems(&[404]),
        Operation::new(Method::GET, "/v1/summary", "getSummary", summary)
            .said(GROUP, "What the documents are about")
            .query::<PartParameters>()
            .json::<Overview>(200)
            .problems(&[404]),
    ]
}

/// A list; an empty one if nothing is indexed.
fn listed(
    tenant: &Tenant,
    index: &Index,
    request: &ListRequest,
) -> Result<ListReply, ProblemDetails> {
    match tenant.scope.list(index, request) {
        Err(ServiceError::NothingIndexed) => Ok(ListReply::Documents(Vec::new(), 0)),
        reply => Ok(reply?),
    }
}

/// Which documents are listed.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct ListParameters {
    /// Only in this folder. Default: everything.
    path: Option<String>,
    /// Only in these collections. Default: in everything that is visible.
    collections: Vec<String>,
    /// Their order. Default: by path.
    order: Order,
    /// How many to return. Default: 100.
    #[schemars(range(min = 1, max = 1_000))]
    limit: usize,
    /// How many to leave out before them. Default: 0.
    offset: usize,
}

impl Default for ListParameters {
    fn default() -> Self {
        ListParameters {
            path: None,
            collections: Vec::new(),
            order: Order::Path,
            limit: 100,
            offset: 0,
        }
    }
}

/// The order of documents.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Order {
    /// By collection and path.
    Path,
    /// The most recently changed first.
    Recent,
}

/// A page of a list of documents.
#[derive(Serialize, JsonSchema)]
struct DocumentList {
    documents: Vec<ListedDocument>,
    /// How many there are in all.
    total: usize,
}

async fn list(call: Call) -> Result<Response, ProblemDetails> {
    let parameters: ListParameters = call.query()?;
    if !(1..=MOST).contains(&parameters.limit) {
        let detail = format!("`limit` is {}, expected 1 to {MOST}", parameters.limit);
        return Err(ProblemDetails::field("limit", detail));
    }
    let body = call.answer(move |_, tenant, index| {
        let ListParameters {
            path,
            collections,
            order,
            limit,
            offset,
        } = parameters;
        let request = ListRequest {
            what: match order {
                Order::Path => ListKind::Documents,
                Order::Recent => ListKind::Recent,
            },
            path,
            collections,
            limit: Some(offset.saturating_add(limit)),
        };
        let (documents, total) = match listed(tenant, index, &request)? {
            ListReply::Documents(documents, total) => (documents, total),
            _ => (Vec::new(), 0),
        };
        let page = documents.into_iter().skip(offset).take(limit);
        let documents = page.map(|listed| listed.within(&tenant.scope)).collect();
        written(&DocumentList { documents, total })
    });
    let body = body.await?;
    Ok(call.kept(body))
}

/// What is listed or described.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct PartParameters {
    /// Only in this folder. Default: everything.
    path: Option<String>,
    /// Only in these collections. Default: in everything that is visible.
    collections: Vec<String>,
}

impl PartParameters {
    fn request(self, what: ListKind) -> ListRequest {
        ListRequest {
            what,
            path: self.path,
            collections: self.collections,
            limit: None,
        }
    }
}

/// The folders with documents.
#[derive(Serialize, JsonSchema)]
struct FolderList {
    folders: Vec<ListedFolder>,
}

async fn folders(call: Call) -> Result<Response, ProblemDetails> {
    let parameters: PartParameters = call.query()?;
    let body = call.answer(move |_, tenant, index| {
        let request = parameters.request(ListKind::Folders);
        let folders = match listed(tenant, index, &request)? {
            ListReply::Folders(folders) => folders,
            _ => Vec::new(),
        };
        let folders = folders.into_iter();
        let folders = folders.map(|listed| listed.within(&tenant.scope)).collect();
        written(&FolderList { folders })
    });
    let body = body.await?;
    Ok(call.kept(body))
}

async fn summary(call: Call) -> Result<Response, ProblemDetails> {
    let parameters: PartParameters = call.query()?;
    let body = call.answer(move |_, tenant, index| {
        let request = parameters.request(ListKind::Summary);
        let overview = match listed(tenant, index, &request)? {
            ListReply::Summary(Some((overview, _))) => overview,
            _ => Overview::default(),
        };
        written(&overview)
    });
    let body = body.await?;
    Ok(call.kept(body))
}

/// What is read of a document.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct GetParameters {
    /// The collection that it is in, if several have it. Default: everything that is visible.
    collections: Vec<String>,
    /// Only these lines: `7`, or `10-20`.
    #[schemars(regex(pattern = r"^[1-9][0-9]{0,8}(-[1-9][0-9]{0,8})?$"))]
    lines: Option<String>,
    /// Only this section.
    #[schemars(length(min = 1))]
    section: Option<String>,
    /// How many chunks to add before and after those that contain what is read.
    #[schemars(range(max = 1_000))]
    neighbours: Option<usize>,
    /// Whether to add the links in what is read, and those that lead to it.
    links: bool,
}

/// A document, or a part of one.
#[derive(Serialize, JsonSchema)]
struct ReadDocumentText {
    /// Its collection, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    collection: Option<String>,
    #[serde(flatten)]
    document: DocumentText,
}

async fn get(mut call: Call) -> Result<Response, ProblemDetails> {
    let mut target = call.path("target").await?;
    let parameters: GetParameters = call.query()?;
    match (&parameters.lines, &parameters.section) {
        (Some(_), Some(_)) => {
            let detail = "`lines` and `section` are both given: omit one";
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            return Err(ProblemDetails::of_field(status, "section", detail));
        }
        (Some(lines), None) => target = format!("{target}:{lines}"),
        (None, Some(section)) => target = format!("{target}#{section}"),
        (None, None) => {}
    }
    if parameters
        .neighbours
        .is_some_and(|count| count > MOST_NEIGHBOURS)
    {
        let detail = format!("expected at most {MOST_NEIGHBOURS}");
        return Err(ProblemDetails::field("neighbours", detail));
    }
    let body = call.answer(move |_, tenant, index| {
        let request = GetRequest {
            targets: vec![target],
            collections: parameters.collections,
            neighbours: parameters.neighbours,
            links: parameters.links,
        };
        let items = tenant.scope.get(index, &request)?.into_iter();
        let read = items.map(|item| item.read).next();
        let read = read.ok_or_else(ProblemDetails::not_found)??;
        written(&ReadDocumentText {
            document: read.shown(&*tenant.scope),
            collection: read.collection,
        })
    });
    let body = body.await?;
    Ok(call.kept(body))
}
