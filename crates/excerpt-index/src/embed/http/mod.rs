//! An embedder behind a url: any server that speaks the OpenAI protocol for embeddings, on this
//! machine or elsewhere.
//!
//! [`HttpOptions`] configure the endpoint and the requests. [`HttpEmbedder`] turns texts into
//! requests: it splits long texts into windows, groups them into batches, and halves a rejected
//! batch until the rejected text is found. `answer.rs` parses responses.

mod answer;
mod options;
#[cfg(test)]
mod synced;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde::Serialize;

pub use self::options::HttpOptions;
use super::windows::windows;
use super::{EmbedError, Embedder, Vectors, identity_hash, to_unit_length};
use crate::endpoint::{Call, Endpoint, Failure, Machine, ThisMachine};
use crate::model::Result;

/// Incremented whenever a text gets a different vector from the same endpoint.
const RULES: u32 = 1;

/// How many characters count as a token.
const TOKEN_CHARACTERS: usize = 4;

/// The path of a request for vectors.
const ENDING: &str = "/embeddings";

/// The maximum bytes of a response per number of a vector, and for everything else.
const NUMBER_BYTES: u64 = 64;
const OTHER_BYTES: u64 = 1 << 20;

/// The text that tests whether an endpoint works at all.
const SAMPLE: &str = "a short text";

/// An embedder that gets its vectors from an endpoint.
///
/// Its identity consists of what the vectors depend on: the name of the model, the dimensions, the
/// prefixes, the window size. The url is not part of it, since the same model returns the same
/// vectors elsewhere; neither are the key, the request rate or the batch sizes.
///
/// A text of only white space gets the zero vector without a request: many endpoints reject such a
/// text.
pub struct HttpEmbedder {
    identity: String,
    options: HttpOptions,
    endpoint: Endpoint,
    machine: Arc<dyn Machine>,
    /// Whether it has returned a vector, and so is configured correctly.
    has_answered: AtomicBool,
}

/// The properties of a working endpoint.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct HttpCheck {
    /// The url of the request, without its query.
    pub url: String,
    /// The identity of the embedder.
    pub identity: String,
    /// How many numbers a vector has.
    pub dimensions: usize,
    /// How long one short text took.
    pub time: Duration,
}

impl HttpEmbedder {
    /// An embedder with these options. Nothing is sent yet.
    ///
    /// # Errors
    ///
    /// [`Error::Embedder`](crate::Error::Embedder) when an option is invalid.
    pub fn new(options: HttpOptions) -> Result<HttpEmbedder> {
        HttpEmbedder::on(Arc::new(ThisMachine::new()), options)
    }

    fn on(machine: Arc<dyn Machine>, options: HttpOptions) -> Result<HttpEmbedder> {
        options.check_sizes()?;
        let endpoint = Endpoint::new(options.connection(), ENDING, Arc::clone(&machine));
        Ok(HttpEmbedder {
            identity: identity(&options),
            endpoint: endpoint.map_err(options::invalid)?,
            options,
            machine,
            has_answered: AtomicBool::new(false),
        })
    }

    /// Embeds one short text, without a retry, and reports the result.
    ///
    /// # Errors
    ///
    /// [`EmbedError::Unavailable`] with what went wrong and what to do about it.
    pub fn check(&self) -> Result<HttpCheck, EmbedError> {
        let start = self.machine.now();
        self.probe(0)?;
        Ok(HttpCheck {
            url: self.endpoint.shown().to_string(),
            identity: self.identity.clone(),
            dimensions: self.options.dimensions,
            time: self.machine.now().saturating_sub(start),
        })
    }

    /// The vectors of texts after a prefix, one after the other. Temporary failures are retried up
    /// to `retries` times.
    fn embed(&self, texts: &[&str], prefix: &str, retries: u32) -> Result<Vec<f32>, EmbedError> {
        let most = self.options.max_input.saturating_mul(TOKEN_CHARACTERS);
        let windows: Vec<Window<'_>> = texts
            .iter()
            .enumerate()
            .flat_map(|(of, text)| {
                let windows = windows(text, most).into_iter();
                windows.map(move |text| Window { of, text })
            })
            .collect();
        let dimensions = self.options.dimensions;
        let mut vectors = vec![0.0; texts.len() * dimensions];
        let mut found = Vec::new();
        for batch in self.batches(&windows, prefix) {
            found.clear();
            self.ask(batch, prefix, retries, &mut found)?;
            for (window, found) in batch.iter().zip(found.chunks_exact(dimensions)) {
                let vector = &mut vectors[window.of * dimensions..][..dimensions];
                for (sum, number) in vector.iter_mut().zip(found) {
                    *sum += number;
                }
            }
        }
        for vector in vectors.chunks_exact_mut(dimensions) {
            to_unit_length(vector);
        }
        Ok(vectors)
    }

