//! Work on the files of the keyword index: tantivy believes what it reads, and may panic over what is damaged. Every way into it leads through
//! [`guarded`], which makes an error of that, as of all other damage.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::thread;

use tantivy::TantivyError;

use super::fault::Fault;

/// How the names of tantivy's own threads begin. What panics there comes back as an error.
const THREADS: [&str; 3] = ["thrd-tantivy", "merge_thread", "segment_updater"];

thread_local! {
    /// Whether this thread is inside [`guarded`].
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Does some work of tantivy's, with a panic turned into an error.
pub(super) fn guarded<T>(work: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
    let outer = GUARDED.replace(true);
    // What the work has changed in part is thrown away by whoever gets the error: the keyword index is opened or made again.
    let done = catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(outer);
    done.unwrap_or_else(|_| {
        let error = TantivyError::InternalError("a damaged file ended the work".to_string());
        Err(Fault::Keywords(error))
    })
}

/// Keeps panics over damaged files, which are caught and mended, from being printed; all others are told as before. To be called once, where a
/// program begins: it changes what the whole process does when a thread panics.
pub fn hush_mended_panics() {
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let thread = thread::current();
        let name = thread.name().unwrap_or_default();
        let is_mended = GUARDED.get() || THREADS.iter().any(|begin| name.starts_with(begin));
        if !is_mended {
            before(info);
        }
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error() {
        let done: Result<(), Fault> = guarded(|| panic!("out of bounds"));
        assert!(matches!(done, Err(Fault::Keywords(_))));
        assert!(!GUARDED.get());
        assert_eq!(guarded(|| Ok(7)).unwrap(), 7);
    }
}
