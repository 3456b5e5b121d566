//! Differences between files: a section for each file, whose hunks stay whole, and one for each
//! commit if there are messages.

use std::borrow::Cow;

use crate::day::Day;
use crate::document::Document;
use crate::outline::{Kind, Outline};
use crate::parse::Parser;
use crate::parse::adornment::adornment;
use crate::parse::encoded::decoded;
use crate::parse::reader::{LineReader, first_line};

/// Reads the output of `diff`, `git diff`, `git show` and `git format-patch`, and similar patches.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Diff;

impl Parser for Diff {
    fn parse(&self, document: &Document<'_>, _: usize) -> Outline {
        let mut reader = Reader {
            base: LineReader::from_start(document),
            level: 1,
        };
        let all = reader.base.lines.len();
        let mut at = 0;
        while at < all && !reader.base.is_full() {
            at = reader.part(at, all);
        }
        let level = reader.level;
        let mut outline = reader.base.finish(document, "a diff");
        outline.terms.sections = match level {
            1 => &["file"],
            _ => &["commit", "file"],
        };
        outline
    }
}

struct Reader<'a> {
    base: LineReader<'a>,
    /// The level of the sections of files: 2 below a commit.
    level: u8,
}

/// What the lines above the hunks of a file say about its path.
#[derive(Default)]
struct FilePaths<'a> {
    /// After `--- ` or, in the old form, `*** `.
    old: Option<&'a str>,
    /// After `+++ ` or, in the old form, `--- `.
    new: Option<&'a str>,
    /// After `diff --git `: both.
    both: Option<&'a str>,
    /// After `rename to ` or `copy to `.
    renamed: Option<&'a str>,
    /// The last word of another command.
    compared: Option<&'a str>,
    /// After `Index: `.
    index: Option<&'a str>,
    is_git: bool,
}

