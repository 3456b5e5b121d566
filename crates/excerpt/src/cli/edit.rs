//! `excerpt edit`: changes the settings and attributes of a collection in one step.

use anyhow::Context as _;
use excerpt_service::EditRequest;

use crate::cli::choice::print_notes;
use crate::cli::details::{self, Details};
use crate::cli::exit::Outcome;
use crate::cli::messages::SyncOf;
use crate::progress::Bar;

/// Change the settings and properties of a collection; searches use the old state until the sync is
/// complete
///
/// Options that you do not set keep their values. An empty title, tag, version or pattern removes
/// the current ones, and `=false` switches off an option without a value: `--no-ignore=false`.
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
    let request = EditRequest {
        name: args.name.clone(),
        changes: args.details.addition(),
    };
    let (index, embedding) = (&args.details.index, &args.details.embedding);
    let edited = request.edit(&index.choice(), &embedding.choice(), &mut Bar::new());
    let reply = edited.context(SyncOf(args.name.clone()))?;
    print_notes(&reply.notes);
    details::report(&reply, args.details.json)
}
