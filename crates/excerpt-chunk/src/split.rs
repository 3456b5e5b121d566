//! Where a block that is too large may be split: sentences, lines, words, graphemes. Each function
//! walks its text once and yields consecutive parts that together make up the whole; no part begins
//! inside a grapheme.

use std::ops::Range;

use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation};

use crate::chunk::Strength;
use crate::measure::Measure;

/// Words after which a full stop does not end a sentence, in lower case without their last stop.
const ABBREVIATIONS: [&str; 27] = [
    "e.g", "i.e", "eg", "ie", "cf", "vs", "mr", "mrs", "ms", "dr", "prof", "st", "no", "nos",
    "fig", "eq", "sec", "ch", "vol", "pp", "al", "approx", "ca", "resp", "incl", "jr", "sr",
];

/// Yields the cells of a row, each with the separator after it. A separator in quotes, or after a
/// backslash, is none.
pub(crate) fn cells(
    text: &str,
    row: Range<usize>,
    separator: u8,
    mut piece: impl FnMut(Range<usize>),
) {
    let bytes = text.as_bytes();
    let mut start = row.start;
    let mut is_quoted = false;
    let mut closed = None;
    for at in row.clone() {
        match bytes[at] {
            b'"' if is_quoted => {
                is_quoted = false;
                closed = Some(at + 1);
            }
            // A quote within a value is one of its characters; two stand for one.
            b'"' => is_quoted = at == start || closed == Some(at),
            byte if byte == separator && !is_quoted => {
                let is_escaped = at > start && bytes[at - 1] == b'\\';
                let end = at + 1;
                if !is_escaped && end < row.end && is_grapheme_start(text, start, end) {
                    piece(start..end);
                    start = end;
                }
            }
            _ => {}
        }
    }
    piece(start..row.end);
}

/// Yields the sentences of `range`, each with the strength of the split before it; for the first
/// one that is [`Strength::Start`].
///
/// A sentence ends at `.`, `!` or `?` before white space and a letter that is not in lower case, or
/// at a full-width stop. A line that begins like a list item or table row begins a new part, too.
pub(crate) fn sentences(
    text: &str,
    range: Range<usize>,
    piece: impl FnMut(Range<usize>, Strength),
) {
    ended(text, range, false, piece);
}

/// Like [`sentences`], but a sentence may also end before a letter in lower case.
pub(crate) fn lax_sentences(
    text: &str,
    range: Range<usize>,
    piece: impl FnMut(Range<usize>, Strength),
) {
    ended(text, range, true, piece);
}

fn ended(
    text: &str,
    range: Range<usize>,
    lax: bool,
    mut piece: impl FnMut(Range<usize>, Strength),
) {
    let part = &text[range.clone()];
    let mut start = 0;
    let mut strength = Strength::Start;
    let mut from = 0;
    while let Some((end, next)) = next_end(part, from, lax) {
        from = end;
        if end < part.len() && is_grapheme_start(part, start, end) {
            piece(range.start + start..range.start + end, strength);
            start = end;
            strength = next;
        }
    }
    piece(range.start + start..range.end, strength);
}

/// The end of the sentence or marked line at or after `from`, including the white space that
/// follows it.
fn next_end(text: &str, from: usize, lax: bool) -> Option<(usize, Strength)> {
    let mut at = from;
    while let Some(offset) = text[at..].find(is_stop) {
        let stop = at + offset;
        let mut chars = text[stop..].chars();
        let char = chars.next()?;
        at = text.len() - chars.as_str().len();
        if char == '\n' {
            if begins_marked(&text[at..]) {
                return Some((at, Strength::Line));
            }
            continue;
        }
        at = skip(text, at, |char| is_closer(char) || is_sentence_stop(char));
        if ends_sentence(text, stop, char, at, lax) {
            return Some((skip(text, at, char::is_whitespace), Strength::Sentence));
        }
    }
    None
}

fn is_stop(char: char) -> bool {
    char == '\n' || is_sentence_stop(char)
}

fn is_sentence_stop(char: char) -> bool {
    // The last five are the stops of Arabic, Urdu, Devanagari and Ethiopic.
    matches!(char, '.' | '!' | '?' | '…' | '؟' | '۔' | '।' | '॥' | '።') || is_wide_stop(char)
}

