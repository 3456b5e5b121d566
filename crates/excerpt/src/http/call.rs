//! A request as a handler sees it, and its answers.

use std::sync::{Arc, Mutex, PoisonError};

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, FromRequestParts as _, RawPathParams, Request};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, EXPECT, IF_NONE_MATCH};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use excerpt_chunk::{Settings, settings_from_json};
use excerpt_index::Index;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::body::Body as _;
use serde::de::{DeserializeOwned, Deserializer, Error as _};
use serde::{Deserialize as _, Serialize};
use serde_json::{Map, Value};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::limits::{BODY_LIMIT, BODY_TIME, DISCARDED};
use super::names::{Fields, Unread, read_by_any_name};
use super::problem::ProblemDetails;
use super::server::Server;
use super::tenant::Tenant;

/// A request of a client that may make it.
pub(super) struct Call {
    pub(super) server: Arc<Server>,
    pub(super) tenant: Arc<Tenant>,
    pub(super) parts: Parts,
    /// In a lock, so that a handler may be run by several threads in turn.
    body: Mutex<Body>,
}

impl FromRequest<Arc<Server>> for Call {
    type Rejection = ProblemDetails;

    async fn from_request(request: Request, server: &Arc<Server>) -> Result<Call, ProblemDetails> {
        let (mut parts, body) = request.into_parts();
        // The guard lets no request through without one.
        let tenant = parts.extensions.remove::<Arc<Tenant>>();
        let tenant = tenant
            .ok_or_else(|| ProblemDetails::new(StatusCode::UNAUTHORIZED, "a token is needed"))?;
        Ok(Call {
            server: Arc::clone(server),
            tenant,
            parts,
            body: Mutex::new(body),
        })
    }
}

impl Call {
    /// The parameters in the query of the address.
    ///
    /// # Errors
    ///
    /// When one is unknown, missing or wrong.
    pub(super) fn query<T: DeserializeOwned>(&self) -> Result<T, ProblemDetails> {
        let query = self.parts.uri.query().unwrap_or_default();
        let read = |query: &str| {
            let parsed = serde_html_form::Deserializer::from_bytes(query.as_bytes());
            let read = serde_path_to_error::deserialize(parsed);
            read.map_err(|error| unread(&error, "parameter"))
        };
        let unread = match read(query) {
            Ok(parameters) => return Ok(parameters),
            Err(unread) => unread,
        };
        match serde_html_form::from_str::<Vec<(String, String)>>(query) {
            Ok(pairs) if unread.unknown.is_some() => {
                let texts = pairs.into_iter().map(|(name, text)| (name, text.into()));
                read_by_any_name(texts.collect(), |fields| read(&query_of(fields)))
            }
            _ => Err(unread.problem),
        }
    }

    /// The parameter `name` in the path of the address, decoded.
    ///
    /// # Errors
    ///
    /// When it is not UTF-8.
    pub(super) async fn path(&mut self, name: &str) -> Result<String, ProblemDetails> {
        let params = RawPathParams::from_request_parts(&mut self.parts, &()).await;
        let params = params.map_err(|_| ProblemDetails::field(name, "it is not UTF-8"))?;
        let found = params.iter().find(|(known, _)| *known == name);
        found
            .map(|(_, value)| value.to_string())
            .ok_or_else(ProblemDetails::not_found)
    }

    /// The request with its body, for another service.
    pub(super) fn into_request(self) -> Request {
        Request::from_parts(self.parts, unlocked(self.body))
    }

    /// The body as JSON.
    ///
    /// # Errors
    ///
    /// When it is none, or a field is unknown, missing or wrong.
    pub(super) async fn json<T: DeserializeOwned>(&mut self) -> Result<T, ProblemDetails> {
        self.json_of(BODY_LIMIT).await
    }

