//! `excerpt hook`: the hooks with which git hosts report a push to a server.

use clap::Subcommand;
use excerpt_service::access::HookFile;
use serde::Serialize;

use crate::cli::choice::IndexArgs;
use crate::cli::exit::Outcome;
use crate::output::{Output, SCHEMA, ago, say};

/// Create, list and remove the hooks of `excerpt serve`
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
    #[command(flatten)]
    index: IndexArgs,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Create a webhook and print its secret, to be entered at the host of the repository
    Add {
        /// The name of the hook, the last part of its address: /hooks/NAME
        name: String,
        /// A collection to fetch when it is called; repeatable [default: the one of the same name]
        #[arg(long = "collection", short = 'c', value_name = "NAME")]
        collections: Vec<String>,
    },
    /// List the hooks
    List {
        /// Print each hook as a line of JSON
        #[arg(long)]
        json: bool,
    },
    /// Remove a hook: servers refuse its calls at once
    Remove {
        /// The name of the hook
        name: String,
    },
}

/// A hook as JSON.
#[derive(Serialize)]
struct Line<'a> {
    schema: u32,
    name: &'a str,
    collections: &'a [String],
    created: i64,
}

/// Does what `args` ask for.
pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let file = HookFile::at(excerpt_service::access::folder()?.join("hooks.json"));
    let mut output = Output::new();
    match &args.action {
        Action::Add { name, collections } => {
            let hook = file.add(name, collections, &args.index.choice().library()?)?;
            output.line(hook.secret())?;
            output.flush()?;
            say(&format!(
                "note: on the host of the repository, add a webhook for pushes with the address `https://YOUR-SERVER/hooks/{name}`, the content type `application/json` and this secret"
            ));
        }
        Action::List { json } => {
            let all = file.all()?;
            for hook in &all {
                match json {
                    true => output.json(&Line {
                        schema: SCHEMA,
                        name: &hook.name,
                        collections: &hook.collections,
                        created: hook.created,
                    })?,
                    false => {
                        let collections = hook.collections.join(", ");
                        let made = ago(hook.created);
                        let line = format!("{} · fetches {collections} · made {made}", hook.name);
                        output.line(output.safe(&line))?;
                    }
                }
            }
            output.flush()?;
            if all.is_empty() {
                say("no hooks: `excerpt hook add` makes one");
                return Ok(Outcome::Nothing);
            }
        }
        Action::Remove { name } => {
            let hook = file.remove(name)?;
            say(&format!("removed `{}`", hook.name));
        }
    }
    Ok(Outcome::Done)
}
