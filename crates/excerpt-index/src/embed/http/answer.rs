//! The responses of an endpoint: vectors for the texts that it was sent, or an error message.

use serde::Deserialize;
use serde_json::Value;

use crate::embed::to_unit_length;

/// Vectors in the format of the protocol.
#[derive(Deserialize)]
struct Embeddings {
    data: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    index: Option<usize>,
    /// Some servers write NaN as `null`.
    embedding: Vec<Option<f32>>,
}

/// What is wrong with a response.
#[derive(Debug, PartialEq)]
pub(super) enum BadAnswer {
    /// The whole response is unusable: the problem, to follow the name of the endpoint, and what to
    /// do.
    Whole(String),
    /// The vector of one text is unusable.
    Text { text: usize, reason: &'static str },
}

/// The vectors of `count` texts, each of unit length, in the order of the texts.
pub(super) fn vectors(body: &[u8], count: usize, dimensions: usize) -> Result<Vec<f32>, BadAnswer> {
    let answer: Embeddings = serde_json::from_slice(body).map_err(|_| {
        let body = shortened(&String::from_utf8_lossy(body));
        BadAnswer::Whole(format!(
            "returned no list of vectors (`{body}`): check that the url is an embeddings endpoint"
        ))
    })?;
    if answer.data.len() != count {
        let found = number(answer.data.len(), "vector");
        let texts = number(count, "text");
        return Err(BadAnswer::Whole(format!(
            "returned {found} for {texts}: set `batch_texts` to 1, or use another server"
        )));
    }
    let mut vectors = vec![0.0; count * dimensions];
    let mut given = vec![false; count];
    for item in answer.data {
        let place = item
            .index
            .and_then(|index| Some((index, given.get_mut(index)?)));
        let Some((text, given @ false)) = place else {
            let fault = match item.index {
                Some(index) if index < count => format!("returned two vectors for text {index}"),
                Some(index) => format!("returned a vector for text {index} of {count}"),
                None => "does not say which text a vector belongs to".into(),
            };
            return Err(BadAnswer::Whole(format!(
                "{fault}: set `batch_texts` to 1, or use another server"
            )));
        };
        *given = true;
        if item.embedding.len() != dimensions {
            let found = item.embedding.len();
            return Err(BadAnswer::Whole(format!(
                "returned vectors of {found} numbers, but `dimensions` is {dimensions}: set it to {found}, or use another model"
            )));
        }
        let vector = &mut vectors[text * dimensions..][..dimensions];
        for (number, found) in vector.iter_mut().zip(item.embedding) {
            *number = found.unwrap_or(f32::NAN);
        }
        if let Some(reason) = unusable(vector) {
            return Err(BadAnswer::Text { text, reason });
        }
        to_unit_length(vector);
    }
    Ok(vectors)
}

/// Why a vector has no direction, or `None` if it has one.
fn unusable(vector: &mut [f32]) -> Option<&'static str> {
    if !vector.iter().all(|number| number.is_finite()) {
        return Some("returned a vector with a number that is not finite");
    }
    let largest = vector.iter().fold(0.0_f32, |most, n| most.max(n.abs()));
    if largest == 0.0 {
        return Some("returned a zero vector");
    }
    // So that no square overflows or underflows.
    for number in vector {
        *number /= largest;
    }
    None
}

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

/// The message of an endpoint that returns no vectors.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Said {
    /// The message in one line, in parentheses after a space. Empty if there is none.
    pub(super) words: String,
    /// Whether the quota is used up, so that waiting does not help.
    pub(super) is_spent: bool,
}

impl Said {
    pub(super) fn read(body: &[u8]) -> Said {
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
pub(super) fn shortened(said: &str) -> String {
    const SHOWN: usize = 160;
    let words = said.split(|c: char| c.is_whitespace() || c.is_control());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let line = words.join(" ");
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

fn number(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    }
}
