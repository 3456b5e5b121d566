//! The description of the content, rebuilt when the index has changed. In a first session, a
//! request for it waits a moment for the first sync. Later changes are announced to a client that
//! has already listed the tools.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use excerpt_chunk::Hash;
use excerpt_index::Index;
use excerpt_service::{SyncMode, Unanswered};
use rmcp::Peer;
use rmcp::service::{RoleServer, SubscriptionSink};
use tokio::sync::watch;
use tokio::time::timeout;

use super::instructions::Instructions;
use super::shared::Shared;

/// How long a request for the description waits for the first sync.
const PATIENCE: Duration = Duration::from_millis(700);

/// The current description of the content, and the one that the client was given.
#[derive(Default)]
pub(super) struct Content {
    made: Mutex<Made>,
    /// The description when the tools were listed.
    listed: watch::Sender<Option<Arc<Instructions>>>,
    is_followed: AtomicBool,
    /// Whether the client has disconnected.
    is_closed: watch::Sender<bool>,
}

/// The latest description, and the state that it was built from.
#[derive(Default)]
struct Made {
    instructions: Arc<Instructions>,
    state: Option<ContentState>,
}

/// The state of the index, and the visible sources.
type ContentState = (Hash, Vec<(PathBuf, String)>);

impl Content {
    /// The latest description.
    pub(super) fn known(&self) -> Arc<Instructions> {
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&made.instructions)
    }

    fn made_of(&self, state: &ContentState) -> Option<Arc<Instructions>> {
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = made.state.as_ref() == Some(state);
        is_same.then(|| Arc::clone(&made.instructions))
    }

    fn keep(&self, instructions: Instructions, state: Option<ContentState>) -> Arc<Instructions> {
        let instructions = Arc::new(instructions);
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        *made = Made {
            instructions: Arc::clone(&instructions),
            state,
        };
        instructions
    }

    /// Records the description with which the tools were listed.
    pub(super) fn set_listed(&self, instructions: &Arc<Instructions>) {
        self.listed.send_replace(Some(Arc::clone(instructions)));
    }

    /// Records that the client has disconnected.
    pub(super) fn close(&self) {
        self.is_closed.send_replace(true);
    }

    /// Waits until the client has disconnected.
    pub(super) async fn closed(&self) {
        // The sender lives as long as this does.
        let _ = self.is_closed.subscribe().wait_for(|is| *is).await;
    }

    /// Whether this is the first call: a session is notified of changes by one task only.
    pub(super) fn begins_to_follow(&self) -> bool {
        !self.is_followed.swap(true, Ordering::SeqCst)
    }
}

/// The recipient of notifications that the description of the tools has changed.
pub(super) enum Listener {
    /// The client of a session with a handshake.
    Session(Peer<RoleServer>),
    /// A subscription to such notifications.
    Subscription(SubscriptionSink),
}

impl Listener {
    /// Sends a notification, and returns whether it could be sent.
    async fn notify(&self) -> bool {
        match self {
            Listener::Session(peer) => peer.notify_tool_list_changed().await.is_ok(),
            Listener::Subscription(sink) => sink.notify_tool_list_changed().await.is_ok(),
        }
    }
}

impl Shared {
    /// The current description.
    async fn instructions(self: &Arc<Self>) -> Arc<Instructions> {
        let shared = Arc::clone(self);
        let made = self.engine.answer(move |index| shared.made(index)).await;
        match made {
            Ok(made) => made,
            Err(Unanswered::Missing(_)) => self.content.keep(Instructions::default(), None),
            // The previous description is better than none.
            Err(Unanswered::Other(_)) => self.content.known(),
        }
    }

    fn made(&self, index: &Index) -> anyhow::Result<Arc<Instructions>> {
        let sources = self.scope.sources()?.into_iter();
        let sources = sources.map(|seen| (seen.root, seen.name)).collect();
        let state = (index.state_hash()?, sources);
        if let Some(made) = self.content.made_of(&state) {
            return Ok(made);
        }
        let instructions = Instructions::of(&self.scope, index);
        Ok(self.content.keep(instructions, Some(state)))
    }

    /// The current description. If it is empty and the first sync is running, waits a moment for
    /// it.
    pub(super) async fn greeting(self: &Arc<Self>) -> Arc<Instructions> {
        let now = self.instructions().await;
        if !now.is_empty() || self.engine.mode() == SyncMode::Never {
            return now;
        }
        let mut state = self.engine.state();
        let ended = state.wait_for(|state| !state.is_checking);
        // The description is read again whether or not the sync has ended in time.
        let _ = timeout(PATIENCE, ended).await;
        self.instructions().await
    }

    /// Notifies `listener` each time the description of the tools differs from the listed one,
    /// until a notification cannot be sent.
    pub(super) async fn follow(self: Arc<Self>, listener: Listener) {
        let mut state = self.engine.state();
        let mut listed = self.content.listed.subscribe();
        // The description that it was notified of but has not listed yet.
        let mut notified: Option<Arc<Instructions>> = None;
        loop {
            let checked = state.borrow_and_update().checked;
            let before = listed.borrow_and_update().clone();
            if let Some(before) = before {
                let now = self.instructions().await;
                let is_notified = notified
                    .as_ref()
                    .is_some_and(|notified| !notified.differ(&now));
                if !now.differ(&before) {
                    notified = None;
                } else if !is_notified {
                    if !listener.notify().await {
                        return;
                    }
                    notified = Some(now);
                }
            }
            let is_open = tokio::select! {
                listed = listed.changed() => listed.is_ok(),
                state = state.wait_for(|state| state.checked != checked) => state.is_ok(),
            };
            if !is_open {
                return;
            }
        }
    }
}
