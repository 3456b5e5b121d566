//! The layout of an answer: one citation per document, and below it the lines that answer.

use std::io;

use excerpt_chunk::Markdown;
use excerpt_index::{AlsoIn, Answer, DocumentHits, Hit};
use excerpt_service::{Paths, absolute, citation, citation_of_copy, shown_count, web_page};
use owo_colors::Style;

use crate::label::label;
use crate::output::{Output, columns, cut_off};
use crate::scores::Scores;

/// What is shown for each document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    /// Its path.
    Files,
    /// Its path, title and score.
    Documents,
    /// The best lines of its best chunk, and the places of others.
    Snippets,
    /// Its best chunks, whole.
    Passages,
}

/// The display of an answer.
pub(super) struct Passages<'a> {
    pub(super) paths: &'a Paths,
    /// The format of scores.
    pub(super) scores: Scores,
    /// Whether the scores of passages are shown and explained.
    pub(super) explains: bool,
    pub(super) shown: Shown,
    /// Whether weak matches are shown.
    pub(super) all: bool,
}

/// The indentation below a citation.
const INDENT: &str = "    ";

/// The minimum number of columns for a trail.
const NARROWEST: usize = 16;

/// How many copies of a document are named.
const COPIES: usize = 3;

impl Passages<'_> {
    /// Prints the answer. Weak matches after the last good one are only counted, but if there are
    /// no good ones, the best of them is shown.
    pub(super) fn print(&self, output: &mut Output, answer: &Answer) -> io::Result<()> {
        let documents = &answer.documents;
        let is_weak = |document: &DocumentHits| document.chunks.iter().all(|hit| hit.weak);
        let shown = match self.all {
            true => documents.len(),
            false => shown_count(documents, is_weak).max(1).min(documents.len()),
        };
        let (shown, folded) = documents.split_at(shown);
        for document in shown {
            self.document(output, document)?;
        }
        let folded = folded.len();
        if folded > 0 && self.shown != Shown::Files {
            let weaker = match folded {
                1 => "1 weaker match".to_string(),
                _ => format!("{folded} weaker matches"),
            };
            let line = format!("{weaker}: --all shows more");
            output.line(output.styled(&line, Style::new().dimmed()))?;
        }
        Ok(())
    }

    fn document(&self, output: &mut Output, document: &DocumentHits) -> io::Result<()> {
        let Some((best, others)) = document.chunks.split_first() else {
            return Ok(());
        };
        if self.shown == Shown::Files {
            let collection = document.collection.as_deref();
            let path = (self.paths).address(collection, &document.source, &document.path);
            return output.line(output.safe(&path));
        }
        if self.shown == Shown::Documents {
            return self.line(output, document);
        }
        self.passage(output, document, best)?;
        for other in others.iter().filter(|other| self.all || !other.weak) {
            match self.shown {
                Shown::Passages => self.passage(output, document, other)?,
                _ => {
                    let citation = citation(self.paths, document, other);
                    let head = output
                        .safe(&format!("{INDENT}also here: {citation}"))
                        .into_owned();
                    self.head(output, &head, headings(other), other, Style::new().dimmed())?;
                    self.explained(output, other)?;
                }
            }
        }
        self.copies(output, &document.also_in)?;
        output.line("")
    }

    /// A document without its chunks.
    fn line(&self, output: &mut Output, document: &DocumentHits) -> io::Result<()> {
        let collection = document.collection.as_deref();
        let path = (self.paths).address(collection, &document.source, &document.path);
        let file = absolute(&document.source, &document.path);
        let path = output.linked(&output.styled(&path, Style::new().bold()), &file);
        let title = document.title.as_ref().map(|title| format!(" · {title}"));
        let title = title.unwrap_or_default();
        let weak = match document.chunks.iter().all(|hit| hit.weak) {
            true => " · weak match",
            false => "",
        };
        let score = self.scores.shown(document.score);
        let marks = format!(" · score {score}{weak}");
        let marks = output.styled(&marks, Style::new().dimmed());
        output.line(format!("{path}{}{marks}", output.safe(&title)))
    }

    /// The places of copies: the differing parts of their paths if there are any, otherwise the
    /// citations.
    fn copies(&self, output: &mut Output, copies: &[AlsoIn]) -> io::Result<()> {
        if copies.is_empty() {
            return Ok(());
        }
        let mut parts: Vec<&str> = copies
            .iter()
            .filter_map(|copy| copy.part.as_deref())
            .collect();
        let are_named = parts.len() == copies.len();
        parts.sort_unstable();
        parts.dedup();
        let shown = match are_named {
            true => vec![parts.join(", ")],
            false => {
                let first = copies.iter().take(COPIES);
                let first = first.map(|copy| citation_of_copy(self.paths, copy));
                let more = copies.len().saturating_sub(COPIES);
                let more = (more > 0).then(|| format!("{more} more: --all shows them"));
                first.chain(more).collect()
            }
        };
        for place in shown {
            let line = output
                .safe(&format!("{INDENT}also in: {place}"))
                .into_owned();
            let line = match (are_named, output.columns()) {
                (true, Some(width)) => cut_off(&line, width).into_owned(),
                _ => line,
            };
            output.line(output.styled(&line, Style::new().dimmed()))?;
        }
        Ok(())
    }

    /// A chunk below its citation.
    fn passage(&self, output: &mut Output, document: &DocumentHits, hit: &Hit) -> io::Result<()> {
        let cited = citation(self.paths, document, hit);
        let file = absolute(&document.source, &document.path);
        let place = place(document, hit);
        let head = output.styled(&cited, Style::new().bold());
        let head = match web_page(document, hit) {
            Some(page) => output.linked_to(&head, &page),
            None => output.linked(&head, &file),
        };
        let taken = columns(&output.safe(&cited));
        self.headed(output, (&head, taken), place, hit, Style::new())?;
        self.explained(output, hit)?;
        match self.shown {
            Shown::Passages => {
                let text = output.safe_text(&hit.text).into_owned();
                output.raw(&text)?;
                match text.ends_with('\n') {
                    true => Ok(()),
                    false => output.line(""),
                }
            }
            _ => snippet(output, hit),
        }
    }

    fn head(
        &self,
        output: &mut Output,
        head: &str,
        place: Option<String>,
        hit: &Hit,
        style: Style,
    ) -> io::Result<()> {
        let styled = output.styled(head, style);
        self.headed(output, (&styled, columns(head)), place, hit, style)
    }

    /// A head with its width, followed by the place as far as there is room, or on the next line if
    /// there is none.
    fn headed(
        &self,
        output: &mut Output,
        (head, taken): (&str, usize),
        place: Option<String>,
        hit: &Hit,
        style: Style,
    ) -> io::Result<()> {
        let mut marks = String::new();
        if self.explains {
            marks += &format!(" · score {}", self.scores.shown(hit.score));
        }
        if hit.weak {
            marks += " · weak match";
        }
        let marked = output.styled(&marks, Style::new().dimmed());
        let Some(place) = place else {
            return output.line(format!("{head}{marked}"));
        };
        let place = output.safe(&place).into_owned();
        let Some(width) = output.columns() else {
            return output.line(format!("{head} · {}{marked}", output.styled(&place, style)));
        };
        let room = width.saturating_sub(taken + columns(&marks) + columns(" · "));
        if columns(&place) <= room || room >= NARROWEST {
            let place = output.styled(&cut_off(&place, room), style);
            return output.line(format!("{head} · {place}{marked}"));
        }
        output.line(format!("{head}{marked}"))?;
        let place = cut_off(&place, width.saturating_sub(INDENT.len()));
        output.line(format!("{INDENT}{}", output.styled(&place, style)))
    }

    fn explained(&self, output: &mut Output, hit: &Hit) -> io::Result<()> {
        if !self.explains {
            return Ok(());
        }
        for line in self.scores.lines(hit) {
            let line = format!("{INDENT}{INDENT}{line}");
            output.line(output.styled(&line, Style::new().dimmed()))?;
        }
        Ok(())
    }
}