    /// The body as JSON, or the default if there is no body.
    ///
    /// # Errors
    ///
    /// As those of [`Call::json`].
    pub(super) async fn json_or_default<T>(&mut self) -> Result<T, ProblemDetails>
    where
        T: DeserializeOwned + Default,
    {
        let body = self.body.get_mut().unwrap_or_else(PoisonError::into_inner);
        match body.is_end_stream() {
            true => Ok(T::default()),
            false => self.json().await,
        }
    }

    /// The body as JSON, of at most `limit` bytes.
    ///
    /// # Errors
    ///
    /// As those of [`Call::json`], and when it is larger.
    pub(super) async fn json_of<T: DeserializeOwned>(
        &mut self,
        limit: usize,
    ) -> Result<T, ProblemDetails> {
        self.check_json()?;
        let body = unlocked(std::mem::take(&mut self.body));
        let held = body_of(&self.parts.headers, body, limit, &self.server.bodies).await?;
        let bytes = &held.bytes;
        if bytes.trim_ascii_start().first() != Some(&b'{') {
            let detail = "the body must be a JSON object";
            return Err(ProblemDetails::new(StatusCode::BAD_REQUEST, detail));
        }
        let mut parsed = serde_json::Deserializer::from_slice(bytes);
        let value = match serde_path_to_error::deserialize(&mut parsed) {
            Ok(value) => value,
            Err(error) if !error.inner().is_data() => return Err(not_json(error.inner())),
            Err(error) => {
                let read = |value: Value| {
                    let read = serde_path_to_error::deserialize(value);
                    read.map_err(|error| unread(&error, "field"))
                };
                let whole = with_whole_numbers(bytes);
                let result = match whole.clone() {
                    Some(same) => read(same),
                    None => Err(unread(&error, "field")),
                };
                let unread = match result {
                    Ok(value) => return Ok(value),
                    Err(unread) => unread,
                };
                return match whole.or_else(|| serde_json::from_slice(bytes).ok()) {
                    Some(Value::Object(fields)) if unread.unknown.is_some() => {
                        let object = |fields: &Fields| fields.iter().cloned().collect();
                        read_by_any_name(fields.into_iter().collect(), |fields| {
                            read(Value::Object(object(fields)))
                        })
                    }
                    _ => Err(unread.problem),
                };
            }
        };
        parsed.end().map_err(|error| not_json(&error))?;
        Ok(value)
    }

    /// Checks that the body is said to be JSON.
    ///
    /// # Errors
    ///
    /// When it is not.
    pub(super) fn check_json(&self) -> Result<(), ProblemDetails> {
        let kind = self.parts.headers.get(CONTENT_TYPE);
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim();
        match kind.eq_ignore_ascii_case(JSON) {
            true => Ok(()),
            false => Err(ProblemDetails::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "the body must be JSON, with the header `Content-Type: application/json`",
            )),
        }
    }

    /// Checks that the client may write.
    ///
    /// # Errors
    ///
    /// When its token is for reading only.
    pub(super) fn check_writes(&self) -> Result<(), ProblemDetails> {
        match self.tenant.grant.write {
            true => Ok(()),
            false => {
                let detail =
                    "this token is for reading only: make one with `excerpt token add --write`";
                Err(ProblemDetails::new(StatusCode::FORBIDDEN, detail))
            }
        }
    }

    /// Checks that the client may see everything that is served.
    ///
    /// # Errors
    ///
    /// When its token shows only a part.
    pub(super) fn check_whole(&self) -> Result<(), ProblemDetails> {
        match self.tenant.grant.shows_everything() {
            true => Ok(()),
            false => {
                let detail = "this needs a token for everything that is served";
                Err(ProblemDetails::new(StatusCode::FORBIDDEN, detail))
            }
        }
    }

    /// Answers from the index.
    ///
    /// # Errors
    ///
    /// Those of `work`, and when there is no index.
    pub(super) async fn answer<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Server, &Tenant, &Index) -> Result<T, ProblemDetails> + Send + 'static,
    ) -> Result<T, ProblemDetails> {
        let (server, tenant) = (Arc::clone(&self.server), Arc::clone(&self.tenant));
        let answer = self
            .server
            .engine
            .answer(move |index| work(&server, &tenant, index));
        Ok(answer.await?)
    }

    /// An answer that the client keeps, and asks for again only if it has changed.
    pub(super) fn kept(&self, body: Vec<u8>) -> Response {
        kept(&self.parts.headers, body, JSON)
    }
}

