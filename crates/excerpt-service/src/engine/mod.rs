//! The [`Engine`] has an open index that answers requests, and one writer thread with its own.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use excerpt_index::{Error, Index, OpenOptions, Progress, SyncReport};
use tokio::sync::{Semaphore, oneshot, watch};

use crate::config::Embedding;
use crate::error::{ServiceError, ServiceResult};
use crate::remote::RemoteState;
use crate::scope::{Scope, VisibleSource};
use crate::target::{IndexTarget, Syncable};
use crate::update::{SyncMode, TimeBudget};

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

/// How long a sync continues after the client has disconnected, and how long the process waits for
/// the writer thread before it exits. An index that is interrupted then is as consistent as after a
/// kill.
const FAREWELL: Duration = Duration::from_secs(1);

/// The state of the writer thread.
#[derive(Clone, Debug, Default)]
pub struct WriterProgress {
    /// Whether a check for changes is due or running.
    pub is_checking: bool,
    /// How far it has got.
    pub progress: Option<Progress>,
    /// How many checks, or parts of one, have ended.
    pub checked: usize,
    /// How the last check ended.
    pub ended: Option<CheckEnd>,
}

/// How a check for changes ended.
#[derive(Clone, Debug)]
pub enum CheckEnd {
    /// Everything is up to date.
    Complete,
    /// Another process is writing to the index.
    Waiting,
    /// There is more to do.
    Rest {
        /// The files of the source.
        listed: usize,
        /// Those of them whose current state is not indexed.
        remaining: usize,
        /// Whether a new generation is being built while the old one is served.
        aside: bool,
    },
    /// It failed.
    Failed(Arc<ServiceError>),
}

/// Why an answer does not come from an up-to-date index. Counts are missing if only a part of the
/// index is visible.
#[derive(Clone, Debug)]
pub enum ServedLag {
    /// A source was never indexed completely, and nothing is synced here.
    Unfinished,
    /// The last check for changes failed.
    Failed(Arc<ServiceError>),
    /// Another process is writing to the index.
    Locked,
    /// There is more to do.
    Continues,
    /// Documents are split again with other settings, and the old state is served meanwhile.
    Aside {
        /// How many are still to be split.
        remaining: usize,
    },
    /// Only vectors are missing.
    NoVectors,
    /// Some files are not indexed yet.
    Rest {
        /// How many can be searched.
        searched: usize,
        /// How many there are.
        listed: usize,
        /// How far the sync has got.
        progress: Option<Progress>,
    },
    /// The first check for changes is running.
    Begun {
        /// How far it has got.
        progress: Option<Progress>,
    },
}

/// A job for the writer thread.
enum Job {
    Check,
    Write(Box<dyn FnOnce(&mut EngineWriter) + Send>),
}

/// The open index of a server, which answers its requests, and the one thread that writes.
pub struct Engine {
    scope: Arc<Scope>,
    mode: SyncMode,
    /// The embedder for queries.
    embedding: Embedding,
    turns: Semaphore,
    index: Mutex<Option<Arc<Index>>>,
    writer_state: Arc<WriterState>,
    jobs: Mutex<Option<Sender<Job>>>,
    /// Closed when the thread ends.
    ended: Mutex<Option<Receiver<()>>>,
}

/// What the writer thread shares with the others.
struct WriterState {
    state: watch::Sender<WriterProgress>,
    stop: AtomicBool,
    /// When the client disconnected.
    gone: OnceLock<Instant>,
    /// The number of waiting writes, which interrupt a check.
    urgent: AtomicUsize,
}

