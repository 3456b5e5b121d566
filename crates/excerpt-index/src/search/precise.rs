//! The part of a chunk that is evidence: the sentences, list items or statements around the one
//! that answers best.
//!
//! The text of a hit is split again, by the same rules as documents but into the smallest natural
//! pieces. Each piece is scored by the words of the question that it contains and by the cosine of
//! its vector, which is always that of the built-in table: a search waits for no endpoint. The
//! best piece grows by its neighbours while they are evidence, too.

use std::ops::Range;

use excerpt_chunk::{Chunker, Config, ContextParts, Document};

use super::snippet::Marker;
use crate::embed::{Embedder, StaticTable, Vectors};

/// The sizes of the pieces, in tokens: a sentence has about 20, and one or two say something.
///
/// This and the next two constants were chosen on `eval/excerpt` and anthropic-docs;
/// `docs/ranking.md` has the figures.
const TARGET: usize = 40;
const LARGEST: usize = 80;

/// The size in tokens that the evidence has at least, if its neighbours have that much: a sentence
/// without those around it is often not understood.
const LEAST: usize = 80;

/// The share of the best piece's score from which on a neighbour is evidence, too.
const SHARE: f32 = 0.5;

/// The longest text that is split, in bytes. A chunk is longer only if what it contains is kept
/// whole; then this much of it is, around its best lines.
const LONGEST: usize = 64 << 10;

/// Finds the evidence for one question.
pub(super) struct Narrower {
    chunker: Chunker,
    /// The built-in table, and the vector of the question in it.
    table: Option<(&'static StaticTable, Vec<f32>)>,
}

/// The part of a text that is evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Evidence {
    pub(super) bytes: Range<usize>,
    /// Its size.
    pub(super) tokens: usize,
    /// The headings or definitions of the text that all of it is in, outermost first.
    pub(super) trail: Vec<String>,
    /// The headings or definitions inside it.
    pub(super) sections: Vec<String>,
}

/// A natural piece of a text.
struct Piece {
    bytes: Range<usize>,
    tokens: usize,
    score: f32,
    trail: Vec<String>,
    sections: Vec<String>,
}

impl Narrower {
    /// One for a question, given in pieces with their weights as
    /// [`Embedder::embed_query`] takes them.
    pub(super) fn new(question: &[(&str, f32)]) -> Option<Narrower> {
        let config = Config {
            target: TARGET,
            max: LARGEST,
            min: 1,
            context: ContextParts::NONE,
            ..Config::default()
        };
        let table = StaticTable::shared();
        let table = table.and_then(|table| Some((table, table.embed_query(question).ok()?)));
        Some(Narrower {
            chunker: excerpt_grammars::chunker(config).ok()?,
            table,
        })
    }

    /// The part of `text`, a chunk of the document at `path`, that is evidence.
    pub(super) fn narrow(&self, path: &str, text: &str, marker: &mut Marker) -> Evidence {
        let start = match text.len() > LONGEST {
            true => marker.best(text).start.saturating_sub(LONGEST / 2),
            false => 0,
        };
        let start = text.floor_char_boundary(start);
        let text = &text[start..text.floor_char_boundary(start + LONGEST)];
        let document = Document::new(text).with_path(path);
        let chunks = self.chunker.chunk(&document).chunks.into_iter();
        let mut pieces: Vec<Piece> = chunks
            .map(|chunk| Piece {
                bytes: chunk.span.bytes,
                tokens: chunk.size.text,
                score: 0.0,
                trail: strings(&chunk.context.trail),
                sections: strings(&chunk.sections),
            })
            .collect();
        self.score(text, &mut pieces, marker);
        let mut found = Evidence::of(&pieces).unwrap_or_else(|| Evidence {
            bytes: 0..text.len(),
            ..Evidence::all(&pieces)
        });
        found.bytes = found.bytes.start + start..found.bytes.end + start;
        found
    }

    /// Scores pieces by the words and the vector of the question.
    fn score(&self, text: &str, pieces: &mut [Piece], marker: &mut Marker) {
        let texts: Vec<&str> = pieces
            .iter()
            .map(|piece| &text[piece.bytes.clone()])
            .collect();
        let words: Vec<f32> = texts.iter().map(|text| marker.share(text)).collect();
        let cosines = self.cosines(&texts);
        for ((piece, words), cosine) in pieces.iter_mut().zip(words).zip(cosines) {
            piece.score = words + cosine.max(0.0);
        }
    }

