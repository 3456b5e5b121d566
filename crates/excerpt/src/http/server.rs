//! What all requests share.

use std::sync::Arc;

use axum::http::HeaderMap;
use axum::http::request::Parts;
use excerpt_service::access::HookFile;
use excerpt_service::{Engine, ServiceError};
use tokio::sync::Semaphore;

use super::deliveries::Deliveries;
use super::guard::Guard;
use super::limits::{AT_ONCE, BODIES, HOOK_BODIES};
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
            turns: Semaphore::new(AT_ONCE),
        }
    }

    /// The client that makes a request.
    ///
    /// # Errors
    ///
    /// When it may not.
    pub(super) async fn tenant(
        self: &Arc<Self>,
        parts: &Parts,
    ) -> Result<Arc<Tenant>, ProblemDetails> {
        let secret = self.guard.secret(parts)?;
        let tenant = move |server: &Arc<Server>| server.guard.tenant(secret, &server.common);
        self.on_thread(tenant).await
    }

    /// Whether the cookies of a request admit it to the page.
    ///
    /// # Errors
    ///
    /// When the server is about to end.
    pub(super) async fn admits(
        self: &Arc<Self>,
        headers: &HeaderMap,
    ) -> Result<bool, ProblemDetails> {
        let headers = headers.clone();
        let admits = move |server: &Arc<Server>| Ok(server.guard.admits(&headers));
        self.on_thread(admits).await
    }

    /// Does `work`, which reads files, on a thread for blocking work.
    ///
    /// # Errors
    ///
    /// Those of `work`.
    pub(super) async fn on_thread<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Arc<Server>) -> Result<T, ProblemDetails> + Send + 'static,
    ) -> Result<T, ProblemDetails> {
        let server = Arc::clone(self);
        let done = tokio::task::spawn_blocking(move || work(&server)).await;
        done.map_err(ServiceError::NoAnswer)?
    }
}
