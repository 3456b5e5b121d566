//! Metrics for Prometheus.

use std::sync::atomic::AtomicU64;
use std::time::Duration;

use excerpt_service::{CheckEnd, Engine, VisibleStatus};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Registry, Unit};

/// A route, a method and a status.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Answered {
    route: String,
    method: String,
    status: u16,
}

/// A route.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RouteLabel {
    route: String,
}

/// A source.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct SourceLabel {
    source: String,
}

/// What is counted while the server runs.
pub(super) struct Metrics {
    requests: Family<Answered, Counter>,
    seconds: Family<RouteLabel, Histogram>,
    pub(super) running: Gauge,
    pub(super) connections: Gauge,
    pub(super) hooks: Counter,
}

impl Default for Metrics {
    fn default() -> Self {
        Metrics {
            requests: Family::default(),
            // From half a millisecond to 16 seconds.
            seconds: Family::new_with_constructor(|| {
                Histogram::new(exponential_buckets(0.0005, 2.0, 16))
            }),
            running: Gauge::default(),
            connections: Gauge::default(),
            hooks: Counter::default(),
        }
    }
}

impl Metrics {
    /// Counts a request that was answered.
    pub(super) fn answered(&self, route: &str, method: &str, status: u16, took: Duration) {
        let route = route.to_string();
        let labels = Answered {
            route: route.clone(),
            method: method.to_string(),
            status,
        };
        self.requests.get_or_create(&labels).inc();
        let seconds = self.seconds.get_or_create(&RouteLabel { route });
        seconds.observe(took.as_secs_f64());
    }

    /// All metrics as text, with those of the sources in `status`.
    pub(super) fn text(&self, status: &VisibleStatus, engine: &Engine) -> String {
        let mut all = Registry::with_prefix("excerpt");
        let help = "Requests that were answered";
        all.register("http_requests", help, self.requests.clone());
        let help = "How long answers took";
        all.register_with_unit("http_request", help, Unit::Seconds, self.seconds.clone());
        all.register(
            "http_requests_running",
            "Requests being answered",
            self.running.clone(),
        );
        all.register(
            "http_connections",
            "Open connections",
            self.connections.clone(),
        );
        all.register(
            "hook_calls",
            "Calls of hooks that were accepted",
            self.hooks.clone(),
        );
        let documents = Family::<SourceLabel, Gauge>::default();
        let chunks = Family::<SourceLabel, Gauge>::default();
        let synced = Family::<SourceLabel, Gauge<f64, AtomicU64>>::default();
        let failures = Family::<SourceLabel, Gauge>::default();
        let state = engine.state().borrow().clone();
        let is_failed = |end: &CheckEnd| matches!(end, CheckEnd::Failed(_));
        let failed = state
            .sources
            .values()
            .filter(|source| is_failed(&source.end))
            .count();
        for source in &status.sources {
            let label = SourceLabel {
                source: source.name.clone(),
            };
            documents
                .get_or_create(&label)
                .set(as_gauge(source.documents));
            chunks.get_or_create(&label).set(as_gauge(source.chunks));
            if let Some(at) = source.synced {
                synced.get_or_create(&label).set(at as f64);
            }
            let has_failed = source.failure.is_some();
            failures.get_or_create(&label).set(i64::from(has_failed));
        }
        all.register("documents", "Documents in the index", documents);
        all.register("chunks", "Chunks in the index", chunks);
        all.register(
            "source_synced_timestamp_seconds",
            "When the source was last synced to its end",
            synced,
        );
        all.register("source_failed", "Whether the last sync failed", failures);
        let sources_failed = Gauge::<i64>::default();
        sources_failed.set(as_gauge(failed));
        all.register(
            "sources_failed",
            "Sources whose last sync failed",
            sources_failed,
        );
        let mut text = String::new();
        // Writing into a text does not fail.
        let _ = encode(&mut text, &all);
        text
    }
}

fn as_gauge(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
