//! Errors as problem details: <https://www.rfc-editor.org/rfc/rfc9457>.

use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use excerpt_index::Error;
use excerpt_service::text::budget::begun;
use excerpt_service::{ServiceError, Unanswered};
use schemars::JsonSchema;
use serde::Serialize;

/// What is said where nothing is indexed.
pub(super) const NOTHING: &str = "nothing is indexed yet: ask again in a moment";

/// The longest description of a problem, and the longest name of a field, in characters: both may
/// repeat what was sent.
const LONGEST_DETAIL: usize = 1_000;
const LONGEST_FIELD: usize = 200;

/// Why a request has no answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ProblemDetails {
    /// Always `about:blank`: the status says what kind of problem it is.
    r#type: &'static str,
    /// The status in words.
    title: &'static str,
    /// The status.
    #[serde(serialize_with = "code")]
    #[schemars(with = "u16", range(min = 400, max = 599))]
    status: StatusCode,
    /// What is wrong, and what to do.
    detail: String,
    /// The fields that are wrong.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<WrongField>,
    /// After how many seconds to try again.
    #[serde(skip)]
    retry_after: Option<u32>,
}

/// A field of a request that is wrong.
#[derive(Debug, Serialize, JsonSchema)]
struct WrongField {
    /// Its name: of a parameter, or of a field of the body.
    field: String,
    /// What is wrong with it.
    detail: String,
}

fn code<S: serde::Serializer>(status: &StatusCode, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_u16(status.as_u16())
}

impl ProblemDetails {
    pub(super) fn new(status: StatusCode, detail: impl Into<String>) -> ProblemDetails {
        ProblemDetails {
            r#type: "about:blank",
            title: status.canonical_reason().unwrap_or("Error"),
            status,
            detail: begun(&detail.into(), LONGEST_DETAIL),
            errors: Vec::new(),
            retry_after: None,
        }
    }

    /// A request that is wrong in one field.
    pub(super) fn field(field: &str, detail: impl Into<String>) -> ProblemDetails {
        ProblemDetails::new(StatusCode::BAD_REQUEST, detail).of(field)
    }

    /// A request that is wrong in one field, with another status than that of a bad request.
    pub(super) fn of_field(
        status: StatusCode,
        field: &str,
        detail: impl Into<String>,
    ) -> ProblemDetails {
        ProblemDetails::new(status, detail).of(field)
    }

    /// The same, because of a field.
    fn of(mut self, field: &str) -> ProblemDetails {
        self.errors.push(WrongField {
            field: begun(field, LONGEST_FIELD),
            detail: self.detail.clone(),
        });
        self
    }

    /// A request that may succeed after some seconds.
    pub(super) fn later(
        status: StatusCode,
        seconds: u32,
        detail: impl Into<String>,
    ) -> ProblemDetails {
        let mut problem = ProblemDetails::new(status, detail);
        problem.retry_after = Some(seconds);
        problem
    }

    pub(super) fn not_found() -> ProblemDetails {
        let detail = "there is nothing at this address: `/v1/openapi.json` lists what there is";
        ProblemDetails::new(StatusCode::NOT_FOUND, detail)
    }
}

