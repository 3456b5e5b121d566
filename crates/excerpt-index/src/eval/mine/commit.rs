//! Questions from history: the subject of a commit leads to the files that it changed.

use std::collections::HashMap;

use super::candidate::{Candidate, Place, QuestionKind};
use super::page::{Page, is_log};
use super::text::{is_empty_word, plain, words};
use crate::source::commits::Change;

/// The least number of words of a subject, and the most files of a commit.
const WORDS: usize = 4;
const FILES: usize = 5;

/// Files that change with others, whatever the subject.
const ALONG: [&str; 12] = [
    "cargo.lock",
    "package-lock.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "poetry.lock",
    "uv.lock",
    "go.sum",
    "go.mod",
    "cargo.toml",
    "package.json",
    "pyproject.toml",
    "composer.lock",
];

/// The candidates of a history.
pub(super) fn candidates(pages: &[Page], history: &[Change]) -> Vec<Candidate> {
    let numbered = pages.iter().enumerate();
    let numbers: HashMap<&str, usize> = numbered.map(|(at, page)| (&*page.path, at)).collect();
    let candidates = history.iter().filter_map(|change| {
        let query = subject(&change.subject)?;
        if change.is_elsewhere || !(1..=FILES).contains(&change.paths.len()) {
            return None;
        }
        let known = change
            .paths
            .iter()
            .map(|path| numbers.get(&**path).copied());
        let known: Vec<usize> = known.collect::<Option<_>>()?;
        let answers = known
            .iter()
            .copied()
            .filter(|page| !is_along(&pages[*page].path));
        let mut answers: Vec<usize> = answers.collect();
        answers.sort_unstable();
        answers.dedup();
        let first = *answers.first()?;
        let places = answers.into_iter().map(|page| Place { page, bytes: None });
        Some(Candidate {
            kind: QuestionKind::Commit,
            query,
            language: pages[first].language.clone(),
            is_title: false,
            answers: places.collect(),
            edits: Vec::new(),
        })
    });
    candidates.collect()
}

fn is_along(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    ALONG.contains(&&*name) || is_log(path)
}

/// The question that the subject of a commit asks: without its type and the number of its request.
fn subject(given: &str) -> Option<String> {
    const TYPES: [&str; 12] = [
        "feat", "fix", "docs", "doc", "chore", "refactor", "test", "tests", "perf", "build", "ci",
        "style",
    ];
    const DROPPED: [&str; 16] = [
        "bump",
        "release",
        "released",
        "version",
        "changelog",
        "merge",
        "merged",
        "revert",
        "reverts",
        "wip",
        "fixup",
        "squash",
        "typo",
        "typos",
        "rustfmt",
        "clippy",
    ];
    let given = given.trim();
    let given = match given.rsplit_once(" (#") {
        Some((subject, _)) => subject,
        None => given,
    };
    let subject = match given.split_once(": ") {
        Some((area, subject))
            if TYPES.contains(&area.split(['(', '!']).next().unwrap_or_default()) =>
        {
            subject
        }
        _ => given,
    };
    let query = plain(subject);
    let contents = words(&query).filter(|word| !is_empty_word(word)).count();
    let is_dropped = words(&query).any(|word| DROPPED.contains(&&*word));
    let is_numbered = query.split(' ').any(is_version);
    let is_fair = query.split(' ').count() >= WORDS && contents >= 3;
    (is_fair && !is_dropped && !is_numbered && !query.contains("://")).then_some(query)
}

fn is_version(word: &str) -> bool {
    let word = word.trim_start_matches(['v', '=', '^', '~']);
    let mut numbers = word.split('.');
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    numbers.clone().count() >= 2 && numbers.all(is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_of_releases_and_merges_are_no_questions() {
        for (given, query) in [
            (
                "fix(pot): pour green tea slowly (#12)",
                Some("pour green tea slowly"),
            ),
            ("pot: pour `green` tea", Some("pot: pour green tea")),
            ("Bump the tea to green tea", None),
            ("Pour tea of version 1.2 slowly", None),
            ("pour tea 1.2.0 very slowly", None),
            ("pour the tea", None),
        ] {
            assert_eq!(subject(given).as_deref(), query, "{given}");
        }
    }
}
