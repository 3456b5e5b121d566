//! From a good order to a better one: a model compares the question with the texts of the best
//! hits.
//!
//! A [`Reranker`] has a model: the vectors of an embedder on disk (`vectors.rs`), or an endpoint
//! (`endpoint.rs`). What a model has computed is kept by a hash of the texts. A search waits for
//! what is missing up to a time limit; the model then continues in the background, so that the next
//! search finds more.

mod endpoint;
#[cfg(test)]
mod tests;
mod vectors;

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{
    Receiver, RecvTimeoutError, Sender, SyncSender, TrySendError, channel, sync_channel,
};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use std::{fmt, thread};

use crate::embed::Embedder;
use crate::model::{Error, Fingerprint, Result};
use crate::store::{CacheKey, NumberCache};
pub use endpoint::RerankEndpoint;

/// How many searches wait for the model at most. The others are answered without it, so that a slow
/// model does not keep a server from answering.
const WAITING: usize = 2;

/// How many questions are kept for the model at most, those included for which nobody waits any
/// longer.
const QUEUED: usize = 4;

/// How many characters count as a token.
const TOKEN_CHARACTERS: usize = 4;

/// A question and texts to check a model with.
const SAMPLE: (&str, [&str; 2]) = ("a short question", ["a short text", "another one"]);

/// How a model changes the order of hits.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RerankOptions {
    /// How many of the best chunks the model compares with the question, from 2 to 200.
    /// Default: 30.
    pub candidates: usize,
    /// The share of the model in the score of a chunk, from 0 to less than 1. Default: 0.2.
    pub share: f32,
    /// How long a search waits for the model. Default: 2 s.
    pub wait: Duration,
    /// The file where what the model has computed is kept. Default: none, it is kept in memory.
    pub cache: Option<PathBuf>,
}

impl Default for RerankOptions {
    fn default() -> Self {
        RerankOptions {
            candidates: 30,
            share: 0.2,
            wait: Duration::from_secs(2),
            cache: None,
        }
    }
}

impl RerankOptions {
    /// Checks that every number is in a reasonable range.
    ///
    /// # Errors
    ///
    /// [`Error::Ranking`] for the first that is not.
    pub fn check(&self) -> Result<()> {
        let fault = |setting, found: String, expected| {
            Err(Error::Ranking {
                setting,
                found,
                expected,
            })
        };
        if !(2..=200).contains(&self.candidates) {
            let expected = "a number from 2 to 200";
            return fault("candidates", self.candidates.to_string(), expected);
        }
        // With 1, the chunks that are not compared would have no order.
        if !(0.0..1.0).contains(&self.share) {
            let expected = "a share from 0 to less than 1";
            return fault("share", self.share.to_string(), expected);
        }
        Ok(())
    }
}

/// A model that says how well texts answer a question.
trait RelevanceModel: Send + Sync {
    /// The score of each text: higher is better. What `cache` has is not computed again; what is
    /// computed is added to it at once.
    ///
    /// # Errors
    ///
    /// Why there are no scores, and what to do about it.
    fn scores(
        &self,
        question: &str,
        texts: &[String],
        cache: &NumberCache,
    ) -> Result<Vec<f32>, String>;

    /// The same if all of it was computed before; `None` otherwise.
    fn kept_scores(
        &self,
        question: &str,
        texts: &[String],
        cache: &NumberCache,
    ) -> Option<Vec<f32>>;
}

/// A model that reorders hits, for any number of threads. Nothing is loaded or sent before the
/// first question.
pub struct Reranker {
    options: RerankOptions,
    work: Arc<Work>,
    jobs: Mutex<Option<SyncSender<Job>>>,
    /// How many searches wait.
    waiting: AtomicUsize,
}

/// What the thread of the model shares with the others.
struct Work {
    model: Box<dyn RelevanceModel>,
    file: Option<PathBuf>,
    cache: OnceLock<Option<NumberCache>>,
}

/// Why there are no scores when too many searches wait for the model.
const BUSY: &str = "the model is busy with other questions";

/// A search that waits for the model.
struct Waits<'a>(&'a AtomicUsize);

impl<'a> Waits<'a> {
    /// One more, if there is room for it.
    fn in_turn(waiting: &'a AtomicUsize) -> Option<Self> {
        let before = waiting.fetch_add(1, Ordering::SeqCst);
        let waits = Waits(waiting);
        (before < WAITING).then_some(waits)
    }
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A question to the model.
struct Job {
    question: String,
    texts: Vec<String>,
    done: Sender<Result<Vec<f32>, String>>,
}

impl Reranker {
    /// Reranks by the cosine of the vectors of an embedder, which `load` returns when it is needed.
    ///
    /// # Errors
    ///
    /// [`Error::Ranking`] when an option is invalid.
    pub fn by_vectors(
        load: impl Fn() -> Result<Arc<dyn Embedder>> + Send + Sync + 'static,
        options: RerankOptions,
    ) -> Result<Reranker> {
        Reranker::new(Box::new(vectors::VectorModel::new(load)), options)
    }

