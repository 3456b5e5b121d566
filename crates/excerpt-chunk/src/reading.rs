//! How a document is read: which strategy is used and why, and the outline with the additions that
//! the strategy needs.
//!
//! The thresholds of `auto`: a text below twice `min` stays whole, three headings or two with
//! different dates make it Markdown, three lines of one kind of rule make it delimited, and
//! everything else is split near the target.
//! Headings and rule lines inside code blocks, tables and front matter do not count. Outside of
//! Markdown, neither do lines of punctuation directly above or below text. A document
//! that is Markdown by its name is read as Markdown however few headings it has, so that its blocks
//! stay whole.

use crate::config::{Atomic, Config, Strategy};
use crate::delimiter::Delimiter;
use crate::document::{Document, Syntax};
use crate::measure::Measure;
use crate::outline::{Kind, Outline};
use crate::parse::delimited::{self, RuleLine, Which};
use crate::parse::{CodeParser, Detected, Lines, Markdown, Parser, Prose, fences};
use crate::text::is_fence;

/// How many headings or rule lines show that they structure the document.
const ENOUGH: usize = 3;

/// The result of reading a document.
pub(crate) struct Interpreted {
    /// Never [`Strategy::Auto`].
    pub(crate) strategy: Strategy,
    pub(crate) reason: String,
    /// The size of the document.
    pub(crate) size: usize,
    pub(crate) outline: Outline,
    /// Whether a delimiter is part of the text after it.
    pub(crate) include_delimiter: bool,
}

/// The tools for reading documents.
pub(crate) struct Tools<'a> {
    /// The configured delimiter, compiled.
    pub(crate) delimiter: Option<&'a Delimiter>,
    pub(crate) code: Option<&'a dyn CodeParser>,
    /// Parts of at most this many bytes will not be split.
    pub(crate) detail: usize,
    /// What sizes count.
    pub(crate) measure: &'a Measure<'a>,
}

/// Reads `document` as configured by `config`.
pub(crate) fn read(document: &Document<'_>, config: &Config, tools: &Tools<'_>) -> Interpreted {
    let measure = tools.measure;
    let size = measure.whole();
    let code = tools
        .code
        .filter(|_| may_be_code(document, config.strategy))
        .and_then(|code| Some((code, code.detect(document)?)));
    let mut outline = match config.strategy {
        Strategy::Markdown | Strategy::Headers => Markdown.parse(document, tools.detail),
        _ => match code {
            Some((code, _)) => code.parse(document, tools.detail),
            None => parser(document).parse(document, tools.detail),
        },
    };
    if config.strategy == Strategy::Delimiter
        && let Some(pattern) = tools.delimiter
        && let Some(bare) = delimited::without_underlines(&outline, document.text(), pattern)
    {
        // A delimiter is not the underline of a heading.
        outline = Markdown.parse(&document.with_text(&bare), tools.detail);
    }
    if let Some(code) = tools.code
        && config.atomic != Atomic::Keep
    {
        let max = config.max * measure.grains();
        fences::read(&mut outline, document, code, tools.detail, |block| {
            measure.fits(block, max)
        });
    }
    outline.info.complete(document);
    let (strategy, reason) = match (config.strategy, code) {
        (Strategy::Auto, Some((_, detected))) if size >= 2 * config.min => {
            let Detected { language, by } = detected;
            (Strategy::Code, format!("detected: {language} {by}"))
        }
        (Strategy::Auto, _) => detect(document, config, &outline, (size, measure.unit())),
        (strategy, _) => (strategy, "as configured".to_string()),
    };
    if strategy == Strategy::Code && code.is_none() {
        outline.fall_back("unknown language: split at blocks and lines");
    }
    let mut include_delimiter = config.include_delimiter;
    match strategy {
        Strategy::Delimiter => {
            let text = document.text();
            let least = match config.strategy {
                Strategy::Auto => ENOUGH,
                _ => 1,
            };
            if let Some(pattern) = tools.delimiter {
                delimited::mark_asked(&mut outline, text, pattern);
            } else if let Some((line, which, _)) = rule_lines(document, &outline, least) {
                delimited::mark_rule_lines(&mut outline, text, line, which);
                include_delimiter |= line.opens;
            } else {
                let note = "no delimiter is configured and no rule line was found";
                outline.fallbacks.push(note.to_string());
            }
        }
        Strategy::Headers if !has_mandatory_heading(&outline, config) => {
            let note = "no heading has one of the chosen levels";
            outline.fallbacks.push(note.to_string());
        }
        _ => {}
    }
    Interpreted {
        strategy,
        reason,
        size,
        outline,
        include_delimiter,
    }
}

