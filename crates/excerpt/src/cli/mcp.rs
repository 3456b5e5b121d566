//! `excerpt mcp`: a server for agents over standard input and output.

use std::path::PathBuf;

use crate::cli::choice::{CollectionArgs, EmbeddingArgs, IndexArgs, SyncName};
use crate::cli::exit::Outcome;
use crate::mcp::{self, Options, Rights};

/// Serve a folder or collections to agents through the Model Context Protocol
///
/// The server speaks over standard input and output, and is started by the client: give it the
/// command `excerpt mcp FOLDER`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The folder to serve
    #[arg(default_value = ".")]
    path: PathBuf,
    /// Serve only what is under this folder, a path relative to what is served
    #[arg(long, value_name = "FOLDER")]
    under: Option<String>,
    /// Offer the tools that write: `note`, and `add` if a whole folder or the library is served
    #[arg(long)]
    allow_write: bool,
    /// The folder that notes are written to, inside what is served
    #[arg(long, value_name = "FOLDER", default_value = "inbox")]
    inbox: String,
    /// The folder that `add` may read; repeatable [default: the served folder]
    #[arg(long = "allow-root", value_name = "FOLDER", hide_short_help = true)]
    roots: Vec<PathBuf>,
    /// When to check for changes: auto (after the answer), always (before it) or never
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = SyncName::Auto, hide_possible_values = true)]
    sync: SyncName,
    #[command(flatten)]
    collections: CollectionArgs,
    #[command(flatten)]
    index: IndexArgs,
    #[command(flatten)]
    embedding: EmbeddingArgs,
}

/// Serves until the client closes the input.
pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    mcp::run(Options {
        path: args.path.clone(),
        collections: args.collections.choice(),
        index: args.index.choice(),
        embedding: args.embedding.choice(),
        under: args.under.clone(),
        roots: args.roots.clone(),
        rights: Rights {
            sync: args.sync.into(),
            allows_writing: args.allow_write,
            inbox: args.inbox.clone(),
        },
    })?;
    Ok(Outcome::Done)
}
