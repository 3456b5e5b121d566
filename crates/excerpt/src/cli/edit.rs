//! `excerpt edit`: changes the settings and attributes of a collection in one step.

use excerpt_service::EditRequest;

use crate::cli::choice::print_notes;
use crate::cli::details::{self, Details};
use crate::cli::exit::Outcome;
use crate::progress::Bar;

/// Change how a collection is split, filtered and described; until the sync is complete, searches
/// use the old state
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
    let reply = request.edit(&index.choice(), &embedding.choice(), &mut Bar::new())?;
    print_notes(&reply.notes);
    details::report(&reply, args.details.json)
}
