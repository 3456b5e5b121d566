//! The command line: one file a command, with its arguments, its help and its call to the libraries.

mod chunk;
mod flags;

use clap::{Parser, Subcommand};

use crate::exit::Outcome;

/// Cuts documents, notes and code where they naturally part, and finds the piece that answers a question.
#[derive(Debug, Parser)]
#[command(
    name = "excerpt",
    version,
    max_term_width = 100,
    arg_required_else_help = true
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Chunk(chunk::Args),
}

/// Reads the arguments and runs the command they name.
pub(crate) fn run() -> anyhow::Result<Outcome> {
    match Cli::parse().command {
        Command::Chunk(args) => chunk::run(&args),
    }
}
