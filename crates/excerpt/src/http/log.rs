//! The log of the server, on standard error.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::ValueEnum;
use excerpt_service::{CheckEnd, WriterProgress};
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

/// Logs the syncs that fail, until the writer ends: of several failures in a row, the first.
pub(super) async fn failures(mut states: watch::Receiver<WriterProgress>) {
    let mut failed: BTreeMap<PathBuf, bool> = BTreeMap::new();
    while states.changed().await.is_ok() {
        let sources = states.borrow_and_update().sources.clone();
        for (root, source) in sources {
            let was_failed = failed.insert(root, source.failures > 0);
            match source.end {
                CheckEnd::Failed(error) if was_failed != Some(true) => {
                    tracing::warn!(%error, "a sync failed");
                }
                CheckEnd::Complete if was_failed == Some(true) => {
                    tracing::info!("a sync that had failed has succeeded");
                }
                _ => {}
            }
        }
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
