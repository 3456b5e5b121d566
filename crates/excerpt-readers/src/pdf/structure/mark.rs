//! The mark of an item in a list.

/// The mark of an item, a number or a bullet, and the text after it.
pub(super) fn item(text: &str) -> (Option<Option<u64>>, &str) {
    const BULLETS: [char; 22] = [
        '•', '◦', '▪', '▫', '●', '○', '■', '□', '‣', '⁃', '∙', '·', '❖', '➢', '➤', '✓', '✔', '◆',
        '◇', '▶', '►', '◾',
    ];
    const DASHES: [char; 5] = ['-', '–', '—', '*', '∗'];
    let mut chars = text.chars();
    match chars.next() {
        Some(c) if BULLETS.contains(&c) => {
            let rest = chars.as_str().trim_start();
            match rest.chars().any(char::is_alphanumeric) {
                true => (Some(None), rest),
                false => (None, text),
            }
        }
        Some(c) if DASHES.contains(&c) => match chars.as_str().strip_prefix(' ') {
            Some(rest) if rest.starts_with(char::is_alphanumeric) => {
                (Some(None), rest.trim_start())
            }
            _ => (None, text),
        },
        Some('0'..='9') => {
            let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
            let digits = text.get(..text.len() - rest.len()).unwrap_or_default();
            let after = rest
                .strip_prefix(['.', ')'])
                .and_then(|rest| rest.strip_prefix(' '));
            match (digits.len() <= 3, digits.parse(), after) {
                (true, Ok(number), Some(after)) if after.chars().any(char::is_alphabetic) => {
                    (Some(Some(number)), after.trim_start())
                }
                _ => (None, text),
            }
        }
        _ => (None, text),
    }
}
