//! `excerpt chunk`: shows how a document is split, and stores nothing.

use std::io::{self, Read, Write as _};
use std::path::Path;

use anyhow::bail;
use clap::ValueEnum;
#[cfg(feature = "arrow")]
use excerpt_arrow::BatchError;
use excerpt_chunk::{Block, Chunk, Chunker, Chunking, Document};
use excerpt_index::{Encoding, FileText, Secret};
use excerpt_service::text::{counted, skip_counts, thousands};
use excerpt_service::{
    NamedFiles, PreparedAddition, ReadText, SkipCounts, SplitDocument, chunking_around,
};
use owo_colors::Style;

#[cfg(feature = "arrow")]
use crate::chunk_table::{ChunkTable, DocumentRows, TableForm};
use crate::cli::choice::print_notes;
use crate::cli::exit::Outcome;
use crate::cli::flags::ChunkFlags;
use crate::cli::status::size;
use crate::output::{Output, OutputForm, fitted, say, split};
use crate::page;

/// Show how documents are split; nothing is stored
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A file, a folder, or - for standard input
    #[arg(value_name = "FILE|FOLDER|-")]
    path: String,
    /// How the chunks are shown
    #[arg(long, value_enum, default_value_t = Format::Table, hide_possible_values = true, help = "table, json, jsonl (one chunk per line), text, html (a page to look at), outline (the blocks of the document) or outline-json (one block per line); arrow (a stream) and parquet are tables for data tools")]
    format: Format,
    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Write an HTML page of a very large text too
    #[arg(long, hide_short_help = true)]
    force: bool,
    /// A file name for standard input: its extension determines the syntax
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Replace bytes that are not UTF-8 with � instead of refusing the file
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
    Outline,
    OutlineJson,
    #[cfg(feature = "arrow")]
    Arrow,
    #[cfg(feature = "arrow")]
    Parquet,
}

/// Splits what `args` names and prints the chunks.
pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let named = match &*args.path {
        "-" => None,
        path => Some(NamedFiles::of(path)?),
    };
    let settings = match &named {
        Some(named) => {
            print_notes(&named.notes);
            named.settings.clone()
        }
        None => chunking_around(Path::new("."))?,
    };
    let chunker = excerpt_grammars::chunker(args.chunking.settings().or(settings).config())?;
    // A path that cannot be read is an error before anything is printed.
    let single = single(args, named.as_ref())?;
    let format = match args.json {
        true => Format::Json,
        false => args.format,
    };
    if format == Format::Html && !args.force {
        let bytes = match (&single, &named) {
            (None, Some(named)) => named.bytes()?,
            (single, _) => single
                .as_ref()
                .map_or(0, |read| read.file.text.len() as u64),
        };
        check_page(&args.path, bytes)?;
    }
    let mut output = Output::new();
    let mut printer = Printer {
        output: &mut output,
        chunker: &chunker,
        format,
        page: None,
        #[cfg(feature = "arrow")]
        chunks: None,
        title: named.as_ref().and_then(|named| named.title.as_deref()),
        printed: 0,
    };
    printer.begin(args.name.as_deref().unwrap_or(&args.path))?;
    match (single, &named) {
        (Some(read), _) => {
            let prepared = printer.renderer().render(read);
            printer.print(prepared)?;
        }
        (None, Some(named)) => {
            let renderer = printer.renderer();
            let render = |read| renderer.render(read);
            let skipped = named.each(&render, &mut |prepared| printer.print(prepared))?;
            say_skipped(&skipped, printer.printed);
        }
        (None, None) => {}
    }
    printer.end()?;
    output.flush()?;
    Ok(Outcome::Done)
}

