//! `excerpt search`: finds the passage that answers a question, in any folder.

mod passages;

use std::io;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::bail;
use excerpt_index::{ActiveWriter, Answer, Channels, Error, Fusion, Note, Origin, RankingPreset};
use excerpt_service::text::{counted, either, thousands};
use excerpt_service::{
    DocumentHit, IndexTarget, Lag, Opened, Paths, RankedUnit, SearchHit, SearchReply,
    SearchRequest, SyncFailure, Update, absolute, opened,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::cli::background;
use crate::cli::choice::{CollectionArgs, EmbeddingArgs, IndexArgs, SyncName, target};
use crate::cli::editor;
use crate::cli::exit::Outcome;
use crate::cli::filter::FilterArgs;
use crate::cli::messages;
use crate::cli::skipped::skipped;
use crate::cli::values::{at_least_one, number};
use crate::output::{ONLY_WEAK, Output, SCHEMA, say};
use crate::progress::Bar;
use crate::scores::{Scores, too_low};
use passages::{Passages, Shown};

/// Find the passage in a folder's documents that answers a question
///
/// A new folder is indexed first; a known one is checked for changes. A path inside a git
/// repository searches that part of the repository's index.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The question, or some words
    query: String,
    /// The folder or file to search
    #[arg(default_value = ".")]
    path: PathBuf,
    /// How many documents to show; with --chunks, how many chunks
    #[arg(long, short = 'n', value_name = "N", default_value = "5", value_parser = at_least_one)]
    limit: NonZeroUsize,
    /// Rank chunks individually instead of documents
    #[arg(long)]
    chunks: bool,
    /// Show documents alone: their paths, titles and scores, without their texts
    #[arg(long, conflicts_with_all = ["chunks", "full", "files"], hide_short_help = true)]
    documents: bool,
    /// Print whole passages instead of snippets
    #[arg(long, conflicts_with = "files")]
    full: bool,
    /// Reduce each passage to the sentences or statements around the evidence
    #[arg(long, conflicts_with_all = ["documents", "files", "full"], hide_short_help = true)]
    precise: bool,
    /// Print only the paths of the documents, one per line
    #[arg(long, conflicts_with = "json")]
    files: bool,
    /// Show weak matches too, and copies and translations of better ones
    #[arg(long)]
    all: bool,
    /// Exclude hits with a lower score, as --explain shows it
    #[arg(long, value_name = "SCORE", value_parser = number, hide_short_help = true)]
    min_score: Option<f32>,
    /// Exclude hits whose score is below this share of the best one's, from 0 to 1
    #[arg(long, value_name = "SHARE", value_parser = number, hide_short_help = true)]
    min_share: Option<f32>,
    /// Open the best passage in $VISUAL or $EDITOR, at its line
    #[arg(long, conflicts_with = "json", hide_short_help = true)]
    open: bool,
    /// Print ranked chunks as JSON, one per line; with --documents, documents
    #[arg(long)]
    json: bool,
    /// Show what each score consists of
    #[arg(long, conflicts_with_all = ["documents", "files"], hide_short_help = true)]
    explain: bool,
    /// The ranking preset, instead of the configured one: default or docs
    #[arg(long, value_name = "NAME", value_parser = word::<RankingPreset>, hide_short_help = true)]
    ranking: Option<RankingPreset>,
    /// Which channels to search: both, keywords or vectors [default: both]
    #[arg(long, value_name = "WHAT", value_parser = word::<Channels>, hide_short_help = true)]
    channels: Option<Channels>,
    /// How keyword and vector scores are combined: convex or rrf [default: convex]
    #[arg(long, value_name = "HOW", value_parser = word::<Fusion>, hide_short_help = true)]
    fusion: Option<Fusion>,
    /// Whether to check for changes first: auto (for about two seconds at most), always or never
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = SyncName::Auto, hide_possible_values = true, hide_short_help = true)]
    sync: SyncName,
    /// How long the answer waits for changes with --sync auto (the rest is indexed in the
    /// background) and for the model of `[rerank]` [default: 2, or as configured]
    #[arg(long, value_name = "SECONDS", value_parser = seconds, hide_short_help = true)]
    wait: Option<Duration>,
    /// Search what `.gitignore` and the like exclude, too; the next search without this flag
    /// removes it from the index
    #[arg(long, hide_short_help = true)]
    no_ignore: bool,
    #[command(flatten)]
    collections: CollectionArgs,
    #[command(flatten)]
    index: IndexArgs,
    #[command(flatten)]
    embedding: EmbeddingArgs,
    #[command(flatten)]
    filters: FilterArgs,
}

/// How long an answer waits for changes unless the user says otherwise.
const WAIT: Duration = Duration::from_secs(2);

/// A number of seconds, at most an hour.
fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds| *seconds <= 3600.0);
    let duration = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    duration.ok_or_else(|| "expected a number of seconds up to 3600".to_string())
}

