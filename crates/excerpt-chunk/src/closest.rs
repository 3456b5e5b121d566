//! Suggestions for misspelled names.

/// The name in `known` that is closest to `name`, if they differ only by a typo.
pub fn closest<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    const SLIP: usize = 3;
    let distances = known
        .into_iter()
        .map(|known| (distance(known, name), known));
    let (distance, known) = distances.min_by_key(|(distance, _)| *distance)?;
    (distance <= SLIP).then_some(known)
}

/// How many letters must be inserted, deleted or replaced to turn `a` into `b`.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().take(64).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, left) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, right) in b.iter().enumerate() {
            let change = diagonal + usize::from(left != *right);
            diagonal = row[j + 1];
            row[j + 1] = change.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
