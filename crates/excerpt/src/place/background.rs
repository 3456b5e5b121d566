//! What an answer does not wait for goes on in a process of its own, as with `git gc --auto`: the `excerpt sync` that the user could run. One alone
//! writes at a time, by the lock of the index; a second one waits a moment and ends.

use std::io;
use std::process::{Command, Stdio};

use super::project::EmbeddingArgs;
use super::{CollectionArgs, Syncable, Target};

/// The variable that switches it off, by `0`.
const VARIABLE: &str = "EXCERPT_BACKGROUND";

/// How much `nice`r it is than other processes.
#[cfg(unix)]
const NICENESS: i32 = 10;

/// Whether anything may go on behind an answer.
pub(crate) fn is_possible() -> bool {
    std::env::var_os(VARIABLE).is_none_or(|value| value != "0") && std::env::current_exe().is_ok()
}

/// Starts a sync of `target` that does not end with this process.
pub(crate) fn sync(
    target: &Target,
    collections: &CollectionArgs,
    embedding: &EmbeddingArgs,
) -> io::Result<()> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("sync");
    match collections.are_meant() {
        true if collections.library => {
            command.arg("--library");
        }
        true => {
            let names = collections.names.iter();
            command.args(names.flat_map(|name| ["--collection", name]));
        }
        false => {
            command.args(target.sources.iter().map(|source| &source.root));
        }
    }
    let is_without = |source: &Syncable| source.options.selection.ignore_files == Some(false);
    if target.sources.iter().any(is_without) {
        command.arg("--no-ignore");
    }
    command
        .arg("--index")
        .arg(std::path::absolute(&target.index)?)
        .arg("--background")
        // Not where the user is, who may want to remove that folder.
        .current_dir(&target.index);
    if let Some(file) = &embedding.embedding_config {
        command
            .arg("--embedding-config")
            .arg(std::path::absolute(file)?);
    }
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.spawn().map(drop)
}

/// Makes this process one that nobody waits for: in a session of its own, where no terminal ends it, and behind others when they compute.
#[cfg(unix)]
pub(crate) fn retire() {
    // Where either is refused, the sync goes on all the same.
    let _ = rustix::process::setsid();
    let _ = rustix::process::nice(NICENESS);
}

/// Elsewhere it is a process like any other.
#[cfg(not(unix))]
pub(crate) fn retire() {}
