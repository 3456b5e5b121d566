//! Detects that the files of a source may have changed: [`Watched`] receives events from the
//! operating system and notifies a [`ChangeSignal`].
//!
//! An event means that it is time for a new listing, which finds the changes. So it does not matter
//! what exactly an event says, or in what order they come. Where a watch covers a single folder,
//! each folder is watched before it is listed, so anything added later causes an event. There, a
//! listing reads only the folders that events have named, and all of them every [minute](LOOK),
//! since some changes cause no event.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use notify::event::{AccessKind, AccessMode, ModifyKind};
use notify::{
    ErrorKind, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher, WatcherKind,
};

use super::files::{Files, Visitor};
use super::found::KnownFolder;
use super::ignores::is_ignore_file;
use super::rules::{PathKind, is_mark};
use super::signal::ChangeSignal;
use super::{Entries, Entry, Reading, Source};
use crate::fs::open::OpenFolder;
use crate::model::{Error, Result, SourceId};

/// How often to list all folders even if no event came. On another machine, and through another
/// name of a file, changes cause none.
const LOOK: Duration = Duration::from_secs(60);

/// How often to list where the system sends no events for some changes.
const POLL: Duration = Duration::from_secs(2);

/// A pause of at least `shortest` before something is done again that took this long: it is done
/// for a twentieth of the time at most.
#[must_use]
pub fn pause_after(took: Duration, shortest: Duration) -> Duration {
    shortest.max(took * 20)
}

/// Files on this disk, and a watch on them that begins with the first listing.
pub struct Watched {
    files: Files,
    known: Arc<Known>,
    /// `None` when the system sends no events at all.
    watcher: Option<Mutex<RecommendedWatcher>>,
    /// Why some changes cause no event.
    deafness: Mutex<Option<String>>,
    /// The file system that the root is on.
    device: Mutex<Option<u64>>,
    /// When all folders were listed last.
    complete: Mutex<Option<Instant>>,
    /// How long the last listing took.
    took: Mutex<Duration>,
}

impl Watched {
    /// Watches `files` from the first listing on, and notifies `signal` when they may have changed.
    #[must_use]
    pub fn new(files: Files, signal: Arc<ChangeSignal>) -> Self {
        let known = Arc::new(Known {
            root: files.path().to_path_buf(),
            folders: Mutex::default(),
            has_lost_events: AtomicBool::new(false),
            signal,
        });
        let (watcher, deafness) = match known.watcher() {
            Ok(watcher) => (Some(Mutex::new(watcher)), None),
            Err(error) => (None, Some(reason(&error))),
        };
        Watched {
            device: Mutex::new(device(files.path())),
            files,
            known,
            watcher,
            deafness: Mutex::new(deafness),
            complete: Mutex::default(),
            took: Mutex::default(),
        }
    }

    /// Has the next listing read all folders, also those that no event has named.
    pub fn distrust(&self) {
        *locked(&self.complete) = None;
    }

    /// Decides for a new listing whether it reads all folders.
    fn begin_listing(&self) {
        // What a watcher knows of its folders may be wrong once it has lost events.
        if self.known.has_lost_events.swap(false, Ordering::Relaxed)
            && let (Some(watcher), Ok(new)) = (&self.watcher, self.known.watcher())
        {
            let old = std::mem::replace(&mut *locked(watcher), new);
            drop(old);
            self.known.forget("");
        }
        let mut complete = locked(&self.complete);
        let is_trusted = complete.is_some_and(|last| last.elapsed() < LOOK);
        if !(is_trusted && names_folders()) {
            *complete = Some(Instant::now());
            self.known.distrust();
        }
    }

    /// Why some changes cause no event; `None` while all do.
    pub fn deafness(&self) -> Option<String> {
        locked(&self.deafness).clone()
    }

    /// How long to wait for an event before the next listing.
    pub fn patience(&self) -> Duration {
        let shortest = match self.deafness() {
            Some(_) => POLL,
            None => LOOK,
        };
        pause_after(*locked(&self.took), shortest)
    }

    /// Watches a folder of the source.
    fn watch(&self, folder: &str) {
        let path = self.known.root.join(folder);
        let mode = match is_recursive() {
            true if !folder.is_empty() => return,
            true => RecursiveMode::Recursive,
            false => RecursiveMode::NonRecursive,
        };
        if !self.begin(&path, mode) {
            self.known.forget(folder);
        }
    }

