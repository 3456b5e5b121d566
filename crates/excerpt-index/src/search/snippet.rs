//! The lines of a chunk that answer best: the few consecutive ones with the most and the rarest
//! words of the query. Words that an answer shows above the snippet anyway, in titles, count less.

use std::collections::HashMap;
use std::ops::Range;

use super::dates::AskedPeriod;
use super::query::Words;
use crate::analysis::Analyzer;
use crate::model::Snippet;
use crate::store::idf;

/// The length of a snippet: about three lines of a terminal.
const MOST_CHARS: usize = 240;
const MOST_LINES: usize = 3;

/// What a word counts that the titles above a snippet have, too: it says little about the line that
/// it is on, and much less would show lines that are about something else.
const SHOWN: f32 = 0.5;

/// What a word counts that is in the path or in the title of a section of the chunk: it decides
/// between words that are equally rare.
const NAMED: f32 = 0.9;

/// How much shorter the gaps between the words of a line are, in characters, if it is better than a
/// window with the same words.
const TIGHTER: usize = 20;

/// Finds and marks the words of one query.
pub(super) struct Marker {
    /// Each term with its number and its weight.
    terms: HashMap<String, (usize, f32)>,
    /// The weight of each required term of the query, including those that do not occur.
    required: Vec<f32>,
    /// For each term, whether it is of the day that the query asks about.
    is_of_day: Vec<bool>,
    analyzer: Analyzer,
}

/// What surrounds a chunk.
#[derive(Debug, Default)]
pub(super) struct Surroundings<'a> {
    /// The titles that an answer shows above the snippet.
    pub(super) shown: Vec<&'a str>,
    /// The other texts whose words count as those of the chunk.
    pub(super) others: Vec<&'a str>,
    /// Whether the chunk is of the day that the query asks about, whatever its words.
    pub(super) is_of_asked_day: bool,
}

