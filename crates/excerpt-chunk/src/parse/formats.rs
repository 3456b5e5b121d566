//! The formats of text: how a document in each is recognised, and what reads it.

use crate::document::{Document, Syntax, file_ending};
use crate::outline::Outline;
use crate::parse::{
    AsciiDoc, Csv, Diff, Latex, Lines, Log, Mail, Man, Markdown, MediaWiki, Org, Parser, Prose,
    ReStructuredText, Subtitles, beginning, log, mail, man, prose, rst, titles,
};
use crate::text::is_fence;

/// A format of text.
pub(crate) struct Format {
    pub(crate) syntax: Syntax,
    /// What it is called in a sentence.
    pub(crate) name: &'static str,
    /// Its names as a language, in lower case.
    languages: &'static [&'static str],
    /// The endings of its files, in lower case.
    endings: &'static [&'static str],
    shown: &'static [Shown],
    /// Whether its documents are split by its structure even if they have few headings.
    pub(crate) is_structured: bool,
    pub(crate) parser: &'static (dyn Parser + Sync),
}

/// What shows the format of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Evidence {
    /// The syntax or the language that was given.
    Setting,
    /// The reader that extracted the text.
    Extraction,
    /// The name of the file.
    Name,
    /// The text.
    Content,
}

impl Evidence {
    /// As in "detected: Org by its name".
    pub(crate) fn phrase(self) -> &'static str {
        match self {
            Evidence::Setting => "as named",
            Evidence::Extraction => "extracted from the file",
            Evidence::Name => "by its name",
            Evidence::Content => "by its content",
        }
    }
}

