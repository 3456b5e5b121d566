//! What the writer thread is doing, and why an answer may not be up to date.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use excerpt_index::{Progress, Stage};

use crate::error::ServiceError;
use crate::scope::Scope;
use crate::text::{counted, thousands};

/// The state of the writer thread.
#[derive(Clone, Debug, Default)]
pub struct WriterProgress {
    /// Whether a check for changes, or a sync, is due or running.
    pub is_checking: bool,
    /// The root of the source that is being synced.
    pub syncing: Option<PathBuf>,
    /// How far it has got.
    pub progress: Option<Progress>,
    /// How the last sync of each source has ended, by root.
    pub sources: BTreeMap<PathBuf, SourceEnd>,
    /// How many checks, or parts of one, have ended.
    pub checked: usize,
    /// How the last check ended.
    pub ended: Option<CheckEnd>,
}

/// How the last sync of a source ended.
#[derive(Clone, Debug)]
pub struct SourceEnd {
    /// When, in seconds since 1970.
    pub at: i64,
    /// How.
    pub end: CheckEnd,
    /// How many of its syncs have failed in a row.
    pub failures: usize,
}

/// How a check for changes, or a sync, ended.
#[derive(Clone, Debug)]
pub enum CheckEnd {
    /// Everything is up to date.
    Complete,
    /// Another process is writing to the index.
    Waiting,
    /// There is more to do.
    Rest {
        /// The files of the source.
        listed: usize,
        /// Those of them whose current state is not indexed.
        remaining: usize,
        /// Whether a new generation is being built while the old one is served.
        aside: bool,
    },
    /// It failed.
    Failed(Arc<ServiceError>),
}

impl CheckEnd {
    /// What an answer in `scope` lacks if the last check of its sources has ended like this.
    pub(super) fn lag(&self, scope: &Scope) -> Option<ServedLag> {
        Some(match self {
            CheckEnd::Complete => return None,
            CheckEnd::Waiting => ServedLag::Locked,
            CheckEnd::Failed(_) if scope.is_narrowed() => ServedLag::FailedSomehow,
            CheckEnd::Failed(reason) => ServedLag::Failed(Arc::clone(reason)),
            CheckEnd::Rest { .. } if !scope.is_whole() => ServedLag::Continues,
            CheckEnd::Rest {
                remaining,
                aside: true,
                ..
            } => ServedLag::Aside {
                remaining: *remaining,
            },
            // It was interrupted before anything was listed.
            CheckEnd::Rest { listed: 0, .. } => ServedLag::Continues,
            CheckEnd::Rest { remaining: 0, .. } => ServedLag::WordsOnly,
            CheckEnd::Rest { .. } => ServedLag::Continues,
        })
    }
}

/// Why an answer does not come from an up-to-date index. Counts are missing if only a part of the
/// index is visible.
#[derive(Clone, Debug)]
pub enum ServedLag {
    /// A source was never indexed completely, and nothing is synced here.
    Unfinished,
    /// The last check for changes failed.
    Failed(Arc<ServiceError>),
    /// The last check for changes failed, and why may name places on the machine.
    FailedSomehow,
    /// Another process is writing to the index.
    Locked,
    /// There is more to do.
    Continues,
    /// Documents are split again with other settings, and the old state is served meanwhile.
    Aside {
        /// How many are still to be split.
        remaining: usize,
    },
    /// Only vectors are missing, or parts of the keyword index are still to be merged.
    WordsOnly,
    /// Some files are not indexed yet.
    Rest {
        /// How many can be searched.
        searched: usize,
        /// How many there are.
        listed: usize,
        /// How far the sync has got.
        progress: Option<Progress>,
    },
    /// The first check for changes is running.
    Begun {
        /// How far it has got.
        progress: Option<Progress>,
    },
}

impl fmt::Display for ServedLag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let far = |progress: &Option<Progress>| {
            let far = progress.as_ref().and_then(far);
            far.map(|far| format!(", {far}")).unwrap_or_default()
        };
        match self {
            ServedLag::Unfinished => f.write_str(
                "the index is incomplete because the last sync was interrupted: run `excerpt sync`",
            ),
            ServedLag::Failed(reason) => write!(f, "answered from an older state: {reason}"),
            ServedLag::FailedSomehow => {
                f.write_str("answered from an older state: the last check for changes failed")
            }
            ServedLag::Locked => f.write_str(
                "answered from an older state: another process is writing the index; ask again in a moment",
            ),
            ServedLag::Continues => f.write_str(
                "indexing is not finished and continues in the background: ask again in a moment",
            ),
            ServedLag::Aside { remaining } => write!(
                f,
                "answered from the index as it was before the settings changed; {} left to index in the background",
                counted(*remaining, "document")
            ),
            ServedLag::WordsOnly => f.write_str(
                "all files can be found by keywords; the rest is indexed in the background",
            ),
            ServedLag::Rest {
                searched,
                listed,
                progress,
            } => write!(
                f,
                "{} of {} indexed so far; indexing continues in the background{}: ask again in a moment",
                thousands(*searched),
                counted(*listed, "file"),
                far(progress)
            ),
            ServedLag::Begun { progress } => write!(
                f,
                "indexing is in progress{}: ask again in a moment",
                far(progress)
            ),
        }
    }
}

/// The progress of a stage, in words.
#[must_use]
pub fn far(progress: &Progress) -> Option<String> {
    let what = match progress.stage {
        Stage::Cut => "files read",
        Stage::Keywords => "files written",
        Stage::Vectors => "files with vectors",
        _ => return None,
    };
    let (done, total) = (thousands(progress.done), thousands(progress.total));
    Some(format!("{done} of {total} {what}"))
}
