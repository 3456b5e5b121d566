//! `excerpt status`: what the index of a folder contains, and whether it is up to date.

use std::fmt;
use std::path::PathBuf;

use excerpt_index::{
    ActiveWriter, Keywords, LastSync, SourceStatus, SourceSummary, Status, VectorStatus,
};
use excerpt_service::text::{counted, either, thousands};
use excerpt_service::{Configuration, Paths, RemoteStatus, StatusReply};
use owo_colors::Style;
use serde::Serialize;

use crate::cli::choice::{CollectionArgs, EmbeddingArgs, IndexArgs, target};
use crate::cli::config;
use crate::cli::exit::Outcome;
use crate::output::{Output, SCHEMA, ago, ahead};

/// Show what the index of a folder contains, and whether it is up to date
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The folder or file
    #[arg(default_value = ".")]
    path: PathBuf,
    /// List every file and folder that was skipped, with the reason
    #[arg(long, conflicts_with = "config")]
    skips: bool,
    /// Show every setting in effect, and where it comes from
    #[arg(long)]
    config: bool,
    /// Print the status as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    collections: CollectionArgs,
    #[command(flatten)]
    index: IndexArgs,
    #[command(flatten)]
    embedding: EmbeddingArgs,
}

#[derive(Serialize)]
struct StatusReport<'a> {
    schema: u32,
    #[serde(flatten)]
    reply: &'a StatusReply,
}

/// Prints the status.
pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let target = target(&args.path, &args.collections, &args.index, &args.embedding)?;
    let mut output = Output::new();
    if args.config {
        for source in &target.sources {
            let collection = source.collection.as_ref();
            let configuration = Configuration::read(&source.root, &args.embedding.choice())?
                .searched_with(&target.configuration);
            config::print(
                &mut output,
                &configuration,
                collection,
                &source.options,
                args.json,
            )?;
        }
        output.flush()?;
        return Ok(Outcome::Done);
    }
    let paths = target.paths(&args.path);
    let reply = target.status(args.skips, &paths)?;
    match args.json {
        true => output.json(&StatusReport {
            schema: SCHEMA,
            reply: &reply,
        })?,
        false => {
            people(&mut output, &reply, &paths)?;
            for skip in reply.skips.iter().flatten() {
                let detail = skip.detail.as_ref();
                let detail = detail.map(|detail| format!(" ({detail})"));
                let line = format!(
                    "    {}: {}{}",
                    skip.path,
                    skip.reason,
                    detail.unwrap_or_default()
                );
                output.line(output.safe(&line))?;
            }
        }
    }
    output.flush()?;
    Ok(Outcome::Done)
}

fn people(output: &mut Output, reply: &StatusReply, paths: &Paths) -> anyhow::Result<()> {
    let (status, stale) = (&reply.status, reply.stale);
    let configured = reply.configured_embedder.as_deref();
    let index = reply.index.display().to_string();
    output.line(format!("index     {}", output.safe(&index)))?;
    let (documents, chunks) = (
        counted(status.documents, "document"),
        counted(status.chunks, "chunk"),
    );
    let (text, disk) = (size(status.text_bytes), size(status.disk_bytes));
    let sizes = match reply.is_part {
        true => format!("{text} in files; the whole index takes {disk} on disk"),
        false => format!("{text} of text; {disk} on disk"),
    };
    output.line(format!("contains  {documents} in {chunks}, {sizes}"))?;
    let remedy = Remedy::with(reply.writer.as_ref());
    output.line(format!("keywords  {}", keywords(status.keywords, remedy)))?;
    let state = format!("vectors   {}", vectors(status, configured, remedy));
    output.line(output.safe(&state))?;
    let failure = status.vectors.failure.as_ref();
    let failure = failure.filter(|_| configured.is_some());
    let failure = failure.map(|failure| format!("the last sync computed none: {failure}"));
    for line in refused(&status.vectors).into_iter().chain(failure) {
        output.line(output.safe(&format!("          {line}")))?;
    }
    if let Some(building) = &status.building {
        output.line(format!(
            "settings  {} of {} {} not split by the new settings yet; until then, searches use the old state{remedy}",
            thousands(building.remaining),
            counted(building.documents, "document"),
            either(building.remaining, "is", "are")
        ))?;
    } else if stale > 0 {
        output.line(format!(
            "settings  {} split with other settings{remedy}",
            counted(stale, "document")
        ))?;
    }
    for source in &status.sources {
        let writer = reply.writer.as_ref();
        of_source(output, source, writer, paths)?;
        let remotes = reply.remotes.iter();
        for remote in remotes.filter(|remote| remote.source == source.root) {
            for line in remote_lines(remote) {
                output.line(output.safe(&format!("    {line}")))?;
            }
        }
    }
    Ok(())
}

