//! `excerpt list`: the collections; or the documents of an index, their folders, and the latest
//! changes.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use excerpt_index::{DocumentEntry, FolderEntry, Index, IndexEntry, OpenOptions};
use excerpt_service::text::{counted, thousands};
use excerpt_service::{
    IndexChoice, ListKind, ListReply, ListRequest, ListedDocument, ListedFolder, Paths,
};
use owo_colors::Style;
use serde::Serialize;

use crate::cli::choice::{CollectionArgs, EmbeddingArgs, IndexArgs, target};
use crate::cli::collections;
use crate::cli::exit::Outcome;
use crate::cli::skipped::skipped;
use crate::cli::status::{size, written};
use crate::cli::values::at_least_one;
use crate::output::date_of;
use crate::output::{Output, SCHEMA, ago, say};

/// List collections, or the indexed documents of a folder
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The folder or file; without it and without a flag below, the collections are listed
    path: Option<PathBuf>,
    /// List all documents, by path
    #[arg(long, group = "view")]
    documents: bool,
    /// List the folders with documents, and how many each contains
    #[arg(long, group = "view")]
    folders: bool,
    /// List the documents that were changed last, newest first: by commit, otherwise by the date in
    /// the document, otherwise by file [default N: 10]
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "10", value_parser = recent, group = "view")]
    recent: Option<NonZeroUsize>,
    /// List the indexes on this machine, each with its folders, its size, and when it was last used
    #[arg(long, group = "view", conflicts_with_all = ["path", "names", "library"])]
    indexes: bool,
    /// Print each entry as a line of JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    collections: CollectionArgs,
    #[command(flatten)]
    index: IndexArgs,
    #[command(flatten)]
    embedding: EmbeddingArgs,
}

/// How many documents are listed. What follows the option is read as their number, a folder too.
fn recent(text: &str) -> Result<NonZeroUsize, String> {
    at_least_one(text).map_err(|expected| match text.parse::<i64>() {
        Ok(_) => expected,
        Err(_) => format!("{expected}; a folder comes first, as in `list FOLDER --recent`"),
    })
}

/// Prints the list.
pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let mut output = Output::new();
    let choice = args.index.choice();
    let selected = args.collections.choice();
    if args.indexes {
        if choice.is_given() {
            bail!("`--indexes` lists all indexes, and `--index` names one: leave one out");
        }
        return indexes(&mut output, args.json);
    }
    let is_view = args.documents || args.folders || args.recent.is_some();
    if !is_view && args.path.is_none() && !selected.are_meant() {
        return all_collections(&mut output, &choice, args.json);
    }
    let path = args.path.as_deref().unwrap_or(Path::new("."));
    let target = target(path, &args.collections, &args.index, &args.embedding)?;
    let request = args.request();
    // With `--library`, the sources are listed together.
    let parts = target.list(&request, selected.library)?;
    let paths = target.paths(path);
    let mut is_empty = true;
    for part in &parts {
        is_empty &= !print(&mut output, part, (&paths, args))?;
    }
    output.flush()?;
    if !is_empty {
        return Ok(Outcome::Done);
    }
    let index = Index::open(&target.index, OpenOptions::default())?;
    match index.writer() {
        Some(writer) => say(&written(&writer)),
        None => say("there are no documents here"),
    }
    if let Some(note) = skipped(&index, &target, &paths) {
        say(&format!("note: {note}"));
    }
    Ok(Outcome::Nothing)
}

/// Prints all collections.
fn all_collections(
    output: &mut Output,
    choice: &IndexChoice,
    json: bool,
) -> anyhow::Result<Outcome> {
    let library = choice.library()?;
    let all = excerpt_service::collections(&library)?;
    let writer = match all.is_empty() {
        true => None,
        false => Index::open(&library, OpenOptions::default())?.writer(),
    };
    collections::print(output, (&all, writer.as_ref()), json)?;
    output.flush()?;
    if all.is_empty() {
        say("no collections: `excerpt add` makes one");
        return Ok(Outcome::Nothing);
    }
    Ok(Outcome::Done)
}

impl Args {
    fn request(&self) -> ListRequest {
        ListRequest {
            what: match (self.documents, self.recent) {
                (true, _) => ListKind::Documents,
                (_, Some(_)) => ListKind::Recent,
                _ => ListKind::Folders,
            },
            limit: self.recent.map(NonZeroUsize::get),
            ..ListRequest::default()
        }
    }
}

