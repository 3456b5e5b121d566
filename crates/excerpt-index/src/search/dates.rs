//! The days that a question asks about.

use std::ops::Range;

use chrono::NaiveDate;

use crate::analysis::days::AskedDays;
use crate::store::Period;

/// The days that a question asks about.
pub(super) struct AskedPeriod {
    pub(super) days: AskedDays,
    pub(super) period: Period,
    /// The words that say so.
    pub(super) said: String,
}

impl AskedPeriod {
    /// `None` if the question names no day.
    pub(super) fn of(question: &str, today: NaiveDate) -> Option<AskedPeriod> {
        let (days, bytes): (AskedDays, Range<usize>) = AskedDays::of(question, today)?;
        Some(AskedPeriod {
            period: Period {
                since: days.first(),
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
