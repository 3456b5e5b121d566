//! What the name of a style says about its paragraphs: [`BlockKind`].

/// What paragraphs of a style are.
pub(crate) enum BlockKind {
    Heading(usize),
    Title,
    Code,
    Quote,
    /// An entry of the table of contents.
    Contents,
}

/// What the name of a style says, in any case, with spaces or not.
pub(crate) fn kind_of(name: &str) -> Option<BlockKind> {
    /// What programs call a heading in the languages of their users.
    const HEADINGS: &[&str] = &[
        "heading",
        "\u{fc}berschrift",
        "berschrift",
        "titre",
        "t\u{ed}tulo",
        "titulo",
        "titolo",
        "kop",
        "rubrik",
        "overskrift",
        "nag\u{142}\u{f3}wek",
        "otsikko",
        "nadpis",
        "c\u{ed}msor",
        "ba\u{15f}l\u{131}k",
        "\u{437}\u{430}\u{433}\u{43e}\u{43b}\u{43e}\u{432}\u{43e}\u{43a}",
        "\u{6807}\u{9898}",
        "\u{6a19}\u{984c}",
        "\u{898b}\u{51fa}\u{3057}",
        "\u{c81c}\u{baa9}",
    ];
    let name: String = name
        .to_lowercase()
        .chars()
        .filter(|c| !matches!(c, ' ' | '_' | '-'))
        .collect();
    match &*name {
        "title" => return Some(BlockKind::Title),
        "sourcecode" | "htmlpreformatted" | "preformattedtext" | "code" | "codeblock" | "macro"
        | "macrotext" | "verbatim" | "listing" => return Some(BlockKind::Code),
        "quote" | "intensequote" | "blocktext" | "blockquote" | "quotations" => {
            return Some(BlockKind::Quote);
        }
        _ => (),
    }
    let word = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let level = &name[word.len()..];
    let level: usize = level.parse().ok().filter(|level| (1..=9).contains(level))?;
    match word {
        "toc" | "contents" => Some(BlockKind::Contents),
        word if HEADINGS.contains(&word) => Some(BlockKind::Heading(level)),
        _ => None,
    }
}
