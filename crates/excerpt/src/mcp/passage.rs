//! A hit as an agent reads it.

use excerpt_service::text::address::address;
use excerpt_service::text::counted;
use excerpt_service::{BriefHit, HitCost, Truncated};
use serde_json::{Map, Value};

use super::fence::measured;
use super::names::{quoted, quoted_trail};
use super::reply::Form;
use crate::label::label;
use crate::scores::Scores;

/// How many digits of a chunk's id a line shows. If several chunks share them, `get` says so.
const ID: usize = 8;

/// How many copies of a hit a line names.
const COPIES: usize = 3;

/// What hits take in an answer of a form.
pub(super) struct FormCost {
    pub(super) form: Form,
    /// The format of scores.
    pub(super) scores: Scores,
}

impl HitCost for FormCost {
    fn hit(&self, hit: &BriefHit<'_>) -> usize {
        let line = measured(&head(hit, self.scores));
        self.form.tokens(&line, &(hit, hit.citation))
    }

    fn text(&self, text: &str) -> usize {
        self.form.tokens(text, &text)
    }

    /// A text has no front matter of its own.
    fn metadata(&self, metadata: Option<&Map<String, Value>>) -> usize {
        self.form.tokens("", &metadata)
    }
}

/// The line above the text of a hit: first the data of the hit, then, in quotes, the title and
/// trail from its document.
pub(super) fn head(hit: &BriefHit<'_>, scores: Scores) -> String {
    let mut head = format!("[{}] {}", hit.rank, place(hit));
    match (hit.shown, hit.text) {
        (Some((first, last)), _) if first == last => head += &format!(" ({first} shown)"),
        (Some((first, last)), _) => head += &format!(" ({first}-{last} shown)"),
        (None, None) => head += " (not shown)",
        (None, Some(_)) => {}
    }
    let weak = if hit.weak { " weak" } else { "" };
    let mut id = hit.id.to_string();
    id.truncate(ID);
    let score = scores.precise(hit.score);
    head += &format!(" · score {score}{weak} · id {id}");
    head + &copies(hit) + &quotes(hit)
}

/// The places of the copies of a hit.
fn copies(hit: &BriefHit<'_>) -> String {
    if hit.also_in.is_empty() {
        return String::new();
    }
    let named = hit.also_in.len().min(COPIES);
    let copies = hit.also_in[..named].iter();
    let copies = copies.map(|copy| placed(copy.collection, &copy.path, copy.lines));
    let copies: Vec<String> = copies.collect();
    let more = match hit.also_in.len() - named {
        0 => String::new(),
        more => format!(" +{more}"),
    };
    format!(" · also {}{more}", copies.join(", "))
}

/// The title, trail and front matter of the document of a hit, in quotes.
fn quotes(hit: &BriefHit<'_>) -> String {
    let first = hit.trail.first().or(hit.sections.first());
    let title = hit.title.as_ref();
    // The first heading is often the title.
    let title = title.filter(|title| first.is_none_or(|first| !first.starts_with(&***title)));
    let mut quotes = String::new();
    if let Some(title) = title {
        quotes += &format!(" · {}", quoted(title));
    }
    if let Some(label) = label(hit.trail, hit.sections) {
        quotes += &format!(" · {}", quoted_trail(&label));
    }
    if !hit.fields.is_empty() {
        quotes += &format!(" · {}", quoted_trail(&hit.fields.join("; ")));
    }
    quotes
}

/// The citation of a hit as shown in a line and accepted by `get`.
pub(super) fn place(hit: &BriefHit<'_>) -> String {
    match hit.place {
        Some(place) => in_collection(
            hit.collection,
            address(&format!("{}#{place}", hit.path)).into_owned(),
        ),
        None => placed(hit.collection, hit.path, hit.lines),
    }
}

fn placed(collection: Option<&str>, path: &str, (first, last): (usize, usize)) -> String {
    in_collection(collection, format!("{}:{first}-{last}", address(path)))
}

fn in_collection(collection: Option<&str>, place: String) -> String {
    match collection {
        Some(collection) => format!("{}: {place}", address(collection)),
        None => place,
    }
}

/// How to get what was omitted from an answer.
pub(super) fn how(truncated: &Truncated) -> Option<String> {
    let is_cut = !truncated.cut.is_empty() || !truncated.without_text.is_empty();
    let what = [
        (truncated.metadata, "front matter left out".to_string()),
        (is_cut, "texts cut: `get` by citation or id".to_string()),
        (
            truncated.omitted > 0,
            format!(
                "{} left out: raise `max_tokens`",
                counted(truncated.omitted, "hit")
            ),
        ),
    ];
    let what = what.into_iter().filter(|(is_so, _)| *is_so);
    let what: Vec<String> = what.map(|(_, how)| how).collect();
    (!what.is_empty()).then(|| what.join("; "))
}
