//! `excerpt eval`: scores the search over questions whose answers are known, for one cut or several.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, bail};
use clap::ValueEnum;
use excerpt_chunk::{Config, Settings};
use excerpt_index::eval::{
    Comparison, Interval, LeftOut, MEASURES, QuestionSet, Report, Rule, Scored, evaluate,
};
use excerpt_index::{Index, OpenOptions, Progress, SyncOptions};
use owo_colors::Style;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::cli::flags::ChunkFlags;
use crate::cli::progress::Bar;
use crate::cli::project;
use crate::cli::sweep::{self, Axis, Combination};
use crate::exit::Outcome;
use crate::output::{Output, SCHEMA, counted, say, thousands};
use crate::table::{Align, Table, bar};

/// The measure by which the rows of a sweep are compared.
const MAIN: &str = "ndcg@10";

/// Score the search by questions whose answers you know
#[derive(Debug, clap::Args)]
#[command(mut_args(|arg| {
    let hidden = arg.get_help_heading() == Some("Cutting") && arg.get_id() != "preset";
    if hidden { arg.hide_short_help(true) } else { arg }
}))]
pub(crate) struct Args {
    /// A folder with `queries.jsonl`, one question a line with its answers
    #[arg(required_unless_present = "compare")]
    set: Option<PathBuf>,
    /// The folder with the documents [default: the folder `corpus` of the set]
    #[arg(long, value_name = "FOLDER")]
    corpus: Option<PathBuf>,
    /// When a chunk counts as an answer: it shares half of the shorter of the two, or any character
    #[arg(long, value_enum, default_value_t = RuleName::Half, hide_possible_values = true, value_name = "half|any")]
    rule: RuleName,
    /// Add a table by category
    #[arg(long, value_enum, value_name = "category", hide_possible_values = true)]
    by: Option<By>,
    /// List the questions with no answer among the best ten chunks
    #[arg(long)]
    misses: bool,
    /// Try every combination of settings: target=128,256,400 overlap=0,15%
    #[arg(long, value_name = "FIELD=VALUES", num_args = 1.., conflicts_with_all = ["by", "misses"])]
    sweep: Vec<Axis>,
    /// Compare two reports that `--json` printed, question by question
    #[arg(long, value_names = ["A", "B"], num_args = 2, conflicts_with_all = ["set", "corpus", "rule", "by", "misses", "sweep"])]
    compare: Vec<PathBuf>,
    /// Print the report as JSON, one line for each combination of a sweep
    #[arg(long, conflicts_with_all = ["by", "misses"])]
    json: bool,
    #[command(flatten)]
    chunking: ChunkFlags,
}

/// A [`Rule`], as it is named on the command line.
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
    /// What a sweep has set.
    #[serde(skip_serializing_if = "Combination::is_empty")]
    sweep: &'a Combination,
    chunking: Config,
    measures: BTreeMap<&'a str, Interval>,
    #[serde(flatten)]
    report: &'a Report,
}

/// Scores what `args` names.
pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let mut output = Output::new();
    if !args.compare.is_empty() && args.chunking.settings() != Settings::default() {
        bail!("`--compare` reads two reports and cuts nothing: leave out how documents are cut");
    }
    match (&*args.compare, &args.set) {
        ([first, second], _) => compare(&mut output, first, second, args.json)?,
        (_, Some(set)) => score(&mut output, set, args)?,
        _ => bail!("name a set of questions, or two reports to `--compare`"),
    }
    output.flush()?;
    Ok(Outcome::Done)
}

fn score(output: &mut Output, folder: &Path, args: &Args) -> anyhow::Result<()> {
    let set = QuestionSet::read(folder, args.corpus.as_deref())?;
    let root = PathBuf::from(set.source().root());
    let base = args
        .chunking
        .settings()
        .or(project::settings_around(&root)?);
    // Every contradiction is said before the first index is made.
    let combinations = sweep::combinations(&base, &args.sweep)?;
    excerpt_grammars::chunker(base.config())?;
    let mut reports = Vec::new();
    for (combination, settings) in &combinations {
        let report = report(&set, settings, args.rule.into())?;
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
    }
    left_out(&set.left_out);
    match &*reports {
        _ if args.json => Ok(()),
        [(combination, report)] if combination.is_empty() => people(output, report, args),
        reports => swept(output, reports),
    }
}

