//! `/hooks/NAME`: a host of git repositories reports a push. The call is answered at once, and what
//! was pushed is fetched in the background.

use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use excerpt_chunk::Hash;
use excerpt_service::access::HookSource;
use excerpt_service::{PushHint, SyncRequest};

use super::call::body_of;
use super::problem::ProblemDetails;
use super::server::Server;

/// The largest body, in bytes. GitHub sends at most 25 MB, but lists at most 2,048 commits, which
/// take less.
const LIMIT: usize = 8 << 20;

/// The signatures of the hosts, and the ids of their deliveries.
const SIGNATURES: [&str; 4] = [
    "x-hub-signature-256",
    "x-gitea-signature",
    "x-forgejo-signature",
    "x-hub-signature",
];
const DELIVERIES: [&str; 5] = [
    "x-github-delivery",
    "x-gitlab-event-uuid",
    "x-gitea-delivery",
    "x-forgejo-delivery",
    "x-request-uuid",
];

fn header<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}

/// What says who sent the call.
fn source(headers: &HeaderMap) -> Option<HookSource<'_>> {
    let mut signatures = SIGNATURES.iter().filter_map(|name| header(headers, name));
    match signatures.next() {
        Some(signature) => Some(HookSource::Signature(signature)),
        None => header(headers, "x-gitlab-token").map(HookSource::Token),
    }
}

/// Answers the call of a hook.
pub(super) async fn call(
    State(server): State<Arc<Server>>,
    Path(name): Path<String>,
    request: Request,
) -> Result<Response, ProblemDetails> {
    let (parts, body) = request.into_parts();
    let headers = &parts.headers;
    let refused = || {
        ProblemDetails::new(
            StatusCode::UNAUTHORIZED,
            "the signature is wrong or missing",
        )
    };
    // Without any signature, the body is not even read.
    let Some(source) = source(headers) else {
        return Err(refused());
    };
    let held = body_of(headers, body, LIMIT, &server.hook_bodies).await?;
    let body = &*held.bytes;
    // Nothing tells an unknown hook from a wrong signature.
    let hook = server.hooks.named(&name)?;
    let Some(hook) = hook.filter(|hook| hook.is_from(source, body)) else {
        return Err(refused());
    };
    let sources = server.common.scope.sources()?.into_iter();
    let delivery = DELIVERIES.iter().find_map(|name| header(headers, name));
    let delivery = match delivery {
        Some(id) => Hash::of(format!("{name} {id}").as_bytes()),
        None => Hash::of(&[name.as_bytes(), b"\n", body].concat()),
    };
    if !server.deliveries.is_new(delivery) {
        return Ok(StatusCode::ACCEPTED.into_response());
    }
    server.metrics.hooks.inc();
    let hint = PushHint::of(body).ok();
    let sources = sources.filter(|seen| {
        let is_named = seen
            .collection_name()
            .is_some_and(|known| hook.collections.iter().any(|name| name == known));
        let is_meant = hint
            .as_ref()
            .is_none_or(|hint| hint.concerns_root(&seen.root));
        is_named && is_meant
    });
    let sources: Vec<_> = sources.collect();
    tracing::info!(hook = %hook.name, sources = sources.len(), "a hook was called");
    server.engine.request_sync(&sources, SyncRequest::default());
    Ok(StatusCode::ACCEPTED.into_response())
}
