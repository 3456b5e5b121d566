//! The lists of attributes above a block.

/// What the lines above a block say about it.
#[derive(Clone, Copy, Default)]
pub(super) struct BlockAttributes<'a> {
    pub(super) style: &'a str,
    pub(super) language: &'a str,
}

impl BlockAttributes<'_> {
    pub(super) fn is_discrete(&self) -> bool {
        matches!(self.style, "discrete" | "float")
    }
}

/// Whether a line is a list of attributes or an anchor.
pub(super) fn is_attributes(text: &str) -> bool {
    let inside = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'));
    let Some(inside) = inside else {
        return false;
    };
    match inside.chars().next() {
        None => true,
        Some('[') => {
            let id = inside[1..].strip_suffix(']');
            id.is_some_and(|id| {
                let id = id.split(',').next().unwrap_or(id);
                let opens = |char: char| char.is_alphabetic() || matches!(char, '_' | ':');
                let goes_on =
                    |char: char| char.is_alphanumeric() || matches!(char, '_' | '-' | ':' | '.');
                id.is_empty() || (id.starts_with(opens) && id.chars().all(goes_on))
            })
        }
        Some(first) => first.is_alphanumeric() || "_.#%{,\"'".contains(first),
    }
}

/// Reads the style and the language in a list of attributes, after its opening bracket.
pub(super) fn style<'a>(list: &'a str, found: &mut BlockAttributes<'a>) {
    let list = list.strip_suffix(']').unwrap_or(list);
    let mut values = list.split(',').map(str::trim);
    let first = values.next().unwrap_or_default();
    if first.contains('=') {
        return;
    }
    let name = first.split(['.', '#', '%']).next().unwrap_or(first).trim();
    let second = values.next().unwrap_or_default().trim_matches(['"', '\'']);
    let is_source = name == "source" || (first.is_empty() && !second.is_empty());
    if !name.is_empty() || is_source {
        found.style = if is_source { "source" } else { name };
    }
    if is_source {
        let named = value(list, "language").or_else(|| value(list, "lang"));
        let language = match second.contains('=') {
            true => "",
            false => second.split('%').next().unwrap_or(second),
        };
        found.language = named.unwrap_or(language);
    }
}

/// The value of a named attribute in a list.
pub(super) fn value<'a>(attributes: &'a str, name: &str) -> Option<&'a str> {
    let found = attributes.match_indices(name).find(|(at, _)| {
        attributes[at + name.len()..].trim_start().starts_with('=')
            && !attributes[..*at].ends_with(|char: char| char.is_alphanumeric())
    })?;
    let rest = attributes[found.0 + name.len()..].trim_start();
    let rest = rest[1..].trim_start();
    Some(match rest.chars().next()? {
        quote @ ('"' | '\'') => rest[1..].split(quote).next()?,
        _ => rest.split([',', ']']).next()?.trim(),
    })
}