    /// Groups windows into batches that are as large as allowed.
    fn batches<'w, 't>(&self, windows: &'w [Window<'t>], prefix: &str) -> Vec<&'w [Window<'t>]> {
        let prefix = prefix.chars().count();
        let mut batches = Vec::new();
        let (mut from, mut characters) = (0, 0);
        for (at, window) in windows.iter().enumerate() {
            let more = prefix + window.text.chars().count();
            let is_full = at - from == self.options.batch_texts
                || characters + more > self.options.batch_characters;
            if is_full && at > from {
                batches.push(&windows[from..at]);
                (from, characters) = (at, 0);
            }
            characters += more;
        }
        if from < windows.len() {
            batches.push(&windows[from..]);
        }
        batches
    }

    /// Appends the vectors of windows to `vectors`. If the windows are rejected together, each half
    /// is requested on its own.
    fn ask(
        &self,
        windows: &[Window<'_>],
        prefix: &str,
        retries: u32,
        vectors: &mut Vec<f32>,
    ) -> Result<(), EmbedError> {
        let input: Vec<String> = windows
            .iter()
            .map(|window| format!("{prefix}{}", window.text))
            .collect();
        match self.requested(&input, retries) {
            Ok(found) => {
                self.has_answered.store(true, Ordering::Relaxed);
                vectors.extend(found);
                Ok(())
            }
            Err(Failure::Texts { .. }) if windows.len() > 1 => {
                let (first, second) = windows.split_at(windows.len() / 2);
                self.ask(first, prefix, retries, vectors)?;
                self.ask(second, prefix, retries, vectors)
            }
            Err(Failure::Texts { reason }) => {
                // A single text is rejected: because of its content, if another one is accepted.
                if !self.has_answered.load(Ordering::Relaxed) {
                    self.probe(retries)?;
                }
                let text = windows[0].of;
                Err(EmbedError::Refused { text, reason })
            }
            Err(Failure::Text { text, reason }) => {
                let text = windows[text].of;
                Err(EmbedError::Refused { text, reason })
            }
            Err(Failure::Endpoint { reason }) => Err(self.unavailable(reason)),
        }
    }

    /// The vectors of texts, each of unit length, by one request.
    fn requested(&self, input: &[String], retries: u32) -> Result<Vec<f32>, Failure> {
        let dimensions = self.options.dimensions;
        let body = serde_json::to_vec(&Request {
            model: &self.options.model,
            input,
            dimensions: self.options.send_dimensions.then_some(dimensions),
        });
        let body = body.map_err(|error| Failure::Endpoint {
            reason: error.to_string(),
        })?;
        let numbers = input.len().saturating_mul(dimensions) as u64;
        self.endpoint.ask(&Call {
            body: &body,
            retries,
            most: numbers
                .saturating_mul(NUMBER_BYTES)
                .saturating_add(OTHER_BYTES),
            too_much: &format!(
                "returned more data than vectors of {dimensions} numbers need: check the url and `dimensions`"
            ),
            too_slow: "increase `timeout`, or send fewer texts per request",
            read: &|body| answer::vectors(body, input.len(), dimensions),
        })
    }

    /// Checks that the endpoint embeds a harmless text.
    fn probe(&self, retries: u32) -> Result<(), EmbedError> {
        match self.requested(&[SAMPLE.to_string()], retries) {
            Ok(_) => {
                self.has_answered.store(true, Ordering::Relaxed);
                Ok(())
            }
            Err(Failure::Texts { reason } | Failure::Text { reason, .. }) => {
                let model = &self.options.model;
                Err(self.unavailable(format!(
                    "{reason} even for a sample text: check the model `{model}`, and whether it supports `dimensions`"
                )))
            }
            Err(Failure::Endpoint { reason }) => Err(self.unavailable(reason)),
        }
    }

    fn unavailable(&self, reason: String) -> EmbedError {
        EmbedError::Unavailable {
            identity: self.identity.clone(),
            reason,
        }
    }
}

impl Embedder for HttpEmbedder {
    fn identity(&self) -> &str {
        &self.identity
    }

    fn dimensions(&self) -> usize {
        self.options.dimensions
    }

    fn max_input(&self) -> usize {
        self.options.max_input
    }

    fn embed_documents(&self, texts: &[&str], vectors: &mut Vectors) -> Result<(), EmbedError> {
        let HttpOptions {
            document_prefix,
            retries,
            ..
        } = &self.options;
        let found = self.embed(texts, document_prefix, *retries)?;
        for found in found.chunks_exact(self.options.dimensions) {
            vectors.add().copy_from_slice(found);
        }
        Ok(())
    }

    fn embed_query(&self, pieces: &[(&str, f32)]) -> Result<Vec<f32>, EmbedError> {
        let text: String = pieces.iter().map(|(piece, _)| *piece).collect();
        // The user waits for the answer, and keywords work without the vector: no retries.
        let found = self.embed(&[&text], &self.options.query_prefix, 0);
        found.map_err(|error| match error {
            EmbedError::Refused { reason, .. } => {
                self.unavailable(format!("{reason} for this query: rephrase or shorten it"))
            }
            other => other,
        })
    }
}

impl fmt::Debug for HttpEmbedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpEmbedder")
            .field("identity", &self.identity)
            .field("url", &self.endpoint.shown())
            .finish_non_exhaustive()
    }
}

/// The body of a request.
#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    input: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    dimensions: Option<usize>,
}

/// A part of a text that is embedded in one go.
struct Window<'t> {
    /// The position of the text among the others.
    of: usize,
    text: &'t str,
}

/// A name that differs whenever a vector could: the model and the dimensions for people, and a hash
/// of everything that matters.
fn identity(options: &HttpOptions) -> String {
    let HttpOptions {
        model,
        dimensions,
        query_prefix,
        document_prefix,
        max_input,
        ..
    } = options;
    let numbers = [u64::from(RULES), *dimensions as u64, *max_input as u64];
    let texts = [model, query_prefix, document_prefix].map(|text| text.as_bytes());
    let hash = identity_hash(&numbers, &texts);
    let name: String = model
        .chars()
        .map(|c| match c.is_ascii_alphanumeric() || ".-_/:".contains(c) {
            true => c,
            false => '-',
        })
        .collect();
    format!("http-{name}-{dimensions}-{hash}")
}
