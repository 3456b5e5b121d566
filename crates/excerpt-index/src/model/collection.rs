//! [`Collection`]: a named part of an index.

use std::path::PathBuf;

use excerpt_chunk::{Hash, Settings};
use serde::{Deserialize, Serialize};

use super::{Attributes, Selection, SyncOptions};

/// A named part of an index: a folder, a file, or a text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Collection {
    /// Its name.
    pub name: String,
    /// The folder or file, by its absolute path.
    pub root: PathBuf,
    /// How its documents are split: the settings that were given when it was added.
    pub chunking: Settings,
    /// Which of its files are documents.
    pub selection: Selection,
    /// Attributes of all its documents.
    pub attributes: Attributes,
    /// Whether it is a text that is stored in the index itself.
    pub given: bool,
    /// The hash of such a text, which shows damage to its file and finds the text in the database.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<Hash>,
}

impl Collection {
    /// The folder or file at `root`, under a name.
    pub fn new(name: impl Into<String>, root: impl Into<PathBuf>) -> Self {
        Collection {
            name: name.into(),
            root: root.into(),
            ..Collection::default()
        }
    }

    /// The options to sync it with, for [`Index::sync`](crate::Index::sync). Settings that were not
    /// given when it was added come from `chunking` and `selection`.
    #[must_use]
    pub fn options(&self, chunking: Settings, selection: Selection) -> SyncOptions {
        SyncOptions {
            chunking: self.chunking.clone().or(chunking).config(),
            selection: self.selection.clone().or(selection),
            name: Some(self.name.clone()),
            attributes: self.attributes.clone(),
            ..SyncOptions::default()
        }
    }
}
