//! What is told of the content, kept as the content is: made again when the index has changed since. In a first session, who asks waits a moment for the
//! first sync; what is known later is announced to a client that has listed the tools already.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use excerpt_chunk::Hash;
use excerpt_index::Index;
use rmcp::Peer;
use rmcp::service::{RoleServer, SubscriptionSink};
use tokio::sync::watch;
use tokio::time::timeout;

use super::Shared;
use super::instructions::Instructions;
use super::keeper::Trouble;
use crate::place::SyncMode;

/// How long one who asks what there is waits for the first sync.
const PATIENCE: Duration = Duration::from_millis(700);

/// What is told of the content, and what was told of it.
#[derive(Default)]
pub(super) struct Content {
    made: Mutex<Made>,
    /// What the tools were described by when they were listed.
    listed: watch::Sender<Option<Arc<Instructions>>>,
    is_followed: AtomicBool,
    /// Whether the client has gone.
    is_closed: watch::Sender<bool>,
}

/// What was made last, and of what.
#[derive(Default)]
struct Made {
    instructions: Arc<Instructions>,
    state: Option<ContentState>,
}

/// The state of the index, and the sources that are seen of it.
type ContentState = (Hash, Vec<(PathBuf, String)>);

impl Content {
    /// What was made last.
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

    /// Says what the tools were described by when they were listed.
    pub(super) fn set_listed(&self, instructions: &Arc<Instructions>) {
        self.listed.send_replace(Some(Arc::clone(instructions)));
    }

    /// Says that the client has gone.
    pub(super) fn close(&self) {
        self.is_closed.send_replace(true);
    }

    /// Waits until the client has gone.
    pub(super) async fn closed(&self) {
        // The sender lives as long as this does.
        let _ = self.is_closed.subscribe().wait_for(|is| *is).await;
    }

    /// Whether nobody has begun yet to tell the client of changes.
    pub(super) fn begins_to_follow(&self) -> bool {
        !self.is_followed.swap(true, Ordering::SeqCst)
    }
}

/// Who is told that the tools are described by something else.
pub(super) enum Listener {
    /// The client of a session with a handshake.
    Session(Peer<RoleServer>),
    /// One who has asked for it.
    Subscription(SubscriptionSink),
}

impl Listener {
    /// Whether it could be told.
    async fn tell(&self) -> bool {
        match self {
            Listener::Session(peer) => peer.notify_tool_list_changed().await.is_ok(),
            Listener::Subscription(sink) => sink.notify_tool_list_changed().await.is_ok(),
        }
    }
}

impl Shared {
    /// What there is to be told at the moment.
    async fn instructions(self: &Arc<Self>) -> Arc<Instructions> {
        let shared = Arc::clone(self);
        let made = self.keeper.answer(move |index| shared.made(index)).await;
        match made {
            Ok(made) => made,
            Err(Trouble::Missing(_)) => self.content.keep(Instructions::default(), None),
            // What was known is better than nothing.
            Err(Trouble::Other(_)) => self.content.known(),
        }
    }

    fn made(&self, index: &Index) -> anyhow::Result<Arc<Instructions>> {
        let sources = self.scope.sources()?.into_iter();
        let sources = sources.map(|seen| (seen.root, seen.name)).collect();
        let state = (index.mark()?, sources);
        if let Some(made) = self.content.made_of(&state) {
            return Ok(made);
        }
        let instructions = Instructions::of(&self.scope, index);
        Ok(self.content.keep(instructions, Some(state)))
    }

    /// What there is to be told: while that is nothing and the first sync is under way, a moment later.
    pub(super) async fn greeting(self: &Arc<Self>) -> Arc<Instructions> {
        let now = self.instructions().await;
        if !now.is_empty() || self.keeper.mode() == SyncMode::Never {
            return now;
        }
        let mut state = self.keeper.state();
        let ended = state.wait_for(|state| !state.is_checking);
        // In time or not, it is looked at again.
        let _ = timeout(PATIENCE, ended).await;
        self.instructions().await
    }

    /// Tells `listener` each time that the tools, once listed, have come to be described by something else, until it cannot be told.
    pub(super) async fn follow(self: Arc<Self>, listener: Listener) {
        let mut state = self.keeper.state();
        let mut listed = self.content.listed.subscribe();
        // What it was told of and has not listed so far.
        let mut told: Option<Arc<Instructions>> = None;
        loop {
            let checked = state.borrow_and_update().checked;
            let before = listed.borrow_and_update().clone();
            if let Some(before) = before {
                let now = self.instructions().await;
                let is_told = told.as_ref().is_some_and(|told| !told.differ(&now));
                if !now.differ(&before) {
                    told = None;
                } else if !is_told {
                    if !listener.tell().await {
                        return;
                    }
                    told = Some(now);
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
