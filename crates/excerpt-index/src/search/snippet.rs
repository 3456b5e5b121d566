//! The lines of a chunk that answer best: the few consecutive ones with the most and the rarest
//! words of the query.

use std::collections::HashMap;
use std::ops::Range;

use super::query::Words;
use crate::analysis::Analyzer;
use crate::model::Snippet;
use crate::store::idf;

/// The length of a snippet: about three lines of a terminal.
const MOST_CHARS: usize = 240;
const MOST_LINES: usize = 3;

/// Finds and marks the words of one query.
pub(super) struct Marker {
    /// Each term with its number and its weight.
    terms: HashMap<String, (usize, f32)>,
    /// The weight of each required term of the query, including those that do not occur.
    required: Vec<f32>,
    analyzer: Analyzer,
}

/// A match.
#[derive(Clone, Debug)]
struct Match {
    bytes: Range<usize>,
    /// Its position in characters.
    chars: Range<usize>,
    /// The line on which it begins, from 0.
    line: usize,
    term: usize,
    weight: f32,
}

impl Marker {
    /// A marker for `words`, with the weights of the required terms.
    pub(super) fn new(words: &Words, weights: &[Option<f32>], chunks: u64) -> Self {
        let required = words
            .required
            .iter()
            .zip(weights.iter().map(|weight| weight.unwrap_or(0.0)));
        // A whole identifier counts hardly more than its parts: it is marked, and decides ties.
        let optional = words.optional.iter().zip(std::iter::repeat(0.1));
        let numbered = required.chain(optional).enumerate();
        let counted = |weight: &Option<f32>| weight.unwrap_or_else(|| idf(chunks, 0));
        Marker {
            required: weights.iter().map(counted).collect(),
            terms: numbered
                .map(|(number, (term, weight))| (term.clone(), (number, weight)))
                .collect(),
            analyzer: Analyzer::finding(words.required.iter().chain(&words.optional)),
        }
    }

    /// The snippet of a chunk that begins on line `first_line`, and the share of the query that the
    /// chunk contains together with the texts `around` it. The snippet shows nothing before the
    /// byte `body`, where the front matter ends. Without a match after it, the snippet is the
    /// beginning.
    pub(super) fn mark(
        &mut self,
        text: &str,
        body: usize,
        first_line: usize,
        around: &[&str],
    ) -> (Snippet, f32) {
        let matches = self.matches(text);
        let coverage = self.coverage(&matches, around);
        let shown = matches.partition_point(|found| found.bytes.start < body);
        let matches = &matches[shown..];
        let window = best_window(matches, self.terms.len());
        let bytes = widen(text, body, window);
        let inside = matches.iter().map(|found| &found.bytes);
        let inside = inside.filter(|found| bytes.start <= found.start && found.end <= bytes.end);
        let snippet = Snippet {
            marks: join(inside.map(|found| found.start - bytes.start..found.end - bytes.start)),
            line: first_line + text[..bytes.start].matches('\n').count(),
            text: text[bytes].to_string(),
        };
        (snippet, coverage)
    }

    /// The bytes of a text from the first to the last match of its best lines; empty without a
    /// match.
    pub(super) fn best(&mut self, text: &str) -> Range<usize> {
        let matches = self.matches(text);
        best_window(&matches, self.terms.len())
    }

    /// The share of the query that a text contains, from 0 to 1.
    pub(super) fn share(&mut self, text: &str) -> f32 {
        let matches = self.matches(text);
        self.coverage(&matches, &[])
    }

    /// The share of the query that is contained, from 0 to 1: each word is weighted by its rarity,
    /// including those that do not occur.
    fn coverage(&mut self, matches: &[Match], around: &[&str]) -> f32 {
        let mut held = vec![false; self.terms.len()];
        for found in matches {
            held[found.term] = true;
        }
        for text in around {
            let mut terms = self.analyzer.terms(text);
            while let Some(term) = terms.advance() {
                if let Some((term, _)) = self.terms.get(term.text) {
                    held[*term] = true;
                }
            }
        }
        let covered = self.required.iter().zip(&held).filter(|(_, held)| **held);
        let covered: f32 = covered.map(|(weight, _)| weight).sum();
        covered / self.weight()
    }

