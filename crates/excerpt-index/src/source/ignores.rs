//! Applies ignore files to paths: the [`Ignores`] of a folder and of all folders around it.
//!
//! The `ignore` crate parses and matches the lines of the files. The files are read here, because
//! the crate would follow links and wait for pipes. Its own walk does not report what it skips,
//! which we list, and its matcher for single paths looks for four files in each folder: with 2,700
//! folders, half the time of listing them. A listing already shows which of them exist.

use std::ffi::OsStr;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use excerpt_chunk::without_byte_order_mark;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder, Glob};

use crate::fs::git::{CONFIG, GIT, Repository};
use crate::fs::open::{OpenFolder, Refused};
use crate::model::Skip;

/// The ignore files of a folder, in order of precedence.
const FILES: [&str; 2] = [".ignore", ".gitignore"];

/// The maximum number of patterns in one ignore file. A compiled pattern takes about 0.5 kB,
/// however short it is, and the longest of the common templates has a few hundred.
pub(super) const MOST_PATTERNS: usize = 10_000;

/// The maximum number of patterns in all ignore files of a listing, which are in memory at the same
/// time.
pub(super) const MOST_PATTERNS_IN_ALL: usize = 200_000;

/// The file with the excludes of a repository.
const EXCLUDES: &str = "info/exclude";

/// Whether a file of this name is an ignore file.
pub(super) fn is_ignore_file(name: &OsStr) -> bool {
    FILES.iter().any(|file| name == *file)
}

/// The ignore files of a folder and of those around it.
#[derive(Clone, Debug)]
pub(super) struct Ignores {
    innermost: Option<Arc<Folder>>,
    /// Those of the user. `None` if no ignore file applies.
    global: Option<Arc<Gitignore>>,
    /// The number of patterns for all folders.
    patterns: Arc<PatternCount>,
}

/// How many patterns of ignore files are in use.
#[derive(Debug, Default)]
struct PatternCount {
    held: AtomicUsize,
    /// Whether there ever were more than [`MOST_PATTERNS_IN_ALL`].
    was_exceeded: AtomicBool,
}

/// The patterns of an ignore file, which count as long as they are held.
#[derive(Debug, Default)]
struct Patterns {
    said: Option<Gitignore>,
    count: usize,
    all: Arc<PatternCount>,
}

impl Patterns {
    /// The patterns of the file with this `text` in `folder`. None if there are too many in `all`.
    fn parsed(folder: &str, text: &str, all: &Arc<PatternCount>) -> Result<Self, Refused> {
        let text = without_byte_order_mark(text);
        let is_pattern = |line: &&str| !line.trim_start().is_empty() && !line.starts_with('#');
        let count = text.lines().filter(is_pattern).count();
        if count > MOST_PATTERNS {
            return Err(Refused::Patterns(MOST_PATTERNS));
        }
        let before = all.held.fetch_add(count, Ordering::Relaxed);
        let mut patterns = Patterns {
            said: None,
            count,
            all: Arc::clone(all),
        };
        if before + count > MOST_PATTERNS_IN_ALL {
            all.was_exceeded.store(true, Ordering::Relaxed);
            return Ok(patterns);
        }
        let mut builder = GitignoreBuilder::new(folder);
        for line in text.lines() {
            // An invalid line is ignored and the others apply, as in git.
            let _ = builder.add_line(None, line);
        }
        // Each line compiles by itself, but all of them together may exceed the limit of the crate.
        let built = builder.build();
        patterns.said = Some(built.map_err(|_| Refused::Patterns(MOST_PATTERNS))?);
        Ok(patterns)
    }

    fn are_none(&self) -> bool {
        self.said.as_ref().is_none_or(Gitignore::is_empty)
    }
}

impl Drop for Patterns {
    fn drop(&mut self) {
        self.all.held.fetch_sub(self.count, Ordering::Relaxed);
    }
}

/// Where the ignore files of a folder are read from.
pub(super) enum IgnoreFiles<'a> {
    /// A folder on this disk, which may be that of a repository.
    Folder(&'a OpenFolder),
    /// The text of a file by its name.
    Tree(&'a dyn Fn(&str) -> Result<String, Refused>),
}

impl IgnoreFiles<'_> {
    fn text(&self, name: &str) -> Result<String, Refused> {
        match self {
            IgnoreFiles::Folder(folder) => folder.configuration(name),
            IgnoreFiles::Tree(read) => read(name),
        }
    }
}

/// A folder with ignore files, and the next one around it.
#[derive(Debug)]
struct Folder {
    around: Option<Arc<Folder>>,
    /// Those of [`FILES`] and [`EXCLUDES`], in this order.
    patterns: [Patterns; FILES.len() + 1],
}