    /// Starts a watch on `path` and returns whether that worked.
    fn begin(&self, path: &Path, mode: RecursiveMode) -> bool {
        let Some(watcher) = &self.watcher else {
            return false;
        };
        let Err(error) = locked(watcher).watch(path, mode) else {
            return true;
        };
        // The listing reports what is gone or cannot be read.
        let is_told = match &error.kind {
            ErrorKind::PathNotFound => true,
            ErrorKind::Io(_) => fs::read_dir(path).is_err(),
            _ => false,
        };
        if !is_told {
            *locked(&self.deafness) = Some(reason(&error));
        }
        false
    }

    /// Checks that the root is still the same. An empty folder on another file system is an
    /// unmounted mount point, and must not be taken for an emptied folder.
    fn check_mount(&self) -> Result<()> {
        let found = device(self.files.path());
        let mut device = locked(&self.device);
        let is_empty =
            || fs::read_dir(self.files.path()).is_ok_and(|mut files| files.next().is_none());
        if *device != found && found.is_some() && is_empty() {
            return Err(Error::Source {
                path: self.files.path().to_path_buf(),
                source: std::io::Error::other("what was mounted there is gone"),
            });
        }
        *device = found.or(*device);
        Ok(())
    }
}

impl Source for Watched {
    fn id(&self) -> &SourceId {
        self.files.id()
    }

    fn entries(&self) -> Result<Entries<'_>> {
        self.check_mount()?;
        self.begin_listing();
        if self.files.path().is_file() {
            // A file that an editor replaces is a new file, so the folder is watched instead.
            self.begin(self.files.base(), RecursiveMode::NonRecursive);
        }
        let begun = Instant::now();
        let entries = self.files.entries_for(self);
        *locked(&self.took) = begun.elapsed();
        if entries.is_err() {
            self.known.forget("");
        }
        entries
    }

    fn read(&self, entry: &Entry) -> Reading {
        self.files.read(entry)
    }
}

impl Visitor for Watched {
    fn enter(&self, folder: &str) -> Option<KnownFolder> {
        let found = locked(&self.known.folders).get_mut(folder).map(|known| {
            match (&known.state, known.is_current) {
                (FolderState::Listed(listed), true) => Some(listed.clone()),
                _ => {
                    // From here on, events are about what is listed now, by rules not known yet.
                    known.is_current = true;
                    known.state = FolderState::Entered;
                    None
                }
            }
        });
        // The lock is not held while a watch is started: the thread that delivers events may be
        // waiting for it.
        found.unwrap_or_else(|| {
            let new = WatchedFolder {
                state: FolderState::Entered,
                is_current: true,
                identity: None,
            };
            locked(&self.known.folders).insert(folder.to_string(), new);
            self.watch(folder);
            None
        })
    }

    fn leave(&self, folder: &str, opened: &OpenFolder, listed: Option<&KnownFolder>) {
        let identity = opened.look_at_itself().ok().and_then(|look| look.identity);
        // A folder that has come or gone since is no longer known, and stays so: the next listing
        // watches it again.
        let mut folders = locked(&self.known.folders);
        let Some(known) = folders.get_mut(folder) else {
            return;
        };
        // Nothing tells that something is mounted there, or that a folder above the root is
        // another one: what is watched is not what was listed.
        if known.identity.is_some() && known.identity != identity {
            drop(folders);
            self.known.forget(folder);
            self.known.signal.notify();
            return;
        }
        known.identity = identity;
        known.state = match listed {
            Some(listed) => FolderState::Listed(listed.clone()),
            None => FolderState::Marked,
        };
    }
}

/// The state of the watched folders.
struct Known {
    root: PathBuf,
    folders: Mutex<BTreeMap<String, WatchedFolder>>,
    has_lost_events: AtomicBool,
    signal: Arc<ChangeSignal>,
}

/// A watched folder.
struct WatchedFolder {
    state: FolderState,
    /// Whether no event has named it, or something in it, since its last listing began.
    is_current: bool,
    /// [`Look::identity`](crate::fs::open::Look::identity), once it was listed.
    identity: Option<(u64, u64)>,
}

enum FolderState {
    /// It is being listed for the first time.
    Entered,
    /// It was listed.
    Listed(KnownFolder),
    /// It is excluded because of its contents.
    Marked,
}

impl Known {
    /// A watcher whose events are handled here.
    fn watcher(self: &Arc<Self>) -> notify::Result<RecommendedWatcher> {
        let known = Arc::clone(self);
        notify::recommended_watcher(move |event| known.hear(event))
    }

