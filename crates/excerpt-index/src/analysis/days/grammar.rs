//! The grammar of days in a question:
//!
//! ```text
//! phrase     = lower time [["and" | "but"] upper time] | upper time
//!            | ["between" | "from"] time joint time | "from" time "onwards" | time
//! lower      = "since" | "after" | …                                                  (BOUNDS)
//! upper      = "before" | "until" | …
//! joint      = "and" (after "between") | "to" | "until" | "till" | "through" | dash
//! time       = "today" | "yesterday" | … | calendar | rolling | ago | beside | date
//! calendar   = ("this" | "last" | "previous") (unit | weekday | month | "weekend")
//! rolling    = ("last" | "past" | "previous") count unit | "past" unit
//! ago        = count unit "ago"
//! beside     = [count] unit ("before" | "after") time | "week of" date
//! date       = [weekday] (day month | month day) [year] | month [year] | quarter [year] | weekday
//! ```
//!
//! Many words of it have other meanings. Such a [`Time`] is not [sure](Said::is_sure): it is one
//! only after certain words, or as a part of a longer phrase. A day without its month, as in
//! `from 3 to 5 May`, and a year are never one alone.

use chrono::{Datelike as _, NaiveDate, Weekday};

use super::calendar::{TimeUnit, Yearly, latest, weekend};
use super::words::{
    DASH, Word, count_of, day_of, month_of, quarter_of, unit_of, weekday_of, year_of,
};
use super::{AskedDays, Days};

/// The words of a question, on the day `today`.
pub(super) struct Grammar<'w> {
    pub(super) words: &'w [Word],
    pub(super) today: NaiveDate,
}

/// A time that some words name.
struct Said {
    time: Time,
    /// The number of the first word after them.
    end: usize,
    /// Whether they can mean nothing else.
    is_sure: bool,
}

/// See [`Grammar::phrase`].
type Phrase = (Option<AskedDays>, usize);

/// A time as it is named.
#[derive(Clone, Copy, Debug)]
enum Time {
    Days(Days),
    /// A written day with its year.
    Date(NaiveDate),
    Weekday(Weekday),
    Weekend,
    /// Without its year.
    Yearly(Yearly),
    /// A day without its month.
    Day(u32),
    Year(i32),
}

impl Said {
    fn sure((days, end): (Days, usize)) -> Said {
        Said {
            time: Time::Days(days),
            end,
            is_sure: true,
        }
    }
}

impl Time {
    /// Whether it is meant to be the latest of many.
    fn recurs(self) -> bool {
        matches!(self, Time::Weekday(_) | Time::Weekend | Time::Yearly(_))
    }
}

/// Which days a bound leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bound {
    /// From the first of the named days to today.
    Since,
    /// From the day after them to today.
    After,
    /// All before them.
    Before,
    /// All up to the last of them.
    Until,
}

/// Longer ones that begin with the words of others first.
const BOUNDS: [(&[&str], Bound); 19] = [
    (&["since"], Bound::Since),
    (&["on", "or", "after"], Bound::Since),
    (&["not", "before"], Bound::Since),
    (&["no", "earlier", "than"], Bound::Since),
    (&["no", "older", "than"], Bound::Since),
    (&["starting", "on"], Bound::Since),
    (&["starting"], Bound::Since),
    (&["after"], Bound::After),
    (&["later", "than"], Bound::After),
    (&["newer", "than"], Bound::After),
    (&["before"], Bound::Before),
    (&["prior", "to"], Bound::Before),
    (&["earlier", "than"], Bound::Before),
    (&["older", "than"], Bound::Before),
    (&["on", "or", "before"], Bound::Until),
    (&["no", "later", "than"], Bound::Until),
    (&["until"], Bound::Until),
    (&["till"], Bound::Until),
    (&["up", "to"], Bound::Until),
];

/// Bounds of a time that is so many units `ago`.
const BOUNDS_AGO: [(&[&str], Bound); 3] = [
    (&["less", "than"], Bound::Since),
    (&["more", "than"], Bound::Before),
    (&["over"], Bound::Before),
];

