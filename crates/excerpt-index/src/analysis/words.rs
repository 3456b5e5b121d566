//! From text to searchable terms: words, identifiers as a whole and in parts, scripts without
//! spaces as pairs of characters; in lower case, without accents, stemmed. Characters that differ
//! only in how they are encoded are the same (Unicode's form NFKC).
//!
//! | text | terms |
//! | --- | --- |
//! | `Installing` | `instal` |
//! | `parseHTTPConfig` | `parsehttpconfig`, `pars`, `http`, `config` |
//! | `user_id2`, `userId2` | `userid2`, `user`, `id`, `2` |
//! | `4f2a1b09` | `4f2a1b09`, `4`, `f`, `2` …; in a query `4f2a1b09` |
//! | `検索語` | `検`, `検索`, `索`, `索語`, `語`; in a query `検索`, `索語` |
//!
//! Words in Latin letters have English stems: the stemmer changes little in other languages, and
//! does the same to texts and queries. Words in Cyrillic letters have Russian stems, and those in
//! Greek letters Greek ones.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::{compose, decompose_canonical};

use super::stems::Stems;

/// Incremented whenever the terms of a text change: keyword indexes with another number are
/// rebuilt.
pub(crate) const VERSION: u32 = 6;

/// The length in bytes above which a run of letters and digits is data, not a word.
const LONGEST: usize = 255;

/// What a text is analyzed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Indexing.
    Document,
    /// Searching: characters of scripts without spaces become single terms only when they stand
    /// alone.
    Query,
}

/// The form in which names are compared: in lower case, without punctuation around them. `parse`
/// finds `_parse`, and `worker` finds `Worker`.
pub(crate) fn name(written: &str) -> String {
    let bare = written.trim_matches(|character: char| !character.is_alphanumeric());
    bare.to_lowercase()
}

/// Whether the letters of a text are Latin ones, at least half of them.
pub(crate) fn is_latin(text: &str) -> bool {
    const LAST: char = '\u{24F}';
    let letters = || text.chars().filter(|c| c.is_alphabetic());
    let others = letters().filter(|c| *c > LAST).count();
    2 * others <= letters().count()
}

/// Splits texts into terms.
#[derive(Clone)]
pub(crate) struct Analyzer {
    purpose: Purpose,
    /// The [letters](letter) that a term may start with; `None` for all.
    letters: Option<u128>,
}

impl Analyzer {
    /// The analyzer for documents and queries.
    pub(crate) fn new(purpose: Purpose) -> Analyzer {
        Analyzer {
            purpose,
            letters: None,
        }
    }

    /// The analyzer that finds `terms` in a document: it skips words with another first letter,
    /// which a stem keeps, before it looks closer.
    pub(crate) fn finding<'t>(terms: impl Iterator<Item = &'t String>) -> Analyzer {
        let firsts = terms.filter_map(|term| term.bytes().next());
        let letters = firsts.fold(0, |letters, first| letters | letter(first));
        Analyzer {
            purpose: Purpose::Document,
            letters: Some(letters),
        }
    }

    /// The terms of `text`, in order.
    pub(crate) fn terms<'a>(&self, text: &'a str) -> Terms<'a> {
        Terms {
            words: Words {
                purpose: self.purpose,
                letters: self.letters,
                text,
                offset: 0,
                position: 0,
                pieces: Vec::new(),
                next: 0,
            },
            lowered: String::new(),
            term: String::new(),
        }
    }
}

/// The terms of a text, one at a time.
pub(crate) struct Terms<'a> {
    words: Words<'a>,
    /// The current piece in lower case, and its term.
    lowered: String,
    term: String,
}

impl Terms<'_> {
    /// The next term; `None` at the end of the text.
    pub(crate) fn advance(&mut self) -> Option<Term<'_>> {
        let Piece {
            from,
            to,
            position,
            length,
        } = self.words.next()?;
        lower(&self.words.text[from..to], &mut self.lowered);
        if length > 1 {
            self.lowered.retain(|c| c != '_');
        }
        Stems::write(&self.lowered, &mut self.term);
        Some(Term {
            text: &self.term,
            bytes: from..to,
            position,
            positions: length,
        })
    }
}

