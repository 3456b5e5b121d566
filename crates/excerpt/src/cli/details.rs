//! The options that `add` and `edit` share, and their report.

use excerpt_index::{Secrets, Selection, SyncReport, Warned};
use excerpt_service::text::counted;
use excerpt_service::{AddReply, Addition, Contents};
use serde::Serialize;

use crate::cli::choice::{EmbeddingArgs, IndexArgs, TypeName};
use crate::cli::exit::Outcome;
use crate::cli::flags::ChunkFlags;
use crate::cli::sync::print_report;
use crate::cli::values::bytes;
use crate::output::{Output, SCHEMA};

/// How many warnings are shown.
const WARNINGS: usize = 5;

/// The settings and attributes of a collection, its index, and the form of the report.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Details {
    /// The type of its documents
    #[arg(long = "type", short = 't', value_enum, value_name = "TYPE")]
    kind: Option<TypeName>,
    /// The title, of a file or a text
    #[arg(long, value_name = "TITLE")]
    title: Option<String>,
    /// A version that its documents are about: 3.12, 3.x, >=2.1; repeatable
    #[arg(long = "version", value_name = "VERSION")]
    versions: Vec<String>,
    /// Words to filter by, separated by commas
    #[arg(long, value_name = "TAGS", value_delimiter = ',')]
    tags: Vec<String>,
    /// Only files that match this pattern, written as in a .gitignore; repeatable
    #[arg(long, value_name = "PATTERN")]
    include: Vec<String>,
    /// Exclude files that match this pattern; repeatable
    #[arg(long, value_name = "PATTERN")]
    ignore: Vec<String>,
    /// Add what `.gitignore` and the like exclude, too; `=false` excludes it again
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true", hide_possible_values = true)]
    no_ignore: Option<bool>,
    /// The size in bytes above which a file is skipped [default: 2097152]
    #[arg(long, value_name = "BYTES", value_parser = bytes, hide_short_help = true)]
    max_file_size: Option<u64>,
    /// Whether to skip or index files that contain keys or passwords [default: skip]
    #[arg(long, value_name = "WHAT", value_parser = secrets, hide_short_help = true)]
    secrets: Option<Secrets>,
    /// Print the result as JSON
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) index: IndexArgs,
    #[command(flatten)]
    pub(super) embedding: EmbeddingArgs,
    // Last, since its heading also applies to what follows.
    #[command(flatten)]
    chunking: ChunkFlags,
}

impl Details {
    /// What is added with these flags.
    pub(super) fn addition(&self) -> Addition {
        Addition {
            name: None,
            kind: self.kind.map(Into::into),
            title: self.title.clone(),
            versions: self.versions.clone(),
            tags: self.tags.clone(),
            selection: self.selection(),
            chunking: self.chunking.settings(),
        }
    }

    fn selection(&self) -> Selection {
        let mut selection = Selection::default();
        selection.include.clone_from(&self.include);
        selection.ignore.clone_from(&self.ignore);
        selection.max_file_size = self.max_file_size;
        selection.secrets = self.secrets;
        selection.ignore_files = self.no_ignore.map(|no_ignore| !no_ignore);
        selection
    }
}

fn secrets(text: &str) -> Result<Secrets, &'static str> {
    match text {
        "skip" => Ok(Secrets::Skip),
        "index" => Ok(Secrets::Index),
        _ => Err("expected skip or index"),
    }
}

/// The report of a collection that was added or edited.
#[derive(Serialize)]
struct CollectionReport<'a> {
    schema: u32,
    /// The name of the collection.
    collection: &'a str,
    documents: usize,
    chunks: usize,
    warnings: &'a [Warned],
    #[serde(flatten)]
    sync: &'a SyncReport,
}

/// Reports what a collection contains that was added or edited.
pub(super) fn report(reply: &AddReply, json: bool) -> anyhow::Result<Outcome> {
    let mut output = Output::new();
    let name = &reply.collection.name;
    let Contents {
        documents,
        chunks,
        warnings,
    } = &reply.contents;
    let Some(report) = &reply.report else {
        return Ok(Outcome::Done);
    };
    if json {
        output.json(&CollectionReport {
            schema: SCHEMA,
            collection: name,
            documents: *documents,
            chunks: *chunks,
            warnings,
            sync: report,
        })?;
    } else {
        print_report(&mut output, (name, Some(name)), report, false)?;
        let (documents, chunks) = (counted(*documents, "document"), counted(*chunks, "chunk"));
        output.line(output.safe(&format!("{documents} in {chunks}: search with `-c {name}`")))?;
        let (warnings, more) = reply.contents.first_warnings(WARNINGS, str::to_string);
        let more =
            (more > 0).then(|| format!("{more} more; `excerpt chunk` shows each with its chunk"));
        for warning in warnings.into_iter().chain(more) {
            output.line(output.safe(&format!("warning: {warning}")))?;
        }
    }
    output.flush()?;
    Ok(Outcome::Done)
}