    /// Handles an event.
    fn hear(&self, event: notify::Result<Event>) {
        let event = match event {
            Ok(event) if !event.need_rescan() => event,
            // Events were lost, perhaps those of folders that were added or removed.
            _ => {
                self.has_lost_events.store(true, Ordering::Relaxed);
                self.forget("");
                return self.signal.notify();
            }
        };
        let is_move = match event.kind {
            EventKind::Access(AccessKind::Close(AccessMode::Write)) => false,
            EventKind::Access(_) => return,
            EventKind::Modify(ModifyKind::Data(_) | ModifyKind::Metadata(_)) => false,
            _ => true,
        };
        let mut counts = false;
        for path in &event.paths {
            counts |= self.counts(path, is_move);
            if let Some(path) = self.relative(path) {
                if is_move {
                    self.forget(&path);
                }
                self.changed(&path);
            } else if let Some(folder) = path.parent().and_then(|path| self.relative(path)) {
                // A name that is not UTF-8.
                self.changed_in(&folder);
            }
        }
        if counts {
            self.signal.notify();
        }
    }

    /// Forgets a folder with everything in it: the folder there now may be a different one.
    fn forget(&self, folder: &str) {
        let mut folders = locked(&self.folders);
        if folder.is_empty() {
            folders.clear();
        } else if folders.remove(folder).is_some() {
            folders
                .extract_if(inside(folder), |_, _| true)
                .for_each(drop);
        }
    }

    /// Notes that what is at `path` may be different.
    fn changed(&self, path: &str) {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let mut folders = locked(&self.folders);
        if has_a_say(OsStr::new(name)) {
            let forget_rules = |known: &mut WatchedFolder| {
                known.state = FolderState::Entered;
                known.is_current = false;
            };
            if let Some(known) = folders.get_mut(folder) {
                forget_rules(known);
            }
            let below = folders.range_mut(inside(folder));
            below.for_each(|(_, known)| forget_rules(known));
        }
        drop(folders);
        self.changed_in(folder);
        self.changed_in(path);
    }

    /// Notes that a folder may contain something else.
    fn changed_in(&self, folder: &str) {
        if let Some(known) = locked(&self.folders).get_mut(folder) {
            known.is_current = false;
        }
    }

    /// Takes nothing to be unchanged.
    fn distrust(&self) {
        for known in locked(&self.folders).values_mut() {
            known.is_current = false;
        }
    }

    fn relative(&self, path: &Path) -> Option<String> {
        let relative = path.strip_prefix(&self.root).ok()?.to_str()?;
        Some(relative.replace(std::path::MAIN_SEPARATOR, "/"))
    }

    /// Whether an event at `path` may change a listing; `is_move` when something was added or
    /// removed there.
    fn counts(&self, path: &Path, is_move: bool) -> bool {
        // Besides the root, only the parent folder of a single file is watched.
        let Some(relative) = self.relative(path) else {
            return path.starts_with(&self.root);
        };
        let name = path.file_name().unwrap_or_default();
        let folders = locked(&self.folders);
        let mut child = &*relative;
        // From the innermost known folder on, the rules decide whether a folder is listed.
        while !child.is_empty() {
            let folder = child.rfind('/').map_or("", |end| &child[..end]);
            let listed = match folders.get(folder).map(|known| &known.state) {
                None => {
                    child = folder;
                    continue;
                }
                Some(FolderState::Entered) => return true,
                Some(FolderState::Marked) => return is_move && child == relative && is_mark(name),
                Some(FolderState::Listed(listed)) => listed,
            };
            let (rules, contents) = (&listed.rules, &listed.contents);
            let is_left_out = |node| rules.skip(child, node).is_some();
            if child != relative {
                return !is_left_out(PathKind::Folder);
            }
            let has_a_say = has_a_say(name) && (is_move || is_ignore_file(name));
            let nodes = match fs::symlink_metadata(path) {
                Ok(metadata) if metadata.is_dir() => &[PathKind::Folder][..],
                Ok(_) => &[PathKind::File],
                Err(_) => &[PathKind::File, PathKind::Folder],
            };
            // What was listed counts also if something is there now that is left out.
            let was_listed = || is_move && contents.names(child);
            return has_a_say || was_listed() || !nodes.iter().all(|node| is_left_out(*node));
        }
        true
    }
}

