//! A hit within a budget, and how much of each hit's text fits into an answer.

use std::ops::Range;

use excerpt_chunk::Hash;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::hit::{DocumentHit, HitCopy, SearchHit};
use crate::text::budget::{around, begun, bounded};

/// The identity of a hit, and as much of its text as there is room for. The names are those of
/// [`SearchHit`].
#[derive(Clone, Debug, Serialize)]
pub struct BriefHit<'a> {
    /// Its position in the answer, from 1.
    pub rank: usize,
    /// The name of the collection, if the source is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collection: Option<&'a str>,
    /// The path of the document as shown.
    pub path: &'a str,
    /// A target that `get` accepts.
    pub citation: &'a str,
    /// The first and the last line of the chunk.
    #[serde(skip)]
    pub lines: (usize, usize),
    /// Where it is in a file that is not text, such as `page=12`.
    #[serde(skip)]
    pub place: Option<&'a str>,
    /// The title of the document, shortened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The headings or scopes that enclose it, outermost first.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub trail: &'a [String],
    /// The headings or definitions in it.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub sections: &'a [String],
    /// Some fields of the front matter for a line, if the answer has not shown them yet.
    #[serde(skip)]
    pub fields: Vec<String>,
    /// The front matter of its document; `None` if there was no room for it.
    #[serde(skip_serializing_if = "is_empty")]
    pub metadata: Option<&'a Map<String, Value>>,
    /// Higher is better. Comparable only within one answer.
    pub score: f32,
    /// The channel that found it: `keywords`, `vectors` or `both`.
    pub channel: &'static str,
    /// Whether it is probably not an answer.
    pub weak: bool,
    /// The id of the chunk.
    pub id: Hash,
    /// The first and the last line of the text, if it is only a part of the chunk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shown: Option<(usize, usize)>,
    /// `None` if there was no room for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<&'a str>,
    /// The byte range of the snippet in the text.
    #[serde(skip)]
    best: Range<usize>,
    /// The near-copies and translations that were folded into it.
    #[serde(skip)]
    pub also_in: &'a [HitCopy<'a>],
}

/// What the parts of a hit take in an answer, in tokens.
pub trait HitCost {
    /// A hit without its text.
    fn hit(&self, hit: &BriefHit<'_>) -> usize;

    /// A text.
    fn text(&self, text: &str) -> usize;

    /// Front matter.
    fn metadata(&self, metadata: Option<&Map<String, Value>>) -> usize;
}

impl<'a> BriefHit<'a> {
    /// A view of `hit` with all of its text.
    #[must_use]
    pub fn of(hit: &'a SearchHit<'a>) -> Self {
        BriefHit {
            rank: hit.rank,
            collection: hit.collection,
            path: &hit.path,
            citation: &hit.citation,
            lines: hit.span.lines,
            place: hit.place,
            title: hit.document.title.map(bounded),
            trail: hit.context.trail,
            sections: hit.sections,
            fields: fields(hit.document.metadata),
            metadata: Some(hit.document.metadata),
            score: hit.score,
            channel: hit.channel,
            weak: hit.weak,
            id: hit.id,
            shown: None,
            text: Some(hit.text),
            best: best(hit),
            also_in: &hit.also_in,
        }
    }

    /// Its tokens without the text.
    fn size_without_text(&self, cost: &impl HitCost) -> usize {
        // If only a part is shown, its line range is added.
        cost.hit(&BriefHit {
            text: None,
            shown: Some(self.lines),
            ..self.clone()
        })
    }