impl<'a> Reader<'a> {
    /// The line after `line`, if there is one.
    fn below(&self, line: usize, end: usize) -> &'a str {
        match line + 1 < end {
            true => self.base.whole(line + 1),
            false => "",
        }
    }

    /// Reads the commit, file, hunk or paragraph at a line, and returns the line after it.
    fn part(&mut self, at: usize, end: usize) -> usize {
        if self.base.is_blank(at) {
            return at + 1;
        }
        if let Some(after) = self.commit(at, end) {
            return after;
        }
        if self.begins_file(at, end) {
            return self.file(at, end);
        }
        if let Some(after) = self.hunk(at, end) {
            self.base.code(at..after, "diff");
            return after;
        }
        let ends = |line| self.base.is_blank(line) || self.begins(line, end);
        let after = first_line(at + 1..end, ends);
        self.base.leaf(Kind::Paragraph, at..after);
        after
    }

    /// Whether a line that does not follow a blank one begins a part.
    fn begins(&self, at: usize, end: usize) -> bool {
        let text = self.base.whole(at);
        match text.as_bytes().first() {
            Some(b'd' | b'I' | b'-' | b'*') => self.begins_file(at, end),
            Some(b'@') => hunk_lengths(text).is_some() || is_combined(text),
            Some(b'F') => is_envelope(text),
            Some(b'c') => is_commit(text),
            _ => false,
        }
    }

    /// Reads the header of a commit, if one is at a line, and returns the line after it.
    fn commit(&mut self, at: usize, end: usize) -> Option<usize> {
        let text = self.base.whole(at);
        let is_shown = is_commit(text);
        // Without the line `From`, only what comes before all files is a message.
        let is_first = self.base.builder.len() == 1;
        let may_begin = is_shown || is_envelope(text) || (is_first && is_field(text));
        if !may_begin {
            return None;
        }
        let is_in = |line| {
            let text = self.base.whole(line);
            (is_field(text) || text.starts_with([' ', '\t'])) && !self.base.is_blank(line)
        };
        let after = first_line(at + 1..end, |line| !is_in(line));
        let subject = (at..after).find(|line| {
            let name = self.base.whole(*line).get(..8);
            name.is_some_and(|name| name.eq_ignore_ascii_case("subject:"))
        });
        let title = match subject {
            Some(line) => {
                let last = self.base.unfolded(line + 1..after) - 1;
                let start = self.base.lines[line].start + "subject:".len();
                decoded(&self.base.text[start..self.base.lines[last].end.max(start)])
            }
            None if is_shown => {
                // The message is indented below a blank line.
                let line = self.base.first_text(after..end.min(after + 3));
                let is_message = line < end && line > after && self.base.lines[line].indent > 0;
                if is_message { self.base.at(line) } else { "" }.into()
            }
            None if is_envelope(text) => Cow::default(),
            None => return None,
        };
        let day = (at..after).find_map(|line| day(self.base.whole(line)));
        self.level = 2;
        self.base.day(at, day);
        self.base.section(1, at..after, &title);
        Some(after)
    }

    /// Whether the part of a file begins at a line.
    fn begins_file(&self, at: usize, end: usize) -> bool {
        let text = self.base.whole(at);
        let below = || self.below(at, end);
        if let Some(rest) = text.strip_prefix("diff ") {
            // A message may speak of the command.
            let is_header = || at + 1 == end || is_said_of_file(below());
            let is_git = rest.starts_with("--git ");
            return rest.starts_with('-') && rest.contains(' ') && (!is_git || is_header());
        }
        if text.starts_with("Index: ") {
            return below().starts_with("=====") || below().starts_with("--- ");
        }
        if text.starts_with("--- ") {
            return below().starts_with("+++ ");
        }
        text.starts_with("*** ")
            && below().starts_with("--- ")
            && at + 2 < end
            && is_stars(self.base.whole(at + 2))
    }

    /// Reads the lines above the hunks of a file, and returns the line after them.
    fn file(&mut self, at: usize, end: usize) -> usize {
        let mut paths = FilePaths::default();
        let mut after = at;
        let mut has_command = false;
        while after < end {
            let text = self.base.whole(after);
            let is_new = if let Some(rest) = text.strip_prefix("diff ") {
                let is_new = std::mem::replace(&mut has_command, true) || paths.new.is_some();
                paths.is_git |= rest.starts_with("--git ");
                let both = rest.strip_prefix("--git ").or(rest.strip_prefix("--cc "));
                paths.both = paths.both.or(both.or(rest.strip_prefix("--combined ")));
                paths.compared = paths.compared.or(rest.rsplit(' ').next());
                is_new
            } else if let Some(path) = text.strip_prefix("Index: ") {
                paths.index.replace(path).is_some() || has_command || paths.new.is_some()
            } else if text.starts_with(['-', '*']) && self.begins_file(after, end) {
                let is_new = paths.old.is_some();
                paths.old = paths.old.or(Some(&text[4..]));
                paths.new = paths.new.or(Some(&self.below(after, end)[4..]));
                after += usize::from(!is_new);
                is_new
            } else {
                let renamed = text.strip_prefix("rename to ");
                paths.renamed = paths.renamed.or(renamed.or(text.strip_prefix("copy to ")));
                paths.new.is_some() || !is_said_of_file(text)
            };
            if is_new {
                break;
            }
            after += 1;
        }
        self.base.section(self.level, at..after, &paths.title());
        after
    }

    /// The line after the hunk that begins at a line, if one does.
    fn hunk(&self, at: usize, end: usize) -> Option<usize> {
        let text = self.base.whole(at);
        if let Some((mut old, mut new)) = hunk_lengths(text) {
            // The numbers tell a removed line `-- ` from the header of the next file.
            let mut line = at + 1;
            while line < end {
                let text = self.base.whole(line);
                match text.as_bytes().first() {
                    Some(b'\\') => {}
                    Some(b'-') if old > 0 => old -= 1,
                    Some(b'+') if new > 0 => new -= 1,
                    None | Some(b' ' | b'\t') if old > 0 && new > 0 => {
                        old -= 1;
                        new -= 1;
                    }
                    _ => break,
                }
                line += 1;
            }
            return Some(line);
        }
        let goes_on: fn(&str) -> bool = if is_combined(text) {
            |text| text.starts_with([' ', '+', '-', '\\'])
        } else if is_stars(text) {
            |text| {
                let is_range = (text.starts_with("*** ") && text.ends_with(" ****"))
                    || (text.starts_with("--- ") && text.ends_with(" ----"));
                is_range
                    || ["  ", "! ", "+ ", "- ", "\\ "]
                        .iter()
                        .any(|mark| text.starts_with(mark))
                    || matches!(text, "!" | "+" | "-")
            }
        } else if is_command(text) {
            |text| text.starts_with(['<', '>', '\\']) || text == "---"
        } else if text == "GIT binary patch" {
            |text| {
                let is_length = text.starts_with("literal ") || text.starts_with("delta ");
                text.is_empty() || is_length || (text.len() > 4 && !text.contains(' '))
            }
        } else {
            return None;
        };
        Some(first_line(at + 1..end, |line| {
            !goes_on(self.base.whole(line))
        }))
    }
}

