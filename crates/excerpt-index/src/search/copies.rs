//! Passages that say what a better one says: near-copies, and translations of the same page.
//! [`Shown`] is what an answer contains so far, and finds the document that a further one repeats.

use std::collections::{HashMap, HashSet};

use excerpt_chunk::Hash;
use twox_hash::XxHash3_64;

/// How many words in a row form a shingle, the unit in which passages are compared (Broder, "On the
/// resemblance and containment of documents", 1997).
const SHINGLE: usize = 4;

/// The share of the shingles of the smaller passage that a near-copy has in common with the other.
const SHARED: f32 = 0.8;

/// How much smaller a near-copy may be.
const SIZE: f32 = 0.5;

// A translation has the same path but for one part, the same constants and few of the same words.
// Of the 252 pages in 13 languages of one project (FastAPI 0.99), 97 % share at least half of their
// constants, and five or more, with the English page of the same path, and at most 53 % of their
// words.
const SHARED_CONSTANTS: f32 = 0.5;
const FEWEST_CONSTANTS: usize = 5;
const SHARED_WORDS: f32 = 0.6;

/// How many bytes of the beginning of a document are compared.
pub(super) const COMPARED: usize = 64 << 10;

/// How many documents of an answer are compared with those below them.
const MOST_KEPT: usize = 50;

/// The documents of an answer, best first.
#[derive(Default)]
pub(super) struct Shown(Vec<Compared>);

/// A document of an answer.
pub(super) struct Compared {
    path: String,
    text: Hash,
    /// Whether it is a page that may be translated: prose.
    is_page: bool,
    /// The passages that are to be shown of it.
    passages: Vec<HashSet<u64>>,
    /// Set when it is compared with another page.
    page: Option<Page>,
}

/// What is compared between a page and its translation.
struct Page {
    constants: HashSet<u64>,
    words: HashSet<u64>,
}

impl Compared {
    pub(super) fn new<'p>(path: &str, text: Hash, passages: impl Iterator<Item = &'p str>) -> Self {
        Compared {
            path: path.to_string(),
            text,
            is_page: true,
            passages: passages.map(shingles).collect(),
            page: None,
        }
    }

    /// The same for what is not translated: source code.
    pub(super) fn without_translations(self) -> Self {
        Compared {
            is_page: false,
            ..self
        }
    }

    /// What is compared between pages.
    fn page(&mut self, beginnings: &HashMap<Hash, String>) -> &Page {
        let beginning = || beginnings.get(&self.text).map_or("", String::as_str);
        self.page.get_or_insert_with(|| Page::of(beginning()))
    }

    fn is_translated_by(
        &mut self,
        other: &mut Compared,
        beginnings: &HashMap<Hash, String>,
    ) -> bool {
        let are_pages = self.is_page && other.is_page;
        if !are_pages || difference(&self.path, &other.path).is_none() {
            return false;
        }
        let (own, other) = (self.page(beginnings), other.page(beginnings));
        let (constants, share) = common(&own.constants, &other.constants);
        let is_same = constants >= FEWEST_CONSTANTS && share >= SHARED_CONSTANTS;
        is_same && common(&own.words, &other.words).1 <= SHARED_WORDS
    }
}

impl Shown {
    /// The position of the document that `found` repeats; adds `found` if there is none.
    /// `beginnings` are those of the documents, by the hash of their texts, of [`COMPARED`] bytes.
    pub(super) fn repeated(
        &mut self,
        mut found: Compared,
        beginnings: &HashMap<Hash, String>,
    ) -> Option<usize> {
        for (at, kept) in self.0.iter_mut().enumerate() {
            let is_there = |passage| {
                let mut passages = kept.passages.iter();
                passages.any(|other| is_near_copy(passage, other))
            };
            if found.passages.iter().all(is_there) || kept.is_translated_by(&mut found, beginnings)
            {
                return Some(at);
            }
        }
        if self.0.len() < MOST_KEPT {
            self.0.push(found);
        }
        None
    }
}

fn is_near_copy(one: &HashSet<u64>, other: &HashSet<u64>) -> bool {
    let (small, large) = (one.len().min(other.len()), one.len().max(other.len()));
    small as f32 >= SIZE * large as f32 && common(one, other).1 >= SHARED
}

