//! How many random cases a property is tried on, and which. The tests of `excerpt-grammars` include this file, too.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// The same random cases on every run, as many as said; `EXCERPT_SEED` gives others, `EXCERPT_CASES` more.
pub(crate) fn random_cases(usual: u32) -> ProptestConfig {
    let number = |name| {
        std::env::var(name)
            .ok()
            .and_then(|value| value.parse().ok())
    };
    ProptestConfig {
        cases: number("EXCERPT_CASES").map_or(usual, |cases: u64| cases as u32),
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(number("EXCERPT_SEED").unwrap_or(2026)),
        ..ProptestConfig::default()
    }
}