impl WriterState {
    /// Whether a sync must stop because the process is about to exit.
    fn end_syncs(&self) -> bool {
        let is_late = |gone: &Instant| gone.elapsed() > FAREWELL;
        self.stop.load(Ordering::SeqCst) || self.gone.get().is_some_and(is_late)
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
    /// Starts the writer thread for the index of `target`, with a first check for changes unless
    /// `mode` forbids it.
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
        });
        let engine = Engine {
            scope: Arc::clone(&scope),
            mode,
            embedding: target.configuration.embedding.for_questions(),
            turns: Semaphore::new(AT_ONCE),
            index: Mutex::default(),
            writer_state: Arc::clone(&writer_state),
            jobs: Mutex::new(Some(jobs)),
            ended: Mutex::new(Some(ended)),
        };
        let mut writer = EngineWriter {
            target,
            scope,
            writer_state,
            index: None,
            is_first: true,
        };
        std::thread::Builder::new()
            .name("sync".to_string())
            .spawn(move || {
                writer.work(&todo);
                drop(alive);
            })?;
        if mode != SyncMode::Never {
            engine.check();
        }
        Ok(engine)
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
        let turn = self.turns.acquire().await;
        let engine = Arc::clone(self);
        let done = tokio::task::spawn_blocking(move || engine.answer_here(work)).await;
        drop(turn);
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
                SyncMode::Never => OpenOptions::default(),
                _ => OpenOptions::reading(),
            };
            let index = Index::open(&self.scope.index, options)?;
            self.embedding.given_to(index)
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

    /// Why an answer from `index` is not up to date; `None` if it is.
    #[must_use]
    pub fn lag(&self, index: &Index) -> Option<ServedLag> {
        let state = self.writer_state.state.borrow().clone();
        let is_whole = self.scope.is_whole();
        let progress = state.progress.filter(|_| is_whole);
        if self.mode == SyncMode::Never {
            return self.is_unfinished(index).then_some(ServedLag::Unfinished);
        }
        match state.ended {
            Some(CheckEnd::Failed(reason)) => Some(ServedLag::Failed(reason)),
            Some(CheckEnd::Waiting) => Some(ServedLag::Locked),
            Some(CheckEnd::Rest { .. }) if !is_whole => Some(ServedLag::Continues),
            Some(CheckEnd::Rest {
                remaining,
                aside: true,
                ..
            }) => Some(ServedLag::Aside { remaining }),
            Some(CheckEnd::Rest { remaining: 0, .. }) => Some(ServedLag::NoVectors),
            Some(CheckEnd::Rest {
                listed, remaining, ..
            }) => Some(ServedLag::Rest {
                searched: self.searched(index).max(listed.saturating_sub(remaining)),
                listed,
                progress,
            }),
            None if state.is_checking && self.is_unfinished(index) => {
                Some(ServedLag::Begun { progress })
            }
            None | Some(CheckEnd::Complete) => None,
        }
    }

    /// Whether a visible source was never indexed completely.
    fn is_unfinished(&self, index: &Index) -> bool {
        let sources = self.scope.sources().unwrap_or_default();
        sources.iter().any(|seen| {
            let last = index.last_sync(&seen.root).ok().flatten();
            last.is_none_or(|last| last.finished.is_none())
        })
    }

    /// The number of searchable documents, if all of them are visible.
    fn searched(&self, index: &Index) -> usize {
        match self.scope.is_all_of(index) {
            Ok(true) => index.searched().unwrap_or(0),
            _ => 0,
        }
    }

    /// Runs `work` on the writer thread, before any other job.
    ///
    /// # Errors
    ///
    /// Those of `work`, and [`ServiceError::ShuttingDown`].
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
            writer.writer_state.urgent.fetch_sub(1, Ordering::SeqCst);
            // The caller may have been cancelled.
            let _ = done.send(work(writer));
        })));
        match answer.await {
            Ok(answer) => answer,
            Err(_) => Err(ServiceError::ShuttingDown.into()),
        }
    }

    /// Interrupts the writer thread, and waits for it to end.
    pub fn end(&self) {
        self.writer_state.stop.store(true, Ordering::SeqCst);
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
            let _ = ended.recv_timeout(FAREWELL);
        }
    }
}

/// The state of the writer thread that is not shared.
pub struct EngineWriter {
    target: IndexTarget,
    scope: Arc<Scope>,
    writer_state: Arc<WriterState>,
    index: Option<Index>,
    /// Whether nothing has been searchable yet.
    is_first: bool,
}

impl EngineWriter {
    fn work(&mut self, todo: &Receiver<Job>) {
        // When a check is due, and the earliest time for the next one.
        let (mut due, mut earliest) = (None, Instant::now());
        loop {
            let job = match due {
                None => todo.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(at) => todo.recv_timeout(Instant::max(at, Instant::now()) - Instant::now()),
            };
            match job {
                Ok(Job::Write(work)) => work(self),
                Ok(Job::Check) => due = Some(due.unwrap_or(earliest)),
                Err(RecvTimeoutError::Timeout) => {
                    let begin = Instant::now();
                    due = self.check().map(|pause| Instant::now() + pause);
                    earliest = Instant::now() + PAUSE.max(PAUSES * begin.elapsed());
                }
                Err(RecvTimeoutError::Disconnected) => return,
            }
            if self.writer_state.stop.load(Ordering::SeqCst) {
                return;
            }
        }
    }

    /// The index, created if there is none.
    pub fn index(&mut self) -> ServiceResult<&mut Index> {
        // An index that was deleted is created again.
        let kept = self.index.take();
        let kept = kept.and_then(|index| index.refresh().ok().map(|()| index));
        let index = match kept {
            Some(index) => index,
            None => {
                let index = self.target.create()?;
                self.target.configuration.embedding.given_to(index)?
            }
        };
        Ok(self.index.insert(index))
    }

