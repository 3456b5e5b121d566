//! Which index serves a path: a [`Located`] names the index directory, the source root, and the
//! requested part of the source.
//!
//! The root is the git working tree that contains the path. Outside of git it is a parent folder
//! that is already indexed, or else the path itself. A path that the root's own rules exclude is
//! a root of its own: if you name a vendored folder, you want to search it.

use std::path::{Path, PathBuf};

use excerpt_chunk::Hash;

use crate::fs::git::Repository;
use crate::fs::open::OpenFolder;
use crate::model::{Error, Result};
use crate::source::{PathKind, Rules};
use crate::store::generation::exists;
use crate::store::noted_roots;

/// The index of a path, and the part of it that the path means.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Located {
    /// The index directory. It may not exist yet.
    pub index: PathBuf,
    /// The root of the source, for [`Index::sync`](crate::Index::sync) and filters.
    pub root: PathBuf,
    /// The path inside the source; `None` for all of it.
    pub path: Option<String>,
    /// What the working trees and clones of its repository share, where each has its own index: the
    /// address that it was cloned from, or its folder.
    pub repository: Option<String>,
}

impl Located {
    /// The whole index in `dir`, whatever its sources are.
    pub fn of_index(dir: impl Into<PathBuf>) -> Located {
        let index = dir.into();
        Located {
            root: index.clone(),
            index,
            path: None,
            repository: None,
        }
    }
}

/// Finds the index of `path` under the user's data folder `data`. An `index` directory named by the
/// user replaces the one found, and its sources are roots, too.
///
/// # Errors
///
/// When `path` does not exist or its absolute path is not UTF-8.
pub fn locate(path: &Path, data: &Path, index: Option<&Path>) -> Result<Located> {
    let path = path.canonicalize().map_err(|source| Error::Source {
        path: path.to_path_buf(),
        source,
    })?;
    let indexes = indexes(data);
    let mut repository = None;
    let (root, key) = match working_tree(&path) {
        Some(tree) if includes(&tree.root, &path) => {
            repository = Some(tree.repository.name());
            let key = tree.key();
            (tree.root, key)
        }
        Some(_) => (path.clone(), path.clone()),
        None => {
            let named = index.map(noted_roots).unwrap_or_default();
            let indexed = path.ancestors().find(|folder| {
                named.iter().any(|root| root == folder) || exists(&directory(&indexes, folder))
            });
            let root = indexed
                .filter(|root| includes(root, &path))
                .unwrap_or(&path)
                .to_path_buf();
            (root.clone(), root)
        }
    };
    Ok(Located {
        index: index.map_or_else(|| directory(&indexes, &key), Path::to_path_buf),
        path: inside(&root, &path)?,
        root,
        repository: repository.filter(|_| index.is_none()),
    })
}

/// The folder of the indexes in the user's data folder.
pub(crate) fn indexes(data: &Path) -> PathBuf {
    data.join("indexes")
}

/// The index directory of a key: a readable name, and a hash that makes it unique.
fn directory(indexes: &Path, key: &Path) -> PathBuf {
    let hash = Hash::of(key.as_os_str().as_encoded_bytes()).to_string();
    indexes.join(format!("{}-{}", stem(key), &hash[..8]))
}

/// A readable name for a key: that of the folder; for a repository's `.git`, that of its parent.
fn stem(key: &Path) -> String {
    const LONGEST: usize = 40;
    let named = match key.file_name() {
        Some(name) if name == ".git" => key.parent().and_then(Path::file_name),
        name => name,
    };
    let name = named.map(|name| name.to_string_lossy()).unwrap_or_default();
    let plain = |c: char| {
        if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') {
            c
        } else {
            '-'
        }
    };
    let stem: String = name
        .trim_end_matches(".git")
        .chars()
        .map(plain)
        .take(LONGEST)
        .collect();
    match stem.trim_matches(['.', '-']) {
        "" => "root".to_string(),
        stem => stem.to_string(),
    }
}

