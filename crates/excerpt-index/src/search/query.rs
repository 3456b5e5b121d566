//! The words of a query, from the same analyzer as those of the documents.
//!
//! | in the query | matches |
//! | --- | --- |
//! | `green tea` | chunks with the words; more and rarer ones are better |
//! | `"green tea"` | chunks with the words in sequence; if there are none, with the words |
//! | `-milk` | no chunk with the word |

use std::collections::HashSet;
use std::ops::Range;

use crate::analysis::{Analyzer, Phrase, Purpose, Term, name};
use crate::model::{Error, Query};

/// The maximum number of different terms. A question has few; this limits the cost of a pasted
/// file.
const MOST_TERMS: usize = 64;

/// English words without relevance. They are ignored if other words remain.
const STOP_WORDS: [&str; 71] = [
    "a", "about", "am", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can",
    "could", "did", "do", "does", "for", "from", "had", "has", "have", "he", "her", "his", "how",
    "i", "if", "in", "into", "is", "it", "its", "me", "my", "of", "on", "or", "our", "she",
    "should", "so", "than", "that", "the", "their", "them", "then", "there", "these", "they",
    "this", "to", "too", "very", "was", "we", "were", "what", "when", "where", "which", "who",
    "whom", "why", "will", "with", "would", "you", "your",
];

/// What to search for.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Words {
    /// The query without the excluded words.
    pub(super) text: String,
    /// The phrases between quotation marks.
    pub(super) phrases: Vec<Phrase>,
    /// The excluded words.
    pub(super) excluded: Vec<Phrase>,
    /// Its words in sequence, three at a time, where at least one has relevance; none if there is
    /// only one such sequence.
    pub(super) sequences: Vec<Phrase>,
    /// The terms of the words and of the parts of identifiers, each once, in the order of the
    /// query.
    pub(super) required: Vec<String>,
    /// Where each of them is in `text`.
    pub(super) places: Vec<Range<usize>>,
    /// The terms of identifiers as a whole. A chunk that contains one also contains its parts, so
    /// they only add to the score.
    pub(super) optional: Vec<String>,
    /// The words that may be [names](name): all except the parts of identifiers.
    pub(super) names: Vec<String>,
    /// The whole text in pieces of one word each, with the term of the word.
    pub(super) pieces: Vec<(Range<usize>, String)>,
    /// Whether the query had more terms, or more characters than are read.
    pub(super) shortened: bool,
}

impl Words {
    /// Parses the first [`Query::LONGEST`] characters of a query.
    ///
    /// # Errors
    ///
    /// [`Error::EmptyQuery`] if they contain no word.
    pub(super) fn of(given: &str) -> Result<Self, Error> {
        let given_length = given.len();
        let given = beginning(given);
        let (text, excluded) = without_excluded(given);
        let mut words = Words {
            phrases: phrases(&text),
            sequences: sequences(&text),
            excluded,
            shortened: given.len() < given_length,
            ..Words::default()
        };
        let mut stops = Words::default();
        words.add_terms(&text, &mut stops);
        words.text = text;
        if words.required.is_empty() {
            words.required = stops.required;
            words.places = stops.places;
        }
        if words.required.is_empty() {
            return Err(Error::EmptyQuery {
                query: given.to_string(),
            });
        }
        Ok(words)
    }

    /// The words of the same query with some of the [words](Words::places) replaced.
    ///
    /// # Errors
    ///
    /// Those of [`Words::of`].
    pub(super) fn replacing(&self, others: &[(Range<usize>, String)]) -> Result<Self, Error> {
        let mut text = self.text.clone();
        for (place, word) in others.iter().rev() {
            text.replace_range(place.clone(), word);
        }
        Ok(Words {
            excluded: self.excluded.clone(),
            shortened: self.shortened,
            ..Words::of(&text)?
        })
    }

    /// Each of the terms with the word that it is of, as written.
    pub(super) fn written(&self) -> impl Iterator<Item = (&str, &str)> {
        let places = self.required.iter().zip(&self.places);
        places.map(|(term, place)| (&**term, &self.text[place.clone()]))
    }

