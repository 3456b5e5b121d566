//! The options with which something is added, and the resulting [`Collection`].

use std::path::Path;

use excerpt_chunk::Settings;
use excerpt_index::{Attributes, Collection, Origin, Selection, decode};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{ServiceError, ServiceResult};

/// The options with which a folder, a file or a text is added.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Addition {
    /// The name of the collection. Default: that of the folder or file, or one made of the title.
    pub name: Option<String>,
    /// The type of its documents.
    pub kind: Option<DocumentType>,
    /// The title, of a file or a text.
    pub title: Option<String>,
    /// The versions that its documents are about.
    pub versions: Vec<String>,
    /// Words to filter by.
    pub tags: Vec<String>,
    /// Which files are documents. Empty patterns are left out.
    pub selection: Selection,
    /// How they are split.
    pub chunking: Settings,
}

/// Rejects a text with a secret, which would be skipped in a file: the user or agent that adds it
/// rarely knows about the secret, and would believe that the text was added.
pub fn check_secrets(file: &str, text: &str, selection: &Selection) -> ServiceResult<()> {
    match selection.withholds(file, text) {
        Some(secret) => Err(ServiceError::SecretText { secret }),
        None => Ok(()),
    }
}

/// The type of documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DocumentType {
    /// Something to read.
    Doc,
    /// Something to run.
    Script,
}

impl Addition {
    /// The collection for `root`, or without a root, for an added text.
    pub fn collection(&self, root: Option<&Path>) -> ServiceResult<Collection> {
        let name = match (&self.name, self.title(), root) {
            (Some(name), ..) => name.clone(),
            (None, _, Some(root)) => Collection::name_for(root),
            (None, Some(title), None) => Collection::name_for(Path::new(title)),
            (None, None, None) => return Err(ServiceError::NamelessText),
        };
        let mut collection = Collection::new(name, root.unwrap_or(Path::new(".")));
        collection.chunking = self.chunking.clone();
        collection.attributes = self.attributes();
        collection.selection = self.selection();
        Ok(collection)
    }

    /// What is said of its documents.
    pub fn attributes(&self) -> Attributes {
        let mut attributes = Attributes::default();
        attributes.kind = self.kind.map(|kind| match kind {
            DocumentType::Doc => "doc".to_string(),
            DocumentType::Script => "script".to_string(),
        });
        attributes.title = self.title().map(str::to_string);
        attributes.versions = filled(&self.versions);
        attributes.tags = filled(&self.tags);
        attributes
    }

    /// Applies it to a collection: what is not set stays as it is. An empty title, version, tag or
    /// pattern removes what there is.
    pub fn apply_to(&self, collection: &mut Collection) {
        let said = self.attributes();
        let attributes = &mut collection.attributes;
        if self.title.is_some() {
            attributes.title = said.title;
        }
        if said.kind.is_some() {
            attributes.kind = said.kind;
        }
        if !self.versions.is_empty() {
            attributes.versions = said.versions;
        }
        if !self.tags.is_empty() {
            attributes.tags = said.tags;
        }
        let selection = &mut collection.selection;
        if !self.selection.include.is_empty() {
            selection.include.clear();
        }
        if !self.selection.ignore.is_empty() {
            selection.ignore.clear();
        }
        *selection = self.selection().or(std::mem::take(selection));
        let chunking = &mut collection.chunking;
        *chunking = self.chunking.clone().or(std::mem::take(chunking));
    }

    /// The files, without empty patterns: an empty one would match every file, or none.
    fn selection(&self) -> Selection {
        let mut selection = self.selection.clone();
        for patterns in [&mut selection.include, &mut selection.ignore] {
            patterns.retain(|pattern| !pattern.trim().is_empty());
        }
        selection
    }

    /// Checks that a title is not given to a folder: `root`, which the error shows as `shown`.
    pub fn check_title(&self, root: &Path, shown: &str) -> ServiceResult<()> {
        if self.title().is_some() && (root.is_dir() || Origin::of(root).is_remote()) {
            return Err(ServiceError::TitleOfFolder {
                folder: shown.to_string(),
            });
        }
        Ok(())
    }

    /// The title, unless it is empty.
    pub fn title(&self) -> Option<&str> {
        let title = self.title.as_deref();
        title.filter(|title| !title.trim().is_empty())
    }

    /// Checks that a text can be a document, by the same rules as for a file.
    pub fn check_text(file: &str, text: &str, selection: &Selection) -> ServiceResult<()> {
        let most = selection.max_file_size();
        if text.len() as u64 > most {
            return Err(ServiceError::TextTooLarge {
                bytes: text.len(),
                limit: most,
            });
        }
        match decode(text.as_bytes().to_vec()) {
            Ok(_) => check_secrets(file, text, selection),
            Err(_) => Err(ServiceError::NotText),
        }
    }

    /// The name of the file that a text is stored in, whose extension determines the syntax.
    pub fn file_name(&self, collection: &Collection) -> String {
        let name = &collection.name;
        match self.kind {
            _ if Path::new(name).extension().is_some() => name.clone(),
            Some(DocumentType::Script) => format!("{name}.sh"),
            _ => format!("{name}.md"),
        }
    }
}

/// The words that are not empty, without blanks around them.
fn filled(words: &[String]) -> Vec<String> {
    let words = words.iter().map(|word| word.trim().to_string());
    words.filter(|word| !word.is_empty()).collect()
}
