//! The words of a query: taken apart by the analyzer that took the documents apart.

use std::collections::HashSet;
use std::ops::Range;

use crate::error::Error;
use crate::store::{Purpose, analyzer, name};

/// How many different terms are searched for. A question has few; this bounds what a pasted file costs.
const MOST_TERMS: usize = 64;

/// English words that say nothing of what is searched for. They are left out when other words remain.
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
    /// The terms of the words and of the parts of identifiers, each once, in the order of the query.
    pub(super) required: Vec<String>,
    /// How each of them was written.
    pub(super) written: Vec<String>,
    /// The terms of identifiers as a whole. A chunk that holds one holds its parts too, so they only add to the score.
    pub(super) optional: Vec<String>,
    /// The words that may be [names](name): all but the parts of identifiers.
    pub(super) names: Vec<String>,
    /// The query from end to end in pieces of one word each, with the term of the word.
    pub(super) pieces: Vec<(Range<usize>, String)>,
    /// Whether the query had more terms.
    pub(super) shortened: bool,
}

impl Words {
    /// Takes a query apart.
    ///
    /// # Errors
    ///
    /// [`Error::EmptyQuery`] when it has no word.
    pub(super) fn of(query: &str) -> Result<Self, Error> {
        let mut words = Words::default();
        let mut stops = Words::default();
        let mut seen = HashSet::new();
        let mut analyzer = analyzer(Purpose::Query);
        let mut whole_until = 0;
        let mut stream = analyzer.token_stream(query);
        while let Some(token) = stream.next() {
            let written = &query[token.offset_from..token.offset_to];
            if token.offset_to > whole_until {
                whole_until = token.offset_to;
                words.add_piece(token.offset_from, &token.text);
                let name = name(written);
                if !is_stop(written)
                    && words.names.len() < MOST_TERMS
                    && !words.names.contains(&name)
                {
                    words.names.push(name);
                }
            }
            if token.text.is_empty() || seen.contains(&token.text) {
                continue;
            }
            if seen.len() == MOST_TERMS {
                words.shortened = true;
                break;
            }
            seen.insert(token.text.clone());
            if token.position_length > 1 {
                words.optional.push(token.text.clone());
            } else {
                let stop = is_stop(written);
                let list = if stop { &mut stops } else { &mut words };
                list.required.push(token.text.clone());
                list.written.push(written.to_string());
            }
        }
        if let Some((last, _)) = words.pieces.last_mut() {
            last.end = query.len();
        }
        if words.required.is_empty() {
            words.required = stops.required;
            words.written = stops.written;
        }
        match words.required.is_empty() {
            true => Err(Error::EmptyQuery {
                query: query.to_string(),
            }),
            false => Ok(words),
        }
    }
}

impl Words {
    /// Begins a piece, which ends the one before it.
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
        assert_eq!(words.written, ["parse", "Config", "fails"]);
        assert_eq!(words.optional, ["parseconfig"]);
        assert_eq!(words.names, ["parseconfig", "fails"]);
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
        assert!(!Words::of(&"word ".repeat(200_000)).unwrap().shortened);
    }
}
