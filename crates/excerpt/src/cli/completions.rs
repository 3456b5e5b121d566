//! `excerpt completions`: what a shell needs to complete commands and flags.

use clap::CommandFactory as _;
use clap_complete::Shell;

use super::Cli;
use crate::cli::exit::Outcome;
use crate::output::Output;

/// Print completions for a shell
///
/// Put the output where the shell looks for completions, such as
/// `~/.local/share/bash-completion/completions/excerpt`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints the completions.
pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let mut output = Output::new();
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "excerpt", &mut script);
    output.raw(&String::from_utf8(script)?)?;
    output.flush()?;
    Ok(Outcome::Done)
}
