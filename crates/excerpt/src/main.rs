//! `excerpt`: splits documents, notes and code at natural boundaries, and finds the passage that
//! answers a question.

#![forbid(unsafe_code)]

mod cli;
mod http;
mod mcp;
mod output;
mod page;
mod progress;
mod scores;
mod served;
mod table;

use std::process::ExitCode;

fn main() -> ExitCode {
    excerpt_index::silence_recovered_panics();
    cli::run()
}
