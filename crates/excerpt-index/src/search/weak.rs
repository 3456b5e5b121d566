//! Whether a hit is probably no answer: every question has a best hit, even one that no document
//! answers.
//!
//! The constants were chosen on 27 indexes of 14 to 14,800 chunks (documentation, notes, source
//! code, and mixtures of them), from questions with an answer in them and questions about other
//! topics, and checked on each index with constants chosen on the others. `docs/ranking.md` has
//! both error rates for each set, and `scripts/weak` measures them again.

/// Evidence that a chunk answers a question.
#[derive(Clone, Copy, Debug)]
pub(super) struct Evidence {
    /// The share of the question's words that the chunk contains; rarer ones count more.
    pub(super) coverage: f32,
    /// Its BM25 score divided by the weight of all words of the question: about 1 if it contains
    /// each once, more if it is about them. 0 if the keyword index did not find it.
    pub(super) emphasis: f32,
    /// The cosine of its vector and the question's.
    pub(super) cosine: Option<f32>,
    /// Whether the question is [in Latin letters](crate::analysis::is_latin).
    pub(super) is_latin: bool,
}

/// The weights and the threshold. The threshold rises with the logarithm of the number of chunks,
/// because the best of many chance matches is better than the best of few: among personal notes, a
/// fifth of the unanswerable questions reach a sum of 0.3, among 14,000 chunks one of 0.6.
#[derive(Clone, Copy, Debug)]
struct Floor {
    coverage: f32,
    emphasis: f32,
    /// The rise of the threshold with the logarithm of the number of chunks.
    growth: f32,
}

/// With a cosine. With these constants, 1 of the 27 indexes leaves more than a fifth of the
/// unanswerable questions unmarked, and 4 mark more than a twentieth of the others. For the best
/// constants without `emphasis` it is 3 and 5, without `growth` 5 and 6.
const WITH_COSINE: Floor = Floor {
    coverage: 0.2,
    emphasis: 0.15,
    growth: 0.04,
};

/// Without vectors. Coverage alone marks less than half of the unanswerable questions, with any
/// threshold that does not mark the others.
const WITHOUT_COSINE: Floor = Floor {
    coverage: 1.0,
    emphasis: 0.5,
    growth: 0.08,
};
const FLOOR_WITHOUT_COSINE: f32 = 0.3;

/// The part of the threshold for a question in other letters, which has no cosine. Its pairs of
/// characters and its words without relevance count as words, so that even an answer has few of
/// them. Of 59 questions with an answer (Russian, Japanese, Chinese, Korean; 8 to 150 documents),
/// 7 are marked, and of 29 without one 17; with the whole threshold, it is 29 and 27.
const OTHER_LETTERS: f32 = 0.5;

impl Evidence {
    /// Whether the evidence is too weak among this number of chunks. `floor` is that of the
    /// embedder, see [`Embedder::floor`](crate::embed::Embedder::floor).
    pub(super) fn is_weak(&self, chunks: u64, floor: Option<f32>) -> bool {
        let (cosine, rule, floor) = match (self.cosine, floor) {
            (Some(cosine), Some(floor)) => (cosine, WITH_COSINE, floor),
            // The scale of this embedder's cosines is not known.
            (Some(_), None) => return false,
            (None, _) => (0.0, WITHOUT_COSINE, FLOOR_WITHOUT_COSINE),
        };
        let words = rule.coverage * self.coverage + rule.emphasis * self.emphasis;
        let part = match (self.cosine, self.is_latin) {
            (None, false) => OTHER_LETTERS,
            _ => 1.0,
        };
        cosine + words < part * (floor + rule.growth * (chunks as f32).ln_1p())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLOOR: Option<f32> = Some(0.2);

    fn evidence(coverage: f32, emphasis: f32, cosine: Option<f32>) -> Evidence {
        Evidence {
            coverage,
            emphasis,
            cosine,
            is_latin: true,
        }
    }

    #[test]
    fn in_other_letters_half_of_the_words_are_enough() {
        let latin = evidence(0.5, 0.5, None);
        let other = Evidence {
            is_latin: false,
            ..latin
        };
        assert!(latin.is_weak(1_000, FLOOR) && !other.is_weak(1_000, FLOOR));
        let few = Evidence {
            coverage: 0.1,
            ..other
        };
        assert!(few.is_weak(1_000, FLOOR));
    }

    #[test]
    fn an_answer_in_other_words_is_known_by_its_cosine_alone() {
        let other_words = |cosine| evidence(0.0, 0.0, Some(cosine));
        assert!(!other_words(0.5).is_weak(1_000, FLOOR));
        assert!(other_words(0.4).is_weak(1_000, FLOOR));
        assert!(other_words(-1.0).is_weak(0, FLOOR));
    }

    #[test]
    fn words_make_up_for_a_low_cosine() {
        assert!(!evidence(1.0, 1.0, Some(0.15)).is_weak(1_000, FLOOR));
        assert!(evidence(1.0, 0.0, Some(0.15)).is_weak(1_000, FLOOR));
        assert!(evidence(0.5, 0.2, Some(0.15)).is_weak(1_000, FLOOR));
    }

    #[test]
    fn the_best_of_more_chunks_has_to_be_better() {
        let some = evidence(0.3, 0.2, Some(0.3));
        assert!(!some.is_weak(10, FLOOR));
        assert!(some.is_weak(10_000, FLOOR));
        let words = evidence(0.6, 0.4, None);
        assert!(!words.is_weak(10, None));
        assert!(words.is_weak(10_000, None));
    }

    #[test]
    fn without_a_vector_the_words_decide() {
        for floor in [None, FLOOR] {
            assert!(!evidence(1.0, 1.0, None).is_weak(100_000, floor));
            assert!(evidence(0.0, 0.0, None).is_weak(1, floor));
        }
    }

    #[test]
    fn cosines_that_nobody_has_measured_mark_nothing() {
        assert!(!evidence(0.0, 0.0, Some(-1.0)).is_weak(1_000, None));
    }
}
