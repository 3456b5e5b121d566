//! [`NamedFiles`]: what a user names to be split, a file or a folder, and how its index splits it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;

use excerpt_chunk::Settings;
use excerpt_index::{
    Collection, Encoding, Entry, FileText, Files, Located, Reading, Secret, Secrets, Selection,
    SkipReason, Source, is_at_or_below, read_named, scope_on_all_cores,
};
use rayon::prelude::*;

use crate::config::{Configuration, EmbeddingChoice, chunking_around};
use crate::error::{ServiceError, ServiceResult};
use crate::target::{CollectionChoice, IndexChoice, IndexTarget, Paths, absolute, in_collection};

/// A file or a folder, by its path in the index and with the settings that apply there.
#[derive(Debug)]
pub struct NamedFiles {
    /// How its documents are split.
    pub settings: Settings,
    /// The title of its collection, if it has one.
    pub title: Option<String>,
    /// Messages about settings that were ignored.
    pub notes: Vec<String>,
    named: PathBuf,
    root: PathBuf,
    /// The path inside the root; `None` for the whole root.
    inside: Option<String>,
    selection: Selection,
}

/// A text to split, as it was read.
#[derive(Clone, Debug)]
pub struct ReadText {
    /// Its path as shown; `None` for standard input without a name.
    pub path: Option<String>,
    /// Its path in the index, which determines the syntax.
    pub source_path: Option<String>,
    /// The text, and how the file holds it.
    pub file: FileText,
}

impl ReadText {
    /// A text that is in no file. Its syntax is that of the file `name`.
    ///
    /// # Errors
    ///
    /// [`ServiceError::NotSplit`] when it is not text. With `lossy`, what is not UTF-8 is replaced.
    pub fn of_bytes(bytes: Vec<u8>, name: Option<&str>, lossy: bool) -> ServiceResult<ReadText> {
        let own = Configuration::of_user(&EmbeddingChoice::default())?;
        Ok(ReadText {
            path: name.map(str::to_string),
            source_path: name.map(str::to_string),
            file: decoded(
                bytes,
                (name.unwrap_or("-"), name.unwrap_or("-")),
                &own.selection,
                lossy,
            )?,
        })
    }

    /// The secret for which an index of the user's would skip it. It is split anyway, since nothing
    /// is stored.
    ///
    /// # Errors
    ///
    /// When the user's configuration is invalid.
    pub fn secret(&self) -> ServiceResult<Option<Secret>> {
        let path = self.path.as_deref().unwrap_or_default();
        let Some(secret) = Selection::default().withholds(path, &self.file.text) else {
            return Ok(None);
        };
        let own = Configuration::of_user(&EmbeddingChoice::default())?;
        Ok(own.selection.skips_secrets().then_some(secret))
    }
}

impl NamedFiles {
    /// The file or folder at `path`, or `name: path` in a collection.
    ///
    /// # Errors
    ///
    /// When it does not exist or a configuration is invalid.
    pub fn of(path: &str) -> ServiceResult<NamedFiles> {
        let named = match in_collection(path) {
            Some((name, inside)) if !Path::new(path).exists() => {
                let library = IndexChoice::default().library()?;
                absolute(&Collection::named_in(&library, name)?.root, inside)
            }
            _ => PathBuf::from(path),
        };
        let (index, embedding) = (IndexChoice::default(), EmbeddingChoice::default());
        let place = index.locate(&named)?;
        let target = IndexTarget::of(&named, &CollectionChoice::default(), &index, &embedding)?;
        NamedFiles::in_target(named, place, target)
    }

    fn in_target(named: PathBuf, place: Located, target: IndexTarget) -> ServiceResult<NamedFiles> {
        let is_indexed = place.repository.is_some() || place.index.exists();
        let configured = target.configuration.chunking;
        let source = target.sources.into_iter().next();
        let (collection, selection) = match source {
            Some(source) => (source.collection, source.options.selection),
            None => (None, Selection::default()),
        };
        let below = match is_indexed || collection.is_some() {
            true => None,
            false => below_here(&place.root),
        };
        let (root, inside) = below.unwrap_or((place.root, place.path));
        let (settings, title) = match collection {
            Some(known) => (known.chunking.or(configured), known.attributes.title),
            None if is_indexed => (configured, None),
            // It may be in a folder that is indexed as a whole later.
            None => (chunking_around(&named)?, None),
        };
        Ok(NamedFiles {
            settings,
            title,
            notes: target.notes,
            named,
            root,
            inside,
            selection,
        })
    }

    /// Whether it is a folder.
    pub fn is_folder(&self) -> bool {
        self.named.is_dir()
    }

    /// The text of the file, shown as `shown`, whether or not an index would contain it. A
    /// pipe or device, which may never end, is an error.
    ///
    /// # Errors
    ///
    /// [`ServiceError::UnreadableText`], and [`ServiceError::NotSplit`] when it is not text. With
    /// `lossy`, what is not UTF-8 is replaced.
    pub fn read_file(&self, shown: &str, lossy: bool) -> ServiceResult<ReadText> {
        let bytes = read_named(&self.named, u64::MAX);
        let bytes = bytes.map_err(|refused| ServiceError::UnreadableText {
            path: self.named.clone(),
            refused,
        })?;
        let own = self.root.file_name().and_then(|name| name.to_str());
        let source_path = self.inside.as_deref().or(own).unwrap_or_default();
        let file = decoded(bytes, (source_path, shown), &self.selection, lossy)?;
        Ok(ReadText {
            path: Some(shown.to_string()),
            source_path: Some(source_path.to_string()),
            file,
        })
    }