/// Makes an index of the documents for a while, and asks it the questions.
fn report(set: &QuestionSet, settings: &Settings, rule: Rule) -> anyhow::Result<Report> {
    let folder = tempfile::Builder::new()
        .prefix("excerpt-eval-")
        .tempdir()
        .context("cannot make a temporary folder")?;
    let mut index = Index::open(&folder.path().join("index"), OpenOptions::create())?;
    let options = SyncOptions::default().chunking(settings.config());
    let bar = Bar::new();
    let progress = |progress: Progress| {
        bar.show(progress);
        ControlFlow::Continue(())
    };
    let synced = index.sync_source(set.source(), &options, progress);
    bar.clear();
    synced?;
    Ok(evaluate(set, &mut index, rule)?)
}

fn measures(report: &Report) -> BTreeMap<&'static str, Interval> {
    let means = MEASURES
        .iter()
        .filter_map(|measure| Some((*measure, report.mean(measure)?)));
    means.collect()
}

/// Names the answers that no search can find.
fn left_out(answers: &[LeftOut]) {
    for answer in answers {
        say(&format!(
            "note: the index leaves out an answer to `{}`: `{}` ({})",
            answer.id, answer.path, answer.reason
        ));
    }
}

/// The head over the tables of a report.
fn head(output: &Output, report: &Report) -> String {
    let set = output.styled(&report.set, Style::new().bold());
    let questions = counted(report.questions.len(), "question");
    let documents = counted(report.documents, "document");
    format!("{set} · {questions} · {documents}")
}

/// What is to be said of the rule.
fn rule(report: &Report) -> &'static str {
    match report.rule {
        Rule::Any => " · any shared character is enough",
        _ => "",
    }
}

fn people(output: &mut Output, report: &Report, args: &Args) -> anyhow::Result<()> {
    output.line(format!(
        "{} in {}, mean size {:.0}{}",
        head(output, report),
        counted(report.chunks, "chunk"),
        report.mean_size,
        rule(report)
    ))?;
    let means: Vec<_> = MEASURES
        .iter()
        .filter_map(|measure| Some((*measure, report.mean(measure)?)))
        .collect();
    let cells = |cell: fn(&Interval) -> String| means.iter().map(move |(_, mean)| cell(mean));
    Table::default()
        .column(
            "measure",
            Align::Left,
            means.iter().map(|(measure, _)| measure.to_string()),
        )
        .column("mean", Align::Right, cells(mean))
        .column("95 % interval", Align::Left, cells(interval))
        .column(
            "questions",
            Align::Right,
            cells(|mean| thousands(mean.count)),
        )
        .print(output)?;
    if args.by.is_some() {
        output.line("")?;
        by_category(output, report)?;
    }
    let missed = |question: &&Scored| question.rank.is_none_or(|rank| rank > 10);
    let missed: Vec<&Scored> = report.questions.iter().filter(missed).collect();
    if args.misses && !missed.is_empty() {
        output.line("")?;
        misses(output, &missed)?;
    }
    output.line("")?;
    let hint = match args.misses || missed.is_empty() {
        true => "",
        false => "; `--misses` lists them",
    };
    output.line(match missed.len() {
        0 => "every question has an answer among the best 10 chunks".to_string(),
        count => format!(
            "{} without an answer among the best 10 chunks{hint}",
            counted(count, "question")
        ),
    })?;
    Ok(())
}

fn by_category(output: &mut Output, report: &Report) -> anyhow::Result<()> {
    let parts: Vec<(String, Report)> = report
        .categories()
        .into_iter()
        .map(|category| {
            let name = category.unwrap_or("(none)").to_string();
            (name, report.of_category(category))
        })
        .collect();
    let of = |measure: &'static str, cell: fn(&Interval) -> String| {
        let means = parts.iter().map(move |(_, part)| part.mean(measure));
        means.map(move |mean| mean.as_ref().map_or_else(|| "–".to_string(), cell))
    };
    Table::default()
        .column(
            "category",
            Align::Left,
            parts.iter().map(|(name, _)| name.clone()),
        )
        .column(
            "questions",
            Align::Right,
            parts
                .iter()
                .map(|(_, part)| thousands(part.questions.len())),
        )
        .column(MAIN, Align::Right, of(MAIN, mean))
        .column("95 % interval", Align::Left, of(MAIN, interval))
        .column("recall@5", Align::Right, of("recall@5", mean))
        .column("mrr@10", Align::Right, of("mrr@10", mean))
        .column("coverage@8000", Align::Right, of("coverage@8000", mean))
        .print(output)?;
    Ok(())
}