    /// The total weight of the words of the query: more than 0, since there is at least one.
    pub(super) fn weight(&self) -> f32 {
        self.required.iter().sum()
    }

    /// The words of the query in `text`, by position.
    fn matches(&mut self, text: &str) -> Vec<Match> {
        let mut matches = Vec::new();
        let (mut offset, mut chars, mut line) = (0, 0, 0);
        let mut terms = self.analyzer.terms(text);
        while let Some(found) = terms.advance() {
            let Some(&(term, weight)) = self.terms.get(found.text) else {
                continue;
            };
            let bytes = found.bytes;
            let between = &text[offset..bytes.start];
            chars += between.chars().count();
            line += between.matches('\n').count();
            offset = bytes.start;
            matches.push(Match {
                chars: chars..chars + text[bytes.clone()].chars().count(),
                bytes,
                line,
                term,
                weight,
            });
        }
        matches
    }
}

/// The bytes from the first to the last match of the window with the greatest total weight of
/// different terms; the first of equal ones.
fn best_window(matches: &[Match], terms: usize) -> Range<usize> {
    let mut counts = vec![0; terms];
    let (mut first, mut weight) = (0, 0.0);
    let mut best = (f32::NEG_INFINITY, 0..0);
    for (last, found) in matches.iter().enumerate() {
        counts[found.term] += 1;
        if counts[found.term] == 1 {
            weight += found.weight;
        }
        // Drops matches that are too far from this one, or whose term occurs again later.
        loop {
            let start = &matches[first];
            let fits = found.chars.end - start.chars.start <= MOST_CHARS
                && found.line - start.line < MOST_LINES;
            let needed = first == last || counts[start.term] == 1;
            if first == last || (fits && needed) {
                break;
            }
            counts[start.term] -= 1;
            if counts[start.term] == 0 {
                weight -= start.weight;
            }
            first += 1;
        }
        // A gain of a hundredth is more than a rounding error.
        if weight > best.0 + 0.01 {
            best = (weight, matches[first].bytes.start..found.bytes.end);
        }
    }
    best.1
}

/// Extends a window to its line, then further, up to the length of a snippet; it ends between
/// words.
fn widen(text: &str, body: usize, mut window: Range<usize>) -> Range<usize> {
    if window.is_empty() {
        let first = text.len() - text[body..].trim_start().len();
        window = first..first;
    }
    let used = text[window.clone()].chars().count();
    let room = MOST_CHARS.saturating_sub(used);
    let line = text[body..window.start]
        .rfind('\n')
        .map_or(body, |end| body + end + 1);
    let before = &text[line..window.start];
    let start = match before.chars().count() <= room {
        true => line,
        // At most half of the room is for text before the window, from a word boundary on.
        false => {
            let reach = before
                .char_indices()
                .rev()
                .nth(room / 2)
                .map_or(line, |(offset, _)| line + offset);
            let word = text[reach..window.start].find(char::is_whitespace);
            word.map_or(window.start, |offset| reach + offset)
        }
    };
    let start = window
        .end
        .min(start + (text[start..].len() - text[start..].trim_start().len()));
    let end = reach(text, start, window.end);
    start..start + text[start..end].trim_end().len()
}

/// The end of a snippet that begins at `start` and includes everything up to `end`.
fn reach(text: &str, start: usize, end: usize) -> usize {
    let held = &text[start..end];
    let mut lines = held.matches('\n').count() + 1;
    let mut word = end;
    for (chars, (offset, c)) in (held.chars().count()..).zip(text[end..].char_indices()) {
        let offset = end + offset;
        if c.is_whitespace() {
            word = offset;
        }
        if c == '\n' {
            lines += 1;
        }
        if lines > MOST_LINES {
            return offset;
        }
        if chars >= MOST_CHARS {
            // A run without spaces, as in Chinese, may end anywhere.
            let anywhere = word == end && !c.is_ascii();
            return if anywhere { offset } else { word };
        }
    }
    text.len()
}