impl FilePaths<'_> {
    /// The new path, or that of a deleted file.
    fn title(&self) -> String {
        let is_named = |path: &&str| !matches!(*path, "/dev/null" | "");
        let shown = |written: &str| {
            // A time follows the path.
            let path = written.split('\t').next().unwrap_or_default().trim_end();
            let path = without_quotes(path);
            match path.strip_prefix("a/").or(path.strip_prefix("b/")) {
                Some(rest) => rest.to_string(),
                None => path.into_owned(),
            }
        };
        if let Some(path) = self.renamed {
            return without_quotes(path).into_owned();
        }
        let (new, old) = (self.new.map(shown), self.old.map(shown));
        let sides = [new, old].into_iter().flatten();
        if let Some(path) = sides.into_iter().find(|path| is_named(&&**path)) {
            return path;
        }
        match (self.both, self.index) {
            (Some(both), _) if self.is_git => shown(second(both)),
            (Some(both), _) => shown(both),
            (None, index) => shown(index.or(self.compared).unwrap_or_default()),
        }
    }
}

/// The second of two paths that are usually the same: `a/x b/x`.
fn second(both: &str) -> &str {
    let half = both.len() / 2;
    if both.is_char_boundary(half)
        && let (first, Some(other)) = (&both[..half], both[half..].strip_prefix(' '))
        && first.get(2..) == other.get(2..)
    {
        return other;
    }
    let at = both.rfind(" \"b/").or(both.rfind(" b/"));
    at.map_or(both, |at| &both[at + 1..])
}

/// A path in quotes, with its bytes in octal, as it is meant.
fn without_quotes(path: &str) -> Cow<'_, str> {
    let inner = path
        .strip_prefix('"')
        .and_then(|path| path.strip_suffix('"'));
    let Some(inner) = inner else {
        return path.into();
    };
    let mut decoded = Vec::with_capacity(inner.len());
    let mut rest = inner.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'\\' {
            decoded.push(byte);
            continue;
        }
        let octal = rest
            .get(..3)
            .and_then(|digits| std::str::from_utf8(digits).ok());
        let octal = octal.and_then(|digits| u8::from_str_radix(digits, 8).ok());
        if let Some(byte) = octal {
            decoded.push(byte);
            rest = &rest[3..];
        } else if let Some((&byte, after)) = rest.split_first() {
            decoded.push(match byte {
                b't' => b'\t',
                b'n' => b'\n',
                byte => byte,
            });
            rest = after;
        }
    }
    match String::from_utf8(decoded) {
        Ok(decoded) => decoded.into(),
        Err(_) => path.into(),
    }
}

/// The numbers of lines of the old and the new text in a hunk: `@@ -1,2 +3,4 @@`.
fn hunk_lengths(text: &str) -> Option<(usize, usize)> {
    let rest = text.strip_prefix("@@ -")?;
    let (old, rest) = rest.split_once(' ')?;
    let (new, rest) = rest.strip_prefix('+')?.split_once(' ')?;
    let length = |range: &str| match range.split_once(',') {
        Some((start, length)) => {
            start.parse::<usize>().ok()?;
            length.parse().ok()
        }
        None => range.parse::<usize>().ok().map(|_| 1),
    };
    rest.starts_with("@@")
        .then_some((length(old)?, length(new)?))
}

/// Whether a line begins a hunk of a merge: `@@@ -1,2 -1,2 +1,3 @@@`.
fn is_combined(text: &str) -> bool {
    text.starts_with("@@@") && text.trim_start_matches('@').starts_with(" -")
}

/// Whether a line is above a hunk in the old form.
fn is_stars(text: &str) -> bool {
    let text = text.trim_end_matches(' ');
    text.len() >= 10 && adornment(text) == Some(b'*')
}

/// Whether a line is a command of the oldest form: `1,3c2`.
fn is_command(text: &str) -> bool {
    let range = |text: &str| -> Option<usize> {
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let first = digits(text);
        let second = text[first..].strip_prefix(',').map_or(0, digits);
        let length = if second > 0 {
            first + 1 + second
        } else {
            first
        };
        (first > 0).then_some(length)
    };
    range(text).is_some_and(|length| {
        let rest = text[length..].strip_prefix(['a', 'c', 'd']);
        rest.is_some_and(|rest| range(rest) == Some(rest.len()))
    })
}

/// Whether a line above the hunks of a file belongs to them.
fn is_said_of_file(text: &str) -> bool {
    const MARKS: [&str; 16] = [
        "index ",
        "=====",
        "old mode ",
        "new mode ",
        "new file mode ",
        "deleted file mode ",
        "mode ",
        "similarity index ",
        "dissimilarity index ",
        "rename ",
        "copy ",
        "Binary files ",
        "RCS file: ",
        "retrieving revision ",
        "--- ",
        "+++ ",
    ];
    MARKS.iter().any(|mark| text.starts_with(mark))
}

