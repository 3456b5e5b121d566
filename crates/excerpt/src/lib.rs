//! The faces of excerpt: the command line, MCP, HTTP and the page. Each parses a request, and
//! renders the reply of `excerpt-service`.
//!
//! [`run`] is the whole command line, which the program `excerpt` calls. How that is started again,
//! for work in the background, is part of its [`Invocation`].

#![forbid(unsafe_code)]

mod cli;
mod http;
mod invocation;
mod mcp;
mod output;
mod page;
mod progress;
mod scores;
mod served;
mod table;

use std::process::ExitCode;

pub use invocation::Invocation;

/// Runs a command, and returns the code to exit with. Wrong arguments end the process with a
/// message.
#[must_use]
pub fn run(invocation: Invocation) -> ExitCode {
    invocation.keep();
    excerpt_index::silence_recovered_panics();
    cli::run()
}
