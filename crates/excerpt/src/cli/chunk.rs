//! `excerpt chunk`: shows how a document is split, and stores nothing.

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, bail};
use clap::ValueEnum;
use excerpt_chunk::{Block, Chunk, Chunker, Chunking, Config, Document, Settings};
use excerpt_index::{
    Collection, Encoding, Files, Reading, Refused, Secret, Selection, Source as _, decode,
    is_at_or_below, read_named,
};
use excerpt_service::text::{counted, thousands};
use excerpt_service::{
    CollectionChoice, Configuration, EmbeddingChoice, IndexChoice, IndexTarget, Paths,
    SplitDocument, absolute, chunking_around, in_collection,
};
use owo_colors::Style;

use crate::cli::choice::print_notes;
use crate::cli::exit::Outcome;
use crate::cli::flags::ChunkFlags;
use crate::cli::status::size;
use crate::output::{Output, SCHEMA, fitted, say};
use crate::page;

/// Show how documents are split; nothing is stored
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A file, a folder, or - for standard input
    #[arg(value_name = "FILE|FOLDER|-")]
    path: String,
    /// How the chunks are shown
    #[arg(long, value_enum, default_value_t = Format::Table, hide_possible_values = true, help = "table, json, jsonl (one chunk per line), text, html (a page to look at), outline (the blocks of the document) or outline-json (one block per line)")]
    format: Format,
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
}

/// Splits what `args` names and prints the chunks.
pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let named = named(&args.path)?;
    let is_input = args.path == "-";
    let indexed = match is_input {
        true => None,
        false => Some(Indexed::of(&named)?),
    };
    let settings = match &indexed {
        Some(indexed) => indexed.settings.clone(),
        None => chunking_around(Path::new("."))?,
    };
    let chunker = excerpt_grammars::chunker(args.chunking.settings().or(settings).config())?;
    // A path that cannot be read is an error before anything is printed.
    let single = match &indexed {
        None => {
            let mut bytes = Vec::new();
            std::io::stdin().read_to_end(&mut bytes)?;
            let name = args.name.as_deref();
            let (text, encoding) = text(bytes, name.unwrap_or("-"), args.lossy)?;
            Some((name, name, text, encoding))
        }
        Some(_) if named.is_dir() => None,
        Some(indexed) => {
            let (text, encoding) = text(bytes_of(&named)?, &args.path, args.lossy)?;
            Some((Some(&*args.path), Some(indexed.name()), text, encoding))
        }
    };
    if let Some((path, _, text, _)) = &single {
        note_secrets(path.unwrap_or_default(), text)?;
    }
    if let Some((Some(path), _, _, encoding @ Encoding::Windows1252)) = &single {
        say(&format!("note: `{path}` is read as {}", encoding.name()));
    }
    if args.format == Format::Html && !args.force {
        let bytes = match (&single, &indexed) {
            (None, Some(indexed)) => indexed.bytes()?,
            (single, _) => single
                .as_ref()
                .map_or(0, |(_, _, text, _)| text.len() as u64),
        };
        check_page(&args.path, bytes)?;
    }
    let mut output = Output::new();
    let mut printer = Printer {
        output: &mut output,
        chunker: &chunker,
        format: args.format,
        page: None,
        title: indexed
            .as_ref()
            .and_then(|indexed| indexed.title.as_deref()),
        printed: 0,
    };
    printer.begin(args.name.as_deref().unwrap_or(&args.path))?;
    match (single, &indexed) {
        (Some((path, source_path, text, encoding)), _) => {
            printer.print(path, source_path, &text, encoding)?;
        }
        (None, Some(indexed)) => {
            let paths = Paths::from_here(Some(&named));
            let shown = |path: &str| paths.shown(&indexed.root, path);
            folder(
                &mut printer,
                &indexed.files()?,
                indexed.inside.as_deref(),
                shown,
            )?;
        }
        (None, None) => {}
    }
    printer.end()?;
    output.flush()?;
    Ok(Outcome::Done)
}

/// The file or folder that was named, possibly by the name of its collection.
fn named(path: &str) -> anyhow::Result<PathBuf> {
    Ok(match in_collection(path) {
        Some((name, inside)) if !Path::new(path).exists() => {
            let library = IndexChoice::default().library()?;
            absolute(&Collection::named_in(&library, name)?.root, inside)
        }
        _ => PathBuf::from(path),
    })
}

