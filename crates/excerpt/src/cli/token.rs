//! `excerpt token`: who may reach a server, and what they see.

use std::path::PathBuf;

use clap::Subcommand;
use excerpt_service::access::{Expiry, Grant, Token, TokenFile, TokenRequest};
use serde::Serialize;

use crate::cli::choice::IndexArgs;
use crate::cli::exit::Outcome;
use crate::output::{Output, SCHEMA, ago, ahead, say};

/// Create, list and revoke the tokens of `excerpt serve`
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
    /// The file with the tokens [default: one in the user's data folder]
    #[arg(long, value_name = "FILE", global = true)]
    tokens: Option<PathBuf>,
    #[command(flatten)]
    index: IndexArgs,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Create a token and print it; it is shown only once
    Add(AddArgs),
    /// List the tokens
    List {
        /// Print each token as a line of JSON
        #[arg(long)]
        json: bool,
    },
    /// Revoke a token: servers refuse it at once
    Revoke {
        /// The name of the token
        name: String,
    },
}

#[derive(Debug, clap::Args)]
struct AddArgs {
    /// The name of the token
    name: String,
    /// Give access only to this collection; repeatable [default: all that a server serves]
    #[arg(long = "collection", short = 'c', value_name = "NAME")]
    collections: Vec<String>,
    /// Give access only to this folder, a path relative to what is served
    #[arg(long, value_name = "FOLDER")]
    under: Option<String>,
    /// Allow the token to add, change, remove and sync collections, and to save notes
    #[arg(long)]
    write: bool,
    /// How long the token is valid, such as 30m, 12h, 30d or 4w [default: forever]
    #[arg(long, value_name = "TIME", value_parser = expiry)]
    expires: Option<Expiry>,
}

fn expiry(text: &str) -> Result<Expiry, String> {
    text.parse()
        .map_err(|error: excerpt_service::ServiceError| error.to_string())
}

/// Does what `args` ask for.
pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let file = match &args.tokens {
        Some(file) => file.clone(),
        None => excerpt_service::access::folder()?.join("tokens.json"),
    };
    let file = TokenFile::at(file);
    let mut output = Output::new();
    match &args.action {
        Action::Add(add) => {
            let request = TokenRequest {
                name: add.name.clone(),
                grant: Grant {
                    collections: add.collections.clone(),
                    under: add.under.clone(),
                    write: add.write,
                },
                expiry: add.expires,
            };
            let library = args.index.choice().library()?;
            let made = file.add(&request, Some(&library))?;
            output.line(&made.secret)?;
            output.flush()?;
            say(&format!(
                "note: this token is shown once; send it as `Authorization: Bearer …`, and revoke it with `excerpt token revoke {}`",
                made.token.name
            ));
        }
        Action::List { json } => {
            let all = file.all()?;
            for token in &all {
                match json {
                    true => output.json(&Line {
                        schema: SCHEMA,
                        name: &token.name,
                        grant: &token.grant,
                        created: token.created,
                        expires: token.expires,
                        expired: token.has_expired(),
                    })?,
                    false => {
                        let line = described(token);
                        output.line(output.safe(&line))?;
                    }
                }
            }
            output.flush()?;
            if all.is_empty() {
                say("no tokens: `excerpt token add` makes one");
                return Ok(Outcome::Nothing);
            }
        }
        Action::Revoke { name } => {
            let token = file.revoke(name)?;
            say(&format!("revoked `{}`", token.name));
        }
    }
    Ok(Outcome::Done)
}

/// A token as JSON.
#[derive(Serialize)]
struct Line<'a> {
    schema: u32,
    name: &'a str,
    #[serde(flatten)]
    grant: &'a Grant,
    created: i64,
    expires: Option<i64>,
    expired: bool,
}

fn described(token: &Token) -> String {
    let grant = &token.grant;
    let shows = match grant.collections.is_empty() {
        true => "everything that is served".to_string(),
        false => grant.collections.join(", "),
    };
    let under = grant.under.as_ref().map(|under| format!(" under {under}"));
    let rights = match grant.write {
        true => "reads and writes",
        false => "reads",
    };
    let end = match token.expires {
        _ if token.has_expired() => "expired".to_string(),
        Some(end) => format!("expires {}", ahead(end)),
        None => "never expires".to_string(),
    };
    format!(
        "{} · {rights} {shows}{} · {end} · made {}",
        token.name,
        under.unwrap_or_default(),
        ago(token.created)
    )
}
