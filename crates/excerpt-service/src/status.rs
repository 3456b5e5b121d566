//! `sync` and `status`: an index is updated, and what it contains.

use std::path::{Path, PathBuf};

use excerpt_index::{
    ActiveWriter, Embedder, Error, Index, OpenOptions, Origin, SkipReason, Status, SyncReport,
};
use serde::Serialize;

use crate::error::{ServiceError, ServiceResult};
use crate::remote::RemoteState;
use crate::remote::push::PushHint;
use crate::target::{IndexTarget, Paths, Syncable};
use crate::update::{SyncObserver, SyncRequest, sync_after_others};

/// What an index contains, and whether it is up to date.
#[derive(Debug, Serialize)]
pub struct StatusReply {
    /// The index directory.
    pub index: PathBuf,
    /// What it contains.
    #[serde(flatten)]
    pub status: Status,
    /// The process that is writing it now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writer: Option<ActiveWriter>,
    /// The configured embedder; `None` when vectors are switched off.
    pub configured_embedder: Option<String>,
    /// How many documents were split with other settings than the current ones.
    pub stale: usize,
    /// Whether only some of its collections were chosen, so that the numbers of documents and
    /// chunks and the size of the text are theirs.
    #[serde(skip)]
    pub is_part: bool,
    /// Its sources that are not on this disk.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remotes: Vec<RemoteStatus>,
    /// What was skipped, if it was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skips: Option<Vec<ShownSkip>>,
}

/// A source that is not on this disk.
#[derive(Clone, Debug, Serialize)]
pub struct RemoteStatus {
    /// The root of the source.
    pub source: PathBuf,
    /// What is known about it.
    #[serde(flatten)]
    pub state: RemoteState,
    /// When it is tried again by a process that watches or serves, in seconds since 1970.
    pub next: i64,
}

/// A skipped file or folder, with its path as shown to the user.
#[derive(Clone, Debug, Serialize)]
pub struct ShownSkip {
    /// The path as shown.
    pub path: String,
    /// The path inside the source.
    pub source_path: String,
    /// Why it was skipped.
    pub reason: SkipReason,
    /// More about the reason, such as the rule that excludes it.
    pub detail: Option<String>,
}

impl IndexTarget {
    /// Its index with its embedder, created if there is none.
    ///
    /// # Errors
    ///
    /// Those of the index.
    pub fn writable(&self) -> ServiceResult<Index> {
        let index = self.create()?;
        Ok(self.configuration.embedding.given_to(index)?)
    }

    /// Sets how its sources are synced.
    #[must_use]
    pub fn synced_as(mut self, request: SyncRequest) -> IndexTarget {
        for source in &mut self.sources {
            source.options.retry = request.retry;
            source.options.accept_removals = request.accept_removals;
        }
        self
    }

    /// Only the sources that a push may have changed.
    #[must_use]
    pub fn pushed(mut self, hint: &PushHint) -> IndexTarget {
        self.sources
            .retain(|source| match Origin::of(&source.root) {
                Origin::Git(origin) => hint.concerns(&origin),
                _ => false,
            });
        self
    }

    /// Syncs all its sources, and gives each report to `synced`. If there are several, also the
    /// error of one that cannot be read; the others are synced anyway.
    ///
    /// # Errors
    ///
    /// Those of the index and of `synced`.
    pub fn sync<E: From<ServiceError>>(
        &self,
        index: &mut Index,
        observer: &mut dyn SyncObserver,
        mut synced: impl FnMut(&Syncable, Result<SyncReport, Error>) -> Result<(), E>,
    ) -> Result<(), E> {
        for source in &self.sources {
            match sync_after_others(index, source, observer) {
                Ok(report) => synced(source, Ok(report))?,
                Err(error @ (Error::Source { .. } | Error::Vanished { .. }))
                    if self.sources.len() > 1 =>
                {
                    synced(source, Err(error))?;
                }
                Err(error) => return Err(ServiceError::from(error).into()),
            }
        }
        Ok(())
    }

    /// What its index contains; with what was skipped in its sources, if `skips` are requested,
    /// their paths as `paths` shows them.
    ///
    /// # Errors
    ///
    /// When there is no index, and those of the index.
    pub fn status(&self, skips: bool, paths: &Paths) -> ServiceResult<StatusReply> {
        let index = Index::open(&self.index, OpenOptions::default())?;
        let index = self.configuration.embedding.given_to(index)?;
        let configured = index.embedder().map(Embedder::identity);
        let mut reply = StatusReply {
            index: self.index.clone(),
            // Before the status: what it has finished is then in there.
            writer: index.writer(),
            status: index.status()?,
            configured_embedder: configured.map(str::to_string),
            stale: 0,
            is_part: !self.filter.collections.is_empty(),
            remotes: Vec::new(),
            skips: None,
        };
        if reply.is_part {
            let is_chosen = |root: &Path| self.sources.iter().any(|source| source.root == root);
            reply.status.narrow(is_chosen);
        }
        for source in &reply.status.sources {
            let state = RemoteState::of(&self.index, &source.root);
            reply.remotes.extend(state.map(|state| RemoteStatus {
                source: source.root.clone(),
                next: state.next(),
                state,
            }));
        }
        for source in &self.sources {
            reply.stale += index.stale(&source.root, &source.options)?;
            if skips {
                let found = index.skips(&source.root)?.into_iter();
                let name = source.collection.as_ref().map(|known| &*known.name);
                let name = name.filter(|_| self.place.is_none());
                let shown = found.map(|skip| ShownSkip {
                    path: paths.address(name, &source.root, &skip.path),
                    source_path: skip.path,
                    reason: skip.reason,
                    detail: skip.detail,
                });
                reply.skips.get_or_insert_default().extend(shown);
            }
        }
        Ok(reply)
    }
}