/// A line of an ignore file.
pub(super) struct IgnoreRule<'i> {
    glob: &'i Glob,
    /// Which of [`FILES`], [`EXCLUDES`] and the file of the user it is in.
    kind: usize,
    file: &'i Gitignore,
}

impl fmt::Display for IgnoreRule<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` in ", self.glob.original())?;
        let name = match self.kind {
            kind if kind < FILES.len() => FILES[kind],
            kind if kind == FILES.len() => ".git/info/exclude",
            _ => return f.write_str("your own git excludes"),
        };
        write!(f, "`{}`", self.file.path().join(name).display())
    }
}

impl Ignores {
    /// The patterns for every folder: the excludes of the user.
    pub(super) fn of_user() -> Self {
        let (global, _) = GitignoreBuilder::new("").build_global();
        Ignores {
            innermost: None,
            global: Some(Arc::new(global)),
            patterns: Arc::default(),
        }
    }

    /// No patterns for every folder, only ignore files.
    pub(super) fn of_tree() -> Self {
        Ignores {
            innermost: None,
            global: Some(Arc::new(Gitignore::empty())),
            patterns: Arc::default(),
        }
    }

    /// Ignore files that do not apply.
    pub(super) fn none() -> Self {
        Ignores {
            innermost: None,
            global: None,
            patterns: Arc::default(),
        }
    }

    /// Whether there were more patterns than [`MOST_PATTERNS_IN_ALL`]: the others were ignored, so
    /// the listing is not valid.
    pub(super) fn are_too_many(&self) -> bool {
        self.patterns.was_exceeded.load(Ordering::Relaxed)
    }

    /// The ignore files for the folder at `path`, which is relative to the root, has the ignore
    /// files `files`, and whose children `holds` knows by name. Also returns ignore files that were
    /// not read: links, other kinds of nodes, and files that are too large.
    pub(super) fn within(
        &self,
        files: &IgnoreFiles<'_>,
        path: &str,
        holds: impl Fn(&str) -> bool,
    ) -> (Ignores, Vec<Skip>) {
        let mut skips = Vec::new();
        if self.global.is_none() {
            return (self.clone(), skips);
        }
        let mut refuse = |name: &str, file: &str, refused: Refused| {
            let at = match path {
                "" => name.to_string(),
                path => format!("{path}/{name}"),
            };
            skips.extend(refused.skip(at).map(|skip| match (file, &skip.detail) {
                ("", _) => skip,
                (file, None) => skip.clone().with_detail(format!("`{file}`")),
                (file, Some(detail)) => skip.clone().with_detail(format!("`{file}`: {detail}")),
            }));
        };
        let parsed = |text: String| Patterns::parsed(path, &text, &self.patterns);
        let [ignore, gitignore] = FILES.map(|name| match holds(name) {
            true => files.text(name).and_then(parsed).unwrap_or_else(|refused| {
                refuse(name, "", refused);
                Patterns::default()
            }),
            false => Patterns::default(),
        });
        let mut excludes = Patterns::default();
        if let IgnoreFiles::Folder(folder) = files
            && holds(GIT)
        {
            match Repository::of(folder) {
                Ok(None) => {}
                Ok(Some(repository)) => {
                    let text = repository.folder.configuration(EXCLUDES);
                    match text.and_then(parsed) {
                        Ok(parsed) => excludes = parsed,
                        Err(refused) => refuse(GIT, EXCLUDES, refused),
                    }
                    if let Err(refused) = repository.folder.configuration(CONFIG) {
                        refuse(GIT, CONFIG, refused);
                    }
                }
                Err((file, refused)) => refuse(GIT, file, refused),
            }
        }
        let patterns = [ignore, gitignore, excludes];
        let mut inside = self.clone();
        if !patterns.iter().all(Patterns::are_none) {
            let around = inside.innermost.take();
            inside.innermost = Some(Arc::new(Folder { around, patterns }));
        }
        (inside, skips)
    }

    /// The match for `path`, which is relative to the root and in the folder: the innermost of each
    /// kind, with the kinds in their order.
    pub(super) fn say(&self, path: &str, is_folder: bool) -> Match<IgnoreRule<'_>> {
        for kind in 0..=FILES.len() {
            let mut next = self.innermost.as_deref();
            while let Some(folder) = next {
                if let Some(file) = &folder.patterns[kind].said {
                    let said = file.matched(path, is_folder);
                    if !said.is_none() {
                        return said.map(|glob| IgnoreRule { glob, kind, file });
                    }
                }
                next = folder.around.as_deref();
            }
        }
        let Some(file) = &self.global else {
            return Match::None;
        };
        let kind = FILES.len() + 1;
        let said = file.matched(path, is_folder);
        said.map(|glob| IgnoreRule { glob, kind, file })
    }
}