    fn cosines(&self, texts: &[&str]) -> Vec<f32> {
        let Some((table, question)) = &self.table else {
            return vec![0.0; texts.len()];
        };
        let mut vectors = Vectors::new(table.dimensions());
        match table.embed_documents(texts, &mut vectors) {
            Ok(()) => {
                let product =
                    |vector: &[f32]| vector.iter().zip(question).map(|(a, b)| a * b).sum();
                vectors.iter().map(product).collect()
            }
            Err(_) => vec![0.0; texts.len()],
        }
    }
}

impl Evidence {
    /// From the first to the last piece of the evidence; `None` if no piece is any.
    fn of(pieces: &[Piece]) -> Option<Evidence> {
        let score = |at: usize| {
            pieces
                .get(at)
                .map_or(f32::NEG_INFINITY, |piece| piece.score)
        };
        let order = |a: &usize, b: &usize| score(*a).total_cmp(&score(*b)).then(b.cmp(a));
        let best = (0..pieces.len()).max_by(order)?;
        if score(best) <= 0.0 {
            return None;
        }
        let least = score(best) * SHARE;
        let (mut first, mut last) = (best, best);
        let mut tokens = pieces[best].tokens;
        loop {
            let before = first.checked_sub(1).map_or(f32::NEG_INFINITY, score);
            let after = score(last + 1);
            let next = before.max(after);
            if next == f32::NEG_INFINITY || (next < least && tokens >= LEAST) {
                break;
            }
            if before > after {
                first -= 1;
                tokens += pieces[first].tokens;
            } else {
                last += 1;
                tokens += pieces[last].tokens;
            }
        }
        Some(Evidence::all(&pieces[first..=last]))
    }

    /// Pieces in sequence as one.
    fn all(pieces: &[Piece]) -> Evidence {
        let start = pieces.first().map_or(0, |piece| piece.bytes.start);
        let end = pieces.last().map_or(start, |piece| piece.bytes.end);
        let mut trail = pieces.first().map_or(&[][..], |piece| &piece.trail);
        for piece in pieces {
            trail = &trail[..shared(trail, &piece.trail)];
        }
        let mut sections: Vec<String> = Vec::new();
        for piece in pieces {
            for title in piece.trail[trail.len()..].iter().chain(&piece.sections) {
                if !sections.contains(title) {
                    sections.push(title.clone());
                }
            }
        }
        Evidence {
            bytes: start..end,
            tokens: pieces.iter().map(|piece| piece.tokens).sum(),
            trail: trail.to_vec(),
            sections,
        }
    }

    /// The trail of the evidence in a chunk with the trail `around`, which may contain the headings
    /// that the chunk begins with.
    pub(super) fn trail_within(&self, around: &[String]) -> Vec<String> {
        let most = around.len().min(self.trail.len());
        let repeated = (0..=most)
            .rev()
            .find(|count| around.ends_with(&self.trail[..*count]));
        let further = &self.trail[repeated.unwrap_or(0)..];
        around.iter().chain(further).cloned().collect()
    }
}

fn strings(titles: &[impl ToString]) -> Vec<String> {
    titles.iter().map(ToString::to_string).collect()
}

