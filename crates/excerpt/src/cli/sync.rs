//! `excerpt sync`: updates the index of a folder.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use excerpt_index::{SkipReason, SyncReport, read_named};
use excerpt_service::text::{counted, skip_counts, thousands};
use excerpt_service::{PUSH_LIMIT, PushHint, SyncRequest, Syncable};

use crate::cli::background;
use crate::cli::choice::{CollectionArgs, EmbeddingArgs, IndexArgs, target};
use crate::cli::exit::Outcome;
use crate::cli::messages::{SyncOf, command, index_error_of};
use crate::cli::watch;
use crate::invocation::started;
use crate::output::{Output, say};
use crate::progress::Bar;

/// Update the index of a folder
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The folder or file to index
    #[arg(default_value = ".")]
    path: PathBuf,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    /// Retry files that were skipped because of their contents, even if they have not changed
    #[arg(long)]
    retry: bool,
    /// Remove documents that no longer exist, even if the folder has lost all of them, or more than
    /// half of at least 50
    #[arg(long, conflicts_with = "watch")]
    accept_removals: bool,
    /// Index what `.gitignore` and the like exclude, too; the next sync without this flag removes
    /// it again
    #[arg(long)]
    no_ignore: bool,
    /// Fetch only what this push may have changed: the body that GitHub, GitLab, Gitea, Forgejo or
    /// Bitbucket sends, or - for standard input
    #[arg(long, value_name = "FILE", conflicts_with = "watch")]
    from_push: Option<PathBuf>,
    /// Keep running until Ctrl-C: index file changes as they happen, and fetch remote sources every
    /// five minutes
    #[arg(long, conflicts_with = "background")]
    watch: bool,
    /// Run detached from the terminal and at low priority
    #[arg(long, hide = true)]
    background: bool,
    #[command(flatten)]
    collections: CollectionArgs,
    #[command(flatten)]
    index: IndexArgs,
    #[command(flatten)]
    embedding: EmbeddingArgs,
}

/// Syncs and reports.
pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    (started().save_memory)();
    if args.background {
        background::retire();
    }
    let target = target(&args.path, &args.collections, &args.index, &args.embedding)?
        .without_ignore_files(args.no_ignore)
        .synced_as(SyncRequest {
            retry: args.retry,
            accept_removals: args.accept_removals,
        });
    let target = match &args.from_push {
        Some(file) => target.pushed(&PushHint::of(&body(file)?)?),
        None => target,
    };
    if target.sources.is_empty() {
        say("nothing to fetch: the push changed none of these branches and tags");
        return Ok(Outcome::Done);
    }
    if args.watch {
        return watch::run(&target, args.json);
    }
    let mut index = target.writable()?;
    let mut output = Output::new();
    let mut outcome = Outcome::Done;
    // In the background, the other process indexes the same.
    let mut bar = match args.background {
        true => Bar::new(),
        false => Bar::patient(),
    };
    let synced = target.sync(&mut index, &mut bar, |source, synced| {
        match synced {
            Ok(report) => {
                let named = (&*name_of(source), collection_of(source));
                print_report(&mut output, named, &report, args.json)?;
            }
            Err(error) => {
                say(&index_error_of(&error, collection_of(source)));
                outcome = Outcome::Attention;
            }
        }
        Ok::<_, anyhow::Error>(())
    });
    synced.map_err(|error| match &target.sources[..] {
        [source] => match collection_of(source) {
            Some(name) => error.context(SyncOf(name.to_string())),
            None => error,
        },
        _ => error,
    })?;
    output.flush()?;
    Ok(outcome)
}

/// The body of a push.
fn body(file: &Path) -> anyhow::Result<Vec<u8>> {
    let mut body = Vec::new();
    match file.to_str() {
        Some("-") => drop(std::io::stdin().take(PUSH_LIMIT).read_to_end(&mut body)?),
        _ => {
            body = read_named(file, PUSH_LIMIT)
                .map_err(|error| anyhow::anyhow!("cannot read `{}`: {error}", file.display()))?;
        }
    }
    Ok(body)
}

/// The name of a source in a report: that of its collection, or its root.
pub(super) fn name_of(source: &Syncable) -> String {
    let name = source.options.name.clone();
    name.unwrap_or_else(|| source.root.display().to_string())
}

/// The name of the collection that a source is, if it is one.
pub(super) fn collection_of(source: &Syncable) -> Option<&str> {
    let known = source.collection.as_ref();
    known.map(|known| &*known.name)
}

/// Reports the result of a sync of the source of this name, and of this collection if it is one.
pub(super) fn print_report(
    output: &mut Output,
    (name, collection): (&str, Option<&str>),
    report: &SyncReport,
    json: bool,
) -> anyhow::Result<()> {
    match json {
        true => output.json(report)?,
        false => {
            output.line(format!("{}: {}", output.safe(name), done(report)))?;
            if !report.skipped.is_empty() {
                let status = command("status", collection);
                output.line(output.safe(&format!(
                    "skipped {}; `{status} --skips` lists them",
                    skip_counts(&report.skipped)
                )))?;
            }
            let has_none = report.added + report.changed + report.recut + report.unchanged == 0;
            if has_none && report.skipped.contains_key(&SkipReason::Ignored) {
                say("note: ignore files exclude documents here: --no-ignore includes them");
            }
            if let Some(reason) = &report.without_vectors {
                output.line(output.safe(&format!(
                    "without vectors: {reason}; until there are some, searches use keywords, or the built-in vectors if there are any"
                )))?;
            }
        }
    }
    Ok(())
}

/// The result of a sync, on one line.
pub(crate) fn done(report: &SyncReport) -> String {
    let counts = [
        (report.added, "added"),
        (report.changed, "changed"),
        (report.recut, "split again"),
        (report.removed, "removed"),
        (report.unchanged, "unchanged"),
    ];
    let said = counts_of(&counts);
    let shared = match report.shared {
        0 => String::new(),
        shared => format!(" · {} reused from another collection", thousands(shared)),
    };
    let read = counted(report.read, "file");
    format!(
        "{said}{shared} · {read} read, {:.1} MB · {:.2} s",
        report.bytes_read as f64 / 1e6,
        report.seconds
    )
}

/// The counts of documents that are not zero, each with what became of them.
pub(super) fn counts_of(counts: &[(usize, &str)]) -> String {
    let said = counts.iter().filter(|(count, _)| *count > 0);
    let said: Vec<String> = said
        .map(|(count, what)| format!("{} {what}", thousands(*count)))
        .collect();
    match said.is_empty() {
        true => "no documents".to_string(),
        false => said.join(", "),
    }
}
