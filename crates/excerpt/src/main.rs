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

use mimalloc::MiMalloc;

/// The C library's allocator keeps a heap for each of many threads, and returns little of it.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    excerpt_index::silence_recovered_panics();
    cli::run()
}