/// What answers best in a chunk.
#[derive(Clone, Debug)]
pub(super) struct Marked {
    pub(super) snippet: Snippet,
    /// The share of the query that the chunk contains together with the texts around it.
    pub(super) coverage: f32,
    /// The byte of the chunk where the first word of its best line is; without one, where the
    /// snippet begins.
    pub(super) evidence: usize,
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
    /// A marker for `words`, with the weights of the required terms; `asked` is the day that the
    /// query asks about.
    pub(super) fn new(
        words: &Words,
        weights: &[Option<f32>],
        chunks: u64,
        asked: Option<&AskedPeriod>,
    ) -> Self {
        let written = words.written();
        let is_of_day = written.map(|(_, word)| asked.is_some_and(|asked| asked.says(word)));
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
            is_of_day: is_of_day.collect(),
            terms: numbered
                .map(|(number, (term, weight))| (term.clone(), (number, weight)))
                .collect(),
            analyzer: Analyzer::finding(words.required.iter().chain(&words.optional)),
        }
    }

    /// What answers best in a chunk that begins on line `first_line`, with the texts `around` it.
    /// The snippet shows nothing before the byte `body`, where the front matter ends. Without a
    /// match after it, the snippet is the beginning.
    pub(super) fn mark(
        &mut self,
        text: &str,
        body: usize,
        first_line: usize,
        around: &Surroundings<'_>,
    ) -> Marked {
        let matches = self.matches(text);
        let (shown, named) = (self.held(&around.shown), self.held(&around.others));
        let coverage = self.coverage(&matches, &[&shown, &named]);
        let factor = |(shown, named): (&bool, &bool)| match (shown, named) {
            (true, _) => SHOWN,
            (false, true) => NAMED,
            (false, false) => 1.0,
        };
        let factors: Vec<f32> = shown.iter().zip(&named).map(factor).collect();
        let first = matches.partition_point(|found| found.bytes.start < body);
        let matches = &matches[first..];
        let window = self.window(text, matches, &factors, around);
        let best = best_line(matches, &factors, &window);
        let bytes = whole(text, body).unwrap_or_else(|| widen(text, body, window));
        let inside = matches.iter().map(|found| &found.bytes);
        let inside = inside.filter(|found| bytes.start <= found.start && found.end <= bytes.end);
        let evidence = best.unwrap_or(bytes.start);
        let snippet = Snippet {
            marks: join(inside.map(|found| found.start - bytes.start..found.end - bytes.start)),
            line: first_line + text[..bytes.start].matches('\n').count(),
            text: text[bytes].to_string(),
        };
        Marked {
            snippet,
            coverage,
            evidence,
        }
    }

    /// The bytes of the matches that say most about what a chunk answers; empty if there are none.
    /// Lines that only repeat a title, or have nothing but markup, are chosen only if no other one
    /// has a word.
    fn window(
        &self,
        text: &str,
        matches: &[Match],
        factors: &[f32],
        around: &Surroundings<'_>,
    ) -> Range<usize> {
        let weighed = matches.iter().map(|found| {
            let is_of_day = self.is_of_day.get(found.term).is_some_and(|is| *is);
            let weight = match is_of_day && around.is_of_asked_day {
                true => 0.0,
                false => found.weight * factors[found.term],
            };
            Match {
                weight,
                ..found.clone()
            }
        });
        let weighed: Vec<Match> = weighed.filter(|found| found.weight > 0.0).collect();
        let says_something = |line: &str| {
            let repeats = around.shown.iter().any(|title| is_same(line, title));
            !repeats && !is_markup(line)
        };
        let mut last = None;
        let telling = weighed.iter().filter(|found| match last {
            Some((line, says)) if line == found.line => says,
            _ => {
                let says = says_something(line_at(text, found.bytes.start));
                last = Some((found.line, says));
                says
            }
        });
        let telling: Vec<Match> = telling.cloned().collect();
        let best = match telling.is_empty() {
            true => best_window(&weighed, self.terms.len()),
            false => best_window(&telling, self.terms.len()),
        };
        best.bytes
    }

    /// The bytes of a text from the first to the last match of its best lines; empty without a
    /// match.
    pub(super) fn best(&mut self, text: &str) -> Range<usize> {
        let matches = self.matches(text);
        best_window(&matches, self.terms.len()).bytes
    }

    /// The share of the query that a text contains, from 0 to 1.
    pub(super) fn share(&mut self, text: &str) -> f32 {
        let matches = self.matches(text);
        self.coverage(&matches, &[])
    }

    /// The share of the query that is contained, from 0 to 1: each word is weighted by its rarity,
    /// including those that do not occur. The terms that `others` have count like those of
    /// `matches`.
    fn coverage(&self, matches: &[Match], others: &[&[bool]]) -> f32 {
        let mut held = vec![false; self.terms.len()];
        for found in matches {
            held[found.term] = true;
        }
        for other in others {
            let terms = held.iter_mut().zip(*other);
            terms.for_each(|(held, other)| *held |= other);
        }
        let covered = self.required.iter().zip(&held).filter(|(_, held)| **held);
        let covered: f32 = covered.map(|(weight, _)| weight).sum();
        covered / self.weight()
    }

    /// For each term, whether one of the texts has it.
    fn held(&mut self, texts: &[&str]) -> Vec<bool> {
        let mut held = vec![false; self.terms.len()];
        for text in texts {
            let mut terms = self.analyzer.terms(text);
            while let Some(term) = terms.advance() {
                if let Some((term, _)) = self.terms.get(term.text) {
                    held[*term] = true;
                }
            }
        }
        held
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

/// Some consecutive matches.
#[derive(Default)]
struct Window {
    /// The total weight of different terms.
    weight: f32,
    /// The characters between the matches.
    gaps: usize,
    /// The bytes from the first to the last match.
    bytes: Range<usize>,
}

/// The window with the greatest total weight of different terms; of equal ones, a line in which
/// they are closer, or the first.
fn best_window(matches: &[Match], terms: usize) -> Window {
    let mut counts = vec![0; terms];
    let (mut first, mut weight, mut marked) = (0, 0.0, 0);
    let mut best = Window {
        weight: f32::NEG_INFINITY,
        ..Window::default()
    };
    for (last, found) in matches.iter().enumerate() {
        counts[found.term] += 1;
        marked += found.chars.len();
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
            marked -= start.chars.len();
            if counts[start.term] == 0 {
                weight -= start.weight;
            }
            first += 1;
        }
        let start = &matches[first];
        let gaps = (found.chars.end - start.chars.start).saturating_sub(marked);
        // A gain of a hundredth is more than a rounding error.
        let is_better = weight > best.weight + 0.01;
        let is_line = found.line == start.line;
        let is_tighter = is_line && weight > best.weight - 0.01 && gaps + TIGHTER <= best.gaps;
        if is_better || is_tighter {
            best = Window {
                weight: weight.max(best.weight),
                gaps,
                bytes: start.bytes.start..found.bytes.end,
            };
        }
    }
    best
}

