//! The input of chunking: a [`Document`] is a text with a path and a syntax; [`DocumentInfo`] is
//! what it says about itself.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;

use crate::day::dates;

/// A text to be split, with what is known about it.
///
/// ```
/// use excerpt_chunk::{Document, Syntax};
///
/// let note = Document::new("# Title\n").with_path("notes/today.md");
/// assert_eq!(note.syntax(), Syntax::Markdown);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Document<'a> {
    text: &'a str,
    path: Option<&'a str>,
    title: Option<&'a str>,
    syntax: Option<Syntax>,
    language: Option<&'a str>,
    is_extracted: bool,
    id: Option<&'a str>,
    stop: Option<&'a AtomicBool>,
}

impl<'a> Document<'a> {
    /// A document of which only the text is known.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        Document {
            text,
            path: None,
            title: None,
            syntax: None,
            language: None,
            is_extracted: false,
            id: None,
            stop: None,
        }
    }

    /// Names the document. The path becomes part of the context and the ids of its chunks; its
    /// extension determines the syntax.
    #[must_use]
    pub fn with_path(self, path: &'a str) -> Self {
        Document {
            path: Some(path),
            ..self
        }
    }

    /// Sets the title, overriding the text.
    #[must_use]
    pub fn with_title(self, title: &'a str) -> Self {
        Document {
            title: Some(title),
            ..self
        }
    }

    /// Sets the syntax, overriding the path.
    #[must_use]
    pub fn with_syntax(self, syntax: Syntax) -> Self {
        Document {
            syntax: Some(syntax),
            ..self
        }
    }

    /// Sets the language, overriding the path and the text: a name such as `rust`, or the info
    /// string of a fence. The name of a format of text, such as `markdown`, `rst`, `csv` or `text`,
    /// sets the syntax.
    #[must_use]
    pub fn with_language(self, language: &'a str) -> Self {
        Document {
            language: Some(language),
            is_extracted: false,
            ..self
        }
    }

    /// Sets the language of a text that was extracted from the file at the path, which is in
    /// another format: as [`Document::with_language`], but the reason for the strategy says so.
    #[must_use]
    pub fn extracted_as(self, language: &'a str) -> Self {
        Document {
            is_extracted: true,
            ..self.with_language(language)
        }
    }

    /// Sets what the ids of its chunks are derived from, in place of the path: the key of the
    /// document where it is stored. It is shown nowhere.
    #[must_use]
    pub fn with_id(self, id: &'a str) -> Self {
        Document {
            id: Some(id),
            ..self
        }
    }

    /// The same document with another text of the same length.
    pub(crate) fn with_text<'b>(&self, text: &'b str) -> Document<'b>
    where
        'a: 'b,
    {
        Document { text, ..*self }
    }

    /// A part of the text as a separate document, without a path.
    pub(crate) fn block(&self, span: Range<usize>) -> Self {
        Document {
            stop: self.stop,
            ..Document::new(&self.text[span])
        }
    }

    /// The same document, whose outline is no longer needed once `stop` is set.
    #[must_use]
    pub(crate) fn stopped_by(self, stop: &'a AtomicBool) -> Self {
        Document {
            stop: Some(stop),
            ..self
        }
    }

    /// Whether the outline is no longer needed. A parser that takes long checks this now and then,
    /// and may then return any outline.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Whether the text was extracted from a file in another format.
    pub(crate) fn is_extracted(&self) -> bool {
        self.is_extracted
    }

    /// The language, if one was given.
    #[must_use]
    pub fn language(&self) -> Option<&'a str> {
        self.language
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// The path, if one was given.
    #[must_use]
    pub fn path(&self) -> Option<&'a str> {
        self.path
    }

    /// What the ids of its chunks are derived from.
    pub(crate) fn id(&self) -> &'a str {
        self.id.or(self.path).unwrap_or_default()
    }

    /// The domain: the first folder of the path, or the second if the first is called `domains`.
    #[must_use]
    pub fn domain(&self) -> Option<&'a str> {
        let (folders, _) = self.path?.rsplit_once('/')?;
        let mut folders = folders
            .split('/')
            .filter(|folder| !matches!(*folder, "" | "." | ".."));
        folders.find(|folder| *folder != "domains")
    }

    /// Whether the document is an overview of the files next to it, by its exact name: a `README`
    /// or an `index` in a format of prose with headings. A web page named so is a page like others.
    #[must_use]
    pub fn is_overview(&self) -> bool {
        const STEMS: [&str; 2] = ["readme", "index"];
        const EXTENSIONS: [&str; 7] = ["md", "markdown", "rst", "adoc", "asciidoc", "org", "txt"];
        let name = self.path.and_then(|path| path.rsplit(['/', '\\']).next());
        let name = name.unwrap_or_default().to_lowercase();
        match name.split_once('.') {
            Some((stem, extension)) => STEMS.contains(&stem) && EXTENSIONS.contains(&extension),
            None => name == "readme",
        }
    }

    /// The syntax that was set, as such or as the language.
    pub(crate) fn given_syntax(&self) -> Option<Syntax> {
        let by_language = || Syntax::of_language(self.language?);
        self.syntax.or_else(by_language)
    }

    /// The syntax: as set, or by the extension of the path, or [`Syntax::Text`].
    #[must_use]
    pub fn syntax(&self) -> Syntax {
        let by_path = || self.path.map_or(Syntax::Text, Syntax::of_path);
        self.given_syntax().unwrap_or_else(by_path)
    }
}

