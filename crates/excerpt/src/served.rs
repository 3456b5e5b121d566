//! What a server serves, over standard input and output or over HTTP.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::bail;
use excerpt_service::{
    CollectionChoice, EmbeddingChoice, Engine, IndexChoice, IndexTarget, Scope, ScopeBounds,
    SyncMode, plain_path,
};

/// The folder that notes are written to by default, inside what is served.
pub(crate) const INBOX: &str = "inbox";

/// What a server serves.
#[derive(Clone, Debug)]
pub(crate) struct Served {
    pub(crate) path: PathBuf,
    pub(crate) collections: CollectionChoice,
    pub(crate) index: IndexChoice,
    pub(crate) embedding: EmbeddingChoice,
    /// The path inside what is served outside of which nothing is visible.
    pub(crate) under: Option<String>,
    /// The folders that may be added from; if empty, the one that is served.
    pub(crate) roots: Vec<PathBuf>,
    /// The folder that notes are written to, inside what is served.
    pub(crate) inbox: String,
}

impl Served {
    /// Starts an engine for it. `tell` receives what the user should know about it.
    ///
    /// # Errors
    ///
    /// When it cannot be served, or the inbox is no folder inside it.
    pub(crate) fn start(
        &self,
        sync: SyncMode,
        mut tell: impl FnMut(&str),
    ) -> anyhow::Result<(Arc<Engine>, Arc<Scope>)> {
        if plain_path(&self.inbox).is_none_or(|inbox| inbox.is_empty()) {
            bail!(
                "`{}` cannot be the inbox: give the path of a folder inside the served folder",
                self.inbox
            );
        }
        let target = IndexTarget::of(&self.path, &self.collections, &self.index, &self.embedding)?;
        for note in &target.notes {
            tell(note);
        }
        self.start_at(target, &self.collections, sync)
    }

    /// Starts an engine for what the index in the directory `path` contains, as it is.
    ///
    /// # Errors
    ///
    /// When there is no index, it cannot be read, or it has several folders.
    pub(crate) fn start_stored(&self) -> anyhow::Result<(Arc<Engine>, Arc<Scope>)> {
        let target = IndexTarget::stored(&self.path, &self.embedding)?;
        let collections = CollectionChoice {
            names: Vec::new(),
            library: target.place.is_none(),
        };
        self.start_at(target, &collections, SyncMode::Never)
    }

    fn start_at(
        &self,
        target: IndexTarget,
        collections: &CollectionChoice,
        sync: SyncMode,
    ) -> anyhow::Result<(Arc<Engine>, Arc<Scope>)> {
        let bounds = ScopeBounds {
            collections,
            under: self.under.as_deref(),
            roots: &self.roots,
            embedding: &self.embedding,
        };
        let scope = Arc::new(Scope::of(&target, &bounds)?);
        let engine = Engine::start(target, Arc::clone(&scope), sync)?;
        Ok((Arc::new(engine), scope))
    }
}