    /// Adds the terms of a query; those of words without relevance to `stops`.
    fn add_terms(&mut self, query: &str, stops: &mut Words) {
        let mut seen = HashSet::new();
        let analyzer = Analyzer::new(Purpose::Query);
        let mut whole_until = 0;
        let mut terms = analyzer.terms(query);
        while let Some(term) = terms.advance() {
            let written = &query[term.bytes.clone()];
            if term.bytes.end > whole_until {
                whole_until = term.bytes.end;
                self.add_piece(term.bytes.start, term.text);
                self.add_name(written);
            }
            if term.text.is_empty() || seen.contains(term.text) {
                continue;
            }
            if seen.len() == MOST_TERMS {
                self.shortened = true;
                break;
            }
            seen.insert(term.text.to_string());
            self.add_term(&term, written, stops);
        }
        if let Some((last, _)) = self.pieces.last_mut() {
            last.end = query.len();
        }
    }
}

/// The part of a query that is read, up to its last whole word.
pub(super) fn beginning(query: &str) -> &str {
    let Some((end, next)) = query.char_indices().nth(Query::LONGEST) else {
        return query;
    };
    let read = &query[..end];
    match read.rfind(char::is_whitespace) {
        Some(end) if !next.is_whitespace() => &read[..end],
        _ => read,
    }
}

impl Phrase {
    /// The words of `written`; `None` if it contains no word.
    fn of(written: &str) -> Option<Phrase> {
        let analyzer = Analyzer::new(Purpose::Query);
        let mut found = analyzer.terms(written);
        let mut terms = Vec::new();
        while let Some(term) = found.advance() {
            if term.positions == 1 && !term.text.is_empty() {
                terms.push((term.position, term.text.to_string()));
            }
            if terms.len() == MOST_TERMS {
                break;
            }
        }
        (!terms.is_empty()).then(|| Phrase {
            written: written.trim().to_string(),
            terms,
        })
    }
}

/// [`Words::sequences`].
fn sequences(query: &str) -> Vec<Phrase> {
    let analyzer = Analyzer::new(Purpose::Query);
    let mut found = analyzer.terms(query);
    let mut words: Vec<(usize, String, bool, Range<usize>)> = Vec::new();
    while let Some(term) = found.advance() {
        if term.positions == 1 && !term.text.is_empty() {
            let is_stop = is_stop(&query[term.bytes.clone()]);
            words.push((
                term.position,
                term.text.to_string(),
                is_stop,
                term.bytes.clone(),
            ));
        }
        if words.len() == MOST_TERMS {
            break;
        }
    }
    let mut sequences: Vec<Phrase> = Vec::new();
    for three in words.windows(3) {
        let is_relevant = three.iter().any(|(_, _, is_stop, _)| !is_stop);
        let terms: Vec<(usize, String)> = three
            .iter()
            .map(|(position, term, ..)| (*position, term.clone()))
            .collect();
        if is_relevant && sequences.iter().all(|known| known.terms != terms) {
            let written = query[three[0].3.start..three[2].3.end].to_string();
            sequences.push(Phrase { written, terms });
        }
    }
    if sequences.len() < 2 {
        sequences.clear();
    }
    sequences
}

/// The text between quotation marks. An unclosed mark is ignored.
fn phrases(query: &str) -> Vec<Phrase> {
    let find = |from: usize, mark: char| query[from..].find(mark).map(|found| from + found);
    let quoted = quoted(query, find);
    let phrases = quoted.filter_map(|bytes| Phrase::of(&query[bytes]));
    phrases.take(MOST_TERMS).collect()
}

/// The bytes between quotation marks. `find` returns where a mark is next. What it found once is
/// remembered, so that a text of opening marks is not searched for each of them.
fn quoted(
    query: &str,
    mut find: impl FnMut(usize, char) -> Option<usize>,
) -> impl Iterator<Item = Range<usize>> {
    let mut next: [(char, Option<usize>); 3] = [('"', Some(0)), ('”', Some(0)), ('“', Some(0))];
    let mut closes_at = move |mark: char, from: usize| {
        let (_, next) = next.iter_mut().find(|(known, _)| *known == mark)?;
        if next.is_some_and(|next| next < from) {
            *next = find(from, mark);
        }
        *next
    };
    let mut end = 0;
    query.char_indices().filter_map(move |(at, opening)| {
        let closing = match opening {
            '"' => '"',
            '“' => '”',
            '„' => '“',
            _ => return None,
        };
        let start = at + opening.len_utf8();
        if at < end {
            return None;
        }
        let closes = closes_at(closing, start)?;
        end = closes + closing.len_utf8();
        Some(start..closes)
    })
}

