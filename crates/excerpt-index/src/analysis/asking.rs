//! Whether a query is asked as a question, and not given as keywords or as the description of what
//! is looked for.

/// Words that ask for something by themselves.
const ASK: [&str; 3] = ["what", "which", "who"];

/// Words that ask for something if a verb follows: `how it works` and `where it is` describe.
const ASK_WITH_A_VERB: [&str; 4] = ["how", "when", "where", "why"];

/// Verbs that a question turns round: `is it`, `can I`.
const VERBS: [&str; 18] = [
    "are", "can", "could", "did", "do", "does", "had", "has", "have", "is", "may", "must",
    "should", "was", "were", "will", "would", "am",
];

/// Words that follow such a verb in a question. In the description of a function, others do: `is
/// called when`, `can be used`.
const SUBJECTS: [&str; 12] = [
    "anyone",
    "anything",
    "i",
    "it",
    "my",
    "one",
    "someone",
    "something",
    "there",
    "they",
    "we",
    "you",
];

/// Whether a query ends with a question mark, or begins as a question in English does.
pub(crate) fn asks(query: &str) -> bool {
    let query = query.trim();
    if query.ends_with(['?', '？', '؟', '⁇']) {
        return true;
    }
    let mut words = query.split(|c: char| !c.is_alphanumeric());
    let mut next = || {
        let word = words.find(|word| !word.is_empty());
        word.map(str::to_lowercase).unwrap_or_default()
    };
    let (first, second) = (next(), next());
    let is = |list: &[&str], word: &str| list.contains(&word);
    (is(&ASK, &first) && !second.is_empty())
        || (is(&ASK_WITH_A_VERB, &first) && is(&VERBS, &second))
        || (is(&VERBS, &first) && is(&SUBJECTS, &second))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_asked_in_any_language_with_a_mark_and_in_english_without_one() {
        for query in [
            "green tea?",
            "Warum pfeift der Kessel?",
            "お茶は何度ですか？",
            "how do I boil water",
            "Why is it bitter",
            "what is a kettle",
            "which pot keeps the heat",
            "does it whistle",
            "can I use iron",
            "is there a lid",
        ] {
            assert!(asks(query), "{query}");
        }
    }

    #[test]
    fn words_names_and_descriptions_are_not_asked() {
        for query in [
            "",
            "what",
            "green tea",
            "how the kettle boils",
            "where the lid is kept",
            "why",
            "Is called when the water boils.",
            "Can be used twice",
            "Do not open the lid",
            "is_open",
            "a = b ? c : d",
        ] {
            assert!(!asks(query), "{query}");
        }
    }
}
