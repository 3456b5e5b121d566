//! What ignore files say of a path: the [`Ignores`] of a folder and of all folders around it.
//!
//! The `ignore` crate reads and matches the files. Its own walk does not tell what it leaves out, which we promise to list, and its matcher for single
//! paths looks for four files in each folder: on 2,700 folders half the time of listing them. Whoever lists a folder knows which of them are there.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::git::Repository;

/// The ignore files of a folder, those that have a say before others first.
const FILES: [&str; 2] = [".ignore", ".gitignore"];

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
    /// Those of the user.
    global: Arc<Gitignore>,
}

/// A folder with ignore files, and the next one around it.
#[derive(Debug)]
struct Folder {
    around: Option<Arc<Folder>>,
    /// What [`FILES`] and [`EXCLUDES`] say, in this order.
    said: [Gitignore; FILES.len() + 1],
}

impl Ignores {
    /// What holds for every folder: the excludes of the user.
    pub(super) fn of_user() -> Self {
        let (global, _) = GitignoreBuilder::new("").build_global();
        Ignores {
            innermost: None,
            global: Arc::new(global),
        }
    }

    /// Those inside `folder`, a path relative to `root`, which is one with children that `holds` knows by name.
    pub(super) fn within(
        &self,
        root: &Path,
        folder: &str,
        holds: impl Fn(&str) -> bool,
    ) -> Ignores {
        let path = root.join(folder);
        let read = |file: &Path| {
            let mut builder = GitignoreBuilder::new(folder);
            // A line that cannot be understood does not count, and the others do, as with git.
            let _ = builder.add(file);
            builder.build().unwrap_or_else(|_| Gitignore::empty())
        };
        let [ignore, gitignore] = FILES.map(|name| match holds(name) {
            true => read(&path.join(name)),
            false => Gitignore::empty(),
        });
        let repository = holds(".git").then(|| Repository::of(&path)).flatten();
        let excludes = repository.map(|repository| read(&repository.common.join(EXCLUDES)));
        let said = [ignore, gitignore, excludes.unwrap_or_else(Gitignore::empty)];
        let mut inside = self.clone();
        if !said.iter().all(Gitignore::is_empty) {
            let around = inside.innermost.take();
            inside.innermost = Some(Arc::new(Folder { around, said }));
        }
        inside
    }

    /// What they say of `path`, which is relative to the root and lies in the folder: the innermost of each kind, the kinds in their order.
    pub(super) fn say(&self, path: &str, is_folder: bool) -> Match<()> {
        for kind in 0..=FILES.len() {
            let mut next = self.innermost.as_deref();
            while let Some(folder) = next {
                let said = folder.said[kind].matched(path, is_folder);
                if !said.is_none() {
                    return said.map(|_| ());
                }
                next = folder.around.as_deref();
            }
        }
        self.global.matched(path, is_folder).map(|_| ())
    }
}
