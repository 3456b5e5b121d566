//! Arithmetic with days: units of time, and times that recur.

use chrono::{Datelike as _, Days as Count, Months, NaiveDate, Weekday};

use super::Days;

/// A unit in which people count time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TimeUnit {
    Hour,
    Day,
    Week,
    Month,
    Quarter,
    Year,
}

impl TimeUnit {
    /// The calendar day, week, month, quarter or year of a day; `None` for hours.
    fn around(self, day: NaiveDate) -> Option<Days> {
        match self {
            TimeUnit::Hour => None,
            TimeUnit::Day => Some(Days::one(day)),
            TimeUnit::Week => {
                let week = day.week(Weekday::Mon);
                Days::of(week.checked_first_day()?, week.checked_last_day()?)
            }
            TimeUnit::Month => Yearly::Month(day.month()).of(day.year()),
            TimeUnit::Quarter => Yearly::Quarter(day.month0() / 3 + 1).of(day.year()),
            TimeUnit::Year => {
                let first = NaiveDate::from_ymd_opt(day.year(), 1, 1)?;
                Days::of(first, NaiveDate::from_ymd_opt(day.year(), 12, 31)?)
            }
        }
    }

    /// The calendar unit that is so many units before that of `today`: `last week`, `2 weeks ago`.
    /// So many hours ago may be as many days ago as they last, or less.
    pub(super) fn ago(self, count: u32, today: NaiveDate) -> Option<Days> {
        match self {
            TimeUnit::Hour => Days::of(self.before(count, today)?, today),
            _ => self.around(self.before(count, today)?),
        }
    }

    /// The time of so many units that ends with `last`: `the last 3 days`.
    pub(super) fn up_to(self, count: u32, last: NaiveDate) -> Option<Days> {
        let before = self.before(count, last)?;
        let first = match self {
            // A day of 24 hours is part of two.
            TimeUnit::Hour => before,
            _ => before.succ_opt()?,
        };
        Days::of(first, last)
    }

    /// The time of so many units that begins with `first`.
    pub(super) fn from(self, count: u32, first: NaiveDate) -> Option<Days> {
        let after = match self.size(count)? {
            Size::Days(count) => first.checked_add_days(count)?,
            Size::Months(count) => first.checked_add_months(count)?,
        };
        Days::of(first, after.pred_opt()?)
    }

    /// The day that is so many units before another.
    pub(super) fn before(self, count: u32, day: NaiveDate) -> Option<NaiveDate> {
        match self.size(count)? {
            Size::Days(count) => day.checked_sub_days(count),
            Size::Months(count) => day.checked_sub_months(count),
        }
    }

    fn size(self, count: u32) -> Option<Size> {
        let days = |days: u32| Size::Days(Count::new(days.into()));
        let months = |months: u32| Size::Months(Months::new(months));
        Some(match self {
            TimeUnit::Hour => days(count.div_ceil(24)),
            TimeUnit::Day => days(count),
            TimeUnit::Week => days(count.checked_mul(7)?),
            TimeUnit::Month => months(count),
            TimeUnit::Quarter => months(count.checked_mul(3)?),
            TimeUnit::Year => months(count.checked_mul(12)?),
        })
    }
}

enum Size {
    Days(Count),
    Months(Months),
}

/// A time that every year has, except for 29 February.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Yearly {
    Date { month: u32, day: u32 },
    Month(u32),
    Quarter(u32),
}

impl Yearly {
    /// That of a year.
    pub(super) fn of(self, year: i32) -> Option<Days> {
        let months = |first: u32, count: u32| {
            let first = NaiveDate::from_ymd_opt(year, first, 1)?;
            TimeUnit::Month.from(count, first)
        };
        match self {
            Yearly::Date { month, day } => NaiveDate::from_ymd_opt(year, month, day).map(Days::one),
            Yearly::Month(month) => months(month, 1),
            Yearly::Quarter(quarter) => months(3 * quarter - 2, 3),
        }
    }

    /// The last one that has begun on a day.
    pub(super) fn latest(self, until: NaiveDate) -> Option<Days> {
        // 29 February may be some years back.
        let mut years = (0..8).filter_map(|back| self.of(until.year() - back));
        years.find(|days| days.first <= until)
    }

    /// The first one that begins on a day or later.
    pub(super) fn next(self, from: NaiveDate) -> Option<Days> {
        let mut years = (0..8).filter_map(|on| self.of(from.year() + on));
        years.find(|days| days.first >= from)
    }
}

/// The last such weekday up to `until`.
pub(super) fn latest(day: Weekday, until: NaiveDate) -> Option<NaiveDate> {
    let back = until.weekday().days_since(day);
    until.checked_sub_days(Count::new(back.into()))
}

/// The Saturday and Sunday that begin with the last Saturday up to `until`.
pub(super) fn weekend(until: NaiveDate) -> Option<Days> {
    let saturday = latest(Weekday::Sat, until)?;
    Days::of(saturday, saturday.succ_opt()?)
}
