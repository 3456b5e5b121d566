//! `excerpt mcp`: a server for agents over standard input and output.

use crate::cli::choice::{ServedArgs, SyncName};
use crate::cli::exit::Outcome;
use crate::mcp::{self, Rights};

/// Serve a folder or collections to agents through the Model Context Protocol
///
/// The server speaks over standard input and output, and is started by the client: give it the
/// command `excerpt mcp FOLDER`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    served: ServedArgs,
    /// Offer the tools that write: `note`, and `add` if a whole folder or the library is served
    #[arg(long)]
    allow_write: bool,
    /// When to check for changes: auto (after the answer), always (before it) or never
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = SyncName::Auto, hide_possible_values = true)]
    sync: SyncName,
}

/// Serves until the client closes the input.
pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let served = args.served.served();
    let rights = Rights {
        sync: args.sync.into(),
        allows_writing: args.allow_write,
        inbox: served.inbox.clone(),
    };
    mcp::run(&served, rights)?;
    Ok(Outcome::Done)
}