/// Stops that need no white space after them.
fn is_wide_stop(char: char) -> bool {
    matches!(char, '。' | '！' | '？' | '．')
}

/// Whether `char` at `stop` ends a sentence; `end` is after the stop and its closing marks. `lax`
/// accepts a letter in lower case after it.
fn ends_sentence(text: &str, stop: usize, char: char, end: usize, lax: bool) -> bool {
    if is_wide_stop(char) {
        return true;
    }
    let rest = &text[end..];
    let after = rest.trim_start();
    if after.len() == rest.len() || (!lax && after.starts_with(char::is_lowercase)) {
        return false;
    }
    let plain = char == '.' && end == stop + 1;
    !plain || !is_abbreviated(&text[..stop])
}

/// Whether the full stop belongs to the word that `before` ends with: an abbreviation, an initial,
/// or the number of a list item.
fn is_abbreviated(before: &str) -> bool {
    let start = before.char_indices().rev().take(12);
    let start = start
        .take_while(|(_, char)| char.is_alphanumeric() || *char == '.')
        .last();
    let Some((start, _)) = start else {
        return false;
    };
    let word = &before[start..];
    let mut chars = word.chars();
    let initial = chars.next().is_some_and(char::is_uppercase) && chars.next().is_none();
    let number = word.bytes().all(|byte| byte.is_ascii_digit())
        && before[..start]
            .trim_end_matches([' ', '\t'])
            .ends_with(['\n', '\0']);
    let leading_number = start == 0 && word.bytes().all(|byte| byte.is_ascii_digit());
    initial || number || leading_number || ABBREVIATIONS.contains(&&*word.to_lowercase())
}

fn is_closer(char: char) -> bool {
    matches!(
        char,
        '"' | '\''
            | '”'
            | '’'
            | ')'
            | ']'
            | '*'
            | '_'
            | '`'
            | '>'
            | '»'
            | '」'
            | '』'
            | '）'
            | '】'
    )
}

/// Whether a line begins like a list item, a quote or a table row.
fn begins_marked(line: &str) -> bool {
    let line = line.trim_start_matches([' ', '\t']);
    if line.starts_with(['|', '•', '>']) {
        return true;
    }
    let unnumbered = line.trim_start_matches(|char: char| char.is_ascii_digit());
    let marks: &[char] = if unnumbered.len() < line.len() {
        &['.', ')']
    } else {
        &['-', '*', '+']
    };
    let rest = unnumbered.strip_prefix(marks);
    rest.is_some_and(|rest| rest.starts_with([' ', '\t']))
}

/// The first offset from `at` on whose character is not `skipped`.
fn skip(text: &str, at: usize, skipped: impl Fn(char) -> bool) -> usize {
    text[at..]
        .find(|char| !skipped(char))
        .map_or(text.len(), |found| at + found)
}

/// Whether the line ends of a paragraph have a meaning, as in a list of names, a poem, a chat. At
/// most of them, the first word of the next line would not have made the line the longest; or most
/// lines begin alike, or not as a line in the middle of a sentence does.
pub(crate) fn has_own_lines(paragraph: &str) -> bool {
    /// The least number of line ends that tell.
    const FEWEST: usize = 3;
    /// One of as many lines may be different.
    const SHARE: usize = 5;
    let lines = || paragraph.lines().filter(|line| !line.trim().is_empty());
    let width = |line: &str| line.trim_end().chars().count();
    let longest = lines().map(width).max().unwrap_or(0);
    let (mut ends, mut filled) = (0, 0);
    let (mut begun, mut alike, mut in_sentences) = (0, 0, 0);
    for (line, next) in lines().zip(lines().skip(1)) {
        let word = next.split_whitespace().next().unwrap_or_default();
        begun += 1;
        alike += usize::from(line.trim_start().starts_with(word));
        let is_inside = |c: char| c.is_alphabetic() && !c.is_uppercase();
        in_sentences += usize::from(word.starts_with(is_inside));
        // The longest line tells nothing.
        if width(line) < longest {
            ends += 1;
            filled += usize::from(width(line) + 1 + word.chars().count() > longest);
        }
    }
    let few = |count: usize, all: usize| count * SHARE <= all;
    begun > FEWEST
        && (few(begun - alike, begun)
            || few(in_sentences * 2, begun)
            || (ends >= FEWEST && few(filled, ends)))
}

