//! The imports that a piece of source code uses: those of which it says a name.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use crate::outline::{Import, Outline};

/// The imports of a document, by the names that they make known.
pub(crate) struct Imports<'a> {
    text: &'a str,
    imports: Vec<(Range<usize>, Arc<str>)>,
    by_name: HashMap<Arc<str>, Vec<usize>>,
}

impl<'a> Imports<'a> {
    pub(crate) fn new(text: &'a str, outline: &Outline) -> Self {
        let mut by_name: HashMap<Arc<str>, Vec<usize>> = HashMap::new();
        for (index, Import { names, .. }) in outline.imports.iter().enumerate() {
            for name in names {
                by_name.entry(name.clone()).or_default().push(index);
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
        }
    }

    /// The texts of the imports whose names stand as words in the part of the text, but for those that stand there themselves.
    pub(crate) fn used_by(&self, part: Range<usize>) -> Vec<Arc<str>> {
        if self.by_name.is_empty() {
            return Vec::new();
        }
        let is_word = |char: char| char.is_alphanumeric() || char == '_';
        let words = self.text[part.clone()].split(|char| !is_word(char));
        let mut used: Vec<usize> = words
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
}
