//! `excerpt list`: the collections that were added; or the documents that an index holds, the folders they lie in, and what was changed last.

use std::path::{Path, PathBuf};

use excerpt_index::{DocumentEntry, FolderEntry, Index, ListOptions, ListOrder, OpenOptions};
use serde::Serialize;

use crate::cli::collections;
use crate::cli::search::Scope;
use crate::cli::status::size;
use crate::exit::Outcome;
use crate::output::{Output, SCHEMA, ago, say, thousands};
use crate::place::project::EmbeddingArgs;
use crate::place::{CollectionArgs, IndexArgs, Target};

/// List the collections that were added, or what the index holds of a folder
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The folder or file; without it and without a view, the collections are listed
    path: Option<PathBuf>,
    /// List all documents, by path
    #[arg(long, group = "view")]
    documents: bool,
    /// List the folders that hold documents, with how many
    #[arg(long, group = "view")]
    folders: bool,
    /// List the documents that were changed last, the newest first [default N: 10]
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "10", group = "view")]
    recent: Option<usize>,
    /// Print a line of JSON for each
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    collections: CollectionArgs,
    #[command(flatten)]
    index: IndexArgs,
    #[command(flatten)]
    embedding: EmbeddingArgs,
}

#[derive(Serialize)]
struct Line<'a, T> {
    schema: u32,
    #[serde(flatten)]
    entry: &'a T,
}

/// Prints the list.
pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let mut output = Output::new();
    let is_view = args.documents || args.folders || args.recent.is_some();
    if !is_view && args.path.is_none() && !args.collections.are_meant() {
        let any = collections::print(&mut output, &args.index.library()?, args.json)?;
        output.flush()?;
        if !any {
            say("no collections: `excerpt add` makes one");
            return Ok(Outcome::Nothing);
        }
        return Ok(Outcome::Done);
    }
    let path = args.path.as_deref().unwrap_or(Path::new("."));
    let target = Target::of(path, &args.collections, &args.index, &args.embedding)?;
    let index = Index::open(&target.index, OpenOptions::default())?;
    let mut options = ListOptions::default();
    options.path.clone_from(&target.path);
    // All sources of the library are all that it holds: what was changed last is so among all of them.
    let sources = match args.collections.library {
        true => vec![None],
        false => target
            .sources
            .iter()
            .map(|source| Some(&source.root))
            .collect(),
    };
    let scope = Scope::new(&target, path);
    let mut is_empty = true;
    for source in sources {
        options.source = source.cloned();
        is_empty &= match (args.documents, args.recent) {
            (false, None) => {
                let folders = index.folders(&options)?;
                match args.json {
                    true => lines(&mut output, &folders)?,
                    false => print_folders(&mut output, &folders, &scope)?,
                }
                folders.is_empty()
            }
            (_, recent) => {
                options.limit = recent;
                if recent.is_some() {
                    options.order = ListOrder::Recent;
                }
                let documents = index.documents(&options)?;
                match args.json {
                    true => lines(&mut output, &documents)?,
                    false => print_documents(&mut output, &documents, &scope)?,
                }
                documents.is_empty()
            }
        };
    }
    output.flush()?;
    Ok(match is_empty {
        true => Outcome::Nothing,
        false => Outcome::Done,
    })
}

fn lines(output: &mut Output, entries: &[impl Serialize]) -> anyhow::Result<()> {
    for entry in entries {
        let schema = SCHEMA;
        output.json(&Line { schema, entry })?;
    }
    Ok(())
}

fn print_folders(
    output: &mut Output,
    folders: &[FolderEntry],
    scope: &Scope<'_>,
) -> anyhow::Result<()> {
    if !folders.is_empty() {
        output.line("documents  with those under it  folder")?;
    }
    for folder in folders {
        let path = match scope.here(&folder.source, &folder.path) {
            path if path.is_empty() => ".".to_string(),
            path => path,
        };
        let (own, under) = (
            thousands(folder.documents),
            thousands(folder.documents_under),
        );
        output.line(format!("{own:>9}  {under:>19}  {}", output.safe(&path)))?;
    }
    Ok(())
}

fn print_documents(
    output: &mut Output,
    documents: &[DocumentEntry],
    scope: &Scope<'_>,
) -> anyhow::Result<()> {
    if !documents.is_empty() {
        output.line("chunks        size  changed         document")?;
    }
    for document in documents {
        let title = document.title.as_ref().map(|title| format!(" · {title}"));
        let name = format!(
            "{}{}",
            scope.here(&document.source, &document.path),
            title.unwrap_or_default()
        );
        output.line(format!(
            "{:>6}  {:>10}  {:<14}  {}",
            thousands(document.chunks),
            size(document.size),
            ago(document.modified),
            output.safe(&name)
        ))?;
    }
    Ok(())
}