/// The title of a document that was given to it, in front matter or when it was added, and the
/// headings of the hit; without either, its own title.
fn place(document: &DocumentHits, hit: &Hit) -> Option<String> {
    let given = document.title.as_ref();
    let given = given.filter(|_| document.title != document.first_heading);
    let first = hit.trail.first().or(hit.sections.first());
    // A heading often repeats it.
    let is_repeated =
        |title: &str, first: &str| first.starts_with(title) || title.starts_with(first);
    let given = given.filter(|title| first.is_none_or(|first| !is_repeated(title, first)));
    match (given, headings(hit)) {
        (Some(given), Some(headings)) => Some(format!("{given} · {headings}")),
        (_, headings) => headings.or_else(|| document.title.clone()),
    }
}

/// The headings around a hit and the first of those in it.
fn headings(hit: &Hit) -> Option<String> {
    label(&hit.trail, &hit.sections)
}

/// The lines that answer, with their matches highlighted, and an ellipsis where the passage
/// continues before or after them.
fn snippet(output: &mut Output, hit: &Hit) -> io::Result<()> {
    let text = &hit.snippet.text;
    let body = match hit.span.bytes.start {
        0 => Markdown::body(&hit.text),
        _ => 0,
    };
    let (before, after) = (
        !hit.text[body..].trim_start().starts_with(text),
        !hit.text.trim_end().ends_with(text),
    );
    let mut start = 0;
    let lines: Vec<(usize, &str)> = text
        .split_inclusive('\n')
        .map(|line| {
            let at = start;
            start += line.len();
            (at, line.trim_end())
        })
        .filter(|(_, line)| !line.is_empty())
        .collect();
    let count = lines.len();
    for (number, (at, line)) in lines.into_iter().enumerate() {
        let first = if before && number == 0 { "… " } else { "" };
        let last = if after && number + 1 == count {
            " …"
        } else {
            ""
        };
        let lead = if at == 0 { indentation(hit) } else { "" };
        let own = format!("{lead}{}", &line[..line.len() - line.trim_start().len()]);
        // An ellipsis takes the place of spaces, so that the line stays above the others.
        let lead = match first.is_empty() {
            true => lead,
            false => lead.strip_prefix("  ").unwrap_or(lead),
        };
        let first = format!("{first}{lead}");
        let pieces = wrapped(output, line, columns(lead), own.len());
        for (wrapped, (from, piece)) in pieces.into_iter().enumerate() {
            let indent = if wrapped == 0 { &first } else { &own };
            let shown = highlighted(output, hit, at + from, piece);
            let end = from + piece.len() == line.len();
            let last = if end { last } else { "" };
            output.line(format!("{INDENT}{indent}{shown}{last}"))?;
        }
    }
    Ok(())
}

