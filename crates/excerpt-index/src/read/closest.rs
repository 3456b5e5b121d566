//! The path that the user probably meant.

/// Looks for the path most similar to a given one: one with the same file name, with or without its
/// ending, or else one that is a few edits away.
pub(crate) struct Closest<'a> {
    wanted: &'a str,
    best: Option<(usize, String)>,
}

impl<'a> Closest<'a> {
    pub(crate) fn new(wanted: &'a str) -> Self {
        Closest { wanted, best: None }
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

/// How many characters must be inserted, removed or replaced to get from one path to the other, if
/// at most `bound`.
fn distance(from: &str, to: &str, bound: usize) -> Option<usize> {
    // There are at least as many bytes as characters, so the lengths rule out most paths.
    if from.is_ascii() && to.is_ascii() && from.len().abs_diff(to.len()) > bound {
        return None;
    }
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
}
