//! A target as a user writes it: a path, and the requested part of that document.

use crate::error::{ServiceError, ServiceResult};

/// The minimum number of digits of a chunk's id.
const SHORTEST_ID: usize = 4;

/// The maximum length of a target, in bytes: a path is at most half as long, and the name of a
/// section is seldom longer than a line.
const LONGEST: usize = 8_192;

/// How many of the `#` of a target may end its path. Each is looked up.
const MOST_SIGNS: usize = 32;

/// Checks the length of a target, before anything in it is looked up.
///
/// # Errors
///
/// [`ServiceError::TargetTooLong`].
pub(crate) fn check_length(given: &str) -> ServiceResult<()> {
    match given.len() <= LONGEST {
        true => Ok(()),
        false => Err(ServiceError::TargetTooLong {
            length: given.len(),
            most: LONGEST,
        }),
    }
}

/// The requested part of a document.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Fragment {
    /// All of it.
    Whole,
    /// From a line and a character in it, both from 1, to the end of a line.
    Lines((usize, usize), usize),
    /// A section, by its name in links.
    Section(String),
}

/// A path and the requested part. If a document exists (by `exists`) whose name ends like a line
/// range or a section, the target is that document.
pub(crate) fn parsed(
    given: &str,
    exists: impl Fn(&str) -> bool,
) -> ServiceResult<(&str, Fragment)> {
    if exists(given) {
        return Ok((given, Fragment::Whole));
    }
    let given = without_shown(given);
    let lines = given.rsplit_once(':');
    if let Some((path, range)) = lines
        && let Some((first, last)) = numbers(range).or_else(|| marked(range))
        && (!path.contains('#') || exists(path))
    {
        return Ok((path, Fragment::Lines(first, last)));
    }
    let sections = given.match_indices('#').map(|(at, _)| {
        let (path, section) = given.split_at(at);
        (path, &section[1..])
    });
    let mut sections = sections.filter(|(path, section)| !path.is_empty() && !section.is_empty());
    let first = sections.next();
    // The name of a document may contain the sign.
    let named = first
        .into_iter()
        .chain(sections)
        .take(MOST_SIGNS)
        .find(|(path, _)| exists(path));
    if let Some((path, section)) = named.or(first) {
        if let Some((first, last)) = marked(section) {
            return Ok((path, Fragment::Lines(first, last)));
        }
        return Ok((path, Fragment::Section(section.to_string())));
    }
    match lines {
        None => Ok((given, Fragment::Whole)),
        Some((_, range)) => {
            let is_reversed = is_reversed(range);
            let range = range.to_string();
            Err(match is_reversed {
                true => ServiceError::ReversedLines { range },
                false => ServiceError::InvalidLines { range },
            })
        }
    }
}

/// A citation without what an answer adds if only a part is shown: `path:10-20 (12-14 shown)`.
fn without_shown(given: &str) -> &str {
    let cited = given
        .strip_suffix(" shown)")
        .and_then(|rest| rest.rsplit_once(" ("));
    cited.map_or(given, |(cited, _)| cited)
}

/// A line or a range of lines, with the first character after a period.
fn numbers(range: &str) -> Option<((usize, usize), usize)> {
    let (first, last) = match range.split_once('-') {
        Some((first, last)) => (first, last.parse().ok()?),
        None => (range, range.split('.').next()?.parse().ok()?),
    };
    let (line, column) = first.split_once('.').unwrap_or((first, "1"));
    let (line, column) = (line.parse().ok()?, column.parse().ok()?);
    (line >= 1 && column >= 1 && line <= last).then_some(((line, column), last))
}

/// Whether this is a range of lines whose end is before its start.
fn is_reversed(range: &str) -> bool {
    let ends = range.split_once('-').and_then(|(first, last)| {
        let ((first, _), _) = numbers(first)?;
        Some((first, last.parse::<usize>().ok()?))
    });
    ends.is_some_and(|(first, last)| first > last)
}

/// A line or a range of lines as in the URLs of code hosts: `L62`, `L62-L68`.
fn marked(section: &str) -> Option<((usize, usize), usize)> {
    let range = section.strip_prefix('L')?;
    numbers(&range.replacen("-L", "-", 1))
}