/// One of the words that a setting accepts.
fn word<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_value(text.into()).map_err(|error| {
        // The message of serde: "unknown variant `x`, expected one of `a`, `b`".
        let message = error.to_string().replace(['`', '\n'], "");
        match message.split_once("expected ") {
            Some((_, words)) => format!("expected {words}"),
            None => message,
        }
    })
}

/// Answers the query.
pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    if args.no_ignore && args.sync == SyncName::Never {
        bail!(
            "`--no-ignore` selects what is indexed, and `--sync never` indexes nothing: leave one out"
        );
    }
    let target = target(&args.path, &args.collections, &args.index, &args.embedding)?
        .without_ignore_files(args.no_ignore);
    let update = Update {
        mode: args.sync.into(),
        wait: args.wait.unwrap_or(WAIT),
        goes_on: background::is_possible(),
    };
    let Opened {
        index,
        lag,
        unsynced,
    } = opened(&target, update, &mut Bar::new())?;
    for unsynced in unsynced {
        say(&format!("note: {}", messages::unsynced(&unsynced)));
    }
    let reply = target.search(&index, &args.request())?;
    let answer = &reply.answer;
    let paths = target.paths(&args.path);
    args.print(&reply, &paths)?;
    let writer = lag.as_ref().and_then(|lag| match lag {
        Lag::Unwritten(unsynced) if matches!(unsynced.error, Error::Locked { .. }) => {
            index.writer()
        }
        _ => None,
    });
    let is_behind = lag.is_some();
    let mut notes = notes(&reply, lag, writer.as_ref(), || {
        background::sync(
            &target,
            &args.collections.choice(),
            &args.embedding.choice(),
        )
    });
    if let Some(best) = reply.too_low {
        notes.push(too_low(
            args.min_score,
            Scores::of(&reply.ranking).shown(best),
        ));
    }
    if reply.is_bare && !is_behind {
        notes.insert(0, nothing_to_search(&target, &args.collections));
    }
    if !args.json && !args.files {
        say(&summary(answer, reply.ranking.channels));
    }
    let found = answer.chunks().any(|hit| !hit.weak);
    if !found && !answer.documents.is_empty() {
        notes.push(ONLY_WEAK.to_string());
    }
    if !found {
        notes.extend(skipped(&index, &target, &paths));
    }
    notes.iter().for_each(|note| say(&format!("note: {note}")));
    if args.open {
        open(answer)?;
    }
    Ok(if found {
        Outcome::Done
    } else {
        Outcome::Nothing
    })
}

impl Args {
    fn request(&self) -> SearchRequest {
        self.filters.added_to(SearchRequest {
            query: self.query.clone(),
            ranks: match self.chunks {
                true => RankedUnit::Chunks,
                false => RankedUnit::Documents,
            },
            limit: self.limit.get(),
            fold_copies: self.folds_copies(),
            min_score: self.min_score,
            min_share: self.min_share,
            precise: (self.precise || self.full).then_some(self.precise),
            wait: self.wait.map(|wait| wait.as_secs_f64()),
            ranking: self.ranking,
            channels: self.channels,
            fusion: self.fusion,
            ..SearchRequest::default()
        })
    }

    fn print(&self, reply: &SearchReply, paths: &Paths) -> anyhow::Result<()> {
        let mut output = Output::new();
        match self.json {
            true if self.documents => {
                for document in &reply.answer.documents {
                    output.json(&DocumentLine {
                        schema: SCHEMA,
                        document: DocumentHit::of(document, paths),
                    })?;
                }
            }
            true => lines(&mut output, &reply.answer, paths)?,
            false => Passages {
                paths,
                scores: Scores::of(&reply.ranking),
                explains: self.explain,
                shown: self.shown(),
                all: self.all,
            }
            .print(&mut output, &reply.answer)?,
        }
        Ok(output.flush()?)
    }

    /// Whether copies are folded into the hits that name them: an answer without passages names
    /// none, and a program gets all.
    fn folds_copies(&self) -> bool {
        !(self.all || self.json || self.files || self.documents)
    }

    fn shown(&self) -> Shown {
        match (self.files, self.documents, self.full || self.precise) {
            (true, ..) => Shown::Files,
            (_, true, _) => Shown::Documents,
            (.., true) => Shown::Passages,
            _ => Shown::Snippets,
        }
    }
}

/// The line below the answer: the number of matches, the time, and the channels.
fn summary(answer: &Answer, channels: Channels) -> String {
    format!(
        "matched {} of {} · {} ms · {}",
        thousands(answer.documents_total),
        counted(answer.documents_searched, "document"),
        answer.elapsed.as_millis(),
        match (channels, answer.vectors) {
            (Channels::Vectors, _) => "vectors",
            (_, true) => "keywords and vectors",
            (_, false) => "keywords",
        },
    )
}

