//! `excerpt edit`: changes the settings and attributes of a collection in one step.

use anyhow::bail;
use excerpt_index::{Collection, Index, OpenOptions};
use excerpt_service::{Configuration, patiently};

use crate::cli::choice::configuration;
use crate::cli::details::{self, Details};
use crate::cli::exit::Outcome;

/// Change how a collection is split, filtered and described; until that is done, searches find the
/// old state
///
/// Options that you do not set keep their values. An empty title, tag, version or pattern removes
/// those there are, and `=false` switches off an option without a value: `--no-ignore=false`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The collection
    #[arg(value_name = "NAME")]
    name: String,
    #[command(flatten)]
    details: Details,
}

/// Changes the collection and syncs it.
pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let library = args.details.index.choice().library()?;
    let known = Collection::named_in(&library, &args.name)?;
    let mut changed = known.clone();
    args.details.apply_to(&mut changed);
    if changed == known {
        bail!(
            "nothing to change in `{}`: give a new setting, such as `--tags` or `--preset`",
            known.name
        );
    }
    let addition = args.details.addition();
    addition.check_title(&known.root, &known.name)?;
    let configuration = configuration(&known.root, &args.details.embedding)?;
    let embedding = Configuration::of_user(&args.details.embedding.choice())?.embedding;
    let mut index = embedding.given_to(Index::open(&library, OpenOptions::default())?)?;
    let collection = patiently(|| index.edit(&known.name, |known| args.details.apply_to(known)))?;
    details::sync(&mut index, &configuration, collection, args.details.json)
}
