//! Keeps the index of an [`Engine`] up to date: each source has a thread that waits
//! for its changes and hands the source, opened, to the writer thread. So a source that is slow to
//! be reached delays no other.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use excerpt_index::{
    ChangeSignal, Error, Files, Origin, Selection, Source, Wakeup, Watched, pause_after,
};

use super::Engine;
use super::progress::CheckEnd;
use crate::error::{ServiceError, ServiceResult};
use crate::scope::VisibleSource;
use crate::target::Syncable;
use crate::update::SyncRequest;

/// How often to look for collections that another process has added or removed.
const LOOK_FOR_SOURCES: Duration = Duration::from_secs(5);

/// How often to retry what another process is writing, and what cannot be reached.
const LOCK_RETRY: Duration = Duration::from_millis(200);
const RETRY: Duration = Duration::from_secs(5);

/// The threads that follow the sources of an engine.
#[derive(Default)]
pub(super) struct Followers {
    /// Rung when sources may have been added or removed.
    sources: Arc<ChangeSignal>,
    /// Held while the sources are listed and their threads are started or ended, so that no list
    /// replaces a newer one.
    reconciling: Mutex<()>,
    /// Whether the sources that were there at the start are followed.
    has_begun: AtomicBool,
    of_source: Mutex<HashMap<PathBuf, Arc<Follower>>>,
}

/// The thread that follows a source.
#[derive(Default)]
struct Follower {
    signal: Arc<ChangeSignal>,
    requests: Mutex<Requests>,
}

/// The requests for syncs of a source.
#[derive(Default)]
struct Requests {
    /// How the next sync was requested.
    next: SyncRequest,
    /// How many requests there were.
    made: u64,
    /// How many of them a sync that has ended was for.
    served: u64,
}

impl Requests {
    fn add(&mut self, request: SyncRequest) {
        self.next.retry |= request.retry;
        self.next.accept_removals |= request.accept_removals;
    }
}

impl Follower {
    fn requests(&self) -> MutexGuard<'_, Requests> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the options of the next sync, and how many requests there were: what is requested
    /// from now on is for a later one, because it may miss what is listed before.
    fn take(&self) -> (SyncRequest, u64) {
        let mut requests = self.requests();
        (std::mem::take(&mut requests.next), requests.made)
    }

    /// Whether no sync has ended yet that was for the first `made` requests.
    fn has_unserved(&self, made: u64) -> bool {
        self.requests().served < made
    }

    /// Gives the options of a sync that has not begun to the next one.
    fn put_back(&self, request: SyncRequest) {
        self.requests().add(request);
    }

    /// Records that a sync has ended, which was for the first `made` requests.
    fn serve(&self, made: u64) {
        let mut requests = self.requests();
        requests.served = requests.served.max(made);
    }
}

/// Requests for syncs of some sources, to find out when they have been served.
#[derive(Clone)]
pub struct SyncTicket(Vec<(Arc<Follower>, u64)>);

impl SyncTicket {
    /// Whether every source was synced after its request, or cannot be.
    #[must_use]
    pub fn is_served(&self) -> bool {
        let mut requests = self.0.iter();
        requests.all(|(follower, number)| {
            follower.requests().served >= *number || follower.signal.is_ended()
        })
    }
}

impl Followers {
    fn known(&self) -> MutexGuard<'_, HashMap<PathBuf, Arc<Follower>>> {
        self.of_source
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Has sources synced now.
    pub(super) fn request<'r>(
        &self,
        roots: impl Iterator<Item = &'r Path>,
        request: SyncRequest,
    ) -> SyncTicket {
        let mut tickets = Vec::new();
        let known = self.known();
        for root in roots {
            // Without a thread, it is not synced now.
            let Some(follower) = known.get(root) else {
                continue;
            };
            let mut requests = follower.requests();
            requests.add(request);
            requests.made += 1;
            tickets.push((Arc::clone(follower), requests.made));
            drop(requests);
            follower.signal.notify();
        }
        SyncTicket(tickets)
    }

    /// Looks for added and removed sources now.
    pub(super) fn sources_changed(&self) {
        self.sources.notify();
    }

    /// Ends all threads.
    pub(super) fn end(&self) {
        self.sources.end();
        for (_, follower) in self.known().drain() {
            follower.signal.end();
        }
    }
}

