//! `excerpt add`: makes a folder, a file or a text a collection of the library, with its own
//! chunking settings, files and attributes.

use std::io::Read as _;

use anyhow::Context as _;
use excerpt_index::decode;
use excerpt_service::{AddInput, AddRequest, Addition, PreparedAddition, RemotePart};

use crate::cli::choice::print_notes;
use crate::cli::chunk;
use crate::cli::details::{self, Details};
use crate::cli::exit::Outcome;
use crate::cli::messages::SyncOf;
use crate::progress::Bar;

/// Add a folder, a file or a text to the library, to be searched by name from anywhere
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A folder, a file, the address of a git repository or an object store, or - for text from
    /// standard input
    #[arg(value_name = "FOLDER|FILE|ADDRESS|-")]
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
    /// For a git repository: index this branch [default: the repository's default branch]
    #[arg(long, value_name = "BRANCH", conflicts_with_all = ["tag", "commit"])]
    branch: Option<String>,
    /// For a git repository: index this tag
    #[arg(long, value_name = "TAG", conflicts_with = "commit")]
    tag: Option<String>,
    /// For a git repository: index this commit, given by its complete id
    #[arg(long, value_name = "ID")]
    commit: Option<String>,
    /// For a git repository: index only this folder
    #[arg(long, value_name = "FOLDER")]
    under: Option<String>,
    /// For an object store: its address, such as https://host, if it is not the provider's own
    #[arg(long, value_name = "URL")]
    endpoint: Option<String>,
    #[command(flatten)]
    details: Details,
}

/// Adds the collection and syncs it.
pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let request = AddRequest {
        input: match &*args.source {
            "-" => AddInput::Text(standard_input()?),
            source => AddInput::Path(source.to_string()),
        },
        addition: args.addition(),
        part: args.part(),
        replace: args.replace,
    };
    let embedding = args.details.embedding.choice();
    let prepared = PreparedAddition::of_user(&request, &embedding)?;
    print_notes(&prepared.configuration.notes);
    if args.preview {
        chunk::preview(&prepared, args.details.json)?;
        return Ok(Outcome::Done);
    }
    let name = prepared.collection.name.clone();
    let added = prepared.add(&args.details.index.choice(), &embedding, &mut Bar::new());
    let reply = added.context(SyncOf(name))?;
    details::report(&reply, args.details.json)
}

impl Args {
    fn part(&self) -> RemotePart {
        RemotePart {
            branch: self.branch.clone(),
            tag: self.tag.clone(),
            commit: self.commit.clone(),
            under: self.under.clone(),
            endpoint: self.endpoint.clone(),
        }
    }

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
