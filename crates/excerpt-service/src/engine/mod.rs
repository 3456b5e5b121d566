//! The [`Engine`] has an open index that answers requests, and one writer thread with its own
//! (`writer.rs`). It syncs on request, or follows the changes of its sources (`follow.rs`).

mod follow;
mod progress;
mod split;
#[cfg(test)]
mod tests;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use excerpt_index::{Error, Index, OpenOptions, Reranker, Source};
use tokio::sync::{Semaphore, oneshot, watch};

use crate::config::Embedding;
use crate::error::ServiceError;
use crate::remote::now;
use crate::scope::{Scope, VisibleSource};
use crate::target::IndexTarget;
use crate::update::{SyncMode, SyncRequest};
use follow::Followers;
pub use follow::SyncTicket;
pub use progress::{CheckEnd, ServedLag, SourceEnd, WriterProgress, far};
pub use writer::EngineWriter;

/// The maximum number of requests that are answered concurrently; the others wait.
const AT_ONCE: usize = 4;

/// When the first sync commits what it has split so far, before it continues: within the time that
/// the first answer waits.
const FIRST: Duration = Duration::from_millis(1500);

/// The minimum pause after a check for changes, and its minimum as a multiple of the duration of
/// the check, so that frequent requests do not keep a processor busy.
const PAUSE: Duration = Duration::from_millis(500);
const PAUSES: u32 = 4;

/// The pause between two parts of a check.
const TURN: Duration = Duration::from_millis(20);

/// How long a sync runs before it is interrupted for another source that waits.
const SLICE: Duration = Duration::from_secs(3);

/// How long a sync continues after the client has disconnected, and how long the process waits for
/// the writer thread before it exits. An index that is interrupted then is as consistent as after a
/// kill.
const FAREWELL: Duration = Duration::from_secs(1);

/// A job for the writer thread.
enum Job {
    Check,
    Sync(SyncJob),
    Write(Box<dyn FnOnce(&mut EngineWriter) + Send>),
}

/// A source that was opened, to be synced.
struct SyncJob {
    root: PathBuf,
    source: Arc<dyn Source>,
    request: SyncRequest,
    done: Sender<CheckEnd>,
}

/// The open index of a server, which answers its requests, and the one thread that writes.
pub struct Engine {
    scope: Arc<Scope>,
    mode: SyncMode,
    /// Whether the index is only read.
    is_stored: bool,
    /// The embedder for queries.
    embedding: Embedding,
    reranker: Option<Arc<Reranker>>,
    turns: Arc<Semaphore>,
    /// For the texts that are split at the same time.
    splits: Arc<Semaphore>,
    index: Mutex<Option<Arc<Index>>>,
    writer_state: Arc<WriterState>,
    jobs: Mutex<Option<Sender<Job>>>,
    /// Closed when the thread ends.
    ended: Mutex<Option<Receiver<()>>>,
    /// The threads that follow the sources, if they do.
    followers: OnceLock<Arc<Followers>>,
}

/// What the writer thread shares with the others.
struct WriterState {
    state: watch::Sender<WriterProgress>,
    stop: AtomicBool,
    /// When the client disconnected.
    gone: OnceLock<Instant>,
    /// The number of waiting writes, which interrupt a check.
    urgent: AtomicUsize,
    /// The number of sources that wait to be synced.
    queued: AtomicUsize,
}

impl WriterState {
    /// Whether a sync must stop because the process is about to exit.
    fn end_syncs(&self) -> bool {
        let is_late = |gone: &Instant| gone.elapsed() > FAREWELL;
        self.stop.load(Ordering::SeqCst) || self.gone.get().is_some_and(is_late)
    }

    /// Records how the sync of a source has ended.
    fn ended(&self, root: &Path, end: CheckEnd) {
        self.state.send_modify(|state| {
            let before = state.sources.get(root).map_or(0, |source| source.failures);
            let failures = match &end {
                CheckEnd::Failed(_) => before + 1,
                CheckEnd::Waiting => before,
                _ => 0,
            };
            let at = now();
            let end = SourceEnd { at, end, failures };
            state.sources.insert(root.to_path_buf(), end);
        });
    }
}

