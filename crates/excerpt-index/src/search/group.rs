//! Groups candidates by document: a document scores like its best chunk.

use std::collections::HashMap;

use super::fusion::Scored;
use crate::model::DocumentId;

/// The candidates of one document.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Group {
    pub(super) document: DocumentId,
    pub(super) score: f32,
    /// Their positions among all candidates, best first.
    pub(super) chunks: Vec<usize>,
}

impl Group {
    fn new(index: usize, found: &Scored) -> Self {
        Group {
            document: found.key.document,
            score: found.score,
            chunks: vec![index],
        }
    }
}

/// One group per document, best first, from candidates, best first.
pub(super) fn by_document(found: &[Scored]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut places: HashMap<DocumentId, usize> = HashMap::new();
    for (index, found) in found.iter().enumerate() {
        match places.get(&found.key.document) {
            Some(place) => {
                groups[*place].chunks.push(index);
            }
            None => {
                places.insert(found.key.document, groups.len());
                groups.push(Group::new(index, found));
            }
        }
    }
    groups
}

/// One group per chunk, best first.
pub(super) fn by_chunk(found: &[Scored]) -> Vec<Group> {
    let found = found.iter().enumerate();
    found
        .map(|(index, found)| Group::new(index, found))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ChunkKey, Explanation, Revision};

    fn found(scores: &[(u64, f32)]) -> Vec<Scored> {
        let chunks = scores.iter().zip(0..);
        let chunks = chunks.map(|((document, score), ordinal)| Scored {
            key: ChunkKey {
                document: DocumentId(*document),
                ordinal,
            },
            rev: Revision(1),
            all_words: false,
            in_sequence: 0.0,
            score: *score,
            explanation: Explanation::default(),
            is_of_asked_day: false,
        });
        chunks.collect()
    }

    fn order(groups: &[Group]) -> Vec<u64> {
        groups.iter().map(|group| group.document.0).collect()
    }

    #[test]
    fn a_document_is_where_its_best_chunk_is() {
        let groups = by_document(&found(&[(1, 8.0), (2, 7.0), (1, 6.0), (2, 5.0)]));
        assert_eq!(order(&groups), [1, 2]);
        assert_eq!(groups[0].chunks, [0, 2]);
        assert_eq!(groups[1].score, 7.0);
    }

    #[test]
    fn chunks_alone_stay_as_they_are_ranked() {
        let groups = by_chunk(&found(&[(1, 3.0), (2, 2.0), (1, 1.0)]));
        assert_eq!(order(&groups), [1, 2, 1]);
        assert_eq!(groups[2].chunks, [2]);
    }
}
