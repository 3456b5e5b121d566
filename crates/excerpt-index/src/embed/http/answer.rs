//! The responses of an endpoint: vectors for the texts that it was sent.

use serde::Deserialize;

use crate::embed::to_unit_length;
use crate::endpoint::{BadAnswer, shortened};
use crate::model::counted;

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
                "returned vectors of {}, but `dimensions` is {dimensions}: set it to {found}, or use another model",
                counted(found, "number")
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

fn number(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    }
}
