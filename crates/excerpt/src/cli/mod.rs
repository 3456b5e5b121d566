//! The command line: one file a command, with its arguments, its help and its call to the libraries.

mod add;
mod chunk;
mod collections;
mod config;
mod day;
mod doctor;
mod editor;
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

use std::io::IsTerminal as _;

use clap::{Parser, Subcommand};

use crate::exit::Outcome;
use crate::output::{Color, escaped_arguments, say};

/// Cuts documents, notes and code where they naturally part, and finds the piece that answers a question.
#[derive(Debug, Parser)]
#[command(
    name = "excerpt",
    version,
    max_term_width = 100,
    arg_required_else_help = true
)]
struct Cli {
    /// When to use colors: auto, always or never
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "WHEN",
        default_value_t,
        hide_possible_values = true,
        hide_short_help = true
    )]
    color: Color,
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
    let Cli { color, command } = parsed();
    color.choose();
    match command {
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

/// The arguments; where they are wrong, the program ends here. An error repeats them, and a terminal is shown them without hidden characters.
fn parsed() -> Cli {
    Cli::try_parse().unwrap_or_else(|error| {
        let is_shown = error.use_stderr() && std::io::stderr().is_terminal();
        let Some(escaped) = escaped_arguments().filter(|_| is_shown) else {
            error.exit()
        };
        match Cli::try_parse_from(escaped) {
            Err(escaped) => escaped.exit(),
            // The error is one of the arguments as they are.
            Ok(_) => {
                say(error.render().to_string().trim_end());
                std::process::exit(error.exit_code())
            }
        }
    })
}
