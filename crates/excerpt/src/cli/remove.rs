//! `excerpt remove`: removes collections from the library.

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

/// Removes each collection.
pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let library = args.index.library()?;
    if !library.exists() {
        // Without a library, every name is unknown.
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
