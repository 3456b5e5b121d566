//! The options of an endpoint.

use std::fmt;
use std::time::Duration;

use crate::endpoint::{Connection, InvalidOption, shown};
use crate::model::{Error, Result};

/// The endpoint that computes the vectors, and how to send requests to it.
#[derive(Clone)]
#[non_exhaustive]
pub struct HttpOptions {
    /// The base url, such as `http://localhost:11434/v1`: `/embeddings` is appended to its path,
    /// before a query.
    pub url: String,
    /// The name of the model at the endpoint.
    pub model: String,
    /// How many numbers a vector has. A response with another number is an error.
    pub dimensions: usize,
    /// Whether to send `dimensions` to the endpoint, for a model that supports several sizes.
    /// Default: no.
    pub send_dimensions: bool,
    /// A prefix for queries, for a model trained with one. Default: none.
    pub query_prefix: String,
    /// A prefix for the texts of documents. Default: none.
    pub document_prefix: String,
    /// How many tokens the model reads at once, counting four characters per token. Default: 512.
    ///
    /// A longer text is embedded in windows of this size. If a window of dense text has more tokens
    /// than the model reads, the endpoint truncates or rejects it, as it does with any text.
    pub max_input: usize,
    /// The maximum number of texts per request. Default: 32.
    pub batch_texts: usize,
    /// The maximum number of characters per request, except for a single text that has more.
    /// Default: 100,000.
    pub batch_characters: usize,
    /// The timeout of one request. Default: a minute.
    pub timeout: Duration,
    /// How often a request is retried when the endpoint cannot be reached, is too busy, or fails; a
    /// request for a query is never retried. Default: 5.
    pub retries: u32,
    /// The maximum number of requests per minute. Default: no limit.
    pub requests_per_minute: Option<u32>,
    /// The environment variable that holds the key, if the endpoint requires one. It is read for
    /// each request and never stored.
    pub key_variable: Option<String>,
}

impl HttpOptions {
    /// Options for a model at an endpoint, with vectors of this many numbers.
    #[must_use]
    pub fn new(url: impl Into<String>, model: impl Into<String>, dimensions: usize) -> HttpOptions {
        HttpOptions {
            url: url.into(),
            model: model.into(),
            dimensions,
            send_dimensions: false,
            query_prefix: String::new(),
            document_prefix: String::new(),
            max_input: 512,
            batch_texts: 32,
            batch_characters: 100_000,
            timeout: Duration::from_secs(60),
            retries: 5,
            requests_per_minute: None,
            key_variable: None,
        }
    }

    /// How to reach the endpoint.
    pub(super) fn connection(&self) -> Connection {
        Connection {
            url: self.url.clone(),
            model: self.model.clone(),
            timeout: self.timeout,
            requests_per_minute: self.requests_per_minute,
            key_variable: self.key_variable.clone(),
        }
    }

    /// Checks the sizes of vectors, texts and batches.
    pub(super) fn check_sizes(&self) -> Result<()> {
        let numbers = [
            ("dimensions", self.dimensions, 1 << 16),
            ("max_input", self.max_input, 1 << 24),
            ("batch_texts", self.batch_texts, usize::MAX),
            ("batch_characters", self.batch_characters, usize::MAX),
        ];
        for (setting, number, most) in numbers {
            if number == 0 || number > most {
                let expected = match most {
                    usize::MAX => "a number of at least 1",
                    65_536 => "a number from 1 to 65536",
                    _ => "a number from 1 to 16777216",
                };
                return Err(Error::Embedder {
                    setting,
                    found: number.to_string(),
                    expected,
                });
            }
        }
        Ok(())
    }
}

impl fmt::Debug for HttpOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpOptions")
            .field("url", &shown(&self.url))
            .field("model", &self.model)
            .field("dimensions", &self.dimensions)
            .finish_non_exhaustive()
    }
}

/// The error about an option that cannot be used.
pub(super) fn invalid(option: InvalidOption) -> Error {
    let InvalidOption {
        setting,
        found,
        expected,
    } = option;
    Error::Embedder {
        setting,
        found,
        expected,
    }
}
