//! `excerpt eval mine`: makes a set of questions from any folder.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use excerpt_index::eval::{Mine, Mined};
use excerpt_service::text::counted;
use serde::Serialize;

use crate::cli::exit::Outcome;
use crate::cli::values::at_least_one;
use crate::output::{Output, SCHEMA};

/// Make a set of questions from a folder of documents or source code
///
/// Documentation comments, the words of links and the first sentences of sections are taken out of
/// a copy of the folder, and become the questions. The subjects of git commits become questions,
/// too. The same folder gives the same set.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A folder with documents or source code
    folder: PathBuf,
    /// A new folder to write the set to
    #[arg(long, value_name = "SET")]
    out: PathBuf,
    /// The name of the set [default: the name of the folder]
    #[arg(long)]
    name: Option<String>,
    /// The maximum number of questions of each kind
    #[arg(long, value_name = "N", default_value = "100", value_parser = at_least_one)]
    limit: NonZeroUsize,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// A result as `--json` prints it.
#[derive(Serialize)]
struct Printed<'a> {
    schema: u32,
    #[serde(flatten)]
    mined: &'a Mined,
}

/// Makes a set and reports its questions.
pub(super) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let mut request = Mine::new(&args.folder, &args.out);
    request.name.clone_from(&args.name);
    request.limit = args.limit.get();
    let mined = excerpt_service::mine(&request)?;
    let mut output = Output::new();
    match args.json {
        true => output.json(&Printed {
            schema: SCHEMA,
            mined: &mined,
        })?,
        false => print(&mut output, &mined, args)?,
    }
    output.flush()?;
    Ok(Outcome::Done)
}

fn print(output: &mut Output, mined: &Mined, args: &Args) -> anyhow::Result<()> {
    let all: usize = mined.questions.values().map(of_kind).sum();
    let head = format!(
        "{} · {} · {}",
        mined.name,
        counted(all, "question"),
        counted(mined.files, "document")
    );
    output.line(output.safe(&head))?;
    for (kind, languages) in &mined.questions {
        let mut each: Vec<(&String, &usize)> = languages.iter().collect();
        each.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let each: Vec<String> = each
            .iter()
            .map(|(language, count)| format!("{language} {count}"))
            .collect();
        let count = of_kind(languages);
        output.line(format!("  {kind:<10}  {count:>5}  {}", each.join(", ")))?;
    }
    if !mined.skipped.is_empty() {
        let each = mined.skipped.iter();
        let each: Vec<String> = each
            .map(|(reason, count)| format!("{count} {reason}"))
            .collect();
        output.line(format!("  skipped: {}", each.join(", ")))?;
    }
    if !mined.has_history {
        output.line("  without questions from commits: no history of git was found")?;
    }
    output.line("")?;
    let next = format!("next: excerpt eval {}", args.out.display());
    output.line(output.safe(&next))?;
    Ok(())
}

fn of_kind(languages: &BTreeMap<String, usize>) -> usize {
    languages.values().sum()
}
