//! Access to the files of the keyword index: tantivy trusts what it reads and may panic on damaged
//! files. Every call goes through [`guarded`], which turns a panic into an error, like all other
//! damage.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::thread;

use tantivy::TantivyError;

use crate::store::StoreError;

/// The prefix of the names of tantivy's own threads. A panic there is returned as an error.
const THREADS: [&str; 3] = ["thrd-tantivy", "merge_thread", "segment_updater"];

thread_local! {
    /// Whether this thread is inside [`guarded`].
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Runs a call into tantivy, with a panic turned into an error.
pub(super) fn guarded<T>(work: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
    let outer = GUARDED.replace(true);
    // The caller that gets the error discards partial changes: it reopens or rebuilds the keyword
    // index.
    let done = catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(outer);
    done.unwrap_or_else(|_| {
        let error = TantivyError::InternalError("a damaged file ended the work".to_string());
        Err(error.into())
    })
}

/// Suppresses the messages of panics over damaged files, which are caught and repaired; all others
/// are printed as before. Call it once, at the start of a program: it changes what the whole
/// process does when a thread panics.
pub fn silence_recovered_panics() {
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let thread = thread::current();
        let name = thread.name().unwrap_or_default();
        let is_repaired = GUARDED.get() || THREADS.iter().any(|begin| name.starts_with(begin));
        if !is_repaired {
            before(info);
        }
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error() {
        let done: Result<(), StoreError> = guarded(|| panic!("out of bounds"));
        assert!(matches!(done, Err(StoreError::Derived { .. })));
        assert!(!GUARDED.get());
        assert_eq!(guarded(|| Ok(7)).unwrap(), 7);
    }
}
