//! What the text of LaTeX consists of: commands, their arguments, white space and comments.

use memchr::memmem;

/// The maximum length of an argument in bytes.
pub(super) const LONGEST_ARGUMENT: usize = 1000;

/// The maximum length of the definition of a command in bytes.
const LONGEST_DEFINITION: usize = 2000;

/// The name of the command at the start of a text; empty if it is one character.
pub(super) fn command(text: &str) -> &str {
    let Some(rest) = text.strip_prefix('\\') else {
        return "";
    };
    let letters = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'@';
    let length = rest.bytes().take(80).take_while(letters).count();
    &rest[..length]
}

/// What follows the command at `at`, which is at least one character.
pub(super) fn after_command(text: &str, at: usize, name: &str) -> usize {
    match name.is_empty() {
        true => text.ceil_char_boundary((at + 2).min(text.len())),
        false => at + 1 + name.len(),
    }
}

/// The argument at `at`, which is a name, and what follows it.
pub(super) fn name(text: &str, at: usize) -> Option<(&str, usize)> {
    let at = space(text, at);
    let inside = text[at..].strip_prefix('{')?;
    let limit = inside.floor_char_boundary(200);
    let close = inside[..limit].find(['}', '{', '\n'])?;
    inside[close..]
        .starts_with('}')
        .then(|| (&inside[..close], at + close + 2))
}

/// What follows white space, and at most one end of a line, from `at` on.
pub(super) fn space(text: &str, at: usize) -> usize {
    let mut lines = 0;
    let rest = text.as_bytes().get(at..).unwrap_or_default();
    for (index, byte) in rest.iter().enumerate() {
        match byte {
            b' ' | b'\t' | b'\r' => {}
            b'\n' if lines == 0 => lines = 1,
            b'\n' => return at,
            _ => return at + index,
        }
    }
    text.len()
}

/// What follows white space, and a comment at the end of a line.
pub(super) fn gap(text: &str, at: usize) -> usize {
    let next = space(text, at);
    match text[next..].starts_with('%') {
        true => space(text, line_end(text, next)),
        false => next,
    }
}

/// The start of the next line.
pub(super) fn line_end(text: &str, at: usize) -> usize {
    let newline = memchr::memchr(b'\n', &text.as_bytes()[at..]);
    newline.map_or(text.len(), |newline| at + newline + 1)
}

/// What follows the argument that begins with a brace or a bracket at `at`.
pub(super) fn balanced(text: &str, at: usize, longest: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let limit = bytes.len().min(at + longest);
    let is_option = bytes.get(at) == Some(&b'[');
    let mut depth = 0_usize;
    let mut next = at;
    while next < limit {
        match bytes[next] {
            b'\\' => next += 1,
            b'%' => {
                next += memchr::memchr(b'\n', &bytes[next..limit])?;
            }
            b'{' => depth += 1,
            b'}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 && !is_option {
                    return Some(next + 1);
                }
            }
            b']' if is_option && depth == 0 => return Some(next + 1),
            _ => {}
        }
        next += 1;
    }
    None
}

/// Where `mark` stands outside of a comment.
pub(super) fn uncommented(text: &str, mark: &str) -> Option<usize> {
    memmem::find_iter(text.as_bytes(), mark).find(|found| {
        let line = &text
            [memchr::memrchr(b'\n', &text.as_bytes()[..*found]).map_or(0, |at| at + 1)..*found];
        line.len() < LONGEST_ARGUMENT && !line.replace("\\%", "").contains('%')
    })
}

/// What follows text between two equal characters, on one line.
pub(super) fn verb(text: &str, after: usize) -> usize {
    let rest = text[after..].trim_start_matches('*');
    let at = text.len() - rest.len();
    let Some(mark) = rest.chars().next() else {
        return after;
    };
    if mark.is_alphanumeric() || mark.is_whitespace() || matches!(mark, '[' | '{') {
        return after;
    }
    let inside = &rest[mark.len_utf8()..];
    let limit = inside.floor_char_boundary(LONGEST_ARGUMENT);
    let line = inside[..limit].lines().next().unwrap_or_default();
    match line.find(mark) {
        Some(close) => at + close + 2 * mark.len_utf8(),
        None => after,
    }
}

/// What follows the definition of a command: its name, options and text.
pub(super) fn definition(text: &str, after: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = after;
    let mut has_name = false;
    let limit = bytes.len().min(after + LONGEST_DEFINITION);
    while at < limit {
        match bytes[at] {
            b'*' | b' ' | b'\t' => at += 1,
            b'\\' if !has_name => {
                at = after_command(text, at, command(&text[at..]));
                has_name = true;
            }
            b'#' | b'0'..=b'9' => at += 1,
            b'{' | b'[' => match balanced(text, at, LONGEST_DEFINITION) {
                Some(end) => {
                    at = end;
                    has_name = true;
                }
                None => return at,
            },
            b'\n' if matches!(bytes.get(at + 1), Some(b'{' | b'[')) => at += 1,
            _ => return at,
        }
    }
    at
}
