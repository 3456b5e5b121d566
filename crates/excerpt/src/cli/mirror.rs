//! `excerpt mirror`: writes the documents of a collection to a folder or an object store.

use excerpt_index::{MirrorReport, MirrorStep};
use excerpt_service::text::counted;
use excerpt_service::{MirrorReply, MirrorRequest};

use crate::cli::choice::{EmbeddingArgs, IndexArgs};
use crate::cli::exit::Outcome;
use crate::cli::messages::index_error;
use crate::cli::sync;
use crate::output::{Output, say};
use crate::progress::Bar;

/// Write the documents of a collection to a folder or an object store
///
/// The collection is updated first. Each document becomes one file or object. Later runs write only
/// what has changed or is missing at the destination, and remove only what an earlier run wrote. If
/// the source of the collection cannot be reached, nothing is removed.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The collection
    #[arg(long, short, value_name = "NAME")]
    collection: String,
    /// A folder, or an object store such as s3://bucket/prefix
    destination: String,
    /// The address of an object store [default: that of the provider]
    #[arg(long, value_name = "URL")]
    endpoint: Option<String>,
    /// Put the path, domain, title and commit in front of each document in Markdown or plain text
    /// that does not begin with `---`
    #[arg(long)]
    front_matter: bool,
    /// Print what would be written and removed, without changing the destination
    #[arg(long)]
    dry_run: bool,
    /// Also replace and remove files that something other than this mirror wrote or changed
    #[arg(long)]
    overwrite: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    index: IndexArgs,
    #[command(flatten)]
    embedding: EmbeddingArgs,
}

/// Mirrors and reports.
pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let request = MirrorRequest {
        collection: args.collection.clone(),
        destination: args.destination.clone(),
        endpoint: args.endpoint.clone(),
        front_matter: args.front_matter,
        overwrite: args.overwrite,
        dry_run: args.dry_run,
    };
    let (index, embedding) = (args.index.choice(), args.embedding.choice());
    let mut output = Output::new();
    let mut printed = Ok(());
    let reply = request.mirror(&index, &embedding, &mut Bar::new(), |step| {
        if args.dry_run && !args.json && printed.is_ok() {
            printed = print_step(&mut output, &step);
        }
    })?;
    printed?;
    match args.json {
        true => output.json(&reply)?,
        false => print(&mut output, &reply, args.dry_run)?,
    }
    output.flush()?;
    if let Some(error) = &reply.outdated {
        say(&format!(
            "{}; mirrored the documents already in the index and removed nothing",
            index_error(error)
        ));
    }
    Ok(
        match reply.outdated.is_some() || !reply.report.conflicts.is_empty() {
            true => Outcome::Attention,
            false => Outcome::Done,
        },
    )
}

fn print_step(output: &mut Output, step: &MirrorStep) -> anyhow::Result<()> {
    match step {
        MirrorStep::Write(path) => output.line(format!("write  {}", output.safe(path)))?,
        MirrorStep::Remove(path) => output.line(format!("remove {}", output.safe(path)))?,
        _ => {}
    }
    Ok(())
}

fn print(output: &mut Output, reply: &MirrorReply, is_dry_run: bool) -> anyhow::Result<()> {
    let names = format!("{} → {}", reply.collection, reply.destination);
    output.line(format!(
        "{}: {}",
        output.safe(&names),
        done(&reply.report, is_dry_run)
    ))?;
    for conflict in &reply.report.conflicts {
        let line = format!("skipped {}: {}", conflict.path, conflict.reason);
        output.line(output.safe(&line))?;
    }
    if !reply.report.conflicts.is_empty() {
        say(&format!(
            "skipped {}; use --overwrite to replace files that something else wrote or changed",
            counted(reply.report.conflicts.len(), "path")
        ));
    }
    Ok(())
}

/// The result, on one line.
fn done(report: &MirrorReport, is_dry_run: bool) -> String {
    let (written, removed) = match is_dry_run {
        true => ("to be written", "to be removed"),
        false => ("written", "removed"),
    };
    let said = sync::counts_of(&[
        (report.written, written),
        (report.removed, removed),
        (report.unchanged, "unchanged"),
    ]);
    match is_dry_run {
        true => said,
        false => format!("{said} · {:.1} MB", report.bytes_written as f64 / 1e6),
    }
}