/// A git working tree.
struct WorkingTree {
    root: PathBuf,
    repository: Repository,
}

impl WorkingTree {
    /// The key of its index.
    fn key(&self) -> PathBuf {
        match self.repository.is_added {
            true => self.root.clone(),
            false => self.repository.common.clone(),
        }
    }
}

fn working_tree(path: &Path) -> Option<WorkingTree> {
    path.ancestors().find_map(|folder| {
        let opened = OpenFolder::open(folder).ok()?;
        // A `.git` that cannot be read is reported when the folder is listed.
        Some(WorkingTree {
            root: folder.to_path_buf(),
            repository: Repository::of(&opened).ok()??,
        })
    })
}

/// Whether the rules of the folder `root` include the `path` inside it. They exclude what is
/// hidden, ignored, vendored or may contain secrets.
#[must_use]
pub fn includes(root: &Path, path: &Path) -> bool {
    let node = match path.is_dir() {
        true => PathKind::Folder,
        false => PathKind::File,
    };
    match inside(root, path) {
        Ok(Some(relative)) => !Rules::exclude(root, &relative, node),
        // A path without a name in the source is reported when it is requested.
        Ok(None) | Err(_) => true,
    }
}

fn inside(root: &Path, path: &Path) -> Result<Option<String>> {
    let unnamed = || Error::Name {
        path: path.to_path_buf(),
    };
    let relative = path
        .strip_prefix(root)
        .ok()
        .and_then(Path::to_str)
        .ok_or_else(unnamed)?;
    let relative = relative.replace(std::path::MAIN_SEPARATOR, "/");
    Ok((!relative.is_empty()).then_some(relative))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// A folder with these files and their texts.
    fn tree(files: &[(&str, &str)]) -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let root = dir.path().canonicalize().unwrap();
        (dir, root)
    }

    fn find(root: &Path, path: &str) -> Located {
        locate(&root.join(path), &root.join("data"), None).unwrap()
    }

    #[test]
    fn a_path_in_a_repository_is_a_part_of_it() {
        let (_dir, root) = tree(&[("repo/.git/HEAD", ""), ("repo/docs/a.md", "")]);
        let place = find(&root, "repo/docs");
        assert_eq!(place.root, root.join("repo"));
        assert_eq!(place.path.as_deref(), Some("docs"));
        let name = place.index.file_name().unwrap().to_str().unwrap();
        assert!(
            name.starts_with("repo-") && name.len() == "repo-".len() + 8,
            "{name}"
        );
        assert_eq!(place.index, find(&root, "repo").index);
        assert_eq!(find(&root, "repo").path, None);
        assert_eq!(
            find(&root, "repo/docs/a.md").path.as_deref(),
            Some("docs/a.md")
        );
    }

    #[test]
    fn each_worktree_has_its_own_index_and_knows_the_repository() {
        let (_dir, root) = tree(&[
            ("repo/.git/HEAD", ""),
            ("repo/.git/worktrees/other/HEAD", ""),
            ("repo/.git/worktrees/other/commondir", "../..\n"),
            ("other/a.md", ""),
        ]);
        let link = format!(
            "gitdir: {}\n",
            root.join("repo/.git/worktrees/other").display()
        );
        fs::write(root.join("other/.git"), link).unwrap();
        let (main, other) = (find(&root, "repo"), find(&root, "other"));
        assert_ne!(main.index, other.index);
        assert_eq!(other.root, root.join("other"));
        let repository = root.join("repo/.git").display().to_string();
        assert_eq!(main.repository.as_ref(), Some(&repository));
        assert_eq!(other.repository, main.repository);
        let config = "[remote \"origin\"]\n\turl = https://host/tea.git\n";
        fs::write(root.join("repo/.git/config"), config).unwrap();
        let origin = Some("https://host/tea.git");
        assert_eq!(find(&root, "repo").repository.as_deref(), origin);
        assert_eq!(find(&root, "other").repository.as_deref(), origin);
    }

    #[test]
    fn a_submodule_has_its_own() {
        let (_dir, root) = tree(&[
            ("repo/.git/HEAD", ""),
            ("repo/.git/modules/sub/HEAD", ""),
            ("repo/sub/.git", "gitdir: ../.git/modules/sub\n"),
            ("repo/sub/a.md", ""),
        ]);
        let place = find(&root, "repo/sub/a.md");
        assert_eq!(place.root, root.join("repo/sub"));
        assert_ne!(place.index, find(&root, "repo").index);
    }

    #[test]
    fn a_git_folder_that_is_none_does_not_count() {
        let (_dir, root) = tree(&[
            ("a/.git/notes", ""),
            ("a/b/c.md", ""),
            ("d/.git", "gitdir: /nowhere\n"),
            ("d/e.md", ""),
        ]);
        assert_eq!(find(&root, "a/b").root, root.join("a/b"));
        assert_eq!(find(&root, "d").root, root.join("d"));
    }

    #[test]
    fn what_the_rules_leave_out_is_a_root_of_its_own() {
        let (_dir, root) = tree(&[
            ("repo/.git/HEAD", ""),
            ("repo/.gitignore", "build/\n"),
            ("repo/build/out/a.md", ""),
            ("repo/vendor/lib/b.md", ""),
            ("repo/.notes/c.md", ""),
        ]);
        for path in [
            "repo/build/out",
            "repo/vendor",
            "repo/vendor/lib/b.md",
            "repo/.notes",
        ] {
            let place = find(&root, path);
            assert_eq!(place.root, root.join(path));
            assert_eq!(place.path, None);
            assert_ne!(place.index, find(&root, "repo").index);
        }
    }

    #[test]
    fn a_folder_around_it_that_has_an_index_serves_a_path() {
        let (_dir, root) = tree(&[("notes/2026/a.md", ""), ("notes/.trash/b.md", "")]);
        assert_eq!(find(&root, "notes/2026").root, root.join("notes/2026"));
        let index = find(&root, "notes").index;
        fs::create_dir_all(&index).unwrap();
        fs::write(index.join("excerpt.db"), "").unwrap();
        let place = find(&root, "notes/2026");
        assert_eq!(
            (place.root, place.path.as_deref()),
            (root.join("notes"), Some("2026"))
        );
        assert_eq!(find(&root, "notes/.trash").root, root.join("notes/.trash"));
    }

    #[test]
    fn a_folder_around_it_in_the_named_index_serves_a_path() {
        let (_dir, root) = tree(&[("notes/2026/a.md", "Tea.\n")]);
        let mine = root.join("mine");
        let notes = root.join("notes");
        fs::create_dir_all(&mine).unwrap();
        let roots = serde_json::to_string(&[&notes]).unwrap();
        fs::write(mine.join("sources.json"), roots).unwrap();
        let place = locate(&notes.join("2026/a.md"), &root.join("data"), Some(&mine)).unwrap();
        assert_eq!(
            (place.root, place.path.as_deref()),
            (notes, Some("2026/a.md"))
        );
    }

    #[test]
    fn a_named_index_changes_the_index_only() {
        let (_dir, root) = tree(&[("repo/.git/HEAD", ""), ("repo/docs/a.md", "")]);
        let place = locate(
            &root.join("repo/docs"),
            &root.join("data"),
            Some(Path::new("/mine")),
        )
        .unwrap();
        assert_eq!(place.index, Path::new("/mine"));
        assert_eq!(
            (place.root, place.path.as_deref()),
            (root.join("repo"), Some("docs"))
        );
    }

    #[test]
    fn names_are_readable_and_safe() {
        assert_eq!(stem(Path::new("/home/me/My Notes!")), "My-Notes");
        assert_eq!(stem(Path::new("/srv/project.git")), "project");
        assert_eq!(stem(Path::new("/home/me/project/.git")), "project");
        assert_eq!(stem(Path::new("/")), "root");
    }
}
