//! The tables of an evaluation.

use excerpt_index::eval::{Comparison, Interval, MEASURES, Report, Rule, ScoredQuestion};
use excerpt_service::text::{counted, thousands};
use owo_colors::Style;

use super::Args;
use super::sweep::Combination;
use crate::output::Output;
use crate::table::{Align, Table, bar};

/// The measure by which categories and the rows of a sweep are compared.
const MAIN: &str = "ndcg@10";

/// The widest bar.
const BAR: usize = 30;

/// The line above the tables of a report.
fn head(output: &Output, report: &Report) -> String {
    let set = output.styled(&report.set, Style::new().bold());
    let questions = counted(report.questions.len(), "question");
    let documents = counted(report.documents, "document");
    format!("{set} · {questions} · {documents}")
}

/// A note about the rule, if it is not the default.
fn rule(report: &Report) -> &'static str {
    match report.rule {
        Rule::Any => " · any shared character is enough",
        _ => "",
    }
}

/// Prints the scores of one report.
pub(super) fn report(output: &mut Output, report: &Report, args: &Args) -> anyhow::Result<()> {
    output.line(format!(
        "{} in {}, mean size {:.0}{}",
        head(output, report),
        counted(report.chunks, "chunk"),
        report.mean_size,
        rule(report)
    ))?;
    means(output, report)?;
    if args.by.is_some() {
        output.line("")?;
        by_category(output, report)?;
    }
    let missed = |question: &&ScoredQuestion| {
        question.is_answerable() && question.rank.is_none_or(|rank| rank > 10)
    };
    let missed: Vec<&ScoredQuestion> = report.questions.iter().filter(missed).collect();
    if args.misses && !missed.is_empty() {
        output.line("")?;
        misses(output, &missed)?;
    }
    output.line("")?;
    output.line(summary(report, missed.len(), args.misses))?;
    Ok(())
}

/// Prints the mean of each measure.
fn means(output: &mut Output, report: &Report) -> anyhow::Result<()> {
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
    Ok(())
}

/// How many questions were missed. `are_listed` is whether they were printed.
fn summary(report: &Report, missed: usize, are_listed: bool) -> String {
    let hint = match are_listed || missed == 0 {
        true => "",
        false => "; `--misses` lists them",
    };
    match missed {
        0 if report.questions.iter().all(ScoredQuestion::is_answerable) => {
            "every question has an answer among the best 10 chunks".to_string()
        }
        0 => "every question that has an answer has one among the best 10 chunks".to_string(),
        1 => format!("1 question has its answer below the best 10 chunks, or not at all{hint}"),
        count => format!(
            "{} have their answers below the best 10 chunks, or not at all{hint}",
            counted(count, "question")
        ),
    }
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

fn misses(output: &mut Output, missed: &[&ScoredQuestion]) -> anyhow::Result<()> {
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

/// Prints the reports of a sweep with the best one marked.
pub(super) fn sweep(output: &mut Output, reports: &[(&Combination, Report)]) -> anyhow::Result<()> {
    let mut best = 0;
    for (index, (_, report)) in reports.iter().enumerate() {
        if main(report) > main(&reports[best].1) {
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

/// A bar for each combination, and its difference to the best.
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
            "",
            Align::Left,
            differences
                .iter()
                .map(|difference| verdict(difference).to_string()),
        )
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
        );
    let width = output
        .width()
        .saturating_sub(table.width() + behind.width() + 2);
    let bars = reports
        .iter()
        .map(|(_, report)| bar(main(report), width.clamp(8, BAR)));
    table
        .column(MAIN, Align::Left, bars)
        .beside(behind)
        .print(output)?;
    Ok(())
}

/// Prints the differences of two reports.
pub(super) fn comparison(output: &mut Output, comparison: &Comparison) -> anyhow::Result<()> {
    output.line(format!(
        "{} in common",
        counted(comparison.common, "question")
    ))?;
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

fn main(report: &Report) -> f64 {
    report.mean(MAIN).map_or(0.0, |mean| mean.mean)
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
