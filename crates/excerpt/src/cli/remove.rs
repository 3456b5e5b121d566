//! `excerpt remove`: takes a collection out of the library.

use excerpt_index::{Collection, Index, OpenOptions};

use crate::exit::Outcome;
use crate::output::{Output, counted};
use crate::place::{IndexArgs, patiently};

/// Remove a collection from the library; its files stay
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The collections
    #[arg(value_name = "NAME", required = true)]
    names: Vec<String>,
    #[command(flatten)]
    index: IndexArgs,
}

/// Removes each of them.
pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let library = args.index.library()?;
    if !library.exists() {
        // Without a library, no name is known.
        for name in &args.names {
            Collection::named_in(&library, name)?;
        }
    }
    let mut index = Index::open(&library, OpenOptions::default())?;
    let mut output = Output::new();
    for name in &args.names {
        let documents = patiently(|| index.remove(name))?;
        output.line(format!(
            "{}: removed, {}",
            output.safe(name),
            counted(documents, "document")
        ))?;
    }
    output.flush()?;
    Ok(Outcome::Done)
}
