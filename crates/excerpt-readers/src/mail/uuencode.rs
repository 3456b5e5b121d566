//! Files that stand in a text as `uuencode` writes them.

use std::str::Lines;

/// How the line before such a file begins.
const BEGIN: &str = "begin ";

/// Whether such a file begins at a line, with the line below it.
pub(super) fn begins_file(line: &[u8], below: Option<&[u8]>) -> bool {
    line.starts_with(BEGIN.as_bytes())
        && str::from_utf8(line).is_ok_and(|line| file_name(line.trim_end()).is_some())
        && below.is_some_and(is_encoded_line)
}

/// The name of the file that begins after this line: `begin 644 a.png`.
pub(super) fn file_name(line: &str) -> Option<&str> {
    let (mode, name) = line.strip_prefix(BEGIN)?.split_once(' ')?;
    let is_mode = matches!(mode.len(), 3 | 4) && mode.bytes().all(|b| matches!(b, b'0'..=b'7'));
    let name = name.trim();
    (is_mode && !name.is_empty()).then_some(name)
}

/// What follows a file that ends as `uuencode` ends it.
pub(super) fn after_file(mut lines: Lines<'_>) -> Option<Lines<'_>> {
    loop {
        match lines.next()?.trim_end() {
            "end" => return Some(lines),
            line if is_encoded_line(line.as_bytes()) => {}
            _ => return None,
        }
    }
}

/// Whether a line may be one of such a file: a character for the number of bytes in it, at most 45,
/// and four for each three of them. Spaces at the end are often lost.
fn is_encoded_line(line: &[u8]) -> bool {
    let line = line.trim_ascii_end();
    let bytes = line
        .first()
        .map_or(0, |count| usize::from((count.wrapping_sub(b' ')) & 63));
    bytes <= 45
        && line.len() <= 2 + bytes.div_ceil(3) * 4
        && line.iter().all(|byte| (b' '..=b'`').contains(byte))
}