/// The media type of JSON.
pub(super) const JSON: &str = "application/json";

/// An answer to a request with `headers` that the client keeps, and asks for again only if it has
/// changed. `kind` is its media type.
pub(super) fn kept(
    headers: &HeaderMap,
    body: impl AsRef<[u8]> + IntoResponse,
    kind: &'static str,
) -> Response {
    let tag = tag_of(body.as_ref());
    let mut response = match is_known(headers, &tag) {
        true => StatusCode::NOT_MODIFIED.into_response(),
        false => ([(CONTENT_TYPE, kind)], body).into_response(),
    };
    let headers = response.headers_mut();
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(ETAG, tag);
    }
    let control = HeaderValue::from_static("private, no-cache");
    headers.insert(CACHE_CONTROL, control);
    response
}

/// The tag of an answer. It is a weak one, because the same answer may be sent with and without
/// compression.
fn tag_of(bytes: &[u8]) -> String {
    format!("W/\"{}\"", excerpt_chunk::Hash::of(bytes))
}

/// Whether a client has what a tag is of, as its headers say: compared weakly (RFC 9110, 8.8.3.2).
fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    let known = headers.get_all(IF_NONE_MATCH).iter();
    let mut known = known
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','));
    known.any(|one| {
        let one = one.trim();
        one == "*" || one.trim_start_matches("W/") == tag.trim_start_matches("W/")
    })
}

/// The same JSON with numbers such as `5.0` as whole ones, which they are in JSON; `None` if it has
/// no such numbers.
fn with_whole_numbers(bytes: &[u8]) -> Option<Value> {
    fn change(value: &mut Value) -> bool {
        match value {
            Value::Number(number) if number.is_f64() => {
                let whole = number.as_f64().filter(|number| number.fract() == 0.0);
                let whole = whole.filter(|number| (0.0..=u64::MAX as f64).contains(number));
                if let Some(whole) = whole {
                    *value = (whole as u64).into();
                }
                whole.is_some()
            }
            Value::Array(values) => values.iter_mut().fold(false, |is, it| change(it) | is),
            Value::Object(fields) => fields.values_mut().fold(false, |is, it| change(it) | is),
            _ => false,
        }
    }
    // Of a large body, this would be a second copy.
    const SMALL: usize = 1 << 20;
    if bytes.len() > SMALL {
        return None;
    }
    let mut value = serde_json::from_slice(bytes).ok()?;
    change(&mut value).then_some(value)
}

/// Reads a text that is not `null`.
///
/// # Errors
///
/// When it is no text.
pub(super) fn given<'d, D: Deserializer<'d>>(from: D) -> Result<Option<String>, D::Error> {
    String::deserialize(from).map(Some)
}

/// Reads how documents are split, as a configuration file says it.
///
/// # Errors
///
/// What is wrong and what was expected.
pub(super) fn read_chunking<'d, D: Deserializer<'d>>(from: D) -> Result<Settings, D::Error> {
    let said = Map::<String, Value>::deserialize(from)?;
    settings_from_json(&said).map_err(D::Error::custom)
}

