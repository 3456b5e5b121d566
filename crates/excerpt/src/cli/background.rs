//! Work that an answer does not wait for continues in a separate process, as with `git gc --auto`:
//! the `excerpt sync` that the user could run. Because of the lock of the index, only one process
//! writes at a time; a second one waits a moment and exits.

use std::io;
use std::process::{Command, Stdio};

use excerpt_service::{CollectionChoice, EmbeddingChoice, IndexTarget};

use crate::invocation::again;

/// The variable that disables it when set to `0`.
const VARIABLE: &str = "EXCERPT_BACKGROUND";

/// The increment of its nice value.
#[cfg(unix)]
const NICENESS: i32 = 10;

/// Whether work may continue in the background.
pub(crate) fn is_possible() -> bool {
    std::env::var_os(VARIABLE).is_none_or(|value| value != "0") && again().is_some()
}

/// Starts a sync of `target` that outlives this process.
pub(crate) fn sync(
    target: &IndexTarget,
    collections: &CollectionChoice,
    embedding: &EmbeddingChoice,
) -> io::Result<()> {
    let mut command = again().ok_or(io::ErrorKind::NotFound)?;
    command.arg("sync");
    name_sources(&mut command, target, collections);
    // What the configuration and the collections say applies there, too.
    if target.no_ignore {
        command.arg("--no-ignore");
    }
    command
        .arg("--index")
        .arg(std::path::absolute(&target.index)?)
        .arg("--background")
        // Not the user's working directory, which would then be in use.
        .current_dir(&target.index);
    if let Some(file) = &embedding.file {
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

/// Adds the arguments that name the sources.
fn name_sources(command: &mut Command, target: &IndexTarget, collections: &CollectionChoice) {
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
}

/// Makes this a background process: in its own session, so that closing the terminal does not end
/// it, and at low priority.
#[cfg(unix)]
pub(crate) fn retire() {
    // If either fails, the sync continues anyway.
    let _ = rustix::process::setsid();
    let _ = rustix::process::nice(NICENESS);
}

/// On other systems it stays an ordinary process.
#[cfg(not(unix))]
pub(crate) fn retire() {}