/// In which texts a format is recognised by the content.
#[derive(Clone, Copy)]
enum Shown {
    /// In text without a name that has an ending, by its beginning.
    Beginning(fn(&str) -> bool),
    /// In text whose name does not say more: `notes.txt`.
    InProse(fn(&str) -> bool),
    /// In those, and in text whose name says nothing: `tool.1`.
    Unnamed(fn(&Document<'_>) -> bool),
}

/// The formats, those that are recognised by their content in the order in which they are tried.
static FORMATS: &[Format] = &[
    Format {
        syntax: Syntax::Man,
        name: "a man page",
        languages: &["man", "mdoc", "roff", "troff", "nroff", "groff"],
        endings: &["man", "mdoc", "roff"],
        shown: &[Shown::Unnamed(man::is_shown)],
        is_structured: true,
        parser: &Man,
    },
    Format {
        syntax: Syntax::Diff,
        name: "a diff",
        languages: &["diff", "patch"],
        endings: &["diff", "patch"],
        shown: &[Shown::Beginning(beginning::is_diff)],
        is_structured: true,
        parser: &Diff,
    },
    Format {
        syntax: Syntax::Subtitles,
        name: "subtitles",
        languages: &["srt", "vtt", "webvtt", "subtitles"],
        endings: &["srt", "vtt"],
        shown: &[Shown::Beginning(beginning::is_subtitles)],
        is_structured: true,
        parser: &Subtitles,
    },
    Format {
        syntax: Syntax::Latex,
        name: "LaTeX",
        languages: &["latex", "tex"],
        endings: &["tex", "ltx", "latex"],
        shown: &[Shown::Beginning(beginning::is_latex)],
        is_structured: true,
        parser: &Latex,
    },
    Format {
        syntax: Syntax::Org,
        name: "Org",
        languages: &["org"],
        endings: &["org"],
        shown: &[Shown::Beginning(beginning::is_org)],
        is_structured: true,
        parser: &Org,
    },
    Format {
        syntax: Syntax::Log,
        name: "a log",
        languages: &["log"],
        endings: &["log"],
        shown: &[Shown::InProse(log::is_shown)],
        is_structured: true,
        parser: &Log,
    },
    Format {
        syntax: Syntax::Mail,
        name: "mail",
        languages: &["mail", "email", "mbox"],
        endings: &["eml", "mbox"],
        shown: &[
            Shown::InProse(mail::is_shown),
            Shown::Beginning(beginning::is_mail),
        ],
        is_structured: true,
        parser: &Mail,
    },
    Format {
        syntax: Syntax::AsciiDoc,
        name: "AsciiDoc",
        languages: &["asciidoc", "adoc"],
        endings: &["adoc", "asciidoc"],
        shown: &[Shown::Beginning(beginning::is_asciidoc)],
        is_structured: true,
        parser: &AsciiDoc,
    },
    Format {
        syntax: Syntax::MediaWiki,
        name: "MediaWiki",
        languages: &["mediawiki", "wikitext"],
        endings: &["wiki", "mediawiki", "wikitext"],
        shown: &[Shown::Beginning(beginning::is_mediawiki)],
        is_structured: true,
        parser: &MediaWiki,
    },
    Format {
        syntax: Syntax::Rst,
        name: "reStructuredText",
        languages: &["rst", "restructuredtext"],
        endings: &["rst", "rest"],
        shown: &[Shown::InProse(rst::is_shown)],
        is_structured: true,
        parser: &ReStructuredText,
    },
    Format {
        syntax: Syntax::Markdown,
        name: "Markdown",
        languages: &["markdown", "md"],
        endings: &[
            "md", "markdown", "mdown", "mkd", "mkdn", "mdx", "qmd", "rmd",
        ],
        shown: &[Shown::InProse(shows_markdown)],
        is_structured: true,
        parser: &Markdown,
    },
    Format {
        syntax: Syntax::Csv,
        name: "CSV or TSV",
        languages: &["csv", "tsv"],
        endings: &["csv", "tsv", "tab"],
        shown: &[],
        is_structured: true,
        parser: &Csv,
    },
    Format {
        syntax: Syntax::Text,
        name: "text",
        languages: &["text", "plain", "plaintext", "txt"],
        endings: &["txt", "text", "textile"],
        shown: &[],
        is_structured: false,
        parser: &Prose,
    },
    Format {
        syntax: Syntax::Code,
        name: "source text",
        languages: &[],
        endings: &[],
        shown: &[],
        is_structured: false,
        parser: &Lines,
    },
];

impl Format {
    /// The format of a document that no grammar reads, and what shows it.
    pub(crate) fn of(document: &Document<'_>) -> (&'static Format, Evidence) {
        let named = document.named_syntax();
        let is_shown = |shown: &Shown| match *shown {
            Shown::Beginning(shown) => document.is_unnamed() && shown(document.text()),
            Shown::InProse(shown) => named == Syntax::Text && shown(document.text()),
            Shown::Unnamed(shown) => {
                let is_open = document.language().is_none() && document.given_syntax().is_none();
                let says_nothing = named == Syntax::Code && is_open;
                (named == Syntax::Text || says_nothing) && shown(document)
            }
        };
        let mut formats = FORMATS.iter();
        match formats.find(|format| format.shown.iter().any(is_shown)) {
            Some(format) => (format, Evidence::Content),
            None if document.is_extracted() => (Format::with(named), Evidence::Extraction),
            None if document.given_syntax().is_some() => (Format::with(named), Evidence::Setting),
            None => (Format::with(named), Evidence::Name),
        }
    }

    /// Whether a document of this format is split by its structure, however little it has. A fence
    /// or a heading in a text is no proof that it is Markdown.
    pub(crate) fn is_sure(&self, by: Evidence) -> bool {
        self.is_structured && (by != Evidence::Content || self.syntax != Syntax::Markdown)
    }

    fn with(syntax: Syntax) -> &'static Format {
        let found = FORMATS.iter().find(|format| format.syntax == syntax);
        found.unwrap_or(&FORMATS[FORMATS.len() - 1])
    }
}

impl Document<'_> {
    /// The syntax that it is parsed as when no grammar reads it: [`Document::syntax`], unless the
    /// content surely shows another format.
    #[must_use]
    pub fn read_as(&self) -> Syntax {
        let (format, by) = Format::of(self);
        match format.is_sure(by) {
            true => format.syntax,
            false => self.named_syntax(),
        }
    }

