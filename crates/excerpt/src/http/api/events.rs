//! `/v1/events`: the status, each time it changes, as server-sent events.

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderValue, Method};
use axum::response::Response;
use excerpt_service::WriterProgress;
use futures_util::stream;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout_at};

use super::Operation;
use super::collections::NoParameters;
use super::status::current;
use crate::http::call::{Call, written};
use crate::http::problem::ProblemDetails;

/// The minimum time between two events.
const PAUSE: Duration = Duration::from_millis(200);

/// How often a comment shows that the connection still exists.
const ALIVE: Duration = Duration::from_secs(15);

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::new(Method::GET, "/v1/events", "getEvents", events)
            .said("Server", "The progress of syncs, as server-sent events")
            .description("An event `status` has the answer of `/v1/status` as its data: one at once, and one each time it changes.")
            .text("text/event-stream"),
    ]
}

/// Sends the status to one client.
struct Follower {
    call: Call,
    state: watch::Receiver<WriterProgress>,
    /// The last status that was sent.
    sent: Vec<u8>,
    /// When the next may be sent.
    due: Instant,
    /// When the client hears something at the latest.
    alive: Instant,
}

async fn events(call: Call) -> Result<Response, ProblemDetails> {
    let _: NoParameters = call.query()?;
    let mut state = call.server.engine.state();
    state.mark_changed();
    let follower = Follower {
        state,
        call,
        sent: Vec::new(),
        due: Instant::now(),
        alive: Instant::now() + ALIVE,
    };
    let events = stream::unfold(follower, |mut follower| async move {
        let event = follower.next().await?;
        Some((Ok::<_, std::convert::Infallible>(event), follower))
    });
    let mut response = Response::new(Body::from_stream(events));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

impl Follower {
    /// The next event; `None` when the server stops or the token has ended.
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            let stopping = self.call.server.common.stopping.clone();
            let changed = timeout_at(self.alive, self.state.changed());
            let is_changed = tokio::select! {
                () = stopping.cancelled() => return None,
                changed = changed => match changed {
                    Ok(changed) => changed.map(|()| true).ok()?,
                    Err(_) => false,
                },
            };
            // A token may have been revoked meanwhile.
            let tenant = self.call.server.tenant(&self.call.parts).await.ok()?;
            if !is_changed {
                self.alive = Instant::now() + ALIVE;
                return Some(Bytes::from_static(b":\n\n"));
            }
            sleep_until(self.due).await;
            self.due = Instant::now() + PAUSE;
            let status = current(&self.call.server, &tenant).await.ok()?;
            let status = written(&status).ok()?;
            if status != self.sent {
                let event = [b"event: status\ndata: ", &*status, b"\n\n"].concat();
                self.sent = status;
                self.alive = Instant::now() + ALIVE;
                return Some(event.into());
            }
        }
    }
}
