//! `excerpt edit`: changes the settings and attributes of a collection in one step.

use anyhow::bail;
use excerpt_index::{Collection, Index, OpenOptions};

use crate::cli::details::{self, Details};
use crate::exit::Outcome;
use crate::place::project::{Configuration, EmbeddingArgs};
use crate::place::{IndexArgs, patiently};

/// Change how a collection is split, filtered and described; until that is done, searches find the
/// old state
///
/// What is not given stays as it is. An empty title, tag or version removes those there are.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The collection
    #[arg(value_name = "NAME")]
    name: String,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    details: Details,
    #[command(flatten)]
    index: IndexArgs,
    #[command(flatten)]
    embedding: EmbeddingArgs,
}

/// Changes the collection and syncs it.
pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let library = args.index.library()?;
    let known = Collection::named_in(&library, &args.name)?;
    let collection = args.details.applied_to(known.clone());
    if collection == known {
        bail!(
            "nothing to change in `{}`: give a new setting, such as `--tags` or `--preset`",
            known.name
        );
    }
    if args.details.title.is_some() && known.root.is_dir() {
        bail!(
            "`--title` names one document, and `{}` is a folder: leave it out",
            known.name
        );
    }
    let configuration = Configuration::read(&collection.root, &args.embedding)?.told();
    let embedding = Configuration::of_user(&args.embedding)?.embedding;
    let mut index = embedding.given_to(Index::open(&library, OpenOptions::default())?)?;
    patiently(|| index.replace(collection.clone()))?;
    details::sync(&mut index, &configuration, collection, args.json)
}
