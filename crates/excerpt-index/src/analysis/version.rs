//! How well the versions that a document names match the requested one.
//!
//! Each notation is a range of versions, with the end excluded:
//!
//! | notation | range |
//! | --- | --- |
//! | `3.12`, `v3.12`, `3.12.x`, `==3.12` | 3.12 to 3.13 |
//! | `>=3.8`, `3.8+` | 3.8 on |
//! | `<4`, `<=3.9` | up to 4, up to 3.10 |
//! | `>=3.8, <4` | 3.8 to 4 |
//! | `3.8-3.12`, `3.8 - 3.12` | 3.8 to 3.13 |
//! | `^1.2`, `~1.2.3`, `~=1.4.2` | 1.2 to 2, 1.2.3 to 1.3, 1.4.2 to 1.5 |
//!
//! A version that is not a number, such as `latest`, matches only itself.

/// The quality of a match, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fit {
    /// The document names no version.
    Unknown,
    /// It is about a part of the requested versions.
    Partial,
    /// It is about more than the requested versions.
    Covering,
    /// It is about exactly the requested versions.
    Exact,
}

impl Fit {
    /// The factor on a score.
    pub(crate) fn factor(self) -> f32 {
        match self {
            Fit::Exact => 1.0,
            Fit::Covering => 0.95,
            Fit::Partial => 0.9,
            Fit::Unknown => 0.85,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Fit::Exact => "version, exact",
            Fit::Covering => "version, covering",
            Fit::Partial => "version, in part",
            Fit::Unknown => "version, not said",
        }
    }
}

/// How well the best of the `given` versions matches the one `asked` for; `None` if none does.
pub(crate) fn fit<'v>(given: impl Iterator<Item = &'v str>, asked: &str) -> Option<Fit> {
    let wanted = Stretch::read(asked);
    let of_one = |given: &str| {
        if given.trim().eq_ignore_ascii_case(asked.trim()) {
            return Some(Fit::Exact);
        }
        Stretch::read(given)?.fit(wanted.as_ref()?)
    };
    given.filter_map(of_one).max()
}

/// A range of versions; the end is excluded, and may be missing.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Stretch {
    start: Vec<u64>,
    end: Option<Vec<u64>>,
}

impl Stretch {
    fn read(text: &str) -> Option<Stretch> {
        let text = text.trim();
        if let Some((first, last)) = range(text) {
            let (first, last) = (Stretch::read(first)?, Stretch::read(last)?);
            return Some(Stretch {
                start: first.start,
                end: last.end,
            });
        }
        let parts = text.split([',', ' ']).map(str::trim);
        let mut parts = parts.filter(|part| !part.is_empty()).map(Stretch::one);
        let first = parts.next()??;
        parts.try_fold(first, |all, part| Some(all.and(part?)))
    }

    fn one(text: &str) -> Option<Stretch> {
        const MARKS: [&str; 9] = [">=", "<=", "==", "~=", ">", "<", "^", "~", "="];
        let mark = MARKS.iter().find(|mark| text.starts_with(**mark));
        let rest = &text[mark.map_or(0, |mark| mark.len())..];
        let (rest, open) = match rest.strip_suffix('+') {
            Some(rest) => (rest, true),
            None => (rest, false),
        };
        let numbers = numbers(rest)?;
        let from = |end| Stretch {
            start: trimmed(numbers.clone()),
            end,
        };
        let until = |end| Stretch {
            start: Vec::new(),
            end: Some(trimmed(end)),
        };
        let kept = numbers.len().saturating_sub(1);
        Some(match mark.copied() {
            None if open => from(None),
            Some(">=") => from(None),
            Some(">") => Stretch {
                start: next(&numbers, numbers.len()),
                end: None,
            },
            Some("<") => until(numbers),
            Some("<=") => until(next(&numbers, numbers.len())),
            // Up to the next breaking version: the first number that is not zero.
            Some("^") => {
                let first = numbers
                    .iter()
                    .position(|number| *number > 0)
                    .unwrap_or(kept);
                from(Some(next(&numbers, first + 1)))
            }
            Some("~") => from(Some(next(&numbers, numbers.len().min(2)))),
            Some("~=") => from(Some(next(&numbers, kept.max(1)))),
            _ => from(Some(next(&numbers, numbers.len()))),
        })
    }

    /// The intersection.
    fn and(self, other: Stretch) -> Stretch {
        Stretch {
            start: self.start.max(other.start),
            end: match (self.end, other.end) {
                (Some(one), Some(two)) => Some(one.min(two)),
                (one, two) => one.or(two),
            },
        }
    }

