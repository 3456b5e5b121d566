//! Questions from sections: the first sentence of a section leads to the rest of it.

use super::candidate::{Candidate, Place, QuestionKind};
use super::edit::Edit;
use super::page::{Page, is_legal, is_log, trimmed};
use super::text::{is_dependent, is_fair, plain, sentence_end};

/// The least number of characters that a section keeps.
const LEAST: usize = 200;
/// The least number of words of a sentence.
const WORDS: usize = 5;

/// The candidates in the document with this number.
pub(super) fn candidates(number: usize, page: &Page) -> Vec<Candidate> {
    let mut found = Vec::new();
    if is_legal(&page.path) || is_log(&page.path) {
        return found;
    }
    for heading in page.headings() {
        let Some(lead) = heading.lead else { continue };
        let end = lead.start + sentence_end(&page.text[lead.clone()]);
        let query = plain(&page.text[lead.start..end]);
        if query.split_whitespace().count() < WORDS || !is_fair(&query) || is_dependent(&query) {
            continue;
        }
        let rest = &page.text[end..heading.own_end];
        if rest.trim().chars().count() < LEAST {
            continue;
        }
        // With the space up to the next sentence.
        let space = rest.len() - rest.trim_start_matches([' ', '\n']).len();
        let removed = match end < lead.end {
            true => lead.start..end + space,
            false => lead.start..end,
        };
        let own = trimmed(&page.text, heading.bytes.start..heading.own_end);
        found.push(Candidate {
            kind: QuestionKind::Section,
            query,
            language: page.language.clone(),
            is_title: false,
            answers: vec![Place {
                page: number,
                bytes: Some(own),
            }],
            edits: vec![(number, Edit::remove(removed))],
        });
    }
    found
}
