//! `excerpt search`: the piece that answers a question, in any folder, at once.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use excerpt_index::{Answer, Channels, Fusion, Hit, Note, Query, Rank, Snippet};
use owo_colors::Style;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::cli::explain::Scores;
use crate::cli::filter::FilterArgs;
use crate::exit::Outcome;
use crate::output::{Output, SCHEMA, counted, say, thousands};
use crate::place::background;
use crate::place::project::EmbeddingArgs;
use crate::place::{CollectionArgs, IndexArgs, Lag, Opened, SyncMode, Target, opened};
use crate::wire;

/// Find the piece of a folder's documents that answers a question
///
/// The folder is indexed first if it is new, and checked for changes if it is not. A path inside a git repository searches that
/// part of the repository's index.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The question, or some words
    query: String,
    /// The folder or file to search
    #[arg(default_value = ".")]
    path: PathBuf,
    /// How many documents to show; with --chunks, how many chunks
    #[arg(long, short = 'n', value_name = "N", default_value_t = 5)]
    limit: usize,
    /// Rank chunks alone instead of documents
    #[arg(long)]
    chunks: bool,
    /// Print ranked chunks as JSON, one a line
    #[arg(long)]
    json: bool,
    /// Show what each score consists of
    #[arg(long)]
    explain: bool,
    /// What to search by: both, keywords or vectors [default: both]
    #[arg(long, value_name = "WHAT", value_parser = word::<Channels>)]
    channels: Option<Channels>,
    /// How the scores of keywords and vectors are put together: convex or rrf [default: convex]
    #[arg(long, value_name = "HOW", value_parser = word::<Fusion>, hide_short_help = true)]
    fusion: Option<Fusion>,
    /// Whether to check for changes first: auto (not for long), always or never
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = SyncMode::Auto, hide_possible_values = true)]
    sync: SyncMode,
    /// How long --sync auto lets the answer wait for changes; the rest goes on in the background
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = seconds, hide_short_help = true)]
    wait: Duration,
    #[command(flatten)]
    collections: CollectionArgs,
    #[command(flatten)]
    index: IndexArgs,
    #[command(flatten)]
    embedding: EmbeddingArgs,
    #[command(flatten)]
    filters: FilterArgs,
}

/// Some seconds, at most an hour.
fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds| *seconds <= 3600.0);
    let duration = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    duration.ok_or_else(|| "expected a number of seconds up to 3600".to_string())
}

/// One of the words that a setting may be.
fn word<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_value(text.into()).map_err(|error| {
        // What serde says of a word: "unknown variant `x`, expected one of `a`, `b`".
        let told = error.to_string().replace(['`', '\n'], "");
        match told.split_once("expected ") {
            Some((_, words)) => format!("expected {words}"),
            None => told,
        }
    })
}

/// Answers the query.
pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let target = Target::of(&args.path, &args.collections, &args.index, &args.embedding)?;
    let Opened { mut index, lag } = opened(&target, args.sync, args.wait)?;
    let filter = args.filters.added_to(target.filter.clone());
    let rank = if args.chunks {
        Rank::Chunks
    } else {
        Rank::Documents
    };
    let mut ranking = target.configuration.ranking.clone();
    ranking.channels = args.channels.unwrap_or(ranking.channels);
    ranking.fusion = args.fusion.unwrap_or(ranking.fusion);
    let scores = Scores::of(&ranking);
    let channels = ranking.channels;
    let query = Query::new(&args.query)
        .ranking(ranking)
        .within(filter)
        .limit(args.limit)
        .rank(rank);
    let answer = index.search(&query)?;
    let mut output = Output::new();
    let scope = Scope::new(&target, &args.path);
    match args.json {
        true => lines(&mut output, &answer, &scope)?,
        false => documents(&mut output, &answer, &scope, scores, args.explain)?,
    }
    output.flush()?;
    let mut notes = notes(&answer, lag, || {
        background::sync(&target, &args.collections, &args.embedding)
    });
    if !args.json {
        let searched = index.searched()?;
        let shown = answer.documents.len();
        say(&format!(
            "{} · {} of {} {} a word of it · {} ms · {}",
            if args.chunks {
                counted(shown, "chunk")
            } else {
                counted(shown, "document")
            },
            thousands(answer.documents_total),
            counted(searched, "document"),
            if answer.documents_total == 1 {
                "holds"
            } else {
                "hold"
            },
            answer.elapsed.as_millis(),
            match (channels, answer.vectors) {
                (Channels::Vectors, _) => "vectors",
                (_, true) => "keywords and vectors",
                (_, false) => "keywords",
            },
        ));
    }
    let found = answer.chunks().any(|hit| !hit.weak);
    if !found && !answer.documents.is_empty() {
        notes.push("only weak matches: probably nothing here answers this".to_string());
    }
    notes.iter().for_each(|note| say(&format!("note: {note}")));
    Ok(if found {
        Outcome::Done
    } else {
        Outcome::Nothing
    })
}

