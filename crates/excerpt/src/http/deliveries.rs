//! The calls of hooks that were handed on, so that one that is repeated does nothing.

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use excerpt_chunk::Hash;
use excerpt_service::SyncTicket;

/// How many deliveries are remembered.
const REMEMBERED: usize = 10_000;

/// How long the body of a call without an id is remembered: hosts repeat a call that was not
/// answered within seconds, and the same body later is another push, or asked for by hand.
const UNNAMED: Duration = Duration::from_secs(5 * 60);

/// What a delivery is recognised by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DeliveryKey {
    /// The id that the host gave it.
    Id(Hash),
    /// Its body.
    Body(Hash),
}

impl DeliveryKey {
    fn hash(self) -> Hash {
        match self {
            DeliveryKey::Id(hash) | DeliveryKey::Body(hash) => hash,
        }
    }
}

/// A delivery whose sources are to be synced.
pub(super) struct Delivery {
    pub(super) key: DeliveryKey,
    /// When it was handed on.
    pub(super) at: Instant,
    /// Says when the sources are synced; `None` if that is not known.
    pub(super) ticket: Option<SyncTicket>,
    /// The roots of the sources.
    pub(super) roots: Vec<PathBuf>,
}

impl Delivery {
    /// Whether a call with the same key at the time `now` is to do nothing. What has failed is
    /// done again.
    fn counts(&self, now: Instant, has_failed: impl Fn(&Path) -> bool) -> bool {
        let is_late = matches!(self.key, DeliveryKey::Body(_)) && now > self.at + UNNAMED;
        let has_ended = self.ticket.as_ref().is_none_or(SyncTicket::is_served);
        let is_lost = has_ended && self.roots.iter().any(|root| has_failed(root));
        !is_late && !is_lost
    }
}

/// The last deliveries that were handed on.
#[derive(Default)]
pub(super) struct Deliveries(Mutex<(HashMap<Hash, Delivery>, VecDeque<Hash>)>);

impl Deliveries {
    /// Whether a call at the time `now` repeats a delivery that has not failed.
    pub(super) fn is_repeated(
        &self,
        key: DeliveryKey,
        now: Instant,
        has_failed: impl Fn(&Path) -> bool,
    ) -> bool {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let delivery = known.0.get(&key.hash());
        delivery.is_some_and(|delivery| delivery.counts(now, has_failed))
    }

    /// Remembers a delivery that was handed on.
    pub(super) fn remember(&self, delivery: Delivery) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (all, order) = &mut *known;
        let id = delivery.key.hash();
        if all.insert(id, delivery).is_some() {
            return;
        }
        order.push_back(id);
        if order.len() > REMEMBERED
            && let Some(oldest) = order.pop_front()
        {
            all.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delivery(key: DeliveryKey, at: Instant) -> Delivery {
        Delivery {
            key,
            at,
            ticket: None,
            roots: vec![PathBuf::from("brain")],
        }
    }

    #[test]
    fn a_delivery_is_repeated_once_it_was_handed_on_and_unless_it_failed() {
        let (known, now) = (Deliveries::default(), Instant::now());
        let key = DeliveryKey::Id(Hash::of(b"a"));
        let is_repeated = |key| known.is_repeated(key, now, |_| false);
        assert!(!is_repeated(key));
        known.remember(delivery(key, now));
        assert!(is_repeated(key));
        assert!(!known.is_repeated(key, now, |root| root == Path::new("brain")));
        for number in 0..REMEMBERED {
            let key = DeliveryKey::Id(Hash::of(number.to_string().as_bytes()));
            known.remember(delivery(key, now));
            assert!(is_repeated(key));
        }
        assert!(!is_repeated(key), "only the last are remembered");
    }

    #[test]
    fn a_body_without_an_id_is_remembered_for_minutes() {
        let (known, now) = (Deliveries::default(), Instant::now());
        let id = DeliveryKey::Id(Hash::of(b"id"));
        let body = DeliveryKey::Body(Hash::of(b"body"));
        for key in [id, body] {
            known.remember(delivery(key, now));
            assert!(known.is_repeated(key, now + UNNAMED, |_| false));
        }
        let later = now + UNNAMED + Duration::from_secs(1);
        assert!(known.is_repeated(id, later, |_| false));
        assert!(!known.is_repeated(body, later, |_| false));
        known.remember(delivery(body, later));
        assert!(known.is_repeated(body, later, |_| false));
    }
}