    /// Whether neither a setting nor the ending of a name says what it is.
    fn is_unnamed(&self) -> bool {
        let is_open = self.language().is_none() && self.given_syntax().is_none();
        is_open && self.path().and_then(file_ending).is_none()
    }

    /// The syntax without a grammar: [`Document::syntax`], or text if the ending is not known and
    /// the rest of the name or the content shows prose, as in `README.Debian`.
    fn named_syntax(&self) -> Syntax {
        let is_open = self.language().is_none() && self.given_syntax().is_none();
        match self.syntax() {
            Syntax::Code if is_open && self.path().is_some_and(is_prose_by_name) => Syntax::Text,
            Syntax::Code if is_open && prose::is_shown(self.text()) => Syntax::Text,
            named => named,
        }
    }
}

impl Outline {
    /// The outline of a document that is no source code, by the format that its name or its content
    /// shows. Plain text and unknown formats are parsed as Markdown.
    ///
    /// ```
    /// use excerpt_chunk::{Document, Kind, Outline};
    ///
    /// let outline = Outline::of(&Document::new("Tea\n===\n\nGreen.\n").with_path("tea.rst"));
    /// assert_eq!(outline.nodes()[1].label(), Some("Tea"));
    /// ```
    #[must_use]
    pub fn of(document: &Document<'_>) -> Outline {
        let (format, _) = Format::of(document);
        match format.is_structured {
            true => format.parser.parse(document, 0),
            false => Markdown.parse(document, 0),
        }
    }
}

impl Syntax {
    /// The syntax that is meant by the name of a language, if it is none of source code.
    pub(crate) fn of_language(name: &str) -> Option<Self> {
        let mut words = name.split(|c: char| !c.is_alphanumeric());
        let first = words.find(|word| !word.is_empty())?.to_ascii_lowercase();
        let found = FORMATS
            .iter()
            .find(|format| format.languages.contains(&&*first));
        found.map(|format| format.syntax)
    }

    /// The syntax for the extension of `path`. A path without one is read as text.
    #[must_use]
    pub fn of_path(path: &str) -> Self {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let ending = match file_ending(path) {
            _ if is_rotated_log(name) => return Syntax::Log,
            Some(ending) => ending.to_ascii_lowercase(),
            None => return Syntax::Text,
        };
        let found = FORMATS
            .iter()
            .find(|format| format.endings.contains(&&*ending));
        found.map_or(Syntax::Code, |format| format.syntax)
    }
}

/// Whether a name says that people read the file, whatever it ends in: `README.Debian`.
fn is_prose_by_name(path: &str) -> bool {
    const NAMES: [&str; 19] = [
        "README",
        "NEWS",
        "TODO",
        "CHANGES",
        "CHANGELOG",
        "HISTORY",
        "AUTHORS",
        "CONTRIBUTORS",
        "MAINTAINERS",
        "CREDITS",
        "THANKS",
        "COPYING",
        "COPYRIGHT",
        "LICENSE",
        "NOTICE",
        "INSTALL",
        "HACKING",
        "BUGS",
        "FAQ",
    ];
    /// Those that are often written in lower case.
    const LOWER: [&str; 5] = ["readme", "changes", "changelog", "copying", "copyright"];
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    name.split('.')
        .any(|part| NAMES.contains(&part) || LOWER.contains(&&*part.to_ascii_lowercase()))
}

