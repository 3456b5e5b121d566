//! `excerpt eval`: scores the search with questions whose answers are known, for one configuration
//! or several (`sweep.rs`), compares two such reports (`compare.rs`), or makes a set of questions
//! from a folder (`mine.rs`). `tables.rs` prints the tables.

mod compare;
mod mine;
mod sweep;
mod tables;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::{Subcommand, ValueEnum};
use excerpt_chunk::{Config, Settings};
use excerpt_index::eval::{Interval, LeftOut, MEASURES, QuestionSet, Report, Rule};
use excerpt_service::{Configuration, EvalRequest, chunking_around};
use serde::Serialize;

use crate::cli::choice::EmbeddingArgs;
use crate::cli::exit::Outcome;
use crate::cli::flags::ChunkFlags;
use crate::output::{Output, SCHEMA, say};
use crate::progress::Bar;
use sweep::{Axis, Combination, Trial};

/// Measure search quality with questions whose answers you know
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(mut_args(|arg| {
    let hidden = arg.get_help_heading() == Some("Chunking") && arg.get_id() != "preset";
    if hidden { arg.hide_short_help(true) } else { arg }
}))]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    /// A folder with `queries.jsonl`, one question per line with its answers
    #[arg(required_unless_present = "compare")]
    set: Option<PathBuf>,
    /// The folder with the documents [default: the folder `corpus` of the set]
    #[arg(long, value_name = "FOLDER")]
    corpus: Option<PathBuf>,
    /// How much a chunk must overlap an answer to count: half of the shorter one, or any character
    #[arg(long, value_enum, default_value_t = RuleName::Half, hide_possible_values = true, value_name = "half|any")]
    rule: RuleName,
    /// Add a table by category
    #[arg(long, value_enum, value_name = "category", hide_possible_values = true)]
    by: Option<By>,
    /// List the questions whose answers are not among the best ten chunks
    #[arg(long)]
    misses: bool,
    /// Try every combination of settings: target=128,256,400 overlap=0,15% search.fusion=convex,rrf
    #[arg(long, value_name = "FIELD=VALUES", num_args = 1.., conflicts_with_all = ["by", "misses"])]
    sweep: Vec<Axis>,
    /// Compare two reports that `--json` printed, question by question
    #[arg(long, value_names = ["A", "B"], num_args = 2, conflicts_with_all = ["set", "corpus", "rule", "by", "misses", "sweep"])]
    compare: Vec<PathBuf>,
    /// Print the report as JSON, one line for each combination of a sweep
    #[arg(long, conflicts_with_all = ["by", "misses"])]
    json: bool,
    #[command(flatten)]
    embedding: EmbeddingArgs,
    #[command(flatten)]
    chunking: ChunkFlags,
}

#[derive(Debug, Subcommand)]
enum Action {
    Mine(mine::Args),
}

/// A [`Rule`] by its name on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RuleName {
    Half,
    Any,
}

impl From<RuleName> for Rule {
    fn from(name: RuleName) -> Rule {
        match name {
            RuleName::Half => Rule::Half,
            RuleName::Any => Rule::Any,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum By {
    Category,
}

/// A report as `--json` prints it.
#[derive(Serialize)]
struct Printed<'a> {
    schema: u32,
    /// The values that the sweep set.
    #[serde(skip_serializing_if = "Combination::is_empty")]
    sweep: &'a Combination,
    chunking: Config,
    measures: BTreeMap<&'a str, Interval>,
    #[serde(flatten)]
    report: &'a Report,
}

/// Scores a set, compares two reports or makes a set.
pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    if let Some(Action::Mine(args)) = &args.action {
        return mine::run(args);
    }
    let mut output = Output::new();
    if !args.compare.is_empty() && args.chunking.settings() != Settings::default() {
        bail!("`--compare` reads two reports and splits nothing: remove the chunking options");
    }
    match (&*args.compare, &args.set) {
        ([first, second], _) => compare::run(&mut output, first, second, args.json)?,
        (_, Some(set)) => score(&mut output, set, args)?,
        _ => bail!("name a set of questions, or two reports to `--compare`"),
    }
    output.flush()?;
    Ok(Outcome::Done)
}

fn score(output: &mut Output, folder: &Path, args: &Args) -> anyhow::Result<()> {
    let set = QuestionSet::read(folder, args.corpus.as_deref())?;
    let root = set.source().id().path().to_path_buf();
    let base = args.chunking.settings().or(chunking_around(&root)?);
    // Invalid combinations are reported before the first index is built.
    let configuration = Configuration::read(&root, &args.embedding.choice())?;
    let trials = sweep::trials(&base, &configuration.ranking, &args.sweep)?;
    excerpt_grammars::chunker(base.config())?;
    let request = EvalRequest {
        set: &set,
        rule: args.rule.into(),
        embedding: &configuration.embedding,
        reranker: configuration.rerank.reranker(),
    };
    let mut reports: Vec<(&Combination, Report)> = Vec::new();
    let tried = trials.iter().map(|trial| (&trial.settings, &trial.ranking));
    request.score(tried, &mut Bar::new(), |report| {
        let Trial {
            combination,
            settings,
            ..
        } = &trials[reports.len()];
        if args.json {
            output.json(&Printed {
                schema: SCHEMA,
                sweep: combination,
                chunking: settings.config(),
                measures: measures(&report),
                report: &report,
            })?;
            output.flush()?;
        }
        reports.push((combination, report));
        Ok::<_, anyhow::Error>(())
    })?;
    left_out(&set.left_out);
    match &*reports {
        _ if args.json => Ok(()),
        [(combination, report)] if combination.is_empty() => tables::report(output, report, args),
        reports => tables::sweep(output, reports),
    }
}

fn measures(report: &Report) -> BTreeMap<&'static str, Interval> {
    let means = MEASURES
        .iter()
        .filter_map(|measure| Some((*measure, report.mean(measure)?)));
    means.collect()
}

/// Reports the answers that no search can find.
fn left_out(answers: &[LeftOut]) {
    for answer in answers {
        say(&format!(
            "note: an answer to `{}` is not indexed: `{}` ({})",
            answer.id, answer.path, answer.reason
        ));
    }
}