impl IntoResponse for ProblemDetails {
    fn into_response(self) -> Response {
        // What cannot be serialized has a body of its own.
        let body = serde_json::to_vec(&self).unwrap_or_default();
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        let kind = HeaderValue::from_static("application/problem+json");
        headers.insert(CONTENT_TYPE, kind);
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(seconds) = self.retry_after {
            headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

impl From<ServiceError> for ProblemDetails {
    fn from(error: ServiceError) -> ProblemDetails {
        use StatusCode as Status;
        let detail = error.to_string();
        let plain = |status| ProblemDetails::new(status, detail.clone());
        let of = |status, field: &str| plain(status).of(field);
        match &error {
            ServiceError::NoCollection { names, .. } => {
                let known = match names.is_empty() {
                    true => "there are no collections".to_string(),
                    false => format!("there are `{}`", names.join("`, `")),
                };
                ProblemDetails::new(Status::NOT_FOUND, format!("{detail}: {known}"))
                    .of("collections")
            }
            ServiceError::NotAPath { .. } => of(Status::UNPROCESSABLE_ENTITY, "path"),
            ServiceError::NoDocument { closest, .. } => match closest {
                Some(close) => {
                    let detail = format!("{detail}: did you mean `{close}`?");
                    ProblemDetails::new(Status::NOT_FOUND, detail)
                }
                None => plain(Status::NOT_FOUND),
            },
            ServiceError::IsFolder { .. } => plain(Status::NOT_FOUND),
            ServiceError::NoDocumentsThere | ServiceError::NothingThere => {
                of(Status::NOT_FOUND, "path")
            }
            ServiceError::InSeveral { .. } => {
                let detail = format!("{detail}: name one of them as `collections`");
                ProblemDetails::new(Status::CONFLICT, detail).of("collections")
            }
            ServiceError::InvalidLines { .. } | ServiceError::ReversedLines { .. } => {
                of(Status::UNPROCESSABLE_ENTITY, "lines")
            }
            ServiceError::TargetTooLong { .. } => of(Status::UNPROCESSABLE_ENTITY, "target"),
            ServiceError::Chunking(wrong) => of(Status::UNPROCESSABLE_ENTITY, wrong.field),
            ServiceError::NothingIndexed => ProblemDetails::new(Status::NOT_FOUND, NOTHING),
            ServiceError::ShuttingDown => {
                ProblemDetails::later(Status::SERVICE_UNAVAILABLE, 5, detail.clone())
            }
            ServiceError::EmptyName | ServiceError::InvalidName { .. } => {
                of(Status::UNPROCESSABLE_ENTITY, "name")
            }
            ServiceError::NamelessText => ProblemDetails::new(
                Status::UNPROCESSABLE_ENTITY,
                format!("{detail}: give `name` or `title`"),
            )
            .of("name"),
            ServiceError::TitleOfFolder { .. } => of(Status::UNPROCESSABLE_ENTITY, "title"),
            ServiceError::NothingReadable => {
                let detail = format!(
                    "{detail}: give a `text`, start the server with `--allow-root FOLDER`, or use `excerpt add` on the server"
                );
                ProblemDetails::new(Status::FORBIDDEN, detail).of("path")
            }
            ServiceError::NotReadable { .. } => of(Status::FORBIDDEN, "path"),
            ServiceError::NotIndexed { .. } => of(Status::UNPROCESSABLE_ENTITY, "path"),
            ServiceError::SecretText { .. } | ServiceError::NotText => {
                of(Status::UNPROCESSABLE_ENTITY, "text")
            }
            ServiceError::TextTooLarge { .. } => of(Status::PAYLOAD_TOO_LARGE, "text"),
            ServiceError::SplitTooLarge { .. } => of(Status::UNPROCESSABLE_ENTITY, "text"),
            ServiceError::SplitTooFine { .. } => of(Status::UNPROCESSABLE_ENTITY, "target"),
            ServiceError::NotSplitInTime { .. } => plain(Status::GATEWAY_TIMEOUT),
            ServiceError::NothingToChange { .. } => plain(Status::UNPROCESSABLE_ENTITY),
            ServiceError::NotSynced { error, .. } => match &**error {
                ServiceError::Index(error @ (Error::Full { .. } | Error::Io { .. })) => {
                    of_index(error)
                }
                _ => plain(Status::BAD_GATEWAY),
            },
            ServiceError::NotPrivate { .. }
            | ServiceError::InvalidAccessFile { .. }
            | ServiceError::Unreadable { .. } => {
                tracing::error!(%error, "the tokens cannot be read");
                let detail = "the tokens of the server cannot be read: its log says why";
                ProblemDetails::later(Status::SERVICE_UNAVAILABLE, 5, detail)
            }
            ServiceError::Index(error) => of_index(error),
            ServiceError::InvalidConfiguration | ServiceError::Replaced { .. } => {
                plain(Status::CONFLICT)
            }
            _ => internal(&error),
        }
    }
}

fn of_index(error: &Error) -> ProblemDetails {
    use StatusCode as Status;
    let plain = |status| ProblemDetails::new(status, error.to_string());
    match error {
        Error::UnknownDocument { .. }
        | Error::UnknownChunk { .. }
        | Error::UnknownSection { .. }
        | Error::Skipped { .. } => plain(Status::NOT_FOUND),
        Error::UnknownCollection { .. } => plain(Status::NOT_FOUND).of("collections"),
        Error::NameTaken { name, .. } => {
            let detail = format!("there is a collection `{name}` already");
            ProblemDetails::new(Status::CONFLICT, detail).of("name")
        }
        Error::RootTaken { name, .. } => {
            let detail = format!("this is the collection `{name}` already");
            ProblemDetails::new(Status::CONFLICT, detail).of("path")
        }
        Error::Locked { .. } => ProblemDetails::later(
            Status::SERVICE_UNAVAILABLE,
            1,
            "another process is writing the index: ask again in a moment",
        ),
        Error::Full { .. } => ProblemDetails::new(
            Status::INSUFFICIENT_STORAGE,
            "the disk of the index is full",
        ),
        Error::NotFound { .. } => ProblemDetails::later(
            Status::SERVICE_UNAVAILABLE,
            2,
            "there is no index yet: ask again in a moment",
        ),
        Error::Damaged { .. } => ProblemDetails::new(
            Status::INTERNAL_SERVER_ERROR,
            "the index is damaged: run `excerpt doctor --rebuild` on the server",
        ),
        Error::Filter { filter, .. } => plain(Status::UNPROCESSABLE_ENTITY).of(match *filter {
            "since" => "since",
            "until" => "until",
            "tag" => "tags",
            "type" => "kinds",
            "language" => "languages",
            "version" => "version",
            _ => "fields",
        }),
        Error::Config(wrong) => plain(Status::UNPROCESSABLE_ENTITY).of(wrong.field),
        Error::EmptyQuery { .. } => plain(Status::UNPROCESSABLE_ENTITY).of("query"),
        Error::Ranking { setting, .. } => plain(Status::UNPROCESSABLE_ENTITY).of(setting),
        Error::Lines { .. } => plain(Status::RANGE_NOT_SATISFIABLE).of("lines"),
        Error::AmbiguousChunk { .. } => plain(Status::CONFLICT),
        Error::CollectionName { .. } => plain(Status::UNPROCESSABLE_ENTITY).of("name"),
        Error::Pattern { .. } => plain(Status::UNPROCESSABLE_ENTITY).of("selection"),
        Error::Vanished { .. } => plain(Status::CONFLICT),
        error => internal(error),
    }
}

/// An error that is none of the request. What it says may not be for the client, and is logged.
fn internal(error: &(impl std::error::Error + 'static)) -> ProblemDetails {
    tracing::error!(%error, "a request failed");
    let mut causes = std::iter::successors(Some(error as &dyn std::error::Error), |it| it.source());
    match causes.any(is_full) {
        true => ProblemDetails::new(
            StatusCode::INSUFFICIENT_STORAGE,
            "the disk of the server is full",
        ),
        false => ProblemDetails::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "the request failed: the log of the server says why",
        ),
    }
}

/// Whether an error, or the one that it was made of, is that there is no space.
fn is_full(error: &(dyn std::error::Error + 'static)) -> bool {
    use std::io::ErrorKind::{QuotaExceeded, StorageFull};
    let of_io = error.downcast_ref::<std::io::Error>();
    of_io.is_some_and(|error| matches!(error.kind(), StorageFull | QuotaExceeded))
        || matches!(error.downcast_ref::<Error>(), Some(Error::Full { .. }))
        || matches!(
            error.downcast_ref::<ServiceError>(),
            Some(ServiceError::Index(Error::Full { .. }))
        )
}

impl From<Unanswered<ProblemDetails>> for ProblemDetails {
    fn from(unanswered: Unanswered<ProblemDetails>) -> ProblemDetails {
        match unanswered {
            Unanswered::Missing(error) => of_index(&error),
            Unanswered::Other(problem) => problem,
        }
    }
}

impl From<Error> for ProblemDetails {
    fn from(error: Error) -> ProblemDetails {
        of_index(&error)
    }
}
