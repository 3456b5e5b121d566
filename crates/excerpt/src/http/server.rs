//! What all requests share.

use std::sync::Arc;

use axum::http::request::Parts;
use excerpt_service::Engine;
use excerpt_service::access::HookFile;
use tokio::sync::Semaphore;

use super::deliveries::Deliveries;
use super::guard::Guard;
use super::limits::{AT_ONCE, BODIES, HOOK_BODIES, SPLITS};
use super::metrics::Metrics;
use super::problem::ProblemDetails;
use super::tenant::{Common, Tenant};

/// What all requests share.
pub(super) struct Server {
    pub(super) engine: Arc<Engine>,
    pub(super) common: Common,
    pub(super) guard: Guard,
    pub(super) hooks: HookFile,
    pub(super) deliveries: Deliveries,
    pub(super) metrics: Metrics,
    pub(super) is_secure: bool,
    /// The room for bodies, in kibibytes: of clients, and of hooks.
    pub(super) bodies: Arc<Semaphore>,
    pub(super) hook_bodies: Arc<Semaphore>,
    /// For the texts that are split at the same time.
    pub(super) splits: Arc<Semaphore>,
    /// For the requests that are answered at the same time.
    pub(super) turns: Semaphore,
}

impl Server {
    pub(super) fn new(common: Common, guard: Guard, hooks: HookFile, is_secure: bool) -> Server {
        Server {
            engine: Arc::clone(&common.engine),
            common,
            guard,
            hooks,
            deliveries: Deliveries::default(),
            metrics: Metrics::default(),
            is_secure,
            bodies: Arc::new(Semaphore::new(BODIES >> 10)),
            hook_bodies: Arc::new(Semaphore::new(HOOK_BODIES >> 10)),
            splits: Arc::new(Semaphore::new(SPLITS)),
            turns: Semaphore::new(AT_ONCE),
        }
    }

    /// The client that makes a request.
    ///
    /// # Errors
    ///
    /// When it may not.
    pub(super) fn tenant(&self, parts: &Parts) -> Result<Arc<Tenant>, ProblemDetails> {
        self.guard.tenant(parts, &self.common)
    }
}
