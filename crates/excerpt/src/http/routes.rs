//! The routes, and what every request passes before it reaches one.

use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{
    ALLOW, CONNECTION, CONTENT_SECURITY_POLICY, REFERRER_POLICY, TRANSFER_ENCODING,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{MethodRouter, any, get, post};
use serde::de::IgnoredAny;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;

use super::call::{Call, Held, body_of, not_json};
use super::guard::has_token;
use super::limits::{ANSWER_TIME, LONGEST_ADDRESS};
use super::log::ACCESS;
use super::newcomers::Newcomer;
use super::openapi::Description;
use super::problem::ProblemDetails;
use super::server::Server;
use super::{api, hooks, page};
use crate::mcp::MESSAGE_LIMIT;

/// The header with the id of a request.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The routes of a server.
pub(super) fn routes(server: &Arc<Server>) -> Router {
    let operations = api::operations();
    let description = Arc::new(Description::of(&operations));
    let mut api = Router::new();
    for operation in operations {
        // A path may contain slashes.
        let path = operation.path.replace("{target}", "{*target}");
        api = api.route(&path, operation.router);
    }
    let api = api
        .route("/mcp", any(mcp))
        .layer(from_fn_with_state(Arc::clone(server), admitted));
    // A browser shows these, and sends nothing but the cookie of the page.
    let description = Router::new()
        .route(
            "/v1/openapi.json",
            described(&description, Description::json),
        )
        .route("/v1", described(&description, Description::page))
        .route("/v1/", described(&description, Description::page))
        .layer(from_fn_with_state(
            Arc::clone(server),
            admitted_or_signed_in,
        ));
    Router::new()
        .merge(api)
        .merge(description)
        .merge(page::routes())
        .route("/hooks/{name}", post(hooks::call))
        .fallback(|| async { ProblemDetails::not_found() })
        .method_not_allowed_fallback(|| async {
            ProblemDetails::new(
                StatusCode::METHOD_NOT_ALLOWED,
                "this address does not have this method: the header `Allow` names those that it has",
            )
        })
        .layer(CompressionLayer::new())
        .layer(from_fn_with_state(Arc::clone(server), limited))
        .layer(from_fn_with_state(Arc::clone(server), logged))
        .layer(CatchPanicLayer::custom(|_| {
            tracing::error!("a request panicked");
            let detail = "the request failed: the log of the server says why";
            ProblemDetails::new(StatusCode::INTERNAL_SERVER_ERROR, detail).into_response()
        }))
        .layer(from_fn(with_policy))
        .with_state(Arc::clone(server))
}

/// A route that answers with a form of the description.
fn described(
    description: &Arc<Description>,
    form: fn(&Description, &HeaderMap) -> Response,
) -> MethodRouter<Arc<Server>> {
    let description = Arc::clone(description);
    get(async move |headers: HeaderMap| form(&description, &headers))
}

/// MCP, by the server of the client.
async fn mcp(call: Call) -> Result<Response, ProblemDetails> {
    if call.parts.method != Method::POST {
        let detail = "MCP is served here: use `POST`";
        let refused = ProblemDetails::new(StatusCode::METHOD_NOT_ALLOWED, detail);
        return Ok(([(ALLOW, "POST")], refused).into_response());
    }
    call.check_json()?;
    let (service, server) = (call.tenant.mcp.clone(), Arc::clone(&call.server));
    let (parts, body) = call.into_request().into_parts();
    let Held { bytes, turn: _turn } =
        body_of(&parts.headers, body, MESSAGE_LIMIT, &server.bodies).await?;
    if let Err(error) = serde_json::from_slice::<IgnoredAny>(&bytes) {
        return Err(not_json(&error));
    }
    let request = Request::from_parts(parts, Body::from(bytes));
    Ok(service.handle(request).await.map(Body::new))
}

/// Lets requests through that have a token, and not too many.
async fn admitted(
    State(server): State<Arc<Server>>,
    request: Request,
    next: Next,
) -> Result<Response, ProblemDetails> {
    let (mut parts, body) = request.into_parts();
    if has_token(&parts.uri) {
        let detail = "a token does not belong in an address: send it as `Authorization: Bearer …`";
        return Err(ProblemDetails::field("token", detail));
    }
    let tenant = server.tenant(&parts).await?;
    tracing::Span::current().record("token", &*tenant.name);
    if let Some(newcomer) = parts.extensions.remove::<Newcomer>() {
        newcomer.is_admitted();
    }
    tenant.check_rate()?;
    parts.extensions.insert(tenant);
    Ok(next.run(Request::from_parts(parts, body)).await)
}

/// Lets requests through that have a token, or the cookie of the page.
async fn admitted_or_signed_in(
    server: State<Arc<Server>>,
    request: Request,
    next: Next,
) -> Result<Response, ProblemDetails> {
    let is_signed_in = !has_token(request.uri()) && server.admits(request.headers()).await?;
    match is_signed_in {
        true => Ok(next.run(request).await),
        false => admitted(server, request, next).await,
    }
}

/// Checks where a request comes from, and limits how many are answered at the same time and for how
/// long.
async fn limited(
    State(server): State<Arc<Server>>,
    request: Request,
    next: Next,
) -> Result<Response, ProblemDetails> {
    let (parts, body) = request.into_parts();
    server.guard.check_place(&parts)?;
    if parts.uri.to_string().len() > LONGEST_ADDRESS {
        let detail = format!("the address has more than {LONGEST_ADDRESS} bytes");
        return Err(ProblemDetails::new(StatusCode::URI_TOO_LONG, detail));
    }
    let Ok(_turn) = server.turns.try_acquire() else {
        return Err(ProblemDetails::later(
            StatusCode::SERVICE_UNAVAILABLE,
            1,
            "too many requests at the same time: ask again in a moment",
        ));
    };
    let answer = next.run(Request::from_parts(parts, body));
    match tokio::time::timeout(ANSWER_TIME, answer).await {
        Ok(answer) => Ok(answer),
        Err(_) => Err(ProblemDetails::new(
            StatusCode::GATEWAY_TIMEOUT,
            format!("no answer within {} seconds", ANSWER_TIME.as_secs()),
        )),
    }
}

/// Logs and counts a request. The query of its address is not logged: it may be private.
async fn logged(State(server): State<Arc<Server>>, request: Request, next: Next) -> Response {
    let begun = Instant::now();
    let route = request.extensions().get::<MatchedPath>();
    let route = route.map_or("none", MatchedPath::as_str).to_string();
    let method = request.method().clone();
    let id = request_id(&request);
    let span = tracing::info_span!(
        "request",
        id = %id.to_str().unwrap_or_default(),
        method = %method,
        path = %shown_path(request.uri().path()),
        token = tracing::field::Empty,
    );
    server.metrics.running.inc();
    let running = Running(&server);
    let answer = next.run(request);
    let mut response = tracing::Instrument::instrument(answer, span.clone()).await;
    drop(running);
    response.headers_mut().insert(REQUEST_ID, id);
    let (status, took) = (response.status().as_u16(), begun.elapsed());
    let known = method.as_str();
    let known = match known {
        "GET" | "POST" | "PATCH" | "DELETE" | "HEAD" | "OPTIONS" | "PUT" => known,
        _ => "other",
    };
    server.metrics.answered(&route, known, status, took);
    let milliseconds = took.as_micros() as f64 / 1_000.0;
    span.in_scope(|| match status {
        0..400 => tracing::info!(target: ACCESS, status, milliseconds, "answered"),
        _ => tracing::warn!(target: ACCESS, status, milliseconds, "answered"),
    });
    response
}

/// Counts a running request until it is answered or cancelled.
struct Running<'s>(&'s Server);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.metrics.running.dec();
    }
}

