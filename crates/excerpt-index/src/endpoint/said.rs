//! The error messages of endpoints.

use serde::Deserialize;
use serde_json::Value;

/// An error response in the usual forms: `{"error": …}`, `{"message": …}`, `{"detail": …}`.
#[derive(Deserialize)]
#[serde(untagged)]
enum Refusal {
    Error { error: Reason },
    Message { message: String },
    Detail { detail: Value },
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Reason {
    Words(String),
    Said {
        message: String,
        code: Option<Value>,
    },
}

/// The message of an endpoint that refuses a request.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Said {
    /// The message in one line, in parentheses after a space. Empty if there is none.
    pub(crate) words: String,
    /// Whether the quota is used up, so that waiting does not help.
    pub(crate) is_spent: bool,
}

impl Said {
    pub(crate) fn read(body: &[u8]) -> Said {
        let body = String::from_utf8_lossy(body);
        let mut is_spent = false;
        let said = match serde_json::from_str(&body) {
            Ok(Refusal::Error { error }) => match error {
                Reason::Words(words) => words,
                Reason::Said { message, code } => {
                    is_spent = code.is_some_and(|code| code == "insufficient_quota");
                    message
                }
            },
            Ok(Refusal::Message { message }) => message,
            Ok(Refusal::Detail { detail }) => match detail {
                Value::String(words) => words,
                other => other.to_string(),
            },
            Err(_) => body.into_owned(),
        };
        let said = shortened(&said);
        Said {
            words: match said.is_empty() {
                true => said,
                false => format!(" ({said})"),
            },
            is_spent,
        }
    }
}

/// The first 160 characters of a message that may be long, in one line.
pub(crate) fn shortened(said: &str) -> String {
    const SHOWN: usize = 160;
    let words = said.split(|c: char| c.is_whitespace() || c.is_control());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let line = words.join(" ");
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
