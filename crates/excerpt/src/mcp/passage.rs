//! A hit as an agent reads it, and how much of each hit's text fits into an answer.

use std::ops::Range;

use excerpt_chunk::Hash;
use excerpt_index::{DocumentHits, Hit};
use excerpt_service::text::budget::{around, begun, bounded};
use excerpt_service::text::counted;
use serde::Serialize;
use serde_json::{Map, Value};

use super::fence::measured;
use super::names::{address, quoted, quoted_trail};
use super::reply::Form;
use crate::scores::Scores;
use crate::wire::channel;

/// How many digits of a chunk's id a line shows. If several chunks share them, `get` says so.
const ID: usize = 8;

/// How many copies of a hit a line names.
const COPIES: usize = 3;

/// The identity of a hit, and its text. The names are those of [`crate::wire::SearchHit`].
#[derive(Clone, Serialize)]
pub(super) struct QuotedHit<'a> {
    pub(super) rank: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) collection: Option<&'a str>,
    pub(super) path: &'a str,
    pub(super) citation: String,
    #[serde(skip)]
    lines: (usize, usize),
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    trail: &'a [String],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    sections: &'a [String],
    /// Some fields of that for a text, if the answer has not shown them yet.
    #[serde(skip)]
    pub(super) fields: Vec<String>,
    /// The front matter of its document; `None` if there was no room for it.
    #[serde(skip_serializing_if = "is_empty")]
    metadata: Option<&'a Map<String, Value>>,
    score: f32,
    /// The format of the score.
    #[serde(skip)]
    scores: Scores,
    channel: &'static str,
    pub(super) weak: bool,
    pub(super) id: Hash,
    /// The first and the last line of the text, if it is only a part of the chunk.
    #[serde(skip_serializing_if = "Option::is_none")]
    shown: Option<(usize, usize)>,
    /// `None` if there was no room for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<&'a str>,
    /// The byte range of the snippet in the text.
    #[serde(skip)]
    best: Range<usize>,
    /// The citations of the near-copies and translations that were folded into it.
    #[serde(skip)]
    also_in: Vec<String>,
}

impl<'a> QuotedHit<'a> {
    /// A hit at `rank`, in a document whose path is shown as `outward` does.
    pub(super) fn of(
        rank: usize,
        document: &'a DocumentHits,
        hit: &'a Hit,
        scores: Scores,
        outward: impl Fn(&'a str) -> &'a str,
    ) -> Self {
        let path = outward(&document.path);
        let lines @ (first, last) = hit.span.lines;
        let also_in = document.also_in.iter();
        let also_in =
            also_in.map(|copy| place(copy.collection.as_deref(), outward(&copy.path), copy.lines));
        let also_in = also_in.collect();
        QuotedHit {
            rank,
            collection: document.collection.as_deref(),
            path,
            citation: format!("{path}:{first}-{last}"),
            lines,
            title: document.title.as_deref().map(bounded),
            trail: &hit.trail,
            sections: &hit.sections,
            fields: fields(&document.metadata),
            metadata: Some(&document.metadata),
            score: hit.score,
            scores,
            channel: channel(&hit.explanation),
            weak: hit.weak,
            id: hit.id,
            shown: None,
            text: Some(&hit.text),
            best: best(hit),
            also_in,
        }
    }

    /// The line above its text: first the data of the hit, then, in quotes, the title and trail
    /// from its document.
    pub(super) fn head(&self) -> String {
        let mut head = format!("[{}] {}", self.rank, self.place());
        match (self.shown, self.text) {
            (Some((first, last)), _) if first == last => head += &format!(" ({first} shown)"),
            (Some((first, last)), _) => head += &format!(" ({first}-{last} shown)"),
            (None, None) => head += " (not shown)",
            (None, Some(_)) => {}
        }
        let weak = if self.weak { " weak" } else { "" };
        let mut id = self.id.to_string();
        id.truncate(ID);
        let score = self.scores.precise(self.score);
        head += &format!(" · score {score}{weak} · id {id}");
        if !self.also_in.is_empty() {
            let named = self.also_in.len().min(COPIES);
            head += &format!(" · also {}", self.also_in[..named].join(", "));
            let more = self.also_in.len() - named;
            if more > 0 {
                head += &format!(" +{more}");
            }
        }
        let (trail, between) = match self.trail.is_empty() {
            false => (self.trail, " > "),
            true => (self.sections, ", "),
        };
        let title = self.title.as_ref();
        // The first heading is often the title.
        let title = title.filter(|title| {
            trail
                .first()
                .is_none_or(|first| !first.starts_with(&***title))
        });
        if let Some(title) = title {
            head += &format!(" · {}", quoted(title));
        }
        if !trail.is_empty() {
            head += &format!(" · {}", quoted_trail(trail, between));
        }
        if !self.fields.is_empty() {
            head += &format!(" · {}", quoted_trail(&self.fields, "; "));
        }
        head
    }

    /// Its citation as shown in a line and accepted by `get`.
    pub(super) fn place(&self) -> String {
        place(self.collection, self.path, self.lines)
    }

    /// Its tokens without the text.
    fn size_without_text(&self, form: Form) -> usize {
        let without = QuotedHit {
            text: None,
            shown: Some(self.lines),
            ..self.clone()
        };
        // If only a part is shown, its line range is added.
        form.tokens(&measured(&without.head()), &(&without, &self.citation))
    }

    /// The tokens of its text.
    fn size_of_text(&self, form: Form) -> usize {
        self.text.map_or(0, |text| form.tokens(text, &text))
    }

    /// Shortens the text to at most `room` tokens around the snippet.
    fn cut(&mut self, room: usize) {
        let Some(text) = self.text else { return };
        let kept = around(text, self.best.clone(), room);
        if kept.len() == text.len() {
            return;
        }
        let shown = text[kept.clone()].trim_start_matches('\n');
        let before = &text[..kept.end - shown.len()];
        let shown = shown.trim_end();
        let lines = |text: &str| text.matches('\n').count();
        let first = self.lines.0 + lines(before);
        self.text = (!shown.is_empty()).then_some(shown);
        self.shown = self.text.map(|_| (first, first + lines(shown)));
    }
}

/// Up to three fields of the front matter, each with its value: first those that say most about a
/// document.
fn fields(metadata: &Map<String, Value>) -> Vec<String> {
    const MOST: usize = 3;
    const FIRST: [&str; 4] = ["status", "type", "tags", "date"];
    /// The longest value, in characters.
    const LONGEST: usize = 40;
    let first = FIRST
        .iter()
        .filter_map(|name| metadata.get_key_value(*name));
    let others = metadata.iter();
    // The title has a place of its own.
    let others = others.filter(|(name, _)| **name != "title" && !FIRST.contains(&&***name));
    let fields = first.chain(others).filter_map(|(name, value)| {
        let value = match value {
            Value::Array(list) => list.iter().filter_map(plain).collect::<Vec<_>>().join(", "),
            value => plain(value)?,
        };
        (!value.is_empty()).then(|| begun(&format!("{name}: {value}"), LONGEST))
    });
    fields.take(MOST).collect()
}

/// A value that is neither a list nor an object.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_string()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        _ => None,
    }
}

