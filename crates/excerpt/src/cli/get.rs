//! `excerpt get`: documents from the index, whole or in part, with neighbouring chunks and links.

use excerpt_index::{DocumentText, Links, Outgoing};
use excerpt_service::{GetRequest, Paths, TargetReader};
use owo_colors::Style;
use serde::Serialize;

use crate::cli::choice::IndexArgs;
use crate::cli::exit::Outcome;
use crate::cli::messages::{changed, message};
use crate::output::{Output, SCHEMA, complain, say};

/// Print documents from the index, or parts of them
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Documents (notes.md, 'docs/**/*.md'), lines (notes.md:10-20 or notes.md:7), sections
    /// (notes.md#how-it-works) or ids of chunks
    #[arg(value_name = "TARGET", required = true)]
    targets: Vec<String>,
    /// Print the chunks that contain the target, and this many before and after them
    #[arg(long, value_name = "N")]
    neighbours: Option<usize>,
    /// List the links in the printed text, and the links that lead to it
    #[arg(long)]
    links: bool,
    /// Print each text with its metadata as a line of JSON
    #[arg(long)]
    json: bool,
    /// The collection that the targets are in; they are then paths inside it
    #[arg(long, short = 'c', value_name = "NAME")]
    collection: Option<String>,
    #[command(flatten)]
    index: IndexArgs,
}

#[derive(Serialize)]
struct Line<'a> {
    schema: u32,
    target: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    collection: Option<&'a str>,
    /// The path inside the source, which is the document's name in the index.
    source_path: &'a str,
    #[serde(flatten)]
    document: &'a DocumentText,
}

/// Prints the targets. An error in one is reported and does not affect the others.
pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let request = GetRequest {
        targets: args.targets.clone(),
        collections: args.collection.iter().cloned().collect(),
        neighbours: args.neighbours,
        links: args.links,
    };
    let choice = args.index.choice();
    let mut reader = TargetReader::new(&request, &choice);
    let mut output = Output::new();
    let (mut printed, mut failure) = (0, None);
    let mut notes = Vec::new();
    let targets = reader.targets()?;
    let paths = Paths::from_here(None);
    for target in &targets {
        match reader.read(target) {
            Ok(read) => {
                let document = read.shown(&paths);
                let line = Line {
                    schema: SCHEMA,
                    target,
                    collection: read.collection.as_deref(),
                    source_path: &read.document.path,
                    document: &document,
                };
                match args.json {
                    true => output.json(&line)?,
                    false => print(&mut output, args, targets.len(), &document, printed)?,
                }
                let name = format!("`{}`", document.path);
                notes.extend(read.changed().map(|since| changed(since, &name)));
                printed += 1;
            }
            Err(error) => {
                // The last error is printed by the caller.
                if let Some(earlier) = failure.replace(error.into()) {
                    complain(&message(&earlier));
                }
            }
        }
    }
    output.flush()?;
    notes.dedup();
    notes.iter().for_each(|note| say(&format!("note: {note}")));
    match failure {
        None => Ok(Outcome::Done),
        Some(error) if printed == 0 => Err(error),
        Some(error) => {
            complain(&message(&error));
            Ok(Outcome::Attention)
        }
    }
}

/// Prints one of several targets after `printed` others. A single text is printed unchanged,
/// except that on a terminal it ends with a line feed.
fn print(
    output: &mut Output,
    args: &Args,
    targets: usize,
    document: &DocumentText,
    printed: usize,
) -> anyhow::Result<()> {
    let text = output.safe_text(&document.text);
    if targets == 1 && !args.links {
        output.raw(&*text)?;
        // The prompt is on a line of its own.
        if output.form().is_terminal() && !text.ends_with('\n') && !text.is_empty() {
            output.line("")?;
        }
        return Ok(());
    }
    if printed > 0 {
        output.line("")?;
    }
    let citation = output.styled(&document.citation, Style::new().bold());
    let title = document.title.as_deref();
    let title = title.map(|title| format!(" · {}", output.safe(title)));
    output.line(format!("{citation}{}", title.unwrap_or_default()))?;
    output.raw(&*text)?;
    if !text.ends_with('\n') && !text.is_empty() {
        output.line("")?;
    }
    match &document.links {
        Some(links) => print_links(output, links),
        None => Ok(()),
    }
}

fn print_links(output: &mut Output, links: &Links) -> anyhow::Result<()> {
    output.line("")?;
    if links.outgoing.is_empty() && links.incoming.is_empty() {
        output.line("no links")?;
    }
    if !links.outgoing.is_empty() {
        output.line("links")?;
    }
    for link in &links.outgoing {
        let line = format!("    :{} {}", link.line, outgoing(link));
        output.line(output.safe(&line))?;
    }
    if !links.incoming.is_empty() {
        output.line("linked from")?;
    }
    for link in &links.incoming {
        let section = link
            .section
            .as_ref()
            .map(|section| format!(" to #{section}"));
        let title = link.title.as_ref().map(|title| format!(" · {title}"));
        let (section, title) = (section.unwrap_or_default(), title.unwrap_or_default());
        let line = format!("    {}:{}{section}{title}", link.path, link.line);
        output.line(output.safe(&line))?;
    }
    Ok(())
}

/// A link and where it leads.
fn outgoing(link: &Outgoing) -> String {
    let section = link.section.as_ref().map(|section| format!("#{section}"));
    // The citation already contains the path.
    let target = match link.path.as_ref() == Some(&link.target) {
        true => "",
        false => &link.target,
    };
    let written = format!("{target}{}", section.unwrap_or_default());
    match (&link.citation, &link.path) {
        (Some(citation), _) => {
            let title = link.title.as_ref().map(|title| format!(" · {title}"));
            let arrow = if written.is_empty() { "→" } else { " →" };
            format!("{written}{arrow} {citation}{}", title.unwrap_or_default())
        }
        (None, Some(path)) => format!("{written} → {path}, which has no such section"),
        (None, None) => format!("{written} → nothing yet"),
    }
}