/// A term and its place in the text.
#[derive(Clone, Debug)]
pub(crate) struct Term<'a> {
    /// The term, as it is indexed.
    pub(crate) text: &'a str,
    /// The bytes of the text that it was made from.
    pub(crate) bytes: Range<usize>,
    /// The position of the word, or of the part of a word, in the text.
    pub(crate) position: usize,
    /// How many positions it covers: more than 1 for an identifier as a whole.
    pub(crate) positions: usize,
}

/// Words in sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Phrase {
    /// The phrase as written.
    pub(crate) written: String,
    /// Each term with its position among the words.
    pub(crate) terms: Vec<(usize, String)>,
}

/// The bit of a letter; those beyond ASCII have none, since they may be folded to any letter.
fn letter(byte: u8) -> u128 {
    match byte.is_ascii() {
        true => 1 << byte.to_ascii_lowercase(),
        false => 0,
    }
}

/// A future term: its place in the text, its position among the words, and how many positions it
/// covers.
#[derive(Clone, Copy, Debug)]
struct Piece {
    from: usize,
    to: usize,
    position: usize,
    length: usize,
}

/// The words of a text, and the parts of those that have several.
struct Words<'a> {
    purpose: Purpose,
    letters: Option<u128>,
    text: &'a str,
    /// Where the search for the next word starts.
    offset: usize,
    /// The position of the next word.
    position: usize,
    /// The pieces of the current word, and the index of the next one.
    pieces: Vec<Piece>,
    next: usize,
}

impl Iterator for Words<'_> {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        loop {
            while self.next == self.pieces.len() {
                self.pieces.clear();
                self.next = 0;
                if !self.scan() {
                    return None;
                }
            }
            let piece = self.pieces[self.next];
            self.next += 1;
            let first = self.text.as_bytes()[piece.from];
            let is_one_of = |letters| !first.is_ascii() || letter(first) & letters != 0;
            if self.letters.is_none_or(is_one_of) {
                return Some(piece);
            }
        }
    }
}

impl Words<'_> {
    /// Finds the pieces of the next word; false at the end of the text. A word may turn out to have
    /// none.
    fn scan(&mut self) -> bool {
        let rest = &self.text[self.offset..];
        let Some((start, first)) = rest.char_indices().find(|(_, c)| is_word(*c)) else {
            self.offset = self.text.len();
            return false;
        };
        let from = self.offset + start;
        if is_unspaced(first) {
            self.scan_unspaced(from, first);
            return true;
        }
        let word = &self.text[from..];
        let end = word
            .find(|c| !is_word(c) || is_unspaced(c))
            .unwrap_or(word.len());
        self.offset = from + end;
        let word = &word[..end];
        let from = from + (word.len() - word.trim_start_matches('_').len());
        let word = word.trim_matches('_');
        if !word.is_empty() && word.len() <= LONGEST && !is_suffix(&self.text[..from], word) {
            self.split(from, word);
        }
        true
    }

    /// The character at `from` and the pair that it starts.
    fn scan_unspaced(&mut self, from: usize, first: char) {
        let to = whole_end(self.text, from, first);
        let before = self.text[..from]
            .chars()
            .next_back()
            .is_some_and(is_unspaced);
        let after = self.text[to..].chars().next().filter(|c| is_unspaced(*c));
        let piece = |to| Piece {
            from,
            to,
            position: self.position,
            length: 1,
        };
        let alone = !before && after.is_none();
        if alone || self.purpose == Purpose::Document {
            self.pieces.push(piece(to));
        }
        if let Some(after) = after {
            self.pieces.push(piece(whole_end(self.text, to, after)));
        }
        self.position += 1;
        self.offset = to;
    }

    /// A word as a whole, and its parts if it has several.
    fn split(&mut self, from: usize, word: &str) {
        let whole = self.pieces.len();
        self.pieces.push(Piece {
            from,
            to: from + word.len(),
            position: self.position,
            length: 1,
        });
        let is_plain = word.bytes().all(|byte| byte.is_ascii_lowercase());
        if is_plain || self.purpose == Purpose::Query && is_number(word) {
            self.position += 1;
            return;
        }
        let mut start = 0;
        let mut position = self.position;
        for end in ends(word).chain([word.len()]) {
            let part = word[start..end].trim_matches('_');
            let skipped = word[start..end].len() - word[start..end].trim_start_matches('_').len();
            if !part.is_empty() {
                self.pieces.push(Piece {
                    from: from + start + skipped,
                    to: from + start + skipped + part.len(),
                    position,
                    length: 1,
                });
                position += 1;
            }
            start = end;
        }
        match position - self.position {
            1 => self.pieces.truncate(whole + 1),
            parts => self.pieces[whole].length = parts,
        }
        self.position = position;
    }
}

