//! Why a store could not be asked, in one line.

use std::error::Error as _;
use std::io;

use object_store::Error as StoreError;

/// The hosts that tell a machine in the network of a provider its credentials.
const METADATA_HOSTS: [&str; 2] = ["169.254.169.254", "metadata.google.internal"];

/// How the library begins what it says about an answer that is an error.
const STATUS: &str = "non-2xx status code: ";

/// The longest reason that is shown, in characters.
const LONGEST: usize = 300;

/// An error of a store in few words: what the crate says around it is about its own parts, and what
/// a server says may be anything.
pub(super) fn failed(error: StoreError) -> io::Error {
    let kind = match &error {
        StoreError::NotFound { .. } => io::ErrorKind::NotFound,
        StoreError::PermissionDenied { .. } | StoreError::Unauthenticated { .. } => {
            io::ErrorKind::PermissionDenied
        }
        // Of a request for one object, such as one with too long a key.
        StoreError::Generic { source, .. } if source.to_string().contains("status code: 400") => {
            io::ErrorKind::InvalidInput
        }
        _ => io::ErrorKind::Other,
    };
    let said = match &error {
        StoreError::NotFound { .. } => NO_BUCKET.to_string(),
        StoreError::PermissionDenied { .. } => DENIED.to_string(),
        StoreError::Unauthenticated { .. } => UNKNOWN.to_string(),
        StoreError::Generic { source, .. } => {
            let mut innermost: &dyn std::error::Error = source.as_ref();
            while let Some(cause) = innermost.source() {
                innermost = cause;
            }
            reason(&source.to_string(), &innermost.to_string())
        }
        error => {
            let inner = error.source().map(ToString::to_string).unwrap_or_default();
            reason(&error.to_string(), &inner)
        }
    };
    io::Error::new(kind, said)
}

pub(super) const NO_CREDENTIALS: &str =
    "no credentials were found in the environment or in the files of the provider's tools";
const NO_BUCKET: &str = "there is no such bucket or object";
const DENIED: &str = "the store does not allow it with these credentials";
const UNKNOWN: &str = "the store asks for credentials, or does not know these";

/// The reason, from what an error says as a whole and from its innermost cause.
fn reason(outer: &str, inner: &str) -> String {
    // Without credentials, those of a machine in the provider's network are asked for.
    if METADATA_HOSTS.iter().any(|host| outer.contains(host)) {
        return NO_CREDENTIALS.to_string();
    }
    if let Some((_, status)) = outer.split_once(STATUS) {
        let status = status.split(':').next().unwrap_or_default();
        return match status.get(..3) {
            Some("401") => UNKNOWN.to_string(),
            Some("403") => DENIED.to_string(),
            Some("404") => NO_BUCKET.to_string(),
            _ => line(&format!("the store answered {status}")),
        };
    }
    match inner.is_empty() || outer.contains("content-Range header") {
        true if inner.is_empty() => line(outer),
        true => "the store broke off its answer".to_string(),
        false => line(inner),
    }
}

/// A text on one line, without characters that a terminal would obey.
fn line(text: &str) -> String {
    let shown = text.chars().map(|c| match c {
        c if c.is_control() => ' ',
        c => c,
    });
    let words: String = shown.take(LONGEST).collect();
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_said_in_one_line_without_its_body() {
        let said = |status: &str| {
            let whole = format!(
                "Error performing GET http://host/b in 12ms, after 4 retries - Server returned non-2xx status code: {status}: <?xml?>\n<Error><AWSAccessKeyId>AKIA</AWSAccessKeyId>"
            );
            reason(&whole, &whole)
        };
        assert_eq!(said("403 Forbidden"), DENIED);
        assert_eq!(said("404 Not Found"), NO_BUCKET);
        assert_eq!(
            said("500 Internal Server Error"),
            "the store answered 500 Internal Server Error"
        );
        assert_eq!(reason("x", "bad \u{1b}[31m\nkey"), "bad [31m key");
    }
}
