//! The pages of a PDF, and what each shows: ISO 32000-1, 7.7.3.

use std::collections::HashSet;

use super::content::Appearance;
use super::file::File;
use super::object::{Dict, Object};
use crate::reader::ReadError;

/// How many pages are read.
const MOST_PAGES: usize = 200_000;

/// How deep the tree of pages may be.
const DEEPEST_TREE: usize = 64;

/// A page, with what it has from the nodes above it.
#[derive(Clone, Debug)]
pub(super) struct Page {
    /// The number of its object.
    pub(super) number: Option<u32>,
    contents: Object,
    annotations: Object,
    pub(super) resources: Object,
    /// The area that is seen: left, bottom, right, top.
    pub(super) area: [f64; 4],
}

impl Page {
    /// All parts of its content as one.
    pub(super) fn content(&self, file: &File<'_>) -> Result<Vec<u8>, ReadError> {
        let parts = match file.get(&self.contents)? {
            Object::Array(parts) => parts.as_ref().clone(),
            part => vec![part],
        };
        let mut content = Vec::new();
        file.spend(parts.len())?;
        for part in parts {
            if let Object::Stream(stream) = file.get(&part)?
                && let Some(part) = file.unpacked(&stream)?
            {
                content.extend_from_slice(&part);
                content.push(b'\n');
            }
        }
        Ok(content)
    }

    /// What is seen of its annotations: the values of fields, and notes.
    pub(super) fn appearances(&self, file: &File<'_>) -> Result<Vec<Appearance>, ReadError> {
        const MOST: usize = 10_000;
        let mut appearances = Vec::new();
        let annotations = file.get(&self.annotations)?;
        let annotations = annotations.array().unwrap_or_default().iter().take(MOST);
        file.spend(annotations.len())?;
        for annotation in annotations {
            let annotation = file.get(annotation)?;
            let Some(annotation) = annotation.dict() else {
                continue;
            };
            let kind = annotation.get("Subtype").name();
            let flags = annotation.get("F").integer().unwrap_or(0);
            // Neither hidden nor out of view.
            if !matches!(kind, Some(b"Widget" | b"FreeText" | b"Stamp")) || flags & 0b10_0010 != 0 {
                continue;
            }
            let looks = file.value(annotation, "AP")?;
            let mut look = match looks.dict() {
                Some(looks) => file.value(looks, "N")?,
                None => continue,
            };
            // One for each state.
            if let Object::Dict(states) = &look {
                let state = file.value(annotation, "AS")?;
                look = match state.name() {
                    Some(state) => file.get(states.named(state))?,
                    None => continue,
                };
            }
            let Object::Stream(form) = look else { continue };
            let corner = |area: Object| -> Result<[f64; 2], ReadError> {
                let mut corner = [0.0; 2];
                for (to, from) in corner.iter_mut().zip(area.array().unwrap_or_default()) {
                    *to = file.get(from)?.number().unwrap_or(0.0);
                }
                Ok(corner)
            };
            let to = corner(file.value(annotation, "Rect")?)?;
            let from = corner(file.value(&form.dict, "BBox")?)?;
            appearances.push(Appearance {
                form,
                offset: [to[0] - from[0], to[1] - from[1]],
            });
        }
        Ok(appearances)
    }
}

/// The pages in their order.
pub(super) fn pages(file: &File<'_>, catalog: &Dict) -> Result<Vec<Page>, ReadError> {
    let mut pages = Vec::new();
    let mut visited = HashSet::new();
    let root = Page {
        number: None,
        contents: Object::Null,
        annotations: Object::Null,
        resources: Object::Null,
        area: [0.0, 0.0, 612.0, 792.0],
    };
    let mut open = vec![(catalog.get("Pages").clone(), root.clone(), 0)];
    let mut left = MOST_PAGES;
    while let Some((node, above, depth)) = open.pop() {
        let number = match node {
            Object::Ref(number) => Some(number),
            _ => None,
        };
        if depth > DEEPEST_TREE || number.is_some_and(|number| !visited.insert(number)) {
            continue;
        }
        let node = file.get(&node)?;
        let Some(node) = node.dict() else { continue };
        let here = inherited(file, node, &above, number)?;
        match file.value(node, "Kids")? {
            Object::Array(kids) if !node.is_type("Page") => {
                let kids = kids.iter().take(left);
                left -= kids.len();
                file.spend(kids.len())?;
                open.extend(kids.rev().map(|kid| (kid.clone(), here.clone(), depth + 1)));
            }
            _ if depth > 0 => pages.push(here),
            _ => (),
        }
    }
    if pages.is_empty() {
        // The tree is damaged: every page in the file counts.
        for number in file.all_of_type("Page")? {
            let node = file.get(&Object::Ref(number))?;
            if let Some(node) = node.dict() {
                pages.push(inherited(file, node, &root, Some(number))?);
            }
        }
    }
    Ok(pages)
}

/// A node of the tree of pages, with what it inherits from the one above it.
fn inherited(
    file: &File<'_>,
    node: &Dict,
    above: &Page,
    number: Option<u32>,
) -> Result<Page, ReadError> {
    let mut page = above.clone();
    page.number = number;
    page.contents = node.get("Contents").clone();
    page.annotations = node.get("Annots").clone();
    if node.get("Resources") != &Object::Null {
        page.resources = node.get("Resources").clone();
    }
    for key in ["MediaBox", "CropBox"] {
        let area = file.value(node, key)?;
        let area: Result<Vec<Object>, ReadError> = area
            .array()
            .unwrap_or_default()
            .iter()
            .take(4)
            .map(|side| file.get(side))
            .collect();
        let area: Vec<f64> = area?.iter().filter_map(Object::number).collect();
        if let [a, b, c, d] = area[..]
            && a != c
            && b != d
        {
            page.area = [a.min(c), b.min(d), a.max(c), b.max(d)];
        }
    }
    Ok(page)
}
