//! What a line alone says of the block that it begins.

use crate::parse::adornment::adornment;

/// What a delimiter opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fence {
    Code,
    Raw,
    Comment,
    Container,
    Verse,
    Table,
}

/// What a line opens that is a delimiter, and the language that it names.
pub(super) fn fence(text: &str) -> Option<(Fence, &str)> {
    let bytes = text.as_bytes();
    let first = *bytes.first()?;
    let opens = match first {
        b'-' if text == "--" => Fence::Container,
        b'`' => {
            let language = text.strip_prefix("```")?;
            let is_name = |char: char| !char.is_whitespace() && char != '`';
            return language
                .chars()
                .all(is_name)
                .then_some((Fence::Code, language));
        }
        b'|' | b',' | b':' | b'!' => {
            let drawn = &text[1..];
            let is_table = drawn.len() >= 3 && adornment(drawn) == Some(b'=');
            return is_table.then_some((Fence::Table, ""));
        }
        b'-' | b'.' => Fence::Code,
        b'=' | b'*' | b'_' => Fence::Container,
        b'+' => Fence::Raw,
        b'/' => Fence::Comment,
        _ => return None,
    };
    (text == "--" || (bytes.len() >= 4 && adornment(text).is_some())).then_some((opens, ""))
}

/// The level and the title, if a line is a title: `== Title`, or `== Title ==`.
pub(in crate::parse) fn title_in_one_line(text: &str) -> Option<(u8, &str)> {
    let mark = text
        .chars()
        .next()
        .filter(|mark| matches!(mark, '=' | '#'))?;
    let title = text.trim_start_matches(mark);
    let level = text.len() - title.len();
    if level > 6 || !title.starts_with([' ', '\t']) {
        return None;
    }
    let title = title.trim();
    let bare = title.strip_suffix(&text[..level]).unwrap_or(title);
    let title = match bare.ends_with([' ', '\t']) {
        true => bare.trim_end(),
        false => title,
    };
    let level = u8::try_from(level).ok()?;
    (!title.is_empty()).then_some((level, title))
}

/// Whether a line is the title of a block: `.Title`.
pub(super) fn is_block_title(text: &str) -> bool {
    let Some(title) = text.strip_prefix('.') else {
        return false;
    };
    let title = title.strip_prefix('.').unwrap_or(title);
    title.starts_with(|char: char| !matches!(char, ' ' | '\t' | '.'))
}

/// Whether a line sets an attribute: `:name: value`.
pub(super) fn is_entry(text: &str) -> bool {
    entry(text).is_some()
}

/// The name and the value of the attribute that a line sets. A name with `!` is one that is not set
/// any longer.
pub(super) fn entry(text: &str) -> Option<(&str, &str)> {
    let (name, value) = text.strip_prefix(':')?.split_once(':')?;
    let bare = name.strip_prefix('!').unwrap_or(name);
    let begins = |char: char| char.is_alphanumeric() || char == '_';
    let is_entry = bare.starts_with(begins) && (value.is_empty() || value.starts_with([' ', '\t']));
    is_entry.then_some((name, value.trim()))
}

/// Whether the value of an attribute goes on in the next line.
pub(super) fn goes_on(text: &str) -> bool {
    continued(text).is_some()
}

/// A line of a value that goes on in the next line, without the mark for that.
pub(super) fn continued(text: &str) -> Option<&str> {
    let value = text.strip_suffix(" \\").or(text.strip_suffix(" +"))?;
    // A break of the line, before the mark.
    Some(value.strip_suffix(" +").unwrap_or(value))
}

pub(super) fn is_comment(text: &str) -> bool {
    text.starts_with("//") && !text.starts_with("///")
}

/// Whether a line includes a file, or is a condition.
pub(super) fn is_directive(text: &str) -> bool {
    let names = ["include::", "ifdef::", "ifndef::", "ifeval::", "endif::"];
    text.ends_with(']') && names.iter().any(|name| text.starts_with(name))
}

/// Whether a line is a thematic break or a page break.
pub(super) fn is_rule(text: &str) -> bool {
    let mut marks = text.bytes().filter(|byte| *byte != b' ');
    match text.as_bytes() {
        [b'\'', b'\'', b'\'', ..] | [b'<', b'<', b'<', ..] => adornment(text).is_some(),
        [first @ (b'-' | b'*' | b'_'), ..] => {
            text.len() <= 9
                && text.bytes().filter(|byte| byte == first).count() == 3
                && marks.all(|byte| byte == *first)
        }
        _ => false,
    }
}

/// Whether a line is an image, a video or a recording.
pub(super) fn is_media(text: &str) -> bool {
    let names = ["image::", "video::", "audio::", "toc::"];
    text.ends_with(']') && names.iter().any(|name| text.starts_with(name))
}