    /// Checks all visible sources for changes. Returns the pause before the check is continued, if
    /// it is not complete.
    fn check(&mut self) -> Option<Duration> {
        let ended = self.check_all().unwrap_or_else(|error| {
            // After an error, the index is opened again.
            self.index = None;
            CheckEnd::Failed(Arc::new(error))
        });
        let pause = match ended {
            CheckEnd::Rest { .. } => Some(TURN),
            CheckEnd::Waiting => Some(PAUSE),
            CheckEnd::Complete | CheckEnd::Failed(_) => None,
        };
        let is_done = pause.is_none();
        self.writer_state.state.send_modify(|state| {
            state.is_checking = !is_done;
            state.progress = None;
            state.checked += 1;
            state.ended = Some(ended);
        });
        pause
    }

    fn check_all(&mut self) -> ServiceResult<CheckEnd> {
        let asks_elsewhere = self.target.configuration.embedding.asks_elsewhere();
        self.is_first &= self.index()?.searched()? == 0;
        let budget = self.is_first.then(|| TimeBudget::of(FIRST, asks_elsewhere));
        self.is_first = false;
        let mut ended = CheckEnd::Complete;
        for seen in self.scope.sources()? {
            if !self.is_due(&seen)? {
                continue;
            }
            let writer_state = Arc::clone(&self.writer_state);
            let report = self.sync(&seen, |progress| {
                writer_state
                    .state
                    .send_modify(|state| state.progress = Some(progress));
                writer_state.urgent.load(Ordering::SeqCst) > 0
                    || budget.is_some_and(|budget| budget.ends(progress))
            });
            let report = match report {
                Ok(report) => report,
                Err(error) if is_locked(&error) => return Ok(CheckEnd::Waiting),
                // An error in one collection does not affect the others.
                Err(error) if seen.collection.is_some() => {
                    ended = CheckEnd::Failed(Arc::new(error));
                    continue;
                }
                Err(error) => return Err(error),
            };
            // Only vectors are missing, because the endpoint does not respond: the next check
            // retries them.
            let is_stuck = report.remaining == 0 && report.without_vectors.is_some();
            if !report.complete && !is_stuck {
                return Ok(CheckEnd::Rest {
                    listed: report.listed,
                    remaining: report.remaining,
                    aside: report.aside,
                });
            }
        }
        Ok(ended)
    }

    /// Whether to look for changes of a source in a check: of a remote one, only from time to time
    /// once it has been indexed.
    fn is_due(&mut self, seen: &VisibleSource) -> ServiceResult<bool> {
        let last = self.index()?.last_sync(&seen.root)?;
        let was_complete = last.is_some_and(|last| last.finished.is_some());
        let state = RemoteState::of(&self.scope.index, &seen.root);
        Ok(!was_complete || state.is_none_or(|state| state.is_due()))
    }

    /// Syncs a source until `breaks_off` returns true or the process is about to exit. The message
    /// of an error does not contain the source's root.
    pub fn sync(
        &mut self,
        seen: &VisibleSource,
        breaks_off: impl Fn(Progress) -> bool,
    ) -> ServiceResult<SyncReport> {
        let synced = self.sync_source(seen, breaks_off);
        synced.map_err(|error| match is_locked(&error) {
            true => error,
            false => ServiceError::NotSynced {
                name: seen.name.clone(),
                root: seen.root.clone(),
                error: Box::new(error),
            },
        })
    }

    fn sync_source(
        &mut self,
        seen: &VisibleSource,
        breaks_off: impl Fn(Progress) -> bool,
    ) -> ServiceResult<SyncReport> {
        let source = self.syncable(seen)?;
        let writer_state = Arc::clone(&self.writer_state);
        let progress = |progress: Progress| match writer_state.end_syncs() || breaks_off(progress) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        let index = self.index()?;
        if seen.root.exists() && !seen.is_in_place() {
            let name = seen.name.clone();
            return Err(ServiceError::Replaced { name });
        }
        Ok(source.sync_opened(index, &*source.open()?, progress)?)
    }

    /// A source with the options to sync it.
    fn syncable(&self, seen: &VisibleSource) -> ServiceResult<Syncable> {
        let configuration = self.scope.configuration(Some(&seen.root))?;
        Ok(Syncable {
            index: self.scope.index.clone(),
            root: seen.root.clone(),
            options: seen.options(&configuration),
            collection: seen.collection.clone(),
        })
    }

    /// Syncs all visible sources completely.
    pub fn sync_all(&mut self) -> ServiceResult<()> {
        for seen in self.scope.sources()? {
            self.sync(&seen, |_| false)?;
        }
        self.writer_state.state.send_modify(|state| {
            state.checked += 1;
            state.ended = Some(CheckEnd::Complete);
        });
        Ok(())
    }
}

/// Whether another process is writing.
fn is_locked(error: &ServiceError) -> bool {
    matches!(error, ServiceError::Index(Error::Locked { .. }))
}