/// Follows the sources of `engine`, also those that are added later, until it ends.
pub(super) fn follow_all(engine: &Weak<Engine>, followers: &Followers) {
    loop {
        let Some(strong) = engine.upgrade() else {
            return;
        };
        // What cannot be listed now may be next time.
        if let Ok(sources) = reconcile(&strong, followers) {
            strong.forget_others(&sources);
        }
        drop(strong);
        if followers.sources.wait(LOOK_FOR_SOURCES) == Wakeup::Ended {
            return;
        }
    }
}

/// Starts a thread for each source that has none, and ends those of sources that are gone. Returns
/// the sources.
///
/// # Errors
///
/// When they cannot be listed now.
pub(super) fn reconcile(
    engine: &Arc<Engine>,
    followers: &Followers,
) -> ServiceResult<Vec<VisibleSource>> {
    let reconciling = followers.reconciling.lock();
    let _reconciling = reconciling.unwrap_or_else(PoisonError::into_inner);
    let sources = engine.scope.sources()?;
    let mut known = followers.known();
    if followers.sources.is_ended() {
        return Ok(sources);
    }
    let before = known.len();
    known.retain(|root, follower| {
        let is_there = sources.iter().any(|seen| seen.root == *root);
        if !is_there {
            follower.signal.end();
        }
        is_there
    });
    let has_ended = known.len() < before;
    // An earlier process may have ended before it served the requests that it had accepted.
    let is_start = !followers.has_begun.swap(true, Ordering::SeqCst);
    for seen in &sources {
        if known.contains_key(&seen.root) {
            continue;
        }
        let follower = Arc::new(Follower::default());
        let of_thread = Arc::clone(&follower);
        let (engine, root) = (Arc::downgrade(engine), seen.root.clone());
        let started = std::thread::Builder::new()
            .name("follow".to_string())
            .spawn(move || follow(&engine, &root, &of_thread, is_start));
        // Without a thread it is tried again later.
        if started.is_ok() {
            known.insert(seen.root.clone(), follower);
        }
    }
    drop(known);
    if has_ended {
        // Some may wait for what is gone.
        engine.writer_state.state.send_modify(|_| ());
    }
    Ok(sources)
}

/// Follows one source until it is gone or the engine ends. `is_asked` says whether it is fetched
/// now although its time has not come.
fn follow(engine: &Weak<Engine>, root: &Path, follower: &Follower, mut is_asked: bool) {
    let mut watched: Option<(Selection, Arc<Watched>)> = None;
    let is_remote = Origin::of(root).is_remote();
    loop {
        let Some(engine) = engine.upgrade() else {
            return;
        };
        let looked = match is_remote {
            true => fetched(&engine, root, follower, is_asked),
            false => listed(&engine, root, follower, &mut watched).map(|pause| (pause, true)),
        };
        drop(engine);
        let Some((pause, is_done)) = looked else {
            // Nobody need wait for it.
            follower.signal.end();
            return;
        };
        is_asked = match follower.signal.wait(pause) {
            Wakeup::Ended => return,
            Wakeup::Changed => true,
            Wakeup::Late => !is_done,
        };
    }
}

