//! The objects of a bucket as documents: [`ObjectSource`].

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use object_store::ObjectMeta;
use percent_encoding::{CONTROLS, percent_decode_str, utf8_percent_encode};

use super::folder::{Fetched, Listed, ObjectFolder, Pending, plain_tag};
use super::origin::ObjectOrigin;
use crate::fs::open::Refused;
use crate::model::{Error, Provenance, Result, Selection, Skip, SkipReason, SourceId, Version};
use crate::source::rules::Rules;
use crate::source::{Entries, Entry, ListItem, PathKind, Reading, Source};

/// The objects below a prefix of a bucket.
///
/// Their ETags tell whether they have changed, so that a listing is enough to find out. The same
/// rules as in a folder apply, apart from ignore files, which are not looked for. Metadata that was
/// given to an object becomes the [`Provenance`] of its document.
pub struct ObjectSource {
    id: SourceId,
    folder: ObjectFolder,
    selection: Selection,
    rules: Rules,
    /// What is read next.
    expected: Mutex<HashMap<String, Pending>>,
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
        let folder = ObjectFolder::open(origin).map_err(|error| unreachable(&id, error))?;
        ObjectSource::of(id, folder, selection)
    }

    pub(super) fn of(
        id: SourceId,
        folder: ObjectFolder,
        selection: &Selection,
    ) -> Result<ObjectSource> {
        selection.check()?;
        Ok(ObjectSource {
            id,
            folder,
            rules: Rules::of_tree().selecting(Path::new(""), selection)?,
            selection: selection.clone(),
            expected: Mutex::new(HashMap::new()),
        })
    }

    /// The object of an entry. It may have been asked for already.
    fn fetched(&self, path: &str) -> io::Result<Option<Fetched>> {
        let expected = self.lock().remove(path);
        let pending = match expected {
            Some(pending) => pending,
            None => self.folder.begin(path, self.selection.max_size_of(path))?,
        };
        self.folder.finish(pending)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Pending>> {
        self.expected.lock().unwrap_or_else(PoisonError::into_inner)
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

impl std::fmt::Debug for ObjectSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ObjectSource({})", self.id)
    }
}

/// The version of an object. A store that has no ETags is asked for the time of the last change.
fn version(meta: &ObjectMeta) -> Version {
    let changed = meta.last_modified.timestamp();
    Version::Tag {
        tag: match &meta.e_tag {
            Some(tag) => plain_tag(tag).to_string(),
            None => changed.to_string(),
        },
        size: meta.size,
        changed: Some(changed),
    }
}

/// A value of the metadata of an object. One that is not ASCII is usually percent-encoded, since S3
/// allows no other.
fn decoded(value: String) -> String {
    if let Some(text) = encoded_words(&value) {
        return text;
    }
    match percent_decode_str(&value).decode_utf8() {
        Ok(text) if !text.is_ascii() => text.into_owned(),
        _ => value,
    }
}

/// The version of what was answered for a listed object. Without an ETag, although the listing had
/// one, it is the listed version if at least the size is the same, and otherwise something else.
fn version_of_answer(meta: &ObjectMeta, listed: &Version) -> Option<Version> {
    let has_tag = match listed {
        Version::Tag { tag, changed, .. } => {
            Some(&**tag) != changed.map(|at| at.to_string()).as_deref()
        }
        Version::Stat(_) => false,
    };
    match meta.e_tag.is_none() && has_tag {
        true => (meta.size == listed.size()).then(|| listed.clone()),
        false => Some(version(meta)),
    }
}

/// The text of encoded words, which S3 sends in place of metadata that is not ASCII:
/// <https://www.rfc-editor.org/rfc/rfc2047#section-2>. `None` if there is anything else, or another
/// character set than UTF-8.
fn encoded_words(value: &str) -> Option<String> {
    let mut bytes = Vec::new();
    for word in value.split_whitespace() {
        let word = word.strip_prefix("=?")?.strip_suffix("?=")?;
        let mut parts = word.splitn(3, '?');
        let (charset, encoding, text) = (parts.next()?, parts.next()?, parts.next()?);
        match (charset.to_ascii_lowercase().as_str(), encoding) {
            ("utf-8", "B" | "b") => bytes.extend(BASE64_STANDARD.decode(text).ok()?),
            ("utf-8", "Q" | "q") => {
                let text = text.replace('_', " ").replace('%', "%25").replace('=', "%");
                bytes.extend(percent_decode_str(&text));
            }
            _ => return None,
        }
    }
    String::from_utf8(bytes)
        .ok()
        .filter(|text| !text.is_empty())
}

