//! `excerpt chunk`: shows how a document is cut, and stores nothing.

use std::io::Read;
use std::path::Path;

use anyhow::anyhow;
use clap::ValueEnum;
use excerpt_chunk::{Chunk, Chunker, Chunking, Config, Document};
use excerpt_index::{
    Encoding, Files, Reading, Refused, Secret, Selection, Source as _, SyncOptions, decode,
    read_named,
};
use owo_colors::Style;

use crate::cli::flags::ChunkFlags;
use crate::exit::Outcome;
use crate::output::{Output, SCHEMA, counted, fitted, say, thousands};
use crate::page;
use crate::place::project;
use crate::wire::Cut;

/// Show how documents are cut; nothing is stored
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A file, a folder, or - for standard input
    #[arg(value_name = "FILE|FOLDER|-")]
    path: String,
    /// How the chunks are shown
    #[arg(long, value_enum, default_value_t = Format::Table, hide_possible_values = true, help = "table, json, jsonl (one chunk a line), text or html (a page to look at)")]
    format: Format,
    /// A name for what comes from standard input: its ending tells the syntax
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Replaces what is not UTF-8 by � instead of refusing the file
    #[arg(long, hide_short_help = true)]
    lossy: bool,
    #[command(flatten)]
    chunking: ChunkFlags,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Table,
    Json,
    Jsonl,
    Text,
    Html,
}

/// Cuts what `args` names and prints the chunks.
pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let around = match &*args.path {
        "-" => Path::new("."),
        path => Path::new(path),
    };
    let settings = args
        .chunking
        .settings()
        .or(project::chunking_around(around)?);
    let chunker = excerpt_grammars::chunker(settings.config())?;
    // What cannot be read is said before anything is printed.
    let single = match &*args.path {
        "-" => {
            let mut bytes = Vec::new();
            std::io::stdin().read_to_end(&mut bytes)?;
            let name = args.name.as_deref();
            Some((name, text(bytes, name.unwrap_or("-"), args.lossy)?))
        }
        path if Path::new(path).is_dir() => None,
        path => Some((Some(path), text(bytes_of(path)?, path, args.lossy)?)),
    };
    if let Some((path, (text, _))) = &single {
        note_secrets(path.unwrap_or_default(), text)?;
    }
    let mut output = Output::new();
    let mut printer = Printer {
        output: &mut output,
        chunker: &chunker,
        format: args.format,
        page: None,
        title: None,
        printed: 0,
    };
    printer.begin(args.name.as_deref().unwrap_or(&args.path))?;
    match single {
        Some((path, (text, encoding))) => printer.print(path, &text, encoding)?,
        None => {
            let size = SyncOptions::default().selection.max_file_size();
            folder(&mut printer, &Files::new(Path::new(&args.path), size)?)?;
        }
    }
    printer.end()?;
    output.flush()?;
    Ok(Outcome::Done)
}

/// Says that an index would skip a text for the secrets in it. What was named is cut all the same: nothing is stored.
fn note_secrets(path: &str, text: &str) -> anyhow::Result<()> {
    let Some(secret) = Selection::default().withholds(path, text) else {
        return Ok(());
    };
    let own = project::Configuration::of_user(&project::EmbeddingArgs::default())?;
    if own.selection.skips_secrets() {
        let advice = Secret::ADVICE;
        say(&format!(
            "note: an index skips this text because it may contain secrets ({secret}): {advice}"
        ));
    }
    Ok(())
}

/// Cuts every document of a folder that an index would hold.
fn folder(printer: &mut Printer<'_>, source: &Files) -> anyhow::Result<()> {
    let listing = source.list()?;
    let mut skipped = listing.skips.len();
    for entry in &listing.entries {
        match source.read(entry) {
            Reading::Text { text, encoding, .. } => {
                printer.print(Some(&entry.path), &text, encoding)?;
            }
            Reading::Skip { .. } => skipped += 1,
            Reading::Gone => {}
        }
    }
    if skipped > 0 {
        say(&format!(
            "skipped {} that an index would skip too",
            counted(skipped, "file or folder")
        ));
    }
    Ok(())
}

/// What an index would hold, printed and not stored.
pub(super) struct Preview<'a> {
    output: &'a mut Output,
    chunker: Chunker,
    format: Format,
    title: Option<String>,
}

