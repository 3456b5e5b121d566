//! The imports that a part of the source code uses: those with a name that occurs in it.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use crate::outline::{Import, Outline};

/// How many imports of one name are kept. If all were, a document that imports a name repeatedly
/// would have all of them in each chunk that uses it.
const MOST_OF_A_NAME: usize = 8;

/// The imports of a document, by the names they introduce.
pub(crate) struct Imports<'a> {
    text: &'a str,
    imports: Vec<(Range<usize>, Arc<str>)>,
    by_name: HashMap<Arc<str>, Vec<usize>>,
    /// The first bytes and the lengths of the names: these rule out most words without hashing.
    firsts: [bool; 256],
    lengths: u64,
}

/// The bit for a word of `length` bytes; the longest share one.
fn length_bit(length: usize) -> u64 {
    1 << length.min(63)
}

impl<'a> Imports<'a> {
    pub(crate) fn new(text: &'a str, outline: &Outline) -> Self {
        let mut by_name: HashMap<Arc<str>, Vec<usize>> = HashMap::new();
        for (index, Import { names, span }) in outline.imports.iter().enumerate() {
            let written = &text[span.clone()];
            for name in names {
                let known = by_name.entry(name.clone()).or_default();
                let same = |other: &usize| text[outline.imports[*other].span.clone()] == *written;
                if known.len() < MOST_OF_A_NAME && !known.iter().any(same) {
                    known.push(index);
                }
            }
        }
        let mut firsts = [false; 256];
        let mut lengths = 0;
        for name in by_name.keys() {
            if let Some(first) = name.bytes().next() {
                firsts[usize::from(first)] = true;
                lengths |= length_bit(name.len());
            }
        }
        let imports = outline.imports.iter().map(|import| {
            let span = import.span.clone();
            (span.clone(), text[span].trim().into())
        });
        Imports {
            text,
            imports: imports.collect(),
            by_name,
            firsts,
            lengths,
        }
    }

    /// Whether a name may be this word, judging by its first byte and its length.
    fn may_know(&self, word: &str) -> bool {
        let first = word.bytes().next();
        first.is_some_and(|first| self.firsts[usize::from(first)])
            && self.lengths & length_bit(word.len()) != 0
    }

    /// The texts of the imports whose names occur as words in `part`, except imports that are in
    /// `part` themselves.
    pub(crate) fn used_by(&self, part: Range<usize>) -> Vec<Arc<str>> {
        if self.by_name.is_empty() {
            return Vec::new();
        }
        let is_word = |char: char| char.is_alphanumeric() || char == '_';
        let words = self.text[part.clone()].split(|char| !is_word(char));
        let mut used: Vec<usize> = words
            .filter(|word| self.may_know(word))
            .filter_map(|word| self.by_name.get(word))
            .flatten()
            .copied()
            .filter(|import| !part.contains(&self.imports[*import].0.start))
            .collect();
        used.sort_unstable();
        used.dedup();
        let texts = used
            .into_iter()
            .map(|import| self.imports[import].1.clone());
        texts.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outline::OutlineBuilder;

    #[test]
    fn an_import_is_used_by_what_says_its_name() {
        let text = "use a::Map;\nuse b::{c, d};\n\nfn f(m: Map) {}\nfn g() { d(c) }\nfn h(mapped: Maps) {}\n";
        let mut builder = OutlineBuilder::new(text, 0);
        builder.import(0..12, vec!["Map".into()]);
        builder.import(12..27, vec!["c".into(), "d".into()]);
        let imports = Imports::new(text, &builder.finish());
        let used = |part: &str| {
            let start = text.find(part).unwrap();
            imports.used_by(start..start + part.len())
        };
        assert_eq!(used("fn f(m: Map) {}"), [Arc::from("use a::Map;")]);
        assert_eq!(used("fn g() { d(c) }"), [Arc::from("use b::{c, d};")]);
        assert!(used("fn h(mapped: Maps) {}").is_empty());
        assert!(used("use b::{c, d};").is_empty());
    }

    #[test]
    fn what_is_imported_again_and_again_is_said_once() {
        let line = "use a::Map;\n";
        let text = line.repeat(1_000) + "fn f(m: Map) {}\n";
        let mut builder = OutlineBuilder::new(&text, 0);
        for index in 0..1_000 {
            let start = index * line.len();
            builder.import(start..start + line.len(), vec!["Map".into()]);
        }
        let imports = Imports::new(&text, &builder.finish());
        let end = text.len();
        assert_eq!(imports.used_by(end - 16..end), [Arc::from("use a::Map;")]);
    }
}
