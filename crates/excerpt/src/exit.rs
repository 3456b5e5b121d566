//! How the program ends: 0 when something was found or done, 1 when nothing was found or something needs attention, 2 when there was trouble. A reader that
//! closes its end of a pipe has what it wanted: that is success.

use std::io;
use std::process::ExitCode;

use excerpt_index::eval::SetError;

/// How a command ended that met no trouble.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It did what was asked.
    Done,
    /// It found nothing.
    Nothing,
    /// It found what needs attention.
    Attention,
}

/// The exit code of what `result` says; trouble is named on standard error.
pub(crate) fn code(result: anyhow::Result<Outcome>) -> ExitCode {
    match result {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Nothing | Outcome::Attention) => ExitCode::from(1),
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            crate::output::complain(&message(&error));
            ExitCode::from(2)
        }
    }
}

/// What went wrong, with the cause where the message does not hold it already.
pub(crate) fn message(error: &anyhow::Error) -> String {
    if let Some(error) = error.downcast_ref::<excerpt_index::Error>() {
        return error.to_string();
    }
    match error.downcast_ref::<SetError>() {
        Some(error) => error.to_string(),
        None => format!("{error:#}"),
    }
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let causes = error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>());
    causes
        .into_iter()
        .any(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
