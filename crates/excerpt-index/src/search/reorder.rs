//! The order that a model gives to the best chunks of a list: a share of each score is the model's.

use std::collections::HashMap;
use std::time::Duration;

use excerpt_chunk::embedded_text;

use super::fusion::Scored;
use super::signals;
use crate::model::{ChunkKey, DocumentId, Note};
use crate::rerank::Reranker;
use crate::store::snapshot::{PassageRequest, Shortlist, Snapshot};
use crate::store::{StoreError, StoredDocument};

/// Reorders the chunks of one search.
pub(super) struct Reorder<'a> {
    pub(super) reranker: &'a Reranker,
    pub(super) question: &'a str,
    /// How long to wait for the model.
    pub(super) wait: Duration,
    /// What the model said about the best chunks, from 0 for the worst to 1 for the best of them,
    /// or why it said nothing.
    parts: Option<Result<HashMap<ChunkKey, f32>, String>>,
}

impl<'a> Reorder<'a> {
    pub(super) fn new(reranker: &'a Reranker, question: &'a str, wait: Option<Duration>) -> Self {
        Reorder {
            reranker,
            question,
            wait: wait.unwrap_or(reranker.options().wait),
            parts: None,
        }
    }

    /// Changes the scores of the chunks of a list, best first. The model is asked once: with a
    /// longer list, the best are the same.
    pub(super) fn apply(
        &mut self,
        snapshot: &dyn Snapshot,
        list: &Shortlist,
        found: &mut [Scored],
    ) -> Result<(), StoreError> {
        if self.parts.is_none() {
            self.parts = Some(self.ask(snapshot, list, found)?);
        }
        let Some(Ok(parts)) = &self.parts else {
            return Ok(());
        };
        if parts.is_empty() {
            return Ok(());
        }
        let best = found.first().map_or(0.0, |found| found.score);
        let share = self.reranker.options().share;
        for found in found {
            let part = parts.get(&found.key).copied().unwrap_or(0.0);
            let score = (1.0 - share) * found.score + share * best * part;
            let gained = score - found.score;
            signals::gain(found, "rerank", gained);
        }
        Ok(())
    }

    /// What to know about it.
    pub(super) fn note(self) -> Option<Note> {
        let reason = self.parts?.err()?;
        Some(Note::NotReranked { reason })
    }

    fn ask(
        &self,
        snapshot: &dyn Snapshot,
        list: &Shortlist,
        found: &[Scored],
    ) -> Result<Result<HashMap<ChunkKey, f32>, String>, StoreError> {
        let count = self.reranker.options().candidates.min(found.len());
        let (keys, texts) = texts(snapshot, list, &found[..count])?;
        if keys.len() < 2 {
            return Ok(Ok(HashMap::new()));
        }
        let scores = self.reranker.scores(self.question, texts, self.wait);
        Ok(scores.map(|scores| keys.into_iter().zip(parts(&scores)).collect()))
    }
}

/// The texts of chunks with their context, as they are embedded.
fn texts(
    snapshot: &dyn Snapshot,
    list: &Shortlist,
    found: &[Scored],
) -> Result<(Vec<ChunkKey>, Vec<String>), StoreError> {
    let mut places: HashMap<DocumentId, usize> = HashMap::new();
    let mut wanted: Vec<(&StoredDocument, Vec<ChunkKey>)> = Vec::new();
    for found in found {
        let Some(document) = list.documents.get(&found.key.document) else {
            continue;
        };
        let place = *places.entry(document.id).or_insert_with(|| {
            wanted.push((document, Vec::new()));
            wanted.len() - 1
        });
        wanted[place].1.push(found.key);
    }
    let mut passages = snapshot.passages(&PassageRequest {
        chunks: &wanted,
        vector: None,
        beginning: 0,
    })?;
    // The best first: what is computed before the time is over is theirs.
    let read = found.iter().filter_map(|found| {
        let passage = passages.chunks.remove(&found.key)?;
        let text = embedded_text(&passage.chunk.header, &passage.text);
        Some((found.key, text.into_owned()))
    });
    Ok(read.unzip())
}

/// Scores from 0 for the lowest to 1 for the highest; all 1 if they are equal.
fn parts(scores: &[f32]) -> Vec<f32> {
    let least = scores.iter().copied().fold(f32::INFINITY, f32::min);
    let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let width = most - least;
    let part = |score: &f32| match width > 0.0 {
        true => (score - least) / width,
        false => 1.0,
    };
    scores.iter().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_reach_from_the_lowest_to_the_highest() {
        assert_eq!(parts(&[-1.0, 3.0, 1.0]), [0.0, 1.0, 0.5]);
        assert_eq!(parts(&[2.0, 2.0]), [1.0, 1.0]);
    }
}
