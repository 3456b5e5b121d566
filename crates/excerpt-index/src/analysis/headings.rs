//! Headings and titles that say nothing but a date.

use super::days::MONTHS;

/// Whether a heading or title is only a day, week, month or year, as in daily notes: in digits with
/// the full year, or with the English name of a month.
#[must_use]
pub fn is_date(text: &str) -> bool {
    const DAYS: [&str; 7] = [
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
    ];
    let (mut has_number, mut has_year, mut has_month) = (false, false, false);
    let words = text.split(|c: char| !c.is_alphanumeric());
    for word in words.filter(|word| !word.is_empty()) {
        let word = word.to_lowercase();
        // In full, or abbreviated: `sept`, `tues`.
        let is_one = |names: &[&str]| {
            let is_short = (3..=5).contains(&word.len());
            let mut names = names.iter();
            names.any(|name| *name == word || (is_short && name.starts_with(&*word)))
        };
        let digits = word.bytes().take_while(u8::is_ascii_digit).count();
        match (digits, &word[digits..]) {
            (1.., "" | "st" | "nd" | "rd" | "th") => {
                has_number = true;
                let is_of_now = word.starts_with("19") || word.starts_with("20");
                has_year |= is_of_now && matches!(digits, 4 | 8);
            }
            (0, "of" | "the" | "week") => {}
            (0, _) if is_one(&MONTHS) => has_month = true,
            (0, _) if is_one(&DAYS) || is_part(&word) => {}
            _ => return false,
        }
    }
    has_year || (has_month && has_number)
}

/// Whether a word is the number of a week or a quarter, such as `w47` or `q4`.
fn is_part(word: &str) -> bool {
    let number = word.strip_prefix(['w', 'q']);
    number.is_some_and(|number| number.parse::<u8>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::is_date;

    #[test]
    fn a_date_is_no_topic() {
        for date in [
            "2026-11-22",
            "2026/11",
            "20261122",
            "2026",
            "22.11.2026",
            "22 November 2026",
            "November 22nd, 2026",
            "Sunday, the 22nd of November",
            "Sun 22 Nov 2026",
            "2026-W47",
            "Week 47, 2026",
            "Q4 2026",
        ] {
            assert!(is_date(date), "{date}");
        }
        for topic in [
            "",
            "Tea",
            "1.4.0",
            "42",
            "May",
            "Version 2026.1",
            "Plans for 2026",
            "2026-11-22: a walk",
            "The Week",
            "Marching 2026",
            "3D 2026",
            "Monday",
            "語 2026",
        ] {
            assert!(!is_date(topic), "{topic}");
        }
    }
}