    /// Reranks by the scores of an endpoint.
    ///
    /// # Errors
    ///
    /// [`Error::Ranking`] when an option is invalid.
    pub fn by_endpoint(endpoint: RerankEndpoint, options: RerankOptions) -> Result<Reranker> {
        Reranker::new(Box::new(endpoint::EndpointModel::new(endpoint)?), options)
    }

    fn new(model: Box<dyn RelevanceModel>, options: RerankOptions) -> Result<Reranker> {
        options.check()?;
        Ok(Reranker {
            work: Arc::new(Work {
                model,
                file: options.cache.clone(),
                cache: OnceLock::new(),
            }),
            options,
            jobs: Mutex::new(None),
            waiting: AtomicUsize::new(0),
        })
    }

    /// Its options.
    #[must_use]
    pub fn options(&self) -> &RerankOptions {
        &self.options
    }

    /// Compares a short question with two texts, and returns how long it took.
    ///
    /// # Errors
    ///
    /// What does not work, and what to do about it.
    pub fn check(&self) -> Result<Duration, String> {
        let start = Instant::now();
        let cache = NumberCache::open(None).ok_or("there is no memory for its results")?;
        let (question, texts) = SAMPLE;
        let texts = texts.map(str::to_string);
        self.work.model.scores(question, &texts, &cache)?;
        Ok(start.elapsed())
    }

    /// The score of each text, waiting at most `wait` for what was not computed before.
    ///
    /// # Errors
    ///
    /// Why there are no scores, and what to do about it.
    pub(crate) fn scores(
        &self,
        question: &str,
        texts: Vec<String>,
        wait: Duration,
    ) -> Result<Vec<f32>, String> {
        let work = &self.work;
        let kept = work
            .cache()
            .and_then(|cache| work.model.kept_scores(question, &texts, cache));
        if let Some(kept) = kept {
            return Ok(kept);
        }
        let _waits = Waits::in_turn(&self.waiting).ok_or(BUSY)?;
        let (done, scores) = channel();
        self.submit(Job {
            question: question.to_string(),
            texts,
            done,
        })?;
        match scores.recv_timeout(wait) {
            Ok(scores) => scores,
            Err(RecvTimeoutError::Timeout) if wait.is_zero() => {
                Err("the answer did not wait for the model".to_string())
            }
            Err(RecvTimeoutError::Timeout) => Err(format!(
                "the model needs longer than {wait:?}; what it has computed so far is kept for the next time"
            )),
            Err(RecvTimeoutError::Disconnected) => Err("the model failed".to_string()),
        }
    }

    /// Gives a question to the thread of the model, which is started if it is not running.
    fn submit(&self, job: Job) -> Result<(), String> {
        let mut jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        let sender = match &*jobs {
            Some(sender) => sender,
            None => jobs.insert(self.start()?),
        };
        match sender.try_send(job) {
            Ok(()) => Ok(()),
            Err(TrySendError::Full(_)) => Err(BUSY.to_string()),
            // The thread has failed: the next question gets another one.
            Err(TrySendError::Disconnected(_)) => {
                *jobs = None;
                Err("the model failed".to_string())
            }
        }
    }

    fn start(&self) -> Result<SyncSender<Job>, String> {
        let (sender, jobs) = sync_channel(QUEUED);
        let work = Arc::clone(&self.work);
        let started = thread::Builder::new()
            .name("rerank".to_string())
            .spawn(move || work.run(&jobs));
        started
            .map(|_| sender)
            .map_err(|error| format!("no thread for the model can be started ({error})"))
    }
}

impl Work {
    fn cache(&self) -> Option<&NumberCache> {
        let cache = self
            .cache
            .get_or_init(|| NumberCache::open(self.file.as_deref()));
        cache.as_ref()
    }

    /// Answers questions until the reranker is gone.
    fn run(&self, jobs: &Receiver<Job>) {
        for job in jobs {
            let scores = match self.cache() {
                Some(cache) => self.model.scores(&job.question, &job.texts, cache),
                None => Err("there is no memory for its results".to_string()),
            };
            // The search may no longer wait.
            let _ = job.done.send(scores);
        }
    }
}

impl fmt::Debug for Reranker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reranker")
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

/// The first characters of a text, at most so many.
fn beginning(text: &str, most: usize) -> &str {
    let end = text.char_indices().nth(most);
    end.map_or(text, |(end, _)| &text[..end])
}

/// The key of something that a model computes from texts.
fn key(model: &str, texts: &[&str]) -> CacheKey {
    let mut fingerprint = Fingerprint::default();
    for text in [model].iter().chain(texts) {
        fingerprint.add(text.as_bytes());
    }
    fingerprint.bytes()
}