/// The paths of what is in a folder, in the order of bytes.
fn inside(folder: &str) -> (Bound<String>, Bound<String>) {
    const AFTER_SLASH: char = '0';
    match folder {
        "" => (Bound::Excluded(String::new()), Bound::Unbounded),
        _ => (
            Bound::Excluded(format!("{folder}/")),
            Bound::Excluded(format!("{folder}{AFTER_SLASH}")),
        ),
    }
}

/// Whether a file of this name has a say in what is excluded.
fn has_a_say(name: &OsStr) -> bool {
    is_ignore_file(name) || is_mark(name) || name == ".git"
}

/// Whether each event names the folder that it happened in: that is known of this system.
fn names_folders() -> bool {
    matches!(RecommendedWatcher::kind(), WatcherKind::Inotify)
}

/// Whether a watch on a folder covers everything under it.
fn is_recursive() -> bool {
    !matches!(
        RecommendedWatcher::kind(),
        WatcherKind::Inotify | WatcherKind::Kqueue
    )
}

/// The file system that a path is on, where it can be determined.
#[cfg(unix)]
fn device(path: &Path) -> Option<u64> {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(path).ok().map(|metadata| metadata.dev())
}

/// On other systems, an unmounted path cannot be reached.
#[cfg(not(unix))]
fn device(_: &Path) -> Option<u64> {
    None
}

fn reason(error: &notify::Error) -> String {
    match &error.kind {
        ErrorKind::MaxFilesWatch => "the system limit on watched folders is reached".to_string(),
        ErrorKind::Io(error) => crate::model::plain(error),
        _ => error.to_string(),
    }
}