/// The id that a proxy gave a request, or a new one.
fn request_id(request: &Request) -> HeaderValue {
    const LONGEST: usize = 128;
    let given = request.headers().get(REQUEST_ID);
    let is_plain = |id: &&HeaderValue| {
        let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        (1..=LONGEST).contains(&id.len()) && id.as_bytes().iter().all(is_plain)
    };
    if let Some(id) = given.filter(is_plain) {
        return id.clone();
    }
    let id = format!("{:016x}", fastrand::u64(..));
    HeaderValue::from_str(&id).unwrap_or(HeaderValue::from_static("none"))
}

/// A path for the log, bounded and without control characters.
fn shown_path(path: &str) -> String {
    const LONGEST: usize = 200;
    path.chars()
        .take(LONGEST)
        .filter(|c| !c.is_control())
        .collect()
}

/// Adds the headers that limit what a browser does with an answer.
async fn with_policy(request: Request, next: Next) -> Response {
    let is_chunked = request.headers().contains_key(TRANSFER_ENCODING);
    let mut response = next.run(request).await;
    let is_refused = response.status() == StatusCode::UNAUTHORIZED;
    let headers = response.headers_mut();
    // A length beside the chunks may have misled a proxy about where the request ends: nothing that
    // follows it on this connection is taken for another. And a client without a token keeps none.
    if is_chunked || is_refused {
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }
    headers.insert(CONTENT_SECURITY_POLICY, page::policy());
    let mut add = |name: HeaderName, value: &'static str| {
        headers.insert(name, HeaderValue::from_static(value));
    };
    add(X_CONTENT_TYPE_OPTIONS, "nosniff");
    // Without a referrer, the form that signs in would have no origin.
    add(REFERRER_POLICY, "same-origin");
    add(
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    );
    add(
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    );
    response
}