/// Why there was no answer.
#[derive(Debug)]
pub enum Unanswered<E> {
    /// There is no index yet.
    Missing(Error),
    /// Something else failed.
    Other(E),
}

impl Engine {
    /// Starts the writer thread for the index of `target`.
    ///
    /// # Errors
    ///
    /// When no thread can be started.
    pub fn start(
        target: IndexTarget,
        scope: Arc<Scope>,
        mode: SyncMode,
    ) -> std::io::Result<Engine> {
        let (jobs, todo) = channel();
        let (alive, ended) = channel::<()>();
        let writer_state = Arc::new(WriterState {
            state: watch::Sender::new(WriterProgress::default()),
            stop: AtomicBool::new(false),
            gone: OnceLock::new(),
            urgent: AtomicUsize::new(0),
            queued: AtomicUsize::new(0),
        });
        let engine = Engine {
            scope: Arc::clone(&scope),
            mode,
            is_stored: target.is_stored,
            embedding: target.configuration.embedding.for_questions(),
            reranker: target.configuration.rerank.reranker(),
            turns: Arc::new(Semaphore::new(AT_ONCE)),
            splits: Arc::new(Semaphore::new(split::SPLITS)),
            index: Mutex::default(),
            writer_state: Arc::clone(&writer_state),
            jobs: Mutex::new(Some(jobs)),
            ended: Mutex::new(Some(ended)),
            followers: OnceLock::new(),
        };
        let mut writer = EngineWriter::of(target, scope, writer_state);
        std::thread::Builder::new()
            .name("sync".to_string())
            .spawn(move || {
                writer.work(&todo);
                // It has ended when its index is closed.
                drop(writer);
                drop(alive);
            })?;
        Ok(engine)
    }

    /// Keeps all visible sources up to date from now on: folders when an event says that they have
    /// changed, and what is not on this disk from time to time. Without a thread for it, nothing is
    /// kept up to date.
    ///
    /// # Errors
    ///
    /// When no thread can be started.
    pub fn follow(self: &Arc<Self>) -> std::io::Result<()> {
        let followers = Arc::new(Followers::default());
        if self.followers.set(Arc::clone(&followers)).is_err() {
            return Ok(());
        }
        let engine = Arc::downgrade(self);
        std::thread::Builder::new()
            .name("sources".to_string())
            .spawn(move || follow::follow_all(&engine, &followers))?;
        Ok(())
    }

    /// Whether it follows the changes of its sources.
    pub fn follows(&self) -> bool {
        self.followers.get().is_some()
    }