fn unlocked(body: Mutex<Body>) -> Body {
    body.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// A body that was read, and its part of the memory for all bodies.
pub(super) struct Held {
    pub(super) bytes: Bytes,
    pub(super) turn: Option<OwnedSemaphorePermit>,
}

/// A body, if it is not too large, and once there is room for it among all that are read at the
/// same time.
///
/// # Errors
///
/// When it is too large, or does not arrive in time.
pub(super) async fn body_of(
    headers: &HeaderMap,
    body: Body,
    limit: usize,
    room: &Arc<Semaphore>,
) -> Result<Held, ProblemDetails> {
    let too_large = || {
        let detail = format!("the body has more than {limit} bytes");
        ProblemDetails::new(StatusCode::PAYLOAD_TOO_LARGE, detail)
    };
    if body.size_hint().lower() > limit as u64 {
        // A client that waits for leave to send does not send then.
        if !headers.contains_key(EXPECT) {
            discard(body).await;
        }
        return Err(too_large());
    }
    let turn = room_for(body.size_hint().exact(), limit, room).await?;
    let read = tokio::time::timeout(BODY_TIME, Limited::new(body, limit).collect()).await;
    let read = read.map_err(|_| {
        let detail = format!(
            "the body did not arrive within {} seconds",
            BODY_TIME.as_secs()
        );
        ProblemDetails::new(StatusCode::REQUEST_TIMEOUT, detail)
    })?;
    match read {
        Ok(body) => Ok(Held {
            bytes: body.to_bytes(),
            turn,
        }),
        Err(error) if error.is::<LengthLimitError>() => Err(too_large()),
        Err(_) => Err(ProblemDetails::new(
            StatusCode::BAD_REQUEST,
            "the body is incomplete",
        )),
    }
}

/// Reads a body that is too large without keeping it: a client that sends all of it before it reads
/// the answer would otherwise only see a closed connection. What is far too large is not read, and
/// neither is what turns out to be too large while it is read.
async fn discard(mut body: Body) {
    if body.size_hint().lower() > DISCARDED {
        return;
    }
    let read = async { while let Some(Ok(_)) = body.frame().await {} };
    // Whether all of it has arrived or not, the answer is the same.
    let _ = tokio::time::timeout(BODY_TIME, read).await;
}

/// The room for a body of which a size is announced, if it is. A small one needs none.
///
/// # Errors
///
/// When there is none in time.
pub(super) async fn room_for(
    announced: Option<u64>,
    limit: usize,
    room: &Arc<Semaphore>,
) -> Result<Option<OwnedSemaphorePermit>, ProblemDetails> {
    const SMALL: usize = 64;
    let announced = announced.and_then(|size| usize::try_from(size).ok());
    let size = announced.unwrap_or(limit).min(limit).div_ceil(1 << 10);
    if size <= SMALL {
        return Ok(None);
    }
    let size = u32::try_from(size).unwrap_or(u32::MAX);
    let turn = tokio::time::timeout(BODY_TIME, Arc::clone(room).acquire_many_owned(size)).await;
    match turn {
        Ok(Ok(turn)) => Ok(Some(turn)),
        _ => Err(ProblemDetails::later(
            StatusCode::SERVICE_UNAVAILABLE,
            5,
            "too many large bodies at the same time: ask again in a moment",
        )),
    }
}

/// A value as JSON.
///
/// # Errors
///
/// When it cannot be written.
pub(super) fn written(value: &impl Serialize) -> Result<Vec<u8>, ProblemDetails> {
    written_after(Vec::new(), value)
}

/// A value as JSON, after what `bytes` has.
///
/// # Errors
///
/// When it cannot be written.
pub(super) fn written_after(
    mut bytes: Vec<u8>,
    value: &impl Serialize,
) -> Result<Vec<u8>, ProblemDetails> {
    serde_json::to_writer(&mut bytes, value).map_err(|error| {
        tracing::error!(%error, "an answer cannot be written");
        ProblemDetails::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "the answer cannot be written",
        )
    })?;
    Ok(bytes)
}

/// A value as the body of an answer.
///
/// # Errors
///
/// When it cannot be written.
pub(super) fn json(status: StatusCode, value: &impl Serialize) -> Result<Response, ProblemDetails> {
    Ok(of_bytes(status, written(value)?))
}