/// The white space before the snippet in its first line.
fn indentation(hit: &Hit) -> &str {
    let before = hit.snippet.line.checked_sub(hit.span.lines.0);
    let mut lines = hit.text.split_inclusive('\n');
    let Some(line) = before.and_then(|before| lines.nth(before)) else {
        return "";
    };
    let text = line.trim_start();
    let first = hit.snippet.text.lines().next().unwrap_or_default();
    match text.starts_with(first) && !first.is_empty() {
        true => &line[..line.len() - text.len()],
        false => "",
    }
}

/// The pieces of a line that is wrapped on a terminal, each with its offset; without a terminal,
/// the line. It is indented by `lead` columns that are not in it, and all but the first piece by
/// `own`.
fn wrapped<'l>(output: &Output, line: &'l str, lead: usize, own: usize) -> Vec<(usize, &'l str)> {
    let Some(width) = output.columns() else {
        return vec![(0, line)];
    };
    // Leaves room for an ellipsis at either end.
    let room = width
        .saturating_sub(INDENT.len() + "… ".chars().count() * 2 + lead)
        .max(1);
    let spaces = " ".repeat(own.min(room / 2));
    let options = textwrap::Options::new(room)
        .subsequent_indent(&spaces)
        .word_splitter(textwrap::WordSplitter::NoHyphenation)
        .wrap_algorithm(textwrap::WrapAlgorithm::FirstFit);
    let mut from = 0;
    let mut pieces = Vec::new();
    for piece in textwrap::wrap(line, options) {
        let piece = match pieces.is_empty() {
            true => &*piece,
            false => piece.trim_start(),
        };
        // A piece is a part of the line, except for its indent.
        let at = line[from..].find(piece).map_or(from, |at| from + at);
        from = at + piece.len();
        pieces.push((at, &line[at..from]));
    }
    pieces
}

/// The piece of the snippet that begins at `from`, with its matches highlighted.
fn highlighted(output: &Output, hit: &Hit, from: usize, piece: &str) -> String {
    let to = from + piece.len();
    let mut shown = String::new();
    let mut end = from;
    for mark in &hit.snippet.marks {
        let (start, stop) = (mark.start.max(from), mark.end.min(to));
        if start >= stop {
            continue;
        }
        shown += &output.safe_text(&hit.snippet.text[end..start]);
        shown += &output.highlighted(&hit.snippet.text[start..stop]);
        end = stop;
    }
    shown + &output.safe_text(&hit.snippet.text[end..to])
}
