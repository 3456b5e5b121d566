//! The preview: documents with their chunks in color, and the details of each chunk.
//!
//! The page is complete without its script: the source, the splits between the chunks, and the
//! details below each chunk. The script moves the details of the selected chunk into a panel and
//! adds keyboard navigation. Sizes are drawn as SVG, since the page's policy allows no style
//! attributes.

use std::fmt;
use std::io::{self, Write};
use std::ops::Range;

use excerpt_chunk::{Chunk, Chunking, Config, Cut, LineIndex, Strength, Warning};
use excerpt_service::text::{counted, thousands};

use super::html::{Attribute, Text};
use super::marks::{self, Marks};

const STYLE: &str = include_str!("preview.css");
const SCRIPT: &str = include_str!("preview.js");
/// What the policy of the page allows: the SHA-256 of [`STYLE`] and [`SCRIPT`], in base64. A
/// failing test prints the new values.
const STYLE_HASH: &str = "ooUHAh2R9GTtZ+wneLlbVFCwkz34rrfjq5nf7zinzT8=";
const SCRIPT_HASH: &str = "esIS1ZKZOszLz/R/LM8iPqJWoQvQQaiTdU0Mxe+wHPk=";

/// How many colors alternate.
const HUES: usize = 4;

/// A page that is being written: documents are written one after another and not kept in memory.
pub(crate) struct Preview<'a> {
    config: &'a Config,
    documents: Vec<Listed>,
}

/// A written document, for the list of documents.
struct Listed {
    name: String,
    chunks: usize,
}

impl<'a> Preview<'a> {
    /// Writes what comes before the first document. `title` is the title of the page.
    pub(crate) fn begin(out: &mut impl Write, title: &str, config: &'a Config) -> io::Result<Self> {
        write!(
            out,
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-{STYLE_HASH}'; \
             script-src 'sha256-{SCRIPT_HASH}'; base-uri 'none'; form-action 'none'\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <title>{} · excerpt</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n",
            Attribute(title)
        )?;
        Ok(Preview {
            config,
            documents: Vec::new(),
        })
    }

    /// Writes a document and its chunks.
    pub(crate) fn document(
        &mut self,
        out: &mut impl Write,
        path: Option<&str>,
        text: &str,
        chunking: &Chunking<'_>,
    ) -> io::Result<()> {
        let name = path.unwrap_or("(standard input)");
        self.documents.push(Listed {
            name: name.to_string(),
            chunks: chunking.chunks.len(),
        });
        let page = Page {
            config: self.config,
            unit: chunking.unit.to_string(),
            number: self.documents.len(),
            text,
            lines: LineIndex::new(text),
            marks: Marks::new(&chunking.chunks),
        };
        writeln!(out, "<article id=\"doc-{}\">", page.number)?;
        page.head(out, name, chunking)?;
        page.strip(out, &chunking.chunks)?;
        page.source(out, chunking)?;
        writeln!(out, "</article>")
    }

    /// Writes what comes after the last document: the list of documents, the panel for the selected
    /// chunk, the script.
    pub(crate) fn end(self, out: &mut impl Write) -> io::Result<()> {
        if self.documents.is_empty() {
            writeln!(out, "<p class=\"none\">There are no documents here.</p>")?;
        }
        writeln!(out, "</main>")?;
        if self.documents.len() > 1 {
            self.list(out)?;
        }
        write!(
            out,
            "<aside id=\"panel\" aria-label=\"The selected chunk\" hidden></aside>\n\
             <script>{SCRIPT}</script>\n</body>\n</html>\n"
        )
    }

    fn list(&self, out: &mut impl Write) -> io::Result<()> {
        let heading = counted(self.documents.len(), "document");
        writeln!(
            out,
            "<nav aria-label=\"Documents\">\n<h2>{heading}</h2>\n<ul>"
        )?;
        for (index, Listed { name, chunks }) in self.documents.iter().enumerate() {
            let (folder, file) = name.split_at(name.rfind('/').map_or(0, |slash| slash + 1));
            writeln!(
                out,
                "<li><a href=\"#doc-{}\"><span><small><bdi>{}</bdi></small><bdi>{}</bdi></span> <b>{}</b></a></li>",
                index + 1,
                Text(folder),
                Text(file),
                thousands(*chunks)
            )?;
        }
        writeln!(out, "</ul>\n</nav>")
    }
}