fn misses(output: &mut Output, missed: &[&Scored]) -> anyhow::Result<()> {
    Table::default()
        .column(
            "rank",
            Align::Right,
            missed
                .iter()
                .map(|question| question.rank.map_or_else(|| "–".to_string(), thousands)),
        )
        .column(
            "missed",
            Align::Left,
            missed
                .iter()
                .map(|question| match question.id == question.query {
                    true => question.query.clone(),
                    false => format!("{}: {}", question.id, question.query),
                }),
        )
        .print(output)?;
    Ok(())
}

/// Prints the reports of a sweep, the best of them marked.
fn swept(output: &mut Output, reports: &[(&Combination, Report)]) -> anyhow::Result<()> {
    let mean_of =
        |report: &Report, measure: &str| report.mean(measure).map_or(0.0, |mean| mean.mean);
    let mut best = 0;
    for (index, (_, report)) in reports.iter().enumerate() {
        if mean_of(report, MAIN) > mean_of(&reports[best].1, MAIN) {
            best = index;
        }
    }
    let Some((_, first)) = reports.get(best) else {
        return Ok(());
    };
    output.line(format!("{}{}", head(output, first), rule(first)))?;
    let mark = |index: usize| if index == best { "*" } else { "" }.to_string();
    let mut table = Table::default().column("", Align::Left, (0..reports.len()).map(mark));
    let fields = reports[best].0.fields();
    for field in &fields {
        let values = reports
            .iter()
            .map(|(combination, _)| combination.value(field));
        table = table.column(field, Align::Right, values);
    }
    let of = |measure: &'static str, cell: fn(&Interval) -> String| {
        let means = reports.iter().map(move |(_, report)| report.mean(measure));
        means.map(move |mean| mean.as_ref().map_or_else(|| "–".to_string(), cell))
    };
    let chunks = reports.iter().map(|(_, report)| thousands(report.chunks));
    let sizes = reports
        .iter()
        .map(|(_, report)| format!("{:.0}", report.mean_size));
    table
        .column("chunks", Align::Right, chunks)
        .column("size", Align::Right, sizes)
        .column(MAIN, Align::Right, of(MAIN, mean))
        .column("95 % interval", Align::Left, of(MAIN, interval))
        .column("recall@5", Align::Right, of("recall@5", mean))
        .column("coverage@8000", Align::Right, of("coverage@8000", mean))
        .print(output)?;
    output.line("")?;
    plot(output, reports, best)
}

/// The widest bar.
const BAR: usize = 30;

/// A bar for each combination, and what lies between it and the best.
fn plot(
    output: &mut Output,
    reports: &[(&Combination, Report)],
    best: usize,
) -> anyhow::Result<()> {
    let differences = reports.iter().enumerate().map(|(index, (_, report))| {
        let comparison = reports[best].1.compare(report);
        let gain = comparison.measures.get(MAIN).map(|measure| measure.gain);
        gain.filter(|_| index != best)
    });
    let differences: Vec<Option<Interval>> = differences.collect();
    let labels = reports
        .iter()
        .map(|(combination, _)| combination.to_string());
    let verdict = |difference: &Option<Interval>| match difference {
        None => "best",
        Some(gain) if gain.is_clear() => "worse",
        Some(_) => "no clear difference",
    };
    let table = Table::default().column("combination", Align::Left, labels);
    let behind = Table::default()
        .column(
            "to the best",
            Align::Right,
            differences
                .iter()
                .map(|difference| difference.as_ref().map(gained).unwrap_or_default()),
        )
        .column(
            "95 % interval",
            Align::Left,
            differences
                .iter()
                .map(|difference| difference.as_ref().map(gained_interval).unwrap_or_default()),
        )
        .column(
            "",
            Align::Left,
            differences
                .iter()
                .map(|difference| verdict(difference).to_string()),
        );
    let width = output
        .width()
        .saturating_sub(table.width() + behind.width() + 2);
    let means = reports
        .iter()
        .map(|(_, report)| report.mean(MAIN).map_or(0.0, |mean| mean.mean));
    let bars = means.map(|mean| bar(mean, width.clamp(8, BAR)));
    table
        .column(MAIN, Align::Left, bars)
        .beside(behind)
        .print(output)?;
    Ok(())
}

