//! `excerpt add`: makes a folder, a file or a text a collection of the library, with its own chunking settings, files and attributes.

use std::io::Read as _;
use std::path::PathBuf;

use anyhow::{Context as _, bail};
use excerpt_index::{Files, Index, OpenOptions, Secrets, Selection, decode};

use crate::cli::chunk;
use crate::cli::flags::ChunkFlags;
use crate::cli::sync::told;
use crate::exit::Outcome;
use crate::output::Output;
use crate::place::project::{Configuration, EmbeddingArgs};
use crate::place::{self, Addition, IndexArgs, Kind, Syncable, patiently};

/// Add a folder, a file or a text to the library, to be searched by name from anywhere
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A folder, a file, or - for text from standard input
    #[arg(value_name = "FOLDER|FILE|-")]
    source: String,
    /// The name of the collection [default: the name of the folder or file]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// The type of its documents
    #[arg(long = "type", short = 't', value_enum, value_name = "TYPE")]
    kind: Option<Kind>,
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
    /// Add what `.gitignore` and the like exclude, too
    #[arg(long)]
    no_ignore: bool,
    /// The size in bytes above which a file is skipped [default: 2097152]
    #[arg(long, value_name = "BYTES", hide_short_help = true)]
    max_file_size: Option<u64>,
    /// Whether to skip or index files that contain keys or passwords [default: skip]
    #[arg(long, value_name = "WHAT", value_parser = secrets, hide_short_help = true)]
    secrets: Option<Secrets>,
    /// Show how the documents would be split, and store nothing
    #[arg(long)]
    preview: bool,
    /// Print the result, or the preview, as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    chunking: ChunkFlags,
    #[command(flatten)]
    index: IndexArgs,
    #[command(flatten)]
    embedding: EmbeddingArgs,
}

/// Adds the collection and syncs it.
pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let given = match &*args.source {
        "-" => Some(standard_input()?),
        _ => None,
    };
    let root = match given {
        Some(_) => PathBuf::from("."),
        None => PathBuf::from(&args.source)
            .canonicalize()
            .with_context(|| format!("cannot read `{}`", args.source))?,
    };
    if args.title.is_some() && given.is_none() && root.is_dir() {
        bail!(
            "`--title` names one document, and `{}` is a folder: leave it out",
            args.source
        );
    }
    let addition = args.addition();
    let collection = addition.collection(given.is_none().then_some(&*root))?;
    let configuration = match given {
        Some(_) => Configuration::of_user(&args.embedding)?,
        None => Configuration::read(&root, &args.embedding)?.told(),
    };
    if let Some(text) = &given {
        let selection = configuration.options_of(&collection).selection;
        Addition::check_text(&addition.file_name(&collection), text, &selection)?;
    }
    if given.is_none() && root.is_file() {
        let selection = configuration.options_of(&collection).selection;
        place::check_file(&args.source, &root, &selection)?;
    }
    let mut output = Output::new();
    if args.preview {
        let title = collection.attributes.title.clone();
        let options = configuration.options_of(&collection);
        let preview = chunk::Preview::new(&mut output, options.chunking.clone(), args.json, title)?;
        match &given {
            Some(text) => preview.text(&addition.file_name(&collection), text)?,
            None => preview.files(&Files::selected(&root, &options.selection)?)?,
        }
        output.flush()?;
        return Ok(Outcome::Done);
    }
    let embedding = Configuration::of_user(&args.embedding)?.embedding;
    let index = Index::open(&args.index.library()?, OpenOptions::create())?;
    let mut index = embedding.given_to(index)?;
    let collection = match &given {
        Some(text) => {
            let file = addition.file_name(&collection);
            patiently(|| index.give(collection.clone(), &file, text))?
        }
        None => {
            patiently(|| index.add(collection.clone()))?;
            collection
        }
    };
    let source = Syncable {
        root: collection.root.clone(),
        options: configuration.options_of(&collection),
        collection: Some(collection),
    };
    let report = patiently(|| place::sync(&mut index, &source, None))?;
    told(&mut output, &source, &report, args.json)?;
    output.flush()?;
    Ok(Outcome::Done)
}

impl Args {
    fn addition(&self) -> Addition {
        let mut selection = Selection::default();
        selection.include.clone_from(&self.include);
        selection.ignore.clone_from(&self.ignore);
        selection.max_file_size = self.max_file_size;
        selection.secrets = self.secrets;
        selection.ignore_files = self.no_ignore.then_some(false);
        Addition {
            name: self.name.clone(),
            kind: self.kind,
            title: self.title.clone(),
            versions: self.versions.clone(),
            tags: self.tags.clone(),
            selection,
            chunking: self.chunking.settings(),
        }
    }
}

fn secrets(text: &str) -> Result<Secrets, &'static str> {
    match text {
        "skip" => Ok(Secrets::Skip),
        "index" => Ok(Secrets::Index),
        _ => Err("expected skip or index"),
    }
}

fn standard_input() -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes)?;
    let (text, _) = decode(bytes)
        .map_err(|reason| anyhow::anyhow!("standard input cannot be added: {reason}"))?;
    Ok(text)
}
