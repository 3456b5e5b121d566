//! The command line: one file a command, with its arguments, its help and its call to the libraries.

mod add;
mod chunk;
mod collections;
mod config;
mod doctor;
mod eval;
mod explain;
mod filter;
mod flags;
mod get;
mod list;
mod mcp;
mod rebuild;
mod remove;
mod search;
mod status;
mod sync;
mod watch;

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
    Search(search::Args),
    Chunk(chunk::Args),
    Add(add::Args),
    Remove(remove::Args),
    Sync(sync::Args),
    Status(status::Args),
    Get(get::Args),
    List(list::Args),
    Mcp(mcp::Args),
    Eval(eval::Args),
    Doctor(doctor::Args),
}

/// Reads the arguments and runs the command they name.
pub(crate) fn run() -> anyhow::Result<Outcome> {
    match Cli::parse().command {
        Command::Search(args) => search::run(&args),
        Command::Chunk(args) => chunk::run(&args),
        Command::Add(args) => add::run(&args),
        Command::Remove(args) => remove::run(&args),
        Command::Sync(args) => sync::run(&args),
        Command::Status(args) => status::run(&args),
        Command::Get(args) => get::run(&args),
        Command::List(args) => list::run(&args),
        Command::Mcp(args) => mcp::run(&args),
        Command::Eval(args) => eval::run(&args),
        Command::Doctor(args) => doctor::run(&args),
    }
}
