//! Markdown of a cell or an output, as it can stand among others.

use std::borrow::Cow;

/// The block of code that a line is in, if it is in one.
#[derive(Default)]
struct Fences<'a>(Option<&'a str>);

impl<'a> Fences<'a> {
    /// Goes on with the next line; whether it is in a block, or opens or ends one.
    fn next(&mut self, line: &'a str) -> bool {
        let was_open = self.0.is_some();
        let line = line.trim_start();
        if let Some(mark) = line.chars().next().filter(|mark| matches!(mark, '`' | '~')) {
            let rest = line.trim_start_matches(mark);
            let fence = &line[..line.len() - rest.len()];
            match self.0 {
                Some(opened) if fence.starts_with(opened) && rest.trim().is_empty() => {
                    self.0 = None;
                }
                None if fence.len() >= 3 && !(mark == '`' && rest.contains('`')) => {
                    self.0 = Some(fence);
                }
                _ => (),
            }
        }
        was_open || self.0.is_some()
    }
}

/// Markdown whose last code block ends with it: it must not go on in the next cell.
pub(super) fn closed(markdown: Cow<'_, str>) -> Cow<'_, str> {
    let mut fences = Fences::default();
    for line in markdown.lines() {
        fences.next(line);
    }
    match fences.0 {
        Some(fence) => Cow::Owned(format!("{}\n{fence}", markdown.trim_end())),
        None => markdown,
    }
}

/// Markdown whose headings are bold paragraphs: those of an output are not above the cells that
/// follow it.
pub(super) fn without_headings(markdown: &str) -> String {
    let mut kept = String::with_capacity(markdown.len());
    let mut fences = Fences::default();
    let mut lines = markdown.lines().peekable();
    while let Some(line) = lines.next() {
        let is_code = fences.next(line);
        let is_title = |below: &&str| !is_code && is_paragraph(line) && is_underline(below);
        let title = match lines.next_if(is_title) {
            Some(_) => Some(line.trim()),
            None => title(line).filter(|_| !is_code),
        };
        match title {
            Some("") => (),
            Some(title) => {
                kept.extend(["**", title, "**\n\n"]);
                while lines.next_if(|below| below.trim().is_empty()).is_some() {}
            }
            None => kept.extend([line, "\n"]),
        }
    }
    kept
}

/// The title of a heading that begins with number signs.
fn title(line: &str) -> Option<&str> {
    let line = line.trim();
    let rest = line.trim_start_matches('#');
    let is_heading = (1..=6).contains(&(line.len() - rest.len()))
        && (rest.is_empty() || rest.starts_with([' ', '\t']));
    is_heading.then(|| rest.trim_end_matches('#').trim())
}

/// Whether a line may be a paragraph that an underline makes a heading.
fn is_paragraph(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && !line.starts_with(['|', '>', '-', '+', '*']) && title(line).is_none()
}

/// Whether a line makes a heading of that above it.
fn is_underline(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && (line.bytes().all(|b| b == b'=') || line.bytes().all(|b| b == b'-'))
}

/// Markdown without images whose contents are in the text itself.
pub(super) fn without_images(markdown: &str) -> Cow<'_, str> {
    const EMBEDDED: &str = "data:image/";
    if !markdown.contains(EMBEDDED) {
        return Cow::Borrowed(markdown);
    }
    let is_encoded = |c: char| c.is_ascii_alphanumeric() || "+/=;,%:.-".contains(c);
    let mut kept = String::with_capacity(markdown.len());
    let mut rest = markdown;
    while let Some(at) = rest.find(EMBEDDED) {
        kept.push_str(&rest[..at]);
        rest = rest[at..].trim_start_matches(is_encoded);
    }
    kept.push_str(rest);
    Cow::Owned(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_of_an_output_are_bold() {
        for (markdown, expected) in [
            ("## Ebb ##\nText", "**Ebb**\n\nText\n"),
            ("Ebb\n===\n\nText", "**Ebb**\n\nText\n"),
            ("```\n# Ebb\n```\n#Ebb", "```\n# Ebb\n```\n#Ebb\n"),
            ("| a |\n---\n", "| a |\n---\n"),
            ("#\n\n---", "\n---\n"),
        ] {
            assert_eq!(without_headings(markdown), expected);
        }
    }
}
