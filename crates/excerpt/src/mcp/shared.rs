//! What all clones of a server share, and what its tools work with.

use std::sync::Arc;

use excerpt_index::Index;
use excerpt_service::{Engine, Scope, SyncMode};
use rmcp::model::Tool;
use rmcp::service::{RequestContext, RoleServer};

use super::content::Content;
use super::fence::Marks;

/// What a client may do, and when changes are looked for.
#[derive(Clone, Debug)]
pub(crate) struct Rights {
    pub(crate) sync: SyncMode,
    /// Whether the tools that write are offered.
    pub(crate) allows_writing: bool,
    /// The folder inside what is served that notes are written to.
    pub(crate) inbox: String,
}

/// The state that all clones of a server share.
pub(super) struct Shared {
    pub(super) scope: Arc<Scope>,
    pub(super) engine: Arc<Engine>,
    pub(super) rights: Rights,
    pub(super) content: Content,
    pub(super) marks: Marks,
    /// The tools that are offered; `search` is described by the content when they are listed.
    pub(super) tools: Vec<Tool>,
}

impl Shared {
    /// Reads from the index, once it has documents.
    pub(super) async fn read<T: Send + 'static>(
        self: &Arc<Self>,
        context: &RequestContext<RoleServer>,
        work: impl FnOnce(&Shared, &Index) -> anyhow::Result<T> + Send + 'static,
    ) -> anyhow::Result<T> {
        self.ready(context).await?;
        let shared = Arc::clone(self);
        let answer = self.engine.answer(move |index| work(&shared, index)).await;
        answer.map_err(|trouble| self.unanswered(trouble))
    }
}
