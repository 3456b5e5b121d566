//! The outline of a PDF, its bookmarks: ISO 32000-1, 12.3.3.

use std::collections::{HashMap, HashSet};

use super::file::File;
use super::metadata::text_string;
use super::object::{Dict, Object};
use crate::reader::ReadError;

/// How many entries and names are read.
const MOST: usize = 100_000;

/// How deep entries are nested.
const DEEPEST: usize = 16;

/// An entry of the outline.
#[derive(Debug)]
pub(super) struct OutlineEntry {
    pub(super) title: String,
    /// From 1.
    pub(super) level: usize,
    /// The index of its page, if it says.
    pub(super) page: Option<usize>,
}

/// The entries in their order.
pub(super) fn read(
    file: &File<'_>,
    catalog: &Dict,
    pages: &HashMap<u32, usize>,
) -> Result<Vec<OutlineEntry>, ReadError> {
    let mut entries = Vec::new();
    let outlines = file.value(catalog, "Outlines")?;
    let Some(outlines) = outlines.dict() else {
        return Ok(entries);
    };
    let mut names: Option<HashMap<Vec<u8>, Object>> = None;
    let mut visited = HashSet::new();
    let mut open = vec![(outlines.get("First").clone(), 1)];
    while let Some((item, level)) = open.pop() {
        let Object::Ref(number) = item else { continue };
        if !visited.insert(number) || entries.len() == MOST {
            continue;
        }
        let item = file.get(&item)?;
        let Some(item) = item.dict() else { continue };
        open.push((item.get("Next").clone(), level));
        if level < DEEPEST {
            open.push((item.get("First").clone(), level + 1));
        }
        let title = file.value(item, "Title")?;
        let mut target = file.value(item, "Dest")?;
        if target == Object::Null
            && let Object::Dict(action) = file.value(item, "A")?
        {
            target = file.value(&action, "D")?;
        }
        if let Some(name) = target.string().or(target.name()) {
            if names.is_none() {
                names = Some(destinations(file, catalog)?);
            }
            let found = names.as_ref().and_then(|names| names.get(name));
            target = found
                .map(|found| file.get(found))
                .transpose()?
                .unwrap_or_default();
        }
        if let Object::Dict(dict) = &target {
            target = file.value(dict, "D")?;
        }
        let page = match target.array().and_then(<[Object]>::first) {
            Some(Object::Ref(number)) => pages.get(number).copied(),
            Some(Object::Number(index)) => Some(*index as usize),
            _ => None,
        };
        let title = title.string().map(text_string).unwrap_or_default();
        entries.push(OutlineEntry { title, level, page });
    }
    Ok(entries)
}

/// The targets that have names.
fn destinations(file: &File<'_>, catalog: &Dict) -> Result<HashMap<Vec<u8>, Object>, ReadError> {
    let mut named = HashMap::new();
    if let Object::Dict(old) = file.value(catalog, "Dests")? {
        for (name, target) in old.values().take(MOST) {
            named.insert(name.to_vec(), target.clone());
        }
    }
    let names = file.value(catalog, "Names")?;
    let Some(names) = names.dict() else {
        return Ok(named);
    };
    let mut visited = HashSet::new();
    let mut open = vec![names.get("Dests").clone()];
    let mut left = MOST;
    while let Some(node) = open.pop() {
        if let Object::Ref(number) = node
            && !visited.insert(number)
        {
            continue;
        }
        let node = file.get(&node)?;
        let Some(node) = node.dict() else { continue };
        let kids = file.value(node, "Kids")?;
        let kids = kids.array().unwrap_or_default().iter().take(left);
        left -= kids.len();
        open.extend(kids.cloned());
        let pairs = file.value(node, "Names")?;
        let pairs = pairs.array().unwrap_or_default().chunks_exact(2).take(left);
        left -= pairs.len();
        for pair in pairs {
            if let Object::String(name) = file.get(&pair[0])? {
                named.insert(name.to_vec(), pair[1].clone());
            }
        }
    }
    Ok(named)
}
