//! From text to the tokens of BERT's uncased WordPiece, with the vocabulary of the token table.
//!
//! Characters are cleaned ([`characters`](super::characters)), separated if they are Chinese,
//! decomposed, stripped of their marks and lowercased. White space and punctuation end a word. A
//! word becomes the longest token that it starts with, then the longest that continues it, up to
//! its end. This takes one pass over the text, without a copy of it.

use unicode_normalization::char::decompose_canonical;

use super::characters::{is_chinese, is_dropped, is_mark, is_punctuation};

/// The prefix of the tokens that continue a word.
const CONTINUES: &str = "##";

/// Longer words, in characters, are unknown.
const LONGEST_WORD: usize = 100;

/// The tokens of a vocabulary and a hash table over them.
///
/// The table is built each time the program starts, in half a millisecond: a precomputed one would
/// have to be in the file, and be checked.
#[derive(Debug)]
pub(super) struct WordPiece<'v> {
    /// Each token followed by a line break.
    vocabulary: &'v str,
    /// The start of each token, and the end of the last one.
    starts: Vec<u32>,
    /// A token's number, and above it a few bits of its hash, which save a comparison with the
    /// token. A token is between the slot of its hash and the next free slot.
    slots: Vec<u32>,
    /// How many bits a hash is shifted by to get a slot of the table.
    shift: u32,
    /// The length in bytes of the longest token.
    longest: usize,
    unknown: u32,
}

/// A free slot.
const FREE: u32 = u32::MAX;

/// The lower bits of a slot contain the number of a token.
const NUMBER_BITS: u32 = 20;
const NUMBER: u32 = (1 << NUMBER_BITS) - 1;

/// The most tokens that a vocabulary can have.
pub(super) const MOST: usize = NUMBER as usize;

/// Which tokens a part of a word is looked up in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    /// Those that start a word.
    First,
    /// Those that continue one.
    Later,
}

impl<'v> WordPiece<'v> {
    /// Tokens of a vocabulary of `count` lines, at most [`MOST`], each ended by a line break;
    /// `unknown` is the number of the token for unknown words. `None` if there are more lines, or
    /// fewer.
    pub(super) fn new(vocabulary: &'v str, count: usize, unknown: u32) -> Option<WordPiece<'v>> {
        // At most half of the slots are used.
        let bits = (2 * count).max(2).next_power_of_two().trailing_zeros();
        let mut words = WordPiece {
            vocabulary,
            starts: Vec::with_capacity(count + 1),
            slots: vec![FREE; 1 << bits],
            shift: 64 - bits,
            longest: 0,
            unknown,
        };
        words.starts.push(0);
        let bytes = vocabulary.as_bytes();
        let mut start = 0;
        // Byte by byte: tokens are too short for a search to pay off.
        for (end, byte) in bytes.iter().enumerate() {
            if *byte != b'\n' {
                continue;
            }
            let number = words.count();
            if number == count {
                return None;
            }
            let token = &bytes[start..end];
            match token.strip_prefix(CONTINUES.as_bytes()) {
                Some(piece) => words.insert(number as u32, piece, Position::Later),
                None => words.insert(number as u32, token, Position::First),
            }
            start = end + 1;
            words.starts.push(start as u32);
        }
        (words.count() == count && start == bytes.len()).then_some(words)
    }

    fn insert(&mut self, number: u32, piece: &[u8], place: Position) {
        self.longest = self.longest.max(piece.len());
        let hash = hash(piece, place);
        let mut at = self.slot(hash);
        while self.slots[at] != FREE {
            at = (at + 1) & (self.slots.len() - 1);
        }
        self.slots[at] = number | self.tag(hash);
    }

    fn find(&self, piece: &[u8], place: Position) -> Option<u32> {
        let hash = hash(piece, place);
        let (mut at, tag) = (self.slot(hash), self.tag(hash));
        loop {
            let slot = self.slots[at];
            if slot == FREE {
                return None;
            }
            if slot & !NUMBER == tag && self.is(slot & NUMBER, piece, place) {
                return Some(slot & NUMBER);
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    /// The number of a token, which is written as in the vocabulary.
    pub(super) fn number(&self, token: &str) -> Option<u32> {
        match token.strip_prefix(CONTINUES) {
            Some(piece) => self.find(piece.as_bytes(), Position::Later),
            None => self.find(token.as_bytes(), Position::First),
        }
    }

    fn slot(&self, hash: u64) -> usize {
        (hash >> self.shift) as usize
    }

    /// The bits of a hash below those that determine the slot, as they are stored in a slot.
    fn tag(&self, hash: u64) -> u32 {
        ((hash >> (self.shift - (u32::BITS - NUMBER_BITS))) as u32) << NUMBER_BITS
    }

    fn is(&self, number: u32, piece: &[u8], place: Position) -> bool {
        let token = self.token(number).as_bytes();
        match place {
            Position::First => token == piece,
            Position::Later => token.strip_prefix(CONTINUES.as_bytes()) == Some(piece),
        }
    }

    /// A token as written in the vocabulary.
    pub(super) fn token(&self, number: u32) -> &'v str {
        let number = number as usize;
        let (from, next) = (self.starts[number], self.starts[number + 1]);
        &self.vocabulary[from as usize..next as usize - 1]
    }

    /// How many tokens there are.
    pub(super) fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// Appends the tokens of a text to `tokens`.
    pub(super) fn tokenize(&self, text: &str, tokens: &mut Vec<u32>) {
        let mut words = Words {
            pieces: self,
            tokens,
            word: [0; LONGEST_WORD * 4],
            length: 0,
            characters: 0,
        };
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            match ASCII[usize::from(byte)] {
                Class::Letter => {
                    words.extend(&[byte.to_ascii_lowercase()]);
                    at += 1;
                }
                Class::Space => {
                    words.end();
                    at += 1;
                }
                Class::Punctuation => {
                    words.alone(&[byte]);
                    at += 1;
                }
                Class::Dropped => at += 1,
                Class::Beyond => {
                    let Some(character) = text[at..].chars().next() else {
                        break;
                    };
                    words.character(character);
                    at += character.len_utf8();
                }
            }
        }
        words.end();
    }
}

/// The class of a byte.
#[derive(Clone, Copy)]
enum Class {
    /// A letter or a digit.
    Letter,
    Space,
    Punctuation,
    /// A control character.
    Dropped,
    /// Part of a character beyond ASCII.
    Beyond,
}

const ASCII: [Class; 256] = {
    let mut classes = [Class::Beyond; 256];
    let mut byte = 0;
    while byte < 128 {
        classes[byte as usize] = match byte {
            b'\t' | b'\n' | b'\r' | b' ' => Class::Space,
            0..=0x1F | 0x7F => Class::Dropped,
            _ if byte.is_ascii_punctuation() => Class::Punctuation,
            _ => Class::Letter,
        };
        byte += 1;
    }
    classes
};

/// The word that is being read, and the tokens of the words before it.
struct Words<'a> {
    pieces: &'a WordPiece<'a>,
    tokens: &'a mut Vec<u32>,
    word: [u8; LONGEST_WORD * 4],
    length: usize,
    /// How many characters the word has, including those of a long word that are not kept.
    characters: usize,
}

impl Words<'_> {
    /// Adds a character beyond ASCII.
    fn character(&mut self, character: char) {
        if is_dropped(character) {
            return;
        }
        let apart = is_chinese(character);
        if apart {
            self.end();
        }
        decompose_canonical(character, |part| {
            if !is_mark(part) {
                for lower in part.to_lowercase() {
                    self.normal(lower);
                }
            }
        });
        if apart {
            self.end();
        }
    }