/// Whether a file is an older part of a log: `app.log.1`, `app.log-20260102`.
fn is_rotated_log(name: &str) -> bool {
    let after = name.to_ascii_lowercase();
    let after = after.rsplit_once(".log").map(|(_, after)| after);
    after.is_some_and(|after| {
        after.len() > 1
            && after.starts_with(['.', '-', '_'])
            && after[1..]
                .bytes()
                .all(|byte| byte.is_ascii_digit() || b"-_.".contains(&byte))
    })
}

/// Whether a line of the text begins with a fence or with the marks of a heading. In a text with
/// lines of one level next to each other, which are comments, they are no marks. Tildes below a
/// title underline it, and a line that is indented like code has no marks (CommonMark 4.4).
fn shows_markdown(text: &str) -> bool {
    let level = |mark: &str| {
        let after = mark.trim_start_matches('#');
        let level = mark.len() - after.len();
        let is_mark = (1..=6).contains(&level) && (after.is_empty() || after.starts_with(' '));
        is_mark.then_some((level, after.trim().is_empty()))
    };
    let mut before: Option<(usize, bool)> = None;
    let mut has_heading = false;
    let (mut title, mut is_after_blank) = ("", true);
    let mut item = 0;
    for line in text.lines() {
        let mark = unindented(line, item).unwrap_or_default();
        if is_fence(mark) && !titles::is_underline(title, line) {
            return true;
        }
        item = item_column(line, item);
        let is_blank = line.trim_end().is_empty();
        title = if is_after_blank { line } else { "" };
        is_after_blank = is_blank;
        let here = level(mark);
        if let (Some((mark, _)), Some((above, _))) = (here, before)
            && mark == above
        {
            return false;
        }
        has_heading |= matches!(here, Some((_, false)));
        before = here;
    }
    has_heading
}

/// A line from its first character on, after the marks of quotes. None if it is indented by four
/// columns or more from the column `item`, as code is.
fn unindented(line: &str, item: usize) -> Option<&str> {
    let mut rest = line;
    let mut most = item + 3;
    loop {
        let text = rest.trim_start_matches(' ');
        if rest.len() - text.len() > most {
            return None;
        }
        let Some(quoted) = text.strip_prefix('>') else {
            return Some(text);
        };
        rest = quoted.strip_prefix(' ').unwrap_or(quoted);
        most = 3;
    }
}