/// How many of the first headings of two trails are the same.
fn shared(a: &[String], b: &[String]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::search::query::Words;

    fn narrowed<'t>(question: &str, path: &str, text: &'t str) -> &'t str {
        let words = Words::of(question).unwrap();
        let weights = vec![Some(1.0); words.required.len()];
        let mut marker = Marker::new(&words, &weights, 10, None);
        let narrower = Narrower::new(&[(question, 1.0)]).unwrap();
        &text[narrower.narrow(path, text, &mut marker).bytes]
    }

    fn pieces(scores: &[f32], tokens: usize) -> Vec<Piece> {
        let pieces = scores.iter().enumerate();
        pieces
            .map(|(at, score)| Piece {
                bytes: at * 10..at * 10 + 9,
                tokens,
                score: *score,
                trail: Vec::new(),
                sections: Vec::new(),
            })
            .collect()
    }

    fn found(scores: &[f32], tokens: usize) -> Option<Range<usize>> {
        let found = Evidence::of(&pieces(scores, tokens));
        found.map(|found| found.bytes.start / 10..found.bytes.end / 10 + 1)
    }

    #[test]
    fn the_best_piece_grows_by_good_neighbours() {
        assert_eq!(found(&[0.1, 0.9, 1.0, 0.8, 0.1], LEAST), Some(1..4));
        assert_eq!(found(&[0.1, 0.1, 1.0, 0.1, 0.9], LEAST), Some(2..3));
        // The first of equal ones.
        assert_eq!(found(&[0.1, 1.0, 0.1, 1.0], LEAST), Some(1..2));
    }

    #[test]
    fn a_short_piece_gets_its_better_neighbours_whatever_they_score() {
        assert_eq!(found(&[0.0, 0.2, 1.0, 0.1, 0.0], LEAST / 2), Some(1..3));
        assert_eq!(found(&[0.0, 1.0], LEAST / 4), Some(0..2));
    }

    #[test]
    fn evidence_has_the_headings_that_are_its_own() {
        let piece = |trail: &[&str], sections: &[&str]| Piece {
            bytes: 0..9,
            tokens: 9,
            score: 1.0,
            trail: strings(trail),
            sections: strings(sections),
        };
        let own = |pieces: &[Piece]| {
            let evidence = Evidence::all(pieces);
            let around = strings(&["Tea", "Pots"]);
            (evidence.trail_within(&around), evidence.sections)
        };
        let inside = own(&[piece(&["Clay"], &[]), piece(&["Clay", "Glaze"], &["Salt"])]);
        assert_eq!(
            inside,
            (
                strings(&["Tea", "Pots", "Clay"]),
                strings(&["Glaze", "Salt"])
            )
        );
        let across = own(&[piece(&["Clay"], &[]), piece(&["Iron"], &[])]);
        assert_eq!(
            across,
            (strings(&["Tea", "Pots"]), strings(&["Clay", "Iron"]))
        );
        // The chunk begins with the heading that its trail ends with.
        let begun = own(&[piece(&["Pots", "Clay"], &[])]);
        assert_eq!(begun, (strings(&["Tea", "Pots", "Clay"]), Vec::new()));
    }

    #[test]
    fn nothing_is_evidence_if_nothing_scores() {
        assert_eq!(found(&[0.0, 0.0], LEAST), None);
        assert_eq!(found(&[], LEAST), None);
    }

    #[test]
    fn a_sentence_is_found_in_prose_and_a_statement_in_code() {
        let filler = |word: &str| {
            format!(
                "{} ",
                format!("The {word} is not what this is about, and says so at length. ").repeat(9)
            )
        };
        let prose = format!(
            "{}The kettle boils at ninety degrees.\n\n{}",
            filler("garden"),
            filler("street")
        );
        let found = narrowed("at how many degrees does the kettle boil", "a.md", &prose);
        assert!(
            found.contains("ninety degrees") && found.len() < prose.len() / 2,
            "{found}"
        );
        let line = |at: usize| format!("    let value_{at} = compute(value_{}, {at});\n", at - 1);
        let lines = |range: Range<usize>| range.map(line).collect::<String>();
        let code = format!(
            "fn brew() {{\n{}    kettle.boil(90);\n{}}}\n",
            lines(1..40),
            lines(40..80)
        );
        let found = narrowed("boil the kettle", "a.rs", &code);
        assert!(
            found.contains("kettle.boil(90);") && found.len() < code.len() / 4,
            "{found}"
        );
        assert!(
            found
                .lines()
                .all(|line| line.trim().is_empty() || line.ends_with(';')),
            "{found}"
        );
    }

    #[test]
    fn evidence_far_behind_in_a_long_text_is_found() {
        let filler = "The garden is not what this is about, and says so at length. ".repeat(4_000);
        let text = format!("{filler}The kettle boils at ninety degrees. {filler}");
        let found = narrowed("how hot does the kettle boil", "a.md", &text);
        assert!(
            found.contains("ninety degrees") && found.len() < 1_000,
            "{found}"
        );
    }

    proptest! {
        #[test]
        fn any_text_has_evidence_inside(text in ".{0,400}", question in "[a-zé漢]{1,8}( [a-z]{1,5})?") {
            let found = narrowed(&question, "a.md", &text);
            prop_assert!(text.contains(found));
        }
    }
}