/// How many elements two sets have in common, and as a share of the smaller set.
fn common(one: &HashSet<u64>, other: &HashSet<u64>) -> (usize, f32) {
    let count = one.intersection(other).count();
    (
        count,
        count as f32 / one.len().min(other.len()).max(1) as f32,
    )
}

/// The hashes of the words of a text, ignoring case. Where a script has no spaces between words,
/// each letter is one.
fn words(text: &str) -> impl Iterator<Item = u64> {
    let is_ideograph = |letter: char| letter >= '\u{2e80}';
    let runs = text.split(|letter: char| !letter.is_alphanumeric());
    let pieces = runs.flat_map(move |run| {
        let mut rest = run;
        std::iter::from_fn(move || {
            let first = rest.chars().next()?;
            let end = match is_ideograph(first) {
                true => first.len_utf8(),
                false => rest.find(is_ideograph).unwrap_or(rest.len()),
            };
            let piece = &rest[..end];
            rest = &rest[end..];
            Some(piece)
        })
    });
    pieces.map(|piece| XxHash3_64::oneshot(piece.to_lowercase().as_bytes()))
}

/// The hashes of the shingles of a text; of a text with fewer words, that of all of them.
fn shingles(text: &str) -> HashSet<u64> {
    let words: Vec<[u8; 8]> = words(text).map(u64::to_le_bytes).collect();
    let size = SHINGLE.min(words.len()).max(1);
    let shingles = words.windows(size);
    shingles
        .map(|shingle| XxHash3_64::oneshot(shingle.as_flattened()))
        .collect()
}

impl Page {
    fn of(text: &str) -> Page {
        Page {
            constants: constants(text),
            words: words(text).collect(),
        }
    }
}

/// What a translation leaves as it is: code, names, addresses and numbers. That is, runs of ASCII
/// characters with something inside that does not belong to a word.
fn constants(text: &str) -> HashSet<u64> {
    let runs = text.split(|letter: char| !letter.is_ascii_graphic());
    let is_inside = |run: &str| {
        let bytes = run.bytes();
        bytes.enumerate().any(|(at, byte)| match byte {
            b'A'..=b'Z' => at > 0,
            b'a'..=b'z' | b'-' | b',' | b';' | b'\'' | b'"' | b'!' | b'?' | b'*' | b'`' => false,
            _ => true,
        })
    };
    let around = |letter: char| !letter.is_ascii_alphanumeric();
    let runs = runs.map(|run| run.trim_matches(around));
    let runs = runs.filter(|run| is_inside(run));
    runs.map(|run| XxHash3_64::oneshot(run.as_bytes()))
        .collect()
}

/// Where the path of a document differs from that of another by one part, a folder or what follows
/// a `.`, `-` or `_` in the name: that part of `path`. Empty if `path` lacks it, `None` if the
/// paths differ by more.
pub(super) fn difference<'p>(other: &str, path: &'p str) -> Option<&'p str> {
    let (mine, others): (Vec<&str>, Vec<&str>) =
        (path.split('/').collect(), other.split('/').collect());
    let same = mine.iter().zip(&others);
    let first = same.take_while(|(one, other)| one == other).count();
    let same = mine[first..].iter().rev().zip(others[first..].iter().rev());
    let last = same.take_while(|(one, other)| one == other).count();
    let part = match (mine.len() - first - last, others.len() - first - last) {
        (1, 1) if last == 0 => suffix(others[first], mine[first]),
        (1, 0 | 1) if last > 0 => Some(mine[first]),
        (0, 1) if last > 0 => Some(""),
        _ => None,
    };
    // What numbers and dates tell apart are different pages.
    part.filter(|part| part.is_empty() || part.contains(char::is_alphabetic))
}