/// Syncs a folder or file, and returns how long to wait for the next event; `None` if the engine
/// has ended.
fn listed(
    engine: &Engine,
    root: &Path,
    follower: &Follower,
    watched: &mut Option<(Selection, Arc<Watched>)>,
) -> Option<Duration> {
    let begun = Instant::now();
    let (request, made) = follower.take();
    let is_asked = follower.has_unserved(made);
    let opened = engine.following(root).and_then(|source| {
        let selection = source.options.selection;
        match watched.take() {
            Some((known, source)) if known == selection => {
                *watched = Some((known, Arc::clone(&source)));
                Ok(source)
            }
            _ => {
                let files = Files::selected(root, &selection)?;
                let source = Arc::new(Watched::new(files, Arc::clone(&follower.signal)));
                *watched = Some((selection, Arc::clone(&source)));
                Ok(source)
            }
        }
    });
    let source = match opened {
        Ok(source) => source,
        Err(error) => {
            return Some(
                match engine.unopened(follower, (request, made), root, error) {
                    CheckEnd::Waiting => LOCK_RETRY,
                    _ => RETRY,
                },
            );
        }
    };
    // Who asks may know of a change that has caused no event yet.
    if is_asked {
        source.distrust();
    }
    let listing = Arc::clone(&source) as Arc<dyn Source>;
    let synced = engine.synced_for(follower, (request, made), root, listing)?;
    Some(match synced {
        CheckEnd::Waiting => LOCK_RETRY,
        CheckEnd::Failed(_) => pause_after(begun.elapsed(), RETRY),
        _ => source.patience(),
    })
}

/// Fetches and syncs what is not on this disk if it `is_asked` to or it is time. Returns how long
/// to wait, and whether nothing is left to do until then; `None` if the engine has ended.
fn fetched(
    engine: &Engine,
    root: &Path,
    follower: &Follower,
    is_asked: bool,
) -> Option<(Duration, bool)> {
    let (request, made) = follower.take();
    let opened = engine.following(root).and_then(|source| {
        if !is_asked && !source.is_due() && engine.was_complete(root) {
            return Ok((source, None));
        }
        let opened = source.open()?;
        Ok((source, Some(opened)))
    });
    Some(match opened {
        Ok((source, None)) => {
            follower.put_back(request);
            (source.pause(), true)
        }
        Ok((source, Some(opened))) => {
            match engine.synced_for(follower, (request, made), root, Arc::from(opened))? {
                CheckEnd::Waiting => (LOCK_RETRY, false),
                // What failed after the fetch may not have recorded that it was tried.
                CheckEnd::Failed(_) => (source.pause().max(RETRY), true),
                _ => (source.pause(), true),
            }
        }
        Err(error) => match engine.unopened(follower, (request, made), root, error) {
            CheckEnd::Waiting => (LOCK_RETRY, false),
            _ => {
                let source = engine.following(root);
                (source.map_or(RETRY, |source| source.pause()), true)
            }
        },
    })
}

impl Engine {
    /// Syncs a source as requested, for the first `made` requests; `None` if the writer thread has
    /// ended.
    fn synced_for(
        &self,
        follower: &Follower,
        (request, made): (SyncRequest, u64),
        root: &Path,
        source: Arc<dyn Source>,
    ) -> Option<CheckEnd> {
        let end = self.synced(root, source, request)?;
        self.settle(follower, (request, made), &end);
        Some(end)
    }

    /// Records that a source could not be opened for the first `made` requests, and returns how its
    /// sync has ended with that.
    fn unopened(
        &self,
        follower: &Follower,
        requested: (SyncRequest, u64),
        root: &Path,
        error: ServiceError,
    ) -> CheckEnd {
        // It was removed while it was opened: there is nothing to report.
        let sources = self.scope.sources();
        if sources.is_ok_and(|sources| sources.iter().all(|seen| seen.root != root)) {
            self.serve(follower, requested.1);
            return CheckEnd::Complete;
        }
        let is_locked = matches!(error, ServiceError::Index(Error::Locked { .. }));
        let end = match is_locked {
            true => CheckEnd::Waiting,
            false => CheckEnd::Failed(Arc::new(self.not_synced(root, error))),
        };
        self.writer_state.ended(root, end.clone());
        self.settle(follower, requested, &end);
        end
    }

    /// Serves the first `made` requests with a sync that has ended, or leaves them to the next one
    /// while another process holds a lock.
    fn settle(&self, follower: &Follower, (request, made): (SyncRequest, u64), end: &CheckEnd) {
        match end {
            CheckEnd::Waiting => follower.put_back(request),
            _ => self.serve(follower, made),
        }
    }