/// The text of a file or of standard input; `None` for a folder. What is unusual about it is
/// reported.
fn single(args: &Args, named: Option<&NamedFiles>) -> anyhow::Result<Option<ReadText>> {
    let read = match named {
        None => {
            let mut bytes = Vec::new();
            io::stdin().read_to_end(&mut bytes)?;
            ReadText::of_bytes(bytes, args.name.as_deref(), args.lossy)?
        }
        Some(named) if named.is_folder() => return Ok(None),
        Some(named) => named.read_file(&args.path, args.lossy)?,
    };
    if let Some(secret) = read.secret()? {
        let advice = Secret::ADVICE;
        say(&format!(
            "note: an index skips this text because it may contain secrets ({secret}): {advice}"
        ));
    }
    if let (Some(path), Encoding::Windows1252) = (&read.path, read.file.encoding) {
        say(&format!(
            "note: `{path}` is read as {}",
            read.file.encoding.name()
        ));
    }
    Ok(Some(read))
}

/// Reports what was skipped; why, if no document was split.
fn say_skipped(skipped: &SkipCounts, documents: usize) {
    if documents == 0 {
        say("there are no documents here");
    }
    let count: usize = skipped.values().sum();
    if count > 0 {
        let why = match documents {
            0 => format!(": {}", skip_counts(skipped)),
            _ => String::new(),
        };
        say(&format!(
            "skipped {} that an index would skip too{why}",
            counted(count, "file or folder")
        ));
    }
}

/// Rejects a page that is too large for a browser.
fn check_page(path: &str, bytes: u64) -> anyhow::Result<()> {
    /// The maximum size of the text of a page.
    const MOST: u64 = 4 << 20;
    /// How much larger than its text a page is: 3 times for long chunks, 6 times for source code.
    const TIMES: u64 = 4;
    match bytes <= MOST {
        true => Ok(()),
        false => bail!(
            "the page of `{path}` would take about {}, and a browser shows that slowly: name a part of it, or write it with `--force`",
            size(bytes * TIMES)
        ),
    }
}

/// Prints how the documents of `prepared` would be split, with the settings of a collection that is
/// not stored.
pub(super) fn preview(prepared: &PreparedAddition, json: bool) -> anyhow::Result<()> {
    let mut output = Output::new();
    let mut printer = Printer {
        output: &mut output,
        chunker: &excerpt_grammars::chunker(prepared.options.chunking.clone())?,
        format: if json { Format::Json } else { Format::Table },
        page: None,
        #[cfg(feature = "arrow")]
        chunks: None,
        title: prepared.collection.attributes.title.as_deref(),
        printed: 0,
    };
    printer.begin("")?;
    let renderer = printer.renderer();
    let render = |read| renderer.render(read);
    let skipped = prepared.each_document(&render, &mut |prepared, _| printer.print(prepared))?;
    say_skipped(&skipped, printer.printed);
    printer.end()?;
    Ok(output.flush()?)
}

/// A block of the document at `path`.
#[derive(serde::Serialize)]
struct PathBlock<'a> {
    path: Option<&'a str>,
    #[serde(flatten)]
    block: &'a Block,
}

/// Prints one document after another.
struct Printer<'a> {
    output: &'a mut Output,
    chunker: &'a Chunker,
    format: Format,
    page: Option<page::Preview<'a>>,
    /// The chunks as a table.
    #[cfg(feature = "arrow")]
    chunks: Option<ChunkTable>,
    /// The title of every document, if one was given.
    title: Option<&'a str>,
    printed: usize,
}

/// Splits documents and renders each on its own, several at a time.
#[derive(Clone, Copy)]
struct Renderer<'a> {
    form: OutputForm,
    chunker: &'a Chunker,
    format: Format,
    title: Option<&'a str>,
}

/// A document, or what is printed of it.
enum Prepared {
    /// The text, for a page of all documents.
    Text(Box<ReadText>),
    #[cfg(feature = "arrow")]
    Rows(Result<DocumentRows, BatchError>),
    Rendered(io::Result<Vec<u8>>),
}

