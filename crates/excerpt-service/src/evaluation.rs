//! `eval`: how well questions are answered, under one configuration or several, and question sets
//! made from any folder.

use std::ops::ControlFlow;
use std::sync::Arc;

use excerpt_chunk::Settings;
use excerpt_index::eval::{Mine, Mined, QuestionSet, Report, Rule, evaluate};
use excerpt_index::{Error, Index, OpenOptions, Progress, Ranking, Reranker, SyncOptions};
use tempfile::TempDir;

use crate::config::Embedding;
use crate::error::{ServiceError, ServiceResult};
use crate::update::SyncObserver;

/// Makes a question set from a folder.
///
/// # Errors
///
/// Those of [`Mine::run`].
pub fn mine(request: &Mine) -> ServiceResult<Mined> {
    Ok(request.run()?)
}

/// A request to score the answers to a set of questions.
#[derive(Debug)]
pub struct EvalRequest<'a> {
    /// The questions, with their documents and answers.
    pub set: &'a QuestionSet,
    /// When a chunk counts as an answer.
    pub rule: Rule,
    /// Where vectors come from.
    pub embedding: &'a Embedding,
    /// The model that reorders hits.
    pub reranker: Option<Arc<Reranker>>,
}

impl EvalRequest<'_> {
    /// Scores each of some configurations, and gives its report to `scored`. Those that follow each
    /// other and differ only in ranking share an index, which is in a temporary folder.
    ///
    /// # Errors
    ///
    /// When a configuration is invalid, and those of the index and of `scored`.
    pub fn score<'t, E: From<ServiceError>>(
        &self,
        trials: impl IntoIterator<Item = (&'t Settings, &'t Ranking)>,
        observer: &mut dyn SyncObserver,
        mut scored: impl FnMut(Report) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut made: Option<(&Settings, TrialIndex)> = None;
        for (settings, ranking) in trials {
            let made = match made.take() {
                Some((before, same)) if before == settings => made.insert((before, same)),
                _ => made.insert((settings, TrialIndex::new(self, settings, observer)?)),
            };
            let report = evaluate(self.set, &made.1.index, self.rule, ranking);
            scored(report.map_err(ServiceError::from)?)?;
        }
        Ok(())
    }
}

/// An index of the documents of a set, in a temporary folder that is removed with it.
struct TrialIndex {
    index: Index,
    _folder: TempDir,
}

impl TrialIndex {
    fn new(
        request: &EvalRequest<'_>,
        settings: &Settings,
        observer: &mut dyn SyncObserver,
    ) -> Result<Self, ServiceError> {
        let folder = tempfile::Builder::new()
            .prefix("excerpt-eval-")
            .tempdir()
            .map_err(ServiceError::NoTemporaryFolder)?;
        let index = Index::open(&folder.path().join("index"), OpenOptions::create())?;
        let index = request.embedding.given_to(index)?;
        if let Some(reranker) = &request.reranker {
            let checked = reranker.check();
            checked.map_err(|reason| Error::NotReranked { reason })?;
        }
        let mut index = index.with_reranker(request.reranker.clone());
        let options = SyncOptions::default().chunking(settings.config());
        let progress = |progress: Progress| {
            observer.progress(progress);
            ControlFlow::Continue(())
        };
        let synced = index.sync_source(request.set.source(), &options, progress);
        observer.ended();
        synced?;
        Ok(TrialIndex {
            index,
            _folder: folder,
        })
    }
}
