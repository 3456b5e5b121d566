//! A [`Piece`] of text on a page, and how the text of glyphs is added to it.

use unicode_normalization::UnicodeNormalization as _;

use super::glyphs::with_accent;

/// A piece of a line: glyphs that follow each other closely.
#[derive(Clone, Debug, Default)]
pub(super) struct Piece {
    pub(super) text: String,
    /// Along its direction, and across it, upwards.
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) baseline: f64,
    pub(super) size: f64,
    /// The direction of its text in degrees, anticlockwise.
    pub(super) angle: i16,
    pub(super) is_bold: bool,
    pub(super) is_monospaced: bool,
}

/// Puts an accent on the letter it is printed over, whichever of them came first.
pub(super) fn accent_over(open: &mut Piece, glyph: &Piece, text: &str, last_start: f64) -> bool {
    let mut chars = text.chars();
    let (Some(c), None, Some(last)) = (chars.next(), chars.next(), open.text.chars().next_back())
    else {
        return false;
    };
    let overlap = open.right.min(glyph.right) - last_start.max(glyph.left);
    let narrow = (open.right - last_start).min(glyph.right - glyph.left);
    if overlap < 0.5 * narrow || narrow <= 0.0 {
        return false;
    }
    let Some(both) = with_accent(c, last).or_else(|| with_accent(last, c)) else {
        // The same letter printed twice, to look bold.
        return c == last && (last_start - glyph.left).abs() < 0.1 * glyph.size;
    };
    open.text.pop();
    open.text.push(both);
    open.right = open.right.max(glyph.right);
    true
}

/// Adds text without control characters, and without the forms of letters that only look different.
pub(super) fn push_plain(to: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            // Ligatures, radicals that stand for ideographs, and the forms of Arabic letters.
            '\u{fb00}'..='\u{fb06}'
            | '\u{2e80}'..='\u{2fd5}'
            | '\u{fb50}'..='\u{fdfb}'
            | '\u{fe70}'..='\u{fefc}' => {
                to.extend(std::iter::once(c).nfkc());
            }
            '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\t' | '\n' | '\r' => to.push(' '),
            '\u{ad}' => to.push('-'),
            '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}' | '\u{feff}' => (),
            // Bullets of fonts for symbols.
            '\u{f0b7}' | '\u{f0a7}' | '\u{f0d8}' | '\u{f076}' | '\u{f06e}' | '\u{f0fc}' => {
                to.push('•');
            }
            '\u{f020}'..='\u{f07e}' => to.extend(char::from_u32(u32::from(c) - 0xf000)),
            c if c.is_control() => (),
            c => to.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_plain() {
        let mut text = String::new();
        push_plain(&mut text, "\u{fb03}\u{2f08}\u{a0}\u{f0b7}\u{0}x");
        assert_eq!(text, "ffi人 •x");
    }
}