/// Opens the best passage in the user's editor.
fn open(answer: &Answer) -> anyhow::Result<()> {
    let Some(document) = answer.documents.first() else {
        return Ok(());
    };
    let line = document.chunks.first().map_or(1, |hit| hit.snippet.line);
    if Origin::of(&document.source).is_remote() {
        anyhow::bail!(
            "`{}` is not on this disk, so no editor can open it: read it with `excerpt get`",
            document.path
        );
    }
    editor::open(&absolute(&document.source, &document.path), line)
}

/// The notes about the answer. If there was not enough time, `start` starts a sync in the
/// background. `writer` is the process that is writing the index.
fn notes(
    reply: &SearchReply,
    lag: Option<Lag>,
    writer: Option<&ActiveWriter>,
    start: impl FnOnce() -> io::Result<()>,
) -> Vec<String> {
    let lag = lag.map(|lag| lagging(lag, writer, start));
    // The note about the lag includes what is missing because of it.
    let is_said = |note: &Note| {
        let lacks = matches!(
            note,
            Note::Behind { .. }
                | Note::NoVectors
                | Note::VectorsBehind { .. }
                | Note::FormerVectors { failure: None, .. }
        );
        lacks && lag.is_some()
    };
    // Where there are no documents, no other words would be found either.
    let all = reply.answer.notes.iter().filter(|_| !reply.is_bare);
    let others = all.filter(|note| !is_said(note));
    let others: Vec<String> = others.map(messages::note).collect();
    lag.into_iter().chain(others).collect()
}

/// The note that there are no documents to search.
fn nothing_to_search(target: &IndexTarget, collections: &CollectionArgs) -> String {
    match target.sources.is_empty() && collections.choice().are_meant() {
        true => "there are no collections: `excerpt add` makes one".to_string(),
        false => "there are no documents here".to_string(),
    }
}

/// The note about an index that is not up to date.
fn lagging(
    lag: Lag,
    writer: Option<&ActiveWriter>,
    start: impl FnOnce() -> io::Result<()>,
) -> String {
    // A sync that has just failed is not started again by each search.
    let goes_on = |is_stuck: bool| match !is_stuck && background::is_possible() && start().is_ok() {
        true => "the rest is indexed in the background",
        false => "run `excerpt sync` to index the rest",
    };
    match lag {
        Lag::Unwritten(SyncFailure {
            error: Error::Locked { path, .. },
            ..
        }) => match writer.and_then(|writer| writer.progress) {
            Some(progress) => {
                let remaining = progress.listed.saturating_sub(progress.indexed);
                let so_far = so_far(progress.listed, remaining, 0);
                format!("{so_far}; another process is indexing the rest")
            }
            None => format!(
                "answered from an older state: the index in `{}` is being written by another process",
                path.display()
            ),
        },
        Lag::Unwritten(unsynced) => {
            let error = messages::unsynced(&unsynced);
            format!("answered from an older state: {error}")
        }
        Lag::Aside { remaining } => format!(
            "answered from the index as it was before the settings changed, {} still to be split; {}",
            counted(remaining, "document"),
            goes_on(false)
        ),
        Lag::Rest {
            listed,
            remaining,
            elsewhere,
            is_stuck,
        } => {
            let so_far = so_far(listed, remaining, elsewhere);
            format!("{so_far}; {}", goes_on(is_stuck))
        }
    }
}

/// How many of the `listed` files are indexed if some are `remaining`, there or `elsewhere` in the
/// index.
fn so_far(listed: usize, remaining: usize, elsewhere: usize) -> String {
    match (remaining, elsewhere) {
        (0, 0) => "all files can be found by keywords".to_string(),
        (0, _) => format!(
            "{} outside this folder {} not indexed yet",
            counted(elsewhere, "file"),
            either(elsewhere, "is", "are")
        ),
        _ => {
            let indexed = listed.saturating_sub(remaining);
            format!(
                "{} of {} {} indexed so far",
                thousands(indexed),
                counted(listed, "file"),
                either(indexed, "is", "are")
            )
        }
    }
}

fn lines(output: &mut Output, answer: &Answer, paths: &Paths) -> anyhow::Result<()> {
    let hits = answer
        .documents
        .iter()
        .flat_map(|document| document.chunks.iter().map(move |hit| (document, hit)));
    for (index, (document, hit)) in hits.enumerate() {
        output.json(&Line {
            schema: SCHEMA,
            hit: SearchHit::of(index + 1, document, hit, paths),
        })?;
    }
    Ok(())
}

/// One chunk as JSON.
#[derive(Serialize)]
struct Line<'a> {
    schema: u32,
    #[serde(flatten)]
    hit: SearchHit<'a>,
}

/// One document as JSON.
#[derive(Serialize)]
struct DocumentLine<'a> {
    schema: u32,
    #[serde(flatten)]
    document: DocumentHit<'a>,
}