/// Where the first match is on the line of a window with the greatest total weight of different
/// terms; of equal ones, on the first. `None` if the window has none.
fn best_line(matches: &[Match], factors: &[f32], window: &Range<usize>) -> Option<usize> {
    let is_inside = |found: &Match| window.contains(&found.bytes.start);
    let first = matches.iter().find(|found| is_inside(found))?.line;
    let last = matches.iter().rfind(|found| is_inside(found))?.line;
    let mut best: Option<(f32, usize)> = None;
    for line in matches.chunk_by(|a, b| a.line == b.line) {
        if !(first..=last).contains(&line[0].line) {
            continue;
        }
        let mut terms: Vec<usize> = line.iter().map(|found| found.term).collect();
        terms.sort_unstable();
        terms.dedup();
        let weight = |term: &usize| {
            let found = line.iter().find(|found| found.term == *term);
            found.map_or(0.0, |found| found.weight * factors[*term])
        };
        let weight: f32 = terms.iter().map(weight).sum();
        // A gain of a hundredth is more than a rounding error.
        if best.is_none_or(|(most, _)| weight > most + 0.01) {
            best = Some((weight, line[0].bytes.start));
        }
    }
    best.map(|(_, start)| start)
}

/// The bytes of the text from `body` on, if all of it fits in a snippet.
fn whole(text: &str, body: usize) -> Option<Range<usize>> {
    let shown = text[body..].trim();
    let lines = || shown.lines().filter(|line| !line.trim().is_empty());
    let fits = shown.len() <= MOST_CHARS * 4
        && shown.chars().count() <= MOST_CHARS
        && lines().count() <= MOST_LINES
        && !lines().all(is_markup);
    let start = text.len() - text[body..].trim_start().len();
    fits.then(|| start..start + shown.len())
}

/// The line of a text that has the byte `at`.
fn line_at(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
    &text[start..end]
}

/// Whether the first line of a text that is not empty has only the words of a title.
pub(super) fn begins_with(text: &str, title: &str) -> bool {
    let first = text.lines().find(|line| !line.trim().is_empty());
    first.is_some_and(|line| is_same(line, title))
}

/// Whether a line has only the words of a title.
fn is_same(line: &str, title: &str) -> bool {
    fn letters(text: &str) -> impl Iterator<Item = char> {
        let letters = text.chars().filter(|c| c.is_alphanumeric());
        letters.flat_map(char::to_lowercase)
    }
    letters(line).eq(letters(title))
}

/// Whether a line has nothing but markup: a rule, the rule of a table, a fence, tags that close.
fn is_markup(line: &str) -> bool {
    let line = line.trim();
    let is_fence = ["```", "~~~"].iter().any(|fence| line.starts_with(fence));
    let mut rest = line;
    while let Some(tag) = rest.strip_prefix("</")
        && let Some(end) = tag.find('>')
    {
        rest = tag[end + 1..].trim_start();
    }
    is_fence || !rest.contains(char::is_alphanumeric)
}