/// The words before a lone day of May in small letters, which may be a verb: `5 may pass`.
const BEFORE_A_DAY_OF_MAY: [&str; 7] = ["on", "since", "before", "after", "until", "till", "from"];

impl Grammar<'_> {
    /// The days that the words from `at` on ask about, and the number of the first word after the
    /// phrase: `None` if it is about days, but about none that have begun.
    pub(super) fn phrase(&self, at: usize) -> Option<Phrase> {
        self.bounded(at)
            .or_else(|| self.both_ends(at))
            .or_else(|| self.onwards(at))
            .or_else(|| self.single(at).map(|(days, end)| (Some(days.into()), end)))
    }

    /// The days that a time without bounds is.
    pub(super) fn single(&self, at: usize) -> Option<(Days, usize)> {
        let said = self.time(at)?;
        let is_meant = said.is_sure || self.is_after_word_for(said.time, at);
        let is_rest_of_range = self.word(at.checked_sub(1)) == Some(DASH)
            && self.word(at.checked_sub(2)).and_then(day_of).is_some();
        // Of `on Monday to Friday`, no certain one is meant.
        let is_joined = matches!(self.word(Some(said.end)), Some("to" | "through" | DASH));
        let is_start_of_range = !said.is_sure
            && is_joined
            && self
                .time(said.end + 1)
                .is_some_and(|last| last.time.recurs());
        let is_single = is_meant && !is_rest_of_range && !is_start_of_range;
        let days = is_single.then(|| self.latest(said.time, self.today))??;
        Some((days, said.end))
    }

    /// `bound time [upper time]`
    fn bounded(&self, at: usize) -> Option<Phrase> {
        let (bound, start, is_ago) = self.bound(at)?;
        let said = self.time(start)?;
        if is_ago && self.word(said.end.checked_sub(1)) != Some("ago") {
            return None;
        }
        match (said.time, bound) {
            // `after 2000` may be a number of anything.
            (Time::Year(_), Bound::Since) => {}
            (Time::Day(_) | Time::Year(_), _) => return None,
            _ => {}
        }
        let upper = match bound {
            Bound::Since | Bound::After => self.upper(said.end),
            Bound::Before | Bound::Until => None,
        };
        let (upper, end) = match upper {
            Some((upper, end)) => (Some(upper), end),
            None => (None, said.end),
        };
        let until = upper.map_or(self.today, |upper| upper.min(self.today));
        let asked = self.within(bound, said.time, until);
        let asked = asked.map(|asked| AskedDays {
            last: upper.unwrap_or(asked.last),
            ..asked
        });
        Some((asked.filter(AskedDays::has_any), end))
    }

    /// The last day before the end of a time that has begun, such as `and before March`.
    fn upper(&self, at: usize) -> Option<(NaiveDate, usize)> {
        let and = usize::from(matches!(self.word(Some(at)), Some("and" | "but")));
        let (bound, start, is_ago) = self.bound(at + and)?;
        let said = self.time(start)?;
        let days = match said.time {
            Time::Day(_) | Time::Year(_) => return None,
            time => self.latest(time, self.today)?,
        };
        let last = match bound {
            Bound::Before => days.first.pred_opt()?,
            Bound::Until => days.last,
            Bound::Since | Bound::After => return None,
        };
        (!is_ago).then_some((last, said.end))
    }

    /// The bound that the words from `at` on say, the number of the word after them, and whether
    /// it bounds only what is `ago`.
    fn bound(&self, at: usize) -> Option<(Bound, usize, bool)> {
        let all = BOUNDS.iter().map(|bound| (bound, false));
        let all = all.chain(BOUNDS_AGO.iter().map(|bound| (bound, true)));
        let mut all = all.filter_map(|((words, bound), is_ago)| {
            let end = at + words.len();
            let said = self.words.get(at..end)?;
            let is_said = said
                .iter()
                .map(|word| &*word.text)
                .eq(words.iter().copied());
            is_said.then_some((*bound, self.after_the(end), is_ago))
        });
        all.next()
    }

    /// The days that a bound leaves of those up to `until`; `None` if it leaves none, or any.
    fn within(&self, bound: Bound, time: Time, until: NaiveDate) -> Option<AskedDays> {
        let mut days = self.latest(time, until)?;
        if bound == Bound::After && days.last >= until && time.recurs() {
            // What is after it has begun.
            days = self.latest(time, days.first.pred_opt()?)?;
        }
        let (first, last) = match bound {
            Bound::Since => (Some(days.first), self.today),
            Bound::After => (Some(days.last.succ_opt()?), self.today),
            Bound::Before => (None, days.first.pred_opt()?),
            Bound::Until => (None, days.last),
        };
        // `until today` is any day, and so is `since 1 January 1970`, where computers begin to count.
        let is_any = match first {
            None => last >= self.today,
            Some(first) => first <= NaiveDate::default(),
        };
        let asked = AskedDays { first, last };
        (asked.has_any() && !is_any).then_some(asked)
    }

    /// `["between" | "from"] time joint time`
    fn both_ends(&self, at: usize) -> Option<Phrase> {
        let opening = self
            .word(Some(at))
            .filter(|word| matches!(*word, "between" | "from"));
        let start = match opening {
            Some(_) => self.after_the(at + 1),
            None => at,
        };
        let first = self.time(start)?;
        let joint = self.word(Some(first.end));
        let is_joint = matches!(
            (opening, joint),
            (Some("between"), Some("and")) | (_, Some("to" | "until" | "till" | "through" | DASH))
        );
        let last = match is_joint {
            true => self.time(self.after_the(first.end + 1)),
            false => None,
        };
        let is_closed = opening.is_some() || joint == Some(DASH);
        let found = last.and_then(|last| self.range(first.time, last, first.is_sure, is_closed));
        match (found, opening) {
            (Some(found), _) => Some(found),
            // `between 5 March and the release` is not about 5 March.
            (None, Some("between")) if first.is_sure => Some((None, first.end)),
            _ => None,
        }
    }

    /// The days from one time to another. The range is closed if the words before or between the
    /// times say that it is one.
    fn range(&self, first: Time, last: Said, is_sure: bool, is_closed: bool) -> Option<Phrase> {
        let mut end = last.end;
        let (first, last) = match (first, last.time) {
            (Time::Day(day), Time::Yearly(Yearly::Date { month, .. })) => {
                let days = self.latest(last.time, self.today)?;
                let first = Yearly::Date { month, day }.of(days.first.year())?;
                (first, days)
            }
            (Time::Day(day), Time::Date(date)) => (Days::one(date.with_day(day)?), Days::one(date)),
            (Time::Yearly(Yearly::Date { month, .. }), Time::Day(day)) => {
                let year = self.word(Some(end)).and_then(year_of);
                end += usize::from(year.is_some());
                self.is_end_of_range(last.end, is_closed || year.is_some())?;
                let of = |time: Time| match (year, time) {
                    (Some(year), Time::Yearly(yearly)) => yearly.of(year),
                    _ => self.latest(time, self.today),
                };
                let first = of(first)?;
                (first, Yearly::Date { month, day }.of(first.first.year())?)
            }
            (Time::Date(date), Time::Day(day)) => {
                self.is_end_of_range(end, is_closed)?;
                (Days::one(date), Days::one(date.with_day(day)?))
            }
            (Time::Day(_), _) | (_, Time::Day(_)) | (Time::Year(_), Time::Year(_)) => return None,
            // `between Q1 and Q3` may be quartiles.
            (Time::Yearly(Yearly::Quarter(_)), Time::Yearly(Yearly::Quarter(_))) => return None,
            // `Monday to Friday` and `March to May` may be any.
            _ if !(is_sure && last.is_sure || is_closed || matches!(last.time, Time::Days(_))) => {
                return None;
            }
            (Time::Date(date), Time::Yearly(last)) => (Days::one(date), last.next(date)?),
            (first, time) => {
                let last = self.latest(time, self.today)?;
                (self.latest(first, last.first)?, last)
            }
        };
        let asked = (first.first <= last.last).then_some(AskedDays {
            first: Some(first.first),
            last: last.last,
        })?;
        Some((Some(asked), end))
    }

    /// Whether a day without its month may be the end of a range, not a number of something:
    /// `from 5 May to 7 pm`, `5 May to 20 people`.
    fn is_end_of_range(&self, end: usize, is_closed: bool) -> Option<()> {
        let is_last = end.checked_sub(1).is_some_and(|at| self.words[at].is_last);
        let is_hour = matches!(self.word(Some(end)), Some("am" | "pm" | "o" | "h"));
        ((is_closed || is_last) && !is_hour).then_some(())
    }

    /// `"from" time "onwards"`
    fn onwards(&self, at: usize) -> Option<Phrase> {
        let start = (self.word(Some(at)) == Some("from")).then(|| self.after_the(at + 1))?;
        let said = self.time(start)?;
        let is_onwards = match self.words.get(said.end)? {
            word if matches!(&*word.text, "onward" | "onwards" | "forward") => true,
            word => word.text == "on" && word.is_last,
        };
        let is_one = is_onwards && !matches!(said.time, Time::Day(_) | Time::Year(_));
        is_one.then(|| {
            let asked = self.within(Bound::Since, said.time, self.today);
            (asked, said.end + 1)
        })
    }

    /// The days of a time: of recurring ones, the last that have begun on the day `until`. `None`
    /// for a part of a date.
    fn latest(&self, time: Time, until: NaiveDate) -> Option<Days> {
        match time {
            Time::Days(days) => Some(days),
            Time::Date(date) => Some(Days::one(date)),
            Time::Weekday(day) => latest(day, until).map(Days::one),
            Time::Weekend => weekend(until),
            Time::Yearly(yearly) => yearly.latest(until),
            Time::Year(year) => Days::year(year),
            Time::Day(_) => None,
        }
    }

    /// Whether the word before `at` says that a time is meant. `Monday mornings` are no certain
    /// ones.
    fn is_after_word_for(&self, time: Time, at: usize) -> bool {
        let the = usize::from(self.word(at.checked_sub(1)) == Some("the"));
        matches!(
            (time, self.word(at.checked_sub(1 + the))),
            (Time::Weekday(_), Some("on" | "since" | "of" | "from"))
                | (
                    Time::Weekend,
                    Some("on" | "over" | "at" | "of" | "from" | "during")
                )
                | (Time::Yearly(_), Some("in" | "since" | "during" | "from"))
        )
    }

    /// The time that the words from `at` on name.
    fn time(&self, at: usize) -> Option<Said> {
        let beside = self.beside(at).map(Said::sure);
        beside.or_else(|| self.plain(at))
    }

    /// A time that is not beside another.
    fn plain(&self, at: usize) -> Option<Said> {
        let days = self.near(at).or_else(|| self.counted(at));
        days.map(Said::sure).or_else(|| self.date(at))
    }

    /// `today`, `last week` and the like.
    fn near(&self, at: usize) -> Option<(Days, usize)> {
        let today = self.today;
        let (first, next) = (self.word(Some(at))?, self.word(Some(at + 1)));
        let days = match (first, next) {
            ("today" | "tonight", _) => return Some((Days::one(today), at + 1)),
            ("yesterday", _) => return Some((Days::one(today.pred_opt()?), at + 1)),
            ("this", Some("morning" | "afternoon" | "evening")) => Days::one(today),
            ("last", Some("night")) => Days::one(today.pred_opt()?),
            ("earlier", Some("this")) => {
                let unit = unit_of(self.word(Some(at + 2))?)?;
                let days = unit.ago(0, today)?;
                return Some((Days::of(days.first, today)?, at + 3));
            }
            ("this", Some(_)) => self.this(at + 1)?,
            ("last" | "previous", Some(_)) => self.last(at + 1)?,
            ("past", Some("weekend")) => self.last(at + 1)?,
            _ => return None,
        };
        Some((days, at + 2)).filter(|(_, end)| !self.is_part(*end))
    }

    /// `this week`, `this Monday` and the like.
    fn this(&self, at: usize) -> Option<Days> {
        let word = self.word(Some(at))?;
        let week = TimeUnit::Week.ago(0, self.today)?;
        match word {
            // `this may` and `this march` are no months.
            "may" | "march" => None,
            "weekend" => weekend(week.last),
            word => match (unit_of(word), weekday_of(word), month_of(word)) {
                (Some(unit), ..) => unit.ago(0, self.today).filter(|_| is_large(word, unit)),
                (_, Some(day), _) => latest(day, week.last).map(Days::one),
                (.., Some(month)) => Yearly::Month(month).latest(self.today),
                _ => None,
            },
        }
    }

    /// `last week`, `last Monday` and the like.
    fn last(&self, at: usize) -> Option<Days> {
        let word = self.word(Some(at))?;
        match (unit_of(word), weekday_of(word), month_of(word)) {
            (Some(unit), ..) => unit.ago(1, self.today).filter(|_| is_large(word, unit)),
            (_, Some(day), _) => latest(day, self.today.pred_opt()?).map(Days::one),
            (.., Some(month)) if self.is_month(at) => Yearly::Month(month).latest(self.today),
            _ if word == "weekend" => {
                // Sunday before last, at least.
                weekend(self.today.pred_opt()?.pred_opt()?)
            }
            _ => None,
        }
    }

    /// `the last 3 days`, `past week`, `2 weeks ago`, `week before last`.
    fn counted(&self, at: usize) -> Option<(Days, usize)> {
        let first = self.word(Some(at))?;
        let unit_at = |at: usize| self.word(Some(at)).and_then(unit_of);
        if matches!(first, "last" | "past" | "previous") {
            if let Some((count, start)) = self.count(at + 1) {
                let days = unit_at(start)?.up_to(count, self.today)?;
                return (!self.is_part(start + 1)).then_some((days, start + 1));
            }
            let unit = unit_at(at + 1).filter(|unit| first == "past" && *unit != TimeUnit::Hour)?;
            // Of a single day, the day before is a part.
            let days = match unit {
                TimeUnit::Day => TimeUnit::Hour.up_to(24, self.today)?,
                unit => unit.up_to(1, self.today)?,
            };
            let is_one = self
                .word(Some(at + 1))
                .is_some_and(|word| !word.ends_with('s'));
            // `go past week 3` names a place.
            let is_place = self.word(Some(at + 2)).and_then(count_of).is_some();
            return (is_one && !is_place && !self.is_part(at + 2)).then_some((days, at + 2));
        }
        if let Some((count, start)) = self.count(at) {
            let days = unit_at(start)?.ago(count, self.today)?;
            let is_ago = self.word(Some(start + 1)) == Some("ago");
            return is_ago.then_some((days, start + 2));
        }
        let unit = unit_at(at).filter(|unit| *unit != TimeUnit::Hour)?;
        let is_before_last = self.word(Some(at + 1)) == Some("before")
            && self.word(Some(at + 2)) == Some("last")
            && self.near(at + 2).is_none()
            && self.counted(at + 2).is_none();
        is_before_last.then(|| Some((unit.ago(2, self.today)?, at + 3)))?
    }

    /// `[count] unit ("before" | "after") time` or `"week" "of" date`: `the day before yesterday`.
    fn beside(&self, at: usize) -> Option<(Days, usize)> {
        if (self.word(Some(at)), self.word(Some(at + 1))) == (Some("week"), Some("of")) {
            let said = self.plain(self.after_the(at + 2))?;
            let day = match said.time {
                Time::Date(date) => date,
                Time::Yearly(date @ Yearly::Date { .. }) => date.latest(self.today)?.first,
                _ => return None,
            };
            return Some((TimeUnit::Week.ago(0, day)?, said.end));
        }
        let (count, start) = self.count(at).unwrap_or((1, at));
        let unit = self.word(Some(start)).and_then(unit_of)?;
        let is_before = match self.word(Some(start + 1))? {
            "before" => true,
            "after" => false,
            _ => return None,
        };
        let said = self.plain(self.after_the(start + 2))?;
        let days = match said.time {
            Time::Day(_) | Time::Year(_) => return None,
            time => self.latest(time, self.today)?,
        };
        let days = match is_before {
            true => unit.up_to(count, days.first.pred_opt()?),
            false => unit.from(count, days.last.succ_opt()?),
        };
        Some((days.filter(|_| unit != TimeUnit::Hour)?, said.end))
    }

    /// A number of units, and the number of the word after it: `3`, `two`, `couple of`.
    fn count(&self, at: usize) -> Option<(u32, usize)> {
        let article = usize::from(self.word(Some(at)) == Some("a"));
        match (
            self.word(Some(at + article))?,
            self.word(Some(at + article + 1)),
        ) {
            ("couple", Some("of")) => Some((2, at + article + 2)),
            _ => Some((count_of(self.word(Some(at))?)?, at + 1)),
        }
    }

    /// A date, or a part of one.
    fn date(&self, at: usize) -> Option<Said> {
        let word = self.word(Some(at))?;
        let said = |time, end, is_sure| Some(Said { time, end, is_sure });
        if let Some(days) = with_hyphens(word).or_else(|| with_points(word)) {
            let time = match days.first == days.last {
                true => Time::Date(days.first),
                false => Time::Days(days),
            };
            return said(time, at + 1, true);
        }
        if let Some(day) = weekday_of(word) {
            let next = self.word(Some(at + 1));
            let date = match next.and_then(weekday_of) {
                None => self.date(at + 1),
                Some(_) => None,
            };
            let is_day = |date: &Said| {
                matches!(date.time, Time::Date(_) | Time::Yearly(Yearly::Date { .. }))
            };
            let date = date.filter(|date| date.is_sure && is_day(date));
            return date.or_else(|| said(Time::Weekday(day), at + 1, false));
        }
        if word == "weekend" {
            return said(Time::Weekend, at + 1, false);
        }
        if let Some((yearly, end)) = self.yearly(at) {
            let year = self.word(Some(end)).and_then(year_of);
            let time = match (year.map(|year| yearly.of(year)), yearly) {
                (None, _) => Time::Yearly(yearly),
                (Some(days), Yearly::Date { .. }) => Time::Date(days?.first),
                (Some(days), _) => Time::Days(days?),
            };
            let is_sure = year.is_some() || matches!(yearly, Yearly::Date { .. });
            return said(time, end + usize::from(year.is_some()), is_sure);
        }
        if let Some(year) = year_of(word) {
            let quarter = self.word(Some(at + 1)).and_then(quarter_of);
            return match quarter.map(|quarter| Yearly::Quarter(quarter).of(year)) {
                Some(days) => said(Time::Days(days?), at + 2, true),
                None => said(Time::Year(year), at + 1, false),
            };
        }
        said(Time::Day(day_of(word)?), at + 1, false)
    }

    /// A date, a month or a quarter without its year.
    fn yearly(&self, at: usize) -> Option<(Yearly, usize)> {
        let word = self.word(Some(at))?;
        let month_at = |at: usize| self.word(Some(at)).and_then(month_of);
        if let Some(day) = day_of(word) {
            let of = usize::from(self.word(Some(at + 1)) == Some("of"));
            let end = at + 2 + of;
            let month = month_at(end - 1)?;
            let is_date = !self.is_verb(end - 1) || of == 1 || is_ordinal(word) || {
                let before = self.word(at.checked_sub(1));
                self.has_year(end)
                    || before.is_some_and(|before| BEFORE_A_DAY_OF_MAY.contains(&before))
            };
            return is_date.then_some((Yearly::Date { month, day }, end));
        }
        if let Some(quarter) = quarter_of(word) {
            let is_quarter = self.words[at].is_capital || self.has_year(at + 1);
            return is_quarter.then_some((Yearly::Quarter(quarter), at + 1));
        }
        let month = month_of(word)?;
        if let Some((day, written)) = self
            .word(Some(at + 1))
            .and_then(|word| Some((day_of(word)?, word)))
        {
            let before = self.word(at.checked_sub(1));
            let is_date = word != "may"
                || self.words[at].is_capital
                || self.words[at + 1].is_last
                || is_ordinal(written)
                || self.has_year(at + 2)
                || before.is_none_or(|before| {
                    BEFORE_A_DAY_OF_MAY.contains(&before) || matches!(before, "of" | "between")
                });
            return is_date.then_some((Yearly::Date { month, day }, at + 2));
        }
        let is_month = self.has_year(at + 1) || self.is_month(at);
        is_month.then_some((Yearly::Month(month), at + 1))
    }

    /// Whether the name of a month, without a day and a year, is no other word: neither the verb
    /// nor one that programmers use, such as `dec`.
    fn is_month(&self, at: usize) -> bool {
        let word = &self.words[at];
        let has_others = matches!(&*word.text, "mar" | "sep" | "oct" | "dec");
        !self.is_verb(at) && (word.is_capital || !has_others)
    }

    /// Whether the word `may` at `at` is probably the verb: `how may I`, `5 may pass`.
    fn is_verb(&self, at: usize) -> bool {
        let word = &self.words[at];
        let is_before_month = matches!(self.word(Some(at + 1)), Some("and" | "to"))
            && self.word(Some(at + 2)).and_then(month_of).is_some();
        word.text == "may" && !word.is_capital && !word.is_last && !is_before_month
    }

    fn has_year(&self, at: usize) -> bool {
        self.word(Some(at)).and_then(year_of).is_some()
    }

    /// Whether the time before `at` is that of something: `last week of the trip`.
    fn is_part(&self, at: usize) -> bool {
        self.word(Some(at)) == Some("of")
    }

    /// The number of the first word from `at` on that is not an article.
    fn after_the(&self, at: usize) -> usize {
        at + usize::from(self.word(Some(at)) == Some("the"))
    }

    fn word(&self, at: Option<usize>) -> Option<&str> {
        self.words.get(at?).map(|word| &*word.text)
    }
}