/// What changes a state that is not up to date: the end of a message about it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Remedy {
    /// The process that is writing the index.
    Writer,
    /// A sync by the user.
    Sync,
}

impl Remedy {
    pub(super) fn with(writer: Option<&ActiveWriter>) -> Remedy {
        writer.map_or(Remedy::Sync, |_| Remedy::Writer)
    }
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Remedy::Writer => ", being updated",
            Remedy::Sync => ": run `excerpt sync`",
        })
    }
}

/// The state of the keyword index.
pub(super) fn keywords(keywords: Keywords, remedy: Remedy) -> String {
    match keywords {
        Keywords::InStep => "up to date".to_string(),
        Keywords::Behind => format!("out of date{remedy}"),
        _ => format!("missing{remedy}"),
    }
}

/// The state of the vectors. `configured` is the embedder that computes them.
pub(super) fn vectors(status: &Status, configured: Option<&str>, remedy: Remedy) -> String {
    let vectors = &status.vectors;
    match (vectors.embedder.as_deref(), configured) {
        (Some(held), None) => format!("switched off; those of `{held}` are kept"),
        (None, None) => "switched off".to_string(),
        _ if status.documents == 0 => "up to date".to_string(),
        (None, Some(_)) => format!("none{remedy}"),
        (Some(held), Some(configured)) if held != configured => {
            let next = vectors.next.as_ref();
            let next = next.filter(|next| next.embedder == configured);
            let behind = next.map_or(status.documents, |next| next.behind);
            let behind = counted(behind, "document");
            format!("by `{held}`, with {behind} still to be embedded by `{configured}`{remedy}")
        }
        (Some(held), _) if vectors.behind == 0 => format!("up to date, by `{held}`"),
        (Some(held), _) => {
            let documents = counted(vectors.behind, "document");
            format!("{documents} out of date, by `{held}`{remedy}")
        }
    }
}

/// The texts that the embedder rejects, and why.
pub(super) fn refused(vectors: &VectorStatus) -> Option<String> {
    let texts = counted(vectors.refused, "text");
    let reason = vectors.refusal.as_deref().unwrap_or("no reason given");
    (vectors.refused > 0)
        .then(|| format!("{texts} rejected by the embedder and found by keywords only: {reason}"))
}

/// When a source was synced, or that the process that is writing the index may be syncing it.
pub(super) fn state(source: Option<&SourceStatus>, writer: Option<&ActiveWriter>) -> String {
    let writer = writer.filter(|_| source.is_none_or(is_written));
    let last = source.and_then(|source| source.last_sync);
    writer.map_or_else(|| synced(last), written)
}

/// Whether the process that is writing the index may be syncing this source.
fn is_written(source: &SourceStatus) -> bool {
    source.last_sync.is_none_or(|last| last.finished.is_none())
}