    /// Adds a fully normalized character.
    fn normal(&mut self, character: char) {
        let bytes = &mut [0; 4];
        let bytes = character.encode_utf8(bytes).as_bytes();
        if character.is_whitespace() {
            self.end();
        } else if is_punctuation(character) {
            self.alone(bytes);
        } else {
            self.extend(bytes);
        }
    }

    /// A character is a word.
    fn alone(&mut self, character: &[u8]) {
        self.end();
        self.extend(character);
        self.end();
    }

    /// A character belongs to the word.
    fn extend(&mut self, character: &[u8]) {
        self.characters += 1;
        if self.characters <= LONGEST_WORD {
            let end = self.length + character.len();
            self.word[self.length..end].copy_from_slice(character);
            self.length = end;
        }
    }

    /// Ends the word and appends its tokens.
    fn end(&mut self) {
        if self.characters == 0 {
            return;
        }
        let first = self.tokens.len();
        let known = self.characters <= LONGEST_WORD && self.split();
        if !known {
            self.tokens.truncate(first);
            self.tokens.push(self.pieces.unknown);
        }
        self.length = 0;
        self.characters = 0;
    }

    /// Appends the tokens of the word and returns whether they cover it.
    fn split(&mut self) -> bool {
        let word = &self.word[..self.length];
        let (mut from, mut place) = (0, Position::First);
        while from < word.len() {
            let mut to = word.len().min(from + self.pieces.longest);
            let token = loop {
                // A part that ends inside a character is not a token: the vocabulary is text.
                if let Some(token) = self.pieces.find(&word[from..to], place) {
                    break token;
                }
                to -= 1;
                if to == from {
                    return false;
                }
            };
            self.tokens.push(token);
            (from, place) = (to, Position::Later);
        }
        true
    }
}

