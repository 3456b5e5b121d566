//! `excerpt doctor`: checks everything that an answer depends on, and says how to fix what does not
//! work.

use std::path::PathBuf;

use excerpt_index::{Keywords, Located};
use excerpt_service::text::{counted, skip_counts};
use excerpt_service::{
    Diagnosis, EmbedderReport, Embedding, IndexReport, Owner, Problem, ReadFile, RebuildNote,
    SkipCounts, diagnose, rebuild,
};
use serde::Serialize;

use crate::cli::choice::{EmbeddingArgs, IndexArgs};
use crate::cli::exit::Outcome;
use crate::cli::messages::index_error;
use crate::cli::status;
use crate::output::{Output, SCHEMA, say};
use crate::progress::Bar;

/// Check the configuration, the embedder and the index, and say what to do
///
/// Exits with 0 when all is well, and with 1 when something needs attention.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The folder or file whose index is checked
    #[arg(default_value = ".")]
    path: PathBuf,
    /// Check the index of all added collections instead of that of a folder
    #[arg(long)]
    library: bool,
    /// Rebuild the index from its sources first: the old one is replaced when the new one is
    /// complete
    #[arg(long)]
    rebuild: bool,
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    index: IndexArgs,
    #[command(flatten)]
    embedding: EmbeddingArgs,
}

/// The report.
#[derive(Serialize)]
struct DoctorReport {
    schema: u32,
    /// The roots of the sources that the index was rebuilt from.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rebuilt: Vec<PathBuf>,
    #[serde(flatten)]
    found: Diagnosis,
    attention: Vec<Attention>,
}

/// A problem.
#[derive(Serialize)]
struct Attention {
    what: String,
    /// How to fix it, unless `what` says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

/// Runs all checks and prints the report.
pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let place = match args.library {
        true => Located::of_index(args.index.choice().library()?),
        false => args.index.choice().locate(&args.path)?,
    };
    let choice = args.embedding.choice();
    let rebuilt = match args.rebuild {
        true => rebuild(&place, &choice, &mut Bar::new(), &mut |note| {
            say(&rebuild_note(note));
        })?,
        false => Vec::new(),
    };
    let found = diagnose(&place, &choice);
    let attention = |problem| match args.library {
        true => Attention::of(problem).in_library(),
        false => Attention::of(problem),
    };
    let report = DoctorReport {
        schema: SCHEMA,
        rebuilt,
        attention: found.problems.iter().map(attention).collect(),
        found,
    };
    let mut output = Output::new();
    match args.json {
        true => output.json(&report)?,
        false => report.print(&mut output)?,
    }
    output.flush()?;
    Ok(match report.attention.is_empty() {
        true => Outcome::Done,
        false => Outcome::Attention,
    })
}

fn rebuild_note(note: RebuildNote) -> String {
    match note {
        RebuildNote::CollectionsRecovered(count) => format!(
            "note: the list of collections was damaged: {} recovered by name, without their settings and attributes",
            counted(count, "collection")
        ),
        RebuildNote::SourceGone(root) => format!(
            "note: `{}` does not exist and is no longer in the index: run `excerpt sync` on it when it is back",
            root.display()
        ),
        RebuildNote::Configuration(note) => format!("note: {note}"),
    }
}

impl Attention {
    /// What a problem is, and how to fix it.
    fn of(problem: &Problem) -> Attention {
        const SYNC: Option<&str> = Some("run `excerpt sync`");
        let (what, next) = match problem {
            Problem::InvalidConfiguration(error) => (error.to_string(), None),
            Problem::IgnoredSetting(note) => (note.clone(), None),
            Problem::Embedder(error) => (error.clone(), None),
            Problem::Reranker(error) => (format!("the hits are not reranked: {error}"), None),
            Problem::Index(error) => (index_error(error), None),
            Problem::NotSynced(last) => (status::synced(*last), None),
            Problem::NotIndexed(root) => (format!("`{}` is not indexed", root.display()), SYNC),
            Problem::Keywords(Keywords::Behind) => {
                ("the keyword index is out of date".into(), SYNC)
            }
            Problem::Keywords(_) => ("the keyword index is missing".into(), SYNC),
            Problem::KeywordsDiffer { documents, folder } => {
                let documents = counted(*documents, "document");
                return Attention {
                    what: format!("the keyword index differs from the texts in {documents}"),
                    next: Some(format!(
                        "remove `{}`, and run `excerpt sync`",
                        folder.display()
                    )),
                };
            }
            Problem::OtherVectors { held, configured } => (
                format!("the vectors are those of `{held}`, not of `{configured}`"),
                SYNC,
            ),
            Problem::MissingVectors(documents) => {
                let documents = counted(*documents, "document");
                (
                    format!("{documents} without vectors, found by keywords only"),
                    SYNC,
                )
            }
            Problem::NoVectors(failure) => {
                (format!("the last sync got no vectors: {failure}"), None)
            }
        };
        Attention {
            what,
            next: next.map(str::to_string),
        }
    }
}

impl Attention {
    /// The same with the commands for the index of all collections.
    fn in_library(self) -> Attention {
        let all = |text: String| text.replace("`excerpt sync`", "`excerpt sync --library`");
        Attention {
            what: all(self.what),
            next: self.next.map(all),
        }
    }
}

