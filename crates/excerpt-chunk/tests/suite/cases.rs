//! The number and the seed of the random cases of property tests. The tests of `excerpt-grammars`
//! include this file, too.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// The same random cases on every run. `EXCERPT_SEED` selects others, `EXCERPT_CASES` another
/// number.
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