/// The hash of a part of a word, with good upper bits. Cheap: eight bytes per multiplication, and
/// most parts have no more.
fn hash(piece: &[u8], place: Position) -> u64 {
    // An odd number without a pattern: the fraction of the golden ratio.
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let mix = |hash: u64, eight: u64| (hash.rotate_left(29) ^ eight).wrapping_mul(FACTOR);
    let (eights, rest) = piece.as_chunks::<8>();
    let mut hash = (piece.len() as u64) << 1 | u64::from(place == Position::Later);
    for eight in eights {
        hash = mix(hash, u64::from_le_bytes(*eight));
    }
    let four = |four: &[u8; 4]| u64::from(u32::from_le_bytes(*four));
    let one = |at: usize| u64::from(rest[at]);
    let tail = match (rest.first_chunk(), rest.last_chunk()) {
        (Some(head), Some(tail)) => four(head) | four(tail) << 32,
        _ if rest.is_empty() => 0,
        _ => one(0) | one(rest.len() / 2) << 8 | one(rest.len() - 1) << 16,
    };
    mix(mix(hash, tail), hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    const VOCABULARY: &str = "[UNK]\nhello\nwor\n##l\n##ld\nun\n##aff\n##able\n!\n,\ncafe\n中\n文\na\n##b\nß\n##ß\nσ\n##σ\n##ς\n—\n[\n]\nsep\ni\n";

    fn tokens(text: &str) -> Vec<&'static str> {
        let words = WordPiece::new(VOCABULARY, VOCABULARY.lines().count(), 0).unwrap();
        let mut tokens = Vec::new();
        words.tokenize(text, &mut tokens);
        tokens.iter().map(|token| words.token(*token)).collect()
    }

    #[test]
    fn a_word_is_its_longest_beginning_and_then_the_longest_that_goes_on() {
        assert_eq!(tokens("hello"), ["hello"]);
        assert_eq!(tokens("world"), ["wor", "##ld"]);
        assert_eq!(tokens("unaffl"), ["un", "##aff", "##l"]);
        assert_eq!(tokens("unaffable"), ["un", "##aff", "##able"]);
        assert_eq!(tokens("unld"), ["un", "##ld"]);
    }

    #[test]
    fn a_word_that_the_pieces_do_not_cover_is_unknown_as_a_whole() {
        assert_eq!(tokens("hellos"), ["[UNK]"]);
        assert_eq!(tokens("world d"), ["wor", "##ld", "[UNK]"]);
        // A token that starts a word does not continue one, and vice versa.
        assert_eq!(tokens("able"), ["[UNK]"]);
        assert_eq!(tokens("unhello"), ["[UNK]"]);
    }

    #[test]
    fn white_space_and_punctuation_end_a_word() {
        assert_eq!(
            tokens("Hello,\tWORLD!\r\n"),
            ["hello", ",", "wor", "##ld", "!"]
        );
        assert_eq!(
            tokens("hello\u{A0}hello\u{3000}hello\u{2028}hello"),
            ["hello"; 4]
        );
        assert_eq!(tokens("hello—hello"), ["hello", "—", "hello"]);
        assert!(tokens("").is_empty());
        assert!(tokens(" \n\u{A0}").is_empty());
    }

    #[test]
    fn control_and_format_characters_are_not_there() {
        assert_eq!(
            tokens("he\u{0}l\u{200B}l\u{7F}o\u{FFFD}\u{FEFF}"),
            ["hello"]
        );
        // Two characters that could be mistaken for white space.
        assert_eq!(tokens("hell\u{B}\u{85}o"), ["hello"]);
        assert!(tokens("\u{AD}\u{200D}").is_empty());
    }

    #[test]
    fn marks_fall_off_and_letters_become_lower_case() {
        assert_eq!(tokens("Café"), ["cafe"]);
        assert_eq!(tokens("CAFE\u{301}"), ["cafe"]);
        assert_eq!(tokens("İ"), ["i"]);
        assert_eq!(tokens("ẞß"), ["ß", "##ß"]);
        // A letter is lowercased regardless of its position in the word.
        assert_eq!(tokens("ΣΣ"), ["σ", "##σ"]);
        assert_eq!(tokens("σς"), ["σ", "##ς"]);
    }

    #[test]
    fn a_chinese_character_is_a_word() {
        assert_eq!(tokens("hello中文hello"), ["hello", "中", "文", "hello"]);
        assert_eq!(tokens("a中\u{301}b"), ["a", "中", "[UNK]"]);
    }

    #[test]
    fn a_word_of_more_than_a_hundred_characters_is_unknown() {
        let long = |more: usize| format!("a{}", "b".repeat(more));
        assert_eq!(tokens(&long(99)).len(), 100);
        assert_eq!(tokens(&long(100)), ["[UNK]"]);
        assert_eq!(tokens(&long(100_000)), ["[UNK]"]);
        // Characters, not bytes.
        assert_eq!(tokens(&"ß".repeat(100)).len(), 100);
        assert_eq!(tokens(&"ß".repeat(101)), ["[UNK]"]);
        // Dropped characters do not count.
        assert_eq!(tokens(&format!("{}\u{200B}\u{301}", long(99))).len(), 100);
    }

    #[test]
    fn a_special_token_in_a_text_is_text() {
        assert_eq!(tokens("[SEP]"), ["[", "sep", "]"]);
    }
}