impl DoctorReport {
    fn print(&self, output: &mut Output) -> anyhow::Result<()> {
        let mut before = "";
        for (name, text) in self.rows() {
            let shown = if name == before { "" } else { name };
            output.line(output.safe(&format!("{shown:13}  {text}")))?;
            before = name;
        }
        match self.attention.len() {
            0 if self.has_nothing() => output.line("all is well, but there are no documents")?,
            0 => output.line("all is well")?,
            1 => output.line("1 thing needs attention")?,
            count => output.line(format!("{count} things need attention"))?,
        }
        for attention in &self.attention {
            let next = attention.next.as_ref().map(|next| format!(": {next}"));
            let line = format!("- {}{}", attention.what, next.unwrap_or_default());
            output.line(output.safe(&line))?;
        }
        Ok(())
    }

    /// Whether the index is complete and has no documents.
    fn has_nothing(&self) -> bool {
        let index = self.found.index.as_ref();
        index.is_some_and(|index| index.check.documents == 0 && index.writer.is_none())
    }

    /// What was found, each with the name of its part.
    fn rows(&self) -> Vec<(&'static str, String)> {
        let (found, embedding) = (&self.found, self.found.embedding.as_ref());
        let mut rows: Vec<(&str, String)> = Vec::new();
        let rebuilt = self.rebuilt.iter();
        rows.extend(rebuilt.map(|root| ("rebuilt", format!("from {}", root.display()))));
        let files = found.configuration.iter();
        rows.extend(files.map(|file| ("configuration", set(file))));
        if found.configuration.is_empty() && embedding.is_some() {
            rows.push(("configuration", "no file, all defaults".to_string()));
        }
        let embedder = match (&found.embedder, embedding) {
            (Some(found), _) => Some(shown(found)),
            (None, Some(Embedding::None)) => Some("switched off".to_string()),
            (None, Some(embedding)) => Some(format!("{}: see below", embedding.provider())),
            (None, None) => None,
        };
        rows.extend(embedder.map(|embedder| ("embedder", embedder)));
        let reranker = found.reranker.as_ref().map(|found| {
            let milliseconds = found.seconds * 1e3;
            format!(
                "{}: the best {} hits, two short texts in {milliseconds:.1} ms",
                found.provider, found.candidates
            )
        });
        rows.extend(reranker.map(|reranker| ("reranker", reranker)));
        match &found.index {
            None => rows.push((
                "index",
                "none yet: run `excerpt sync` to create one".to_string(),
            )),
            Some(index) => {
                let is_known = embedding.is_some_and(Embedding::is_known);
                rows.extend(index_rows(index, is_known));
            }
        }
        rows
    }
}

fn shown(embedder: &EmbedderReport) -> String {
    let path = embedder
        .path
        .as_ref()
        .map(|path| path.display().to_string());
    let place = embedder.url.clone().or(path);
    let place = place.map(|place| format!(" at {place}"));
    format!(
        "{}{}: `{}`, {} dimensions, a short text in {:.1} ms",
        embedder.provider,
        place.unwrap_or_default(),
        embedder.identity,
        embedder.dimensions,
        embedder.seconds * 1e3
    )
}

/// The rows about the index; those about the vectors only when the configured embedder is known.
fn index_rows(index: &IndexReport, vectors: bool) -> Vec<(&'static str, String)> {
    let (documents, chunks) = (
        counted(index.check.documents, "document"),
        counted(index.check.chunks, "chunk"),
    );
    let configured = index.configured_embedder.as_deref();
    let remedy = status::Remedy::with(index.writer.as_ref());
    let state = vectors.then(|| status::vectors(&index.status, configured, remedy));
    let refused = status::refused(&index.status.vectors);
    let rows = [
        ("index", index.path.display().to_string()),
        ("index", format!("{documents} in {chunks}")),
        ("keywords", status::keywords(index.status.keywords, remedy)),
    ];
    let vectors = state.into_iter().chain(refused);
    let written = index.writer.as_ref().map(status::written);
    let mut all_skipped = SkipCounts::new();
    for source in index
        .status
        .sources
        .iter()
        .filter(|_| index.check.documents == 0)
    {
        for (reason, count) in &source.skipped {
            *all_skipped.entry(*reason).or_default() += count;
        }
    }
    let skipped = (!all_skipped.is_empty()).then(|| {
        let counts = skip_counts(&all_skipped);
        format!("skipped {counts}; `excerpt status --skips` lists them")
    });
    let [path, contents, keywords] = rows;
    [path, contents]
        .into_iter()
        .chain(
            written
                .into_iter()
                .chain(skipped)
                .map(|line| ("index", line)),
        )
        .chain([keywords])
        .chain(vectors.map(|line| ("vectors", line)))
        .collect()
}

/// A configuration file and the fields that it sets.
fn set(file: &ReadFile) -> String {
    let owner = match file.owner {
        Owner::User => "yours",
        Owner::Named => "named by you",
        Owner::Project => "the project's",
    };
    let sets = match file.sets.is_empty() {
        true => "nothing".to_string(),
        false => file.sets.join(", "),
    };
    format!("{} ({owner}) sets {sets}", file.path.display())
}