/// How the index of a file or folder splits it: by its path in the index and the settings that
/// apply there.
struct Indexed {
    root: PathBuf,
    /// The path inside the root; `None` for the whole root.
    inside: Option<String>,
    settings: Settings,
    selection: Selection,
    title: Option<String>,
}

impl Indexed {
    fn of(path: &Path) -> anyhow::Result<Indexed> {
        let (index, embedding) = (IndexChoice::default(), EmbeddingChoice::default());
        let target = IndexTarget::of(path, &CollectionChoice::default(), &index, &embedding)?;
        print_notes(&target.notes);
        let place = target.place.context("a path has a place")?;
        let source = target.sources.first();
        let collection = source.and_then(|source| source.collection.as_ref());
        let is_indexed = place.repository.is_some() || place.index.exists();
        let settings = match (collection, is_indexed) {
            (Some(known), _) => known.chunking.clone().or(target.configuration.chunking),
            (None, true) => target.configuration.chunking,
            // It may be in a folder that is indexed as a whole later.
            (None, false) => chunking_around(path)?,
        };
        let (root, inside) = match below_here(&place.root) {
            Some(below) if !is_indexed && collection.is_none() => below,
            _ => (place.root, place.path),
        };
        Ok(Indexed {
            settings,
            selection: source.map_or_else(Selection::default, |source| {
                source.options.selection.clone()
            }),
            title: collection.and_then(|known| known.attributes.title.clone()),
            root,
            inside,
        })
    }

    /// The path in the index, for a file.
    fn name(&self) -> &str {
        let own = self.root.file_name().and_then(|name| name.to_str());
        self.inside.as_deref().or(own).unwrap_or_default()
    }

    fn files(&self) -> anyhow::Result<Files> {
        Ok(Files::selected(&self.root, &self.selection)?)
    }

    /// The size of the documents.
    fn bytes(&self) -> anyhow::Result<u64> {
        let listing = self.files()?.list()?;
        let folder = self.inside.as_deref().unwrap_or_default();
        let inside = |path: &str| is_at_or_below(folder, path);
        let entries = listing.entries.iter().filter(|entry| inside(&entry.path));
        Ok(entries.map(|entry| entry.version.size()).sum())
    }
}

/// The current folder and the path of `file` in it: until one of the two is indexed, a file has the
/// path that it would have in an index of the current folder.
fn below_here(file: &Path) -> Option<(PathBuf, Option<String>)> {
    let here = std::env::current_dir().ok()?.canonicalize().ok()?;
    let inside = file.strip_prefix(&here).ok().filter(|_| file.is_file())?;
    let names = inside.components().map(|name| name.as_os_str().to_str());
    let names: Vec<&str> = names.collect::<Option<_>>()?;
    Some((here, Some(names.join("/"))))
}

