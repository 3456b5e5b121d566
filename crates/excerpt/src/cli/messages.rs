//! The messages of the command line: what is wrong, as the libraries say it, and what to type to
//! fix it.

use std::fmt;

use excerpt_index::eval::SetError;
use excerpt_index::{Error, Note, Refused, Secret, Skip, SkipReason};
use excerpt_service::text::not_indexed;
use excerpt_service::{Changed, ServiceError, SyncFailure};

use crate::output::with_causes;

/// The context of an error of a command: it was syncing the collection of this name.
#[derive(Debug)]
pub(crate) struct SyncOf(pub(crate) String);

impl fmt::Display for SyncOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot sync the collection `{}`", self.0)
    }
}

/// The message of an error, with its cause unless the message already contains it.
pub(crate) fn message(error: &anyhow::Error) -> String {
    let collection = error.downcast_ref::<SyncOf>().map(|SyncOf(name)| &**name);
    if let Some(error) = error.downcast_ref::<ServiceError>() {
        return match error {
            ServiceError::Index(error) => index_error_of(error, collection),
            error => service_error(error),
        };
    }
    if let Some(error) = error.downcast_ref::<Error>() {
        return index_error_of(error, collection);
    }
    match error.downcast_ref::<SetError>() {
        Some(error) => error.to_string(),
        None => with_causes(error),
    }
}

/// An error of the service, and how to fix it.
fn service_error(error: &ServiceError) -> String {
    let next = match error {
        ServiceError::IsCollection {
            collection, index, ..
        } => {
            let index = index.as_ref();
            let index = index.map(|index| format!(" --index {}", index.display()));
            format!("`excerpt remove {collection}{}`", index.unwrap_or_default())
        }
        ServiceError::IsFolder { path } => {
            format!("`excerpt list --documents '{path}'` shows its documents")
        }
        ServiceError::NoIndexOf { .. } => "`excerpt list --indexes` shows all".to_string(),
        ServiceError::NoDataFolder(cause) => format!("name an index with `--index`: {cause}"),
        ServiceError::NothingToChange { .. } => {
            "give a new setting, such as `--tags` or `--preset`".to_string()
        }
        ServiceError::NamelessText => "give `--name` or `--title`".to_string(),
        ServiceError::TitleOfFolder { folder } => {
            return format!(
                "`--title` names one document, and `{folder}` is a folder: leave it out"
            );
        }
        ServiceError::UnreadableText {
            refused: Refused::Kind(_),
            ..
        } => return format!("{error}, or `-` for standard input"),
        ServiceError::NotSplit { skip, .. } if skip.reason == SkipReason::NotUtf8 => {
            return format!("{error}; `--lossy` replaces invalid bytes");
        }
        ServiceError::NotIndexed { file, skip } => return excluded(file, skip, Asker::Add),
        ServiceError::InvalidConfiguration => "run `excerpt doctor`".to_string(),
        ServiceError::Index(error) => return index_error(error),
        error => return error.to_string(),
    };
    format!("{error}: {next}")
}

/// An error of the index, and how to fix it.
pub(crate) fn index_error(error: &Error) -> String {
    index_error_of(error, None)
}

/// Why a source could not be synced, and how to fix it.
pub(crate) fn unsynced(unsynced: &SyncFailure) -> String {
    index_error_of(&unsynced.error, unsynced.collection.as_deref())
}

