//! The faces of excerpt: the command line, MCP, HTTP and the page. Each parses a request, and
//! renders the reply of `excerpt-service`.
//!
//! [`run`] is the whole command line, which the program `excerpt` calls. How that is started again,
//! for work in the background, is part of its [`Invocation`]. [`preview`] is the page with the
//! chunks of a document. A [`LocalServer`] is the HTTP API for the process that it runs in.

#![forbid(unsafe_code)]

#[cfg(feature = "arrow")]
mod chunk_table;
mod cli;
mod http;
mod invocation;
mod label;
mod mcp;
mod output;
mod page;
mod progress;
mod scores;
mod served;
mod table;

use excerpt_chunk::{Chunking, Config};

pub use http::{LocalOptions, LocalReply, LocalServer, PendingReply};
pub use invocation::Invocation;

/// Runs a command, and returns the code to exit with: 0, 1 or 2. Wrong arguments end the process
/// with a message.
#[must_use]
pub fn run(invocation: Invocation) -> u8 {
    invocation.keep();
    excerpt_index::silence_recovered_panics();
    cli::run()
}

/// The page of `excerpt chunk --format html` for one document: its source in HTML, with the chunks
/// in color and their details. It is complete, and fetches nothing. `text` is the text of the
/// document, and `name` its path or what else to call it.
#[must_use]
pub fn preview(name: &str, text: &str, chunking: &Chunking<'_>, config: &Config) -> String {
    let mut page = Vec::new();
    let written = page::Preview::begin(&mut page, name, config).and_then(|mut preview| {
        preview.document(&mut page, Some(name), text, chunking)?;
        preview.end(&mut page)
    });
    // Nothing fails to be written to memory.
    debug_assert!(written.is_ok());
    String::from_utf8_lossy(&page).into_owned()
}
