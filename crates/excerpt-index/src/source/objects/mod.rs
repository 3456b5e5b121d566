//! Documents in an object store: the [`Source`] [`ObjectSource`].

mod origin;
mod store;
#[cfg(test)]
mod tests;

use std::io;
use std::path::Path;

use object_store::ObjectMeta;

pub use self::origin::{ObjectAddressError, ObjectOrigin, ObjectService};
use self::store::ObjectFolder;
use super::rules::Rules;
use super::{Entries, Entry, ListItem, PathKind, Reading, Source};
use crate::fs::open::Refused;
use crate::model::{Error, Provenance, Result, Selection, Skip, SkipReason, SourceId, Version};

/// The objects below a prefix of a bucket.
///
/// Their ETags tell whether they have changed, so that a listing is enough to find out. The same
/// rules as in a folder apply, apart from ignore files, which are not looked for. Metadata that was
/// given to an object becomes the [`Provenance`] of its document.
#[derive(Debug)]
pub struct ObjectSource {
    id: SourceId,
    folder: ObjectFolder,
    selection: Selection,
    rules: Rules,
}

impl ObjectSource {
    /// The objects of `origin` that `selection` includes, read with the credentials that the tools
    /// of the provider would find in the environment. No request is made yet.
    ///
    /// # Errors
    ///
    /// [`Error::Source`] when the configuration of the environment is not complete, and
    /// [`Error::Pattern`] for an invalid pattern.
    pub fn open(origin: &ObjectOrigin, selection: &Selection) -> Result<ObjectSource> {
        let id = origin.id();
        let folder = ObjectFolder::of(origin).map_err(|error| unreachable(&id, error))?;
        ObjectSource::of(id, folder, selection)
    }

    fn of(id: SourceId, folder: ObjectFolder, selection: &Selection) -> Result<ObjectSource> {
        selection.check()?;
        Ok(ObjectSource {
            id,
            folder,
            rules: Rules::of_tree().selecting(Path::new(""), selection)?,
            selection: selection.clone(),
        })
    }

    fn skip(path: &str, refused: Refused) -> Reading {
        refused
            .skip(path)
            .map_or(Reading::Gone, |skip| Reading::Skip {
                skip,
                version: None,
                bytes: 0,
            })
    }
}

/// The version of an object. A store that has no ETags is asked for the time of the last change.
fn version(meta: &ObjectMeta) -> Version {
    let changed = meta.last_modified.timestamp();
    Version::Tag {
        tag: meta.e_tag.clone().unwrap_or_else(|| changed.to_string()),
        size: meta.size,
        changed: Some(changed),
    }
}

fn unreachable(id: &SourceId, source: io::Error) -> Error {
    Error::Source {
        path: id.path().into(),
        source,
    }
}

/// Applies the rules to objects in the order of their paths.
struct Walk<'a> {
    source: &'a ObjectSource,
    /// The folders that the last path is in, from the top, each with whether it is skipped.
    folders: Vec<(String, bool)>,
}

impl Walk<'_> {
    /// What an object adds to the listing.
    fn listed(&mut self, path: String, meta: &ObjectMeta) -> Option<ListItem> {
        // A store shows an empty folder as an empty object.
        if meta.size == 0 {
            return None;
        }
        if path.split('/').any(|name| matches!(name, "" | "." | "..")) {
            return Some(ListItem::Skip(Skip::new(path, SkipReason::Special)));
        }
        let is_above = |folder: &str| {
            let below = path.strip_prefix(folder);
            below.is_some_and(|below| below.starts_with('/'))
        };
        while self.folders.last().is_some_and(|(last, _)| !is_above(last)) {
            self.folders.pop();
        }
        if self.folders.iter().any(|(_, is_skipped)| *is_skipped) {
            return None;
        }
        let from = self.folders.last().map_or(0, |(last, _)| last.len() + 1);
        let rules = &self.source.rules;
        let ends = path[from..].match_indices('/').map(|(at, _)| from + at);
        for end in ends {
            let folder = &path[..end];
            let skip = rules.skipped(folder, PathKind::Folder);
            self.folders.push((folder.to_string(), skip.is_some()));
            if let Some(skip) = skip {
                return Some(ListItem::Skip(skip));
            }
        }
        let limit = self.source.selection.max_file_size();
        let skip = rules
            .skipped(&path, PathKind::File)
            .or_else(|| match meta.size {
                size if size > limit => Refused::TooLarge { size, limit }.skip(&*path),
                _ => None,
            });
        Some(match skip {
            Some(skip) => ListItem::Skip(skip),
            None => ListItem::Document(Entry {
                path,
                version: version(meta),
            }),
        })
    }
}

impl Source for ObjectSource {
    fn id(&self) -> &SourceId {
        &self.id
    }

    fn entries(&self) -> Result<Entries<'_>> {
        let mut walk = Walk {
            source: self,
            folders: Vec::new(),
        };
        Ok(Box::new(self.folder.list().filter_map(
            move |object| match object {
                Ok((path, meta)) => walk.listed(path, &meta).map(Ok),
                Err(error) => Some(Err(unreachable(&self.id, error))),
            },
        )))
    }

    fn read(&self, entry: &Entry) -> Reading {
        let opened = match self.folder.open(&entry.path) {
            Ok(Some(opened)) => opened,
            Ok(None) => return Reading::Gone,
            Err(error) => return ObjectSource::skip(&entry.path, Refused::Io(error)),
        };
        let (size, limit) = (opened.meta.size, self.selection.max_file_size());
        if size > limit {
            return ObjectSource::skip(&entry.path, Refused::TooLarge { size, limit });
        }
        let version = version(&opened.meta);
        let (given, bytes) = match self.folder.read(opened) {
            Ok(read) => read,
            Err(error) => return ObjectSource::skip(&entry.path, Refused::Io(error)),
        };
        let count = bytes.len() as u64;
        let provenance: Provenance = given
            .into_iter()
            .map(|(name, value)| (name, value.into()))
            .collect();
        match self.selection.text(&entry.path, bytes) {
            Ok((text, encoding)) => Reading::Text {
                text,
                encoding,
                version,
                bytes: count,
                provenance,
            },
            Err(skip) => Reading::Skip {
                skip,
                version: Some(version),
                bytes: count,
            },
        }
    }
}
