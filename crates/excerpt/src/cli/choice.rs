//! The flags that choose an index, collections and an embedder, shared by all commands that use
//! them.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use excerpt_service::{
    CollectionChoice, DocumentType, EmbeddingChoice, INDEX_VARIABLE, IndexChoice, IndexTarget,
    SyncMode,
};

use crate::output::say;
use crate::served::{INBOX, Served};

/// The choice of the index.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct IndexArgs {
    /// The folder of the index [default: that of the project, or of the collections, in the user's
    /// data folder]
    #[arg(
        long,
        value_name = "FOLDER",
        env = INDEX_VARIABLE,
        hide_env_values = true
    )]
    index: Option<PathBuf>,
}

impl IndexArgs {
    /// The choice.
    pub(crate) fn choice(&self) -> IndexChoice {
        IndexChoice {
            folder: self.index.clone(),
        }
    }
}

/// The choice of collections instead of a folder.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct CollectionArgs {
    /// A collection added by `excerpt add`, instead of a folder; repeatable
    #[arg(long = "collection", short = 'c', value_name = "NAME")]
    names: Vec<String>,
    /// All collections added by `excerpt add`
    #[arg(long, conflicts_with = "names", hide_short_help = true)]
    library: bool,
}

impl CollectionArgs {
    /// The choice.
    pub(crate) fn choice(&self) -> CollectionChoice {
        CollectionChoice {
            names: self.names.clone(),
            library: self.library,
        }
    }
}

/// The choice of the embedder.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct EmbeddingArgs {
    #[arg(
        long,
        help = "A file whose table [embedding] replaces the one in your own excerpt.toml",
        value_name = "FILE",
        env = "EXCERPT_EMBEDDING_CONFIG",
        hide_env_values = true,
        hide_short_help = true
    )]
    embedding_config: Option<PathBuf>,
}

impl EmbeddingArgs {
    /// The choice.
    pub(crate) fn choice(&self) -> EmbeddingChoice {
        EmbeddingChoice {
            file: self.embedding_config.clone(),
        }
    }
}

/// What a server serves.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ServedArgs {
    /// The folder to serve
    #[arg(default_value = ".")]
    path: PathBuf,
    /// Serve only what is under this folder, a path relative to what is served
    #[arg(long, value_name = "FOLDER")]
    under: Option<String>,
    /// The folder that the MCP tool `note` writes to, inside what is served
    #[arg(
        long,
        value_name = "FOLDER",
        default_value = INBOX,
        hide_short_help = true
    )]
    inbox: String,
    /// A folder that `add` may read from; repeatable [default: the served folder]
    #[arg(long = "allow-root", value_name = "FOLDER", hide_short_help = true)]
    roots: Vec<PathBuf>,
    #[command(flatten)]
    collections: CollectionArgs,
    #[command(flatten)]
    index: IndexArgs,
    #[command(flatten)]
    embedding: EmbeddingArgs,
}

impl ServedArgs {
    /// What is served.
    pub(crate) fn served(&self) -> Served {
        Served {
            path: self.path.clone(),
            collections: self.collections.choice(),
            index: self.index.choice(),
            embedding: self.embedding.choice(),
            under: self.under.clone(),
            roots: self.roots.clone(),
            inbox: self.inbox.clone(),
        }
    }
}

/// The target for `path`, unless collections are selected. Its notes are printed.
pub(crate) fn target(
    path: &Path,
    collections: &CollectionArgs,
    index: &IndexArgs,
    embedding: &EmbeddingArgs,
) -> anyhow::Result<IndexTarget> {
    let target = IndexTarget::of(
        path,
        &collections.choice(),
        &index.choice(),
        &embedding.choice(),
    )?;
    print_notes(&target.notes);
    Ok(target)
}

/// Prints notes on standard error.
pub(crate) fn print_notes(notes: &[String]) {
    notes.iter().for_each(|note| say(&format!("note: {note}")));
}

/// A [`SyncMode`] by its name on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SyncName {
    /// Yes, but the answer waits neither long nor for another process.
    Auto,
    /// Yes, completely.
    Always,
    /// No.
    Never,
}

impl From<SyncName> for SyncMode {
    fn from(name: SyncName) -> SyncMode {
        match name {
            SyncName::Auto => SyncMode::Auto,
            SyncName::Always => SyncMode::Always,
            SyncName::Never => SyncMode::Never,
        }
    }
}

/// A [`DocumentType`] by its name on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TypeName {
    /// Something to read
    Doc,
    /// Something to run
    Script,
}

impl From<TypeName> for DocumentType {
    fn from(name: TypeName) -> DocumentType {
        match name {
            TypeName::Doc => DocumentType::Doc,
            TypeName::Script => DocumentType::Script,
        }
    }
}