/// Whether the document may be read as source code: only with strategies that can use its
/// structure, and never if its syntax was set to text or Markdown.
fn may_be_code(document: &Document<'_>, strategy: Strategy) -> bool {
    let by_structure = matches!(
        strategy,
        Strategy::Auto | Strategy::Code | Strategy::Delimiter | Strategy::Whole
    );
    by_structure
        && !matches!(
            document.given_syntax(),
            Some(Syntax::Markdown | Syntax::Text)
        )
}

/// The parser for the document's own format. Text that contains a fence or a heading is read as
/// Markdown.
fn parser(document: &Document<'_>) -> &'static dyn Parser {
    match document.syntax() {
        Syntax::Markdown => &Markdown,
        Syntax::Code => &Lines,
        Syntax::Text if shows_markdown(document.text()) => &Markdown,
        Syntax::Text => &Prose,
    }
}

/// Whether a line of the text begins with a fence or with the marks of a heading.
fn shows_markdown(text: &str) -> bool {
    text.lines().any(|line| {
        let mark = line.trim_start_matches([' ', '>']);
        let after = mark.trim_start_matches('#');
        let level = mark.len() - after.len();
        let heading = (1..=6).contains(&level) && after.starts_with(' ');
        heading || is_fence(mark)
    })
}

fn has_mandatory_heading(outline: &Outline, config: &Config) -> bool {
    let levels = config.mandatory_levels(Strategy::Headers);
    let mut sections = outline
        .nodes
        .iter()
        .filter(|node| node.kind == Kind::Section);
    sections.any(|section| levels.contains(section.level))
}

/// The kind of rule line that separates the parts of the document, which of these lines do, and
/// how many there are. In Markdown the parser knows the underlines of headings. In other text they
/// look like rules, and so do the marks around the blocks of AsciiDoc.
fn rule_lines(
    document: &Document<'_>,
    outline: &Outline,
    least: usize,
) -> Option<(&'static RuleLine, Which, usize)> {
    let text = document.text();
    let ways: &[Which] = match document.syntax() {
        Syntax::Markdown => &[Which::Conventional],
        // With `strategy = delimiter`, any rule line will do if none stands alone.
        _ if least == 1 => &[Which::Apart, Which::Conventional],
        _ if document.is_asciidoc() => &[],
        _ => &[Which::Apart],
    };
    ways.iter().find_map(|which| {
        let (line, count) = delimited::rule_lines(outline, text, *which, least)?;
        Some((line, *which, count))
    })
}

/// Chooses a strategy by content, with the reason.
fn detect(
    document: &Document<'_>,
    config: &Config,
    outline: &Outline,
    (size, unit): (usize, &str),
) -> (Strategy, String) {
    let is_journal = outline.is_journal();
    if size < 2 * config.min && !is_journal {
        let min = config.min;
        let reason = format!("detected: {size} {unit}, under twice `min` ({min})");
        return (Strategy::Whole, reason);
    }
    if document.syntax() == Syntax::Code {
        return (Strategy::Fixed, "detected: source text".to_string());
    }
    let sections = outline
        .nodes
        .iter()
        .filter(|node| node.kind == Kind::Section);
    let headings = sections.count();
    // Configured levels mean that sections are wanted.
    let by_headings = match config.levels {
        Some(_) => Strategy::Headers,
        None => Strategy::Markdown,
    };
    if headings >= ENOUGH || is_journal {
        return (by_headings, format!("detected: {headings} headings"));
    }
    if let Some((line, _, count)) = rule_lines(document, outline, ENOUGH) {
        return (
            Strategy::Delimiter,
            format!("detected: {count} {}", line.name),
        );
    }
    match document.syntax() {
        Syntax::Markdown => (by_headings, "detected: Markdown by its name".to_string()),
        _ => (
            Strategy::Fixed,
            format!("detected: fewer than {ENOUGH} headings, no rule lines"),
        ),
    }
}