impl<'a> Renderer<'a> {
    /// The document `read`, to be split.
    fn document<'t>(&self, read: &'t ReadText) -> Document<'t>
    where
        'a: 't,
    {
        let document = match read.source_path.as_deref() {
            Some(path) => read.file.document(path),
            None => Document::new(&read.file.text),
        };
        match self.title {
            Some(title) => document.with_title(title),
            None => document,
        }
    }

    /// The chunks of the document `read`, with their places in its file.
    fn split<'t>(&self, read: &'t ReadText) -> Chunking<'t>
    where
        'a: 't,
    {
        let document = self.document(read);
        let mut chunking = self.chunker.chunk(&document);
        read.file.place_chunks(&document, &mut chunking);
        chunking
    }

    /// What is printed of a document.
    fn render(&self, read: ReadText) -> Prepared {
        match self.format {
            Format::Html => Prepared::Text(Box::new(read)),
            #[cfg(feature = "arrow")]
            Format::Arrow | Format::Parquet => {
                let chunking = self.split(&read);
                Prepared::Rows(DocumentRows::new(&chunking, &read.file.text))
            }
            _ => {
                let mut output = self.form.part();
                let written = self.write(&read, &mut output);
                Prepared::Rendered(written.map(|()| output.into_bytes()))
            }
        }
    }

    /// Writes what is printed of a document.
    fn write(&self, read: &ReadText, output: &mut Output<Vec<u8>>) -> io::Result<()> {
        let path = read.path.as_deref();
        if matches!(self.format, Format::Outline | Format::OutlineJson) {
            let document = self.document(read);
            let blocks = self.chunker.outline(&document).blocks(&read.file.text);
            return outline(output, path, &blocks, self.format);
        }
        let chunking = self.split(read);
        match self.format {
            Format::Table => table(output, path, &read.file, &chunking),
            Format::Json => output.json(&SplitDocument {
                path,
                source_path: read.source_path.as_deref(),
                encoding: read.file.encoding,
                chunking: &chunking,
                summary: chunking.summary(),
            }),
            Format::Jsonl => {
                let mut chunks = chunking.chunks.iter();
                chunks.try_for_each(|chunk| output.json(chunk))
            }
            _ => texts(output, &chunking),
        }
    }
}

impl<'a> Printer<'a> {
    fn renderer(&self) -> Renderer<'a> {
        Renderer {
            form: self.output.form(),
            chunker: self.chunker,
            format: self.format,
            title: self.title,
        }
    }

    /// Prints what comes before the first document. `title` is the title of the whole output.
    fn begin(&mut self, title: &str) -> anyhow::Result<()> {
        match self.format {
            Format::Json => self.output.raw(split::begin())?,
            Format::Html => {
                let page =
                    page::Preview::begin(self.output.stream(), title, self.chunker.config())?;
                self.page = Some(page);
            }
            #[cfg(feature = "arrow")]
            Format::Arrow => self.chunks = Some(ChunkTable::begin(TableForm::Arrow)?),
            #[cfg(feature = "arrow")]
            Format::Parquet => self.chunks = Some(ChunkTable::begin(TableForm::Parquet)?),
            Format::Table
            | Format::Jsonl
            | Format::Text
            | Format::Outline
            | Format::OutlineJson => {}
        }
        Ok(())
    }

    /// Prints the next document.
    fn print(&mut self, prepared: Prepared) -> anyhow::Result<()> {
        let is_first = self.printed == 0;
        self.printed += 1;
        match prepared {
            Prepared::Rendered(bytes) => {
                let between = match self.format {
                    _ if is_first => "",
                    Format::Json => ",",
                    Format::Table | Format::Outline => "\n",
                    _ => "",
                };
                self.output.raw(between)?;
                self.output.raw(bytes?)?;
            }
            Prepared::Text(read) => {
                let text = &*read.file.text;
                let chunking = self.renderer().split(&read);
                if let Some(page) = &mut self.page {
                    let path = read.path.as_deref();
                    page.document(self.output.stream(), path, text, &chunking)?;
                }
            }
            #[cfg(feature = "arrow")]
            Prepared::Rows(rows) => {
                if let Some(chunks) = &mut self.chunks {
                    chunks.add(rows?)?;
                }
            }
        }
        Ok(())
    }

    fn end(&mut self) -> anyhow::Result<()> {
        if self.format == Format::Json {
            self.output.stream().write_all(split::END)?;
        }
        if let Some(page) = self.page.take() {
            page.end(self.output.stream())?;
        }
        #[cfg(feature = "arrow")]
        if let Some(chunks) = self.chunks.take() {
            chunks.end()?;
        }
        Ok(())
    }
}