/// Yields the lines of `range`, including line ends; blank lines go with the line they follow.
pub(crate) fn lines(
    text: &str,
    range: Range<usize>,
    mut piece: impl FnMut(Range<usize>, Strength),
) {
    let mut start = range.start;
    let mut end = range.start;
    let mut strength = Strength::Start;
    let mut empty = true;
    for line in text[range].split_inclusive('\n') {
        let blank = line.trim().is_empty();
        if !blank && !empty {
            piece(start..end, strength);
            start = end;
            strength = Strength::Line;
        }
        empty &= blank;
        end += line.len();
    }
    piece(start..end, strength);
}

/// Yields parts of `range` of about `size` grains that end after white space. A word longer than
/// `limit` is split between graphemes, up to its end. A grapheme larger than `limit` stays whole.
pub(crate) fn words(
    measure: &Measure<'_>,
    range: Range<usize>,
    size: usize,
    limit: usize,
    mut piece: impl FnMut(Range<usize>, Strength),
) {
    let text = &measure.text[..range.end];
    let mut strength = Strength::Start;
    let mut start = range.start;
    let mut space = start;
    while start < range.end {
        let reach = measure.skip(start, range.end, size);
        let mut end = range.end;
        let mut next = Strength::Word;
        if reach < range.end {
            if space <= reach {
                space = next_word(text, start, reach);
            }
            end = space;
            let goes_on = strength == Strength::Grapheme && space > reach;
            if goes_on || !measure.fits(start..space, limit) {
                end = grapheme_end(text, start, reach);
                next = Strength::Grapheme;
            }
        }
        piece(start..end, strength);
        strength = next;
        start = end;
    }
}

/// Yields parts of `range` of exactly `first`, then `size` grains each, rounded to whole graphemes.
pub(crate) fn raw(
    measure: &Measure<'_>,
    range: Range<usize>,
    first: usize,
    size: usize,
    mut piece: impl FnMut(Range<usize>, Strength),
) {
    let text = &measure.text[..range.end];
    let mut strength = Strength::Start;
    let mut start = range.start;
    while start < range.end {
        let wanted = if start == range.start { first } else { size };
        let end = grapheme_end(text, start, measure.skip(start, range.end, wanted));
        piece(start..end, strength);
        strength = Strength::Grapheme;
        start = end;
    }
}

/// The start of the last word that begins in `start..=reach`, or of the next one after it; the end
/// of the text if there is none.
fn next_word(text: &str, start: usize, reach: usize) -> usize {
    let begins = |at: usize| at > start && is_grapheme_start(text, start, at);
    let spaces = text[start..reach].char_indices().rev();
    let mut at = reach;
    for (offset, char) in spaces {
        if char.is_whitespace() && begins(at) {
            return at;
        }
        at = start + offset;
    }
    let mut after_space = false;
    for (offset, char) in text[reach..].char_indices() {
        let space = char.is_whitespace();
        if after_space && !space && begins(reach + offset) {
            return reach + offset;
        }
        after_space = space;
    }
    text.len()
}

/// Where the last `count` grains before `end` begin, on a grapheme boundary. `start` must be before
/// `end` and on a grapheme boundary.
pub(crate) fn last_grains(measure: &Measure<'_>, start: usize, end: usize, count: usize) -> usize {
    let skipped = measure.between(start..end).saturating_sub(count);
    let mut from = measure.skip(start, end, skipped);
    // The skipped part may be smaller than requested by a character of more than one grain.
    while from < end
        && (measure.between(from..end) > count || !is_grapheme_start(measure.text, start, from))
    {
        from = measure.text.ceil_char_boundary(from + 1);
    }
    from
}