/// The query with each `-word` replaced by blanks, and these words. Options of a command such as
/// `-v` or `--all`, and words in a phrase, do not count.
fn without_excluded(query: &str) -> (String, Vec<Phrase>) {
    let mut text = query.to_string();
    let mut excluded = Vec::new();
    let mut quoted = false;
    let mut before = ' ';
    for (at, c) in query.char_indices() {
        quoted ^= c == '"';
        let begins = c == '-' && before.is_whitespace() && !quoted;
        before = c;
        if !begins {
            continue;
        }
        let word = &query[at + 1..];
        let word = &word[..word.find(char::is_whitespace).unwrap_or(word.len())];
        let written = word.starts_with(char::is_alphabetic) && word.chars().count() > 1;
        if let Some(phrase) = Phrase::of(word).filter(|_| written) {
            text.replace_range(at..at + 1 + word.len(), &" ".repeat(1 + word.len()));
            excluded.push(phrase);
        }
    }
    excluded.truncate(MOST_TERMS);
    (text, excluded)
}

impl Words {
    /// Adds a term to the list that it belongs to.
    fn add_term(&mut self, term: &Term<'_>, written: &str, stops: &mut Words) {
        if term.positions > 1 {
            self.optional.push(term.text.to_string());
            return;
        }
        let list = if is_stop(written) { stops } else { self };
        list.required.push(term.text.to_string());
        list.places.push(term.bytes.clone());
    }

    /// Adds a word that may be a name.
    fn add_name(&mut self, written: &str) {
        let name = name(written);
        if !is_stop(written) && self.names.len() < MOST_TERMS && !self.names.contains(&name) {
            self.names.push(name);
        }
    }

    /// Begins a piece, which ends the previous one.
    fn add_piece(&mut self, start: usize, term: &str) {
        let start = match self.pieces.last_mut() {
            Some((last, _)) => {
                last.end = start.max(last.start);
                last.end
            }
            None => 0,
        };
        self.pieces.push((start..start, term.to_string()));
    }
}

