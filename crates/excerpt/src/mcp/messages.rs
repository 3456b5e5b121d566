//! The messages for an agent: what is wrong, as the libraries say it, and what the agent can do.

use excerpt_index::{Error, Note, Secret, SkipReason};
use excerpt_service::ServiceError;
use excerpt_service::text::address::{address, ticked};
use excerpt_service::text::without_root;

use crate::output::with_causes;

/// The message of an error, with its cause unless the message already contains it.
pub(super) fn message(error: &anyhow::Error) -> String {
    if let Some(error) = error.downcast_ref::<ServiceError>() {
        return service_error(error);
    }
    match error.downcast_ref::<Error>() {
        Some(error) => index_error(error),
        None => with_causes(error),
    }
}

/// An error of the service, and what to do.
pub(super) fn service_error(error: &ServiceError) -> String {
    let next = match error {
        ServiceError::Index(Error::NameTaken { name, .. }) => {
            return format!("collection `{name}` already exists: choose another `name`");
        }
        ServiceError::Index(Error::RootTaken { name, .. }) => {
            return format!(
                "this file or folder is already the collection `{name}`: search it with `collection`, or set `replace`"
            );
        }
        ServiceError::UntitledNote => return "`title` is empty: give a few words".to_string(),
        ServiceError::NotText => {
            return "`content` contains a NUL byte: remove it".to_string();
        }
        ServiceError::EmptyName => {
            return "`name` is empty, expected the name of a collection: omit it to have one chosen"
                .to_string();
        }
        ServiceError::NothingReadable => {
            "give the text as `content`, or start the server with `--allow-root FOLDER`"
        }
        ServiceError::NotReadable { .. } => {
            "give a path inside one of them, or the text as `content`"
        }
        ServiceError::NamelessText => "give `name` or `title`",
        ServiceError::TitleOfFolder { .. } => {
            return "`title` names one document, and `path` is a folder: leave it out".to_string();
        }
        ServiceError::NotIndexed { skip, .. } => match advice(skip.reason) {
            Some(advice) => advice,
            None => return error.to_string(),
        },
        ServiceError::InvalidConfiguration => "run `excerpt doctor`",
        ServiceError::NoCollection { names, .. } => {
            return match names.is_empty() {
                true => format!("{error}: there are no collections, omit `collection`"),
                false => format!("{error}, only `{}`", names.join("`, `")),
            };
        }
        ServiceError::NotAPath { .. } => {
            "write it as `search` and `list` do, relative to what is served"
        }
        ServiceError::NoDocumentsThere => "`list` shows the folders",
        ServiceError::NothingThere => "omit it to list everything",
        ServiceError::IsFolder { .. } => "`list` shows its documents",
        ServiceError::NoDocument { closest, .. } => {
            return match closest {
                Some(close) => format!("{error}: did you mean {}?", ticked(&address(close))),
                None => format!("{error}: `list` and `search` show what exists"),
            };
        }
        ServiceError::InSeveral { .. } => "name the `collection`",
        ServiceError::Replaced { .. } => "restart the server, or add it again",
        ServiceError::Index(error) => return index_error(error),
        ServiceError::NotSynced { name, root, error } => {
            return without_root(&service_error(error), root, name);
        }
        error => return error.to_string(),
    };
    format!("{error}: {next}")
}

/// An error of the index, and what to do.
fn index_error(error: &Error) -> String {
    let next = match error {
        Error::NotFound { .. }
        | Error::UnknownSource { .. }
        | Error::UnknownDocument { closest: None, .. } => "ask the user to run `excerpt sync`",
        Error::Damaged { .. } => "ask the user to run `excerpt doctor --rebuild`",
        Error::Vanished { .. } => {
            "if this is intended, ask the user to run `excerpt sync --accept-removals`"
        }
        Error::NameTaken { .. } | Error::RootTaken { .. } => "choose another `name`",
        Error::UnknownCollection { names, .. } if names.is_empty() => "there are none",
        Error::UnknownChunk { .. } => "use an id from `search`",
        Error::Full { .. } => "ask the user to free some space",
        error => return error.to_string(),
    };
    format!("{error}: {next}")
}

/// A note about an answer, and what to do about it.
pub(super) fn note(note: &Note) -> String {
    match note {
        Note::Behind { holder: None }
        | Note::NoVectors
        | Note::VectorsBehind { .. }
        | Note::FormerVectors { failure: None, .. } => {
            format!("{note}: ask the user to run `excerpt sync`")
        }
        note => note.to_string(),
    }
}

/// How to index a file that was skipped for this reason.
fn advice(reason: SkipReason) -> Option<&'static str> {
    match reason {
        SkipReason::Binary => Some("excerpt cannot read this format"),
        SkipReason::NotUtf8 => Some("convert it to UTF-8"),
        SkipReason::TooLarge => {
            Some("ask the user to raise `max_file_size` in `[files]` of their excerpt.toml")
        }
        SkipReason::LeftOut => {
            Some("ask the user to change `include` or `ignore` in `[files]` of excerpt.toml")
        }
        SkipReason::Ignored => {
            Some("ask the user to set `ignore_files = false` in `[files]` of excerpt.toml")
        }
        SkipReason::Secret => Some(Secret::ADVICE),
        _ => None,
    }
}