/// Prints a part of a list, and returns whether it has entries.
fn print(
    output: &mut Output,
    part: &ListReply,
    (paths, args): (&Paths, &Args),
) -> anyhow::Result<bool> {
    match part {
        ListReply::Folders(folders) => {
            if !folders.is_empty() && !args.json {
                output.line("documents  with those under it  folder")?;
            }
            for ListedFolder { collection, entry } in folders {
                let path = paths.address(collection.as_deref(), &entry.source, &entry.path);
                match args.json {
                    true => line(output, &path, entry)?,
                    false => print_folder(output, &path, entry)?,
                }
            }
            Ok(!folders.is_empty())
        }
        ListReply::Documents(documents, _) => {
            if !documents.is_empty() && !args.json {
                let by = match args.recent {
                    Some(_) => "by        ",
                    None => "",
                };
                output.line(format!("chunks        size  changed         {by}document"))?;
            }
            for ListedDocument { collection, entry } in documents {
                let path = paths.address(collection.as_deref(), &entry.source, &entry.path);
                match args.json {
                    true => line(output, &path, entry)?,
                    false => print_document(output, &path, entry)?,
                }
            }
            Ok(!documents.is_empty())
        }
        // These lists are not of a folder.
        ListReply::Collections(_) | ListReply::Summary(_) => Ok(false),
    }
}

/// Prints the indexes on this machine.
fn indexes(output: &mut Output, json: bool) -> anyhow::Result<Outcome> {
    let indexes = IndexChoice::all()?;
    for entry in &indexes {
        if json {
            output.json(&IndexLine {
                schema: SCHEMA,
                entry,
            })?;
            continue;
        }
        let roots = entry.roots.iter();
        let roots: Vec<String> = roots.map(|root| root.display().to_string()).collect();
        let gone = match (entry.is_there, roots.is_empty()) {
            (false, false) => " (gone)",
            _ => "",
        };
        let documents = match entry.documents {
            Some(count) => counted(count, "document"),
            None => "damaged: run `excerpt doctor`".to_string(),
        };
        let used = entry.used.map_or("never".to_string(), ago);
        let name = format!("{}{gone}", roots.join(", "));
        output.line(output.styled(&output.safe(&name), Style::new().bold()))?;
        let place = output.safe(&entry.index.display().to_string()).into_owned();
        output.line(format!(
            "    {documents}, {}, last used {used} · {place}",
            size(entry.disk_bytes)
        ))?;
    }
    output.flush()?;
    if indexes.is_empty() {
        say("no indexes: `excerpt search` creates one for the folder that it searches");
        return Ok(Outcome::Nothing);
    }
    Ok(Outcome::Done)
}

/// An index as JSON.
#[derive(Serialize)]
struct IndexLine<'a> {
    schema: u32,
    #[serde(flatten)]
    entry: &'a IndexEntry,
}

/// An entry as JSON: `path` as shown, and `source_path`, which is its name in the index.
fn line(output: &mut Output, path: &str, entry: &impl Serialize) -> anyhow::Result<()> {
    let mut entry = serde_json::to_value(entry)?;
    let fields = entry.as_object_mut().context("an entry is an object")?;
    if let Some(source_path) = fields.insert("path".to_string(), path.into()) {
        fields.insert("source_path".to_string(), source_path);
    }
    fields.insert("schema".to_string(), SCHEMA.into());
    Ok(output.json(&entry)?)
}

fn print_folder(output: &mut Output, path: &str, folder: &FolderEntry) -> anyhow::Result<()> {
    let (own, under) = (
        thousands(folder.documents),
        thousands(folder.documents_under),
    );
    Ok(output.line(format!("{own:>9}  {under:>19}  {}", output.safe(path)))?)
}

fn print_document(output: &mut Output, path: &str, document: &DocumentEntry) -> anyhow::Result<()> {
    let title = document.title.as_ref().map(|title| format!(" · {title}"));
    let name = format!("{path}{}", title.unwrap_or_default());
    let (changed, by) = match document.changed {
        Some(changed) => (changed.at, format!("{:<8}  ", date_of(changed.from))),
        None => (document.modified, String::new()),
    };
    Ok(output.line(format!(
        "{:>6}  {:>10}  {:<14}  {by}{}",
        thousands(document.chunks),
        size(document.size),
        ago(changed),
        output.safe(&name)
    ))?)
}
