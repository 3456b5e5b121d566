//! A hit as an agent reads it, and how many of them there is room for.

use std::borrow::Cow;

use excerpt_chunk::Hash;
use excerpt_index::{DocumentHits, Hit};
use serde::Serialize;
use serde_json::{Map, Value};

use super::budget::{beginning, bounded, sent};
use super::fence::measured;
use super::names::{address, quoted, quoted_trail};
use crate::output::counted;
use crate::wire::channel;

/// How many digits of a chunk's id the text shows: enough to be asked for.
const ID: usize = 12;

/// What leads to a hit and tells it from others, and its text. The names are those of [`crate::wire::Hit`].
#[derive(Clone, Serialize)]
pub(super) struct Passage<'a> {
    pub(super) rank: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    collection: Option<&'a str>,
    path: &'a str,
    pub(super) citation: String,
    #[serde(skip)]
    lines: (usize, usize),
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    trail: &'a [String],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    sections: &'a [String],
    /// The front matter of its document; none when there was no room for it.
    #[serde(skip_serializing_if = "is_empty")]
    metadata: Option<&'a Map<String, Value>>,
    score: f32,
    channel: &'static str,
    weak: bool,
    pub(super) id: Hash,
    /// None when there was no room for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<Cow<'a, str>>,
}

impl<'a> Passage<'a> {
    /// A hit at `rank`, in a document that is shown as `path`.
    pub(super) fn of(rank: usize, document: &'a DocumentHits, hit: &'a Hit, path: &'a str) -> Self {
        let lines @ (first, last) = hit.span.lines;
        Passage {
            rank,
            collection: document.collection.as_deref(),
            path,
            citation: format!("{path}:{first}-{last}"),
            lines,
            title: document.title.as_deref().map(bounded),
            trail: &hit.trail,
            sections: &hit.sections,
            metadata: Some(&document.metadata),
            score: hit.score,
            channel: channel(&hit.explanation),
            weak: hit.weak,
            id: hit.id,
            text: Some(Cow::Borrowed(&hit.text)),
        }
    }

    /// The line above its text: what is known of the hit first, and last, in quotes, what its document says of it.
    pub(super) fn head(&self) -> String {
        let mut head = format!("[{}] ", self.rank);
        if let Some(collection) = self.collection {
            head += &format!("{}: ", address(collection));
        }
        let (first, last) = self.lines;
        let weak = if self.weak { ", weak" } else { "" };
        let (channel, id) = (self.channel, short(self.id));
        head += &format!(
            "{}:{first}-{last} · score {:.3} ({channel}{weak}) · id {id}",
            address(self.path),
            self.score
        );
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
        head
    }

    /// What it takes without its text, where `rest` stands under it and it is named among those that are cut.
    fn size_without_text(&self, rest: &str) -> usize {
        let without = Passage {
            text: None,
            ..self.clone()
        };
        let lines = measured(&self.head()) + rest;
        sent(&lines, &(without, &self.citation))
    }

    /// What its front matter takes.
    fn size_of_metadata(&self) -> usize {
        sent("", &self.metadata)
    }

    /// What its text takes.
    fn size_of_text(&self) -> usize {
        self.text.as_ref().map_or(0, |text| sent(text, text))
    }

    /// What is said under a hit whose text is not there as a whole.
    pub(super) fn rest(&self) -> String {
        let what = match self.text {
            Some(_) => "the rest is left out",
            None => "the text is left out",
        };
        format!("… {what}: `get` {}", short(self.id))
    }
}

fn is_empty(metadata: &Option<&Map<String, Value>>) -> bool {
    metadata.is_none_or(Map::is_empty)
}

/// The digits of an id that are shown.
pub(super) fn short(id: Hash) -> String {
    let mut id = id.to_string();
    id.truncate(ID);
    id
}

/// What was left out for want of room.
#[derive(Default)]
pub(super) struct Truncated {
    /// The ranks of those whose text ends early.
    pub(super) cut: Vec<usize>,
    /// The ranks of those whose text is not there.
    pub(super) without_text: Vec<usize>,
    /// How many hits are not there at all.
    pub(super) omitted: usize,
    /// Whether long front matter is not there.
    metadata: bool,
}

impl Truncated {
    /// How to get what was left out.
    pub(super) fn how(&self) -> Option<String> {
        let texts = self.cut.len() + self.without_text.len();
        let texts = (texts > 0).then(|| format!("{texts} of the texts"));
        let hits = (self.omitted > 0).then(|| format!("the last {}", counted(self.omitted, "hit")));
        let metadata = self.metadata.then(|| "long front matter".to_string());
        let what = [metadata, texts, hits].into_iter();
        let what = what.flatten().collect::<Vec<_>>();
        (!what.is_empty()).then(|| {
            format!(
                "{} left out or cut to stay within `max_tokens`: `get` the ids, or ask for more tokens",
                what.join(", ")
            )
        })
    }
}

/// Leaves out texts, from the last hit upward, until what is left takes at most so many tokens. Of the one that does not fit as a whole, the beginning
/// stays. Where the hits without their texts would take more than half of the room, the last of them go.
pub(super) fn fit(hits: &mut Vec<Passage<'_>>, most: usize) -> Truncated {
    /// What is said of all that is left out, as a note and as data.
    const HOW: usize = 60;
    /// The beginning of a text that is worth its room.
    const WORTH: usize = 40;
    let mut truncated = Truncated::default();
    let whole = hits.iter();
    let whole = whole.map(|hit| hit.size_without_text("") + hit.size_of_text());
    if whole.sum::<usize>() <= most {
        return truncated;
    }
    for hit in &mut *hits {
        if hit.size_of_metadata() > WORTH {
            hit.metadata = None;
            truncated.metadata = true;
        }
    }
    let most = most.saturating_sub(HOW);
    let (mut kept, mut taken) = (0, 0);
    for hit in hits.iter() {
        let head = hit.size_without_text(&measured(&hit.rest()));
        if kept > 0 && taken + head > most / 2 {
            break;
        }
        taken += head;
        kept += 1;
    }
    truncated.omitted = hits.len() - kept;
    hits.truncate(kept);
    let mut left = most.saturating_sub(taken);
    let mut is_full = false;
    for hit in hits {
        let needed = hit.size_of_text();
        if !is_full && needed <= left {
            left -= needed;
            continue;
        }
        let begun = match (is_full, &hit.text) {
            (false, Some(text)) if left >= WORTH || hit.rank == 1 => beginning(text, left),
            _ => "",
        };
        let begun = begun.to_string();
        is_full = true;
        if begun.trim().is_empty() {
            hit.text = None;
            truncated.without_text.push(hit.rank);
        } else {
            hit.text = Some(Cow::Owned(begun));
            truncated.cut.push(hit.rank);
        }
    }
    truncated
}