/// Why a key cannot be used.
fn unusable(key: &str) -> &'static str {
    let has = |part: fn(&str) -> bool| key.split('/').any(part);
    if has(str::is_empty) {
        "a part of its key is empty"
    } else if has(|part| matches!(part, "." | "..")) {
        "a part of its key is `.` or `..`"
    } else {
        "its key has a control character"
    }
}

/// The path that is shown for a key that cannot be used. It is that of no document.
fn shown_path(key: &str) -> String {
    let names = key.split('/').map(|name| match name {
        "" => "%2F".to_string(),
        "." => "%2E".to_string(),
        ".." => "%2E%2E".to_string(),
        name => utf8_percent_encode(name, CONTROLS).to_string(),
    });
    names.collect::<Vec<_>>().join("/")
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
    /// The last path.
    last: String,
}

impl Walk<'_> {
    /// Checks that the store keeps the order that a listing has: what is not in its place would be
    /// taken for removed.
    fn advance(&mut self, path: &str) -> io::Result<()> {
        if *path <= *self.last && !self.last.is_empty() {
            return Err(io::Error::other(format!(
                "the store does not list objects in the order of their keys: `{path}` comes after `{}`",
                self.last
            )));
        }
        path.clone_into(&mut self.last);
        Ok(())
    }

    /// What an object adds to the listing.
    fn listed(&mut self, path: String, meta: &ObjectMeta) -> Option<ListItem> {
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
        let limit = self.source.selection.max_size_of(&path);
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
            last: String::new(),
        };
        let entries = self.folder.list().filter_map(move |listed| match listed {
            Ok(Listed::Unusable(key)) => {
                let skip = Skip::new(shown_path(&key), SkipReason::UnusableKey);
                Some(Ok(ListItem::Skip(skip.with_detail(unusable(&key)))))
            }
            Ok(Listed::Object(path, meta)) => match walk.advance(&path) {
                Ok(()) => walk.listed(path, &meta).map(Ok),
                Err(error) => Some(Err(unreachable(&self.id, error))),
            },
            Err(error) => Some(Err(unreachable(&self.id, error))),
        });
        Ok(Entries::new(entries))
    }

    fn expect(&self, entries: &[&Entry]) {
        let begun = entries.iter().filter_map(|entry| {
            let most = self.selection.max_size_of(&entry.path);
            let pending = self.folder.begin(&entry.path, most).ok()?;
            Some((entry.path.clone(), pending))
        });
        *self.lock() = begun.collect();
    }

    fn read(&self, entry: &Entry) -> Reading {
        let fetched = match self.fetched(&entry.path) {
            Ok(Some(fetched)) => fetched,
            Ok(None) => return Reading::Gone,
            Err(error) => return ObjectSource::skip(&entry.path, Refused::Io(error)),
        };
        let Some(version) = version_of_answer(&fetched.meta, &entry.version) else {
            let error =
                io::Error::other("the answer of the store is not the object that it listed");
            return ObjectSource::skip(&entry.path, Refused::Io(error));
        };
        let Some(bytes) = fetched.bytes else {
            let (size, limit) = (version.size(), self.selection.max_size_of(&entry.path));
            return ObjectSource::skip(&entry.path, Refused::TooLarge { size, limit });
        };
        let provenance: Provenance = fetched
            .given
            .into_iter()
            .map(|(name, value)| (name, decoded(value).into()))
            .collect();
        Reading::Bytes {
            bytes,
            version,
            provenance,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_is_decoded_as_it_was_meant() {
        for (value, meant) in [
            ("tea", "tea"),
            ("50%", "50%"),
            ("a%20b", "a%20b"),
            ("Jos%C3%A9", "José"),
            ("=?UTF-8?B?Sm9zw6k=?=", "José"),
            ("=?utf-8?q?Jos=C3=A9_b?= =?UTF-8?B?Yw==?=", "José bc"),
            ("=?latin1?Q?x?=", "=?latin1?Q?x?="),
        ] {
            assert_eq!(decoded(value.to_string()), meant);
        }
    }

    #[test]
    fn a_key_that_cannot_be_used_is_shown_as_a_plain_path() {
        assert_eq!(unusable("a//../b"), "a part of its key is empty");
        assert_eq!(unusable("a/../b"), "a part of its key is `.` or `..`");
        assert_eq!(unusable("b\u{7}"), "its key has a control character");
        assert_eq!(shown_path("a//../b\u{7}"), "a/%2F/%2E%2E/b%07");
        assert_eq!(shown_path(""), "%2F");
    }
}
