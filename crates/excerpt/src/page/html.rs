//! Text from outside as HTML. All of it goes through [`Text`] or [`Attribute`]. A name within our
//! own text is in a `<bdi>`, so that right-to-left letters in it do not reorder the text around it.

use std::fmt::{self, Write as _};

use excerpt_service::text::visible::characters;

/// Text as the content of an element. White space is unchanged. A character that is invisible or
/// not allowed in HTML becomes an `<i>` with a short name for it and its code point as the title.
pub(crate) struct Text<'a>(pub(crate) &'a str);

/// Text as the value of an attribute in double quotes, or as a title; invisible characters become
/// symbols.
pub(crate) struct Attribute<'a>(pub(crate) &'a str);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(self.0, f, |char, f| {
            let class = if char == '\r' { "c r" } else { "c" };
            let number = char as u32;
            write!(f, "<i class=\"{class}\" title=\"U+{number:04X}\">")?;
            match name(char) {
                Some(name) => write!(f, "{name}</i>"),
                None => write!(f, "U+{number:04X}</i>"),
            }
        })
    }
}

impl fmt::Display for Attribute<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(self.0, f, symbol)
    }
}

/// Writes `text` with the special characters of HTML escaped, and invisible ones passed to
/// `hidden`.
fn write(
    text: &str,
    f: &mut fmt::Formatter<'_>,
    hidden: impl Fn(char, &mut fmt::Formatter<'_>) -> fmt::Result,
) -> fmt::Result {
    let mut plain = 0;
    for (at, char, is_hidden) in characters(text) {
        let entity = match char {
            '\t' | '\n' => continue,
            '&' => "&amp;",
            '<' => "&lt;",
            '>' => "&gt;",
            '"' => "&quot;",
            '\'' => "&#39;",
            _ if is_hidden => "",
            _ => continue,
        };
        f.write_str(&text[plain..at])?;
        match entity {
            "" => hidden(char, f)?,
            _ => f.write_str(entity)?,
        }
        plain = at + char.len_utf8();
    }
    f.write_str(&text[plain..])
}

/// The common name of an invisible character. Unlike its symbol, every font has the letters.
fn name(char: char) -> Option<&'static str> {
    const CONTROLS: [&str; 32] = [
        "NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK", "BEL", "BS", "HT", "LF", "VT", "FF", "CR",
        "SO", "SI", "DLE", "DC1", "DC2", "DC3", "DC4", "NAK", "SYN", "ETB", "CAN", "EM", "SUB",
        "ESC", "FS", "GS", "RS", "US",
    ];
    match char {
        '\u{7f}' => Some("DEL"),
        '\u{feff}' => Some("BOM"),
        _ => CONTROLS.get(char as usize).copied(),
    }
}

/// Writes the Unicode symbol for a control character, or the code point of any other.
fn symbol(char: char, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let number = char as u32;
    let picture = match number {
        0..=0x1F => char::from_u32(0x2400 + number),
        0x7F => Some('\u{2421}'),
        _ => None,
    };
    match picture {
        Some(picture) => f.write_char(picture),
        None => write!(f, "U+{number:04X}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_characters_of_html_are_escaped() {
        assert_eq!(
            Text("<b a=\"1\" c='2'>&amp;\n\t").to_string(),
            "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;amp;\n\t"
        );
        assert_eq!(
            Attribute("\"><script>").to_string(),
            "&quot;&gt;&lt;script&gt;"
        );
    }

    #[test]
    fn invisible_characters_are_shown() {
        assert_eq!(
            Text("a\0\r\n\u{feff}").to_string(),
            "a<i class=\"c\" title=\"U+0000\">NUL</i><i class=\"c r\" title=\"U+000D\">CR</i>\n<i class=\"c\" title=\"U+FEFF\">BOM</i>"
        );
        assert_eq!(Attribute("a\u{202e}\x1b\x7f").to_string(), "aU+202E␛␡");
        assert_eq!(Text("né 漢 👩\u{200d}🚀").to_string(), "né 漢 👩\u{200d}🚀");
    }
}
