//! The styles of a Word document: what a paragraph with one of them is.

use std::collections::HashMap;

use crate::limits::ReadLimits;
use crate::office::docx::numbering::Numbered;
use crate::office::kind::{BlockKind, kind_of};
use crate::reader::ReadError;
use crate::xml::{Event, Xml};

/// How many styles that are based on each other are followed. They may form a cycle.
const CHAIN: usize = 20;

/// The styles, by what paragraphs call them.
#[derive(Default)]
pub(crate) struct Styles {
    styles: HashMap<String, Style>,
    /// What a paragraph is that names no style.
    default: Option<String>,
}

/// What a style says, by itself or by what it is based on.
#[derive(Clone, Default)]
struct Style {
    name: String,
    base: Option<String>,
    outline: Option<u64>,
    number: Option<u64>,
    level: Option<u64>,
}

/// What a paragraph is by its style.
#[derive(Default)]
pub(crate) struct Role {
    pub(crate) kind: Option<BlockKind>,
    pub(crate) numbered: Option<Numbered>,
}

impl Styles {
    pub(crate) fn read(text: &str, limits: &ReadLimits<'_>) -> Result<Self, ReadError> {
        let mut xml = Xml::new(text, limits);
        let mut styles = Styles::default();
        let mut key = String::new();
        let mut style = Style::default();
        while let Some(event) = xml.next()? {
            match event {
                Event::Start(element) => match element.name() {
                    "style" => {
                        key = element.key("styleId").unwrap_or_default();
                        style = Style::default();
                        let is_default =
                            matches!(element.get("default").as_deref(), Some("1" | "true"));
                        let is_paragraph = element.get("type").is_none_or(|of| of == "paragraph");
                        if is_default && is_paragraph {
                            styles.default = Some(key.clone());
                        }
                    }
                    "name" => style.name = element.key("val").unwrap_or_default(),
                    "basedOn" => style.base = element.key("val"),
                    "outlineLvl" => style.outline = element.number("val"),
                    "numId" => style.number = element.number("val"),
                    "ilvl" => style.level = element.number("val"),
                    "pPrChange" | "rPrChange" | "tblStylePr" => xml.skip()?,
                    _ => (),
                },
                Event::End(end) if end.name() == "style" => {
                    let key = std::mem::take(&mut key);
                    styles.styles.insert(key, std::mem::take(&mut style));
                }
                Event::End(_) | Event::Text(_) => (),
            }
        }
        Ok(styles)
    }

    /// What a paragraph with this style is.
    pub(crate) fn role(&self, key: Option<&str>) -> Role {
        let mut role = Role::default();
        let mut outline = None;
        let mut number = None;
        let mut level = None;
        let mut next = key.or(self.default.as_deref());
        for _ in 0..CHAIN {
            let Some(key) = next else {
                break;
            };
            let style = self.styles.get(key);
            // Without a description, the key is the name without its spaces.
            let name = style.map_or(key, |style| &style.name);
            let named = kind_of(name);
            if role.kind.is_none() && outline.is_none() {
                role.kind = named;
            }
            let Some(style) = style else {
                break;
            };
            if number.is_none() && level.is_none() {
                level = style.level.or_else(|| list_level(&style.name));
            }
            outline = outline.or(style.outline);
            number = number.or(style.number);
            next = style.base.as_deref();
        }
        role.kind = match (role.kind, outline) {
            (None, Some(level @ 0..=8)) => Some(BlockKind::Heading(level as usize + 1)),
            (kind, _) => kind,
        };
        role.numbered = number.map(|number| Numbered {
            number,
            level: level.unwrap_or(0),
        });
        role
    }
}

/// The level that is part of a name: 1 for `List Bullet 2`.
fn list_level(name: &str) -> Option<u64> {
    let name = name.to_lowercase();
    let level = name
        .strip_prefix("list bullet ")
        .or_else(|| name.strip_prefix("list number "));
    let level: u64 = level?.trim().parse().ok()?;
    level.checked_sub(1)
}