    /// Records that requests were served, and tells those that wait for it.
    fn serve(&self, follower: &Follower, made: u64) {
        follower.serve(made);
        self.writer_state.state.send_modify(|_| ());
    }

    fn not_synced(&self, root: &Path, error: ServiceError) -> ServiceError {
        let sources = self.scope.sources().unwrap_or_default();
        let seen = sources.into_iter().find(|seen| seen.root == root);
        ServiceError::NotSynced {
            name: seen.map(|seen| seen.name).unwrap_or_default(),
            root: root.to_path_buf(),
            error: Box::new(error),
        }
    }

    /// A visible source with the options to sync it.
    fn following(&self, root: &Path) -> ServiceResult<Syncable> {
        let mut sources = self.scope.sources()?.into_iter();
        match sources.find(|seen| seen.root == root) {
            Some(seen) => self.scope.syncable(&seen),
            None => Err(ServiceError::NothingIndexed),
        }
    }

    fn was_complete(&self, root: &Path) -> bool {
        let last = self.answer_here(|index| Ok::<_, ServiceError>(index.last_sync(root)?));
        last.is_ok_and(|last| last.is_some_and(|last| last.finished.is_some()))
    }
}

#[cfg(test)]
mod tests {
    use excerpt_index::{Collection, Index, OpenOptions};

    use super::super::tests::{engine, library_engine};
    use super::*;

    #[test]
    fn nothing_is_followed_when_the_writer_thread_has_ended() {
        let (_dir, root, engine) = engine();
        engine.end();
        let follower = Follower::default();
        assert_eq!(listed(&engine, &root, &follower, &mut None), None);
        assert_eq!(fetched(&engine, &root, &follower, true), None);
        follow(&Arc::downgrade(&engine), &root, &follower, false);
        assert!(follower.signal.is_ended());
    }

    #[test]
    fn a_request_waits_for_the_lock_of_its_repository() {
        let (dir, _, of_folder) = engine();
        of_folder.end();
        let root = PathBuf::from("file:///nowhere/to/be/found.git");
        let index = dir.path().join("library");
        let mut library = Index::open(&index, OpenOptions::create()).unwrap();
        library.add(Collection::new("brain", &root)).unwrap();
        let engine = library_engine(&index);
        let Origin::Git(origin) = Origin::of(&root) else {
            panic!("`{}` is no repository", root.display());
        };
        let held = crate::remote::locked(&origin.clone_in(&index).with_extension("lock"));
        let held = held.unwrap();

        let follower = Follower::default();
        let asked = SyncRequest {
            retry: true,
            accept_removals: true,
        };
        follower.requests().add(asked);
        follower.requests().made = 1;
        let ended = || {
            engine.writer_state.state.borrow().sources[&root]
                .end
                .clone()
        };
        for _ in 0..2 {
            let looked = fetched(&engine, &root, &follower, true);
            assert_eq!(looked, Some((LOCK_RETRY, false)));
            assert!(follower.has_unserved(1));
            assert_eq!(follower.requests().next, asked);
            assert!(matches!(ended(), CheckEnd::Waiting));
        }

        drop(held);
        let (_, is_done) = fetched(&engine, &root, &follower, true).unwrap();
        assert!(is_done);
        assert!(!follower.has_unserved(1));
        assert_eq!(follower.requests().next, SyncRequest::default());
        assert!(matches!(ended(), CheckEnd::Failed(_)));
        engine.end();
    }

    #[test]
    fn what_a_sync_was_asked_for_does_not_apply_to_a_later_one() {
        let follower = Follower::default();
        let asked = SyncRequest {
            accept_removals: true,
            ..SyncRequest::default()
        };
        follower.requests().add(asked);
        assert_eq!(follower.take().0, asked);
        assert_eq!(follower.take().0, SyncRequest::default());
        follower.put_back(asked);
        assert_eq!(follower.take().0, asked);
    }
}
