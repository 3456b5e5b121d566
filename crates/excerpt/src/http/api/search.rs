//! `/v1/search`: the chunks that answer a question.

use axum::http::Method;
use axum::response::Response;
use excerpt_index::Query;
use excerpt_service::{MOST_HITS, SearchRequest, SearchResults, ServiceError};

use super::Operation;
use crate::http::call::{Call, written};
use crate::http::notes::notes;
use crate::http::problem::{NOTHING, ProblemDetails};
use crate::http::server::Server;
use crate::http::tenant::Tenant;

/// The most hits of one answer.
const MOST: usize = 100;

/// The longest question, in characters: more would not be read.
const LONGEST: usize = Query::LONGEST;

/// The largest body, in bytes: filters are short.
const LARGEST: usize = 64 << 10;

/// How long a request may wait for the model that reorders hits, in seconds.
const LONGEST_WAIT: f64 = 10.0;

const GROUP: &str = "Search";
const ABOUT: &str = "Keywords and meaning are searched together. `query` is required. `offset` and `limit` count documents, of which each may have several hits, or with `ranks=chunks` chunks. For the next page, add `limit` to `offset`, not the number of hits; `more` says whether there may be one.";
const PROBLEMS: &[u16] = &[404];

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::new(Method::GET, "/v1/search", "search", get)
            .said(GROUP, "Find the passages that answer a question")
            .description(ABOUT)
            .query::<SearchRequest>()
            .json::<SearchResults<'static>>(200)
            .problems(PROBLEMS),
        Operation::new(Method::POST, "/v1/search", "searchWithBody", post)
            .said(GROUP, "Find the passages that answer a question")
            .description(ABOUT)
            .body::<SearchRequest>()
            .json::<SearchResults<'static>>(200)
            .problems(PROBLEMS),
    ]
}

async fn get(call: Call) -> Result<Response, ProblemDetails> {
    let request = call.query()?;
    answered(&call, request).await
}

async fn post(mut call: Call) -> Result<Response, ProblemDetails> {
    let request = call.json_of(LARGEST).await?;
    answered(&call, request).await
}

async fn answered(call: &Call, request: SearchRequest) -> Result<Response, ProblemDetails> {
    check(&request)?;
    let work = move |server: &Server, tenant: &Tenant, index: &excerpt_index::Index| {
        let reply = match tenant.scope.search(index, &request) {
            // A question to what is empty has an answer, which is none.
            Err(ServiceError::NothingIndexed) => {
                return written(&SearchResults::nothing(NOTHING.to_string()));
            }
            reply => reply?,
        };
        let notes = notes(server, tenant, index, &request, &reply)?;
        written(&reply.results(&request, &*tenant.scope, notes))
    };
    let body = call.answer(work).await?;
    Ok(call.kept(body))
}

/// Checks the ranges of numbers.
fn check(request: &SearchRequest) -> Result<(), ProblemDetails> {
    if !(1..=MOST).contains(&request.limit) {
        let detail = format!("`limit` is {}, expected 1 to {MOST}", request.limit);
        return Err(ProblemDetails::field("limit", detail));
    }
    if request.offset > MOST_HITS - MOST {
        let most = MOST_HITS - MOST;
        let detail = format!("`offset` is {}, expected at most {most}", request.offset);
        return Err(ProblemDetails::field("offset", detail));
    }
    if let Some(wait) = request.wait
        && !(0.0..=LONGEST_WAIT).contains(&wait)
    {
        let detail = format!("`wait` is {wait}, expected a number of seconds up to {LONGEST_WAIT}");
        return Err(ProblemDetails::field("wait", detail));
    }
    if request.query.chars().nth(LONGEST).is_some() {
        let detail = format!("`query` has more than {LONGEST} characters");
        return Err(ProblemDetails::field("query", detail));
    }
    Ok(())
}
