//! The command line: one file per command, with its arguments, its help and its calls to the
//! libraries.

mod add;
mod background;
mod choice;
mod chunk;
mod collections;
mod completions;
mod config;
mod details;
mod doctor;
mod edit;
mod editor;
mod eval;
mod exit;
mod filter;
mod flags;
mod get;
mod hook;
mod list;
mod man;
mod mcp;
mod messages;
mod mirror;
mod remove;
mod search;
mod serve;
mod skipped;
mod status;
mod sync;
mod token;
mod unknown;
mod values;
mod watch;

use std::ffi::OsString;
use std::io::IsTerminal as _;

use clap::{CommandFactory as _, Parser, Subcommand};

use crate::invocation::started;
use crate::output::{Color, escaped_arguments, say};
use exit::Outcome;

/// Splits documents, notes and code at natural boundaries, and finds the passage that answers a
/// question.
///
/// `excerpt "a question"` searches the working directory.
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
    Edit(edit::Args),
    Remove(remove::Args),
    Sync(sync::Args),
    Mirror(mirror::Args),
    Status(status::Args),
    Get(get::Args),
    List(list::Args),
    Mcp(mcp::Args),
    Serve(serve::Args),
    Token(token::Args),
    Hook(hook::Args),
    Eval(eval::Args),
    Doctor(doctor::Args),
    Completions(completions::Args),
    Man(man::Args),
}

/// Reads the arguments and runs the command they name. An error is printed.
pub(crate) fn run() -> u8 {
    let Cli { color, command } = parsed();
    color.choose();
    exit::code(command.run())
}

impl Command {
    fn run(self) -> anyhow::Result<Outcome> {
        match self {
            Command::Search(args) => search::run(&args),
            Command::Chunk(args) => chunk::run(&args),
            Command::Add(args) => add::run(&args),
            Command::Edit(args) => edit::run(&args),
            Command::Remove(args) => remove::run(&args),
            Command::Sync(args) => sync::run(&args),
            Command::Mirror(args) => mirror::run(&args),
            Command::Status(args) => status::run(&args),
            Command::Get(args) => get::run(&args),
            Command::List(args) => list::run(&args),
            Command::Mcp(args) => mcp::run(&args),
            Command::Serve(args) => serve::run(&args),
            Command::Token(args) => token::run(&args),
            Command::Hook(args) => hook::run(&args),
            Command::Eval(args) => eval::run(&args),
            Command::Doctor(args) => doctor::run(&args),
            Command::Completions(args) => completions::run(&args),
            Command::Man(args) => man::run(&args),
        }
    }
}

/// The arguments, with `search` inserted before a question in the place of a command: no command
/// has a space in its name.
fn with_command(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let first = arguments.get(1).map(|first| first.to_string_lossy());
    let is_question = |first: &str| !first.starts_with('-') && first.contains(char::is_whitespace);
    if first.is_some_and(|first| is_question(&first)) {
        arguments.insert(1, "search".into());
    }
    arguments
}

/// Parses the arguments, and exits with an error if they are wrong. The error repeats them; on a
/// terminal, with hidden characters escaped.
fn parsed() -> Cli {
    parse(started().arguments.clone()).unwrap_or_else(|error| {
        let is_shown = error.use_stderr() && std::io::stderr().is_terminal();
        let Some(escaped) = escaped_arguments().filter(|_| is_shown) else {
            error.exit()
        };
        match parse(escaped.into_iter().map(OsString::from).collect()) {
            Err(escaped) => escaped.exit(),
            // Only the unescaped arguments are wrong.
            Ok(_) => {
                say(error.render().to_string().trim_end());
                std::process::exit(error.exit_code())
            }
        }
    })
}

fn parse(arguments: Vec<OsString>) -> Result<Cli, clap::Error> {
    let arguments = with_command(arguments);
    let words = arguments.iter().map(|word| word.to_string_lossy());
    let words: Vec<String> = words.map(|word| word.into_owned()).collect();
    Cli::try_parse_from(arguments)
        .map_err(|error| unknown::answered(error, &Cli::command(), &words))
}