fn place(collection: Option<&str>, path: &str, (first, last): (usize, usize)) -> String {
    let place = format!("{}:{first}-{last}", address(path));
    match collection {
        Some(collection) => format!("{}: {place}", address(collection)),
        None => place,
    }
}

fn is_empty(metadata: &Option<&Map<String, Value>>) -> bool {
    metadata.is_none_or(Map::is_empty)
}

/// The byte range of a hit's snippet in its text.
fn best(hit: &Hit) -> Range<usize> {
    let (snippet, text) = (&hit.snippet, &hit.text);
    let before = snippet.line.saturating_sub(hit.span.lines.0);
    let line = text.split_inclusive('\n').take(before);
    let line = line.map(str::len).sum::<usize>();
    let start = text[line..].find(&snippet.text).map_or(0, |at| line + at);
    start..(start + snippet.text.len()).min(text.len())
}

/// What was omitted because there was no room.
#[derive(Default)]
pub(super) struct Truncated {
    /// The ranks of the hits with a part of their text.
    pub(super) cut: Vec<usize>,
    /// The ranks of the hits without their text.
    pub(super) without_text: Vec<usize>,
    /// The number of omitted hits.
    pub(super) omitted: usize,
    /// Whether long front matter was omitted.
    metadata: bool,
}

impl Truncated {
    /// How to get what was omitted.
    pub(super) fn how(&self) -> Option<String> {
        let is_cut = !self.cut.is_empty() || !self.without_text.is_empty();
        let what = [
            (self.metadata, "front matter left out".to_string()),
            (is_cut, "texts cut: `get` by citation or id".to_string()),
            (
                self.omitted > 0,
                format!(
                    "{} left out: raise `max_tokens`",
                    counted(self.omitted, "hit")
                ),
            ),
        ];
        let what = what.into_iter().filter(|(is_so, _)| *is_so);
        let what: Vec<String> = what.map(|(_, how)| how).collect();
        (!what.is_empty()).then(|| what.join("; "))
    }
}

/// Limits the hits to `most` tokens. Each keeps its line, and its text gets a share of the rest
/// that falls with the rank; what a hit does not need goes to those below it. If the lines alone
/// would take more than two thirds, the last hits are dropped.
pub(super) fn fit(form: Form, hits: &mut Vec<QuotedHit<'_>>, most: usize) -> Truncated {
    /// The tokens for the notes about what is omitted.
    const HOW: usize = 40;
    /// The minimum number of tokens for a useful text.
    const WORTH: usize = 16;
    let mut truncated = Truncated::default();
    let whole = hits.iter();
    let whole = whole.map(|hit| hit.size_without_text(form) + hit.size_of_text(form));
    if whole.sum::<usize>() <= most {
        return truncated;
    }
    for hit in &mut *hits {
        // Text has no front matter of its own.
        if form.tokens("", &hit.metadata) > 2 * WORTH {
            hit.metadata = None;
            truncated.metadata = true;
        }
    }
    let most = most.saturating_sub(HOW);
    let (mut kept, mut taken) = (0, 0);
    for hit in hits.iter() {
        let head = hit.size_without_text(form);
        if kept > 0 && taken + head > most * 2 / 3 {
            break;
        }
        taken += head;
        kept += 1;
    }
    truncated.omitted = hits.len() - kept;
    hits.truncate(kept);
    let mut left = most.saturating_sub(taken);
    for (at, hit) in hits.iter_mut().enumerate() {
        // The weights of the remaining hits fall by one from hit to hit, down to 3.
        let count = kept - at;
        let share = left * 2 * (count + 2) / (count * (count + 5));
        if hit.size_of_text(form) > share {
            match share < WORTH && hit.rank > 1 {
                true => hit.text = None,
                false => hit.cut(share),
            }
            match (hit.text, hit.shown) {
                (None, _) => truncated.without_text.push(hit.rank),
                (Some(_), Some(_)) => truncated.cut.push(hit.rank),
                (Some(_), None) => {}
            }
        }
        left = left.saturating_sub(hit.size_of_text(form));
    }
    truncated
}
