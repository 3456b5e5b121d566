//! The exit codes: 0 when something was found or done, 1 when nothing was found or something needs
//! attention, 2 on an error. A reader that closes its end of a pipe has what it wanted: that is
//! success.

use std::io;

use super::messages::message;
use crate::output::complain;

/// The result of a command that did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It succeeded.
    Done,
    /// It found nothing.
    Nothing,
    /// Something needs attention.
    Attention,
}

/// The exit code for `result`; an error is printed on standard error.
pub(crate) fn code(result: anyhow::Result<Outcome>) -> u8 {
    match result {
        Ok(Outcome::Done) => 0,
        Ok(Outcome::Nothing | Outcome::Attention) => 1,
        Err(error) if is_closed_pipe(&error) => 0,
        Err(error) => {
            complain(&message(&error));
            2
        }
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
