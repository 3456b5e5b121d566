//! The fields at the beginning of reStructuredText, which say something about the document.

use std::ops::Range;

use crate::outline::{Kind, Outline};
use crate::parse::header;
use crate::parse::rst::field;

/// Adds the fields of the list that comes first, or first below the title and its subtitle.
pub(super) fn add_fields(outline: &mut Outline, text: &str) {
    let Some(list) = list(outline, text) else {
        return;
    };
    let info = &mut outline.info;
    for (name, value) in fields(&text[list]) {
        match &*name {
            "author" => header::add_values(info, "authors", [&*value]),
            "authors" => {
                let mark = if value.contains(';') { ';' } else { ',' };
                header::add_values(info, "authors", value.split(mark));
            }
            "date" => header::add_date(info, &value),
            "keywords" | "tags" => header::add_values(info, &name, value.split(',')),
            name => header::add_text(info, name, &value),
        }
    }
}

/// Where the list of fields is.
fn list(outline: &Outline, text: &str) -> Option<Range<usize>> {
    let is_before = |kind| {
        matches!(
            kind,
            Kind::Section | Kind::Heading | Kind::Definitions | Kind::FrontMatter
        )
    };
    let nodes = &outline.nodes[1..];
    let first = nodes.iter().position(|node| !is_before(node.kind()))?;
    let headings = nodes[..first].iter();
    let headings = headings.filter(|node| node.kind() == Kind::Heading).count();
    let list = nodes[first].span();
    let is_fields =
        nodes[first].kind() == Kind::List && field(text[list.clone()].trim_start()).is_some();
    (is_fields && headings <= 2).then_some(list)
}

/// The fields in a list whose names are one word, with their values; names are in lower case.
fn fields(list: &str) -> Vec<(String, String)> {
    let mut fields: Vec<(String, String)> = Vec::new();
    for line in list.lines() {
        if line.starts_with([' ', '\t']) || line.is_empty() {
            if let Some((_, value)) = fields.last_mut() {
                value.push(' ');
                value.push_str(line.trim());
            }
            continue;
        }
        let length = field(line).unwrap_or(0).min(line.len());
        let (name, value) = line.split_at(length);
        let name = name.trim().trim_matches(':').to_lowercase();
        fields.push((name, value.trim().to_string()));
    }
    fields.retain(|(name, _)| !name.is_empty() && !name.contains(char::is_whitespace));
    fields
}
