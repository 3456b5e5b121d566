//! Waits for the first documents, and reports the state that an answer comes from.

use std::sync::Arc;
use std::time::Duration;

use anyhow::anyhow;
use excerpt_index::{Index, Stage};
use excerpt_service::{
    CheckEnd, ServedLag, ServiceError, ServiceResult, SyncMode, Unanswered, WriterProgress, far,
};
use rmcp::model::ProgressNotificationParam;
use rmcp::service::{RequestContext, RoleServer};
use tokio::time::{Instant, timeout_at};

use super::messages::service_error;
use super::shared::Shared;

/// How long an answer waits for the first documents.
const PATIENCE: Duration = Duration::from_secs(2);

/// The interval of progress reports to a waiting client.
const REPORT_INTERVAL: Duration = Duration::from_millis(100);

impl Shared {
    /// Waits until requests can be answered, as the sync mode requires.
    pub(super) async fn ready(
        self: &Arc<Self>,
        context: &RequestContext<RoleServer>,
    ) -> anyhow::Result<()> {
        match self.engine.mode() {
            SyncMode::Never => Ok(()),
            SyncMode::Always => {
                let synced = self.engine.write(|writer| writer.sync_all()).await;
                Ok(synced?)
            }
            SyncMode::Auto => {
                self.wait_for_the_first(context).await;
                Ok(())
            }
        }
    }

    async fn wait_for_the_first(self: &Arc<Self>, context: &RequestContext<RoleServer>) {
        let end = Instant::now() + PATIENCE;
        let mut state = self.engine.state();
        let mut reporter = ProgressReporter {
            context,
            is_whole: self.scope.is_whole(),
            reported: 0.0,
            due: Instant::now(),
        };
        // The number of searchable documents is checked again whenever a part of the work has
        // ended.
        let mut is_due = true;
        loop {
            let now = state.borrow_and_update().clone();
            if is_due && self.is_searchable().await {
                return;
            }
            if !now.is_checking {
                return;
            }
            reporter.report(&now).await;
            match timeout_at(end, state.changed()).await {
                Ok(Ok(())) => is_due = state.borrow().checked != now.checked,
                _ => return,
            }
            if !is_due {
                tokio::task::yield_now().await;
            }
        }
    }

    async fn is_searchable(self: &Arc<Self>) -> bool {
        let searched = self.engine.answer(has_documents).await;
        matches!(searched, Ok(true))
    }

    /// An error, with a message that says what to do.
    pub(super) fn unanswered(&self, trouble: Unanswered<anyhow::Error>) -> anyhow::Error {
        let state = self.engine.state().borrow().clone();
        match trouble {
            Unanswered::Missing(error) if self.engine.mode() == SyncMode::Never => error.into(),
            Unanswered::Missing(_) => match state.ended {
                Some(CheckEnd::Failed(reason)) => {
                    anyhow!("nothing is indexed: {}", service_error(&reason))
                }
                _ => {
                    anyhow!("nothing is indexed yet; indexing has started: ask again in a moment")
                }
            },
            Unanswered::Other(error) => error,
        }
    }

    /// A note if an answer from the `chosen` collections, or all if none are, does not come from an
    /// up-to-date index.
    pub(super) fn lag(&self, index: &Index, chosen: &[String]) -> Vec<String> {
        let lag = self.engine.lag(index, &self.scope, chosen);
        lag.as_ref().map(lagging).into_iter().collect()
    }

    /// An error of a request, with the state of the index if nothing is in it yet.
    pub(super) fn explained(&self, error: ServiceError, index: &Index) -> anyhow::Error {
        if !matches!(error, ServiceError::NothingIndexed) {
            return error.into();
        }
        if self.engine.mode() == SyncMode::Never {
            return anyhow!("nothing that is served is indexed: run `excerpt sync`");
        }
        match self.scope.sources() {
            Err(error) => return error.into(),
            Ok(sources) if sources.is_empty() => {
                return anyhow!("the served collections no longer exist: they were removed");
            }
            Ok(_) => {}
        }
        match self.lag(index, &[]).into_iter().next() {
            Some(note) => anyhow!("nothing is indexed yet: {note}"),
            None => anyhow!("nothing is indexed yet: ask again in a moment"),
        }
    }
}

/// Why an answer is not up to date, and what to do.
fn lagging(lag: &ServedLag) -> String {
    match lag {
        ServedLag::Failed(reason) => {
            format!("answered from an older state: {}", service_error(reason))
        }
        lag => lag.to_string(),
    }
}

fn has_documents(index: &Index) -> ServiceResult<bool> {
    Ok(index.searched()? > 0)
}

/// Reports the progress of the first sync to a client that requested it.
struct ProgressReporter<'a> {
    context: &'a RequestContext<RoleServer>,
    /// Whether everything that is counted is visible.
    is_whole: bool,
    /// The last reported progress, which only grows.
    reported: f64,
    due: Instant,
}

impl ProgressReporter<'_> {
    async fn report(&mut self, state: &WriterProgress) {
        let Some(token) = self.context.meta.get_progress_token() else {
            return;
        };
        let Some(progress) = state.progress.filter(|_| Instant::now() >= self.due) else {
            return;
        };
        // The total of all counted stages, each as large as the number of files.
        let stage = match progress.stage {
            Stage::List => 0.0,
            Stage::Cut => 1.0,
            Stage::Keywords => 2.0,
            Stage::Merge => 4.0,
            _ => 3.0,
        };
        let share = progress.done as f64 / progress.total.max(1) as f64;
        let done = stage + share.min(1.0);
        if done <= self.reported {
            return;
        }
        self.reported = done;
        self.due = Instant::now() + REPORT_INTERVAL;
        let mut notification = ProgressNotificationParam::new(token, done).with_total(4.0);
        let far = far(&progress).filter(|_| self.is_whole);
        notification.message = Some(far.unwrap_or_else(|| "indexing".to_string()));
        // An error is ignored: progress is optional.
        let _ = self.context.peer.notify_progress(notification).await;
    }
}
