//! The plain packer that other strategies are compared with: it takes whole lines until the limit
//! is reached, splits a longer line wherever the limit falls, and repeats the last lines as
//! overlap. It ignores the structure of the text.

use std::ops::Range;

use crate::atom::trimmed;
use crate::bounds::Bounds;
use crate::chunk::Strength;
use crate::measure::Measure;
use crate::outline::Kind;
use crate::pack::{ONE_GRAPHEME, Piece};
use crate::split;

/// Splits the text from `start` on.
pub(crate) fn cut(measure: &Measure<'_>, start: usize, limits: &Bounds) -> Vec<Piece> {
    let text = measure.text;
    let max = limits.max - limits.path.min(limits.max / 4);
    let segments = segments(measure, start, max);
    let mut pieces: Vec<Piece> = Vec::new();
    let mut first = 0;
    while first < segments.len() {
        let next = &segments[first];
        let carried = carried(&segments[..first], limits.overlap, max - next.size.min(max));
        let overlap = carried.map_or(next.bytes.start, |segment| segment.bytes.start);
        let mut size = measure.between(overlap..next.bytes.end);
        let mut end = first + 1;
        while let Some(segment) = segments.get(end)
            && size + segment.size <= max
        {
            size += segment.size;
            end += 1;
        }
        let bytes = next.bytes.start..segments[end - 1].bytes.end;
        if let Some(bytes) = trimmed(text, bytes) {
            pieces.push(Piece {
                overlap: carried.map_or(bytes.start, |segment| segment.bytes.start),
                strength: if pieces.is_empty() {
                    Strength::Start
                } else {
                    next.strength
                },
                continues: !pieces.is_empty(),
                level: 0,
                place: 0,
                named: 0,
                touched: Vec::new(),
                kind: Kind::Mixed,
                begins: 0,
                head: 0,
                node: None,
                lead: None,
                overview: false,
                oversized: (size > max).then_some(ONE_GRAPHEME),
                bytes,
            });
        }
        first = end;
    }
    pieces
}

/// A line with its line end, or a part of a line that is too long.
struct Segment {
    bytes: Range<usize>,
    size: usize,
    strength: Strength,
}

fn segments(measure: &Measure<'_>, start: usize, max: usize) -> Vec<Segment> {
    let mut segments = Vec::new();
    let mut offset = start;
    for line in measure.text[start..].split_inclusive('\n') {
        split::raw(
            measure,
            offset..offset + line.len(),
            max,
            max,
            |bytes, strength| {
                let strength = match strength {
                    Strength::Start => Strength::Line,
                    inside => inside,
                };
                let size = measure.between(bytes.clone());
                segments.push(Segment {
                    bytes,
                    size,
                    strength,
                });
            },
        );
        offset += line.len();
    }
    segments
}

/// The first of the last segments that together reach `overlap` and still leave room.
fn carried(before: &[Segment], overlap: usize, room: usize) -> Option<&Segment> {
    let mut carried = None;
    let mut size = 0;
    for segment in before.iter().rev() {
        if size >= overlap || size + segment.size > room {
            break;
        }
        size += segment.size;
        carried = Some(segment);
    }
    carried
}