/// Whether this may be the beginning of a chunk's id.
pub(crate) fn is_id(given: &str) -> bool {
    given.len() >= SHORTEST_ID && given.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_signs_of_a_target_are_looked_up() {
        let looked_up = std::cell::Cell::new(0);
        let given = format!("a{}", "#b".repeat(2_000));
        let found = parsed(&given, |_| {
            looked_up.set(looked_up.get() + 1);
            false
        });
        let section = Fragment::Section(given["a#".len()..].to_string());
        assert_eq!(found.unwrap(), ("a", section));
        assert_eq!(looked_up.get(), 1 + MOST_SIGNS);
        let named = format!("a{}", "#b".repeat(MOST_SIGNS - 1));
        let target = format!("{named}#c");
        let found = parsed(&target, |path| path == named);
        assert_eq!(found.unwrap(), (&*named, Fragment::Section("c".into())));
    }

    #[test]
    fn a_target_has_a_length() {
        assert!(check_length(&"a".repeat(LONGEST)).is_ok());
        let error = check_length(&"#".repeat(64_000)).unwrap_err().to_string();
        assert_eq!(
            error,
            "a target of 64,000 bytes, expected at most 8,192: give a path, and a part of it"
        );
    }

    #[test]
    fn lines_and_sections_follow_the_path() {
        fn lines(path: &str, first: usize, last: usize) -> (&str, Fragment) {
            (path, Fragment::Lines((first, 1), last))
        }
        let alone = |given: &'static str| parsed(given, |_| false).unwrap();
        let section = |path, name: &str| (path, Fragment::Section(name.to_string()));
        assert_eq!(alone("a.md"), ("a.md", Fragment::Whole));
        assert_eq!(alone("a:b.md:7"), lines("a:b.md", 7, 7));
        assert_eq!(alone("a.md:10-20"), lines("a.md", 10, 20));
        let from = |first, last| ("a.md", Fragment::Lines(first, last));
        assert_eq!(alone("a.md:3.641-20"), from((3, 641), 20));
        assert_eq!(alone("a.md:3.641"), from((3, 641), 3));
        assert_eq!(alone("a.md#L62"), lines("a.md", 62, 62));
        assert_eq!(alone("a.md#L62-L68"), lines("a.md", 62, 68));
        assert_eq!(alone("a.md#L62-68"), lines("a.md", 62, 68));
        assert_eq!(alone("a.md:L62-L68"), lines("a.md", 62, 68));
        assert_eq!(alone("a.md:L62"), lines("a.md", 62, 62));
        assert_eq!(alone("a.md:10-20 (12-14 shown)"), lines("a.md", 10, 20));
        assert_eq!(alone("a.md:10-20 (not shown)"), lines("a.md", 10, 20));
        assert_eq!(alone("a.md#L-shaped"), section("a.md", "L-shaped"));
        assert_eq!(alone("a.md#how"), section("a.md", "how"));
        assert_eq!(alone("a.md#at 10:30"), section("a.md", "at 10:30"));
        let named = parsed("a.md:10-20", |path| path == "a.md:10-20").unwrap();
        assert_eq!(named, ("a.md:10-20", Fragment::Whole));
        let with_sign = |given: &'static str| parsed(given, |path| path == "C#.md").unwrap();
        assert_eq!(with_sign("C#.md"), ("C#.md", Fragment::Whole));
        assert_eq!(with_sign("C#.md:2-3"), lines("C#.md", 2, 3));
        assert_eq!(with_sign("C#.md#L2-3"), lines("C#.md", 2, 3));
        assert_eq!(with_sign("C#.md#how#why"), section("C#.md", "how#why"));
        let error = parsed("a.md:20-10", |_| false).unwrap_err().to_string();
        assert_eq!(error, "invalid line range `20-10`: start is after end");
        let error = parsed("a.md:0-5", |_| false).unwrap_err().to_string();
        assert_eq!(
            error,
            "invalid line range `0-5`, expected a line or a range from 1, such as `7` or `10-20`"
        );
    }
}
