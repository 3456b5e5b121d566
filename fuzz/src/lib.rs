//! Shared by the targets: an arbitrary configuration, and the guarantees of chunks.

use arbitrary::Arbitrary;
use excerpt_chunk::{
    Atomic, Chunking, Config, ContextParts, Overlap, Preset, Strategy, Unit, Warning,
};

/// The input for a configuration: the first 14 bytes of a seed.
#[derive(Arbitrary, Debug)]
pub struct Options {
    strategy: u8,
    tokens: bool,
    max: u16,
    target: u8,
    min: u8,
    overlap: u8,
    percent: bool,
    levels: u8,
    delimiter: u8,
    include_delimiter: bool,
    keep: bool,
    context: u8,
    complete_sentences: bool,
}

/// An item selected by an arbitrary number.
pub fn chosen<T: Copy>(from: &[T], by: u8) -> T {
    from[usize::from(by) % from.len()]
}

impl Options {
    /// The configuration, which may be invalid.
    pub fn config(&self) -> Config {
        let max = usize::from(self.max) % 2000 + 1;
        let share = |of: usize, part: u8| of * usize::from(part) / 256;
        let target = share(max, self.target) + 1;
        let levels = chosen(
            &[None, Some("1"), Some("1,2"), Some("1,2,3,4,5,6")],
            self.levels,
        );
        let delimiters = [
            None,
            Some("^---$"),
            Some("\\n\\n"),
            Some("[a-m]+"),
            Some("$"),
        ];
        Config {
            strategy: chosen(
                &[
                    Strategy::Auto,
                    Strategy::Markdown,
                    Strategy::Headers,
                    Strategy::Delimiter,
                    Strategy::Fixed,
                    Strategy::Whole,
                    Strategy::Naive,
                    Strategy::Code,
                ],
                self.strategy,
            ),
            max,
            target,
            min: share(target, self.min),
            overlap: if self.percent {
                Overlap::Percent(self.overlap % 100)
            } else {
                Overlap::Size(share(target, self.overlap))
            },
            levels: levels.and_then(|levels| levels.parse().ok()),
            delimiter: chosen(&delimiters, self.delimiter).map(str::to_string),
            include_delimiter: self.include_delimiter,
            atomic: if self.keep {
                Atomic::Keep
            } else {
                Atomic::Split
            },
            context: chosen(
                &[
                    ContextParts::ALL,
                    ContextParts::NONE,
                    ContextParts::TRAIL,
                    ContextParts::PATH,
                ],
                self.context,
            ),
            complete_sentences: self.complete_sentences,
            ..Preset::Auto.config(if self.tokens {
                Unit::Tokens
            } else {
                Unit::Chars
            })
        }
    }
}

/// Checks that the chunks are verbatim, in order and within the limit, and that nothing is lost.
pub fn check(text: &str, chunking: &Chunking<'_>, config: &Config) {
    let own = chunking.chunks.iter().map(|chunk| chunk.span.bytes.clone());
    let mut parts: Vec<_> = own.chain(chunking.gaps.iter().cloned()).collect();
    parts.sort_by_key(|part| part.start);
    let end = parts.into_iter().fold(0, |end, part| {
        assert_eq!(part.start, end, "every byte once");
        part.end
    });
    assert_eq!(end, text.len(), "every byte");
    for gap in &chunking.gaps {
        let gap = text[gap.clone()].trim_start_matches('\u{feff}');
        assert!(
            gap.trim().is_empty() || chunking.strategy == Strategy::Delimiter,
            "lost: {gap:?}"
        );
    }
    for chunk in &chunking.chunks {
        assert_eq!(chunk.text, &text[chunk.span.bytes.clone()], "verbatim");
        let reason = chunk.warnings.iter().find_map(|warning| match warning {
            Warning::Oversized { reason } => Some(*reason),
            _ => None,
        });
        assert!(
            chunk.size.total <= config.max || reason.is_some(),
            "over the limit"
        );
        let allowed = reason
            .is_none_or(|reason| reason.contains("grapheme") || config.atomic == Atomic::Keep);
        assert!(allowed, "over the limit: {reason:?}");
        assert!(
            chunk.size.context <= config.max / 4,
            "a header of more than a quarter"
        );
    }
}