/// Extends a window to its line, then further, up to the length of a snippet; it ends between
/// words.
fn widen(text: &str, body: usize, mut window: Range<usize>) -> Range<usize> {
    if window.is_empty() {
        let first = text.len() - after_markup(&text[body..]).len();
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

/// A text from its first line on that is more than markup; if there is none, from its first line.
fn after_markup(text: &str) -> &str {
    let text = text.trim_start();
    let mut rest = text;
    for line in text.split_inclusive('\n') {
        if !is_markup(line) {
            return rest.trim_start();
        }
        rest = &rest[line.len()..];
    }
    text
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
        let around = Surroundings::default();
        Marker::new(&words, &weights, 10, None)
            .mark(text, Markdown::body(text), 10, &around)
            .snippet
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
        let mut marker = Marker::new(&words, &[Some(0.5), Some(4.0), None], 100, None);
        let all = 4.5 + idf(100, 0);
        assert_eq!(marker.weight(), all);
        let texts = vec!["rare"];
        let (in_title, in_path) = (
            Surroundings {
                shown: texts.clone(),
                ..Surroundings::default()
            },
            Surroundings {
                others: texts,
                ..Surroundings::default()
            },
        );
        assert_eq!(marker.mark("common", 0, 1, &in_title).coverage, 4.5 / all);
        assert_eq!(marker.mark("common", 0, 1, &in_path).coverage, 4.5 / all);
        let nothing = Surroundings::default();
        assert_eq!(marker.mark("other", 0, 1, &nothing).coverage, 0.0);
    }

    #[test]
    fn a_rare_word_counts_more_than_a_common_one() {
        let words = Words::of("common rare other").unwrap();
        let weights = [Some(0.5), Some(4.0), Some(0.5)];
        let mut marker = Marker::new(&words, &weights, 100, None);
        let text = "common other\n".to_string() + &"filler\n".repeat(9) + "rare\n";
        let around = Surroundings::default();
        assert_eq!(marker.mark(&text, 0, 1, &around).snippet.line, 11);
    }

    /// The snippet of a chunk below a title, by words of the same weight.
    fn below(title: &str, query: &str, text: &str) -> String {
        let words = Words::of(query).unwrap();
        let weights = vec![Some(1.0); words.required.len()];
        let around = Surroundings {
            shown: vec![title],
            ..Surroundings::default()
        };
        let mut marker = Marker::new(&words, &weights, 10, None);
        marker.mark(text, 0, 1, &around).snippet.text
    }

    const BIRTHDAYS: &str = "# Birthdays\n\n- Owen: 3 March\n- Mia: 12 October\n- Ruth: 5 May\n";

    #[test]
    fn a_line_that_answers_is_better_than_the_title_again() {
        let of = |query| below("Birthdays", query, BIRTHDAYS);
        assert_eq!(of("Mia's birthday"), "- Mia: 12 October\n- Ruth: 5 May");
        assert_eq!(of("birthday of Ruth"), "- Ruth: 5 May");
        // It is all that matches.
        assert!(of("birthday").starts_with("# Birthdays"));
        let text = "Birthdays of the family are kept here.\n\n- a\n- b\n- Mia: 12 October\n";
        let found = below("Birthdays", "birthday mia", text);
        assert_eq!(found, "- Mia: 12 October");
    }

    #[test]
    fn a_title_between_other_sections_is_evidence() {
        let text = "# Install\n\na\n\nb\n\n# Configure\n\nc\n\nd\n";
        let found = below("Manual", "configure", text);
        assert_eq!(found, "# Configure\n\nc");
    }

    #[test]
    fn of_equally_rare_words_one_beyond_the_names_of_sections_decides() {
        let text = "## Pancakes\n\nflour 250 g\n\nmilk 500 ml\n\n## Dal\n\nlentils\n";
        let words = Words::of("milk for pancakes").unwrap();
        let around = Surroundings {
            others: vec!["Pancakes", "Dal"],
            ..Surroundings::default()
        };
        let mut marker = Marker::new(&words, &[Some(1.0); 2], 10, None);
        assert!(
            marker
                .mark(text, 0, 1, &around)
                .snippet
                .text
                .starts_with("milk")
        );
    }

    #[test]
    fn words_of_the_day_that_a_chunk_is_of_are_no_evidence() {
        let query = "decided on 31 January 2026";
        let words = Words::of(query).unwrap();
        let weights = vec![Some(1.0); words.required.len()];
        let today = chrono::NaiveDate::from_ymd_opt(2026, 3, 1).unwrap();
        let asked = AskedPeriod::of(query, today);
        let text = "# 2026-01-31\n\n## Standup\n- Discussed the cache\n- Decided to wait\n";
        let line = |is_of_asked_day| {
            let around = Surroundings {
                is_of_asked_day,
                ..Surroundings::default()
            };
            let mut marker = Marker::new(&words, &weights, 10, asked.as_ref());
            marker.mark(text, 0, 1, &around).snippet.line
        };
        assert_eq!((line(true), line(false)), (5, 1));
    }

    #[test]
    fn of_windows_with_the_same_words_the_tighter_one_is_chosen() {
        let far = "apple and much else that is not about it and then a pear\n";
        let text = far.to_string() + &"filler\n".repeat(9) + "an apple, a pear\n";
        assert_eq!(snippet("apple pear", &text).line, 20);
        // Across lines, they may belong to different sentences.
        let text = far.to_string() + &"filler\n".repeat(9) + "apple\n\npear\n";
        assert_eq!(snippet("apple pear", &text).line, 10);
        let text = "apples\n".to_string() + &"filler\n".repeat(9) + "apple\n";
        assert_eq!(snippet("apple", &text).line, 10);
    }

    #[test]
    fn a_chunk_that_fits_is_shown_whole() {
        let text = "# Wifi\n\nOffice: ask Dana.\n\nHome: router sticker.\n";
        assert_eq!(snippet("home", text).text, text.trim());
        assert_eq!(snippet("absent", text).text, text.trim());
    }

    #[test]
    fn markup_alone_is_no_snippet() {
        for markup in ["---", "|---|:-:|", "```rust", "</div></p>", "***", "~~~"] {
            let text = format!("{markup}\n{}", "A line of words.\n".repeat(9));
            let found = snippet("absent", &text);
            assert!(found.text.starts_with("A line"), "{markup}: {}", found.text);
            assert!(is_markup(markup));
        }
        let text = "</install>\n".repeat(9) + "To install it, wait.\n" + &"a\n".repeat(9);
        assert!(snippet("install", &text).text.starts_with("To install"));
        let only = "---\n".repeat(9);
        assert_eq!(snippet("absent", &only).text, "---\n---\n---");
        for line in ["<p>a</p>", "| a |", "- a", "</p>a"] {
            assert!(!is_markup(line), "{line}");
        }
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