/// Writes the blocks of a document, one a line.
fn outline(
    output: &mut Output<Vec<u8>>,
    path: Option<&str>,
    blocks: &[Block],
    format: Format,
) -> io::Result<()> {
    if format == Format::OutlineJson {
        let mut blocks = blocks.iter();
        return blocks.try_for_each(|block| output.json(&PathBlock { path, block }));
    }
    let name = path.unwrap_or("(standard input)");
    output.line(output.styled(name, Style::new().bold()))?;
    for block in blocks {
        let (from, to) = block.lines;
        let kind = match block.level {
            Some(level) => format!("{} {level}", block.kind),
            None => block.kind.to_string(),
        };
        let called = block.name.as_deref().or(block.language.as_deref());
        let row = format!(
            "{:>11}  {kind:<16} {}",
            format!("{from}-{to}"),
            called.unwrap_or_default()
        );
        output.line(output.safe(row.trim_end()))?;
    }
    Ok(())
}

fn table(
    output: &mut Output<Vec<u8>>,
    path: Option<&str>,
    file: &FileText,
    chunking: &Chunking<'_>,
) -> io::Result<()> {
    let unit = chunking.unit.to_string();
    let name = output.styled(path.unwrap_or("(standard input)"), Style::new().bold());
    let size = thousands(chunking.size);
    let by = file
        .extraction
        .as_ref()
        .map(|extraction| format!(" · {}", extraction.reader));
    output.line(format!(
        "{name}{} · {size} {unit} · {} ({})",
        output.safe(&by.unwrap_or_default()),
        chunking.strategy,
        output.safe(&chunking.reason)
    ))?;
    for warning in &chunking.warnings {
        output.line(output.safe(&format!("  ! {warning}")))?;
    }
    if !chunking.chunks.is_empty() {
        rows(output, &unit, &chunking.chunks)?;
    }
    output.line(summary(chunking, &file.text))?;
    Ok(())
}

fn rows(output: &mut Output<Vec<u8>>, unit: &str, chunks: &[Chunk<'_>]) -> io::Result<()> {
    let lines = |chunk: &Chunk<'_>| format!("{}-{}", chunk.span.lines.0, chunk.span.lines.1);
    let has_places = chunks.iter().any(|chunk| chunk.place.is_some());
    let (name, lines): (_, &dyn Fn(&Chunk<'_>) -> String) = match has_places {
        true => ("place", &|chunk| chunk.place.clone().unwrap_or_default()),
        false => ("lines", &lines),
    };
    let widest = chunks
        .iter()
        .map(|chunk| lines(chunk).chars().count())
        .max();
    let lines_width = widest.unwrap_or(0).max(5);
    let trail_width = output.width().saturating_sub(lines_width + 50).max(24);
    let head = format!(
        "{:>4} {unit:>7}  {:lines_width$}  {}  starts at",
        "#",
        name,
        fitted("trail", trail_width)
    );
    output.line(output.styled(&head, Style::new().dimmed()))?;
    for chunk in chunks {
        let trail = output.safe(&place(chunk)).into_owned();
        let row = format!(
            "{:>4} {:>7}  {:lines_width$}  {}  {}",
            chunk.ordinal,
            thousands(chunk.size.total),
            output.safe(&lines(chunk)),
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

/// The trail of a chunk and the sections that begin in it; without either, its kind.
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

/// Describes the text outside the chunks.
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

fn texts(output: &mut Output<Vec<u8>>, chunking: &Chunking<'_>) -> io::Result<()> {
    for chunk in &chunking.chunks {
        let head = format!(
            "── {} · {} {} · {}",
            chunk.ordinal,
            chunk.size.total,
            chunking.unit,
            place(chunk)
        );
        output.line(output.styled(&head, Style::new().dimmed()))?;
        output.line(output.safe_text(chunk.text))?;
    }
    Ok(())
}
