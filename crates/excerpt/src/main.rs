//! `excerpt`: splits documents, notes and code at natural boundaries, and finds the passage that
//! answers a question.

#![forbid(unsafe_code)]

mod cli;
mod exit;
mod fragment;
mod mcp;
mod other_names;
mod output;
mod page;

mod place;
mod progress;
mod table;
mod visible;
mod wire;

use std::process::ExitCode;

fn main() -> ExitCode {
    excerpt_index::silence_recovered_panics();
    exit::code(cli::run())
}
