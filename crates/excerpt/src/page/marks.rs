//! Overlap as shown on the page: not in front of the chunk that repeats it, but at its place in the
//! text. Overlaps may intersect.

use std::ops::Range;

use excerpt_chunk::Chunk;

/// Which parts of the text are repeated in front of which chunks.
pub(super) struct Marks {
    /// The positions where the set of repeating chunks changes, each with the new set.
    changes: Vec<(usize, Vec<usize>)>,
}

impl Marks {
    /// Collects where the overlaps of `chunks` begin and end.
    pub(super) fn new(chunks: &[Chunk<'_>]) -> Self {
        let mut ends = Vec::new();
        for chunk in chunks {
            if let Some(overlap) = &chunk.overlap {
                ends.push((overlap.bytes.start, chunk.ordinal, true));
                ends.push((overlap.bytes.end, chunk.ordinal, false));
            }
        }
        ends.sort_unstable();
        let mut changes: Vec<(usize, Vec<usize>)> = vec![(0, Vec::new())];
        let mut open: Vec<usize> = Vec::new();
        for (at, ordinal, opens) in ends {
            match opens {
                true => open.push(ordinal),
                false => open.retain(|other| *other != ordinal),
            }
            match changes.last_mut() {
                Some((last, repeated)) if *last == at => repeated.clone_from(&open),
                _ => changes.push((at, open.clone())),
            }
        }
        Marks { changes }
    }

    /// The parts of `bytes`, each with the chunks that repeat it.
    pub(super) fn within(
        &self,
        bytes: Range<usize>,
    ) -> impl Iterator<Item = (Range<usize>, &[usize])> {
        let first = self.changes.partition_point(|(at, _)| *at <= bytes.start) - 1;
        let changes = self.changes[first..].iter().enumerate();
        let changes = changes.take_while(move |(_, (at, _))| *at < bytes.end);
        changes.map(move |(index, (at, repeated))| {
            let next = self.changes.get(first + index + 1);
            let end = next.map_or(bytes.end, |(next, _)| bytes.end.min(*next));
            (bytes.start.max(*at)..end, &**repeated)
        })
    }
}

/// Numbers as the value of an attribute.
pub(super) fn joined(numbers: &[usize]) -> String {
    let numbers: Vec<_> = numbers.iter().map(usize::to_string).collect();
    numbers.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_end_where_the_overlap_changes() {
        let marks = Marks {
            changes: vec![(0, vec![]), (4, vec![1]), (6, vec![1, 2]), (8, vec![])],
        };
        let parts: Vec<_> = marks.within(2..7).collect();
        let expected: [(_, &[usize]); 3] = [(2..4, &[]), (4..6, &[1]), (6..7, &[1, 2])];
        assert_eq!(parts, expected);
        assert_eq!(marks.within(8..9).count(), 1);
        assert_eq!(joined(&[1, 2]), "1 2");
    }
}
