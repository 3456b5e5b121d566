//! `excerpt man`: the manual, generated from the same definitions as the help.

use std::path::PathBuf;

use anyhow::{Context as _, bail};
use clap::{Command, CommandFactory as _};
use clap_mangen::Man;

use super::Cli;
use crate::cli::exit::Outcome;
use crate::output::Output;

/// Print the manual page of a command, or write all pages
///
/// To read one: `excerpt man search | man -l -`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The command; without one, the page of excerpt itself
    command: Option<String>,
    /// Write the pages of all commands into this folder
    #[arg(long, value_name = "FOLDER", conflicts_with = "command")]
    out: Option<PathBuf>,
}

/// Prints or writes the pages.
pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let mut all = Cli::command();
    // Without this, subcommands lack the global flags.
    all.build();
    if let Some(folder) = &args.out {
        let written = clap_mangen::generate_to(all, folder);
        written.with_context(|| format!("cannot write to `{}`", folder.display()))?;
        return Ok(Outcome::Done);
    }
    let page = match &args.command {
        Some(name) => match all.find_subcommand(name) {
            Some(command) => command.clone(),
            None => bail!("unknown command `{name}`, expected one of {}", names(&all)),
        },
        None => all,
    };
    let mut text = Vec::new();
    let title = args.command.as_ref();
    let title = title.map_or_else(|| "excerpt".to_string(), |name| format!("excerpt-{name}"));
    Man::new(page).title(title).render(&mut text)?;
    let mut output = Output::new();
    output.raw(&String::from_utf8(text)?)?;
    output.flush()?;
    Ok(Outcome::Done)
}

fn names(all: &Command) -> String {
    let names = all
        .get_subcommands()
        .map(|command| format!("`{}`", command.get_name()));
    names.collect::<Vec<_>>().join(", ")
}
