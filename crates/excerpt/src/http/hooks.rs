//! `/hooks/NAME`: a host of git repositories reports a push. The call is answered at once, and what
//! was pushed is fetched in the background.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use axum::extract::{self, Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use excerpt_chunk::Hash;
use excerpt_service::access::HookSource;
use excerpt_service::text::shown;
use excerpt_service::{CheckEnd, PushHint, SyncRequest};

use super::call::body_of;
use super::deliveries::{Delivery, DeliveryKey};
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
    extract::Path(name): extract::Path<String>,
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
    if source(headers).is_none() {
        return Err(refused());
    }
    let held = body_of(headers, body, LIMIT, &server.hook_bodies).await?;
    let work = move |server: &Arc<Server>| is_answered(server, &name, &parts.headers, &held.bytes);
    match server.on_thread(work).await? {
        true => Ok(StatusCode::ACCEPTED.into_response()),
        // Nothing tells an unknown hook from a wrong signature.
        false => Err(refused()),
    }
}

/// Has the sources of a hook synced; `false` if the call is not from someone who knows its secret.
/// It reads files.
fn is_answered(
    server: &Server,
    name: &str,
    headers: &HeaderMap,
    body: &[u8],
) -> Result<bool, ProblemDetails> {
    let hook = server.hooks.named(name)?;
    let hook = hook.filter(|hook| source(headers).is_some_and(|source| hook.is_from(source, body)));
    let Some(hook) = hook else {
        return Ok(false);
    };
    let delivery = DELIVERIES.iter().find_map(|name| header(headers, name));
    let key = match delivery {
        Some(id) => DeliveryKey::Id(Hash::of(format!("{name} {id}").as_bytes())),
        None => DeliveryKey::Body(Hash::of(&[name.as_bytes(), b"\n", body].concat())),
    };
    let sources = server.common.scope.sources()?.into_iter();
    let named = sources.filter(|seen| {
        let name = seen.collection_name();
        name.is_some_and(|known| hook.collections.iter().any(|name| name == known))
    });
    let named: Vec<_> = named.collect();
    if named.is_empty() {
        let detail = match &hook.collections[..] {
            [name] => format!(
                "the collection `{}` of this hook is not served",
                shown(name)
            ),
            _ => "none of the collections of this hook is served".to_string(),
        };
        return Err(ProblemDetails::new(StatusCode::NOT_FOUND, detail));
    }
    let now = Instant::now();
    let state = server.engine.state();
    let has_failed = |root: &Path| {
        let state = state.borrow();
        let ended = state.sources.get(root);
        ended.is_some_and(|ended| matches!(ended.end, CheckEnd::Failed(_) | CheckEnd::Waiting))
    };
    if server.deliveries.is_repeated(key, now, has_failed) {
        return Ok(true);
    }
    server.metrics.hooks.inc();
    let hint = PushHint::of(body).ok();
    let sources = named.into_iter().filter(|seen| {
        hint.as_ref()
            .is_none_or(|hint| hint.concerns_root(&seen.root))
    });
    let sources: Vec<_> = sources.collect();
    tracing::info!(hook = %hook.name, sources = sources.len(), "a hook was called");
    // What concerns nothing now may do so when it is sent again.
    if !sources.is_empty() {
        let ticket = server.engine.request_sync(&sources, SyncRequest::default());
        server.deliveries.remember(Delivery {
            key,
            at: now,
            ticket,
            roots: sources.into_iter().map(|seen| seen.root).collect(),
        });
    }
    Ok(true)
}
