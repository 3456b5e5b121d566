//! PDF documents: the text of their pages in reading order.
//!
//! [`object`] reads the objects of the file, [`file`](mod@file) finds them by their numbers, and
//! [`content`] runs the contents of a page, which puts pieces of text at positions. [`layout`]
//! sorts them into lines, column after column, and [`structure`] makes headings, paragraphs, lists,
//! tables and code of the lines of all pages.

mod cmap;
mod collections;
mod content;
mod crypt;
mod embedded;
mod file;
mod filter;
mod font;
mod glyphs;
mod layout;
mod metadata;
mod object;
mod outline;
mod structure;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

use crate::limits::ReadLimits;
use crate::markdown::MarkdownWriter;
use crate::reader::{ExtractedText, FileReader, ReadError};
use content::{Appearance, Interpreter};
use file::File;
use object::{Dict, Object};

/// How many pages are read.
const MOST_PAGES: usize = 200_000;

/// How deep the tree of pages may be.
const DEEPEST_TREE: usize = 64;

/// Reads PDF documents.
#[derive(Debug)]
pub(crate) struct Pdf;

impl FileReader for Pdf {
    fn version(&self) -> u32 {
        1
    }

    fn read(&self, bytes: &[u8], limits: &ReadLimits<'_>) -> Result<ExtractedText, ReadError> {
        let file = File::open(bytes, limits)?;
        let catalog = file.value(&file.trailer, "Root")?;
        let none = Dict::default();
        let catalog = catalog.dict().unwrap_or(&none);
        let pages = pages(&file, catalog)?;
        if pages.is_empty() {
            return Err(ReadError::damaged("it has no pages"));
        }
        let mut interpreter = Interpreter::new(&file);
        let mut lines = Vec::with_capacity(pages.len());
        let mut length = 0;
        for page in &pages {
            let content = page.content(&file)?;
            let resources = file.get(&page.resources)?;
            let resources = resources.dict().unwrap_or(&none);
            let pieces =
                interpreter.pieces(content, resources, page.area, page.appearances(&file)?)?;
            length += pieces.iter().map(|piece| piece.text.len()).sum::<usize>();
            limits.check_text(length)?;
            let of_page = layout::lines(pieces);
            file.take(of_page.len() * size_of::<layout::Line>())?;
            lines.push(of_page);
        }
        let numbers = pages.iter().enumerate();
        let numbers = numbers.filter_map(|(at, page)| Some((page.number?, at)));
        let numbers: HashMap<u32, usize> = numbers.collect();
        let outline = outline::read(&file, catalog, &numbers)?;
        let mut writer = MarkdownWriter::new(limits);
        writer.front_matter(&metadata::read(&file, catalog)?);
        structure::write(lines, &outline, &mut writer)?;
        writer.finish()
    }
}

/// A page, with what it has from the nodes above it.
#[derive(Clone, Debug)]
struct Page {
    number: Option<u32>,
    contents: Object,
    annotations: Object,
    resources: Object,
    /// The area that is seen: left, bottom, right, top.
    area: [f64; 4],
}

impl Page {
    /// All parts of its content as one.
    fn content(&self, file: &File<'_>) -> Result<Vec<u8>, ReadError> {
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
}

impl Page {
    /// What is seen of its annotations: the values of fields, and notes.
    fn appearances(&self, file: &File<'_>) -> Result<Vec<Appearance>, ReadError> {
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
fn pages(file: &File<'_>, catalog: &Dict) -> Result<Vec<Page>, ReadError> {
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
        // A tree that is broken: all pages there are.
        for number in file.all_of_type("Page")? {
            let node = file.get(&Object::Ref(number))?;
            if let Some(node) = node.dict() {
                pages.push(inherited(file, node, &root, Some(number))?);
            }
        }
    }
    Ok(pages)
}

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