/// The last grapheme boundary in `start+1..=reach`, or the first one after it; `start` must be on
/// one.
pub(crate) fn grapheme_end(text: &str, start: usize, reach: usize) -> usize {
    let bytes = text.as_bytes();
    if reach > start && bytes[start..(reach + 1).min(text.len())].is_ascii() {
        let pair = bytes[reach - 1] == b'\r' && bytes.get(reach) == Some(&b'\n');
        return match (pair, reach - 1 > start) {
            (false, _) => reach,
            (true, true) => reach - 1,
            (true, false) => reach + 1,
        };
    }
    let mut end = start;
    for grapheme in text[start..].graphemes(true) {
        if end > start && end + grapheme.len() > reach {
            break;
        }
        end += grapheme.len();
    }
    end
}

/// Whether a grapheme begins at `at`, given that one begins at `start`.
pub(crate) fn is_grapheme_start(text: &str, start: usize, at: usize) -> bool {
    let bytes = text.as_bytes();
    if at == start || at >= text.len() {
        return true;
    }
    if bytes[at].is_ascii() && bytes[at - 1].is_ascii() {
        return !(bytes[at] == b'\n' && bytes[at - 1] == b'\r');
    }
    let slice = &text[start..];
    let mut cursor = GraphemeCursor::new(at - start, slice.len(), true);
    cursor.is_boundary(slice, 0).unwrap_or(false)
}

/// The most letters in one word of a script that is written without spaces. Without a dictionary,
/// each letter of such a script counts as a word of its own; most words of Chinese and Japanese
/// have up to four letters, those of Thai a few more.
const UNSPACED: usize = 8;

/// Whether `text` is a single word, if it is one at all: it has no white space inside, and not
/// more than [`UNSPACED`] letters of a script that is written without.
pub(crate) fn is_one_word(text: &str) -> bool {
    text.split_whitespace().nth(1).is_none() && unspaced(text).nth(UNSPACED - 1).is_none()
}

/// The letters in `text` that directly follow another word.
fn unspaced(text: &str) -> impl Iterator<Item = &str> {
    let mut after_word = false;
    text.split_word_bounds().filter(move |part| {
        let word = part.starts_with(char::is_alphanumeric);
        std::mem::replace(&mut after_word, word) && word
    })
}