/// Joins ranges, sorted by their start, that touch or overlap.
fn join(ranges: impl Iterator<Item = Range<usize>>) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use excerpt_chunk::Markdown;

    use super::*;

    fn snippet(query: &str, text: &str) -> Snippet {
        let words = Words::of(query).unwrap();
        let weights = vec![Some(1.0); words.required.len()];
        Marker::new(&words, &weights, 10)
            .mark(text, Markdown::body(text), 10, &[])
            .0
    }

    fn marked(snippet: &Snippet) -> Vec<&str> {
        snippet
            .marks
            .iter()
            .map(|mark| &snippet.text[mark.clone()])
            .collect()
    }

    #[test]
    fn front_matter_is_never_shown() {
        let front = "---\ntitle: Tea\ntags: [tea]\n---\n";
        let found = snippet("tea", &format!("{front}\n# Tea\n\nGreen tea.\n"));
        assert_eq!(found.text, "# Tea\n\nGreen tea.");
        assert_eq!((marked(&found), found.line), (vec!["Tea", "tea"], 15));
        assert_eq!(snippet("tea", front).text, "");
        let found = snippet("milk", &format!("{front}Green tea.\n"));
        assert_eq!((&*found.text, found.line), ("Green tea.", 14));
    }

    #[test]
    fn stems_and_parts_of_identifiers_are_marked() {
        let found = snippet(
            "install config",
            "Installing reads parseConfigFile and configs.",
        );
        assert_eq!(marked(&found), ["Installing", "Config", "configs"]);
    }

    #[test]
    fn a_whole_identifier_is_one_mark() {
        assert_eq!(
            marked(&snippet("parseConfig", "call parseConfig here")),
            ["parseConfig"]
        );
        assert_eq!(marked(&snippet("検索語", "この検索語は")), ["検索語"]);
    }

    #[test]
    fn the_lines_with_the_most_words_are_chosen() {
        let text = "apple\n\n".to_string()
            + &"filler line\n".repeat(20)
            + "the apple and the pear\nnext\n";
        let found = snippet("apple pear", &text);
        assert_eq!(found.text, "the apple and the pear\nnext");
        assert_eq!(found.line, 32);
        assert_eq!(marked(&found), ["apple", "pear"]);
    }

    #[test]
    fn coverage_counts_words_by_rarity_and_those_that_are_nowhere_most() {
        let words = Words::of("common rare absent").unwrap();
        let mut marker = Marker::new(&words, &[Some(0.5), Some(4.0), None], 100);
        let all = 4.5 + idf(100, 0);
        assert_eq!(marker.weight(), all);
        assert_eq!(marker.mark("common", 0, 1, &["rare"]).1, 4.5 / all);
        assert_eq!(marker.mark("other", 0, 1, &[]).1, 0.0);
    }

    #[test]
    fn a_rare_word_counts_more_than_a_common_one() {
        let words = Words::of("common rare other").unwrap();
        let mut marker = Marker::new(&words, &[Some(0.5), Some(4.0), Some(0.5)], 100);
        let text = "common other\n".to_string() + &"filler\n".repeat(9) + "rare\n";
        assert_eq!(marker.mark(&text, 0, 1, &[]).0.line, 11);
    }

    #[test]
    fn it_is_bounded_and_ends_between_words() {
        let text = "word ".repeat(500) + "needle" + &" word".repeat(500);
        let found = snippet("needle", &text);
        assert!(found.text.chars().count() <= MOST_CHARS);
        assert!(found.text.starts_with("word ") && found.text.ends_with(" word"));
        assert_eq!(marked(&found), ["needle"]);
    }

    #[test]
    fn a_run_without_spaces_is_cut_between_characters() {
        let text = "漢".repeat(300) + "検索" + &"字".repeat(300);
        let found = snippet("検索", &text);
        assert!(found.text.chars().count() <= MOST_CHARS);
        assert_eq!(marked(&found), ["検索"]);
        assert!(found.text.ends_with('字'));
    }

    #[test]
    fn without_a_match_it_is_the_beginning() {
        let found = snippet("absent", "\n  First line.\nSecond.\nThird.\nFourth.\n");
        assert_eq!(found.text, "First line.\nSecond.\nThird.");
        assert_eq!(found.line, 11);
        assert!(found.marks.is_empty());
        assert_eq!(snippet("absent", "").text, "");
    }
}
