//! `chunk`: how a document or a text is split. Nothing is stored.

use std::sync::atomic::AtomicBool;

use excerpt_chunk::{Chunker, Chunking, Config, Document, Settings, Strategy, Unit};
use excerpt_index::{Encoding, FileText, Files, Index, ReadOptions, Reading, Source as _};
use serde::{Deserialize, Serialize};

use crate::error::{ServiceError, ServiceResult};
use crate::scope::{Scope, VisibleSource};

/// The largest text that a server splits for a client, in bytes, and the most chunks that one may
/// be expected to give.
const SPLIT_LIMIT: usize = 4 << 20;
const MOST_CHUNKS: usize = 100_000;

/// A request to split a document or a text.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ChunkRequest {
    /// The document, as `get` names it.
    pub path: String,
    /// Only from these collections. Default: from everything that is visible.
    pub collections: Vec<String>,
    /// How it is split. What is not set comes from the settings of its source.
    pub chunking: Settings,
}

/// A text with the settings to split it.
#[derive(Clone, Debug)]
pub struct TextToSplit {
    /// Its path as shown, which determines the syntax.
    pub path: Option<String>,
    /// The text, and how its file holds it.
    pub file: FileText,
    /// How it is split.
    pub settings: Settings,
}

impl TextToSplit {
    /// Splits it until `stop` is set, and gives the chunks to `render`.
    ///
    /// # Errors
    ///
    /// When the settings contradict each other, it is too large, or `stop` is set.
    pub fn split<T>(
        &self,
        stop: &AtomicBool,
        render: impl FnOnce(&Chunking<'_>) -> T,
    ) -> ServiceResult<T> {
        let config = self.settings.config();
        check_bounds(&self.file.text, &config)?;
        let chunker = excerpt_grammars::chunker(config)?;
        let document = match &self.path {
            Some(path) => self.file.document(path),
            None => Document::new(&self.file.text),
        };
        Ok(render(&split_until(stop, &chunker, &self.file, &document)?))
    }
}

/// Checks that splitting a text, and showing its chunks, has an end.
///
/// # Errors
///
/// When it is too large, or would have too many chunks.
pub(crate) fn check_bounds(text: &str, config: &Config) -> ServiceResult<()> {
    if text.len() > SPLIT_LIMIT {
        return Err(ServiceError::SplitTooLarge { limit: SPLIT_LIMIT });
    }
    let characters = match config.unit {
        Unit::Chars => config.target,
        _ => config.target.saturating_mul(4),
    };
    // A delimiter may be found after every few characters.
    let characters = match config.strategy {
        Strategy::Delimiter => characters.min(8),
        _ => characters,
    };
    match text.len() / characters.max(1) > MOST_CHUNKS {
        true => Err(ServiceError::SplitTooFine { limit: MOST_CHUNKS }),
        false => Ok(()),
    }
}

/// The chunks of a document that has the text of `file`, with their places in it.
///
/// # Errors
///
/// When `stop` is set.
pub(crate) fn split_until<'a>(
    stop: &AtomicBool,
    chunker: &Chunker,
    file: &FileText,
    document: &Document<'a>,
) -> ServiceResult<Chunking<'a>> {
    let chunking = chunker.try_chunk(document, stop);
    let mut chunking = chunking.ok_or(ServiceError::Cancelled)?;
    file.place_chunks(document, &mut chunking);
    Ok(chunking)
}

impl Scope {
    /// A text that is not a document, with the settings of `chunking` and for all others those of
    /// the user. Its syntax is that of the file `name`.
    ///
    /// # Errors
    ///
    /// When the user's configuration is invalid.
    pub fn text_to_split(
        &self,
        text: String,
        name: Option<String>,
        chunking: Settings,
    ) -> ServiceResult<TextToSplit> {
        Ok(TextToSplit {
            path: name,
            file: FileText::plain(text, Encoding::default()),
            settings: chunking.or(self.configuration(None)?.chunking),
        })
    }

    /// The file of a document in its current state; `None` if there is no such file, there are
    /// several, or it is excluded from what is visible.
    ///
    /// # Errors
    ///
    /// When a collection does not exist or a configuration is invalid.
    pub fn file_to_split(&self, request: &ChunkRequest) -> ServiceResult<Option<TextToSplit>> {
        // Of other collections than those with a visible part, not even the configuration counts.
        if !self.shows_states() {
            return Ok(None);
        }
        let Ok(path) = self.inward(&request.path) else {
            return Ok(None);
        };
        if self.below(Some(&path)).as_ref() != Some(&path) {
            return Ok(None);
        }
        let mut found = Vec::new();
        for seen in self.chosen(&request.collections)? {
            if !seen.is_in_place() {
                continue;
            }
            let configuration = self.configuration(Some(&seen.root))?;
            let selection = seen.options(&configuration).selection;
            // A file that cannot be read may still be in the index.
            let Ok(files) = Files::selected(&seen.root, &selection) else {
                continue;
            };
            let entries = files.list().map_or(Vec::new(), |listing| listing.entries);
            if let Some(entry) = entries.iter().find(|entry| entry.path == path)
                && let Reading::Bytes { bytes, .. } = files.read(entry)
                && let Ok(file) = selection.text(&path, bytes)
            {
                found.push((self.settings_of(&seen, &request.chunking)?, file));
            }
        }
        Ok(match found.len() {
            1 => found.pop().map(|(settings, file)| TextToSplit {
                path: Some(self.outward(&path).to_string()),
                file,
                settings,
            }),
            _ => None,
        })
    }

    /// A document, or a part of it, as indexed.
    ///
    /// # Errors
    ///
    /// Those of [`Scope::read_target`], and when a configuration is invalid.
    pub fn document_to_split(
        &self,
        index: &Index,
        request: &ChunkRequest,
    ) -> ServiceResult<TextToSplit> {
        let sources = self.selected(index, &request.collections)?;
        let read = self.read_target(index, &sources, &request.path, &ReadOptions::default())?;
        let document = read.document;
        let seen = sources.iter().find(|seen| seen.root == document.source);
        Ok(TextToSplit {
            path: Some(self.outward(&document.path).to_string()),
            settings: match seen {
                Some(seen) => self.settings_of(seen, &request.chunking)?,
                None => request.chunking.clone(),
            },
            file: document.into_file(),
        })
    }

    /// The settings for a document of a source: those in `said`, and for all others those of the
    /// source.
    fn settings_of(&self, seen: &VisibleSource, said: &Settings) -> ServiceResult<Settings> {
        let configured = self.configuration(Some(&seen.root))?.chunking;
        let own = seen.collection.as_ref().map(|known| known.chunking.clone());
        Ok(said.clone().or(own.unwrap_or_default()).or(configured))
    }
}
