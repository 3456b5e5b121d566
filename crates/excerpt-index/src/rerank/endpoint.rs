//! Relevance as an endpoint says it: any server that speaks the common form of `/rerank`, on this
//! machine or elsewhere.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{RelevanceModel, TOKEN_CHARACTERS, beginning, key};
use crate::endpoint::{
    BadAnswer, Call, Connection, Endpoint, Failure, InvalidOption, Machine, ThisMachine, shortened,
    shown,
};
use crate::model::{Error, Result, counted};
use crate::store::{CacheKey, NumberCache};

/// Incremented whenever a text gets another score from the same endpoint.
const RULES: u32 = 1;

/// The number of texts of a request: what an endpoint has scored is kept even if a search does not
/// wait for all of them.
const AT_ONCE: usize = 10;

/// The path of a request.
const ENDING: &str = "/rerank";

/// The maximum bytes of a response for each text, which some servers repeat, and for everything
/// else.
const RESULT_BYTES: usize = 1 << 10;
const OTHER_BYTES: usize = 1 << 20;

/// The endpoint that scores texts, and how to send requests to it.
#[derive(Clone)]
#[non_exhaustive]
pub struct RerankEndpoint {
    /// The base url, such as `http://localhost:8080/v1`: `/rerank` is appended to its path, before
    /// a query.
    pub url: String,
    /// The name of the model at the endpoint.
    pub model: String,
    /// How many tokens of a text are sent, counting four characters per token. Default: 512.
    pub max_input: usize,
    /// The timeout of one request. Default: a minute.
    pub timeout: Duration,
    /// The maximum number of requests per minute. Default: no limit.
    pub requests_per_minute: Option<u32>,
    /// The environment variable that holds the key, if the endpoint requires one. It is read for
    /// each request and never stored.
    pub key_variable: Option<String>,
}

impl RerankEndpoint {
    /// A model at an endpoint.
    #[must_use]
    pub fn new(url: impl Into<String>, model: impl Into<String>) -> RerankEndpoint {
        RerankEndpoint {
            url: url.into(),
            model: model.into(),
            max_input: 512,
            timeout: Duration::from_secs(60),
            requests_per_minute: None,
            key_variable: None,
        }
    }
}

impl fmt::Debug for RerankEndpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RerankEndpoint")
            .field("url", &shown(&self.url))
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}

/// A model behind an endpoint.
pub(super) struct EndpointModel {
    identity: String,
    model: String,
    /// How many characters of a text are sent.
    most: usize,
    endpoint: Endpoint,
}

/// The body of a request.
#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    query: &'a str,
    documents: &'a [&'a str],
}

/// The body of a response.
#[derive(Deserialize)]
struct Response {
    #[serde(alias = "data")]
    results: Vec<TextScore>,
}

#[derive(Deserialize)]
struct TextScore {
    index: usize,
    #[serde(alias = "score")]
    relevance_score: f32,
}

impl EndpointModel {
    pub(super) fn new(options: RerankEndpoint) -> Result<EndpointModel> {
        EndpointModel::on(Arc::new(ThisMachine::new()), options)
    }

    pub(super) fn on(machine: Arc<dyn Machine>, options: RerankEndpoint) -> Result<EndpointModel> {
        if !(1..=1 << 20).contains(&options.max_input) {
            return Err(Error::Ranking {
                setting: "max_input",
                found: options.max_input.to_string(),
                expected: "a number from 1 to 1048576",
            });
        }
        let connection = Connection {
            url: options.url,
            model: options.model.clone(),
            timeout: options.timeout,
            requests_per_minute: options.requests_per_minute,
            key_variable: options.key_variable,
        };
        // The same name may stand for another model elsewhere.
        let parts = [&*options.model, &*connection.url];
        let identity = format!("{RULES}-{}-{}", options.max_input, parts.join("-"));
        let endpoint = Endpoint::new(connection, ENDING, machine).map_err(invalid)?;
        Ok(EndpointModel {
            identity,
            model: options.model,
            most: options.max_input * TOKEN_CHARACTERS,
            endpoint,
        })
    }

