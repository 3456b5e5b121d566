//! The messages of the command line: what is wrong, as the libraries say it, and what to type to
//! fix it.

use excerpt_index::eval::SetError;
use excerpt_index::{Secret, Skip, SkipReason};
use excerpt_service::{Changed, ServiceError, not_indexed};

/// The message of an error, with its cause unless the message already contains it.
pub(crate) fn message(error: &anyhow::Error) -> String {
    if let Some(error) = error.downcast_ref::<ServiceError>() {
        return told(error);
    }
    if let Some(error) = error.downcast_ref::<excerpt_index::Error>() {
        return error.to_string();
    }
    match error.downcast_ref::<SetError>() {
        Some(error) => error.to_string(),
        None => format!("{error:#}"),
    }
}

/// An error of the service, and how to fix it.
fn told(error: &ServiceError) -> String {
    let next = match error {
        ServiceError::IsCollection {
            collection, index, ..
        } => {
            let index = index.as_ref();
            let index = index.map(|index| format!(" --index {}", index.display()));
            format!("`excerpt remove {collection}{}`", index.unwrap_or_default())
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
        ServiceError::NotIndexed { file, skip } => return excluded(file, skip, Asker::Add),
        ServiceError::InvalidConfiguration => "run `excerpt doctor`".to_string(),
        error => return error.to_string(),
    };
    format!("{error}: {next}")
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
            (SkipReason::Binary, _) => "excerpt reads text files only",
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
