//! The options with which something is added, and the resulting [`Collection`].

use std::path::Path;

use anyhow::bail;
use clap::ValueEnum;
use excerpt_chunk::Settings;
use excerpt_index::{Attributes, Collection, Secret, Selection, decode};

use crate::output::thousands;

/// The options with which a folder, a file or a text is added.
#[derive(Debug, Default)]
pub(crate) struct Addition {
    pub(crate) name: Option<String>,
    pub(crate) kind: Option<DocumentType>,
    pub(crate) title: Option<String>,
    pub(crate) versions: Vec<String>,
    pub(crate) tags: Vec<String>,
    pub(crate) selection: Selection,
    pub(crate) chunking: Settings,
}

/// Rejects a text with a secret, which would be skipped in a file: the user or agent that adds it
/// rarely knows about the secret, and would believe that the text was added.
pub(crate) fn check_secrets(file: &str, text: &str, selection: &Selection) -> anyhow::Result<()> {
    match selection.withholds(file, text) {
        Some(secret) => bail!(
            "the text is not kept because it may contain secrets ({secret}): {}",
            Secret::ADVICE
        ),
        None => Ok(()),
    }
}

/// The type of documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DocumentType {
    /// Something to read
    Doc,
    /// Something to run
    Script,
}

impl Addition {
    /// The collection for `root`, or without a root, for an added text.
    pub(crate) fn collection(&self, root: Option<&Path>) -> anyhow::Result<Collection> {
        let name = match (&self.name, self.title(), root) {
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
            DocumentType::Doc => "doc".to_string(),
            DocumentType::Script => "script".to_string(),
        });
        attributes.title = self.title().map(str::to_string);
        attributes.versions = filled(&self.versions);
        attributes.tags = filled(&self.tags);
        attributes
    }

    /// Checks that a title is not given to a folder: `root`. The error shows the argument and the
    /// folder as `title` and `folder`.
    pub(crate) fn check_title(&self, root: &Path, title: &str, folder: &str) -> anyhow::Result<()> {
        if self.title().is_some() && root.is_dir() {
            bail!("`{title}` names one document, and `{folder}` is a folder: leave it out");
        }
        Ok(())
    }

    /// The title, unless it is empty.
    pub(crate) fn title(&self) -> Option<&str> {
        let title = self.title.as_deref();
        title.filter(|title| !title.trim().is_empty())
    }

    /// Checks that a text can be a document, by the same rules as for a file.
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
            Err(_) => bail!("not text: contains a NUL byte"),
        }
    }

    /// The name of the file that a text is stored in, whose extension determines the syntax.
    pub(crate) fn file_name(&self, collection: &Collection) -> String {
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
