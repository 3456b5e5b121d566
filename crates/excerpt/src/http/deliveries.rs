//! The calls of hooks that were accepted, so that one that is repeated does nothing.

use std::collections::{HashSet, VecDeque};
use std::sync::{Mutex, PoisonError};

use excerpt_chunk::Hash;

/// How many deliveries are remembered.
const REMEMBERED: usize = 10_000;

/// The last deliveries, so that a call that is repeated does nothing.
#[derive(Default)]
pub(super) struct Deliveries(Mutex<(HashSet<Hash>, VecDeque<Hash>)>);

impl Deliveries {
    /// Whether a delivery is new.
    pub(super) fn is_new(&self, id: Hash) -> bool {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (all, order) = &mut *known;
        if !all.insert(id) {
            return false;
        }
        order.push_back(id);
        if order.len() > REMEMBERED
            && let Some(oldest) = order.pop_front()
        {
            all.remove(&oldest);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delivery_is_new_once() {
        let known = Deliveries::default();
        assert!(known.is_new(Hash::of(b"a")));
        assert!(!known.is_new(Hash::of(b"a")));
        for number in 0..REMEMBERED {
            assert!(known.is_new(Hash::of(number.to_string().as_bytes())));
        }
        assert!(known.is_new(Hash::of(b"a")), "only the last are remembered");
    }
}
