//! Titles without the marks of inline markup.

/// How much of a title is read, in bytes: more than is ever shown.
const LONGEST: usize = 1200;

/// How many marks after one that opens may be tried for one that closes it, so that a title of
/// nothing but marks takes no longer than another.
const MOST_TRIED: usize = 16;

/// The part of a title that may be shown.
pub(super) fn limited(title: &str) -> &str {
    &title[..title.floor_char_boundary(LONGEST)]
}

/// How characters are written in HTML and in formats that are turned into it.
const ENTITIES: [(&str, &str); 8] = [
    ("&nbsp;", " "),
    ("&amp;", "&"),
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&ndash;", "–"),
    ("&mdash;", "—"),
    ("&quot;", "\""),
    ("&#39;", "'"),
];

/// The character that is written at the start of a text as `&name;`, and how long that is.
pub(super) fn entity(text: &str) -> Option<(&'static str, usize)> {
    let found = ENTITIES.iter().find(|(name, _)| text.starts_with(name));
    found.map(|(name, shown)| (*shown, name.len()))
}

/// Where the characters begin that stand for ASCII characters which are no marks.
const HIDDEN: u32 = 0x0010_FF00;

/// Separates what is shown without a space between.
pub(super) const GAP: char = '\u{10FF00}';

/// A character that stands for one that is no mark, because it is escaped.
pub(super) fn hidden(char: char) -> char {
    match char.is_ascii() {
        true => char::from_u32(HIDDEN + u32::from(char)).unwrap_or(char),
        false => char,
    }
}

/// A text with the characters that were hidden, and without gaps.
pub(super) fn revealed(text: &str) -> String {
    let shown = |char: char| {
        let code = u32::from(char).checked_sub(HIDDEN);
        let code = code.and_then(|code| u8::try_from(code).ok());
        code.filter(u8::is_ascii).map_or(char, char::from)
    };
    let chars = text.chars().filter(|char| *char != GAP);
    chars.map(shown).collect()
}

/// A text without pairs of marks around words: `*bold*`. If `doubled`, also those inside of words,
/// where they are written twice: `**b**old`.
pub(super) fn unmarked(text: &str, marks: &[char], doubled: bool) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    let mut before: Option<char> = None;
    // Where marks that close begin, as bytes from the end of the text.
    let mut closing: Vec<(usize, usize)> = Vec::new();
    while let Some(char) = rest.chars().next() {
        if let Some((_, length)) = closing.pop_if(|(at, _)| *at == rest.len()) {
            rest = &rest[length..];
            before = Some(char);
            continue;
        }
        if marks.contains(&char)
            && let Some((length, close)) = pair(rest, char, before, doubled)
        {
            let close = rest.len() - close;
            // Pairs must nest.
            if closing.last().is_none_or(|(at, _)| close > *at) {
                closing.push((close, length));
                rest = &rest[length..];
                before = Some(char);
                continue;
            }
        }
        shown.push(char);
        rest = &rest[char.len_utf8()..];
        before = Some(char);
    }
    shown
}

/// The length of the mark that `text` begins with, and where the one that closes it begins.
fn pair(text: &str, mark: char, before: Option<char>, doubled: bool) -> Option<(usize, usize)> {
    let size = mark.len_utf8();
    let inside = &text[size..];
    if doubled && inside.starts_with(mark) {
        let twice = &text[..2 * size];
        let found = text[2 * size..].find(twice).filter(|found| *found > 0)?;
        return Some((2 * size, 2 * size + found));
    }
    let is_open = before.is_none_or(|before| !before.is_alphanumeric())
        && inside.starts_with(|char: char| !char.is_whitespace() && char != mark);
    if !is_open {
        return None;
    }
    let closes = |found: &usize| {
        let last = inside[..*found].chars().next_back();
        let next = inside[found + size..].chars().next();
        last.is_some_and(|last| !last.is_whitespace())
            && next.is_none_or(|next| !next.is_alphanumeric() && next != mark)
    };
    let marks = inside.match_indices(mark).map(|(found, _)| found);
    Some((size, size + marks.take(MOST_TRIED).find(closes)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_marks_are_left_out() {
        let shown = |text| unmarked(text, &['*', '_', '`'], true);
        assert_eq!(shown("The *big* `run` command"), "The big run command");
        assert_eq!(
            shown("snake_case and 2 * 3 * 4"),
            "snake_case and 2 * 3 * 4"
        );
        assert_eq!(shown("in**side**out *_x_*"), "insideout x");
        assert_eq!(shown("*a _b* c_"), "a _b c_");
        assert_eq!(shown("*open, é_"), "*open, é_");
        assert_eq!(shown("``"), "``");
    }
}
