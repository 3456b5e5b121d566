//! The day that a question asks about.

use std::ops::Range;

use chrono::NaiveDate;

use crate::analysis::days::Days;
use crate::store::Period;

/// What a question asks about a day.
pub(super) struct AskedPeriod {
    pub(super) days: Days,
    pub(super) period: Period,
    /// The words that say so.
    pub(super) said: String,
}

impl AskedPeriod {
    /// `None` if the question names no day.
    pub(super) fn of(question: &str, today: NaiveDate) -> Option<AskedPeriod> {
        let (days, bytes): (Days, Range<usize>) = Days::asked(question, today)?;
        Some(AskedPeriod {
            period: Period {
                since: Some(days.first()),
                until: Some(days.last()),
            },
            days,
            said: question[bytes].to_string(),
        })
    }

    /// Whether the word, as it was written, says which day is meant.
    pub(super) fn says(&self, word: &str) -> bool {
        let mut said = self.said.split(|c: char| !c.is_alphanumeric());
        said.any(|said| said.eq_ignore_ascii_case(word))
    }
}
