//! The log of the server, on standard error.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use excerpt_service::text::one_line;
use excerpt_service::{CheckEnd, ServiceError, WriterProgress};
use tokio::sync::watch;
use tracing::Level;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// The form of the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// Lines to read; of requests, only those that fail.
    #[default]
    Text,
    /// A JSON object a line, for each request.
    Json,
    /// Nothing.
    Off,
}

/// What the log calls the requests that were answered.
pub(super) const ACCESS: &str = "excerpt::access";

/// Logs the syncs that fail: of several failures of a source until it is complete again, the first.
pub(super) async fn failures(mut states: watch::Receiver<WriterProgress>) {
    let mut failed: BTreeMap<PathBuf, String> = BTreeMap::new();
    loop {
        // Logged after the state was looked at: the log may be slow.
        let mut failures = Vec::new();
        let mut successes = Vec::new();
        {
            let state = states.borrow_and_update();
            failed.retain(|root, _| state.sources.contains_key(root));
            for (root, source) in &state.sources {
                match &source.end {
                    CheckEnd::Failed(error) if !failed.contains_key(root) => {
                        let name = name_of(root, error);
                        failed.insert(root.clone(), name.clone());
                        failures.push((name, one_line(&error.to_string())));
                    }
                    CheckEnd::Complete => successes.extend(failed.remove(root)),
                    _ => {}
                }
            }
        }
        for (source, error) in failures {
            tracing::warn!(source, error, "a sync failed");
        }
        for source in successes {
            tracing::info!(source, "a sync that had failed has succeeded");
        }
        if states.changed().await.is_err() {
            return;
        }
    }
}

/// The name of the source that could not be synced; its root if that has none.
fn name_of(root: &Path, error: &ServiceError) -> String {
    match error {
        ServiceError::NotSynced { name, .. } if !name.is_empty() => one_line(name),
        _ => one_line(&root.display().to_string()),
    }
}

/// Starts the log of this process.
pub(super) fn start(format: LogFormat) {
    // The libraries tell only what is wrong.
    let levels = |requests: LevelFilter| {
        let others = Targets::new().with_default(Level::ERROR);
        let own = others.with_target("excerpt", Level::INFO);
        own.with_target(ACCESS, requests)
    };
    let all = tracing_subscriber::registry();
    let output = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    // There is one log: another start changes nothing.
    let _ = match format {
        LogFormat::Text => all
            .with(output.compact().with_target(false))
            .with(levels(LevelFilter::WARN))
            .try_init(),
        LogFormat::Json => all
            .with(
                output
                    .json()
                    .with_target(false)
                    .flatten_event(true)
                    .with_span_list(false),
            )
            .with(levels(LevelFilter::INFO))
            .try_init(),
        LogFormat::Off => Ok(()),
    };
}