    /// Has sources synced now that it follows. The ticket says when that is done; there is none if
    /// it does not follow: then changes are looked for.
    pub fn request_sync<'s>(
        self: &Arc<Self>,
        sources: impl IntoIterator<Item = &'s VisibleSource>,
        request: SyncRequest,
    ) -> Option<SyncTicket> {
        let Some(followers) = self.followers.get() else {
            self.check();
            return None;
        };
        // A source that nothing follows yet could not be waited for.
        let _ = follow::reconcile(self, followers);
        let roots = sources.into_iter().map(|seen| &*seen.root);
        Some(followers.request(roots, request))
    }

    /// Records that requests were answered from the index, which may be out of date: changes are
    /// looked for now, unless they are followed.
    pub fn answered(&self) {
        if self.mode == SyncMode::Auto && !self.follows() {
            self.check();
        }
    }

    /// Syncs a source that was opened, on the writer thread; `None` if that has ended.
    fn synced(
        &self,
        root: &Path,
        source: Arc<dyn Source>,
        request: SyncRequest,
    ) -> Option<CheckEnd> {
        let (done, end) = channel();
        self.writer_state.queued.fetch_add(1, Ordering::SeqCst);
        self.send(Job::Sync(SyncJob {
            root: root.to_path_buf(),
            source,
            request,
            done,
        }));
        end.recv().ok()
    }

    /// Forgets how the syncs of all other sources have ended.
    fn forget_others(&self, sources: &[VisibleSource]) {
        self.writer_state.state.send_if_modified(|state| {
            let before = state.sources.len();
            let is_there = |root: &PathBuf| sources.iter().any(|seen| seen.root == *root);
            state.sources.retain(|root, _| is_there(root));
            state.sources.len() != before
        });
    }

    /// Whether the writer thread checks for changes.
    pub fn mode(&self) -> SyncMode {
        self.mode
    }

    /// A receiver for the state of the writer thread.
    pub fn state(&self) -> watch::Receiver<WriterProgress> {
        self.writer_state.state.subscribe()
    }

    /// Requests a check for changes. Requests before it has ended are merged.
    pub fn check(&self) {
        let is_new = self
            .writer_state
            .state
            .send_if_modified(|state| !std::mem::replace(&mut state.is_checking, true));
        if is_new {
            self.send(Job::Check);
        }
    }

    fn send(&self, job: Job) {
        let jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(jobs) = &*jobs {
            // After the thread has ended, jobs are ignored.
            let _ = jobs.send(job);
        }
    }

    /// Answers from the index, on a thread for blocking work.
    ///
    /// # Errors
    ///
    /// [`Unanswered::Missing`] if there is no index, and those of `work`.
    pub async fn answer<T, E>(
        self: &Arc<Self>,
        work: impl FnOnce(&Index) -> Result<T, E> + Send + 'static,
    ) -> Result<T, Unanswered<E>>
    where
        T: Send + 'static,
        E: From<ServiceError> + Send + 'static,
    {
        let turn = Arc::clone(&self.turns).acquire_owned().await;
        let engine = Arc::clone(self);
        // The turn ends with the work, also if nobody waits for it any longer.
        let answer = move || {
            let _turn = turn;
            engine.answer_here(work)
        };
        let done = tokio::task::spawn_blocking(answer).await;
        match done {
            Ok(answer) => answer,
            Err(error) => Err(Unanswered::Other(ServiceError::NoAnswer(error).into())),
        }
    }

    /// Records that the client has disconnected. A long sync is interrupted, so that requests
    /// waiting for it are answered from the current state.
    pub fn disconnected(&self) {
        let _ = self.writer_state.gone.set(Instant::now());
    }

    /// Answers on this thread.
    ///
    /// # Errors
    ///
    /// Those of [`Engine::answer`].
    pub fn answer_here<T, E: From<ServiceError>>(
        &self,
        work: impl FnOnce(&Index) -> Result<T, E>,
    ) -> Result<T, Unanswered<E>> {
        let index = self.opened()?;
        work(&index).map_err(Unanswered::Other)
    }

    /// The index in its current state.
    fn opened<E: From<ServiceError>>(&self) -> Result<Arc<Index>, Unanswered<E>> {
        let known = || self.index.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = known().clone();
        if let Some(index) = kept
            && index.refresh().is_ok()
        {
            return Ok(index);
        }
        let open = || {
            // Only the writer thread updates the index, if there is one.
            let options = match self.mode {
                SyncMode::Never if !self.is_stored => OpenOptions::default(),
                _ => OpenOptions::reading(),
            };
            let index = Index::open(&self.scope.index, options)?;
            let index = self.embedding.given_to(index)?;
            Ok(index.with_reranker(self.reranker.clone()))
        };
        // What is gone does not stay open.
        *known() = None;
        let opened = open().map_err(|error| match error {
            Error::NotFound { .. } => Unanswered::Missing(error),
            error => Unanswered::Other(ServiceError::from(error).into()),
        });
        let index = Arc::new(opened?);
        *known() = Some(Arc::clone(&index));
        Ok(index)
    }

    /// Why an answer from the part of `index` that `scope` shows is not up to date; `None` if it
    /// is. If collections are `chosen`, the answer is from them alone.
    #[must_use]
    pub fn lag(&self, index: &Index, scope: &Scope, chosen: &[String]) -> Option<ServedLag> {
        let sources = scope.chosen(chosen).unwrap_or_default();
        let state = self.writer_state.state.borrow().clone();
        let is_whole = scope.is_whole();
        let progress = state.progress.filter(|_| is_whole);
        if self.mode == SyncMode::Never {
            return is_unfinished(index, &sources).then_some(ServedLag::Unfinished);
        }
        if self.follows() {
            // A part of a source has no state of its own, and that of the whole is not shown.
            if !scope.shows_states() {
                return None;
            }
            return followed_lag(index, scope, &sources, &state);
        }
        match state.ended {
            Some(CheckEnd::Rest {
                listed,
                remaining: remaining @ 1..,
                aside: false,
            }) if is_whole => Some(ServedLag::Rest {
                searched: searched(index, scope).max(listed.saturating_sub(remaining)),
                listed,
                progress,
            }),
            Some(end) => end.lag(scope),
            None if state.is_checking && is_unfinished(index, &sources) => {
                Some(ServedLag::Begun { progress })
            }
            None => None,
        }
    }

    /// Runs `work` on the writer thread, before any other job.
    ///
    /// # Errors
    ///
    /// Those of `work`, [`ServiceError::Panicked`], and [`ServiceError::ShuttingDown`].
    pub async fn write<T, E>(
        &self,
        work: impl FnOnce(&mut EngineWriter) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<ServiceError> + Send + 'static,
    {
        let (done, answer) = oneshot::channel();
        self.writer_state.urgent.fetch_add(1, Ordering::SeqCst);
        self.send(Job::Write(Box::new(move |writer| {
            writer.begins_write();
            // The caller may have been cancelled.
            let _ = done.send(writer.caught(work));
        })));
        let answer = answer.await;
        if let Some(followers) = self.followers.get() {
            followers.sources_changed();
        }
        match answer {
            Ok(answer) => answer,
            Err(_) => Err(ServiceError::ShuttingDown.into()),
        }
    }

    /// Interrupts the writer thread, and waits for it to end.
    pub fn end(&self) {
        self.end_within(FAREWELL);
    }

    /// Interrupts the writer thread, waits for it to end, but not longer than `patience`, and
    /// closes the index. A process that goes on waits until nothing is written any more.
    pub fn end_within(&self, patience: Duration) {
        self.writer_state.stop.store(true, Ordering::SeqCst);
        if let Some(followers) = self.followers.get() {
            followers.end();
        }
        // Some may wait for syncs that will not come.
        self.writer_state.state.send_modify(|_| ());
        drop(
            self.jobs
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take(),
        );
        let ended = self
            .ended
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(ended) = ended {
            let _ = ended.recv_timeout(patience);
        }
        *self.index.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Why an answer from `sources` is not up to date, if they are followed. Each says so for itself,
/// so that a scope shows nothing of the others.
fn followed_lag(
    index: &Index,
    scope: &Scope,
    sources: &[VisibleSource],
    state: &WriterProgress,
) -> Option<ServedLag> {
    let mut lag = None;
    let mut is_complete = true;
    for seen in sources {
        let Some(ended) = state.sources.get(&seen.root) else {
            is_complete = false;
            continue;
        };
        match ended.end.lag(scope) {
            Some(failed @ (ServedLag::Failed(_) | ServedLag::FailedSomehow)) => {
                return Some(failed);
            }
            found => lag = lag.or(found),
        }
    }
    if lag.is_none() && !is_complete && is_unfinished(index, sources) {
        let is_seen = |root: &PathBuf| sources.iter().any(|seen| seen.root == *root);
        let is_shown = scope.is_whole() && state.syncing.as_ref().is_some_and(is_seen);
        let progress = state.progress.filter(|_| is_shown);
        lag = Some(ServedLag::Begun { progress });
    }
    lag
}

/// Whether one of the sources was never indexed completely.
fn is_unfinished(index: &Index, sources: &[VisibleSource]) -> bool {
    sources.iter().any(|seen| {
        let last = index.last_sync(&seen.root).ok().flatten();
        last.is_none_or(|last| last.finished.is_none())
    })
}

/// The number of searchable documents, if all of them are visible.
fn searched(index: &Index, scope: &Scope) -> usize {
    match scope.is_all_of(index) {
        Ok(true) => index.searched().unwrap_or(0),
        _ => 0,
    }
}