/// One document on the page.
struct Page<'a> {
    config: &'a Config,
    unit: String,
    /// The number of the document, from 1.
    number: usize,
    text: &'a str,
    lines: LineIndex<'a>,
    marks: Marks,
}

impl Page<'_> {
    /// The id of a chunk's element: `chunk-3` in the first document, `doc-2-chunk-3` in the second.
    fn anchor(&self, chunk: &Chunk<'_>) -> String {
        match self.number {
            1 => format!("chunk-{}", chunk.ordinal),
            number => format!("doc-{number}-chunk-{}", chunk.ordinal),
        }
    }

    fn head(&self, out: &mut impl Write, name: &str, chunking: &Chunking<'_>) -> io::Result<()> {
        writeln!(
            out,
            "<header>\n<h1><bdi>{}</bdi></h1>\n<p><b class=\"badge\">{}</b> {}</p>",
            Text(name),
            chunking.strategy,
            Text(&chunking.reason)
        )?;
        self.stats(out, chunking)?;
        warnings(out, &chunking.warnings)?;
        writeln!(out, "</header>")
    }

    /// The numbers of chunks, and their sizes.
    fn stats(&self, out: &mut impl Write, chunking: &Chunking<'_>) -> io::Result<()> {
        let unit = &self.unit;
        let summary = chunking.summary();
        let sizes = match summary.chunks {
            0 => "–".to_string(),
            _ => format!(
                "{}–{}",
                thousands(summary.smallest),
                thousands(summary.largest)
            ),
        };
        let Config { max, min, .. } = self.config;
        let facts = [
            (thousands(summary.chunks), "chunks".to_string(), false),
            (thousands(summary.mean), format!("{unit} on average"), false),
            (sizes, "smallest to largest".to_string(), false),
            (
                thousands(summary.oversized),
                format!("oversized, over {}", thousands(*max)),
                summary.oversized > 0,
            ),
            (
                thousands(summary.undersized),
                format!("undersized, under {}", thousands(*min)),
                summary.undersized > 0,
            ),
            (thousands(chunking.size), format!("{unit} of text"), false),
        ];
        writeln!(out, "<dl class=\"stats\">")?;
        for (value, label, bad) in facts {
            let class = if bad { " class=\"bad\"" } else { "" };
            writeln!(out, "<div{class}><dt>{label}</dt><dd>{value}</dd></div>")?;
        }
        writeln!(out, "</dl>")
    }

    /// The sizes of all chunks as bars, against `max` and `target`.
    fn strip(&self, out: &mut impl Write, chunks: &[Chunk<'_>]) -> io::Result<()> {
        const BAR: usize = 32;
        const HEIGHT: usize = 400;
        let Config { max, target, .. } = self.config;
        let sizes = chunks.iter().map(|chunk| chunk.size.total);
        let Some(peak) = sizes.max().map(|largest| largest.max(*max)) else {
            return Ok(());
        };
        let width = BAR * chunks.len();
        let level = |size: usize| HEIGHT - scaled(size, peak, HEIGHT);
        writeln!(
            out,
            "<div class=\"strip\">\n<svg width=\"{width}\" viewBox=\"0 0 {width} {HEIGHT}\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
        )?;
        for (index, chunk) in chunks.iter().enumerate() {
            let total = chunk.size.total;
            let over = if is_oversized(chunk) { " over" } else { "" };
            let (x, top) = (index * BAR, level(total).min(HEIGHT - HEIGHT / 50));
            writeln!(
                out,
                "<a href=\"#{}\" tabindex=\"-1\" class=\"h{}{over}\"><title>Chunk {}: {} {}</title><rect class=\"hit\" x=\"{x}\" width=\"{BAR}\" height=\"{HEIGHT}\"/>\
                 <rect x=\"{}\" y=\"{top}\" width=\"{}\" height=\"{}\"/></a>",
                self.anchor(chunk),
                index % HUES,
                chunk.ordinal,
                thousands(total),
                self.unit,
                x + 1,
                BAR - 3,
                HEIGHT - top
            )?;
        }
        let (at_max, at_target) = (level(*max), level(*target));
        writeln!(out, "<path class=\"max\" d=\"M0 {at_max}H{width}\"/>")?;
        if target < max {
            writeln!(out, "<path class=\"target\" d=\"M0 {at_target}H{width}\"/>")?;
        }
        write!(out, "</svg>\n<p><span>max {}</span>", thousands(*max))?;
        if target < max {
            let target = thousands(*target);
            write!(out, " <span class=\"target\">target {target}</span>")?;
        }
        writeln!(out, "</p>\n</div>")
    }

    /// The whole text: the chunks, and the text between them that is in none.
    fn source(&self, out: &mut impl Write, chunking: &Chunking<'_>) -> io::Result<()> {
        writeln!(out, "<div class=\"source\">")?;
        if chunking.chunks.is_empty() {
            writeln!(out, "<p class=\"none\">No chunks: there is no text.</p>")?;
        }
        let mut done = 0;
        for chunk in &chunking.chunks {
            let bytes = chunk.span.bytes.clone();
            self.gap(out, done..bytes.start)?;
            done = bytes.end;
            self.chunk(out, chunk)?;
        }
        self.gap(out, done..self.text.len())?;
        writeln!(out, "</div>")
    }

    fn gap(&self, out: &mut impl Write, bytes: Range<usize>) -> io::Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        let text = &self.text[bytes.clone()];
        let class = match text.trim().is_empty() {
            true => "gap blank",
            false => "gap",
        };
        let size = counted(bytes.len(), "byte");
        write!(
            out,
            "<div class=\"{class}\" data-note=\"{size} in no chunk\">"
        )?;
        self.lines(out, bytes)?;
        writeln!(out, "</div>")
    }

    fn chunk(&self, out: &mut impl Write, chunk: &Chunk<'_>) -> io::Result<()> {
        let anchor = self.anchor(chunk);
        let (ordinal, hue) = (chunk.ordinal, chunk.ordinal % HUES);
        write!(out, "<div class=\"cut\">")?;
        cut(out, &chunk.cut)?;
        write!(
            out,
            "</div>\n<section class=\"chunk h{hue}\" id=\"{anchor}\" data-ordinal=\"{ordinal}\">\n\
             <a class=\"name\" href=\"#{anchor}\"><b>{ordinal}</b> <span class=\"place\">"
        )?;
        trail(out, chunk)?;
        if !chunk.context.trail.is_empty() && !chunk.sections.is_empty() {
            write!(out, " · <bdi>{}</bdi>", Text(&chunk.sections.join(", ")))?;
        }
        write!(out, "</span>")?;
        if let Some(place) = &chunk.place {
            write!(
                out,
                " <span class=\"badge\"><bdi>{}</bdi></span>",
                Text(place)
            )?;
        }
        if chunk.part.count > 1 {
            let (index, count) = (chunk.part.index, chunk.part.count);
            write!(out, " <span class=\"badge\">part {index} of {count}</span>")?;
        }
        if !chunk.warnings.is_empty() {
            let count = counted(chunk.warnings.len(), "warning");
            write!(out, " <span class=\"badge bad\">{count}</span>")?;
        }
        let total = thousands(chunk.size.total);
        write!(
            out,
            " <span class=\"total\">{total} {}</span></a>\n<div class=\"text\">",
            self.unit
        )?;
        self.lines(out, chunk.span.bytes.clone())?;
        writeln!(
            out,
            "</div>\n<details><summary>About chunk {ordinal}</summary>"
        )?;
        self.facts(out, chunk)?;
        writeln!(out, "</details>\n</section>")
    }

    /// The source at `bytes`, one element per line. A line that begins earlier has no number,
    /// unless only a byte order mark precedes it.
    fn lines(&self, out: &mut impl Write, bytes: Range<usize>) -> io::Result<()> {
        let mut start = bytes.start;
        for line in self.text[bytes].split_inclusive('\n') {
            let end = start + line.len();
            let number = self.lines.line(start);
            let before = &self.text[self.lines.lines(number, number).start..start];
            match before.trim_start_matches('\u{feff}').is_empty() {
                true => write!(out, "<span class=\"l\" data-n=\"{number}\">")?,
                false => write!(out, "<span class=\"l\">")?,
            }
            for (range, repeated) in self.marks.within(start..end) {
                let text = Text(&self.text[range]);
                match repeated.is_empty() {
                    true => write!(out, "{text}")?,
                    false => write!(out, "<u data-in=\"{}\">{text}</u>", marks::joined(repeated))?,
                }
            }
            write!(out, "</span>")?;
            start = end;
        }
        Ok(())
    }

    /// The details of a chunk.
    fn facts(&self, out: &mut impl Write, chunk: &Chunk<'_>) -> io::Result<()> {
        writeln!(
            out,
            "<div class=\"facts\">\n<h3>Chunk {} <span class=\"badge\">{}</span></h3>",
            chunk.ordinal, chunk.kind
        )?;
        if !chunk.context.trail.is_empty() {
            write!(out, "<p class=\"place\">")?;
            trail(out, chunk)?;
            writeln!(out, "</p>")?;
        }
        warnings(out, &chunk.warnings)?;
        self.sizes(out, chunk)?;
        writeln!(out, "<dl>")?;
        rows(out, chunk)?;
        writeln!(out, "</dl>")?;
        self.embedded(out, chunk)?;
        writeln!(out, "</div>")
    }

    /// The sizes of a chunk's parts, against `max`.
    fn sizes(&self, out: &mut impl Write, chunk: &Chunk<'_>) -> io::Result<()> {
        const WIDTH: usize = 1000;
        let sizes = chunk.size;
        let max = self.config.max;
        let scale = sizes.total.max(max);
        let parts = [
            ("context", sizes.context),
            ("overlap", sizes.overlap),
            ("own", sizes.text),
        ];
        writeln!(
            out,
            "<p class=\"size\"><b>{}</b> of {} {}</p>\n<svg class=\"bar\" viewBox=\"0 0 {WIDTH} 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\">",
            thousands(sizes.total),
            thousands(max),
            self.unit
        )?;
        let mut x = 0;
        for (class, size) in parts {
            let width = scaled(size, scale, WIDTH);
            writeln!(
                out,
                "<rect class=\"{class}\" x=\"{x}\" width=\"{width}\" height=\"10\"/>"
            )?;
            x += width;
        }
        if is_oversized(chunk) {
            let x = scaled(max, scale, WIDTH);
            let width = WIDTH - x;
            writeln!(
                out,
                "<rect class=\"over\" x=\"{x}\" width=\"{width}\" height=\"10\"/>"
            )?;
        }
        writeln!(out, "</svg>\n<ul class=\"legend\">")?;
        for (class, size) in parts {
            let label = if class == "own" { "text" } else { class };
            let size = thousands(size);
            writeln!(out, "<li class=\"{class}\">{label} <b>{size}</b></li>")?;
        }
        writeln!(out, "</ul>")
    }

    /// The text that is counted and embedded: the context's header, the overlap and the text.
    fn embedded(&self, out: &mut impl Write, chunk: &Chunk<'_>) -> io::Result<()> {
        let overlap = chunk.overlap.as_ref();
        let overlap = overlap.map_or("", |overlap| &self.text[overlap.bytes.clone()]);
        // The elements are always written: a parser drops a line end right after `<pre>`.
        writeln!(
            out,
            "<h4>The exact text that is embedded</h4>\n<pre><span class=\"context\">{}</span><u class=\"on\">{}</u><span>{}</span></pre>",
            Text(&chunk.context.header),
            Text(overlap),
            Text(chunk.text)
        )
    }
}

