//! `excerpt serve`: the index over HTTP, for programs (`api/`), browsers (`page/`), agents (MCP at
//! `/mcp`) and the hooks of git hosts.
//!
//! A request passes `routes.rs`, which checks where it comes from and what it may take, then
//! `guard.rs`, which finds the [`Tenant`](tenant::Tenant) that its token makes it, and reaches a
//! handler as a [`Call`](call::Call). The handlers answer with the types of the service. A program
//! in the same process makes the same requests without a network (`local.rs`).

mod api;
mod call;
mod deliveries;
mod guard;
mod hooks;
mod limits;
mod listen;
mod local;
mod log;
mod metrics;
mod names;
mod newcomers;
mod notes;
mod openapi;
mod page;
mod problem;
mod routes;
mod server;
mod tenant;
mod tenants;

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use excerpt_service::access::{HookFile, SecretKey, SessionKey, TokenFile};
use excerpt_service::{Engine, Scope, SyncMode};
use tokio::runtime::Builder;
use tokio_util::sync::CancellationToken;

use crate::output::say;
use crate::served::Served;
use guard::{Guard, Hosts};
pub(crate) use listen::TlsFiles;
pub use local::{LocalOptions, LocalReply, LocalServer, PendingReply};
pub(crate) use log::LogFormat;
use server::Server;
use tenant::Common;

/// What is served, to whom and how.
#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) served: Served,
    pub(crate) listen: SocketAddr,
    /// The names of the server besides its addresses.
    pub(crate) hosts: Vec<String>,
    /// Whether requests need no token.
    pub(crate) no_token: bool,
    /// The file with tokens. Default: that of the user.
    pub(crate) tokens: Option<PathBuf>,
    /// The certificate and its key. Default: no encryption.
    pub(crate) tls: Option<TlsFiles>,
    /// How many requests a token may make a second.
    pub(crate) rate: NonZeroU32,
    pub(crate) log: LogFormat,
}

/// Serves until the process receives a signal to stop.
pub(crate) fn run(options: Options) -> anyhow::Result<()> {
    check(&options)?;
    log::start(options.log);
    let tls = options.tls.as_ref().map(TlsFiles::acceptor).transpose()?;
    let (engine, scope) = options
        .served
        .start(SyncMode::Auto, |note| say(&format!("note: {note}")))?;
    engine.follow()?;
    let runtime = Builder::new_multi_thread().enable_all().build()?;
    let served = runtime.block_on(serve(options, tls, Arc::clone(&engine), scope));
    engine.end();
    runtime.shutdown_background();
    served
}

/// Checks that options do not contradict each other.
fn check(options: &Options) -> anyhow::Result<()> {
    let is_local = options.listen.ip().is_loopback();
    if options.no_token && !is_local {
        bail!(
            "`--no-token` is only for this machine: listen on 127.0.0.1, or create tokens with `excerpt token add`"
        );
    }
    if options.no_token && options.tokens.is_some() {
        bail!("`--no-token` and `--tokens` contradict each other: leave one out");
    }
    if let Some(file) = options.tokens.as_ref().filter(|file| !file.exists()) {
        bail!(
            "there is no `{}`: make the first token with `excerpt token add NAME --tokens {}`",
            file.display(),
            file.display()
        );
    }
    if !is_local && options.tokens.is_none() {
        bail!(
            "`{}` can be reached from other machines: name a file with tokens, `--tokens FILE`, as `excerpt token add --tokens FILE` makes it",
            options.listen
        );
    }
    Ok(())
}

async fn serve(
    options: Options,
    tls: Option<tokio_rustls::TlsAcceptor>,
    engine: Arc<Engine>,
    scope: Arc<Scope>,
) -> anyhow::Result<()> {
    let folder = excerpt_service::access::folder()?;
    let own = TokenFile::own(folder.join("owner.json"))?;
    let sessions = SessionKey::of(SecretKey::kept(folder.join("session.json"))?);
    let tokens = options.tokens.clone();
    let tokens = TokenFile::at(tokens.unwrap_or_else(|| folder.join("tokens.json")));
    // A file that cannot be read is an error now rather than at the first request.
    tokens.all()?;
    let hooks = HookFile::at(folder.join("hooks.json"));
    hooks.all()?;
    let listener = listen::bound(options.listen).await?;
    let address = listener.local_addr().context("no address")?;
    let hosts = Hosts {
        named: options.hosts.clone(),
    };
    let guard = Guard::new(!options.no_token, own, tokens, sessions, hosts, address);
    let stopping = CancellationToken::new();
    let common = Common {
        engine,
        scope,
        inbox: options.served.inbox.clone(),
        rate: options.rate,
        stopping: stopping.clone(),
    };
    let server = Arc::new(Server::new(common, guard, hooks, tls.is_some()));
    // Nobody may be reading where it is.
    let name = options.hosts.first().map(String::as_str);
    let _ = announce(&server, address, name);
    let routes = routes::routes(&server);
    let stop = stopping.clone();
    let signals = tokio::spawn(async move {
        signal().await;
        tracing::info!("stopping: requests that are being answered are finished first");
        stop.cancel();
        signal().await;
        std::process::exit(130);
    });
    let failures = tokio::spawn(log::failures(server.engine.state()));
    listen::serve(listener, tls, routes, &server, &stopping).await;
    signals.abort();
    failures.abort();
    Ok(())
}

/// Prints where the server is, and the link to the page.
fn announce(server: &Server, address: SocketAddr, name: Option<&str>) -> std::io::Result<()> {
    use std::io::Write as _;
    let scheme = if server.is_secure { "https" } else { "http" };
    // No browser can reach all addresses.
    let base = match (address.ip().is_unspecified(), name) {
        (false, _) => format!("{scheme}://{address}"),
        (true, name) => {
            let name = name.unwrap_or("127.0.0.1");
            format!("{scheme}://{name}:{}", address.port())
        }
    };
    let page = match server.guard.own_secret() {
        Some(secret) => format!("{base}/?token={secret}"),
        None => format!("{base}/"),
    };
    let mut output = std::io::stdout();
    // The address comes first, for programs that wait for it.
    writeln!(output, "serving at {base}")?;
    writeln!(output, "page       {page}")?;
    writeln!(
        output,
        "API        {base}/v1 (OpenAPI: {base}/v1/openapi.json)"
    )?;
    writeln!(output, "MCP        {base}/mcp")?;
    output.flush()
}

/// Waits for a signal to stop.
async fn signal() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let terminated = signal(SignalKind::terminate());
        if let Ok(mut terminated) = terminated {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminated.recv() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}