/// A report as it is read back.
#[derive(Deserialize)]
struct Stored {
    schema: u32,
    #[serde(flatten)]
    report: Report,
}

fn stored(path: &Path) -> anyhow::Result<Report> {
    let shown = path.display();
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read `{shown}`"))?;
    let foreign = || anyhow!("`{shown}` is no report: `excerpt eval SET --json` prints one");
    let values = serde_json::Deserializer::from_str(&text).into_iter::<Value>();
    let mut values: Vec<Value> = values.collect::<Result<_, _>>().map_err(|_| foreign())?;
    let value = match (values.len(), values.pop()) {
        (1, Some(value)) => value,
        (0, _) | (_, None) => return Err(foreign()),
        (count, _) => bail!(
            "`{shown}` holds {count} reports, one a line: put the one to compare into a file of its own"
        ),
    };
    let stored = Stored::deserialize(value).map_err(|_| foreign())?;
    if stored.schema != SCHEMA {
        bail!(
            "`{shown}` has the form {}, and this version reads {SCHEMA}: print it again",
            stored.schema
        );
    }
    Ok(stored.report)
}

#[derive(Serialize)]
struct PrintedComparison<'a> {
    schema: u32,
    #[serde(flatten)]
    comparison: &'a Comparison,
}

fn compare(output: &mut Output, first: &Path, second: &Path, json: bool) -> anyhow::Result<()> {
    let (one, two) = (stored(first)?, stored(second)?);
    let (first, second) = (first.display(), second.display());
    if one.rule != two.rule {
        bail!("`{first}` and `{second}` were scored by different rules: use one `--rule`");
    }
    let comparison = one.compare(&two);
    if comparison.common == 0 {
        bail!("`{first}` and `{second}` have no question in common");
    }
    if json {
        output.json(&PrintedComparison {
            schema: SCHEMA,
            comparison: &comparison,
        })?;
    } else {
        output.line(format!(
            "A {} · B {}",
            output.safe(&first.to_string()),
            output.safe(&second.to_string())
        ))?;
        output.line(format!(
            "{} in common",
            counted(comparison.common, "question")
        ))?;
        differences(output, &comparison)?;
    }
    for (name, only) in [
        ("A", &comparison.only_first),
        ("B", &comparison.only_second),
    ] {
        if !only.is_empty() {
            say(&format!(
                "note: {} only in {name}, left out here: {}",
                counted(only.len(), "question"),
                only.join(", ")
            ));
        }
    }
    Ok(())
}

fn differences(output: &mut Output, comparison: &Comparison) -> anyhow::Result<()> {
    let measures: Vec<_> = MEASURES
        .iter()
        .filter_map(|measure| Some((*measure, comparison.measures.get(*measure)?)))
        .collect();
    let verdict = |gain: &Interval| match gain.is_clear() {
        true if gain.mean > 0.0 => "better",
        true => "worse",
        false => "",
    };
    let rows = || measures.iter().map(|(_, difference)| difference);
    Table::default()
        .column(
            "measure",
            Align::Left,
            measures.iter().map(|(measure, _)| measure.to_string()),
        )
        .column(
            "A",
            Align::Right,
            rows().map(|row| format!("{:.3}", row.first)),
        )
        .column(
            "B",
            Align::Right,
            rows().map(|row| format!("{:.3}", row.second)),
        )
        .column("B - A", Align::Right, rows().map(|row| gained(&row.gain)))
        .column(
            "95 % interval",
            Align::Left,
            rows().map(|row| gained_interval(&row.gain)),
        )
        .column(
            "",
            Align::Left,
            rows().map(|row| verdict(&row.gain).to_string()),
        )
        .print(output)?;
    Ok(())
}

fn mean(interval: &Interval) -> String {
    format!("{:.3}", interval.mean)
}

fn interval(interval: &Interval) -> String {
    format!("{:.3} to {:.3}", interval.low, interval.high)
}

fn gained(gain: &Interval) -> String {
    format!("{:+.3}", gain.mean)
}

fn gained_interval(gain: &Interval) -> String {
    format!("{:+.3} to {:+.3}", gain.low, gain.high)
}