/// The name of a strength, and the strength from 1 to 3.
fn strength(strength: Strength) -> (&'static str, u8) {
    match strength {
        Strength::Start => ("start", 3),
        Strength::Delimiter => ("delimiter", 3),
        Strength::Heading => ("heading", 3),
        Strength::Rule => ("rule", 3),
        Strength::Definition => ("definition", 3),
        Strength::Block => ("block", 2),
        Strength::Item => ("item", 2),
        Strength::Code => ("code", 2),
        Strength::Row => ("row", 2),
        Strength::Cell => ("cell", 1),
        Strength::Line => ("line", 1),
        Strength::Sentence => ("sentence", 1),
        Strength::Word => ("word", 1),
        Strength::Grapheme => ("grapheme", 1),
        _ => ("other", 1),
    }
}

/// Whether a chunk exceeds the limit. Its size is not enough to decide that: an overview has its
/// own limit.
fn is_oversized(chunk: &Chunk<'_>) -> bool {
    let mut warnings = chunk.warnings.iter();
    warnings.any(|warning| matches!(warning, Warning::Oversized { .. }))
}

/// The trail of a chunk; without one, the sections inside it or its kind.
fn trail(out: &mut impl Write, chunk: &Chunk<'_>) -> io::Result<()> {
    let (labels, between) = match chunk.context.trail.is_empty() {
        false => (&chunk.context.trail, "<i> › </i>"),
        true => (&chunk.sections, ", "),
    };
    if labels.is_empty() {
        return write!(out, "({})", chunk.kind);
    }
    for (index, label) in labels.iter().enumerate() {
        let between = if index == 0 { "" } else { between };
        write!(out, "{between}<span><bdi>{}</bdi></span>", Text(label))?;
    }
    Ok(())
}