/// How the text of a document is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Syntax {
    /// Markdown: CommonMark with tables, task lists, footnotes and front matter.
    Markdown,
    /// reStructuredText: sections, directives, literal blocks, tables and lists.
    Rst,
    /// AsciiDoc: sections, delimited blocks, tables, lists and attributes.
    AsciiDoc,
    /// Emacs Org: headlines, drawers, blocks, tables and lists.
    Org,
    /// LaTeX: sections, environments, lists and displayed mathematics.
    Latex,
    /// MediaWiki: sections, tables, lists and templates.
    MediaWiki,
    /// Man pages in roff, with the macros of man(7) or mdoc(7).
    Man,
    /// Values separated by commas, semicolons or tabs: one row per line, or several lines
    /// if a value is quoted.
    Csv,
    /// A log: entries of one or more lines.
    Log,
    /// Subtitles in the formats SubRip or WebVTT.
    Subtitles,
    /// One message of mail, or a mailbox of several.
    Mail,
    /// Differences between files: a patch, or several with their messages.
    Diff,
    /// Prose: paragraphs of sentences. Its content may show another format.
    Text,
    /// Source code or data, where line ends matter and `#` does not start a heading.
    Code,
}

/// What a document says about itself, all from its own text and path.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct DocumentInfo {
    /// The title that was set; or the front matter's `title`; or the first heading of level 1; or
    /// the first heading.
    pub title: Option<Arc<str>>,
    /// The first heading.
    pub first_heading: Option<Arc<str>>,
    /// The front matter, and what a format says in a header of its own, such as `#+AUTHOR` in Org,
    /// as front matter does: `authors`, `date`, `keywords` and so on. Empty without either.
    pub metadata: serde_json::Map<String, serde_json::Value>,
    /// The dates (`YYYY-MM-DD`) in the file name, the front matter's `date` and the headings, and
    /// those of mails, commits and entries of a log, each once, in that order.
    pub dates: Vec<String>,
    /// The links, in the order of the text.
    pub links: Vec<Link>,
}

impl DocumentInfo {
    /// Adds the data from the front matter, the path and the given title to those from the text.
    pub(crate) fn complete(&mut self, document: &Document<'_>) {
        let field = |name: &str| self.metadata.get(name).and_then(|value| value.as_str());
        let title = self.metadata.get("title").and_then(|title| match title {
            serde_json::Value::String(title) => Some(title.clone()),
            // A year, say.
            serde_json::Value::Number(number) => Some(number.to_string()),
            _ => None,
        });
        let titles = [document.title, title.as_deref()].into_iter().flatten();
        let title = titles.map(str::trim).find(|title| !title.is_empty());
        let path = document.path;
        let name = path.and_then(|path| path.rsplit(['/', '\\']).next());
        let outer = name.into_iter().chain(field("date")).flat_map(dates);
        let own = std::mem::take(&mut self.dates);
        let found = each_once(outer.chain(own));
        let title = title.map(Arc::from).or(self.title.take());
        self.title = title.or_else(|| self.first_heading.clone());
        self.dates = found;
    }
}

/// A link from a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Link {
    /// The target as written: a URL, a path or name with or without `#section`, or a label.
    pub target: Box<str>,
    /// How the link is written.
    pub kind: LinkKind,
    /// The bytes of the link in the document.
    #[serde(serialize_with = "pair")]
    #[cfg_attr(feature = "schema", schemars(with = "[usize; 2]"))]
    pub bytes: Range<usize>,
}

