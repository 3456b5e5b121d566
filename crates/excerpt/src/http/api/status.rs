//! `/v1/status`, `/v1/sync`, `/health` and `/metrics`.

use std::time::Duration;

use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, Method, StatusCode};
use axum::response::Response;
use excerpt_index::Index;
use excerpt_service::{SyncRequest, Unanswered, VisibleStatus, WriterProgress};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::time::timeout;

use super::Operation;
use super::collections::NoParameters;
use crate::http::call::{Call, json};
use crate::http::problem::ProblemDetails;
use crate::http::server::Server;
use crate::http::tenant::Tenant;

const GROUP: &str = "Server";

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::new(Method::GET, "/v1/status", "getStatus", status)
            .said(GROUP, "What is served, and whether it is up to date")
            .json::<ServerStatus>(200),
        Operation::new(Method::GET, "/v1/sync", "getSync", status)
            .said(GROUP, "The state of the syncs")
            .description("The same as `/v1/status`.")
            .json::<ServerStatus>(200),
        Operation::new(Method::POST, "/v1/sync", "startSync", sync)
            .said(GROUP, "Start a sync")
            .description("It needs a token with `write`. Without `wait`, the answer comes at once, with 202; `/v1/events` reports the progress. With `wait`, it comes when the sync has ended, with 200, or after that time.")
            .optional_body::<SyncBody>()
            .json::<ServerStatus>(202)
            .or(200)
            .problems(&[403, 404]),
        Operation::new(Method::GET, "/health", "getHealth", health)
            .said(GROUP, "Whether the server answers from an index")
            .json::<Health>(200),
        Operation::new(Method::GET, "/metrics", "getMetrics", metrics)
            .said(GROUP, "Metrics for Prometheus")
            .description("It needs a token for everything that is served.")
            .text("application/openmetrics-text; version=1.0.0; charset=utf-8")
            .problems(&[403]),
    ]
}

/// The status of a server, for one client.
#[derive(Serialize, JsonSchema)]
pub(super) struct ServerStatus {
    /// The version of excerpt.
    version: &'static str,
    /// Whether the token of the request may write.
    write: bool,
    #[serde(flatten)]
    visible: VisibleStatus,
}

/// The status that a client sees now.
pub(super) async fn current(
    server: &Server,
    tenant: &std::sync::Arc<Tenant>,
) -> Result<ServerStatus, ProblemDetails> {
    let state = server.engine.state().borrow().clone();
    seen_in(server, tenant, state).await
}

/// The status that a client sees while the writer thread is in `state`.
async fn seen_in(
    server: &Server,
    tenant: &std::sync::Arc<Tenant>,
    state: WriterProgress,
) -> Result<ServerStatus, ProblemDetails> {
    let scope = std::sync::Arc::clone(&tenant.scope);
    let known = state.clone();
    let read = server
        .engine
        .answer(move |index: &Index| Ok::<_, ProblemDetails>(scope.status(Some(index), &known)?));
    let visible = match read.await {
        Ok(visible) => visible,
        Err(Unanswered::Missing(_)) => tenant.scope.status(None, &state)?,
        Err(error) => return Err(error.into()),
    };
    Ok(ServerStatus {
        version: env!("CARGO_PKG_VERSION"),
        write: tenant.grant.write,
        visible,
    })
}

async fn status(call: Call) -> Result<Response, ProblemDetails> {
    let _: NoParameters = call.query()?;
    json(StatusCode::OK, &current(&call.server, &call.tenant).await?)
}

/// What is synced, and how.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct SyncBody {
    /// Only these collections. Default: everything that is visible.
    collections: Vec<String>,
    /// Whether files that were skipped because of their contents are read again. Default: no.
    retry: bool,
    /// Whether documents are removed that no longer exist, however many. Default: no.
    accept_removals: bool,
    /// How long to wait for the end of the sync, in seconds. Default: 0.
    #[schemars(range(min = 0, max = 50))]
    wait: f64,
}

/// How long a request may wait for the end of a sync, in seconds: less than an answer may take.
const LONGEST_WAIT: f64 = 50.0;

async fn sync(mut call: Call) -> Result<Response, ProblemDetails> {
    call.check_writes()?;
    let body: SyncBody = call.json_or_default().await?;
    let wait = match body.wait {
        wait if (0.0..=LONGEST_WAIT).contains(&wait) => Duration::from_secs_f64(wait),
        wait => {
            let detail = format!("`wait` is {wait}, expected seconds from 0 to {LONGEST_WAIT}");
            return Err(ProblemDetails::field("wait", detail));
        }
    };
    // These reach what the token does not show.
    if (body.accept_removals || body.retry) && !call.tenant.scope.shows_states() {
        let detail = "`accept_removals` and `retry` need a token that shows whole collections";
        return Err(ProblemDetails::new(StatusCode::FORBIDDEN, detail));
    }
    let chosen = body.collections;
    let sources = match call.tenant.scope.shows_states() {
        true => call.tenant.scope.chosen(&chosen)?,
        false => {
            let known =
                call.answer(move |_, tenant, index| Ok(tenant.scope.known(index, &chosen)?));
            known.await?
        }
    };
    let request = SyncRequest {
        retry: body.retry,
        accept_removals: body.accept_removals,
    };
    let mut state = call.server.engine.state();
    let mut synced = None;
    if let Some(ticket) = call.server.engine.request_sync(&sources, request)
        && wait > Duration::ZERO
    {
        let is_served = timeout(wait, state.wait_for(|_| ticket.is_served()));
        synced = is_served
            .await
            .ok()
            .and_then(Result::ok)
            .map(|it| it.clone());
    }
    let Some(mut synced) = synced else {
        let status = current(&call.server, &call.tenant).await?;
        return json(StatusCode::ACCEPTED, &status);
    };
    // That sync has ended, and the next one may have begun: what is said is how it ended.
    if sources
        .iter()
        .any(|seen| synced.syncing.as_ref() == Some(&seen.root))
    {
        (synced.syncing, synced.progress) = (None, None);
    }
    let status = seen_in(&call.server, &call.tenant, synced).await?;
    json(StatusCode::OK, &status)
}

/// Whether the server works.
#[derive(Serialize, JsonSchema)]
struct Health {
    /// `ok`.
    status: &'static str,
}

async fn health(call: Call) -> Result<Response, ProblemDetails> {
    let _: NoParameters = call.query()?;
    // An index that does not exist yet is no fault.
    let read = call.server.engine.answer(|index: &Index| {
        index.searched()?;
        Ok::<_, ProblemDetails>(())
    });
    match read.await {
        Ok(()) | Err(Unanswered::Missing(_)) => json(StatusCode::OK, &Health { status: "ok" }),
        Err(error) => Err(error.into()),
    }
}

async fn metrics(call: Call) -> Result<Response, ProblemDetails> {
    call.check_whole()?;
    let _: NoParameters = call.query()?;
    let status = current(&call.server, &call.tenant).await?.visible;
    let text = call.server.metrics.text(&status, &call.server.engine);
    let mut response = Response::new(Body::from(text));
    let kind =
        HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    Ok(response)
}
