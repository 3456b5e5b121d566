//! What ignore files say of a path: the [`Ignores`] of a folder and of all folders around it.
//!
//! The `ignore` crate parses and matches the lines of the files, which are read here: it would follow links and wait for pipes. Its own walk does not tell what it leaves out, which we promise to list, and its matcher for single
//! paths looks for four files in each folder: on 2,700 folders half the time of listing them. Whoever lists a folder knows which of them are there.

use std::ffi::OsStr;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder, Glob};

use crate::git::{CONFIG, GIT, Repository};
use crate::model::Skip;
use crate::open::{OpenFolder, Refused};

/// The ignore files of a folder, those that have a say before others first.
const FILES: [&str; 2] = [".ignore", ".gitignore"];

/// The most patterns of one ignore file. A compiled pattern takes some 0.5 kB, however short it is, and the longest ignore file among the
/// templates that people start from has a few hundred.
pub(super) const MOST_PATTERNS: usize = 10_000;

/// The most patterns of all ignore files of a listing, which are held at once.
pub(super) const MOST_PATTERNS_IN_ALL: usize = 200_000;

/// Where a repository keeps excludes of its own.
const EXCLUDES: &str = "info/exclude";

/// Whether a file of this name has a say in what is left out.
pub(super) fn is_ignore_file(name: &OsStr) -> bool {
    FILES.iter().any(|file| name == *file)
}

/// The ignore files of a folder and of those around it.
#[derive(Clone, Debug)]
pub(super) struct Ignores {
    innermost: Option<Arc<Folder>>,
    /// Those of the user. `None` if no ignore file applies.
    global: Option<Arc<Gitignore>>,
    /// How many patterns were read for all folders.
    patterns: Arc<AtomicUsize>,
}

/// A folder with ignore files, and the next one around it.
#[derive(Debug)]
struct Folder {
    around: Option<Arc<Folder>>,
    /// What [`FILES`] and [`EXCLUDES`] say, in this order.
    said: [Gitignore; FILES.len() + 1],
}

/// A line of an ignore file.
pub(super) struct Rule<'i> {
    glob: &'i Glob,
    /// Which of [`FILES`], [`EXCLUDES`] and the file of the user it is in.
    kind: usize,
    file: &'i Gitignore,
}

impl fmt::Display for Rule<'_> {
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
    /// What holds for every folder: the excludes of the user.
    pub(super) fn of_user() -> Self {
        let (global, _) = GitignoreBuilder::new("").build_global();
        Ignores {
            innermost: None,
            global: Some(Arc::new(global)),
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

    /// Whether there were more patterns than [`MOST_PATTERNS_IN_ALL`]: those beyond do not count, so a listing by them is not to be trusted.
    pub(super) fn are_too_many(&self) -> bool {
        self.patterns.load(Ordering::Relaxed) > MOST_PATTERNS_IN_ALL
    }

    /// Those inside the folder at `path`, which is relative to the root and one with children that `holds` knows by name. With them what should have a
    /// say in it and was not read: a link, what is not a file, or a file that is too large.
    pub(super) fn within(
        &self,
        folder: &OpenFolder,
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
        let [ignore, gitignore] = FILES.map(|name| match holds(name) {
            true => {
                let text = folder.configuration(name);
                let parsed = text.and_then(|text| self.parsed(path, &text));
                parsed.unwrap_or_else(|refused| {
                    refuse(name, "", refused);
                    Gitignore::empty()
                })
            }
            false => Gitignore::empty(),
        });
        let mut excludes = Gitignore::empty();
        if holds(GIT) {
            match Repository::of(folder) {
                Ok(None) => {}
                Ok(Some(repository)) => {
                    let text = repository.folder.configuration(EXCLUDES);
                    match text.and_then(|text| self.parsed(path, &text)) {
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
        let said = [ignore, gitignore, excludes];
        let mut inside = self.clone();
        if !said.iter().all(Gitignore::is_empty) {
            let around = inside.innermost.take();
            inside.innermost = Some(Arc::new(Folder { around, said }));
        }
        (inside, skips)
    }

    /// What they say of `path`, which is relative to the root and lies in the folder: the innermost of each kind, the kinds in their order.
    pub(super) fn say(&self, path: &str, is_folder: bool) -> Match<Rule<'_>> {
        for kind in 0..=FILES.len() {
            let mut next = self.innermost.as_deref();
            while let Some(folder) = next {
                let file = &folder.said[kind];
                let said = file.matched(path, is_folder);
                if !said.is_none() {
                    return said.map(|glob| Rule { glob, kind, file });
                }
                next = folder.around.as_deref();
            }
        }
        let Some(file) = &self.global else {
            return Match::None;
        };
        let kind = FILES.len() + 1;
        let said = file.matched(path, is_folder);
        said.map(|glob| Rule { glob, kind, file })
    }

    /// What the lines of an ignore file in `folder` say.
    fn parsed(&self, folder: &str, text: &str) -> Result<Gitignore, Refused> {
        let text = text.trim_start_matches('\u{feff}');
        let is_pattern = |line: &&str| !line.trim_start().is_empty() && !line.starts_with('#');
        let count = text.lines().filter(is_pattern).count();
        if count > MOST_PATTERNS {
            return Err(Refused::Patterns(MOST_PATTERNS));
        }
        self.patterns.fetch_add(count, Ordering::Relaxed);
        if self.are_too_many() {
            return Ok(Gitignore::empty());
        }
        let mut builder = GitignoreBuilder::new(folder);
        for line in text.lines() {
            // A line that cannot be understood does not count, and the others do, as with git.
            let _ = builder.add_line(None, line);
        }
        // Each line compiles alone; all of them together may take more than the crate allows.
        builder
            .build()
            .map_err(|_| Refused::Patterns(MOST_PATTERNS))
    }
}