impl<'a> Preview<'a> {
    /// Documents cut as `config` says, each under `title` if there is one.
    pub(super) fn new(
        output: &'a mut Output,
        config: Config,
        json: bool,
        title: Option<String>,
    ) -> anyhow::Result<Self> {
        Ok(Preview {
            output,
            chunker: excerpt_grammars::chunker(config)?,
            format: if json { Format::Json } else { Format::Table },
            title,
        })
    }

    /// Prints the cut of one text.
    pub(super) fn text(self, path: &str, text: &str) -> anyhow::Result<()> {
        self.with(|printer| printer.print(Some(path), text, Encoding::default()))
    }

    /// Prints the cut of every document among `files`.
    pub(super) fn files(self, files: &Files) -> anyhow::Result<()> {
        self.with(|printer| folder(printer, files))
    }

    fn with(
        self,
        print: impl FnOnce(&mut Printer<'_>) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let mut printer = Printer {
            output: self.output,
            chunker: &self.chunker,
            format: self.format,
            page: None,
            title: self.title.as_deref(),
            printed: 0,
        };
        printer.begin("")?;
        print(&mut printer)?;
        printer.end()
    }
}

/// The bytes of the file that was named. What may never end is for standard input, where the user can end it.
fn bytes_of(path: &str) -> anyhow::Result<Vec<u8>> {
    read_named(Path::new(path), u64::MAX).map_err(|refused| match refused {
        Refused::Kind(kind) => {
            anyhow!("cannot read `{path}`: it is {kind}, expected a regular file, or `-` for standard input")
        }
        other => anyhow!("cannot read `{path}`: {other}"),
    })
}

/// The text of `bytes`, which came from `name`, and what it was encoded in.
fn text(bytes: Vec<u8>, name: &str, lossy: bool) -> anyhow::Result<(String, Encoding)> {
    if lossy {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        return Ok((text, Encoding::default()));
    }
    decode(bytes).map_err(|reason| {
        anyhow!("`{name}` cannot be cut: {reason}; `--lossy` replaces what is not text")
    })
}

/// Prints one document after another.
struct Printer<'a> {
    output: &'a mut Output,
    chunker: &'a Chunker,
    format: Format,
    page: Option<page::Preview<'a>>,
    /// What every document is called, if that is said.
    title: Option<&'a str>,
    printed: usize,
}

impl Printer<'_> {
    /// Prints what comes before the first document; all of them together are called `title`.
    fn begin(&mut self, title: &str) -> anyhow::Result<()> {
        match self.format {
            Format::Json => self
                .output
                .raw(&format!("{{\"schema\":{SCHEMA},\"documents\":[\n"))?,
            Format::Html => {
                let page =
                    page::Preview::begin(self.output.stream(), title, self.chunker.config())?;
                self.page = Some(page);
            }
            Format::Table | Format::Jsonl | Format::Text => {}
        }
        Ok(())
    }

    fn print(&mut self, path: Option<&str>, text: &str, encoding: Encoding) -> anyhow::Result<()> {
        let document = Document::new(text);
        let document = path.map_or(document, |path| document.with_path(path));
        let document = match self.title {
            Some(title) => document.with_title(title),
            None => document,
        };
        let chunking = self.chunker.chunk(&document);
        let first = self.printed == 0;
        self.printed += 1;
        match self.format {
            Format::Table => {
                if !first {
                    self.output.line("")?;
                }
                table(self.output, path, text, &chunking)?;
            }
            Format::Json => {
                self.output.raw(if first { "" } else { "," })?;
                self.output.json(&Cut {
                    path,
                    encoding,
                    chunking: &chunking,
                    summary: None,
                })?;
            }
            Format::Jsonl => {
                for chunk in &chunking.chunks {
                    self.output.json(chunk)?;
                }
            }
            Format::Text => texts(self.output, &chunking)?,
            Format::Html => {
                if let Some(page) = &mut self.page {
                    page.document(self.output.stream(), path, text, &chunking)?;
                }
            }
        }
        Ok(())
    }

    fn end(&mut self) -> anyhow::Result<()> {
        if self.format == Format::Json {
            self.output.raw("]}\n")?;
        }
        if let Some(page) = self.page.take() {
            page.end(self.output.stream())?;
        }
        Ok(())
    }
}

