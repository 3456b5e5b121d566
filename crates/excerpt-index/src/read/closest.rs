//! The path that the user probably meant.

/// Looks for the path most similar to a given one: one with the same file name, with or without its
/// ending, or else one that is a few edits away.
pub(crate) struct Closest<'a> {
    wanted: &'a str,
    letters: Letters,
    best: Option<(usize, String)>,
}

impl<'a> Closest<'a> {
    pub(crate) fn new(wanted: &'a str) -> Self {
        Closest {
            wanted,
            letters: Letters::of(wanted),
            best: None,
        }
    }

    /// Considers an existing path.
    pub(crate) fn offer(&mut self, path: &str) {
        let bound = self
            .best
            .as_ref()
            .map_or(self.wanted.chars().count() / 3, |(distance, _)| {
                distance.saturating_sub(1)
            });
        let (found, wanted) = (name(path), name(self.wanted));
        let has_its_name = |found: &str| found.eq_ignore_ascii_case(wanted);
        let stem = found.rsplit_once('.').map(|(stem, _)| stem);
        let distance = match has_its_name(found) || stem.is_some_and(has_its_name) {
            true => Some(0),
            false if self.letters.distance(path) > bound => None,
            false => distance(self.wanted, path, bound),
        };
        let better = |distance: &usize| self.best.as_ref().is_none_or(|(best, _)| distance < best);
        if let Some(distance) = distance.filter(better) {
            self.best = Some((distance, path.to_string()));
        }
    }

    /// The most similar one; the first of several equal ones.
    pub(crate) fn found(self) -> Option<String> {
        self.best.map(|(_, path)| path)
    }
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// How often each character occurs in a path, by the lowest byte of its number.
///
/// An edit changes the count of at most one character up and of one down, so counts rule out most
/// paths, at a small part of what a table of edits costs. Characters with the same lowest byte only
/// make the bound lower.
struct Letters([i32; 256]);

impl Letters {
    fn of(path: &str) -> Self {
        let mut counts = [0; 256];
        path.chars().for_each(|c| counts[c as usize & 255] += 1);
        Letters(counts)
    }

    /// A lower bound of the edits between this path and the other.
    fn distance(&self, other: &str) -> usize {
        let Letters(other) = Letters::of(other);
        let (mut missing, mut surplus) = (0, 0);
        for (ours, theirs) in self.0.iter().zip(other) {
            missing += 0.max(ours - theirs);
            surplus += 0.max(theirs - ours);
        }
        missing.max(surplus).unsigned_abs() as usize
    }
}

/// How many characters must be inserted, removed or replaced to get from one path to the other, if
/// at most `bound`.
fn distance(from: &str, to: &str, bound: usize) -> Option<usize> {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
        if row.iter().all(|distance| *distance > bound) {
            return None;
        }
    }
    row.last().copied().filter(|distance| *distance <= bound)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn closest(wanted: &str, paths: &[&str]) -> Option<String> {
        let mut closest = Closest::new(wanted);
        paths.iter().for_each(|path| closest.offer(path));
        closest.found()
    }

    #[test]
    fn the_same_name_elsewhere_is_meant_first() {
        assert_eq!(
            closest("install.md", &["instal.md", "docs/Install.md"]).unwrap(),
            "docs/Install.md"
        );
    }

    #[test]
    fn a_slip_of_the_pen_is_seen() {
        assert_eq!(
            closest("docs/instal.md", &["docs/use.md", "docs/install.md"]).unwrap(),
            "docs/install.md"
        );
        assert_eq!(closest("docs/instal.md", &["src/main.rs", "README"]), None);
    }

    #[test]
    fn counts_of_characters_never_exceed_the_edits() {
        let paths = ["docs/install.md", "instal.md", "ß/ŀ.md", "lldotsn.dm/i", ""];
        for (from, to) in paths.iter().flat_map(|from| paths.map(|to| (from, to))) {
            let edits = distance(from, to, usize::MAX).expect("no bound");
            assert!(Letters::of(from).distance(to) <= edits, "{from} {to}");
        }
    }
}