/// The places inside `word` where one part ends and another starts: at `_`, before a capital,
/// between letters and digits.
fn ends(word: &str) -> impl Iterator<Item = usize> {
    let mut chars = word.char_indices().peekable();
    let mut before: Option<char> = None;
    std::iter::from_fn(move || {
        while let Some((offset, c)) = chars.next() {
            let after = chars.peek().map(|(_, c)| *c);
            let was = before.replace(c);
            if was.is_some_and(|was| is_end(was, c, after, word, offset)) {
                return Some(offset);
            }
        }
        None
    })
}

fn is_end(before: char, c: char, after: Option<char>, word: &str, offset: usize) -> bool {
    if before == '_' || c == '_' {
        return true;
    }
    if before.is_numeric() != c.is_numeric() {
        return !is_combining(c);
    }
    if before.is_lowercase() && c.is_uppercase() {
        return true;
    }
    // `HTTPServer` is split before its last capital; the plural `URLs` is not.
    let plural = || {
        let mut rest = word[offset + c.len_utf8()..].chars();
        rest.next() == Some('s') && !rest.next().is_some_and(char::is_lowercase)
    };
    before.is_uppercase() && c.is_uppercase() && after.is_some_and(char::is_lowercase) && !plural()
}

/// Whether `word` is what an apostrophe adds to the word before it: `'s`, `'t`, `'ll`.
fn is_suffix(before: &str, word: &str) -> bool {
    let mut chars = before.chars().rev();
    matches!(chars.next(), Some('\'' | '’'))
        && chars.next().is_some_and(char::is_alphabetic)
        && ["s", "t", "d", "m", "ll", "re", "ve"].contains(&word)
}

fn is_word(c: char) -> bool {
    match c.is_ascii() {
        true => c == '_' || c.is_ascii_alphanumeric(),
        false => c.is_alphanumeric() || is_combining(c) || is_unspaced(c),
    }
}

/// Whether a word is no name but a number in letters and digits, such as a hash: its parts say
/// nothing.
fn is_number(word: &str) -> bool {
    const HEXADECIMAL: usize = 7;
    let has_digit = word.bytes().any(|byte| byte.is_ascii_digit());
    if !has_digit || !word.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return false;
    }
    let is_hexadecimal = word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let letters = || word.split(|c: char| c.is_ascii_digit());
    let digits = || word.split(|c: char| c.is_ascii_alphabetic());
    let has_letters = letters().any(|run| !run.is_empty());
    if is_hexadecimal && has_letters && word.len() >= HEXADECIMAL {
        return true;
    }
    let runs = |parts: &mut dyn Iterator<Item = &str>| parts.filter(|run| !run.is_empty()).count();
    let changes = runs(&mut letters()) + runs(&mut digits()) - 1;
    changes > 2 && letters().all(|run| run.len() < 3)
}

/// Where the character `first` at `from` ends, with the marks that follow it in decomposed text
/// and the letters that a Korean syllable is composed of.
fn whole_end(text: &str, from: usize, first: char) -> usize {
    let mut end = from + first.len_utf8();
    let mut whole = first;
    for c in text[end..].chars() {
        match compose(whole, c) {
            Some(composed) => whole = composed,
            // Of half width, these are characters of their own.
            None if matches!(c, '\u{FF9E}' | '\u{FF9F}') => {}
            None => break,
        }
        end += c.len_utf8();
    }
    end
}

/// The accents of decomposed letters. They are dropped, just as composed letters are folded.
fn is_combining(c: char) -> bool {
    ('\u{300}'..='\u{36F}').contains(&c)
}

/// Whether the character belongs to a script without spaces between words (or, in Korean, with
/// few): Thai, Lao, Burmese, Khmer, Japanese, Chinese, Korean.
fn is_unspaced(c: char) -> bool {
    !c.is_ascii()
        && matches!(c,
        '\u{0E01}'..='\u{0E3A}' | '\u{0E40}'..='\u{0E4E}' | '\u{0E81}'..='\u{0ECD}' | '\u{1000}'..='\u{1049}'
        | '\u{1100}'..='\u{11FF}' | '\u{1780}'..='\u{17D3}' | '\u{3005}'..='\u{3007}' | '\u{3041}'..='\u{309F}' | '\u{30A1}'..='\u{30FA}'
        | '\u{30FC}'..='\u{30FF}' | '\u{31F0}'..='\u{31FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}'
        | '\u{AC00}'..='\u{D7AF}' | '\u{F900}'..='\u{FAFF}' | '\u{FF66}'..='\u{FF9F}' | '\u{20000}'..='\u{3FFFF}')
}

