//! Relative dates: `yesterday`, `7d`, `last week`.

use chrono::{Datelike as _, Days, Local, Months, NaiveDate};

/// The first day that `text` names, in the format of the index. Other text is returned unchanged: the index reports what is wrong with it.
pub(super) fn first(text: &str) -> Result<String, String> {
    Ok(of(text, |(first, _)| first))
}

/// The last day that `text` names.
pub(super) fn last(text: &str) -> Result<String, String> {
    Ok(of(text, |(_, last)| last))
}

fn of(text: &str, which: impl Fn((NaiveDate, NaiveDate)) -> NaiveDate) -> String {
    let named = named(&text.trim().to_lowercase(), Local::now().date_naive());
    named.map_or_else(|| text.to_string(), |days| which(days).to_string())
}

/// The first and the last day that `text` names. Weeks begin on Monday.
fn named(text: &str, today: NaiveDate) -> Option<(NaiveDate, NaiveDate)> {
    let monday =
        today.checked_sub_days(Days::new(today.weekday().num_days_from_monday().into()))?;
    let month = today.with_day(1)?;
    let year = month.with_month(1)?;
    let until = |first: NaiveDate, next: NaiveDate| Some((first, next.pred_opt()?));
    let day = |day: NaiveDate| Some((day, day));
    match text {
        "today" => day(today),
        "yesterday" => day(today.pred_opt()?),
        "this week" => Some((monday, today)),
        "last week" => until(monday.checked_sub_days(Days::new(7))?, monday),
        "this month" => Some((month, today)),
        "last month" => until(month.checked_sub_months(Months::new(1))?, month),
        "this year" => Some((year, today)),
        "last year" => until(year.checked_sub_months(Months::new(12))?, year),
        _ => {
            let unit = text.chars().next_back()?;
            let count: u32 = text.strip_suffix(unit)?.trim().parse().ok()?;
            day(match unit {
                'd' => today.checked_sub_days(Days::new(count.into()))?,
                'w' => today.checked_sub_days(Days::new(u64::from(count) * 7))?,
                'm' => today.checked_sub_months(Months::new(count))?,
                'y' => today.checked_sub_months(Months::new(count.checked_mul(12)?))?,
                _ => return None,
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_names() {
        // A Wednesday.
        let today = NaiveDate::from_ymd_opt(2026, 3, 4).unwrap();
        let of = |text| named(text, today).map(|(first, last)| format!("{first} {last}"));
        for (text, days) in [
            ("today", "2026-03-04 2026-03-04"),
            ("yesterday", "2026-03-03 2026-03-03"),
            ("this week", "2026-03-02 2026-03-04"),
            ("last week", "2026-02-23 2026-03-01"),
            ("last month", "2026-02-01 2026-02-28"),
            ("this year", "2026-01-01 2026-03-04"),
            ("last year", "2025-01-01 2025-12-31"),
            ("7d", "2026-02-25 2026-02-25"),
            ("2w", "2026-02-18 2026-02-18"),
            ("1m", "2026-02-04 2026-02-04"),
            ("1y", "2025-03-04 2025-03-04"),
        ] {
            assert_eq!(of(text).as_deref(), Some(days), "{text}");
        }
        for text in [
            "",
            "d",
            "2026",
            "2026-03-04",
            "7x",
            "next week",
            "99999999999d",
            "4000000000y",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
    }
}