/// The same for an error of a sync of this collection, or of the current folder.
pub(crate) fn index_error_of(error: &Error, collection: Option<&str>) -> String {
    let next = match error {
        Error::Vanished { .. } => {
            let sync = command("sync", collection);
            return format!("{error}: if this is intended, run `{sync} --accept-removals`");
        }
        Error::Full { .. } => {
            let sync = command("sync", collection);
            return format!("{error}: free some space, then run `{sync}`");
        }
        Error::Locked { .. } => "try again when it has finished",
        Error::NotFound { .. } => "run `excerpt sync` to create one",
        Error::Damaged { .. } => {
            "run `excerpt doctor --rebuild` to rebuild the index from its sources"
        }
        Error::UnknownSource { .. } => "run `excerpt sync` on it first",
        Error::UnknownDocument { closest: None, .. } => {
            "run `excerpt sync`, or see what was skipped with `excerpt status --skips`"
        }
        Error::UnknownCollection { names, .. } if names.is_empty() => "add one with `excerpt add`",
        Error::NameTaken { name, .. } => {
            return format!(
                "{error}: choose another name with `--name`, or run `excerpt remove {name}` first"
            );
        }
        Error::RootTaken { name, .. } => {
            return format!(
                "{error}: search it with `-c {name}`, change it with `excerpt edit {name}`, or add it again with `--replace`"
            );
        }
        Error::UnknownChunk { .. } => "use an id from `excerpt search --json`",
        error => return error.to_string(),
    };
    format!("{error}: {next}")
}

/// A command for this collection, or for the current folder.
pub(crate) fn command(name: &str, collection: Option<&str>) -> String {
    match collection {
        Some(collection) => format!("excerpt {name} -c {collection}"),
        None => format!("excerpt {name}"),
    }
}

/// A note about an answer, and what to do about it.
pub(crate) fn note(note: &Note) -> String {
    match note {
        Note::Behind { holder: None }
        | Note::NoVectors
        | Note::VectorsBehind { .. }
        | Note::FormerVectors { failure: None, .. } => format!("{note}: run `excerpt sync`"),
        note => note.to_string(),
    }
}

/// A message about the document `name`, which is already quoted and has changed since it was
/// indexed.
pub(crate) fn changed(changed: Changed, name: &str) -> String {
    match changed {
        Changed::Gone => format!("{name} no longer exists: this is its indexed text"),
        Changed::Other => format!("{name} has changed since it was indexed: run `excerpt sync`"),
    }
}

/// Who named the file, which decides what can be done about it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Asker<'a> {
    /// A search in its folder.
    Search,
    /// A search in the collection of this name.
    Collection(&'a str),
    /// `excerpt add`.
    Add,
}

impl Asker<'_> {
    /// How to index a file that was skipped for this reason.
    fn advice(self, reason: SkipReason) -> Option<String> {
        let advice = match (reason, self) {
            (SkipReason::Binary, _) => {
                "excerpt cannot read this format; to convert it, name a program in `[readers]` of your own excerpt.toml"
            }
            (SkipReason::NotUtf8, _) => "convert it to UTF-8",
            (SkipReason::TooLarge, Asker::Search) => {
                "raise `max_file_size` in `[files]` of your excerpt.toml"
            }
            (SkipReason::TooLarge, Asker::Collection(name)) => {
                return Some(format!(
                    "raise it with `excerpt edit {name} --max-file-size`"
                ));
            }
            (SkipReason::TooLarge, Asker::Add) => "raise it with `--max-file-size`",
            (SkipReason::LeftOut, Asker::Search) => {
                "change `include` or `ignore` in `[files]` of excerpt.toml"
            }
            (SkipReason::LeftOut, Asker::Collection(name)) => {
                return Some(format!(
                    "change the patterns with `excerpt edit {name}`, or in `[files]` of excerpt.toml"
                ));
            }
            (SkipReason::LeftOut, Asker::Add) => {
                "change `--include` or `--ignore`, or `[files]` of excerpt.toml"
            }
            (SkipReason::Ignored, _) => "--no-ignore includes it",
            (SkipReason::Secret, _) => Secret::ADVICE,
            _ => return None,
        };
        Some(advice.to_string())
    }
}

/// Why the file or folder that is shown as `shown` is not indexed, and how to index it.
pub(crate) fn excluded(shown: &str, skip: &Skip, asker: Asker<'_>) -> String {
    let why = not_indexed(shown, skip);
    match asker.advice(skip.reason) {
        Some(advice) => format!("{why}: {advice}"),
        None => why,
    }
}