/// The column at which the text of a list item begins that the lines below `line` may belong to: 0
/// if there is none. `item` is the one of the line itself.
fn item_column(line: &str, item: usize) -> usize {
    let text = line.trim_start_matches(' ');
    let indent = line.len() - text.len();
    if text.is_empty() || indent >= item + 4 {
        return item;
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let after = match digits {
        0 => text.strip_prefix(['-', '*', '+']),
        _ => text[digits..].strip_prefix(['.', ')']),
    };
    match after {
        Some(after) if after.starts_with(' ') => line.len() - after.trim_start_matches(' ').len(),
        _ if indent < item => 0,
        _ => item,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_may_have_another_name() {
        for path in ["a.log", "var/a.log.1", "A.LOG-20260102", "a.log.2026-01-02"] {
            assert_eq!(Syntax::of_path(path), Syntax::Log, "{path}");
        }
        for path in ["a.log.gz", "a.log.md", "log.1", "a.logs", "a.log."] {
            assert_ne!(Syntax::of_path(path), Syntax::Log, "{path}");
        }
        let entries = "[02.03.24, 10:26:07] Bob: Message\nthat goes on\n".repeat(5);
        let read_as = |text: &str| Document::new(text).with_path("chat.txt").read_as();
        assert_eq!(read_as(&entries), Syntax::Log);
        let diary = "2026-01-02 we sailed.\n".repeat(9);
        assert_eq!(read_as(&diary), Syntax::Text);
        let message = "From ada at example.org Fri Jan  2 03:04:05 2026\nSubject: Tea\n\nHow?\n";
        assert_eq!(read_as(message), Syntax::Mail);
        assert_eq!(
            read_as("From here on: all is well.\nTo: Bob\n"),
            Syntax::Text
        );
    }

    #[test]
    fn prose_with_an_unknown_ending_is_text() {
        let read_as = |path: &str, text: &str| Document::new(text).with_path(path).read_as();
        for path in [
            "doc/README.Debian",
            "debian/vim.NEWS.Debian",
            "changelog.Debian",
            "README.source",
            "TODO.foo",
            "tool.copyright",
        ] {
            assert_eq!(read_as(path, "a = 1\n"), Syntax::Text, "{path}");
        }
        assert_eq!(read_as("readme.md.in", "a = 1\n"), Syntax::Text);
        assert_eq!(read_as("README.md", ""), Syntax::Markdown);
        for path in ["history.dat", "install.wim", "a.foo"] {
            assert_eq!(read_as(path, "a = 1\n"), Syntax::Code, "{path}");
        }
        let prose = "The boat leaves from the quay at noon.\nBring warm clothes, please!\n\n";
        let code = "let speed = boat.speed(wind);\nif speed > 3 {\n    sail(speed);\n}\n";
        assert_eq!(read_as("notes.trip", &prose.repeat(5)), Syntax::Text);
        assert_eq!(read_as("trip.boat", &code.repeat(5)), Syntax::Code);
        let licensed = format!("/*\n{}*/\n{code}", prose.repeat(5));
        assert_eq!(read_as("trip.boat", &licensed), Syntax::Code);
        let comments = format!("# {}", prose.trim().replace('\n', "\n# ")).repeat(5);
        assert_eq!(read_as("trip.boat", &comments), Syntax::Code);
        let comments = comments.replace('#', "\"");
        assert_eq!(read_as("trip.boat", &comments), Syntax::Code);
        let names = "q the LATIN LETTER\n".repeat(20);
        assert_eq!(read_as("trip.boat", &names), Syntax::Code);
        let given = Document::new(prose).with_path("README.Debian");
        assert_eq!(given.with_syntax(Syntax::Code).read_as(), Syntax::Code);
    }

    #[test]
    fn comments_are_no_headings() {
        assert!(shows_markdown("# Tea\n\nGreen.\n\n## Black\n"));
        assert!(shows_markdown("Text\n```\ncode\n```\n# a\n# b\n"));
        assert!(!shows_markdown(
            "# by hand\n\nkey: value\n\n# one\n# two\nkey: value\n"
        ));
        assert!(!shows_markdown("#\n# one\n#\n"));
        assert!(!shows_markdown("#tag\n"));
    }

    #[test]
    fn marks_that_are_indented_like_code_are_none() {
        assert!(!shows_markdown("Text\n\n    # comment\n\n    ```\n"));
        assert!(!shows_markdown(">     # comment\n"));
        assert!(!shows_markdown("- item\n\nText\n\n    # comment\n"));
        for text in [
            "   # Title\n",
            ">   # Title\n",
            "1.  item\n\n    ```\n    code\n    ```\n",
            "- item\n  - inner\n\n    more\n\n    ~~~\n    code\n    ~~~\n",
        ] {
            assert!(shows_markdown(text), "{text}");
        }
    }

    #[test]
    fn tildes_below_a_title_are_no_fence() {
        assert!(!shows_markdown(
            "Text.\n\nCluster plugin\n~~~~~~~~~~~~~~\n\nText.\n"
        ));
        assert!(!shows_markdown("  Plugin\n  ~~~~~~~\nText.\n"));
        for text in [
            "Text\n\n~~~~\ncode\n~~~~\n",
            "Code:\n~~~~~\ncode\n~~~~~\n",
            "Words\nmore words\n~~~~~~~~~~\ncode\n~~~~~~~~~~\n",
            "A long line above it\n~~~~\ncode\n~~~~\n",
            "List\n~~~ sh\ncode\n~~~\n",
        ] {
            assert!(shows_markdown(text), "{text}");
        }
    }
}
