//! The titles of sections as they are shown.

use crate::parse::accent::accented;
use crate::parse::latex::syntax::{LONGEST_ARGUMENT, balanced, command, space};

/// A title without commands.
pub(super) fn plain(title: &str) -> String {
    let mut shown = String::with_capacity(title.len());
    let bytes = title.as_bytes();
    let argument = |at: usize| {
        let at = space(title, at);
        match bytes.get(at) {
            Some(b'{' | b'[') => balanced(title, at, LONGEST_ARGUMENT / 2),
            _ => None,
        }
    };
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'{' | b'}' => at += 1,
            b'~' => {
                shown.push(' ');
                at += 1;
            }
            b'\n' | b'\r' | b'\t' => {
                shown.push(' ');
                at += 1;
            }
            b'%' => {
                at += memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len() - at, |end| end + 1);
            }
            b'$' => {
                let close =
                    memchr::memchr(b'$', &bytes[at + 1..]).map_or(bytes.len(), |end| at + end + 2);
                shown.push_str(&title[at..close]);
                at = close;
            }
            b'`' if title[at..].starts_with("``") => {
                shown.push('“');
                at += 2;
            }
            b'\'' if title[at..].starts_with("''") => {
                shown.push('”');
                at += 2;
            }
            b'\\' => {
                let name = command(&title[at..]);
                let mut after = at + 1 + name.len();
                match name {
                    "" => {
                        let char = title[after..].chars().next().unwrap_or(' ');
                        after += char.len_utf8().min(title.len() - after);
                        if matches!(char, '\'' | '`' | '^' | '"' | '~') {
                            after = accent(title, after, char, &mut shown);
                        } else if matches!(char, '\\' | ' ' | ',' | ';' | ':') {
                            shown.push(' ');
                            // A new line may have a distance.
                            if char == '\\'
                                && bytes.get(after) == Some(&b'[')
                                && let Some(end) = argument(after)
                            {
                                after = end;
                            }
                        } else if !matches!(char, '/' | '-' | '!' | '(' | ')') {
                            shown.push(char);
                        }
                    }
                    "c" | "v" | "r" => {
                        let mark = match name {
                            "c" => ',',
                            "r" => 'o',
                            _ => 'v',
                        };
                        after = accent(title, space(title, after), mark, &mut shown);
                    }
                    // What they have as arguments is no part of the title.
                    "label" | "index" | "footnote" | "thanks" | "cite" | "citep" | "citet"
                    | "ref" | "footnotemark" | "color" | "hspace" | "vspace" | "protect"
                    | "href" | "textcolor" | "texorpdfstring" | "raisebox" | "eqref"
                    | "pageref" => {
                        if let Some(end) = argument(after).filter(|_| name != "protect") {
                            after = end;
                            // The first one was only an option.
                            if bytes[end - 1] == b']'
                                && let Some(end) = argument(end)
                            {
                                after = end;
                            }
                        }
                        if name == "protect" {
                            after = space(title, after);
                        }
                    }
                    "verb" => {
                        let mark = title[after..].chars().next();
                        let inside = after + mark.map_or(0, char::len_utf8);
                        let close = mark.and_then(|mark| title[inside..].find(mark));
                        if let (Some(close), Some(mark)) = (close, mark) {
                            shown.push_str(&title[inside..inside + close]);
                            after = inside + close + mark.len_utf8();
                        }
                    }
                    _ => {
                        let letters = letters(name);
                        shown.push_str(letters.unwrap_or_default());
                        // An option is not shown.
                        if bytes.get(after) == Some(&b'[')
                            && let Some(end) = argument(after)
                        {
                            after = end;
                        }
                        let next = space(title, after);
                        if bytes.get(next) != Some(&b'{') || letters.is_none() {
                            after = next;
                        }
                    }
                }
                at = after;
            }
            _ => {
                let end = title[at..].find(|char: char| "{}~\n\r\t%$`'\\".contains(char));
                let end = end.map_or(bytes.len(), |end| at + end).max(at + 1);
                shown.push_str(&title[at..end]);
                at = end;
            }
        }
    }
    let mut words = shown.split_whitespace();
    let mut joined = words.next().unwrap_or_default().to_string();
    for word in words {
        joined.push(' ');
        joined.push_str(word);
    }
    joined
}

/// Adds the letter at `at` with an accent, and returns what follows it.
fn accent(title: &str, at: usize, mark: char, shown: &mut String) -> usize {
    let rest = &title[at..];
    let inside = rest.trim_start_matches(['{', '\\']);
    let mark = if mark == '"' { ':' } else { mark };
    let Some(letter) = inside.chars().next() else {
        return at;
    };
    shown.push(accented(mark, letter).unwrap_or(letter));
    title.len() - inside.len() + letter.len_utf8()
}

/// What a command without arguments shows.
fn letters(name: &str) -> Option<&'static str> {
    Some(match name {
        "LaTeX" => "LaTeX",
        "LaTeXe" => "LaTeX2e",
        "TeX" => "TeX",
        "BibTeX" => "BibTeX",
        "XeTeX" => "XeTeX",
        "XeLaTeX" => "XeLaTeX",
        "LuaTeX" => "LuaTeX",
        "LuaLaTeX" => "LuaLaTeX",
        "ldots" | "dots" | "textellipsis" => "…",
        "textbackslash" => "\\",
        "textasciitilde" => "~",
        "textunderscore" => "_",
        "textless" => "<",
        "textgreater" => ">",
        "textbar" => "|",
        "textquotesingle" => "'",
        "textquotedbl" => "\"",
        "textasciigrave" => "`",
        "textasciicircum" => "^",
        "textendash" => "–",
        "textemdash" => "—",
        "ss" => "ß",
        "ae" => "æ",
        "AE" => "Æ",
        "oe" => "œ",
        "OE" => "Œ",
        "o" => "ø",
        "O" => "Ø",
        "aa" => "å",
        "AA" => "Å",
        "l" => "ł",
        "L" => "Ł",
        "i" => "i",
        "S" => "§",
        "copyright" => "©",
        "quad" | "qquad" | "newline" | "space" | "linebreak" => " ",
        "guillemotleft" | "og" => "«",
        "guillemotright" | "fg" => "»",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_shown_without_commands() {
        assert_eq!(
            plain("The \\emph{long}~way to \\LaTeX{} \\& more"),
            "The long way to LaTeX & more"
        );
        assert_eq!(plain("Caf\\'e \\\"{u}ber $x_1$"), "Café über $x_1$");
        assert_eq!(
            plain("A\\footnote{no} \\texorpdfstring{$a$}{b}\\label{x}"),
            "A b"
        );
        assert_eq!(plain("``So'' \\textbf{it} is\\\\now"), "“So” it is now");
    }
}