/// Whether a line is the first one of a commit in a mailbox: `From <hash> <date>`.
fn is_envelope(text: &str) -> bool {
    let hash = text.strip_prefix("From ").and_then(|rest| rest.get(..41));
    hash.is_some_and(|hash| hash.ends_with(' ') && is_hash(&hash[..40]))
}

/// Whether a line is the first one of a commit in a log: `commit <hash>`.
fn is_commit(text: &str) -> bool {
    let hash = text.strip_prefix("commit ").and_then(|rest| rest.get(..40));
    hash.is_some_and(is_hash)
}

/// The day that a line in the header of a commit names.
fn day(text: &str) -> Option<Day> {
    const FIELDS: [&str; 3] = ["Date", "AuthorDate", "CommitDate"];
    let (name, value) = text.split_once(':')?;
    let is_date = FIELDS.iter().any(|field| name.eq_ignore_ascii_case(field));
    is_date.then(|| Day::first_in(value)).flatten()
}

fn is_hash(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether a line is a field of the header of a message.
fn is_field(text: &str) -> bool {
    let name = text
        .bytes()
        .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'-');
    let length = name.count();
    text.starts_with(|char: char| char.is_ascii_uppercase()) && text[length..].starts_with(": ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::listed;

    #[test]
    fn a_hunk_ends_where_its_numbers_say() {
        insta::assert_snapshot!(listed(
            &Diff,
            "diff --git a/x.sql b/x.sql\nindex 1..2 100644\n--- a/x.sql\n+++ b/x.sql\n@@ -1,3 +1,3 @@ head\n a\n--- old\n+++ new\n b\n@@ -9 +9 @@\n-c\n+d\n\\ No newline at end of file\n--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+e\n--- a/gone\t2026-01-02\n+++ /dev/null\n@@ -1 +0,0 @@\n-f\n"
        ));
    }

    #[test]
    fn a_commit_has_its_files() {
        insta::assert_snapshot!(listed(
            &Diff,
            "From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001\nFrom: Ann <a@example.org>\nSubject: [PATCH 1/2] Rename the\n first one\n\nIt was wrong.\n---\n a | 2 +-\n\ndiff --git a/a b/b\nsimilarity index 100%\nrename from a\nrename to b\ndiff --git a/run b/run\nold mode 100644\nnew mode 100755\n-- \n2.40\n\nFrom 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001\nSubject: [PATCH 2/2] Other\n\nText.\n---\n--- c\n+++ c\n@@ -1 +1 @@\n-1\n+2\n"
        ));
    }

    #[test]
    fn a_command_in_a_message_begins_no_file() {
        let files = |text: &str| {
            let outline = Diff.parse(&Document::new(text), 0);
            let kinds = outline.nodes.iter().map(|node| node.kind);
            kinds.filter(|kind| *kind == Kind::Section).count()
        };
        assert_eq!(files("diff --git a/x b/x\n\nshows it.\n"), 0);
        assert_eq!(files("diff --git a/x b/x\nold mode 100644\n"), 1);
        assert_eq!(files("diff --git a/x b/x\n"), 1);
    }

    #[test]
    fn older_forms_are_known() {
        insta::assert_snapshot!(listed(
            &Diff,
            "Why it changes.\n\nIndex: src/a.c\n===================================================================\n--- src/a.c\n+++ src/a.c\n@@ -1 +1 @@\n-a\n+b\n\n*** old/b.c\tFri Jan  2\n--- new/b.c\tFri Jan  2\n***************\n*** 1,2 ****\n! a\n  b\n--- 1,2 ----\n! c\n  b\ndiff -r old/c new/c\n1,2c1\n< a\n< b\n---\n> c\n3a4\n> d\n"
        ));
    }

    #[test]
    fn a_log_with_patches_has_a_section_for_each_commit() {
        insta::assert_snapshot!(listed(
            &Diff,
            "commit 0123456789012345678901234567890123456789\nAuthor: Ann <a@example.org>\nDate:   Fri Jan 2 03:04:05 2026\n\n    Count again\n\n    All of them.\n\ndiff --cc n\nindex 1,2..3\n--- a/n\n+++ b/n\n@@@ -1,1 -1,1 +1,1 @@@\n- 1\n -2\n++3\n"
        ));
    }

    #[test]
    fn a_path_is_shown_as_it_is_meant() {
        assert_eq!(without_quotes("\"b/\\303\\251 \\\"x\\\"\""), "b/é \"x\"");
        assert_eq!(without_quotes("\"b/\\377\""), "\"b/\\377\"");
        assert_eq!(second("a/one two b/one two"), "b/one two");
        assert_eq!(second("a/x b/y"), "b/y");
    }
}