    /// The tokens of its text.
    fn size_of_text(&self, cost: &impl HitCost) -> usize {
        self.text.map_or(0, |text| cost.text(text))
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

/// A document of an answer, without its text. The names are those of [`DocumentHit`].
#[derive(Clone, Debug, Serialize)]
pub struct BriefDocument<'a> {
    /// Its position in the answer, from 1.
    pub rank: usize,
    /// The name of the collection, if the source is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collection: Option<&'a str>,
    /// Its path as shown.
    pub path: &'a str,
    /// Its title, shortened.
    pub title: Option<String>,
    /// Higher is better. Comparable only within one answer.
    pub score: f32,
    /// Whether all its hits are weak.
    pub weak: bool,
}

impl<'a> BriefDocument<'a> {
    /// A view of `document`.
    #[must_use]
    pub fn of(document: &'a DocumentHit<'a>) -> Self {
        BriefDocument {
            rank: document.rank,
            collection: document.collection,
            path: &document.path,
            title: document.document.title.map(bounded),
            score: document.score,
            weak: document.weak,
        }
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

fn is_empty(metadata: &Option<&Map<String, Value>>) -> bool {
    metadata.is_none_or(Map::is_empty)
}

/// The byte range of a hit's snippet in its text.
fn best(hit: &SearchHit<'_>) -> Range<usize> {
    let (snippet, text) = (hit.snippet, hit.text);
    let before = snippet.line.saturating_sub(hit.span.lines.0);
    let line = text.split_inclusive('\n').take(before);
    let line = line.map(str::len).sum::<usize>();
    let start = text[line..].find(&*snippet.text).map_or(0, |at| line + at);
    start..(start + snippet.text.len()).min(text.len())
}

/// What was omitted because there was no room.
#[derive(Clone, Debug, Default)]
pub struct Truncated {
    /// The ranks of the hits with a part of their text.
    pub cut: Vec<usize>,
    /// The ranks of the hits without their text.
    pub without_text: Vec<usize>,
    /// The number of omitted hits.
    pub omitted: usize,
    /// Whether long front matter was omitted.
    pub metadata: bool,
}

/// The minimum number of tokens for a useful text.
const WORTH: usize = 16;

/// Limits the hits to `most` tokens. Each keeps its line, and its text gets a share of the rest
/// that falls with the rank; what a hit does not need goes to those below it. If the lines alone
/// would take more than two thirds, the last hits are dropped.
pub fn fit(hits: &mut Vec<BriefHit<'_>>, most: usize, cost: &impl HitCost) -> Truncated {
    /// The tokens for the notes about what is omitted.
    const HOW: usize = 40;
    let mut truncated = Truncated::default();
    let whole = hits.iter();
    let whole = whole.map(|hit| hit.size_without_text(cost) + hit.size_of_text(cost));
    if whole.sum::<usize>() <= most {
        return truncated;
    }
    for hit in &mut *hits {
        // Text has no front matter of its own.
        if cost.metadata(hit.metadata) > 2 * WORTH {
            hit.metadata = None;
            truncated.metadata = true;
        }
    }
    let most = most.saturating_sub(HOW);
    let (kept, taken) = fitting(hits, most, cost);
    truncated.omitted = hits.len() - kept;
    hits.truncate(kept);
    share_out(hits, most.saturating_sub(taken), cost, &mut truncated);
    truncated
}

/// How many hits are kept, and the size of their lines.
fn fitting(hits: &[BriefHit<'_>], most: usize, cost: &impl HitCost) -> (usize, usize) {
    let (mut kept, mut taken) = (0, 0);
    for hit in hits {
        let head = hit.size_without_text(cost);
        if kept > 0 && taken + head > most * 2 / 3 {
            break;
        }
        taken += head;
        kept += 1;
    }
    (kept, taken)
}

/// Cuts the texts of the hits so that they take at most what is `left`.
fn share_out(
    hits: &mut [BriefHit<'_>],
    mut left: usize,
    cost: &impl HitCost,
    truncated: &mut Truncated,
) {
    let kept = hits.len();
    for (at, hit) in hits.iter_mut().enumerate() {
        // The weights of the remaining hits fall by one from hit to hit, down to 3.
        let count = kept - at;
        let share = left * 2 * (count + 2) / (count * (count + 5));
        if hit.size_of_text(cost) > share {
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
        left = left.saturating_sub(hit.size_of_text(cost));
    }
}