    fn fit(&self, wanted: &Stretch) -> Option<Fit> {
        let before =
            |start: &Vec<u64>, end: &Option<Vec<u64>>| end.as_ref().is_none_or(|end| start < end);
        let ends_behind = match (&self.end, &wanted.end) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(own), Some(wanted)) => own >= wanted,
        };
        if self == wanted {
            Some(Fit::Exact)
        } else if self.start <= wanted.start && ends_behind {
            Some(Fit::Covering)
        } else if before(&self.start, &wanted.end) && before(&wanted.start, &self.end) {
            Some(Fit::Partial)
        } else {
            None
        }
    }
}

/// Both sides of `3.8-3.12` or `3.8 - 3.12`. A suffix after `-`, as in `1.0-beta`, is not a number
/// and makes no range.
fn range(text: &str) -> Option<(&str, &str)> {
    let (first, last) = text.split_once('-')?;
    let (first, last) = (first.trim(), last.trim());
    let plain = numbers(first).is_some() && numbers(last).is_some();
    plain.then_some((first, last))
}

/// The numbers of `v3.12.x`.
fn numbers(text: &str) -> Option<Vec<u64>> {
    let text = text.trim();
    let text = text.strip_prefix(['v', 'V']).unwrap_or(text);
    let parts = text.split('.');
    let numbered = parts.take_while(|part| !matches!(*part, "x" | "X" | "*"));
    let numbers: Vec<u64> = numbered
        .map(|part| part.parse().ok())
        .collect::<Option<_>>()?;
    (!numbers.is_empty()).then_some(numbers)
}

/// The first version after all that begin with the first `kept` numbers.
fn next(numbers: &[u64], kept: usize) -> Vec<u64> {
    let mut next = numbers[..kept.min(numbers.len())].to_vec();
    if let Some(last) = next.last_mut() {
        *last = last.saturating_add(1);
    }
    trimmed(next)
}

/// 3.0 begins where 3 does.
fn trimmed(mut numbers: Vec<u64>) -> Vec<u64> {
    while numbers.last() == Some(&0) {
        numbers.pop();
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(given: &str, asked: &str) -> Option<Fit> {
        fit([given].into_iter(), asked)
    }

    #[test]
    fn exact_before_covering_before_partial_before_unknown() {
        assert!(Fit::Exact > Fit::Covering && Fit::Covering > Fit::Partial);
        assert!(Fit::Partial > Fit::Unknown);
        let factors = [Fit::Exact, Fit::Covering, Fit::Partial, Fit::Unknown].map(Fit::factor);
        assert!(factors.is_sorted_by(|a, b| a > b));
        assert_eq!(
            fit(["2", "3.x", "3.12"].into_iter(), "3.12"),
            Some(Fit::Exact)
        );
        assert_eq!(fit(["2", "3.x"].into_iter(), "3.12"), Some(Fit::Covering));
    }

    #[test]
    fn one_version() {
        for (given, asked) in [
            ("3.12", "3.12"),
            ("v3.12", "3.12"),
            ("3.12.x", "3.12"),
            ("3.0", "3.0"),
            ("latest", "Latest"),
        ] {
            assert_eq!(of(given, asked), Some(Fit::Exact), "{given} for {asked}");
        }
        for (given, asked) in [
            ("3", "3.12"),
            ("3.x", "3.12.1"),
            (">=3.8", "3.12"),
            ("3.8+", "4"),
            ("3.8-3.12", "3.12.7"),
            ("^1.2", "1.9"),
            ("~1.2.3", "1.2.9"),
            ("~=1.4", "1.9"),
            (">=3.8, <4", "3.9"),
            ("<=3.9", "3.9"),
            ("3.8 - 3.12", "3.10"),
        ] {
            assert_eq!(of(given, asked), Some(Fit::Covering), "{given} for {asked}");
        }
        for (given, asked) in [("3.12", "3"), (">=3.8", "3"), ("3.12.1", "3.12")] {
            assert_eq!(of(given, asked), Some(Fit::Partial), "{given} for {asked}");
        }
        for (given, asked) in [
            ("2.7", "3.12"),
            ("3.1", "3.12"),
            ("<3", "3.0"),
            (">3.12", "3.12"),
            ("^0.2.1", "0.3"),
            ("~=1.4.2", "1.5"),
            ("latest", "3"),
            ("3", "latest"),
            ("1.0-beta", "1"),
            ("", "1"),
        ] {
            assert_eq!(of(given, asked), None, "{given} for {asked}");
        }
    }
}