/// Writes `piece` in lower case to `term`.
fn lower(piece: &str, term: &mut String) {
    term.clear();
    if piece.is_ascii() {
        term.push_str(piece);
        term.make_ascii_lowercase();
    } else {
        let lowered = piece.nfkc().flat_map(char::to_lowercase);
        term.extend(lowered.filter(|c| !is_combining(*c)).map(folded));
    }
}

/// A small letter without what is often left out: the accents of Greek, the dots of the Russian
/// `ё`, the form of the Greek sigma at the end of a word. Latin letters are folded later.
fn folded(c: char) -> char {
    match c {
        'ё' => 'е',
        'ς' => 'σ',
        '\u{370}'..='\u{3FF}' | '\u{1F00}'..='\u{1FFF}' => {
            let mut base = None;
            decompose_canonical(c, |part| {
                base.get_or_insert(part);
            });
            base.unwrap_or(c)
        }
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A term, its place in the text, its position and how many positions it covers.
    type Found = (String, Range<usize>, usize, usize);

    fn found(purpose: Purpose, text: &str) -> Vec<Found> {
        let mut terms = Analyzer::new(purpose).terms(text);
        let mut found = Vec::new();
        while let Some(term) = terms.advance() {
            let Term {
                text,
                bytes,
                position,
                positions,
            } = term;
            found.push((text.to_string(), bytes, position, positions));
        }
        found
    }

    fn terms(text: &str) -> Vec<String> {
        let found = found(Purpose::Document, text).into_iter();
        found.map(|(term, ..)| term).collect()
    }

    #[test]
    fn words_are_lowered_and_stemmed() {
        assert_eq!(
            terms("Installing the installers, (twice)!"),
            ["instal", "the", "instal", "twice"]
        );
    }

    #[test]
    fn the_same_characters_in_other_forms_are_the_same_terms() {
        for (one, other) in [
            // Decomposed, as some file systems write names: Russian, Korean, Japanese, German.
            (
                "китайский чайник",
                "кита\u{438}\u{306}ски\u{438}\u{306} ча\u{438}\u{306}ник",
            ),
            (
                "냉장고",
                "\u{1102}\u{1162}\u{11bc}\u{110c}\u{1161}\u{11bc}\u{1100}\u{1169}",
            ),
            ("ガラス", "カ\u{3099}ラス"),
            ("Äpfel", "A\u{308}pfel"),
            // Half and full width, ligatures.
            ("テレビ", "ﾃﾚﾋﾞ"),
            ("config", "ｃｏｎｆｉｇ"),
            ("office", "oﬃce"),
            // What is often left out.
            ("ёлка", "елка"),
            ("ταξίδι", "ταξιδι"),
            ("κόσμος", "ΚΟΣΜΟΣ"),
        ] {
            assert_eq!(terms(one), terms(other), "{one}");
        }
        assert_ne!(terms("йод"), terms("иод"));
        assert_eq!(terms("ガラ"), ["ガ", "ガラ", "ラ"]);
        let found = found(Purpose::Document, "カ\u{3099}ラ");
        let bytes: Vec<_> = found.into_iter().map(|(_, bytes, ..)| bytes).collect();
        assert_eq!(bytes, [0..6, 0..9, 6..9]);
    }

    #[test]
    fn letters_say_which_stem_a_word_has() {
        let same = |words: &[&str]| {
            let first = terms(words[0]);
            words.iter().all(|word| terms(word) == first)
        };
        assert!(same(&["варить", "варит", "варила"]));
        assert!(same(&["свёкла", "свеклу", "Свёклы"]));
        assert!(same(&["δρόμος", "δρόμοι"]));
        assert!(same(&["organise", "organized", "organisation"]));
        assert!(same(&["behaviour", "behaviors"]));
        assert!(same(&["analyse", "analyzing"]));
        assert!(same(&["licence", "licenses"]));
        assert!(same(&["catalogue", "catalogs"]));
        for word in ["this", "hour", "four", "basis"] {
            assert!(word.starts_with(&*terms(word)[0]), "{word}");
        }
    }

    #[test]
    fn a_hash_in_a_query_is_one_word() {
        let asked = |text: &str| -> Vec<String> {
            let found = found(Purpose::Query, text).into_iter();
            found.map(|(term, ..)| term).collect()
        };
        assert_eq!(asked("4f2a1b09c3d7 a1b2x3"), ["4f2a1b09c3d7", "a1b2x3"]);
        for name in ["sha256sum", "utf8", "v1beta1", "x86_64", "h264", "1234567"] {
            assert_eq!(asked(name), terms(name), "{name}");
        }
        assert!(terms("4f2a1b09c3d7").contains(&"4f2a1b09c3d7".to_string()));
    }

    #[test]
    fn identifiers_are_split_beside_the_whole() {
        assert_eq!(
            terms("parseConfigFile"),
            ["parseconfigfil", "pars", "config", "file"]
        );
        assert_eq!(terms("PascalCase"), ["pascalcas", "pascal", "case"]);
        assert_eq!(terms("HTTPServer"), ["httpserver", "http", "server"]);
        assert_eq!(
            terms("snake_case_name"),
            ["snakecasenam", "snake", "case", "name"]
        );
        assert_eq!(
            terms("sha256 utf8Name"),
            ["sha256", "sha", "256", "utf8nam", "utf", "8", "name"]
        );
    }

    #[test]
    fn plural_acronyms_stay_whole() {
        assert_eq!(terms("URLs"), ["url"]);
        assert_eq!(terms("parseURLs"), ["parseurl", "pars", "url"]);
    }

    #[test]
    fn underscores_around_a_word_do_not_count() {
        assert_eq!(terms("__init__ _private ___"), ["init", "privat"]);
    }

    #[test]
    fn accents_fold_whether_composed_or_not() {
        assert_eq!(terms("café"), terms("cafe\u{301}"));
        assert_eq!(terms("Über"), ["uber"]);
    }

    #[test]
    fn apostrophes_part_words_and_their_endings_are_dropped() {
        assert_eq!(
            terms("the user's don’t l'eau"),
            ["the", "user", "don", "l", "eau"]
        );
    }

    #[test]
    fn scripts_without_spaces_give_pairs() {
        assert_eq!(terms("検索語"), ["検", "検索", "索", "索語", "語"]);
        let query = |text| {
            let found = found(Purpose::Query, text).into_iter();
            found.map(|(term, ..)| term).collect::<Vec<_>>()
        };
        assert_eq!(query("検索語"), ["検索", "索語"]);
        assert_eq!(query("猫"), ["猫"]);
        assert_eq!(query("Rustで書く"), ["rust", "で書", "書く"]);
        assert_eq!(terms("ＡＢＣ"), ["abc"]);
    }

    #[test]
    fn offsets_and_positions_point_into_the_text() {
        let text = "so parseHTTP_Config 漢字 end";
        let found = found(Purpose::Document, text).into_iter();
        let places: Vec<_> = found
            .map(|(_, bytes, position, positions)| (&text[bytes], position, positions))
            .collect();
        assert_eq!(
            places,
            [
                ("so", 0, 1),
                ("parseHTTP_Config", 1, 3),
                ("parse", 1, 1),
                ("HTTP", 2, 1),
                ("Config", 3, 1),
                ("漢", 4, 1),
                ("漢字", 4, 1),
                ("字", 5, 1),
                ("end", 6, 1),
            ]
        );
    }

    #[test]
    fn data_is_no_word() {
        let data = "aB3".repeat(1000);
        assert_eq!(terms(&format!("before {data} after")), ["befor", "after"]);
    }

    #[test]
    fn a_finder_finds_its_terms_and_passes_over_the_rest() {
        let wanted = ["parseconfig", "pars", "cafe", "検索"].map(str::to_string);
        let text = "Parsing a café's parseConfig needs 検索語; nothing else";
        let finder = Analyzer::finding(wanted.iter());
        let mut terms = finder.terms(text);
        let mut found = Vec::new();
        while let Some(term) = terms.advance() {
            found.push(term.text.to_string());
        }
        for term in &wanted {
            assert!(found.contains(term), "{term} in {found:?}");
        }
        assert!(
            !found.iter().any(|term| term.starts_with(['n', 'e'])),
            "{found:?}"
        );
    }
}
