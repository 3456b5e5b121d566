//! Which connections give way when there are too many: those that have not yet shown a token.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

/// The connections on which no request with a token has arrived, in the order in which they came.
#[derive(Default)]
pub(super) struct Newcomers(Mutex<Arrivals>);

#[derive(Default)]
struct Arrivals {
    count: u64,
    waiting: BTreeMap<u64, CancellationToken>,
}

impl Newcomers {
    /// Adds a connection that has just been opened.
    pub(super) fn add(self: &Arc<Self>) -> Newcomer {
        let dismissed = CancellationToken::new();
        let mut arrivals = self.arrivals();
        let number = arrivals.count;
        arrivals.count += 1;
        arrivals.waiting.insert(number, dismissed.clone());
        Newcomer(Arc::new(Place {
            newcomers: Arc::clone(self),
            number,
            dismissed,
        }))
    }

    /// Ends the connection that has been one for the longest time, if there are any. Someone who
    /// opens many connections ends their own ones first, and a client whose connection is new has
    /// the time to send its request.
    pub(super) fn dismiss_one(&self) {
        if let Some((_, dismissed)) = self.arrivals().waiting.pop_first() {
            dismissed.cancel();
        }
    }

    fn arrivals(&self) -> MutexGuard<'_, Arrivals> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection, as its requests see it.
#[derive(Clone)]
pub(super) struct Newcomer(Arc<Place>);

struct Place {
    newcomers: Arc<Newcomers>,
    number: u64,
    dismissed: CancellationToken,
}

impl Newcomer {
    /// Records that a request with a token has arrived: the connection is kept from now on.
    pub(super) fn is_admitted(&self) {
        self.0.leave();
    }

    /// Waits until the connection has to give way.
    pub(super) async fn dismissed(&self) {
        self.0.dismissed.cancelled().await;
    }
}

impl Place {
    fn leave(&self) {
        self.newcomers.arrivals().waiting.remove(&self.number);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.leave();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_without_a_token_gives_way() {
        let newcomers = Arc::new(Newcomers::default());
        let places: Vec<Newcomer> = (0..4).map(|_| newcomers.add()).collect();
        places[0].is_admitted();
        let mut places = places;
        drop(places.remove(1));
        newcomers.dismiss_one();
        let dismissed = |place: &Newcomer| place.0.dismissed.is_cancelled();
        assert_eq!(
            places.iter().map(dismissed).collect::<Vec<_>>(),
            [false, true, false]
        );
        newcomers.dismiss_one();
        newcomers.dismiss_one();
        assert!(!dismissed(&places[0]) && dismissed(&places[2]));
        assert!(newcomers.arrivals().waiting.is_empty());
    }
}
