//! A [`Tenant`]: a client as its token makes it, with what it sees and may do.

use std::num::NonZeroU32;
use std::sync::Arc;

use excerpt_service::access::{Grant, Token};
use excerpt_service::{Engine, Scope, ServiceResult, SyncMode};
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use rmcp::transport::StreamableHttpService;
use rmcp::transport::streamable_http_server::StreamableHttpServerConfig;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use tokio_util::sync::CancellationToken;

use super::problem::ProblemDetails;
use crate::mcp;

/// A client.
pub(super) struct Tenant {
    /// The name of its token, for the log.
    pub(super) name: String,
    pub(super) grant: Grant,
    pub(super) scope: Arc<Scope>,
    /// Its MCP server: no other client reaches it.
    pub(super) mcp: McpService,
    rate: DefaultDirectRateLimiter,
}

pub(super) type McpService = StreamableHttpService<mcp::Server, NeverSessionManager>;

/// What all tenants have in common.
pub(super) struct Common {
    pub(super) engine: Arc<Engine>,
    /// Everything that is served.
    pub(super) scope: Arc<Scope>,
    /// The folder that notes are written to.
    pub(super) inbox: String,
    /// How many requests a client may make a second.
    pub(super) rate: NonZeroU32,
    /// Cancelled when the server stops.
    pub(super) stopping: CancellationToken,
}

impl Tenant {
    /// The client with this token.
    ///
    /// # Errors
    ///
    /// When what it grants is not inside what is served.
    pub(super) fn of(token: &Token, common: &Common) -> ServiceResult<Tenant> {
        let scope = Arc::new(common.scope.narrowed(&token.grant)?);
        let rights = mcp::Rights {
            sync: SyncMode::Auto,
            allows_writing: token.grant.write,
            inbox: common.inbox.clone(),
        };
        let server = mcp::Server::of(Arc::clone(&common.engine), Arc::clone(&scope), rights);
        // The host and the origin of a request were checked before, for all addresses alike. There
        // are no sessions: a client that is gone leaves nothing behind.
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_max_request_body_bytes(mcp::MESSAGE_LIMIT)
            .with_cancellation_token(common.stopping.clone())
            .disable_allowed_hosts();
        let mcp = StreamableHttpService::new(
            move || Ok(server.clone()),
            Arc::new(NeverSessionManager::default()),
            config,
        );
        Ok(Tenant {
            name: token.name.clone(),
            grant: token.grant.clone(),
            scope,
            mcp,
            rate: RateLimiter::direct(Quota::per_second(common.rate)),
        })
    }

    /// Checks that it does not make too many requests.
    ///
    /// # Errors
    ///
    /// When it does.
    pub(super) fn check_rate(&self) -> Result<(), ProblemDetails> {
        use axum::http::StatusCode;
        match self.rate.check() {
            Ok(()) => Ok(()),
            Err(_) => Err(ProblemDetails::later(
                StatusCode::TOO_MANY_REQUESTS,
                1,
                "too many requests with this token: ask again in a moment",
            )),
        }
    }
}