    /// The keys of the scores of texts.
    fn keys(&self, question: &str, texts: &[String]) -> Vec<CacheKey> {
        let model = &self.identity;
        let texts = texts.iter().map(|text| key(model, &[question, text]));
        texts.collect()
    }

    /// The scores of texts, by one request.
    fn asked(&self, question: &str, texts: &[&str]) -> Result<Vec<f32>, Failure> {
        let body = serde_json::to_vec(&Request {
            model: &self.model,
            query: question,
            documents: texts,
        });
        let body = body.map_err(|error| Failure::Endpoint {
            reason: error.to_string(),
        })?;
        let most = OTHER_BYTES + texts.len() * RESULT_BYTES + body.len() * 2;
        self.endpoint.ask(&Call {
            body: &body,
            // The user waits for the answer, and there is an order without the model.
            retries: 0,
            most: most as u64,
            too_much: "returned more data than scores need: check the url",
            too_slow: "increase `timeout`, or lower `candidates` or `max_input`",
            read: &|body| scores(body, texts.len()),
        })
    }
}

/// The error about an option that cannot be used.
fn invalid(option: InvalidOption) -> Error {
    Error::Ranking {
        setting: option.setting,
        found: option.found,
        expected: option.expected,
    }
}

/// The scores of `count` texts, in the order of the texts.
fn scores(body: &[u8], count: usize) -> Result<Vec<f32>, BadAnswer> {
    let response: Response = serde_json::from_slice(body).map_err(|_| {
        let body = shortened(&String::from_utf8_lossy(body));
        BadAnswer::Whole(format!(
            "returned no list of scores (`{body}`): check that the url is an endpoint for reranking"
        ))
    })?;
    let mut scores = vec![None; count];
    for result in response.results {
        let found = result.index;
        if !result.relevance_score.is_finite() {
            return Err(BadAnswer::Whole(format!(
                "returned a score for text {found} that is not a finite number: use another server"
            )));
        }
        let Some(score) = scores.get_mut(found) else {
            return Err(BadAnswer::Whole(format!(
                "returned a score for text {found} of {count}: use another server"
            )));
        };
        if score.replace(result.relevance_score).is_some() {
            return Err(BadAnswer::Whole(format!(
                "returned two scores for text {found}: use another server"
            )));
        }
    }
    let given = scores.iter().flatten().count();
    let scores: Option<Vec<f32>> = scores.into_iter().collect();
    scores.ok_or_else(|| {
        BadAnswer::Whole(format!(
            "returned scores for {given} of {}: use another server",
            counted(count, "text")
        ))
    })
}

impl RelevanceModel for EndpointModel {
    fn scores(
        &self,
        question: &str,
        texts: &[String],
        cache: &NumberCache,
    ) -> Result<Vec<f32>, String> {
        let keys = self.keys(question, texts);
        let mut scores: Vec<Option<f32>> = kept(cache, &keys);
        let missing: Vec<usize> = (0..texts.len())
            .filter(|at| scores[*at].is_none())
            .collect();
        // The best first.
        for missing in missing.chunks(AT_ONCE) {
            let asked = missing.iter().map(|at| beginning(&texts[*at], self.most));
            let asked: Vec<&str> = asked.collect();
            let found = self
                .asked(question, &asked)
                .map_err(|failure| match failure {
                    Failure::Texts { reason } | Failure::Text { reason, .. } => {
                        format!(
                            "{reason}: lower `max_input`, or check the model `{}`",
                            self.model
                        )
                    }
                    Failure::Endpoint { reason } => reason,
                })?;
            for (at, score) in missing.iter().zip(found) {
                cache.put(keys[*at], &[score]);
                scores[*at] = Some(score);
            }
        }
        Ok(scores.into_iter().flatten().collect())
    }

    fn kept_scores(
        &self,
        question: &str,
        texts: &[String],
        cache: &NumberCache,
    ) -> Option<Vec<f32>> {
        kept(cache, &self.keys(question, texts))
            .into_iter()
            .collect()
    }
}

/// The scores that were computed before.
fn kept(cache: &NumberCache, keys: &[CacheKey]) -> Vec<Option<f32>> {
    let kept = cache.get(keys).into_iter();
    kept.map(|numbers| numbers?.first().copied()).collect()
}
