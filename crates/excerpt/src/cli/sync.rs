//! `excerpt sync`: brings the index of a folder in step with its files.

use std::path::{Path, PathBuf};

use excerpt_index::{Index, OpenOptions, SyncReport};

use crate::cli::background;
use crate::cli::place::{self, IndexArgs};
use crate::cli::project::{Configuration, EmbeddingArgs};
use crate::cli::watch;
use crate::exit::Outcome;
use crate::output::{Output, counted, thousands};

/// Bring the index of a folder in step with its files
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The folder or file to index
    #[arg(default_value = ".")]
    path: PathBuf,
    /// Print what was done as JSON
    #[arg(long)]
    json: bool,
    /// Go on, and take up each change of the files, until Ctrl-C
    #[arg(long, conflicts_with = "background")]
    watch: bool,
    /// Nobody waits for it: leave the terminal, and the processor to others
    #[arg(long, hide = true)]
    background: bool,
    #[command(flatten)]
    index: IndexArgs,
    #[command(flatten)]
    embedding: EmbeddingArgs,
}

/// Syncs and reports.
pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    if args.background {
        background::retire();
    }
    let place = args.index.locate(&args.path)?;
    let configuration = Configuration::read(&place.root, &args.embedding)?;
    let index = Index::open(&place.index, OpenOptions::create())?;
    let mut index = configuration.embedding.given_to(index)?;
    let options = place::options(&configuration);
    if args.watch {
        return watch::run(&mut index, &place.root, &options, args.json);
    }
    let report = place::sync(&mut index, &place.root, &options, None)?;
    print(&report, &place.root, args.json)?;
    Ok(Outcome::Done)
}

/// Prints what a sync of `root` did.
pub(crate) fn print(report: &SyncReport, root: &Path, json: bool) -> anyhow::Result<()> {
    let mut output = Output::new();
    match json {
        true => output.json(report)?,
        false => {
            output.line(format!("{}: {}", root.display(), done(report)))?;
            if !report.skipped.is_empty() {
                output.line(format!(
                    "skipped {}; `excerpt status --skips` lists them",
                    skipped(report)
                ))?;
            }
            if let Some(reason) = &report.without_vectors {
                output.line(output.safe(&format!(
                    "without vectors: {reason}; keywords find the documents meanwhile"
                )))?;
            }
        }
    }
    Ok(output.flush()?)
}

/// What a sync did, in a few words.
pub(crate) fn done(report: &SyncReport) -> String {
    let counts = [
        (report.added, "added"),
        (report.changed, "changed"),
        (report.recut, "cut again"),
        (report.removed, "removed"),
        (report.unchanged, "unchanged"),
    ];
    let said = counts.iter().filter(|(count, _)| *count > 0);
    let said: Vec<String> = said
        .map(|(count, what)| format!("{} {what}", thousands(*count)))
        .collect();
    let said = match said.is_empty() {
        true => "no documents".to_string(),
        false => said.join(", "),
    };
    let read = counted(report.read, "file");
    format!(
        "{said} · {read} read, {:.1} MB · {:.2} s",
        report.bytes_read as f64 / 1e6,
        report.seconds
    )
}

fn skipped(report: &SyncReport) -> String {
    let skipped = report
        .skipped
        .iter()
        .map(|(reason, count)| format!("{} {reason}", thousands(*count)));
    skipped.collect::<Vec<_>>().join(", ")
}