/// `writer` is the process that is writing the index.
fn of_source(
    output: &mut Output,
    source: &SourceStatus,
    writer: Option<&ActiveWriter>,
    paths: &Paths,
) -> anyhow::Result<()> {
    let root = match &source.name {
        Some(name) => format!("{name} · {}", source.root.display()),
        None => source.root.display().to_string(),
    };
    let root = output.styled(&root, Style::new().bold());
    let (documents, chunks) = (
        counted(source.documents, "document"),
        counted(source.chunks, "chunk"),
    );
    output.line(format!(
        "{root}: {documents} in {chunks}, {}",
        state(Some(source), writer)
    ))?;
    let shown = |path: &str| paths.address(source.name.as_deref(), &source.root, path);
    let lines = source.summary.iter();
    for (name, entries) in lines.flat_map(|lines| summary(lines, shown)) {
        if !entries.is_empty() {
            let line = format!("    {name}: {}", entries.join(" · "));
            output.line(output.safe(&line))?;
        }
    }
    if !source.skipped.is_empty() {
        let skipped = source
            .skipped
            .iter()
            .map(|(reason, count)| format!("{} {reason}", thousands(*count)));
        output.line(format!(
            "    skipped: {}",
            skipped.collect::<Vec<_>>().join(", ")
        ))?;
    }
    Ok(())
}

/// What is known about a source that is not on this disk.
fn remote_lines(remote: &RemoteStatus) -> Vec<String> {
    let state = &remote.state;
    let served = match (&state.commit, state.objects) {
        (Some(commit), _) => commit.get(..12).unwrap_or(commit).to_string(),
        (None, Some(objects)) => format!("a listing of {}", counted(objects, "document")),
        (None, None) => "nothing yet".to_string(),
    };
    let reached = match state.reached {
        Some(at) => format!("reached {}", ago(at)),
        None => "never reached".to_string(),
    };
    let mut lines = vec![format!("serves {served}, {reached}")];
    if let (Some(failure), Some(tried)) = (&state.failure, state.tried) {
        lines.push(format!("failed {}: {failure}", ago(tried)));
        lines.push(format!(
            "`excerpt sync` tries again at once, and what watches or serves it {}",
            ahead(remote.next)
        ));
    }
    lines
}

/// The entries of a summary, by kind.
fn summary(
    summary: &SourceSummary,
    shown: impl Fn(&str) -> String,
) -> [(&'static str, Vec<String>); 3] {
    let domains = summary.domains.iter();
    let domains =
        domains.map(|domain| format!("{} ({})", domain.name, thousands(domain.documents)));
    let topics = summary.topics.iter();
    let topics = topics.map(|topic| format!("{} ({})", topic.heading, shown(&topic.path)));
    let newest = summary.newest.iter();
    let newest = newest.map(|newest| format!("{} ({})", shown(&newest.path), ago(newest.modified)));
    [
        ("domains", some(domains, summary.domains_total)),
        ("topics", some(topics, summary.topics_total)),
        ("newest", some(newest, summary.documents)),
    ]
}

/// The first few of `entries`, and how many of `total` are not shown.
fn some(entries: impl Iterator<Item = String>, total: usize) -> Vec<String> {
    const SHOWN: usize = 5;
    let mut shown: Vec<String> = entries.take(SHOWN).collect();
    if total > shown.len() {
        shown.push(format!("{} more", thousands(total - shown.len())));
    }
    shown
}

/// What another process is doing to the index.
pub(super) fn written(writer: &ActiveWriter) -> String {
    let so_far = writer.progress.map(|so_far| {
        let indexed = thousands(so_far.indexed);
        format!(": {indexed} of {}", counted(so_far.listed, "file"))
    });
    format!(
        "being indexed by another process{}",
        so_far.unwrap_or_default()
    )
}

pub(super) fn synced(last: Option<LastSync>) -> String {
    match last {
        None => "never synced: run `excerpt sync`".to_string(),
        Some(LastSync {
            finished: Some(finished),
            ..
        }) => format!("synced {}", ago(finished)),
        Some(last) => format!(
            "a sync started {} did not finish: run `excerpt sync`",
            ago(last.started)
        ),
    }
}

/// A number of bytes with a unit.
pub(super) fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}
