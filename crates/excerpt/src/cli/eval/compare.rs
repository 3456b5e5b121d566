//! Two reports, question by question.

use std::path::Path;

use anyhow::{anyhow, bail};
use excerpt_index::eval::{Comparison, Report};
use excerpt_index::read_named;
use excerpt_service::text::counted;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::tables;
use crate::output::{Output, SCHEMA, say};

/// A report as read from a file.
#[derive(Deserialize)]
struct Stored {
    schema: u32,
    #[serde(flatten)]
    report: Report,
}

fn stored(path: &Path) -> anyhow::Result<Report> {
    let shown = path.display();
    let bytes = read_named(path, u64::MAX)
        .map_err(|refused| anyhow!("cannot read `{shown}`: {refused}"))?;
    let foreign = || anyhow!("`{shown}` is not a report: `excerpt eval SET --json` prints one");
    let values = serde_json::Deserializer::from_slice(&bytes).into_iter::<Value>();
    let mut values: Vec<Value> = values.collect::<Result<_, _>>().map_err(|_| foreign())?;
    let value = match (values.len(), values.pop()) {
        (1, Some(value)) => value,
        (0, _) | (_, None) => return Err(foreign()),
        (count, _) => bail!(
            "`{shown}` contains {count} reports, one per line: put the one to compare into a separate file"
        ),
    };
    let stored = Stored::deserialize(value).map_err(|_| foreign())?;
    if stored.schema != SCHEMA {
        bail!(
            "`{shown}` has schema {}, expected {SCHEMA}: print the report again",
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

/// Compares the reports in two files and prints the differences.
pub(super) fn run(
    output: &mut Output,
    first: &Path,
    second: &Path,
    json: bool,
) -> anyhow::Result<()> {
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
        let names = format!("A {first} · B {second}");
        output.line(output.safe(&names))?;
        tables::comparison(output, &comparison)?;
    }
    note_ignored("A", &comparison.only_first);
    note_ignored("B", &comparison.only_second);
    Ok(())
}

/// Notes the questions that `only` one report has.
fn note_ignored(name: &str, only: &[String]) {
    if !only.is_empty() {
        say(&format!(
            "note: {} only in {name}, ignored: {}",
            counted(only.len(), "question"),
            only.join(", ")
        ));
    }
}
