//! Connections: how many there are, what a client may take of the server, and how they end.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use axum::Router;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::Service;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::{self, ServerConfig};
use tokio_util::sync::CancellationToken;

use super::limits::{
    CONNECTIONS, FAREWELL, HANDSHAKE_TIME, HEAD_SIZE, HEAD_TIME, HEADERS, PAUSE, WRITE_TIME,
};
use super::metrics::Metrics;
use super::newcomers::{Newcomer, Newcomers};
use super::server::Server;

/// The files for encrypted connections.
#[derive(Clone, Debug)]
pub(crate) struct TlsFiles {
    pub(crate) certificate: std::path::PathBuf,
    pub(crate) key: std::path::PathBuf,
}

impl TlsFiles {
    /// Reads them.
    ///
    /// # Errors
    ///
    /// When they are no certificate and its key.
    pub(super) fn acceptor(&self) -> anyhow::Result<TlsAcceptor> {
        let chain = CertificateDer::pem_file_iter(&self.certificate)
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .with_context(|| format!("cannot read `{}`", self.certificate.display()))?;
        if chain.is_empty() {
            bail!("`{}` has no certificate", self.certificate.display());
        }
        let key = PrivateKeyDer::from_pem_file(&self.key)
            .with_context(|| format!("cannot read a key in `{}`", self.key.display()))?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .context("the certificate and the key do not belong together")?;
        Ok(TlsAcceptor::from(Arc::new(config)))
    }
}

/// Listens at an address.
///
/// # Errors
///
/// When that is not possible.
pub(super) async fn bound(address: SocketAddr) -> anyhow::Result<TcpListener> {
    raise_limit();
    TcpListener::bind(address)
        .await
        .with_context(|| format!("cannot listen on {address}"))
}

/// Allows as many open files as the system does: each connection is one.
fn raise_limit() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let limit = getrlimit(Resource::Nofile);
        // Without it there are fewer connections.
        let _ = setrlimit(
            Resource::Nofile,
            Rlimit {
                current: limit.maximum,
                maximum: limit.maximum,
            },
        );
    }
}

/// Answers requests until `stopping`, and then those that are being answered.
pub(super) async fn serve(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    routes: Router,
    server: &Arc<Server>,
    stopping: &CancellationToken,
) {
    let turns = Arc::new(Semaphore::new(CONNECTIONS));
    let newcomers = Arc::new(Newcomers::default());
    let graceful = GracefulShutdown::new();
    loop {
        let accepted = tokio::select! {
            () = stopping.cancelled() => break,
            accepted = accept(&listener, &turns, &newcomers) => accepted,
        };
        let (stream, turn) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "no connection could be accepted");
                sleep(PAUSE).await;
                continue;
            }
        };
        let (routes, tls) = (routes.clone(), tls.clone());
        let watcher = graceful.watcher();
        let connection = Connection::of(server, turn);
        let newcomer = newcomers.add();
        tokio::spawn(async move {
            let _connection = connection;
            let routes = Routes {
                routes: TowerToHyperService::new(routes),
                newcomer: newcomer.clone(),
            };
            let answered = async {
                match tls {
                    None => answer(stream, routes, watcher).await,
                    Some(tls) => {
                        if let Ok(Ok(stream)) = timeout(HANDSHAKE_TIME, tls.accept(stream)).await {
                            answer(stream, routes, watcher).await;
                        }
                    }
                }
            };
            tokio::select! {
                () = answered => {}
                () = newcomer.dismissed() => {
                    tracing::debug!("a connection without a token gave way to a new one");
                }
            }
        });
    }
    drop(listener);
    if timeout(FAREWELL, graceful.shutdown()).await.is_err() {
        tracing::warn!("some requests had not ended and were cancelled");
    }
}

async fn accept(
    listener: &TcpListener,
    turns: &Arc<Semaphore>,
    newcomers: &Newcomers,
) -> io::Result<(TcpStream, OwnedSemaphorePermit)> {
    let (stream, _) = listener.accept().await?;
    if turns.available_permits() == 0 {
        newcomers.dismiss_one();
    }
    let turn = Arc::clone(turns).acquire_owned().await;
    let turn = turn.map_err(io::Error::other)?;
    // An answer is written in one piece.
    let _ = stream.set_nodelay(true);
    Ok((stream, turn))
}

/// The routes for the requests of a connection.
struct Routes {
    routes: TowerToHyperService<Router>,
    newcomer: Newcomer,
}

impl Service<Request<Incoming>> for Routes {
    type Response = <TowerToHyperService<Router> as Service<Request<Incoming>>>::Response;
    type Error = <TowerToHyperService<Router> as Service<Request<Incoming>>>::Error;
    type Future = <TowerToHyperService<Router> as Service<Request<Incoming>>>::Future;

    fn call(&self, mut request: Request<Incoming>) -> Self::Future {
        request.extensions_mut().insert(self.newcomer.clone());
        self.routes.call(request)
    }
}

/// A connection, which is counted while it is open.
struct Connection {
    server: Arc<Server>,
    _turn: OwnedSemaphorePermit,
}

impl Connection {
    fn of(server: &Arc<Server>, turn: OwnedSemaphorePermit) -> Connection {
        metrics(server).connections.inc();
        Connection {
            server: Arc::clone(server),
            _turn: turn,
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        metrics(&self.server).connections.dec();
    }
}

fn metrics(server: &Server) -> &Metrics {
    &server.metrics
}

/// Answers the requests of a connection. Only HTTP/1.1 is spoken: browsers and proxies speak it,
/// and no client can open a thousand streams.
async fn answer(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    routes: Routes,
    watcher: hyper_util::server::graceful::Watcher,
) {
    // A client that does not read what it asked for is not waited for.
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(WRITE_TIME));
    let stream = Box::pin(stream);
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_headers(HEADERS)
        .max_buf_size(HEAD_SIZE);
    let connection = builder.serve_connection(TokioIo::new(stream), routes);
    if let Err(error) = watcher.watch(connection).await {
        // The client has gone, or sent what is no request.
        tracing::debug!(%error, "a connection ended early");
    }
}