/// Locks a mutex even if a thread panicked while holding it: the data is consistent at any moment.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use notify::event::{CreateKind, DataChange, Flag, RemoveKind};

    use super::*;
    use crate::source::Wakeup;

    const DEADLINE: Duration = Duration::from_secs(120);

    /// Watched files, after one listing, and the signal.
    fn watched(files: &[&str]) -> (tempfile::TempDir, Watched, Arc<ChangeSignal>) {
        let dir = tempfile::tempdir().unwrap();
        for path in files {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        fs::write(dir.path().join(".gitignore"), "build/\n*.log\n").unwrap();
        let signal = Arc::new(ChangeSignal::default());
        let files = Files::new(dir.path(), 100).unwrap();
        let watched = Watched::new(files, Arc::clone(&signal));
        watched.list().unwrap();
        (dir, watched, signal)
    }

    #[test]
    fn only_what_the_rules_let_in_counts() {
        let (_dir, watched, _) = watched(&[
            "src/main.rs",
            "build/out.rs",
            "target/CACHEDIR.TAG",
            "target/debug/a.rs",
            ".git/HEAD",
        ]);
        let known = &watched.known;
        let counts = |path: &str| known.counts(&known.root.join(path), false);
        for path in [
            "",
            "src/main.rs",
            "src/new.rs",
            "new/folder/a.rs",
            ".gitignore",
            "src/.ignore",
        ] {
            assert!(counts(path), "{path}");
        }
        for path in [
            "a.log",
            "src/a.log",
            "build",
            "build/out.rs",
            "build/deep/out.rs",
            "target/a.rs",
            "target/debug/a.rs",
            "src/.main.rs.swp",
            ".git/index",
            ".env",
            "node_modules/a/b.js",
        ] {
            assert!(!counts(path), "{path}");
        }
        // A mark that excludes its folder matters when it is added or removed.
        for path in ["src/CACHEDIR.TAG", "target/CACHEDIR.TAG", "src/.git"] {
            assert!(known.counts(&known.root.join(path), true), "{path}");
        }
        assert!(!counts("target/CACHEDIR.TAG"));
    }

    #[test]
    fn a_read_is_no_change_and_lost_events_are() {
        let (_dir, watched, signal) = watched(&["a/b.md"]);
        let known = &watched.known;
        let path = known.root.join("a/b.md");
        let hear = |kind| known.hear(Ok(Event::new(kind).add_path(path.clone())));
        hear(EventKind::Access(AccessKind::Open(AccessMode::Any)));
        hear(EventKind::Access(AccessKind::Close(AccessMode::Read)));
        assert_eq!(signal.wait(Duration::ZERO), Wakeup::Late);
        hear(EventKind::Modify(ModifyKind::Data(DataChange::Any)));
        assert_eq!(signal.wait(DEADLINE), Wakeup::Changed);
        known.hear(Ok(Event::new(EventKind::Other).set_flag(Flag::Rescan)));
        assert_eq!(signal.wait(DEADLINE), Wakeup::Changed);
        assert!(locked(&known.folders).is_empty());
    }

    /// Ends the listing of a folder.
    fn leave(watched: &Watched, folder: &str) {
        let opened = OpenFolder::open_itself(&watched.files.path().join(folder)).unwrap();
        watched.leave(folder, &opened, None);
    }

    #[test]
    fn a_folder_that_came_or_went_is_forgotten_with_all_in_it() {
        let (_dir, watched, _) = watched(&["a/b/c.md", "ab/d.md"]);
        let known = &watched.known;
        let remove = |path: &str, kind| {
            known.hear(Ok(Event::new(kind).add_path(known.root.join(path))));
            let mut folders: Vec<String> = locked(&known.folders).keys().cloned().collect();
            folders.sort();
            folders
        };
        let gone = EventKind::Remove(RemoveKind::Folder);
        assert_eq!(remove("a", gone), ["", "ab"]);
        watched.list().unwrap();
        let come = EventKind::Create(CreateKind::Folder);
        assert_eq!(remove("a/b", come), ["", "a", "ab"]);
        // It was forgotten while it was listed: it stays so.
        leave(&watched, "a/b");
        assert!(!locked(&known.folders).contains_key("a/b"));
    }

    /// Watched files whose events are only those that a test makes up.
    fn unheard(files: &[&str]) -> (tempfile::TempDir, Watched) {
        let (dir, _, signal) = watched(files);
        let watcher = notify::recommended_watcher(|_| ()).unwrap();
        let unheard = Watched {
            watcher: Some(Mutex::new(watcher)),
            ..Watched::new(Files::new(dir.path(), 100).unwrap(), signal)
        };
        unheard.list().unwrap();
        (dir, unheard)
    }

    fn listed(watched: &Watched) -> Vec<String> {
        let entries = watched.list().unwrap().entries.into_iter();
        entries.map(|entry| entry.path).collect()
    }

    #[test]
    fn only_folders_with_an_event_are_listed_again() {
        if !names_folders() {
            return;
        }
        let (dir, watched) = unheard(&["a/1.md", "b/c/1.md"]);
        let known = &watched.known;
        let write = |path: &str, text: &str| fs::write(dir.path().join(path), text).unwrap();
        let hear = |path: &str, kind| {
            known.hear(Ok(Event::new(kind).add_path(known.root.join(path))));
        };
        for path in ["a/2.md", "b/c/2.md", "3.md"] {
            write(path, "");
        }
        assert_eq!(listed(&watched), ["a/1.md", "b/c/1.md"]);
        hear("a/2.md", EventKind::Create(CreateKind::File));
        assert_eq!(listed(&watched), ["a/1.md", "a/2.md", "b/c/1.md"]);
        hear("3.md", EventKind::Modify(ModifyKind::Any));
        assert_eq!(listed(&watched), ["3.md", "a/1.md", "a/2.md", "b/c/1.md"]);
        // An ignore file has a say in all that is below it.
        write("b/.gitignore", "1.md\n");
        hear("b/.gitignore", EventKind::Modify(ModifyKind::Any));
        assert_eq!(listed(&watched), ["3.md", "a/1.md", "a/2.md", "b/c/2.md"]);
        fs::remove_dir_all(dir.path().join("b")).unwrap();
        hear("b", EventKind::Remove(RemoveKind::Folder));
        assert_eq!(listed(&watched), ["3.md", "a/1.md", "a/2.md"]);
        // What is asked for, and what the time has come for, is everything.
        write("a/4.md", "");
        watched.distrust();
        assert_eq!(listed(&watched), ["3.md", "a/1.md", "a/2.md", "a/4.md"]);
        write("a/5.md", "");
        if let Some(long_ago) = Instant::now().checked_sub(LOOK) {
            *locked(&watched.complete) = Some(long_ago);
            assert!(listed(&watched).contains(&"a/5.md".to_string()));
        }
    }

    #[test]
    fn an_event_during_a_listing_is_for_the_next_one() {
        if !names_folders() {
            return;
        }
        let (_dir, watched) = unheard(&["a/1.md"]);
        let known = &watched.known;
        let kept = |folder| watched.enter(folder).is_some();
        known.changed("a/1.md");
        assert!(!kept("a"));
        known.changed("a/2.md");
        leave(&watched, "a");
        assert!(!locked(&known.folders)["a"].is_current);
        assert_eq!(listed(&watched), ["a/1.md"]);
        assert!(kept("a") && kept(""));
    }

    #[test]
    fn what_was_listed_counts_whatever_is_there_now() {
        let (dir, watched) = unheard(&["a.md", "x/d.md"]);
        fs::write(dir.path().join(".gitignore"), "a.md/\n*.log\n").unwrap();
        watched.distrust();
        watched.list().unwrap();
        let known = &watched.known;
        let counts = |path: &str, is_move| known.counts(&known.root.join(path), is_move);
        fs::remove_file(dir.path().join("a.md")).unwrap();
        fs::create_dir(dir.path().join("a.md")).unwrap();
        assert!(counts("a.md", true) && !counts("a.md", false));
        // Until its new rules are known, everything in a folder counts.
        assert!(!counts("x/e.log", true));
        known.changed("x/d.md");
        assert!(!counts("x/e.log", true));
        watched.enter("x");
        assert!(counts("x/e.log", true));
        watched.list().unwrap();
        assert!(!counts("x/e.log", true));
        known.changed("x/.gitignore");
        assert!(counts("x/e.log", true) && !counts("e.log", true));
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_was_replaced_without_an_event_is_watched_again() {
        let (dir, watched) = unheard(&["a/b/1.md", "c/2.md"]);
        let path = |name: &str| dir.path().join(name);
        fs::rename(path("a"), path("c/a")).unwrap();
        fs::create_dir(path("a")).unwrap();
        fs::write(path("a/3.md"), "").unwrap();
        watched.distrust();
        let known = &watched.known;
        let is_known = |folder: &str| locked(&known.folders).contains_key(folder);
        assert_eq!(listed(&watched), ["a/3.md", "c/2.md", "c/a/b/1.md"]);
        assert!(!is_known("a") && is_known("c/a/b"));
        assert_eq!(known.signal.wait(DEADLINE), Wakeup::Changed);
        assert_eq!(listed(&watched), ["a/3.md", "c/2.md", "c/a/b/1.md"]);
        assert!(is_known("a") && !is_known("a/b"));
    }

    #[cfg(unix)]
    #[test]
    fn a_name_that_is_no_text_is_a_change_of_its_folder() {
        use std::os::unix::ffi::OsStrExt;
        let (_dir, watched, signal) = watched(&["a/1.md"]);
        let known = &watched.known;
        let path = known.root.join("a").join(OsStr::from_bytes(b"\xff.md"));
        let event = Event::new(EventKind::Create(CreateKind::File)).add_path(path);
        known.hear(Ok(event));
        assert!(!locked(&known.folders)["a"].is_current);
        assert_eq!(signal.wait(DEADLINE), Wakeup::Changed);
    }

    #[test]
    fn everything_is_listed_once_a_minute_unless_that_takes_long() {
        let (_dir, watched, _) = watched(&["a.md"]);
        assert_eq!(watched.patience(), LOOK);
        *locked(&watched.took) = LOOK;
        assert_eq!(watched.patience(), LOOK * 20);
        *locked(&watched.deafness) = Some("none".into());
        *locked(&watched.took) = Duration::ZERO;
        assert_eq!(watched.patience(), POLL);
    }

    #[test]
    fn an_empty_folder_on_another_file_system_is_not_what_was_there() {
        let (dir, watched, _) = watched(&["a.md"]);
        if device(dir.path()).is_none() {
            return;
        }
        *locked(&watched.device) = Some(u64::MAX);
        // Not empty: its current contents count.
        assert_eq!(watched.list().unwrap().entries.len(), 1);
        *locked(&watched.device) = Some(u64::MAX);
        fs::remove_file(dir.path().join("a.md")).unwrap();
        fs::remove_file(dir.path().join(".gitignore")).unwrap();
        let error = watched.list().unwrap_err();
        assert!(error.to_string().contains("what was mounted there is gone"));
    }

    #[test]
    fn a_system_without_events_is_said_to_be_deaf() {
        let (dir, watched, signal) = watched(&["a.md"]);
        assert_eq!(watched.deafness(), None);
        let deaf = Watched {
            watcher: None,
            deafness: Mutex::new(Some("none".into())),
            ..Watched::new(Files::new(dir.path(), 100).unwrap(), signal)
        };
        assert_eq!(deaf.list().unwrap().entries.len(), 1);
        assert_eq!(deaf.deafness().as_deref(), Some("none"));
        assert!(locked(&deaf.known.folders).is_empty());
    }
}
