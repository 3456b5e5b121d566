//! `excerpt`: splits documents, notes and code at natural boundaries, and finds the passage that
//! answers a question.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use excerpt::Invocation;
use mimalloc::MiMalloc;

/// The C library's allocator keeps a heap for each of many threads, and returns little of it.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(excerpt::run(Invocation::of_program()))
}