fn table(
    output: &mut Output,
    path: Option<&str>,
    text: &str,
    chunking: &Chunking<'_>,
) -> anyhow::Result<()> {
    let unit = chunking.unit.to_string();
    let name = output.styled(path.unwrap_or("(standard input)"), Style::new().bold());
    let size = thousands(chunking.size);
    output.line(format!(
        "{name} · {size} {unit} · {} ({})",
        chunking.strategy,
        output.safe(&chunking.reason)
    ))?;
    for warning in &chunking.warnings {
        output.line(output.safe(&format!("  ! {warning}")))?;
    }
    if !chunking.chunks.is_empty() {
        rows(output, &unit, &chunking.chunks)?;
    }
    output.line(summary(chunking, text))?;
    Ok(())
}

fn rows(output: &mut Output, unit: &str, chunks: &[Chunk<'_>]) -> anyhow::Result<()> {
    let lines = |chunk: &Chunk<'_>| format!("{}-{}", chunk.span.lines.0, chunk.span.lines.1);
    let widest = chunks.iter().map(|chunk| lines(chunk).len()).max();
    let lines_width = widest.unwrap_or(0).max(5);
    let trail_width = output.width().saturating_sub(lines_width + 50).max(24);
    let head = format!(
        "{:>4} {unit:>7}  {:lines_width$}  {}  cut before it",
        "#",
        "lines",
        fitted("trail", trail_width)
    );
    output.line(output.styled(&head, Style::new().dimmed()))?;
    for chunk in chunks {
        let trail = output.safe(&place(chunk)).into_owned();
        let row = format!(
            "{:>4} {:>7}  {:lines_width$}  {}  {}",
            chunk.ordinal,
            thousands(chunk.tokens.total),
            lines(chunk),
            fitted(&trail, trail_width),
            chunk.cut.reason,
        );
        let warnings = chunk
            .warnings
            .iter()
            .map(|warning| format!("  ! {warning}"));
        output.line(output.safe(&(row + &warnings.collect::<String>())))?;
    }
    Ok(())
}

/// The trail of a chunk and what begins in it; without any, what it is.
fn place(chunk: &Chunk<'_>) -> String {
    let inside = chunk.sections.join(", ");
    let around = chunk.breadcrumb();
    let mut place = match (chunk.context.trail.is_empty(), inside.is_empty()) {
        (true, true) => format!("({})", chunk.kind),
        (true, false) => inside,
        (false, true) => around,
        (false, false) => format!("{around} > {inside}"),
    };
    if chunk.part.count > 1 {
        place += &format!("  part {}/{}", chunk.part.index, chunk.part.count);
    }
    place
}

fn summary(chunking: &Chunking<'_>, text: &str) -> String {
    let summary = chunking.summary();
    if summary.chunks == 0 {
        return "no chunks: there is no text".to_string();
    }
    let sizes = format!(
        "mean {} · {}–{}",
        summary.mean, summary.smallest, summary.largest
    );
    let oversized = match summary.oversized {
        0 => "nothing over the limit".to_string(),
        count => format!("{count} over the limit"),
    };
    let undersized = match summary.undersized {
        0 => String::new(),
        count => format!(" · {count} under min"),
    };
    let left_out = left_out(chunking, text);
    format!(
        "{} · {sizes} · {oversized}{undersized} · {left_out}",
        counted(summary.chunks, "chunk")
    )
}

/// What became of the text outside the chunks.
fn left_out(chunking: &Chunking<'_>, text: &str) -> String {
    let gaps = chunking
        .gaps
        .iter()
        .map(|gap| text[gap.clone()].trim_matches('\u{feff}').trim().len());
    match gaps.sum() {
        0 => "nothing lost".to_string(),
        bytes => format!("{} of delimiters left out", counted(bytes, "byte")),
    }
}

fn texts(output: &mut Output, chunking: &Chunking<'_>) -> anyhow::Result<()> {
    for chunk in &chunking.chunks {
        let head = format!(
            "── {} · {} {} · {}",
            chunk.ordinal,
            chunk.tokens.total,
            chunking.unit,
            place(chunk)
        );
        output.line(output.styled(&head, Style::new().dimmed()))?;
        output.line(output.safe_text(chunk.text))?;
    }
    Ok(())
}
