//! `excerpt add`: makes a folder, a file or a text a collection of the library, with a cut, files and attributes of its own.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use clap::ValueEnum;
use excerpt_index::{Attributes, Collection, Files, Index, OpenOptions, Selection, decode};

use crate::cli::chunk;
use crate::cli::flags::ChunkFlags;
use crate::cli::sync::told;
use crate::exit::Outcome;
use crate::output::Output;
use crate::place::project::{Configuration, EmbeddingArgs};
use crate::place::{self, IndexArgs, Syncable};

/// Add a folder, a file or a text to the library, to be searched by name from anywhere
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A folder, a file, or - for a text from standard input
    #[arg(value_name = "FOLDER|FILE|-")]
    source: String,
    /// What the collection is called [default: the name of the folder or file]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// What its documents are
    #[arg(long = "type", short = 't', value_enum, value_name = "TYPE")]
    kind: Option<Kind>,
    /// The title, of a file or a text
    #[arg(long, value_name = "TITLE")]
    title: Option<String>,
    /// A version that its documents are about: 3.12, 3.x, >=2.1; may be given several times
    #[arg(long = "version", value_name = "VERSION")]
    versions: Vec<String>,
    /// Words to filter by, with commas between
    #[arg(long, value_name = "TAGS", value_delimiter = ',')]
    tags: Vec<String>,
    /// Only files that match this pattern, written as in a .gitignore; may be given several times
    #[arg(long, value_name = "PATTERN")]
    include: Vec<String>,
    /// Leave out what matches this pattern; may be given several times
    #[arg(long, value_name = "PATTERN")]
    ignore: Vec<String>,
    /// The size in bytes above which a file is left out [default: 2097152]
    #[arg(long, value_name = "BYTES", hide_short_help = true)]
    max_file_size: Option<u64>,
    /// Show how the documents would be cut, and store nothing
    #[arg(long)]
    preview: bool,
    /// Print what was done, or the preview, as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    chunking: ChunkFlags,
    #[command(flatten)]
    index: IndexArgs,
    #[command(flatten)]
    embedding: EmbeddingArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Something to read
    Doc,
    /// Something to run
    Script,
}

/// Adds the collection and brings it in step.
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
    let collection = collection(args, &root)?;
    let configuration = match given {
        Some(_) => Configuration::of_user(&args.embedding)?,
        None => Configuration::read(&root, &args.embedding)?,
    };
    let mut output = Output::new();
    if args.preview {
        let title = collection.attributes.title.clone();
        let options = configuration.options_of(&collection);
        let preview = chunk::Preview::new(&mut output, options.chunking.clone(), args.json, title)?;
        match &given {
            Some(text) => preview.text(&file_name(&collection, args.kind), text)?,
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
            let file = file_name(&collection, args.kind);
            index.give(collection, &file, text)?
        }
        None => {
            index.add(collection.clone())?;
            collection
        }
    };
    let source = Syncable {
        root: collection.root.clone(),
        options: configuration.options_of(&collection),
        collection: Some(collection),
    };
    let report = place::sync(&mut index, &source, None)?;
    told(&mut output, &source, &report, args.json)?;
    output.flush()?;
    Ok(Outcome::Done)
}

fn collection(args: &Args, root: &Path) -> anyhow::Result<Collection> {
    let name = match (&args.name, &args.title, &*args.source) {
        (Some(name), ..) => name.clone(),
        (None, Some(title), "-") => Collection::name_for(Path::new(title)),
        (None, None, "-") => bail!("a text has no name: give `--name` or `--title`"),
        _ => Collection::name_for(root),
    };
    let mut attributes = Attributes::default();
    attributes.kind = args.kind.map(|kind| match kind {
        Kind::Doc => "doc".to_string(),
        Kind::Script => "script".to_string(),
    });
    attributes.title.clone_from(&args.title);
    attributes.versions.clone_from(&args.versions);
    let tags = args.tags.iter().map(|tag| tag.trim().to_string());
    attributes.tags = tags.filter(|tag| !tag.is_empty()).collect();
    let mut selection = Selection::default();
    selection.include.clone_from(&args.include);
    selection.ignore.clone_from(&args.ignore);
    selection.max_file_size = args.max_file_size;
    let mut collection = Collection::new(name, root);
    collection.chunking = args.chunking.settings();
    collection.attributes = attributes;
    collection.selection = selection;
    Ok(collection)
}

/// The name of the file that a text is kept in: its ending tells how it is read.
fn file_name(collection: &Collection, kind: Option<Kind>) -> String {
    let name = &collection.name;
    match kind {
        _ if Path::new(name).extension().is_some() => name.clone(),
        Some(Kind::Script) => format!("{name}.sh"),
        _ => format!("{name}.md"),
    }
}

fn standard_input() -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes)?;
    decode(bytes).map_err(|reason| anyhow::anyhow!("standard input cannot be added: {reason}"))
}