/// Whether `text` is a single grapheme.
pub(crate) fn is_one_grapheme(text: &str) -> bool {
    text.graphemes(true).nth(1).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::size::Unit;

    #[test]
    fn a_separator_in_quotes_or_escaped_ends_no_cell() {
        let cells_of = |text: &'static str, separator| {
            let mut found = Vec::new();
            cells(text, 0..text.len(), separator, |range| {
                found.push(&text[range]);
            });
            found
        };
        let row = r#"1,"a, ""b"", c",,"d""#;
        assert_eq!(
            cells_of(row, b','),
            ["1,", r#""a, ""b"", c","#, ",", "\"d\""]
        );
        assert_eq!(
            cells_of(r#"5" pipe,2,"open"#, b','),
            ["5\" pipe,", "2,", "\"open"]
        );
        assert_eq!(cells_of(r#"24"",a,b"#, b','), ["24\"\",", "a,", "b"]);
        assert_eq!(
            cells_of(r"| a \| b | c |", b'|'),
            ["|", r" a \| b |", " c |"]
        );
        // A mark that belongs to the separator stays with it.
        assert_eq!(cells_of("a,\u{301}b,c", b','), ["a,\u{301}b,", "c"]);
    }

    #[test]
    fn line_ends_have_a_meaning_if_the_lines_are_not_filled() {
        let names = "Ada Miller\nBo\nCleo of the weir\nDan\nEve Smith\n";
        let filled = "The quay stands dry at noon, since the sill\nis high and the ebb is low. At dusk the\nboats come back, and the crews dry their\nnets until the lamps are lit. Then all go\nhome.\n";
        let alike = "and the tide is high at the quay\nand the moon is new at the mole\nand the boat is old at the quay\nand the wind is low at the mole\nand all is well\n";
        let records = "Anna: all is well on the quay\nBob M: the boats are at sea.\nAnna: they come back at dusk.\nCleo: two of them are here.\nAnna: then I light the lamps.\nCleo: do\n";
        assert!(has_own_lines(names) && has_own_lines(alike) && has_own_lines(records));
        assert!(!has_own_lines(filled));
        assert!(!has_own_lines("two\nlines\n"));
    }

    fn sentences_of(text: &str) -> Vec<&str> {
        let mut found = Vec::new();
        sentences(text, 0..text.len(), |range, _| found.push(&text[range]));
        found
    }

    fn words_of(text: &str, size: usize, limit: usize) -> Vec<&str> {
        let mut found = Vec::new();
        let measure = Measure::in_unit(text, Unit::Chars);
        words(&measure, 0..text.len(), size, limit, |range, _| {
            found.push(&text[range]);
        });
        found
    }

    #[test]
    fn sentences_end_at_stops_before_a_capital() {
        assert_eq!(
            sentences_of("One. Two! \"Three?\" Four."),
            ["One. ", "Two! ", "\"Three?\" ", "Four."]
        );
        assert_eq!(
            sentences_of("Use v1.2 or e.g. Rust. See J. Doe."),
            ["Use v1.2 or e.g. Rust. ", "See J. Doe."]
        );
        assert_eq!(
            sentences_of("It ended. then went on."),
            ["It ended. then went on."]
        );
        assert_eq!(sentences_of("1. Item. Next"), ["1. Item. ", "Next"]);
    }

    #[test]
    fn lax_sentences_end_before_lower_case_but_not_after_abbreviations() {
        let text = "it ended. then, e.g. at v1.2, it went on! and on.";
        let mut found = Vec::new();
        lax_sentences(text, 0..text.len(), |range, _| found.push(&text[range]));
        let expected = ["it ended. ", "then, e.g. at v1.2, it went on! ", "and on."];
        assert_eq!(found, expected);
    }

    #[test]
    fn stops_of_other_scripts_end_sentences() {
        assert_eq!(sentences_of("यह एक है। यह दो है।"), ["यह एक है। ", "यह दो है।"]);
        assert_eq!(sentences_of("هل هذا؟ نعم."), ["هل هذا؟ ", "نعم."]);
    }

    #[test]
    fn full_width_stops_need_no_space() {
        assert_eq!(sentences_of("漢字。仮名！次"), ["漢字。", "仮名！", "次"]);
    }

    #[test]
    fn a_marked_line_begins_a_piece() {
        assert_eq!(
            sentences_of("intro\n- one\n- two\nmore\n2) three"),
            ["intro\n", "- one\n", "- two\nmore\n", "2) three"]
        );
    }

    #[test]
    fn words_stay_whole_while_they_fit() {
        assert_eq!(words_of("aa bb cc dd", 6, 9), ["aa bb ", "cc dd"]);
        assert_eq!(words_of("aa bbbbbbb c", 3, 8), ["aa ", "bbbbbbb ", "c"]);
    }

    #[test]
    fn a_long_word_is_cut_between_graphemes() {
        assert_eq!(words_of("ab👩‍👩‍👧‍👦cd", 2, 3), ["ab", "👩‍👩‍👧‍👦", "cd"]);
        assert_eq!(words_of("x\r\ny", 2, 2).concat(), "x\r\ny");
    }

    #[test]
    fn a_word_has_no_white_space_and_little_of_a_script_without() {
        for word in [
            "",
            "Done.",
            " it’s ",
            "https://example.org/a-b?c=d",
            "谢谢。",
            "ขอบคุณ",
        ] {
            assert!(is_one_word(word), "{word}");
        }
        for words in ["a b", "这个句子里没有空格。", "ประโยคนี้ไม่มีช่องว่าง"]
        {
            assert!(!is_one_word(words), "{words}");
        }
    }

    #[test]
    fn lines_take_the_blank_ones_after_them() {
        let text = "\na\n\nb\n";
        let mut found = Vec::new();
        lines(text, 0..text.len(), |range, _| found.push(&text[range]));
        assert_eq!(found, ["\na\n\n", "b\n"]);
    }

    #[test]
    fn raw_pieces_have_the_size_asked() {
        let mut found = Vec::new();
        let measure = Measure::in_unit("abcdefgh", Unit::Chars);
        raw(&measure, 0..8, 4, 3, |range, _| found.push(range));
        assert_eq!(found, [0..4, 4..7, 7..8]);
    }
}
