//! Numbers of cells as people see them: dates, times, percentages.

/// How the numbers of a cell are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum NumberFormat {
    #[default]
    Number,
    /// With so many decimals.
    Percent(usize),
    Date,
    DateTime,
    Time,
    /// Hours that may be more than 24.
    Duration,
}

/// The day with the number 0 or 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Epoch {
    /// 1 January 1900 is 1.
    Day1900,
    /// 1 January 1904 is 0.
    Day1904,
}

impl NumberFormat {
    /// One of the formats that have a number only: ECMA-376, part 1, 18.8.30.
    pub(crate) fn of_number(number: u64) -> Self {
        match number {
            9 => NumberFormat::Percent(0),
            10 => NumberFormat::Percent(2),
            14..=17 | 27..=31 | 36 | 50..=54 | 57 | 58 => NumberFormat::Date,
            18..=21 | 32..=35 | 45 | 47 | 55 | 56 => NumberFormat::Time,
            22 => NumberFormat::DateTime,
            46 => NumberFormat::Duration,
            _ => NumberFormat::Number,
        }
    }

    /// What a code such as `yyyy-mm-dd` says.
    pub(crate) fn of_code(code: &str) -> Self {
        let (mut is_date, mut is_time, mut is_percent) = (false, false, false);
        let mut decimals = None;
        let mut chars = code.chars();
        while let Some(c) = chars.next() {
            match c.to_ascii_lowercase() {
                // The section for negative numbers.
                ';' => break,
                '"' => {
                    chars.by_ref().find(|c| *c == '"');
                }
                '\\' | '_' | '*' => drop(chars.next()),
                '[' => {
                    let inner: String = chars.by_ref().take_while(|c| *c != ']').collect();
                    let inner = inner.to_ascii_lowercase();
                    if !inner.is_empty() && inner.bytes().all(|byte| b"hms".contains(&byte)) {
                        return NumberFormat::Duration;
                    }
                }
                'y' | 'd' => is_date = true,
                'h' | 's' => is_time = true,
                // Months, or minutes if there are hours or seconds; alone, months.
                'm' if !is_time => is_date |= !code.to_ascii_lowercase().contains(['h', 's']),
                // `General`, and eras such as `e`.
                'g' => {
                    let rest = chars.as_str();
                    if rest
                        .get(..6)
                        .is_some_and(|rest| rest.eq_ignore_ascii_case("eneral"))
                    {
                        return NumberFormat::Number;
                    }
                }
                '%' => is_percent = true,
                '.' => decimals = Some(0),
                '0' | '#' => decimals = decimals.map(|count: usize| (count + 1).min(10)),
                _ => (),
            }
        }
        match (is_date, is_time) {
            (true, true) => NumberFormat::DateTime,
            (true, false) => NumberFormat::Date,
            (false, true) => NumberFormat::Time,
            (false, false) if is_percent => NumberFormat::Percent(decimals.unwrap_or(0)),
            (false, false) => NumberFormat::Number,
        }
    }

    pub(crate) fn write(self, number: f64, epoch: Epoch) -> String {
        let is_day = (0.0..2_958_466.0).contains(&number);
        match self {
            NumberFormat::Percent(decimals) => {
                let percent = number * 100.0;
                format!("{}%", rounded(percent, decimals.max(2)))
            }
            NumberFormat::Date | NumberFormat::DateTime | NumberFormat::Time if is_day => {
                self.write_date(number, epoch)
            }
            NumberFormat::Duration if is_day => {
                let seconds = (number * 86_400.0).round() as u64;
                clock(seconds)
            }
            _ => plain(number),
        }
    }

    fn write_date(self, number: f64, epoch: Epoch) -> String {
        // Rounded to the second, since fractions of a day are inexact.
        let seconds = (number * 86_400.0).round() as u64;
        let (days, time) = (seconds / 86_400, seconds % 86_400);
        // Day 0 is no date.
        if days == 0 && (self == NumberFormat::Time || epoch == Epoch::Day1900) {
            return clock(time);
        }
        let day = date(days, epoch);
        match time {
            0 => day,
            time => format!("{day} {}", clock(time)),
        }
    }
}

/// `14:30`, or `14:30:05`.
fn clock(seconds: u64) -> String {
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    match seconds % 60 {
        0 => format!("{hours:02}:{minutes:02}"),
        seconds => format!("{hours:02}:{minutes:02}:{seconds:02}"),
    }
}

/// The day with this number: `2024-05-06`.
fn date(days: u64, epoch: Epoch) -> String {
    // Since 1 March of the year 0, the leap day is the last of a year, and every 400 years are the
    // same: `days_from_civil` by Howard Hinnant.
    let since_1970 = match epoch {
        // Excel takes 1900 for a leap year: its day 60 is 29 February.
        Epoch::Day1900 if days == 60 => return "1900-02-29".to_string(),
        Epoch::Day1900 if days < 60 => days as i64 - 25_568,
        Epoch::Day1900 => days as i64 - 25_569,
        Epoch::Day1904 => days as i64 - 24_107,
    };
    let days = since_1970 + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

/// A number with the 15 digits that Excel keeps.
fn plain(number: f64) -> String {
    if !number.is_finite() {
        return number.to_string();
    }
    let size = number.abs();
    let kept: f64 = format!("{number:.14e}").parse().unwrap_or(number);
    match size == 0.0 || (1e-9..1e21).contains(&size) {
        true => kept.to_string(),
        false => format!("{kept:e}"),
    }
}

/// A number with at most so many decimals, and no zeros at its end.
fn rounded(number: f64, decimals: usize) -> String {
    if number.abs() >= 1e15 {
        return plain(number);
    }
    let text = format!("{number:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_people_see_them() {
        for (code, number, text) in [
            ("General", 0.1 + 0.2, "0.3"),
            ("General", 1e300, "1e300"),
            ("General", -0.0, "-0"),
            ("0.00", 1234.5, "1234.5"),
            ("yyyy-mm-dd", 45_418.0, "2024-05-06"),
            ("dd/mm/yy hh:mm", 45_418.5, "2024-05-06 12:00"),
            ("[$-409]d\\-mmm\\-yy;@", 1.0, "1900-01-01"),
            ("mmm yy", 60.0, "1900-02-29"),
            ("mmm", 61.0, "1900-03-01"),
            ("yyyy-mm-dd", 0.0, "00:00"),
            ("h:mm AM/PM", 0.75, "18:00"),
            ("mm:ss", 0.5, "12:00"),
            ("[h]:mm:ss", 1.5, "36:00"),
            ("0%", 0.25, "25%"),
            ("0.0%", 0.123, "12.3%"),
            ("#,##0.00 \"days\"", 3.0, "3"),
            ("[Red]0.0", 3.5, "3.5"),
            ("yyyy", -5.0, "-5"),
        ] {
            let written = NumberFormat::of_code(code).write(number, Epoch::Day1900);
            assert_eq!(written, text, "{code}");
        }
        let written = NumberFormat::Date.write(43_956.0, Epoch::Day1904);
        assert_eq!(written, "2024-05-06");
    }
}