/// JSON that was written already.
pub(super) fn of_bytes(status: StatusCode, body: Vec<u8>) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    let kind = HeaderValue::from_static(JSON);
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

/// What is wrong with parameters or a body, and the name of a field at the top that is unknown.
fn unread<E: std::fmt::Display>(error: &serde_path_to_error::Error<E>, kind: &str) -> Unread {
    let message = error.inner().to_string();
    let name = message.strip_prefix("unknown field `");
    let name = name.and_then(|rest| rest.split('`').next());
    let path = error.path().to_string();
    let is_at_the_top = |name: &&str| matches!(&*path, "." | "?") || path == *name;
    Unread {
        unknown: name.filter(is_at_the_top).map(str::to_string),
        problem: wrong(error, kind),
    }
}

/// Parameters as the query of an address. What is `null` is empty.
fn query_of(fields: &Fields) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    let pairs = fields.iter().flat_map(|(name, value)| match value {
        Value::Array(texts) => texts.iter().map(|value| (name, text(value))).collect(),
        value => vec![(name, text(value))],
    });
    let pairs: Vec<_> = pairs.collect();
    serde_html_form::to_string(pairs).unwrap_or_default()
}

/// What is wrong with parameters or a body, and in which field.
fn wrong<E: std::fmt::Display>(
    error: &serde_path_to_error::Error<E>,
    kind: &str,
) -> ProblemDetails {
    let message = plain(&error.inner().to_string());
    let path = error.path().to_string();
    // What is wrong in a configuration names its field, and contradicts another.
    if path == "chunking"
        && let Some(rest) = message.strip_prefix('`')
        && let Some((field, _)) = rest.split_once('`')
    {
        let field = format!("{path}.{field}");
        return ProblemDetails::of_field(StatusCode::UNPROCESSABLE_ENTITY, &field, &*message);
    }
    let named = message
        .contains("field `")
        .then(|| message.split('`').nth(1))
        .flatten();
    let field = match (named, &*path) {
        (Some(named), "." | "?") => named.to_string(),
        (_, "." | "?") => {
            return ProblemDetails::new(StatusCode::BAD_REQUEST, message);
        }
        (Some(named), path) if path != named => format!("{path}.{named}"),
        (_, path) => path.to_string(),
    };
    let detail = match named {
        Some(_) => message.replace("field `", &format!("{kind} `")),
        None => format!("`{field}`: {message}"),
    };
    ProblemDetails::field(&field, detail)
}

/// A body that is not JSON.
pub(super) fn not_json(error: &serde_json::Error) -> ProblemDetails {
    let detail = format!("the body is not JSON: {}", plain(&error.to_string()));
    ProblemDetails::new(StatusCode::BAD_REQUEST, detail)
}

/// A message of a parser, bounded: it may repeat what it found.
fn plain(message: &str) -> String {
    const LONGEST: usize = 300;
    let mut plain: String = message.chars().take(LONGEST).collect();
    if plain.len() < message.len() {
        plain.push('…');
    }
    if let Some(at) = plain.rfind(" at line ") {
        plain.truncate(at);
    }
    let plain = plain.replace('\n', " ");
    // What is between backticks is the client's.
    let pieces = plain
        .split('`')
        .enumerate()
        .map(|(at, piece)| match at % 2 {
            0 => WORDS
                .iter()
                .fold(piece.to_string(), |piece, (parser, words)| {
                    piece.replace(parser, words)
                }),
            _ => piece.to_string(),
        });
    pieces.collect::<Vec<_>>().join("`")
}

/// What the parsers say, and what a user understands.
const WORDS: [(&str, &str); 8] = [
    ("usize", "a whole number"),
    ("f32", "a number"),
    ("invalid digit found in string", "expected a whole number"),
    ("invalid float literal", "expected a number"),
    (
        "number too large to fit in target type",
        "the number is too large",
    ),
    ("unsupported value", "it is given several times"),
    ("a sequence", "a list"),
    ("a map", "an object"),
];
