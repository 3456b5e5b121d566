//! The label of a hit: the headings or scopes around it, and the first names of what is in it.

/// How many names of sections or definitions are shown.
const NAMES: usize = 2;

/// The label of a chunk with this trail and these sections; `None` if it has neither.
pub(crate) fn label(trail: &[String], sections: &[String]) -> Option<String> {
    let named = sections.iter().take(NAMES);
    let mut names = named.map(String::as_str).collect::<Vec<_>>().join(", ");
    if sections.len() > NAMES {
        names += &format!(" +{}", sections.len() - NAMES);
    }
    let around = trail.join(" > ");
    match (trail.is_empty(), sections.is_empty()) {
        (true, true) => None,
        (true, false) => Some(names),
        (false, true) => Some(around),
        (false, false) => Some(format!("{around} > {names}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_in_a_chunk_follow_those_around_it() {
        let label = |trail: &[&str], sections: &[&str]| {
            let texts = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
            label(&texts(trail), &texts(sections))
        };
        let label = |trail, sections| label(trail, sections).unwrap_or_default();
        assert_eq!(label(&[], &[]), "");
        assert_eq!(label(&["impl A"], &[]), "impl A");
        assert_eq!(label(&[], &["fn a", "fn b"]), "fn a, fn b");
        assert_eq!(
            label(&["mod m", "impl A"], &["fn a"]),
            "mod m > impl A > fn a"
        );
        let many = ["fn a", "fn b", "fn c", "fn d"];
        assert_eq!(label(&["impl A"], &many), "impl A > fn a, fn b +2");
    }
}