/// How a link is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum LinkKind {
    /// `[text](target)`, by a reference `[text][name]`, or `<target>`; in other formats, any link
    /// to an address, a file or a section, also by a directive that includes a file.
    Plain,
    /// `[[name]]` or `[[name|text]]`.
    Wiki,
    /// `![text](target)`: an embedded image.
    Image,
    /// A reference to a label, which this document or another one gives to a part of itself:
    /// `:ref:`, `\ref`, `<<label>>`, `[[id:label]]`.
    Label,
}

fn pair<S: serde::Serializer>(range: &Range<usize>, serializer: S) -> Result<S::Ok, S::Error> {
    [range.start, range.end].serialize(serializer)
}

/// The dates, each once, in their order.
pub(crate) fn each_once(dates: impl Iterator<Item = String>) -> Vec<String> {
    let mut known = HashSet::new();
    dates.filter(|date| known.insert(date.clone())).collect()
}

/// The ending of the name of a file, as it is written: what is after its last dot. `None` if only a
/// dot at the beginning precedes it, and for a message in a Maildir, whose name ends in a host.
///
/// ```
/// use excerpt_chunk::file_ending;
///
/// assert_eq!(file_ending("notes/today.md"), Some("md"));
/// assert_eq!(file_ending("notes.d/.profile"), None);
/// assert_eq!(file_ending("cur/1700000000.M2P3.mail.example:2,S"), None);
/// ```
#[must_use]
pub fn file_ending(path: &str) -> Option<&str> {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let (stem, ending) = name.rsplit_once('.')?;
    (!stem.is_empty() && !is_name_in_maildir(name)).then_some(ending)
}

/// Whether a file is named like a message in a Maildir: by the time in seconds, by how it was
/// delivered, and by the host (<https://cr.yp.to/proto/maildir.html>).
fn is_name_in_maildir(name: &str) -> bool {
    /// The digits of the time, since 1973.
    const SECONDS: usize = 9;
    let mut parts = name.splitn(3, '.');
    let mut next = || parts.next().unwrap_or_default();
    let (seconds, delivery, host) = (next(), next(), next());
    seconds.len() >= SECONDS
        && seconds.bytes().all(|byte| byte.is_ascii_digit())
        && delivery.bytes().any(|byte| byte.is_ascii_digit())
        && !host.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_tells_the_syntax() {
        assert_eq!(Syntax::of_path("a/README.MD"), Syntax::Markdown);
        assert_eq!(Syntax::of_path("a.b/LICENSE"), Syntax::Text);
        assert_eq!(Syntax::of_path("src/main.rs"), Syntax::Code);
        assert_eq!(Syntax::of_path(".gitignore"), Syntax::Text);
    }

    #[test]
    fn the_language_tells_the_syntax_before_the_ending_does() {
        let document = Document::new("").with_path("report.pdf");
        let syntax = |language| document.with_language(language).syntax();
        assert_eq!(document.syntax(), Syntax::Code);
        assert_eq!(syntax("Markdown"), Syntax::Markdown);
        assert_eq!(syntax(" markdown {.notes}"), Syntax::Markdown);
        assert_eq!(syntax("text"), Syntax::Text);
        assert_eq!(syntax("rust"), Syntax::Code);
        let document = document.with_language("text");
        assert_eq!(document.with_syntax(Syntax::Code).syntax(), Syntax::Code);
    }

    #[test]
    fn the_first_folder_is_the_domain() {
        let domain = |path| Document::new("").with_path(path).domain();
        assert_eq!(domain("family/swim-team.md"), Some("family"));
        assert_eq!(domain("domains/family/swim-team.md"), Some("family"));
        assert_eq!(domain("./work/a/b.md"), Some("work"));
        assert_eq!(domain("note.md"), None);
    }

    #[test]
    fn an_overview_is_known_by_its_exact_name() {
        let overview = |path| Document::new("").with_path(path).is_overview();
        assert!(overview("projects/README.md") && overview("index.md") && overview("ReadMe.rst"));
        assert!(overview("docs/index.rst") && overview("README") && overview("index.adoc"));
        assert!(
            !overview("myreadme.md") && !overview("index.html") && !overview("readme-first.md")
        );
        assert!(!overview("index.js") && !overview("index") && !overview("readme.py"));
    }
}
