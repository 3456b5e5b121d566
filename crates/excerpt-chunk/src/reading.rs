//! How a document is read: which strategy is used and why, and the outline with the additions that
//! the strategy needs.
//!
//! `auto` decides in this order: a language that a grammar reads is split by its code. Otherwise a
//! text below twice `min` stays whole, and text in an unknown format is split near the target.
//! Three headings, or two with different dates, make it structured; three lines of one kind of rule
//! make it delimited; a format that the name or the content surely shows is structured with fewer.
//! What is left is split near the target.
//!
//! Headings and rule lines inside code blocks, tables and front matter do not count. Outside of
//! Markdown, neither do lines of punctuation directly above or below text, and in other formats
//! with a structure no rule line does.

use crate::config::{Atomic, Config, Strategy};
use crate::delimiter::Delimiter;
use crate::document::{Document, Syntax};
use crate::measure::Measure;
use crate::outline::{Kind, Outline};
use crate::parse::delimited::{self, RuleLine, Which};
use crate::parse::formats::{Evidence, Format};
use crate::parse::{CodeParser, Detected, Markdown, Parser, comments, fences};

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
    let (format, by) = Format::of(document);
    let mut outline = match (config.strategy, code) {
        // What has no headings of its own may have those of Markdown.
        (Strategy::Markdown | Strategy::Headers, _) if !format.is_structured => {
            Markdown.parse(document, tools.detail)
        }
        (_, Some((code, _))) => code.parse(document, tools.detail),
        _ => format.parser.parse(document, tools.detail),
    };
    if config.strategy == Strategy::Delimiter
        && let Some(pattern) = tools.delimiter
        && let Some(bare) = delimited::without_underlines(&outline, document.text(), pattern)
    {
        // A delimiter is not the underline of a heading.
        outline = format
            .parser
            .parse(&document.with_text(&bare), tools.detail);
    }
    if let Some(code) = tools.code
        && config.atomic != Atomic::Keep
    {
        let fits = |part| measure.fits(part, config.max * measure.grains());
        fences::read(&mut outline, document, code, tools.detail, fits);
        comments::read(&mut outline, document.text(), fits);
    }
    outline.info.complete(document);
    let (strategy, reason) = match (config.strategy, code) {
        (Strategy::Auto, Some((_, detected))) if size >= 2 * config.min => {
            let Detected { language, by } = detected;
            (Strategy::Code, format!("detected: {language} {by}"))
        }
        (Strategy::Auto, _) => {
            let size = (size, measure.unit());
            detect((format, by), config, &outline, (document.text(), size))
        }
        (strategy, _) => (strategy, "as configured".to_string()),
    };
    if strategy == Strategy::Code && code.is_none() && !format.is_structured {
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
            } else if let Some((line, which, _)) =
                rule_lines(format, document.text(), &outline, least)
            {
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
/// structure, and never if its syntax was set to another.
fn may_be_code(document: &Document<'_>, strategy: Strategy) -> bool {
    let by_structure = matches!(
        strategy,
        Strategy::Auto | Strategy::Code | Strategy::Delimiter | Strategy::Whole
    );
    by_structure && matches!(document.given_syntax(), None | Some(Syntax::Code))
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
/// how many there are. In Markdown, the parser knows the underlines of headings. In text without a
/// structure they look like rules, and in other formats rules are no separators.
fn rule_lines(
    format: &Format,
    text: &str,
    outline: &Outline,
    least: usize,
) -> Option<(&'static RuleLine, Which, usize)> {
    let ways: &[Which] = match format.syntax {
        Syntax::Markdown => &[Which::Conventional],
        // With `strategy = delimiter`, any rule line will do if none stands alone.
        _ if least == 1 => &[Which::Apart, Which::Conventional],
        Syntax::Rst | Syntax::Text | Syntax::Code => &[Which::Apart],
        _ => &[],
    };
    ways.iter()
        .find_map(|which| delimited::rule_lines(outline, text, *which, least))
}

/// Chooses a strategy by content, with the reason.
fn detect(
    (format, by): (&Format, Evidence),
    config: &Config,
    outline: &Outline,
    (text, (size, unit)): (&str, (usize, &str)),
) -> (Strategy, String) {
    let is_journal = outline.is_journal();
    if size < 2 * config.min && !is_journal {
        let min = config.min;
        let unit = match size {
            1 => unit.strip_suffix('s').unwrap_or(unit),
            _ => unit,
        };
        let reason = format!("detected: {size} {unit}, under twice `min` ({min})");
        return (Strategy::Whole, reason);
    }
    if format.syntax == Syntax::Code {
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
        let sections = outline.sections_in_words();
        return (by_headings, format!("detected: {sections}"));
    }
    if let Some((line, _, count)) = rule_lines(format, text, outline, ENOUGH) {
        return (
            Strategy::Delimiter,
            format!("detected: {count} {}", line.name),
        );
    }
    if format.is_sure(by) {
        let (name, by) = (format.name, by.phrase());
        return (by_headings, format!("detected: {name} {by}"));
    }
    (
        Strategy::Fixed,
        format!("detected: fewer than {ENOUGH} headings, no rule lines"),
    )
}
