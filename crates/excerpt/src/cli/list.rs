//! `excerpt list`: the collections of the library.

use crate::cli::collections;
use crate::cli::place::IndexArgs;
use crate::exit::Outcome;
use crate::output::{Output, say};

/// List the collections that were added
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Print them as JSON, one a line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    index: IndexArgs,
}

/// Prints the list.
pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let mut output = Output::new();
    let any = collections::print(&mut output, &args.index.library()?, args.json)?;
    output.flush()?;
    if !any {
        say("no collections: `excerpt add` makes one");
        return Ok(Outcome::Nothing);
    }
    Ok(Outcome::Done)
}
