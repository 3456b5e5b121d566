//! The stems of words, which are kept: most words of a text have occurred shortly before. Stemming
//! each of them took 8 % of the time of a first index of Linux; with those that are kept, it is
//! 2 %.

use std::borrow::Cow;
use std::cell::RefCell;

use frostem::{Algorithm, Stemmer};
use tantivy::tokenizer::{AsciiFoldingFilter, RawTokenizer, TextAnalyzer, TokenStream as _};
use twox_hash::XxHash3_64;

/// How many words are kept, as a power of two: each in the one place that its hash gives it, where
/// it replaces another one.
const PLACES_LOG2: u32 = 13;

/// The longest word that is kept, in bytes: longer ones are mostly identifiers that occur once.
const LONGEST: usize = 23;

thread_local! {
    static STEMS: RefCell<Stems> = RefCell::new(Stems::new());
}

/// The stems of words in lower case, of one thread. The folding of accents is tantivy's.
pub(super) struct Stems {
    folding: TextAnalyzer,
    english: Stemmer,
    russian: Stemmer,
    greek: Stemmer,
    /// Empty until the first word.
    kept: Vec<Kept>,
}

/// A word of ASCII letters, digits and underscores, and its stem.
#[derive(Clone, Default)]
struct Kept {
    word: Short,
    stem: Short,
}

/// At most [`LONGEST`] bytes.
#[derive(Clone, Default, PartialEq)]
struct Short {
    length: u8,
    bytes: [u8; LONGEST],
}

impl Stems {
    fn new() -> Self {
        let folding = TextAnalyzer::builder(RawTokenizer::default()).filter(AsciiFoldingFilter);
        Stems {
            folding: folding.build(),
            english: Stemmer::new(Algorithm::English),
            russian: Stemmer::new(Algorithm::Russian),
            greek: Stemmer::new(Algorithm::Greek),
            kept: Vec::new(),
        }
    }

    /// Writes the stem of a `word` in lower case, without accents, to `stem`.
    pub(super) fn write(word: &str, stem: &mut String) {
        stem.clear();
        STEMS.with_borrow_mut(|stems| stems.append(word, stem));
    }

    fn append(&mut self, word: &str, stem: &mut String) {
        if !word.is_ascii() {
            let mut folded = self.folding.token_stream(word);
            if let Some(folded) = folded.next() {
                let stemmer = match folded.text.chars().find(|c| !c.is_ascii()) {
                    Some('\u{400}'..='\u{52F}') => &self.russian,
                    Some('\u{370}'..='\u{3FF}') => &self.greek,
                    _ => {
                        stem.push_str(&english(&self.english, &folded.text));
                        return;
                    }
                };
                stem.push_str(&stemmer.stem(&folded.text));
            }
            return;
        }
        let Some(short) = Short::new(word) else {
            stem.push_str(&english(&self.english, word));
            return;
        };
        if self.kept.is_empty() {
            self.kept.resize(1 << PLACES_LOG2, Kept::default());
        }
        let kept = &mut self.kept[place(word)];
        if kept.word == short {
            stem.push_str(kept.stem.text());
            return;
        }
        let stemmed = english(&self.english, word);
        stem.push_str(&stemmed);
        if let Some(stem) = Short::new(&stemmed) {
            *kept = Kept { word: short, stem };
        }
    }
}

/// The English stem of a word, the same for the British and the American spelling.
fn english<'w>(stemmer: &Stemmer, word: &'w str) -> Cow<'w, str> {
    /// The ends of stems with their American form: `organise`, `analyse`, `behaviour`, `licence`,
    /// `catalogue`. Shorter words have the same spelling everywhere.
    const ENDS: [(&str, &str); 5] = [
        ("is", "iz"),
        ("ys", "yz"),
        ("our", "or"),
        ("enc", "ens"),
        ("ogu", "og"),
    ];
    const SHORTEST: usize = 6;
    let stem = stemmer.stem(word);
    if stem.len() < SHORTEST {
        return stem;
    }
    let ends = ENDS.iter();
    let mut american = ends.filter_map(|(end, american)| Some((stem.strip_suffix(end)?, american)));
    match american.next() {
        Some((start, american)) => Cow::Owned(format!("{start}{american}")),
        None => stem,
    }
}

impl Short {
    fn new(text: &str) -> Option<Self> {
        let mut bytes = [0; LONGEST];
        bytes
            .get_mut(..text.len())?
            .copy_from_slice(text.as_bytes());
        let length = u8::try_from(text.len()).ok()?;
        Some(Short { length, bytes })
    }

    fn text(&self) -> &str {
        let bytes = self.bytes.get(..usize::from(self.length));
        std::str::from_utf8(bytes.unwrap_or_default()).unwrap_or_default()
    }
}

fn place(word: &str) -> usize {
    (XxHash3_64::oneshot(word.as_bytes()) >> (u64::BITS - PLACES_LOG2)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_has_the_same_stem_whether_it_was_kept_or_not() {
        let stemmer = Stemmer::new(Algorithm::English);
        let ends = [
            "", "s", "ed", "ing", "ational", "iveness", "ies", "_x86", "y",
        ];
        // More words than places, so that they also replace each other.
        let words = (0..4_000).flat_map(|number| ends.map(|end| format!("w{number:x}op{end}")));
        let words: Vec<String> = words.chain(["hop", "é", "a"].map(str::to_string)).collect();
        assert!(words.len() > 2 << PLACES_LOG2);
        let mut stem = String::new();
        for word in words.iter().chain(&words).chain(words.iter().rev()) {
            for _ in 0..2 {
                Stems::write(word, &mut stem);
                let folded = word.replace('é', "e");
                assert_eq!(stem, stemmer.stem(&folded));
            }
        }
    }

    #[test]
    fn words_that_are_too_long_to_be_kept_are_stemmed_too() {
        let stemmer = Stemmer::new(Algorithm::English);
        let long = "abcdefgh".repeat(4);
        let mut stem = String::new();
        for length in LONGEST - 2..LONGEST + 3 {
            let word = format!("{}ing", &long[..length - 3]);
            for _ in 0..2 {
                Stems::write(&word, &mut stem);
                assert_eq!(stem, stemmer.stem(&word));
                assert!(stem.len() < word.len());
            }
        }
    }
}