/// The part of a file name that another lacks or has another for: `fr` for `guide.md` and
/// `guide.fr.md`.
fn suffix<'p>(other: &str, name: &'p str) -> Option<&'p str> {
    let (stem, ending) = name.rsplit_once('.')?;
    let (other_stem, other_ending) = other.rsplit_once('.')?;
    let parted = |stem: &'p str| stem.rsplit_once(['.', '-', '_']);
    let other_parted = other_stem.rsplit_once(['.', '-', '_']);
    if ending != other_ending {
        return None;
    }
    match (parted(stem), other_parted) {
        (Some((own, part)), _) if own == other_stem => Some(part),
        (_, Some((own, _))) if own == stem => Some(""),
        (Some((own, part)), Some((others, _))) if own == others => Some(part),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# Install\n\nRun `pip install parcel` on Python 3.12 or later, then set `PARCEL_HOME` to `/srv/parcel` and start \
        `parcel serve --port 8080`. The page is at http://localhost:8080/ and the log in `parcel.log`.\n";
    const FRENCH: &str = "# Installation\n\nExécutez `pip install parcel` avec Python 3.12 ou plus récent, donnez à `PARCEL_HOME` la valeur \
        `/srv/parcel` puis lancez `parcel serve --port 8080`. La page se trouve à http://localhost:8080/ et le journal dans `parcel.log`.\n";
    const OTHER: &str = "# Move\n\nStop `parcel serve --port 8080` on the old machine with Python 3.12, copy `/srv/parcel` and `parcel.log` to \
        the new one, and set `PARCEL_HOME` there. The page at http://localhost:8080/ shows when the copy is complete.\n";

    /// The positions of the documents that these repeat.
    fn repeated(documents: &[(&str, &str)]) -> Vec<Option<usize>> {
        let mut kept = Shown::default();
        let texts = documents.iter().map(|(_, text)| *text);
        let beginnings = texts
            .map(|text| (Hash::of(text.as_bytes()), text.to_string()))
            .collect();
        let repeated = documents.iter().map(|(path, text)| {
            let found = Compared::new(path, Hash::of(text.as_bytes()), std::iter::once(*text));
            kept.repeated(found, &beginnings)
        });
        repeated.collect()
    }

    #[test]
    fn a_near_copy_repeats_the_better_one() {
        let copy = PAGE.replace("at http", "under http");
        assert_eq!(
            repeated(&[("a.md", PAGE), ("b.md", &copy)]),
            [None, Some(0)]
        );
        assert_eq!(repeated(&[("a.md", PAGE), ("b.md", OTHER)]), [None, None]);
    }

    #[test]
    fn a_translation_of_the_same_page_repeats_it() {
        let pages = |other| [("en/install.md", PAGE), (other, FRENCH)];
        assert_eq!(repeated(&pages("fr/install.md")), [None, Some(0)]);
        assert_eq!(repeated(&pages("fr/move.md")), [None, None]);
        assert_eq!(
            repeated(&[("install.md", FRENCH), ("fr/install.md", PAGE)]),
            [None, Some(0)]
        );
    }

    #[test]
    fn a_page_of_the_same_name_in_the_same_language_does_not() {
        assert_eq!(
            repeated(&[("v1/page.md", PAGE), ("v2/page.md", OTHER)]),
            [None, None]
        );
        let notes = [
            ("2026-10-05.md", "ate soup"),
            ("2026-10-06.md", "ate bread"),
        ];
        assert_eq!(repeated(&notes), [None, None]);
    }

    #[test]
    fn scripts_without_spaces_are_compared_by_letter() {
        let text = "猫は毎朝八時に薬を飲みます。獣医は水曜日に来ます。";
        let copy = text.replace("水曜日", "木曜日");
        assert_eq!(repeated(&[("a.md", text), ("b.md", text)]), [None, Some(0)]);
        assert_eq!(words(text).count(), 23);
        assert!(is_near_copy(&shingles(&copy), &shingles(text)));
    }

    #[test]
    fn a_part_of_a_path_tells_translations_apart() {
        assert_eq!(difference("docs/en/a/b.md", "docs/fr/a/b.md"), Some("fr"));
        assert_eq!(difference("docs/b.md", "docs/pt-br/b.md"), Some("pt-br"));
        assert_eq!(difference("docs/fr/b.md", "docs/b.md"), Some(""));
        assert_eq!(difference("b.md", "b.fr.md"), Some("fr"));
        assert_eq!(difference("README_de.md", "README_zh.md"), Some("zh"));
        assert_eq!(difference("README_de.md", "README.md"), Some(""));
        for other in [
            "docs/fr/c.md",
            "docs/fr/deep/b.md",
            "b.md",
            "docs/en/b.rst",
            "docs/en/b-2.md",
        ] {
            assert_eq!(difference("docs/en/b.md", other), None, "{other}");
        }
        assert_eq!(
            difference("notes/2026-10-05.md", "notes/2026-10-06.md"),
            None
        );
    }
}
