//! The outputs of a cell: the text that each of them has in the richest form.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::html::{Options, ParsedPage};
use crate::limits::ReadLimits;
use crate::markdown::MarkdownWriter;
use crate::reader::ReadError;

use super::blocks::{closed, without_headings, without_images};
use super::terminal::without_escapes;
use super::{array, each, if_right, parsed, text};

/// How many characters of the outputs of a cell are kept, from the beginning: what is longer is
/// data, or progress.
const OUTPUT: usize = 2_000;

/// How long HTML may be to be read, in bytes: what is longer is a program that draws something.
const LONGEST_PAGE: usize = 1 << 20;

/// The text of an output.
enum Shown {
    /// As a program prints it.
    Text(String),
    Latex(String),
    Markdown(String),
}

/// Writes the text of all outputs, up to the bound.
pub(super) fn write(
    outputs: Option<&RawValue>,
    writer: &mut MarkdownWriter<'_>,
    limits: &ReadLimits<'_>,
) -> Result<(), ReadError> {
    let mut left = OUTPUT;
    // What is printed one after the other is one block.
    let mut printed = String::new();
    let mut is_stream = false;
    each(array(outputs), &mut |output| {
        let Ok(output) = parsed::<Output<'_>>(output) else {
            return Ok(());
        };
        let shown = output.shown(limits)?;
        if let Shown::Text(text) = &shown {
            // What a program prints may come in parts.
            let goes_on = is_stream && output.is_stream();
            if !goes_on && !printed.is_empty() && !printed.ends_with('\n') {
                printed.push('\n');
            }
            printed.push_str(text);
            is_stream = output.is_stream();
            return Ok(());
        }
        write_printed(&std::mem::take(&mut printed), &mut left, writer)?;
        match shown {
            Shown::Latex(text) => writer.code(Some("latex"), &first(text.trim_end(), &mut left)),
            Shown::Markdown(text) => writer.markdown(&closed(first(text.trim_end(), &mut left))),
            Shown::Text(_) => Ok(()),
        }
    })?;
    write_printed(&printed, &mut left, writer)
}

fn write_printed(
    printed: &str,
    left: &mut usize,
    writer: &mut MarkdownWriter<'_>,
) -> Result<(), ReadError> {
    writer.code(Some("text"), &first(&without_escapes(printed), left))
}

/// The beginning of a text, of at most as many characters as are left.
fn first<'a>(text: &'a str, left: &mut usize) -> Cow<'a, str> {
    if *left == 0 {
        return Cow::Borrowed("");
    }
    let Some((end, _)) = text.char_indices().nth(*left) else {
        *left -= text.chars().count();
        return Cow::Borrowed(text);
    };
    *left = 0;
    let kept = &text[..end];
    let line = kept.rfind('\n').unwrap_or(end);
    Cow::Owned(format!("{}\n…", &kept[..line]))
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Output<'j> {
    #[serde(borrow, deserialize_with = "if_right")]
    output_type: Cow<'j, str>,
    /// Of a stream; in the format 3, of a result, too.
    #[serde(borrow)]
    text: Option<&'j RawValue>,
    /// Those of a result in the format 3.
    #[serde(borrow)]
    html: Option<&'j RawValue>,
    #[serde(borrow)]
    latex: Option<&'j RawValue>,
    /// Of a result.
    #[serde(borrow, deserialize_with = "if_right")]
    data: Data<'j>,
    /// Of an error.
    #[serde(deserialize_with = "if_right")]
    ename: Option<String>,
    #[serde(deserialize_with = "if_right")]
    evalue: Option<String>,
}

/// A result in some media types.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Data<'j> {
    #[serde(borrow, rename = "text/plain")]
    plain: Option<&'j RawValue>,
    #[serde(borrow, rename = "text/html")]
    html: Option<&'j RawValue>,
    #[serde(borrow, rename = "text/latex")]
    latex: Option<&'j RawValue>,
    #[serde(borrow, rename = "text/markdown")]
    markdown: Option<&'j RawValue>,
}

impl Output<'_> {
    fn is_stream(&self) -> bool {
        self.output_type == "stream"
    }

    /// The richest text of it: Markdown, then HTML with more in it than plain text shows, LaTeX and
    /// plain text.
    fn shown(&self, limits: &ReadLimits<'_>) -> Result<Shown, ReadError> {
        if let (Some(name), Some(value)) = (&self.ename, &self.evalue) {
            return Ok(Shown::Text(format!("{name}: {value}")));
        }
        let plain = text(self.data.plain.or(self.text))?;
        let markdown = text(self.data.markdown)?;
        if !markdown.trim().is_empty() {
            let markdown = without_escapes(&markdown);
            return Ok(Shown::Markdown(without_headings(&without_images(
                &markdown,
            ))));
        }
        let html = self.data.html.or(self.html);
        let html = html.filter(|html| html.get().len() <= LONGEST_PAGE);
        if let Some(page) = page(&text(html)?, limits)?
            && (is_structured(&page) || says_nothing(&plain))
        {
            return Ok(Shown::Markdown(without_headings(&page)));
        }
        let latex = text(self.data.latex.or(self.latex))?;
        Ok(match latex.trim().is_empty() {
            true => Shown::Text(plain),
            false => Shown::Latex(latex),
        })
    }
}

/// The text of HTML as Markdown, if it has any.
fn page(html: &str, limits: &ReadLimits<'_>) -> Result<Option<String>, ReadError> {
    if html.trim().is_empty() {
        return Ok(None);
    }
    // With a mark of UTF-8, whatever it says that it is.
    let page = ParsedPage::parse(format!("\u{feff}{html}").as_bytes(), limits)?;
    let mut writer = MarkdownWriter::new(limits);
    let options = Options {
        names: false,
        ..Options::PAGE
    };
    match page.write(&mut writer, None, options, limits)? {
        0 => Ok(None),
        _ => Ok(Some(writer.finish()?.text)),
    }
}

/// Whether Markdown has blocks that plain text does not show: a table, a heading or a list.
fn is_structured(markdown: &str) -> bool {
    let mut lines = markdown.lines();
    lines.any(|line| {
        ["| ", "# ", "## ", "### ", "- ", "1. "]
            .iter()
            .any(|mark| line.starts_with(mark))
    })
}

/// Whether plain text is only the name of an object that is shown in another form:
/// `<IPython.core.display.HTML object>`.
fn says_nothing(plain: &str) -> bool {
    let plain = plain.trim();
    plain.is_empty() || (plain.starts_with('<') && plain.ends_with('>') && !plain.contains('\n'))
}
