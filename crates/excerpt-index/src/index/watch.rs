//! Watching: keeping an index up to date with its source until the watch is [stopped](Stop).

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use crate::index::Index;
use crate::model::{Error, Progress, Result, SyncOptions, SyncReport};
use crate::source::{ChangeSignal, Files, Wakeup, Watched, pause_after};

/// How often to retry a source that cannot be reached, or whose documents are gone.
const RETRY: Duration = Duration::from_secs(1);

/// How often to retry an index that another process writes.
const LOCK_RETRY: Duration = Duration::from_millis(100);

/// How long another process may write before that is reported: most write only briefly.
const LOCK_PATIENCE: Duration = Duration::from_secs(1);

/// Stops any number of watches, from any thread.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<Stopping>);

#[derive(Debug, Default)]
struct Stopping {
    own: ChangeSignal,
    /// The signals of the watches that it stops.
    watches: Mutex<Vec<Weak<ChangeSignal>>>,
}

impl Stop {
    /// A handle for watches that have not started yet.
    #[must_use]
    pub fn new() -> Self {
        Stop::default()
    }

    /// Stops the watches. A running sync is cancelled: what is done by then is kept.
    pub fn stop(&self) {
        self.0.own.end();
        for watch in self.watches().iter().filter_map(Weak::upgrade) {
            watch.end();
        }
    }

    /// Whether they are stopped.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.0.own.is_ended()
    }

    /// Waits for this long, unless they are stopped.
    pub fn wait(&self, time: Duration) {
        self.0.own.pause(time);
    }

    /// The signal of one more watch: each has its own, since a change wakes one only.
    fn signal(&self) -> Arc<ChangeSignal> {
        let signal = Arc::new(ChangeSignal::default());
        let mut watches = self.watches();
        watches.retain(|watch| watch.strong_count() > 0);
        watches.push(Arc::downgrade(&signal));
        if self.is_stopped() {
            signal.end();
        }
        signal
    }

    fn watches(&self) -> MutexGuard<'_, Vec<Weak<ChangeSignal>>> {
        self.0
            .watches
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// An event of a watch.
#[derive(Debug)]
#[non_exhaustive]
pub enum Watching {
    /// A sync is running.
    Progress(Progress),
    /// A sync has ended. It may have found no changes.
    Synced(SyncReport),
    /// The source cannot be reached ([`Error::Source`]), too many of its documents are gone
    /// ([`Error::Vanished`]), or another process writes the index ([`Error::Locked`]): the watch
    /// waits until that is over. Reported once each time.
    Waiting(Error),
    /// Not all changes cause an event, for this reason: the watch polls every few seconds. Reported
    /// once.
    Polling(String),
}

impl Index {
    /// Updates the index from the folder (or file) at `root` and keeps it up to date until `stop`
    /// stops it or `told`, which receives the events, cancels. Changes are indexed about 0.1
    /// seconds after the last one, and at most one second after the first.
    ///
    /// # Errors
    ///
    /// As [`Index::sync`], except for what the watch waits for. A root that cannot be reached at
    /// the start is an error.
    pub fn watch(
        &mut self,
        root: &Path,
        options: &SyncOptions,
        stop: &Stop,
        mut told: impl FnMut(Watching) -> ControlFlow<()>,
    ) -> Result<()> {
        let files = Files::selected(root, &options.selection)?;
        let signal = stop.signal();
        let source = Watched::new(files, Arc::clone(&signal));
        let mut waiting = Waiting::default();
        let mut is_polling = false;
        while !stop.is_stopped() {
            let progress = |progress| match stop.is_stopped() {
                true => ControlFlow::Break(()),
                false => told(Watching::Progress(progress)),
            };
            let begun = Instant::now();
            let mut patience = None;
            match self.sync_source(&source, options, progress) {
                Ok(report) => {
                    waiting = Waiting::default();
                    if told(Watching::Synced(report)).is_break() {
                        break;
                    }
                }
                // They may come back without an event, for example when a disk is mounted again.
                Err(error @ Error::Vanished { .. }) => {
                    patience = Some(pause_after(begun.elapsed(), waiting.pause(&error)));
                    if waiting.is_to_be_told(&error) && told(Watching::Waiting(error)).is_break() {
                        break;
                    }
                }
                Err(error @ (Error::Source { .. } | Error::Locked { .. })) => {
                    let pause = waiting.pause(&error);
                    if waiting.is_to_be_told(&error) && told(Watching::Waiting(error)).is_break() {
                        break;
                    }
                    signal.pause(pause);
                    continue;
                }
                Err(error) => return Err(error),
            }
            if let Some(reason) = source.deafness() {
                let is_told = std::mem::replace(&mut is_polling, true);
                if !is_told && told(Watching::Polling(reason)).is_break() {
                    break;
                }
            }
            let patience = patience.unwrap_or_else(|| source.patience());
            if signal.wait(patience) == Wakeup::Ended {
                break;
            }
        }
        Ok(())
    }
}

/// What a watch waits for.
#[derive(Default)]
struct Waiting {
    since: Option<Instant>,
    is_told: bool,
}

impl Waiting {
    fn pause(&mut self, error: &Error) -> Duration {
        self.since.get_or_insert_with(Instant::now);
        match error {
            Error::Locked { .. } => LOCK_RETRY,
            _ => RETRY,
        }
    }

    fn is_to_be_told(&mut self, error: &Error) -> bool {
        let patience = match error {
            Error::Locked { .. } => LOCK_PATIENCE,
            _ => Duration::ZERO,
        };
        let is_time = self.since.is_some_and(|since| since.elapsed() >= patience);
        is_time && !std::mem::replace(&mut self.is_told, true)
    }
}
