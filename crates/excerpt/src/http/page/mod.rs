//! The page at `/`: its files, and the exchange of a token for a session of the page.

mod shell;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, LOCATION, SET_COOKIE};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};

use crate::http::call::{body_of, kept};
use crate::http::problem::ProblemDetails;
use crate::http::server::Server;
pub(super) use shell::policy;

/// The largest form, in bytes.
const FORM_LIMIT: usize = 4 << 10;

/// A file of the page.
struct Asset {
    name: &'static str,
    kind: &'static str,
    bytes: &'static [u8],
}

macro_rules! assets {
    ($($name:literal => $kind:expr),* $(,)?) => {
        &[$(Asset {
            name: $name,
            kind: $kind,
            bytes: include_bytes!(concat!("assets/", $name)),
        }),*]
    };
}

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const PICTURE: &str = "image/svg+xml";

const ASSETS: &[Asset] = assets![
    "api.js" => SCRIPT,
    "app.js" => SCRIPT,
    "chunks.js" => SCRIPT,
    "document.js" => SCRIPT,
    "dom.js" => SCRIPT,
    "favicon.svg" => PICTURE,
    "filters.js" => SCRIPT,
    "hit.js" => SCRIPT,
    "route.js" => SCRIPT,
    "search.js" => SCRIPT,
    "settings.js" => SCRIPT,
    "status.js" => SCRIPT,
    "text.js" => SCRIPT,
    "workshop.js" => SCRIPT,
];

pub(in crate::http) fn routes() -> Router<Arc<Server>> {
    Router::new()
        .route("/", get(shell))
        .route("/session", post(session))
        .route("/assets/{name}", get(asset))
}

/// The page, or in exchange for a token in the address, a session of it.
async fn shell(
    State(server): State<Arc<Server>>,
    request: Request,
) -> Result<Response, ProblemDetails> {
    let uri = request.uri();
    if let Some(token) = parameter(uri, "token") {
        let place = without_token(uri);
        return exchanged(&server, request.headers(), token, &place).await;
    }
    match server.admits(request.headers()).await? {
        true => Ok(kept(request.headers(), shell::SHELL.as_bytes(), HTML)),
        false => Ok(sign_in(StatusCode::UNAUTHORIZED, None)),
    }
}

/// Signs in with the token of a form.
async fn session(
    State(server): State<Arc<Server>>,
    request: Request,
) -> Result<Response, ProblemDetails> {
    let (parts, body) = request.into_parts();
    let body = body_of(&parts.headers, body, FORM_LIMIT, &server.hook_bodies).await?;
    let fields: Vec<(String, String)> = serde_html_form::from_bytes(&body.bytes)
        .map_err(|_| ProblemDetails::field("token", "expected a form with the field `token`"))?;
    let token = fields.into_iter().find(|(name, _)| name == "token");
    match token {
        Some((_, token)) => exchanged(&server, &parts.headers, token.trim().to_string(), "/").await,
        None => Err(ProblemDetails::field(
            "token",
            "expected a form with the field `token`",
        )),
    }
}

async fn exchanged(
    server: &Arc<Server>,
    headers: &HeaderMap,
    token: String,
    place: &str,
) -> Result<Response, ProblemDetails> {
    let is_secure = server.is_secure || is_encrypted_by_proxy(headers);
    let exchange = move |server: &Arc<Server>| server.guard.exchange(&token, is_secure);
    let Some(session) = server.on_thread(exchange).await? else {
        let message = "This token is unknown, has expired or was revoked.";
        return Ok(sign_in(StatusCode::UNAUTHORIZED, Some(message)));
    };
    let mut response = StatusCode::SEE_OTHER.into_response();
    let headers = response.headers_mut();
    // What follows `#` is not sent to any server.
    let place = format!("{place}#session={}", session.session);
    for (name, value) in [(LOCATION, place), (SET_COOKIE, session.cookie)] {
        let value = HeaderValue::from_str(&value)
            .map_err(|_| ProblemDetails::field("token", "the address cannot be shown again"))?;
        headers.insert(name, value);
    }
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

/// Whether a proxy says that the browser's connection to it is encrypted. A client that says so
/// itself only keeps its own cookie from being sent in clear.
fn is_encrypted_by_proxy(headers: &HeaderMap) -> bool {
    let scheme = headers.get("x-forwarded-proto");
    scheme.is_some_and(|scheme| scheme.as_bytes().eq_ignore_ascii_case(b"https"))
}

async fn asset(
    State(server): State<Arc<Server>>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<Response, ProblemDetails> {
    if !server.admits(&headers).await? {
        return Err(ProblemDetails::new(
            StatusCode::UNAUTHORIZED,
            "sign in at `/` first",
        ));
    }
    match ASSETS.iter().find(|asset| asset.name == name) {
        Some(asset) => Ok(kept(&headers, asset.bytes, asset.kind)),
        None => Err(ProblemDetails::not_found()),
    }
}

/// The page on which a token is entered. It loads nothing.
fn sign_in(status: StatusCode, message: Option<&'static str>) -> Response {
    let message = message.map(|message| format!("<p role=\"alert\">{message}</p>"));
    let body = format!(
        "<!doctype html>
<html lang=\"en\">
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
<meta name=\"color-scheme\" content=\"light dark\">
<title>Sign in · excerpt</title>
<main>
<h1>excerpt</h1>
{}
<p>Open the link that <code>excerpt serve</code> prints, or enter a token.</p>
<form method=\"post\" action=\"/session\">
<p><label for=\"token\">Token</label>
<input id=\"token\" name=\"token\" type=\"password\" autocomplete=\"current-password\" required autofocus>
<button>Sign in</button></p>
</form>
</main>
</html>
",
        message.unwrap_or_default()
    );
    let mut response = (status, body).into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(HTML));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// A parameter in the query of an address.
fn parameter(uri: &Uri, name: &str) -> Option<String> {
    let pairs: Vec<(String, String)> = serde_html_form::from_str(uri.query()?).ok()?;
    pairs
        .into_iter()
        .find(|(known, _)| known == name)
        .map(|(_, value)| value)
}

/// The address of the page without the token, so that a link to a document can have one.
fn without_token(uri: &Uri) -> String {
    let pairs: Vec<(String, String)> = uri
        .query()
        .and_then(|query| serde_html_form::from_str(query).ok())
        .unwrap_or_default();
    let others: Vec<_> = pairs.iter().filter(|(name, _)| name != "token").collect();
    match serde_html_form::to_string(&others) {
        Ok(query) if !query.is_empty() => format!("/?{query}"),
        _ => "/".to_string(),
    }
}