/// Reports that an index would skip a text because of secrets in it. The text is split anyway,
/// since nothing is stored.
fn note_secrets(path: &str, text: &str) -> anyhow::Result<()> {
    let Some(secret) = Selection::default().withholds(path, text) else {
        return Ok(());
    };
    let own = Configuration::of_user(&EmbeddingChoice::default())?;
    if own.selection.skips_secrets() {
        let advice = Secret::ADVICE;
        say(&format!(
            "note: an index skips this text because it may contain secrets ({secret}): {advice}"
        ));
    }
    Ok(())
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

/// Splits every document of `source`, or of the folder `inside` it, that an index would contain.
/// `shown` formats a path for display.
fn folder(
    printer: &mut Printer<'_>,
    source: &Files,
    inside: Option<&str>,
    shown: impl Fn(&str) -> String,
) -> anyhow::Result<()> {
    let lies_inside = |path: &str| is_at_or_below(inside.unwrap_or_default(), path);
    let listing = source.list()?;
    let skips = listing.skips.iter().filter(|skip| lies_inside(&skip.path));
    let mut skipped = skips.count();
    for entry in listing
        .entries
        .iter()
        .filter(|entry| lies_inside(&entry.path))
    {
        match source.read(entry) {
            Reading::Text { text, encoding, .. } => {
                printer.print(
                    Some(&shown(&entry.path)),
                    Some(&entry.path),
                    &text,
                    encoding,
                )?;
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

/// Prints what an index would contain, and stores nothing.
pub(super) struct Preview<'a> {
    output: &'a mut Output,
    chunker: Chunker,
    format: Format,
    title: Option<String>,
}

impl<'a> Preview<'a> {
    /// Splits documents by `config`, each with `title` if there is one.
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

    /// Prints the chunks of one text.
    pub(super) fn text(self, path: &str, text: &str) -> anyhow::Result<()> {
        self.with(|printer| printer.print(Some(path), Some(path), text, Encoding::default()))
    }

    /// Prints the chunks of every document among `files`.
    pub(super) fn files(self, files: &Files) -> anyhow::Result<()> {
        self.with(|printer| folder(printer, files, None, str::to_string))
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

/// The bytes of the named file. A pipe or device may never end; those are read only as standard
/// input, which the user can close.
fn bytes_of(path: &Path) -> anyhow::Result<Vec<u8>> {
    read_named(path, u64::MAX).map_err(|refused| {
        let path = path.display();
        match refused {
            Refused::Kind(kind) => {
                anyhow!("cannot read `{path}`: it is {kind}, expected a regular file, or `-` for standard input")
            }
            other => anyhow!("cannot read `{path}`: {other}"),
        }
    })
}

/// The text of `bytes`, read from `name`, and its encoding.
fn text(bytes: Vec<u8>, name: &str, lossy: bool) -> anyhow::Result<(String, Encoding)> {
    if lossy {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        return Ok((text, Encoding::default()));
    }
    decode(bytes).map_err(|reason| {
        anyhow!("`{name}` cannot be split: {reason}; `--lossy` replaces invalid bytes")
    })
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
    /// The title of every document, if one was given.
    title: Option<&'a str>,
    printed: usize,
}

impl Printer<'_> {
    /// Prints what comes before the first document. `title` is the title of the whole output.
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
            Format::Table
            | Format::Jsonl
            | Format::Text
            | Format::Outline
            | Format::OutlineJson => {}
        }
        Ok(())
    }

    /// Prints the chunks of a document that is shown as `path` and is `source_path` in the index.
    fn print(
        &mut self,
        path: Option<&str>,
        source_path: Option<&str>,
        text: &str,
        encoding: Encoding,
    ) -> anyhow::Result<()> {
        let document = Document::new(text);
        let document = source_path.map_or(document, |path| document.with_path(path));
        let document = match self.title {
            Some(title) => document.with_title(title),
            None => document,
        };
        let first = self.printed == 0;
        self.printed += 1;
        if matches!(self.format, Format::Outline | Format::OutlineJson) {
            let blocks = self.chunker.outline(&document).blocks(text);
            return self.outline(path, &blocks, first);
        }
        let chunking = self.chunker.chunk(&document);
        match self.format {
            Format::Table => {
                if !first {
                    self.output.line("")?;
                }
                table(self.output, path, text, &chunking)?;
            }
            Format::Json => {
                self.output.raw(if first { "" } else { "," })?;
                self.output.json(&SplitDocument {
                    path,
                    source_path,
                    encoding,
                    chunking: &chunking,
                    summary: chunking.summary(),
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
            Format::Outline | Format::OutlineJson => {}
        }
        Ok(())
    }

    /// Prints the blocks of a document, one a line.
    fn outline(&mut self, path: Option<&str>, blocks: &[Block], first: bool) -> anyhow::Result<()> {
        if self.format == Format::OutlineJson {
            for block in blocks {
                self.output.json(&PathBlock { path, block })?;
            }
            return Ok(());
        }
        if !first {
            self.output.line("")?;
        }
        let name = path.unwrap_or("(standard input)");
        let name = self.output.styled(name, Style::new().bold());
        self.output.line(name)?;
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
            self.output.line(self.output.safe(row.trim_end()))?;
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
        "{:>4} {unit:>7}  {:lines_width$}  {}  starts at",
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
            thousands(chunk.size.total),
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

fn texts(output: &mut Output, chunking: &Chunking<'_>) -> anyhow::Result<()> {
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
