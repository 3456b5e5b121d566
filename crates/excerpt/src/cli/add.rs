//! `excerpt add`: makes a folder, a file or a text a collection of the library, with its own
//! chunking settings, files and attributes.

use std::io::Read as _;
use std::path::PathBuf;

use anyhow::Context as _;
use excerpt_index::{Files, Index, OpenOptions, decode};
use excerpt_service::{Addition, Configuration, check_file, patiently};

use crate::cli::choice::configuration;
use crate::cli::chunk;
use crate::cli::details::{self, Details};
use crate::cli::exit::Outcome;
use crate::output::Output;

/// Add a folder, a file or a text to the library, to be searched by name from anywhere
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A folder, a file, or - for text from standard input
    #[arg(value_name = "FOLDER|FILE|-")]
    source: String,
    /// The name of the collection [default: the name of the folder or file]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Replace the collection of the same folder or file, or the text of the same name
    #[arg(long)]
    replace: bool,
    /// Show how the documents would be split, and store nothing
    #[arg(long)]
    preview: bool,
    #[command(flatten)]
    details: Details,
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
    let addition = args.addition();
    if given.is_none() {
        addition.check_title(&root, &args.source)?;
    }
    let collection = addition.collection(given.is_none().then_some(&*root))?;
    let configuration = match given {
        Some(_) => Configuration::of_user(&args.details.embedding.choice())?,
        None => configuration(&root, &args.details.embedding)?,
    };
    if let Some(text) = &given {
        let selection = configuration.options_of(&collection).selection;
        Addition::check_text(&addition.file_name(&collection), text, &selection)?;
    }
    if given.is_none() && root.is_file() {
        let selection = configuration.options_of(&collection).selection;
        check_file(&args.source, &root, &selection)?;
    }
    let mut output = Output::new();
    if args.preview {
        let title = collection.attributes.title.clone();
        let options = configuration.options_of(&collection);
        let preview = chunk::Preview::new(
            &mut output,
            options.chunking.clone(),
            args.details.json,
            title,
        )?;
        match &given {
            Some(text) => preview.text(&addition.file_name(&collection), text)?,
            None => preview.files(&Files::selected(&root, &options.selection)?)?,
        }
        output.flush()?;
        return Ok(Outcome::Done);
    }
    let embedding = Configuration::of_user(&args.details.embedding.choice())?.embedding;
    let index = Index::open(
        &args.details.index.choice().library()?,
        OpenOptions::create(),
    )?;
    let mut index = embedding.given_to(index)?;
    let collection = match &given {
        Some(text) => {
            let file = addition.file_name(&collection);
            patiently(|| match args.replace {
                true => index.replace_text(collection.clone(), &file, text),
                false => index.add_text(collection.clone(), &file, text),
            })?
        }
        None => {
            patiently(|| match args.replace {
                true => index.replace(collection.clone()),
                false => index.add(collection.clone()),
            })?;
            collection
        }
    };
    details::sync(&mut index, &configuration, collection, args.details.json)
}

impl Args {
    fn addition(&self) -> Addition {
        Addition {
            name: self.name.clone(),
            ..self.details.addition()
        }
    }
}

fn standard_input() -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes)?;
    let (text, _) = decode(bytes)
        .map_err(|reason| anyhow::anyhow!("standard input cannot be added: {reason}"))?;
    Ok(text)
}
