//! The status of what is visible in a scope, without anything about the rest of the index.

use std::collections::BTreeMap;

use excerpt_index::{Index, ListOptions, Stage};
use schemars::JsonSchema;
use serde::Serialize;

use crate::engine::{CheckEnd, WriterProgress};
use crate::error::ServiceResult;
use crate::remote::RemoteState;
use crate::scope::{Scope, VisibleSource};

/// What is visible, and whether it is up to date.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct VisibleStatus {
    /// How many documents are visible.
    pub documents: usize,
    /// How many chunks they have.
    pub chunks: usize,
    /// The sources of the documents.
    pub sources: Vec<VisibleSourceStatus>,
}

/// The status of a source.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct VisibleSourceStatus {
    /// The name of the collection, or of the folder that is served.
    pub name: String,
    /// Whether it is a collection.
    pub is_collection: bool,
    /// How many documents of it are visible.
    pub documents: usize,
    /// How many chunks they have.
    pub chunks: usize,
    /// When it was last synced to the end, in seconds since 1970. `null` before, and if only a part
    /// of the source is visible.
    pub synced: Option<i64>,
    /// Whether it is up to date.
    pub state: SourceState,
    /// Why the last sync failed.
    pub failure: Option<String>,
    /// How many files and folders the last complete sync skipped, by reason; empty if only a part
    /// of the source is visible.
    pub skipped: BTreeMap<&'static str, usize>,
    /// How far a running sync has got; only if the whole source is visible.
    pub progress: Option<SyncProgress>,
    /// The address of a source that is not on this disk; only if the whole source is visible.
    pub address: Option<String>,
    /// When such a source is looked at next, in seconds since 1970.
    pub next: Option<i64>,
}

/// Whether a source is up to date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SourceState {
    /// It is.
    Current,
    /// It is being synced.
    Syncing,
    /// Another process is writing to the index.
    Waiting,
    /// The last sync failed.
    Failed,
    /// It was never synced to its end.
    Incomplete,
    /// It was synced before the server started, and has not been compared with its index since.
    Unchecked,
}

/// How far a sync has got.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SyncProgress {
    /// What is being done.
    pub stage: SyncStage,
    /// How many files are done.
    pub done: usize,
    /// How many there are.
    pub total: usize,
}

/// What a sync is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SyncStage {
    /// It lists the source.
    List,
    /// It splits documents.
    Cut,
    /// It writes the keyword index.
    Keywords,
    /// It computes vectors.
    Vectors,
    /// It merges parts of the keyword index. Nothing is counted.
    Merge,
}

impl Scope {
    /// The status of what is visible in `index`, which may not exist yet, while the writer thread
    /// is in `state`.
    ///
    /// # Errors
    ///
    /// Those of the index.
    pub fn status(
        &self,
        index: Option<&Index>,
        state: &WriterProgress,
    ) -> ServiceResult<VisibleStatus> {
        let mut status = VisibleStatus::default();
        let roots = index.map(Index::roots).transpose()?.unwrap_or_default();
        for seen in self.sources()? {
            let index = index.filter(|_| roots.contains(&seen.root));
            let source = self.source_status(&seen, index, state)?;
            // A client that sees only parts of sources knows of those that have one.
            if !self.shows_states() && source.documents == 0 {
                continue;
            }
            status.documents += source.documents;
            status.chunks += source.chunks;
            status.sources.push(source);
        }
        Ok(status)
    }

    fn source_status(
        &self,
        seen: &VisibleSource,
        index: Option<&Index>,
        state: &WriterProgress,
    ) -> ServiceResult<VisibleSourceStatus> {
        let is_whole = self.shows_states();
        let (mut documents, mut chunks, mut last) = (0, 0, None);
        let mut skipped = BTreeMap::new();
        if let Some(index) = index {
            let below = self.below(None).unwrap_or_default();
            let is_whole = is_whole && below.is_empty();
            let options = ListOptions::default().path(below).source(&seen.root);
            (documents, chunks) = index.counts(&options)?;
            last = index.last_sync(&seen.root)?;
            if is_whole {
                let counts = index.skip_counts(&seen.root)?.into_iter();
                skipped.extend(counts.map(|(reason, count)| (reason.name(), count)));
            }
        }
        let ended = state.sources.get(&seen.root);
        let synced = last.and_then(|last| last.finished);
        let is_syncing = is_whole && state.syncing.as_ref() == Some(&seen.root);
        let remote = RemoteState::of(&self.index, &seen.root).filter(|_| is_whole);
        let failure = match ended.map(|ended| &ended.end) {
            Some(CheckEnd::Failed(reason)) => Some(reason.to_string()),
            _ => remote.as_ref().and_then(|remote| remote.failure.clone()),
        };
        Ok(VisibleSourceStatus {
            name: seen.name.clone(),
            is_collection: seen.collection.is_some(),
            documents,
            chunks,
            skipped,
            state: match ended.map(|ended| &ended.end) {
                // A part of a source has no state of its own, and that of the whole is not shown.
                _ if !is_whole => SourceState::Current,
                _ if is_syncing => SourceState::Syncing,
                Some(CheckEnd::Waiting) => SourceState::Waiting,
                _ if failure.is_some() => SourceState::Failed,
                Some(CheckEnd::Rest { .. }) => SourceState::Incomplete,
                _ if synced.is_none() => SourceState::Incomplete,
                // A source that is not on this disk is looked at when it is due.
                None if remote.is_none() => SourceState::Unchecked,
                _ => SourceState::Current,
            },
            synced: synced.filter(|_| is_whole),
            failure: failure
                .filter(|_| is_whole)
                .map(|failure| match self.is_narrowed() {
                    // It may name places on the machine.
                    true => "the last sync failed".to_string(),
                    false => failure,
                }),
            progress: state
                .progress
                .filter(|_| is_syncing)
                .map(|progress| SyncProgress {
                    stage: match progress.stage {
                        Stage::List => SyncStage::List,
                        Stage::Cut => SyncStage::Cut,
                        Stage::Keywords => SyncStage::Keywords,
                        Stage::Merge => SyncStage::Merge,
                        _ => SyncStage::Vectors,
                    },
                    done: progress.done,
                    total: progress.total,
                }),
            next: remote.as_ref().map(RemoteState::next),
            address: remote
                .filter(|_| !self.is_narrowed())
                .map(|remote| remote.address),
        })
    }
}
