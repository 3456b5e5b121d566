//! What a user says of something that is added, and the [`Collection`] that this makes.

use std::path::Path;

use anyhow::bail;
use clap::ValueEnum;
use excerpt_chunk::Settings;
use excerpt_index::{Attributes, Collection, Secret, Selection, decode};

use crate::output::thousands;

/// What is said of a folder, a file or a text that is added.
#[derive(Debug, Default)]
pub(crate) struct Addition {
    pub(crate) name: Option<String>,
    pub(crate) kind: Option<Kind>,
    pub(crate) title: Option<String>,
    pub(crate) versions: Vec<String>,
    pub(crate) tags: Vec<String>,
    pub(crate) selection: Selection,
    pub(crate) chunking: Settings,
}

/// Refuses a text with a secret that would be skipped in a file: one who adds it, or an agent that does for them, rarely knows that it is in there, and
/// would be told that it was added.
pub(crate) fn check_secrets(file: &str, text: &str, selection: &Selection) -> anyhow::Result<()> {
    match selection.withholds(file, text) {
        Some(secret) => bail!(
            "the text is not kept because it may contain secrets ({secret}): {}",
            Secret::ADVICE
        ),
        None => Ok(()),
    }
}

/// What documents are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// Something to read
    Doc,
    /// Something to run
    Script,
}

impl Addition {
    /// The collection that `root` becomes; without one, the text that is given.
    pub(crate) fn collection(&self, root: Option<&Path>) -> anyhow::Result<Collection> {
        let name = match (&self.name, &self.title, root) {
            (Some(name), ..) => name.clone(),
            (None, _, Some(root)) => Collection::name_for(root),
            (None, Some(title), None) => Collection::name_for(Path::new(title)),
            (None, None, None) => bail!("a text has no name: give `--name` or `--title`"),
        };
        let mut collection = Collection::new(name, root.unwrap_or(Path::new(".")));
        collection.chunking = self.chunking.clone();
        collection.attributes = self.attributes();
        collection.selection = self.selection.clone();
        Ok(collection)
    }

    /// What is said of its documents.
    pub(crate) fn attributes(&self) -> Attributes {
        let mut attributes = Attributes::default();
        attributes.kind = self.kind.map(|kind| match kind {
            Kind::Doc => "doc".to_string(),
            Kind::Script => "script".to_string(),
        });
        attributes.title.clone_from(&self.title);
        attributes.versions.clone_from(&self.versions);
        let tags = self.tags.iter().map(|tag| tag.trim().to_string());
        attributes.tags = tags.filter(|tag| !tag.is_empty()).collect();
        attributes
    }

    /// Looks whether a text can be a document, by the same rules as a file.
    pub(crate) fn check_text(file: &str, text: &str, selection: &Selection) -> anyhow::Result<()> {
        let most = selection.max_file_size();
        if text.len() as u64 > most {
            bail!(
                "the text takes {} bytes, and one of more than {} is not indexed: add it in parts",
                thousands(text.len()),
                thousands(usize::try_from(most)?)
            );
        }
        match decode(text.as_bytes().to_vec()) {
            Ok(_) => check_secrets(file, text, selection),
            Err(_) => bail!("the text is none: there is a NUL in it"),
        }
    }

    /// The name of the file that a text is kept in: its ending tells how it is read.
    pub(crate) fn file_name(&self, collection: &Collection) -> String {
        let name = &collection.name;
        match self.kind {
            _ if Path::new(name).extension().is_some() => name.clone(),
            Some(Kind::Script) => format!("{name}.sh"),
            _ => format!("{name}.md"),
        }
    }
}
