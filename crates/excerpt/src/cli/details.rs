//! The options that `add` and `edit` share, and their report.

use excerpt_index::{Collection, Index, Secrets, Selection, SyncReport, Warned};
use excerpt_service::text::counted;
use excerpt_service::{Addition, Configuration, Contents, Syncable, patiently};
use serde::Serialize;

use crate::cli::choice::{EmbeddingArgs, IndexArgs, TypeName};
use crate::cli::exit::Outcome;
use crate::cli::flags::ChunkFlags;
use crate::cli::sync::told;
use crate::output::{Output, SCHEMA};
use crate::progress::Bar;

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
    /// A version that its documents are about: 3.12, 3.x, >=2.1; may be given several times
    #[arg(long = "version", value_name = "VERSION")]
    versions: Vec<String>,
    /// Words to filter by, separated by commas
    #[arg(long, value_name = "TAGS", value_delimiter = ',')]
    tags: Vec<String>,
    /// Only files that match this pattern, written as in a .gitignore; may be given several times
    #[arg(long, value_name = "PATTERN")]
    include: Vec<String>,
    /// Exclude files that match this pattern; may be given several times
    #[arg(long, value_name = "PATTERN")]
    ignore: Vec<String>,
    /// Add what `.gitignore` and the like exclude, too; `=false` excludes it again
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true", hide_possible_values = true)]
    no_ignore: Option<bool>,
    /// The size in bytes above which a file is skipped [default: 2097152]
    #[arg(long, value_name = "BYTES", hide_short_help = true)]
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

    /// Applies these flags to a collection; unset flags keep their values. An empty title, version,
    /// tag or pattern removes what there is.
    pub(super) fn apply_to(&self, collection: &mut Collection) {
        let said = self.addition().attributes();
        let attributes = &mut collection.attributes;
        if self.title.is_some() {
            attributes.title = said.title;
        }
        if said.kind.is_some() {
            attributes.kind = said.kind;
        }
        if !self.versions.is_empty() {
            attributes.versions = said.versions;
        }
        if !self.tags.is_empty() {
            attributes.tags = said.tags;
        }
        let selection = &mut collection.selection;
        if !self.include.is_empty() {
            selection.include.clear();
        }
        if !self.ignore.is_empty() {
            selection.ignore.clear();
        }
        *selection = self.selection().or(std::mem::take(selection));
        let chunking = &mut collection.chunking;
        *chunking = self.chunking.settings().or(std::mem::take(chunking));
    }

    fn selection(&self) -> Selection {
        let mut selection = Selection::default();
        selection.include = patterns(&self.include);
        selection.ignore = patterns(&self.ignore);
        selection.max_file_size = self.max_file_size;
        selection.secrets = self.secrets;
        selection.ignore_files = self.no_ignore.map(|no_ignore| !no_ignore);
        selection
    }
}

/// The patterns that are not empty: an empty one would match every file, or none.
fn patterns(given: &[String]) -> Vec<String> {
    let given = given.iter();
    let given = given.filter(|pattern| !pattern.trim().is_empty());
    given.cloned().collect()
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

/// Syncs a collection that was added or edited, and reports what it contains now.
pub(super) fn sync(
    index: &mut Index,
    configuration: &Configuration,
    collection: Collection,
    json: bool,
) -> anyhow::Result<Outcome> {
    let mut output = Output::new();
    let name = collection.name.clone();
    let source = Syncable {
        root: collection.root.clone(),
        options: configuration.options_of(&collection),
        collection: Some(collection),
    };
    let report = patiently(|| excerpt_service::sync(index, &source, None, &mut Bar::new()))?;
    let contents = Contents::of(index, &source.root)?;
    let Contents {
        documents, chunks, ..
    } = contents;
    if json {
        output.json(&CollectionReport {
            schema: SCHEMA,
            collection: &name,
            documents,
            chunks,
            warnings: &contents.warnings,
            sync: &report,
        })?;
    } else {
        told(&mut output, &source, &report, false)?;
        let (documents, chunks) = (counted(documents, "document"), counted(chunks, "chunk"));
        output.line(output.safe(&format!("{documents} in {chunks}: search with `-c {name}`")))?;
        let (warnings, more) = contents.first_warnings(WARNINGS, str::to_string);
        let more =
            (more > 0).then(|| format!("{more} more; `excerpt chunk` shows each with its chunk"));
        for warning in warnings.into_iter().chain(more) {
            output.line(output.safe(&format!("warning: {warning}")))?;
        }
    }
    output.flush()?;
    Ok(Outcome::Done)
}
