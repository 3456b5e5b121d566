//! [`LocalServer`]: the HTTP API without a network, for the process that it runs in.

use std::net::{Ipv4Addr, SocketAddr};
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::Context as _;
use axum::Router;
use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, HOST};
use axum::http::{Method, Request};
use excerpt_index::IndexEntry;
use excerpt_service::access::{HookFile, NewToken, SecretKey, SessionKey, TokenFile};
use excerpt_service::{
    CollectionChoice, EmbeddingChoice, Engine, IndexChoice, ServiceError, SyncMode, Unanswered,
};
use http_body_util::BodyExt as _;
use tokio::runtime::{Builder, Runtime};
use tokio::task::AbortHandle;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use super::call::JSON;
use super::guard::{Guard, Hosts};
use super::routes;
use super::server::Server;
use super::tenant::Common;
use crate::served::{INBOX, Served};

/// How long the end waits for what is being written or answered.
const PATIENCE: Duration = Duration::from_secs(30);

/// What a [`LocalServer`] serves.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct LocalOptions {
    /// The folder or file, or the directory of an index. Default: the working directory.
    pub path: PathBuf,
    /// These collections instead, by name.
    pub collections: Vec<String>,
    /// All collections of the library instead.
    pub library: bool,
    /// The folder of the index. Default: one in the user's data folder.
    pub index: Option<PathBuf>,
    /// Whether the index is kept up to date: folders as their files change. An index that
    /// is opened by its own directory is only read.
    pub sync: bool,
}

/// The API of `excerpt serve` in this process: the same requests have the same answers.
pub struct LocalServer {
    engine: Arc<Engine>,
    routes: Router,
    stopping: CancellationToken,
    /// Threads of its own; `None` once it is closed.
    runtime: Mutex<Option<Runtime>>,
    /// Held while it is being closed.
    closing: Mutex<()>,
    /// What a user should know about what is served.
    notes: Vec<String>,
    /// Whether the index is only read: it was opened by its own directory.
    is_stored: bool,
}

/// The answer to a request.
#[derive(Clone, Debug)]
pub struct LocalReply {
    /// The status of HTTP.
    pub status: u16,
    /// The body: JSON.
    pub body: Vec<u8>,
}

/// A request that is being answered. It is cancelled when this is dropped.
pub struct PendingReply {
    reply: Receiver<anyhow::Result<LocalReply>>,
    task: AbortHandle,
}

impl LocalServer {
    /// Starts to serve.
    ///
    /// # Errors
    ///
    /// When that cannot be served, or no threads can be started.
    pub fn start(options: LocalOptions) -> anyhow::Result<LocalServer> {
        let path = match options.path.as_os_str().is_empty() {
            true => PathBuf::from("."),
            false => options.path,
        };
        let served = Served {
            path,
            collections: CollectionChoice {
                names: options.collections,
                library: options.library,
            },
            index: IndexChoice {
                folder: options.index,
            },
            embedding: EmbeddingChoice::default(),
            under: None,
            // The user of this process may add what the process can read.
            roots: vec![PathBuf::from("/")],
            inbox: INBOX.to_string(),
        };
        let mode = match options.sync {
            true => SyncMode::Auto,
            false => SyncMode::Never,
        };
        let mut notes = Vec::new();
        let is_stored = served.index.folder.is_none()
            && !served.collections.are_meant()
            && IndexEntry::is_in(&served.path);
        let (engine, scope) = match is_stored {
            true => served.start_stored()?,
            false => served.start(mode, |note| notes.push(note.to_string()))?,
        };
        if options.sync && !is_stored {
            engine.follow()?;
        }
        let is_missing = || {
            let answer = engine.answer_here(|_| Ok::<_, ServiceError>(()));
            matches!(answer, Err(Unanswered::Missing(_)))
        };
        if !options.sync && is_missing() {
            anyhow::bail!(
                "nothing is indexed there yet: open it with `sync=True`, or run `excerpt sync` first"
            );
        }
        // Nothing but this process makes requests: no name, no token and no hook is known.
        let folder = excerpt_service::access::folder()?;
        let guard = Guard::new(
            false,
            NewToken::of_process()?,
            TokenFile::at(folder.join("tokens.json")),
            SessionKey::of(SecretKey::new()?),
            Hosts { named: Vec::new() },
            SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
        );
        let stopping = CancellationToken::new();
        let common = Common {
            engine: Arc::clone(&engine),
            scope,
            inbox: served.inbox,
            rate: NonZeroU32::MAX,
            stopping: stopping.clone(),
        };
        let hooks = HookFile::at(folder.join("hooks.json"));
        let server = Arc::new(Server::new(common, guard, hooks, false));
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("excerpt")
            .enable_all()
            .build()?;
        Ok(LocalServer {
            engine,
            routes: routes::routes(&server),
            stopping,
            runtime: Mutex::new(Some(runtime)),
            closing: Mutex::default(),
            notes,
            is_stored,
        })
    }

    /// Whether the index is only read: it was opened by its own directory.
    #[must_use]
    pub fn is_stored(&self) -> bool {
        self.is_stored
    }

    /// What a user should know about what is served.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Begins to answer a request: `address` is the path with the query, and `body` is JSON.
    ///
    /// # Errors
    ///
    /// When the method or the address is none.
    pub fn request(
        &self,
        method: &str,
        address: &str,
        body: Option<Vec<u8>>,
    ) -> anyhow::Result<PendingReply> {
        let method = Method::from_bytes(method.as_bytes())?;
        let request = Request::builder().method(method).uri(address);
        let request = request.header(HOST, "localhost");
        let request = match body {
            Some(body) => request.header(CONTENT_TYPE, JSON).body(Body::from(body))?,
            None => request.body(Body::empty())?,
        };
        let (done, reply) = channel();
        let routes = self.routes.clone();
        let runtime = self.runtime();
        let runtime = runtime.as_ref().context("the index is closed")?;
        let task = runtime.spawn(async move {
            // Nobody may be waiting any longer.
            let _ = done.send(answer(routes, request).await);
        });
        Ok(PendingReply {
            reply,
            task: task.abort_handle(),
        })
    }
}

impl LocalServer {
    /// Ends it, and what it is doing. Afterwards, nothing of it touches the files of the index.
    pub fn close(&self) {
        self.stopping.cancel();
        // A second caller waits for the first.
        let _closing = self.closing.lock().unwrap_or_else(PoisonError::into_inner);
        // First what answers, because it has the index open.
        let runtime = self.runtime().take();
        if let Some(runtime) = runtime {
            runtime.shutdown_timeout(PATIENCE);
        }
        self.engine.end_within(PATIENCE);
    }

    fn runtime(&self) -> MutexGuard<'_, Option<Runtime>> {
        self.runtime.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn answer(routes: Router, request: Request<Body>) -> anyhow::Result<LocalReply> {
    let answer = routes.oneshot(request).await?;
    let status = answer.status().as_u16();
    let body = answer.into_body().collect().await?.to_bytes();
    Ok(LocalReply {
        status,
        body: body.into(),
    })
}

impl PendingReply {
    /// Waits for the answer, but not longer than `time`; `None` if it is not there by then.
    ///
    /// # Errors
    ///
    /// When there will be none.
    pub fn wait(&mut self, time: Duration) -> anyhow::Result<Option<LocalReply>> {
        match self.reply.recv_timeout(time) {
            Ok(reply) => reply.map(Some),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => {
                anyhow::bail!("the request was not answered: the index is closed")
            }
        }
    }
}

impl Drop for PendingReply {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Drop for LocalServer {
    fn drop(&mut self) {
        self.close();
    }
}
