//! Waiting for work that ought to be done in no time, and for so long only.

use std::cell::RefCell;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel, sync_channel};
use std::thread;
use std::time::Duration;

type Job = Box<dyn FnOnce() + Send>;

thread_local! {
    /// The thread that works for this one. It is kept from one piece of work to the next, with what it has made ready.
    static HELPER: RefCell<Option<Sender<Job>>> = const { RefCell::new(None) };
}

/// Why there is no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lost {
    /// The work did not end in time.
    Late,
    /// The work panicked.
    Failed,
}

/// What `work` gives, done on another thread, if that takes no longer than `limit`.
///
/// A thread cannot be ended from outside: one that does not come back is left alone, and goes with the process. Whoever waits goes on with another one.
pub(crate) fn wait_for<T: Send + 'static>(
    limit: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Lost> {
    let (give, given) = sync_channel(1);
    let job: Job = Box::new(move || {
        // Nobody waits any more for what comes late.
        let _ = give.send(work());
    });
    let helper = HELPER.take().map_or_else(helper, Ok);
    let helper = helper.map_err(|_| Lost::Failed)?;
    helper.send(job).map_err(|_| Lost::Failed)?;
    match given.recv_timeout(limit) {
        Ok(result) => {
            HELPER.set(Some(helper));
            Ok(result)
        }
        Err(RecvTimeoutError::Timeout) => Err(Lost::Late),
        Err(RecvTimeoutError::Disconnected) => Err(Lost::Failed),
    }
}

fn helper() -> std::io::Result<Sender<Job>> {
    let (give, jobs) = channel::<Job>();
    let work = move || jobs.into_iter().for_each(|job| job());
    thread::Builder::new().name("cut".into()).spawn(work)?;
    Ok(give)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn work_in_time_is_done_on_one_thread_after_the_other() {
        let name = || thread::current().id();
        let first = wait_for(LONG, name).unwrap();
        assert_ne!(first, thread::current().id());
        assert_eq!(wait_for(LONG, name), Ok(first));
    }

    #[test]
    fn who_waits_goes_on_without_what_is_late_or_fails() {
        let (end, ended) = channel::<()>();
        let endless = wait_for(Duration::from_millis(1), move || ended.recv().is_ok());
        assert_eq!(endless, Err(Lost::Late));
        assert_eq!(wait_for(LONG, || 7), Ok(7));
        let failed = wait_for(LONG, || panic!("a fault of ours"));
        assert_eq!(failed, Err::<(), _>(Lost::Failed));
        assert_eq!(wait_for(LONG, || 8), Ok(8));
        drop(end);
    }
}
