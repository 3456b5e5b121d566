//! The label of a definition: a template with places for parts of the syntax tree, such as `impl
//! [{trait} for ]{type}`.
//!
//! `{path}` is replaced by the text of the node there, `{path"}` by the same without quotes; `[…]`
//! is omitted if a place in it leads nowhere. `{^}` stands for everything before the body, `{~}`
//! for the text between tags, `{@}` for the obvious name of an element of data, or its number. The
//! last place that leads somewhere is the name.

use std::borrow::Cow;

use tree_sitter::{Language, Node};

use crate::path::Path;

/// How many characters of a name are shown.
const LONGEST: usize = 100;

/// A template.
#[derive(Debug)]
pub(crate) struct Template(Vec<TemplatePart>);

#[derive(Debug)]
enum TemplatePart {
    Words(String),
    Place { place: Place, bare: bool },
    Optional(Vec<TemplatePart>),
}

#[derive(Debug)]
enum Place {
    At(Path),
    Header,
    Words,
    Obvious,
}

/// The values that fill a template.
pub(crate) struct Facts<'a, 'tree> {
    pub(crate) text: &'a str,
    pub(crate) node: Node<'tree>,
    /// The text before the body.
    pub(crate) header: &'a str,
    /// The obvious name of the node, or its number.
    pub(crate) obvious: &'a dyn Fn() -> String,
}

impl Template {
    /// Parses a template; `None` if a bracket is not closed or the grammar does not know a word.
    pub(crate) fn read(written: &str, language: &Language) -> Option<Self> {
        let mut parts = Vec::new();
        let mut rest = written;
        while !rest.is_empty() {
            let at = rest.find(['{', '[']).unwrap_or(rest.len());
            let (words, tail) = rest.split_at(at);
            if !words.is_empty() {
                parts.push(TemplatePart::Words(words.to_string()));
            }
            rest = tail;
            if let Some(inner) = rest.strip_prefix('{') {
                let (place, tail) = inner.split_once('}')?;
                let (path, bare) = match place.strip_suffix('"') {
                    Some(path) => (path, true),
                    None => (place, false),
                };
                let place = match path {
                    "^" => Place::Header,
                    "~" => Place::Words,
                    "@" => Place::Obvious,
                    path => Place::At(Path::read(path, language)?),
                };
                parts.push(TemplatePart::Place { place, bare });
                rest = tail;
            } else if let Some(inner) = rest.strip_prefix('[') {
                let (optional, tail) = inner.split_once(']')?;
                parts.push(TemplatePart::Optional(
                    Template::read(optional, language)?.0,
                ));
                rest = tail;
            }
        }
        Some(Template(parts))
    }

    /// The label, and the name in it; `None` if a required place leads nowhere.
    pub(crate) fn fill(&self, facts: &Facts<'_, '_>) -> Option<(String, Option<String>)> {
        let mut label = String::new();
        let mut name = None;
        fill(&self.0, facts, &mut label, &mut name)?;
        Some((label, name))
    }
}

fn fill(
    parts: &[TemplatePart],
    facts: &Facts<'_, '_>,
    label: &mut String,
    name: &mut Option<String>,
) -> Option<()> {
    for part in parts {
        match part {
            TemplatePart::Words(words) => label.push_str(words),
            TemplatePart::Place { place, bare } => {
                let value: Cow<'_, str> = match place {
                    Place::At(path) => {
                        let node = path.follow(facts.node)?;
                        short(facts.text.get(node.byte_range())?)
                    }
                    Place::Header => short(facts.header),
                    Place::Words => {
                        let markup = facts.text.get(facts.node.byte_range())?;
                        short(&words(markup)).into_owned().into()
                    }
                    Place::Obvious => (facts.obvious)().into(),
                };
                let value = if *bare { unquoted(&value) } else { &value };
                if value.is_empty() {
                    return None;
                }
                label.push_str(value);
                let last = value
                    .rsplit(' ')
                    .next()
                    .filter(|_| matches!(place, Place::Header));
                let quoted = last.map(unquoted).filter(|bare| Some(*bare) != last);
                *name = Some(quoted.unwrap_or(value).to_string());
            }
            TemplatePart::Optional(parts) => {
                let (length, before) = (label.len(), name.clone());
                if fill(parts, facts, label, name).is_none() {
                    label.truncate(length);
                    *name = before;
                }
            }
        }
    }
    Some(())
}

/// The text between the tags of `markup`.
fn words(markup: &str) -> String {
    let parts = markup.split('<').map(|part| match part.split_once('>') {
        Some((_, words)) => words,
        None => part,
    });
    parts.collect()
}

/// `text` on one line, with single spaces, and not too long.
pub(crate) fn short(text: &str) -> Cow<'_, str> {
    let text = text.trim();
    let plain = |byte: u8| byte >= b' ';
    if text.len() <= LONGEST && !text.contains("  ") && text.bytes().all(plain) {
        return text.into();
    }
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        let room = LONGEST.saturating_sub(line.chars().count());
        match word.char_indices().nth(room) {
            Some((end, _)) => {
                line.push_str(&word[..end]);
                line.push('…');
                break;
            }
            None => line.push_str(word),
        }
    }
    line.into()
}

/// `text` without the quotes around it.
pub(crate) fn unquoted(text: &str) -> &str {
    let quotes = ['"', '\'', '`'];
    let bare = text
        .strip_prefix(quotes)
        .and_then(|text| text.strip_suffix(quotes));
    bare.unwrap_or(text)
}

/// The last part of a path of names, without type parameters: what a search would be for.
pub(crate) fn last_name(name: &str) -> &str {
    let plain = |character: char| {
        character.is_alphanumeric()
            || matches!(
                character,
                '_' | '.' | ':' | '\\' | '$' | '#' | '~' | '@' | '?' | '!' | '='
            )
    };
    let parted = |name: &str| name.chars().all(plain);
    if let Some((_, last)) = name.rsplit_once("::")
        && !last.is_empty()
        && (parted(last) || last.starts_with("operator"))
    {
        return last;
    }
    let stem = name.find(['<', '[', '(']).map_or(name, |at| &name[..at]);
    let typed = !stem.is_empty() && parted(stem) && !stem.ends_with("operator");
    let name = if typed { stem } else { name };
    if !parted(name) {
        return name;
    }
    let last = name.rsplit(['.', ':', '\\']).next().unwrap_or(name);
    if last.is_empty() { name } else { last }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_the_last_of_its_path() {
        assert_eq!(last_name("Store::<T>::open"), "open");
        assert_eq!(last_name("Vec<T>"), "Vec");
        assert_eq!(last_name("M.sub:run"), "run");
        assert_eq!(last_name("operator<"), "operator<");
        assert_eq!(last_name("&mut [u8]"), "&mut [u8]");
        assert_eq!(last_name("a"), "a");
    }

    #[test]
    fn long_names_are_cut_at_a_character() {
        let name = short(&"é ".repeat(200)).into_owned();
        assert!(name.ends_with('…') && name.chars().count() <= LONGEST + 1);
        assert_eq!(short("a\n   b"), "a b");
        assert_eq!(unquoted("\"a\""), "a");
    }
}
