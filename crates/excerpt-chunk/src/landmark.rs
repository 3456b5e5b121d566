//! Landmarks: boundaries that are more natural places to split than all others within their reach.
//!
//! Whether a boundary is a landmark depends only on the text around it. A plan that favours
//! landmarks returns to the same splits soon before and after an edit. Without them, all rows of a
//! long table or items of a long list would be equally good places, and one inserted line would
//! redistribute them all.
//!
//! Among equally natural boundaries, the hash of the text that follows decides, as in
//! content-defined chunking by local maxima (Bjørner, Blass, Gurevich: *Content-dependent chunking
//! for differential compression, the local maximum approach*, 2010).

use std::cmp::Ordering;

use twox_hash::XxHash3_64;

use crate::atom::{Atom, Boundary};

/// For each of `atoms`, whether the boundary before it is a landmark: it is a more natural place to
/// split than any other within `reach` grains, and is at least that far from both ends of the text.
/// `weight` says how natural a boundary is: the lower, the more natural.
pub(crate) fn landmarks(
    text: &str,
    atoms: &[Atom],
    reach: usize,
    weight: impl Fn(&Atom) -> f32,
) -> Vec<bool> {
    let mut found = vec![false; atoms.len()];
    let end = atoms.last().map_or(0, |atom| atom.grains.end);
    if end < 2 * reach {
        return found;
    }
    let weights: Vec<f32> = atoms.iter().map(weight).collect();
    let order = |a: usize, b: usize| {
        let hash = |at: usize| XxHash3_64::oneshot(&text.as_bytes()[atoms[at].bytes.clone()]);
        let order = weights[a].total_cmp(&weights[b]);
        order.then_with(|| hash(a).cmp(&hash(b)))
    };
    // Boundaries after which none of lower weight has come yet, in order: the weight of each is at
    // least that of the previous one.
    let mut open: Vec<usize> = Vec::new();
    for (index, atom) in atoms.iter().enumerate() {
        let near = |other: usize| atom.grains.start - atoms[other].grains.start <= reach;
        let mut alone = atom.grains.start > reach;
        while let Some(&last) = open.last() {
            let ordering = order(index, last);
            if near(last) {
                alone &= ordering == Ordering::Less;
                found[last] &= ordering == Ordering::Greater;
            }
            if ordering != Ordering::Less {
                break;
            }
            open.pop();
        }
        open.push(index);
        found[index] = alone && end - atom.grains.start > reach && may_be_one(&atom.boundary);
    }
    found
}

/// A mandatory split needs no favour, and one through text that belongs together deserves none.
fn may_be_one(boundary: &Boundary) -> bool {
    !boundary.mandatory && !boundary.glue
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::Strength;

    fn atoms(weights: &[f32], size: usize) -> Vec<Atom> {
        let atom = |(index, weight): (usize, &f32)| Atom {
            head: 0,
            begins: 0,
            bytes: index * size..(index + 1) * size,
            grains: index * size..(index + 1) * size,
            boundary: Boundary {
                strength: Strength::Block,
                price: *weight,
                mandatory: false,
                glue: false,
            },
            level: 0,
            needs_lead: false,
            place: 0,
            node: 0,
        };
        weights.iter().enumerate().map(atom).collect()
    }

    fn found(text: &str, atoms: &[Atom], reach: usize) -> Vec<usize> {
        let found = landmarks(text, atoms, reach, |atom| atom.boundary.price);
        let indices = found.iter().enumerate();
        indices
            .filter_map(|(index, is)| is.then_some(index))
            .collect()
    }

    #[test]
    fn the_most_natural_boundary_within_reach_is_one() {
        let text = "x".repeat(100);
        let atoms = atoms(&[0.0, 2.0, 1.0, 2.0, 2.0, 0.5, 2.0, 2.0, 2.0, 0.0], 10);
        assert_eq!(found(&text, &atoms, 19), [2, 5]);
        assert_eq!(found(&text, &atoms, 39), [5]);
        assert!(found(&text, &atoms, 51).is_empty());
    }

    #[test]
    fn equal_texts_are_none() {
        assert!(found(&"x".repeat(1000), &atoms(&[1.0; 100], 10), 50).is_empty());
    }

    #[test]
    fn a_landmark_stays_one_wherever_it_stands() {
        let rows: Vec<String> = (0..400).map(|row| format!("row {row:>4}\n")).collect();
        let text = rows.concat();
        let all = atoms(&[1.0; 400], 9);
        let whole = found(&text, &all, 90);
        assert!(whole.len() >= 400 / 40, "{whole:?}");
        let later = found(&text[100 * 9..], &all[..300], 90);
        let expected: Vec<usize> = whole
            .iter()
            .filter(|at| **at > 111)
            .map(|at| at - 100)
            .collect();
        assert_eq!(
            later
                .iter()
                .filter(|at| **at > 11)
                .copied()
                .collect::<Vec<_>>(),
            expected
        );
    }
}