    /// The size of its documents in bytes.
    ///
    /// # Errors
    ///
    /// When it cannot be listed.
    pub fn bytes(&self) -> ServiceResult<u64> {
        let listing = self.files()?.list()?;
        let entries = listing.entries.iter();
        let entries = entries.filter(|entry| self.contains(&entry.path));
        Ok(entries.map(|entry| entry.version.size()).sum())
    }

    /// Gives every document that an index would contain to `prepare`, several at a time, and what
    /// that makes of each to `visit`, by path. Returns what an index would skip.
    ///
    /// # Errors
    ///
    /// When it cannot be listed, and those of `visit`.
    pub fn each<T: Send, E: From<ServiceError>>(
        &self,
        prepare: &(dyn Fn(ReadText) -> T + Sync),
        visit: &mut dyn FnMut(T) -> Result<(), E>,
    ) -> Result<SkipCounts, E> {
        let paths = Paths::from_here(Some(&self.named));
        let shown = |path: &str| paths.shown(&self.root, path);
        let within = |path: &str| self.contains(path);
        each_document(
            (&self.files()?, &self.selection),
            &within,
            &shown,
            prepare,
            &mut |prepared, _| visit(prepared),
        )
    }

    fn files(&self) -> ServiceResult<Files> {
        Ok(Files::selected(&self.root, &self.selection)?)
    }

    /// Whether a path in the index is at or below what was named.
    fn contains(&self, path: &str) -> bool {
        is_at_or_below(self.inside.as_deref().unwrap_or_default(), path)
    }
}

/// How many files and folders an index skips, by reason.
pub type SkipCounts = BTreeMap<SkipReason, usize>;

/// How many files are read at a time at most, and how many bytes unless a single one has more.
const WINDOW: usize = 1024;
const WINDOW_BYTES: u64 = 16 << 20;

/// Gives every document of `files` that lies `within`, its path as `shown`, to `prepare`, on all
/// cores, and what that makes of each to `visit`, in the order of their paths, with the number of
/// documents from this one to the last. Returns what is skipped.
pub(crate) fn each_document<T: Send, E: From<ServiceError>>(
    (files, selection): (&dyn Source, &Selection),
    within: &dyn Fn(&str) -> bool,
    shown: &(dyn Fn(&str) -> String + Sync),
    prepare: &(dyn Fn(ReadText) -> T + Sync),
    visit: &mut dyn FnMut(T, usize) -> Result<(), E>,
) -> Result<SkipCounts, E> {
    let listing = files.list().map_err(ServiceError::from)?;
    let mut skipped = SkipCounts::new();
    for skip in listing.skips.iter().filter(|skip| within(&skip.path)) {
        *skipped.entry(skip.reason).or_default() += 1;
    }
    let entries = listing.entries.iter().filter(|entry| within(&entry.path));
    let entries: Vec<_> = entries.collect();
    let prepared = |entry: &&Entry| {
        let file = match files.read(entry) {
            Reading::Bytes { bytes, .. } => selection.text(&entry.path, bytes),
            Reading::Skip { skip, .. } => Err(skip),
            Reading::Gone => return None,
        };
        let file = file.map(|file| {
            prepare(ReadText {
                path: Some(shown(&entry.path)),
                source_path: Some(entry.path.clone()),
                file,
            })
        });
        Some(file)
    };
    // The next files are read while these are visited.
    let (sender, windows) = sync_channel(1);
    scope_on_all_cores(|scope| {
        let (entries, prepared) = (&entries[..], &prepared);
        scope.spawn(move |_| {
            let mut rest = entries;
            while !rest.is_empty() {
                let (window, later) = rest.split_at(window(rest));
                let window: Vec<_> = window.par_iter().map(prepared).collect();
                // Nobody visits any more.
                if sender.send(window).is_err() {
                    break;
                }
                rest = later;
            }
        });
        for (at, file) in windows.iter().flatten().enumerate() {
            match file {
                Some(Ok(file)) => visit(file, entries.len() - at)?,
                Some(Err(skip)) => *skipped.entry(skip.reason).or_default() += 1,
                None => {}
            }
        }
        // Or else a sender would wait for ever.
        drop(windows);
        Ok(skipped)
    })
}

/// How many of the first `entries` are read at a time.
fn window(entries: &[&Entry]) -> usize {
    let mut bytes = 0;
    let fits = |entry: &&&Entry| {
        bytes += entry.version.size();
        bytes <= WINDOW_BYTES
    };
    let entries = entries.iter().take(WINDOW);
    entries.take_while(fits).count().max(1)
}

/// The current folder and the path of `file` in it: until one of the two is indexed, a file has the
/// path that it would have in an index of the current folder.
fn below_here(file: &Path) -> Option<(PathBuf, Option<String>)> {
    let here = std::env::current_dir().ok()?.canonicalize().ok()?;
    let inside = file.strip_prefix(&here).ok().filter(|_| file.is_file())?;
    let names = inside.components().map(|name| name.as_os_str().to_str());
    let names: Vec<&str> = names.collect::<Option<_>>()?;
    Some((here, Some(names.join("/"))))
}

/// The text in the bytes of the file at `path`, which is shown as `name`.
fn decoded(
    bytes: Vec<u8>,
    (path, name): (&str, &str),
    selection: &Selection,
    lossy: bool,
) -> ServiceResult<FileText> {
    // Nothing is stored, so that it may contain secrets.
    let mut selection = selection.clone();
    selection.secrets = Some(Secrets::Index);
    let replaced = lossy.then(|| String::from_utf8_lossy(&bytes).into_owned());
    selection
        .text(path, bytes)
        .or_else(|skip| match (skip.reason, replaced) {
            (SkipReason::Binary | SkipReason::NotUtf8, Some(text)) => {
                Ok(FileText::plain(text, Encoding::default()))
            }
            _ => Err(ServiceError::NotSplit {
                name: name.to_string(),
                skip,
            }),
        })
}
