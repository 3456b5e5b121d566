//! Which candidates become questions: those with one answer, up to a limit, by a hash of their
//! words.

use std::collections::{BTreeMap, HashMap};

use excerpt_chunk::Hash;

use super::candidate::{Candidate, QuestionKind};
use super::page::Page;
use super::text::words;

/// How many words of a question are looked for at once.
const SHINGLE: usize = 3;
/// Of the questions from links, the words of at most one in so many are the title of the target.
const TITLES: usize = 5;

/// The questions, by kind and hash.
pub(super) fn chosen(candidates: Vec<Candidate>, pages: &[Page], limit: usize) -> Vec<Candidate> {
    let mut unique = unique(candidates);
    let counts = occurrences(&unique, pages);
    let mut counts = counts.into_iter();
    unique.retain(|candidate| {
        let count = counts.next().unwrap_or_default();
        match candidate.kind {
            QuestionKind::Definition | QuestionKind::Section => {
                count <= candidate.edits.len().min(1)
            }
            QuestionKind::Commit => count == 0,
            QuestionKind::Link => true,
        }
    });
    let mut chosen = Vec::new();
    for kind in QuestionKind::ALL {
        let of_kind = unique.iter().filter(|candidate| candidate.kind == kind);
        let (titles, own): (Vec<&Candidate>, Vec<&Candidate>) =
            of_kind.partition(|candidate| candidate.is_title);
        let own: Vec<&Candidate> = first(own, limit);
        let room = (limit - own.len()).min(own.len() / (TITLES - 1) + 1);
        let titles = first(titles, room);
        let mut both: Vec<&Candidate> = own.into_iter().chain(titles).collect();
        both.sort_by_key(|candidate| id(candidate));
        chosen.extend(both.into_iter().cloned());
    }
    chosen
}

/// The id of a question: the same for the same words.
pub(super) fn id(candidate: &Candidate) -> String {
    let hash = Hash::of(candidate.query.as_bytes()).to_string();
    format!("{}-{}", candidate.kind.name(), &hash[..12])
}

fn first(mut candidates: Vec<&Candidate>, limit: usize) -> Vec<&Candidate> {
    candidates.sort_by_key(|candidate| id(candidate));
    candidates.truncate(limit);
    candidates
}

/// Joins the candidates with the same question and the same answers, and drops those whose answers
/// differ.
fn unique(candidates: Vec<Candidate>) -> Vec<Candidate> {
    let mut by_words: BTreeMap<String, Option<Candidate>> = BTreeMap::new();
    for candidate in candidates {
        let words: Vec<String> = words(&candidate.query).collect();
        by_words
            .entry(words.join(" "))
            .and_modify(|known| {
                *known = known.take().and_then(|mut known| {
                    let is_same =
                        known.answers == candidate.answers && known.kind == candidate.kind;
                    known.edits.extend(candidate.edits.iter().cloned());
                    is_same.then_some(known)
                });
            })
            .or_insert(Some(candidate));
    }
    by_words.into_values().flatten().collect()
}

/// How often the words of each candidate occur in the documents, one after the other.
fn occurrences(candidates: &[Candidate], pages: &[Page]) -> Vec<usize> {
    let questions: Vec<Vec<String>> = candidates
        .iter()
        .map(|candidate| words(&candidate.query).collect())
        .collect();
    let mut by_start: HashMap<&[String], Vec<usize>> = HashMap::new();
    for (at, question) in questions.iter().enumerate() {
        if let Some(start) = question.get(..SHINGLE) {
            by_start.entry(start).or_default().push(at);
        }
    }
    let mut counts = vec![0; candidates.len()];
    for page in pages {
        let words: Vec<String> = words(&page.text).collect();
        for at in 0..words.len().saturating_sub(SHINGLE - 1) {
            let found = by_start.get(&words[at..at + SHINGLE]);
            for &candidate in found.into_iter().flatten() {
                counts[candidate] += usize::from(words[at..].starts_with(&questions[candidate]));
            }
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::super::candidate::Place;
    use super::super::edit::Edit;
    use super::*;

    fn candidate(kind: QuestionKind, query: &str, page: usize) -> Candidate {
        Candidate {
            kind,
            query: query.to_string(),
            language: "rust".to_string(),
            is_title: false,
            answers: vec![Place { page, bytes: None }],
            edits: vec![(page, Edit::remove(0..1))],
        }
    }

    fn queries(candidates: Vec<Candidate>, text: &str, limit: usize) -> Vec<String> {
        let page = |path: &str| Page::new(path.to_string(), text.to_string());
        let chosen = chosen(candidates, &[page("a.md"), page("b.rs")], limit);
        chosen
            .into_iter()
            .map(|candidate| candidate.query)
            .collect()
    }

    #[test]
    fn a_question_has_one_answer() {
        let of = |query, page| candidate(QuestionKind::Link, query, page);
        let found = queries(
            vec![
                of("green tea", 0),
                of("Green tea", 0),
                of("black tea", 0),
                of("black tea!", 1),
            ],
            "",
            9,
        );
        assert_eq!(found, ["green tea"]);
    }

    #[test]
    fn a_sentence_that_stands_elsewhere_is_no_question() {
        let of = |query| candidate(QuestionKind::Definition, query, 0);
        let found = queries(
            vec![of("Draws green tea."), of("Pours green tea.")],
            "// Draws green\n// tea.",
            9,
        );
        assert_eq!(found, ["Pours green tea."]);
    }

    #[test]
    fn the_choice_does_not_depend_on_the_order() {
        let all: Vec<Candidate> = (0..50)
            .map(|at| candidate(QuestionKind::Link, &format!("tea number {at}"), 0))
            .collect();
        let mut back = all.clone();
        back.reverse();
        let some = queries(all, "", 7);
        assert_eq!(some.len(), 7);
        assert_eq!(some, queries(back, "", 7));
    }
}