fn is_stop(word: &str) -> bool {
    word.len() <= 6
        && STOP_WORDS
            .binary_search(&&*word.to_ascii_lowercase())
            .is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn required(query: &str) -> Vec<String> {
        Words::of(query).unwrap().required
    }

    #[test]
    fn stop_words_are_in_order() {
        assert!(STOP_WORDS.is_sorted());
    }

    #[test]
    fn stop_words_are_left_out_when_others_remain() {
        assert_eq!(
            required("What is the best way to install it?"),
            ["best", "way", "instal"]
        );
        assert_eq!(required("to be or what"), ["to", "be", "or", "what"]);
    }

    #[test]
    fn each_term_comes_once() {
        assert_eq!(required("install installing INSTALL"), ["instal"]);
    }

    #[test]
    fn the_whole_of_an_identifier_is_optional() {
        let words = Words::of("parseConfig fails").unwrap();
        assert_eq!(words.required, ["pars", "config", "fail"]);
        let written: Vec<&str> = words.written().map(|(_, written)| written).collect();
        assert_eq!(written, ["parse", "Config", "fails"]);
        assert_eq!(words.optional, ["parseconfig"]);
        assert_eq!(words.names, ["parseconfig", "fails"]);
    }

    #[test]
    fn words_are_replaced_in_place() {
        let words = Words::of("how to \"pasue it\" wiht parseCnfig -tea").unwrap();
        let replaced = ["pasue", "wiht", "Cnfig"].map(|word| {
            let place = words.text.find(word).unwrap();
            (
                place..place + word.len(),
                word.replace("Cnf", "Conf").replace("asu", "aus"),
            )
        });
        let replaced = words.replacing(&replaced).unwrap();
        assert_eq!(replaced.text, "how to \"pause it\" wiht parseConfig     ");
        assert_eq!(replaced.required, ["paus", "wiht", "pars", "config"]);
        assert_eq!(replaced.optional, ["parseconfig"]);
        assert_eq!(replaced.phrases[0].written, "pause it");
        assert_eq!(replaced.excluded, words.excluded);
    }

    #[test]
    fn pieces_cover_the_query() {
        let query = " How does parseConfig, fail?";
        let pieces = Words::of(query).unwrap().pieces;
        let texts: Vec<&str> = pieces
            .iter()
            .map(|(bytes, _)| &query[bytes.clone()])
            .collect();
        assert_eq!(texts, [" How ", "does ", "parseConfig, ", "fail?"]);
        assert_eq!(pieces[2].1, "parseconfig");
    }

    #[test]
    fn what_is_quoted_is_a_phrase() {
        let phrases = |query: &str| -> Vec<String> {
            let phrases = Words::of(query).unwrap().phrases.into_iter();
            phrases.map(|phrase| phrase.written).collect()
        };
        assert_eq!(
            phrases("where is \"green tea\" and “black tea”"),
            ["green tea", "black tea"]
        );
        assert_eq!(phrases("a 5\" pipe of steel"), [""; 0]);
        assert_eq!(phrases("\"!?\" word"), [""; 0]);
        let phrase = &Words::of("\"the parseConfig fails\"").unwrap().phrases[0];
        let terms: Vec<(usize, &str)> = phrase
            .terms
            .iter()
            .map(|(at, term)| (*at, &**term))
            .collect();
        assert_eq!(terms, [(0, "the"), (1, "pars"), (2, "config"), (3, "fail")]);
    }

    #[test]
    fn four_times_the_marks_are_four_times_the_search() {
        for unit in ["„", "“", "a \"", "„a” ", "„ “", "„\" "] {
            let work = |times: usize| {
                let query = unit.repeat(times);
                let mut read = 0;
                let find = |from: usize, mark: char| {
                    let found = query[from..].find(mark).map(|found| from + found);
                    read += found.unwrap_or(query.len()) - from;
                    found
                };
                let _ = quoted(&query, find).count();
                (read, query.len())
            };
            let ((few, length), (many, _)) = (work(1_000), work(4_000));
            assert!(few <= 3 * length, "{unit}: {few}");
            assert!(many <= 4 * few + 16, "{unit}: {many} after {few}");
        }
    }

    #[test]
    fn a_query_that_is_too_long_is_read_up_to_a_word() {
        let text = "green tea ".repeat(1_000) + "milk";
        let words = Words::of(&text).unwrap();
        assert!(words.shortened);
        assert_eq!(words.required, ["green", "tea"]);
        assert!(words.text.chars().count() <= Query::LONGEST);
        let long = "é".repeat(Query::LONGEST + 1);
        assert_eq!(beginning(&long).chars().count(), Query::LONGEST);
        assert_eq!(beginning(&long[2..]), &long[2..]);
        let cut = format!("{} tea", "é".repeat(Query::LONGEST - 2));
        assert!(beginning(&cut).ends_with('é'));
        let whole = format!("{} tea milk", "é".repeat(Query::LONGEST - 4));
        assert!(beginning(&whole).ends_with(" tea"));
    }

    #[test]
    fn a_word_behind_a_minus_is_not_wanted() {
        let words = Words::of("green tea -milk").unwrap();
        assert_eq!(words.required, ["green", "tea"]);
        assert_eq!(words.excluded[0].written, "milk");
        assert_eq!(words.text, "green tea      ");
        for query in [
            "git commit -m --all",
            "well-known tea",
            "5 - 3 tea",
            "\"green -milk\" tea",
        ] {
            assert!(Words::of(query).unwrap().excluded.is_empty(), "{query}");
        }
        assert!(matches!(Words::of("-milk"), Err(Error::EmptyQuery { .. })));
    }

    #[test]
    fn a_query_without_words_is_an_error() {
        for query in ["", "  ", "?! … --", "___"] {
            assert!(
                matches!(Words::of(query), Err(Error::EmptyQuery { .. })),
                "{query}"
            );
        }
    }

    #[test]
    fn a_huge_query_is_bounded() {
        let query: String = (0..200_000).map(|number| format!("w{number:x} ")).collect();
        let words = Words::of(&query).unwrap();
        assert!(words.shortened);
        assert!(words.required.len() + words.optional.len() <= MOST_TERMS);
        assert!(!Words::of(&"word ".repeat(800)).unwrap().shortened);
    }
}
