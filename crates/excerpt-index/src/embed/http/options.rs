//! The options of an endpoint.

use std::fmt;
use std::time::Duration;

use ureq::http::Uri;

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

    /// The address that requests go to, if all options are valid.
    pub(super) fn address(&self) -> Result<Address> {
        if self.model.trim().is_empty() {
            let expected = "the name of a model";
            return Err(fault("model", self.model.clone(), expected));
        }
        self.check_sizes()?;
        if self.requests_per_minute == Some(0) {
            let expected = "a number of at least 1";
            return Err(fault("requests_per_minute", "0".into(), expected));
        }
        if self.timeout.is_zero() {
            return Err(fault("timeout", "0 s".into(), "more than 0 s"));
        }
        if let Some(name) = &self.key_variable
            && (name.trim().is_empty() || name.contains(['=', '\0']))
        {
            let expected = "the name of an environment variable";
            return Err(fault("key_variable", name.clone(), expected));
        }
        Address::read(&self.url).map_err(|expected| fault("url", shown(&self.url), expected))
    }

    /// Checks the sizes of vectors, texts and batches.
    fn check_sizes(&self) -> Result<()> {
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
                return Err(fault(setting, number.to_string(), expected));
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

/// Where requests go.
#[derive(Clone, Debug)]
pub(super) struct Address {
    pub(super) uri: Uri,
    /// The address as it is shown, without the query, which may contain a key.
    pub(super) shown: String,
    /// Whether it is on this machine, for which no proxy is used.
    pub(super) is_local: bool,
}

impl Address {
    fn read(url: &str) -> Result<Address, &'static str> {
        const EXPECTED: &str = "`http://` or `https://`, and a host";
        let uri: Uri = match completed(url.trim()).parse() {
            Ok(uri) => uri,
            Err(_) => return Err(EXPECTED),
        };
        let (Some("http" | "https"), Some(host)) = (uri.scheme_str(), uri.host()) else {
            return Err(EXPECTED);
        };
        if host.is_empty() {
            return Err(EXPECTED);
        }
        if uri
            .authority()
            .is_some_and(|part| part.as_str().contains('@'))
        {
            return Err("a url without a password (use `key_variable` for a key)");
        }
        let is_local = is_local(host);
        let shown = shown(&uri.to_string());
        Ok(Address {
            uri,
            shown,
            is_local,
        })
    }
}

/// A url with the [ending](ENDING) of its path, whether it was given or not.
fn completed(url: &str) -> String {
    let (path, query) = match url.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (url, None),
    };
    let path = path.trim_end_matches('/');
    let path = path.strip_suffix(ENDING).unwrap_or(path);
    let query = query.map(|query| format!("?{query}")).unwrap_or_default();
    format!("{path}{ENDING}{query}")
}

/// Whether a host is this machine.
fn is_local(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || host
            .trim_matches(['[', ']'])
            .parse()
            .is_ok_and(|host: std::net::IpAddr| host.is_loopback())
}

/// The error about an invalid option.
fn fault(setting: &'static str, found: String, expected: &'static str) -> Error {
    Error::Embedder {
        setting,
        found,
        expected,
    }
}

/// The path of a request for vectors.
const ENDING: &str = "/embeddings";

/// An address without what may be secret: user name and password before the host, and the query.
pub(super) fn shown(url: &str) -> String {
    let (path, query) = match url.split_once('?') {
        Some((path, _)) => (path, "?…"),
        None => (url, ""),
    };
    let (scheme, rest) = match path.split_once("://") {
        Some((scheme, rest)) => (format!("{scheme}://"), rest),
        None => (String::new(), path),
    };
    let host = rest.split('/').next().unwrap_or(rest);
    let secret = host.rfind('@').map_or(0, |at| at + 1);
    format!("{scheme}{}{query}", &rest[secret..])
}