/// Whether a word is the singular of a unit of which people name the present or last one: neither
/// `last day` nor `last hour` is a certain one.
fn is_large(word: &str, unit: TimeUnit) -> bool {
    !matches!(unit, TimeUnit::Hour | TimeUnit::Day) && !word.ends_with('s')
}

fn is_ordinal(word: &str) -> bool {
    word.ends_with(|c: char| c.is_ascii_alphabetic())
}

/// `2026-10-05`, `2026-10` or `2026-q4`.
fn with_hyphens(word: &str) -> Option<Days> {
    let mut parts = word.split('-');
    let (year, part, day) = (year_of(parts.next()?)?, parts.next()?, parts.next());
    if let (Some(quarter), None) = (quarter_of(part), day) {
        return Yearly::Quarter(quarter).of(year);
    }
    let month = part.parse().ok().filter(|_| part.len() == 2)?;
    match (day, parts.next()) {
        (None, _) => Yearly::Month(month).of(year),
        (Some(day), None) if day.len() == 2 => {
            NaiveDate::from_ymd_opt(year, month, day.parse().ok()?).map(Days::one)
        }
        _ => None,
    }
}

/// `5.10.2026`: where dates are written with points, the day comes first.
fn with_points(word: &str) -> Option<Days> {
    let mut parts = word.split('.');
    let (day, month, year) = (parts.next()?, parts.next()?, parts.next()?);
    let is_short = |part: &&str| part.len() <= 2;
    let month = Some(month).filter(is_short)?.parse().ok()?;
    let day = Some(day).filter(is_short)?.parse().ok()?;
    let is_whole = parts.all(str::is_empty);
    let day = NaiveDate::from_ymd_opt(year_of(year)?, month, day)?;
    is_whole.then(|| Days::one(day))
}