/// What one should know about the answer. What there was no time for goes on in the background, if `start` can start that.
fn notes(answer: &Answer, lag: Option<Lag>, start: impl FnOnce() -> io::Result<()>) -> Vec<String> {
    // What has just failed is not begun again with each search.
    let goes_on = |is_stuck: bool| match !is_stuck && background::is_possible() && start().is_ok() {
        true => "the rest goes on in the background",
        false => "run `excerpt sync` to take up the rest",
    };
    let lag = lag.map(|lag| match lag {
        Lag::Unwritten(error) => format!("answered from an older state: {error}"),
        Lag::Aside { remaining } => format!(
            "answered from the state before the settings changed, {} to go; {}",
            counted(remaining, "document"),
            goes_on(false)
        ),
        Lag::Rest {
            listed,
            remaining,
            is_stuck,
        } => {
            let so_far = match remaining {
                0 => "some files have no vectors so far".to_string(),
                _ => format!(
                    "{} of {} are indexed so far",
                    thousands(listed.saturating_sub(remaining)),
                    counted(listed, "file")
                ),
            };
            format!("{so_far}; {}", goes_on(is_stuck))
        }
    });
    // What is said of the lag holds for what the index lacks by it.
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
    let others = answer.notes.iter().filter(|note| !is_said(note));
    let others: Vec<String> = others.map(ToString::to_string).collect();
    lag.into_iter().chain(others).collect()
}

/// How paths are shown: a program wants them relative to what it searched, a person as something to open from here.
pub(super) struct Scope<'a> {
    /// The part of the source that was searched.
    inside: Option<&'a str>,
    /// The path as the user gave it; none when collections were searched.
    given: Option<&'a Path>,
}

impl<'a> Scope<'a> {
    pub(super) fn new(target: &'a Target, given: &'a Path) -> Self {
        Scope {
            inside: target.path.as_deref(),
            given: (!target.filter.sources.is_empty()).then_some(given),
        }
    }

    /// `path` relative to the folder that was searched; a file that was searched alone keeps its name.
    pub(super) fn relative<'p>(&self, path: &'p str) -> &'p str {
        let rest = self.inside.and_then(|inside| path.strip_prefix(inside));
        match rest.map(|rest| rest.trim_start_matches('/')) {
            Some("") => path.rsplit('/').next().unwrap_or(path),
            Some(rest) => rest,
            None => path,
        }
    }

    /// `path` as it can be opened from here.
    pub(super) fn here(&self, source: &Path, path: &str) -> String {
        let relative = self.relative(path);
        let Some(given) = self.given else {
            let root = match source.is_file() {
                true => source.parent().unwrap_or(source),
                false => source,
            };
            return root.join(relative).display().to_string();
        };
        let file = given.is_file();
        match given.to_str() {
            Some(".") | None => relative.to_string(),
            Some(given) if file => given.to_string(),
            Some(given) => format!("{}/{relative}", given.trim_end_matches('/')),
        }
    }
}

fn documents(
    output: &mut Output,
    answer: &Answer,
    scope: &Scope<'_>,
    scores: Scores,
    explain: bool,
) -> anyhow::Result<()> {
    for document in &answer.documents {
        let Some((best, others)) = document.chunks.split_first() else {
            continue;
        };
        let path = scope.here(&document.source, &document.path);
        let (first, last) = best.span.lines;
        let citation = output.styled(&format!("{path}:{first}-{last}"), Style::new().bold());
        let place = headings(best).or_else(|| document.title.clone());
        let place = place.map(|place| format!(" · {}", output.safe(&place)));
        let weak = if best.weak { " · weak match" } else { "" };
        let score = format!("score {}{weak}", scores.shown(best.score));
        let score = output.styled(&score, Style::new().dimmed());
        output.line(format!("{citation}{} · {score}", place.unwrap_or_default()))?;
        if explain {
            explained(output, best, scores)?;
        }
        let snippet = marked(output, &best.snippet);
        for line in snippet.lines().filter(|line| !line.trim().is_empty()) {
            output.line(format!("    {}", line.trim_end()))?;
        }
        for other in others.iter().filter(|other| !other.weak) {
            let (first, last) = other.span.lines;
            let place = headings(other).map(|place| format!(" · {place}"));
            let line = format!(
                "    also here: :{first}-{last}{}",
                place.unwrap_or_default()
            );
            output.line(output.styled(&line, Style::new().dimmed()))?;
            if explain {
                explained(output, other, scores)?;
            }
        }
        output.line("")?;
    }
    Ok(())
}

fn explained(output: &mut Output, hit: &Hit, scores: Scores) -> anyhow::Result<()> {
    for line in scores.lines(hit) {
        let line = format!("        {line}");
        output.line(output.styled(&line, Style::new().dimmed()))?;
    }
    Ok(())
}

/// The headings around a hit, or those in it.
fn headings(hit: &Hit) -> Option<String> {
    let around = (!hit.trail.is_empty()).then(|| hit.trail.join(" > "));
    around.or_else(|| (!hit.sections.is_empty()).then(|| hit.sections.join(", ")))
}

/// The snippet with the words that were found made bold, or between `**` where there is no terminal.
fn marked(output: &Output, snippet: &Snippet) -> String {
    let mut marked = String::new();
    let mut end = 0;
    for mark in &snippet.marks {
        marked += &output.safe_text(&snippet.text[end..mark.start]);
        let word = &snippet.text[mark.clone()];
        marked += &output.emphasised(word);
        end = mark.end;
    }
    marked + &output.safe_text(&snippet.text[end..])
}

fn lines(output: &mut Output, answer: &Answer, scope: &Scope<'_>) -> anyhow::Result<()> {
    let hits = answer
        .documents
        .iter()
        .flat_map(|document| document.chunks.iter().map(move |hit| (document, hit)));
    for (index, (document, hit)) in hits.enumerate() {
        let path = scope.relative(&document.path);
        output.json(&Line {
            schema: SCHEMA,
            hit: wire::Hit::of(index + 1, document, hit, path),
        })?;
    }
    Ok(())
}

/// One chunk as a program reads it.
#[derive(Serialize)]
struct Line<'a> {
    schema: u32,
    #[serde(flatten)]
    hit: wire::Hit<'a>,
}