fn warnings(out: &mut impl Write, warnings: &[Warning]) -> io::Result<()> {
    if warnings.is_empty() {
        return Ok(());
    }
    writeln!(out, "<ul class=\"warnings\">")?;
    for warning in warnings {
        writeln!(out, "<li>{}</li>", Text(&warning.to_string()))?;
    }
    writeln!(out, "</ul>")
}

/// A split: its strength and the reason.
fn cut(out: &mut impl Write, cut: &Cut) -> io::Result<()> {
    let (strength, level) = strength(cut.strength);
    write!(
        out,
        "<span class=\"s{level}\" title=\"strength: {strength}\"><i></i><i></i><i></i></span> <b>{}</b>",
        Text(&cut.reason)
    )?;
    // `heading 2` and the like already contain the strength.
    match cut.reason.contains(strength) {
        true => Ok(()),
        false => write!(out, " <small>{strength}</small>"),
    }
}

/// The details of a chunk that are text.
fn rows(out: &mut impl Write, chunk: &Chunk<'_>) -> io::Result<()> {
    let row = |out: &mut _, name: &str, value: fmt::Arguments<'_>| {
        Write::write_fmt(out, format_args!("<dt>{name}</dt><dd>{value}</dd>\n"))
    };
    write!(out, "<dt>Starts at</dt><dd class=\"cut\">")?;
    cut(out, &chunk.cut)?;
    writeln!(out, "</dd>")?;
    if let Some(language) = &chunk.language {
        row(out, "Language", format_args!("{}", Text(language)))?;
    }
    if let Some(name) = &chunk.name {
        row(out, "Name", format_args!("<bdi>{}</bdi>", Text(name)))?;
    }
    if chunk.part.count > 1 {
        let (index, count) = (chunk.part.index, chunk.part.count);
        row(out, "Part", format_args!("{index} of {count}"))?;
    }
    if let Some(place) = &chunk.place {
        row(out, "Place", format_args!("<bdi>{}</bdi>", Text(place)))?;
    }
    let (first, last) = chunk.span.lines;
    row(out, "Lines", format_args!("{first}–{last}"))?;
    let Range { start, end } = chunk.span.bytes;
    row(out, "Bytes", format_args!("{start}–{end}"))?;
    if let Some(overlap) = &chunk.overlap {
        let Range { start, end } = overlap.bytes;
        row(out, "Overlap", format_args!("bytes {start}–{end}"))?;
    }
    for (name, labels) in [
        ("Sections", &chunk.sections),
        ("Imports", &chunk.context.imports),
    ] {
        if !labels.is_empty() {
            let items = labels.iter();
            let items: String = items
                .map(|label| format!("<li><bdi>{}</bdi></li>", Text(label)))
                .collect();
            row(out, name, format_args!("<ul>{items}</ul>"))?;
        }
    }
    if !chunk.dates.is_empty() {
        let dates = chunk.dates.join(", ");
        row(out, "Dates", format_args!("{}", Text(&dates)))?;
    }
    row(out, "Id", format_args!("<code>{}</code>", chunk.id))?;
    row(
        out,
        "Text hash",
        format_args!("<code>{}</code>", chunk.hash),
    )
}

/// `size` scaled from `whole` to `length`.
fn scaled(size: usize, whole: usize, length: usize) -> usize {
    (size as f64 / whole.max(1) as f64 * length as f64).round() as usize
}
