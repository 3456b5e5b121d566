//! Work with a time limit: [`run`] does it on another thread, waits until the limit, and then
//! signals it to stop.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// How often a caller checks whether it still wants the result.
const TURN: Duration = Duration::from_millis(10);

/// How long a caller waits for work that it has stopped.
const GRACE: Duration = Duration::from_millis(100);

type Job = Box<dyn FnOnce() + Send>;

thread_local! {
    /// The worker of this thread. It is reused from one call to the next, together with what it has
    /// allocated.
    static WORKER: RefCell<Option<Sender<Job>>> = const { RefCell::new(None) };
}

/// Why there is no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lost {
    /// The work took longer than its limit.
    Late,
    /// The caller no longer wants the result.
    Cancelled,
    /// The work panicked, or the system refused a thread.
    Failed,
}

/// The result of `work`, unless it takes longer than `limit` or `cancelled` is set first.
///
/// `work` receives a flag that is set when nobody waits for it any more. It must check the flag
/// often enough to end soon: a thread cannot be killed.
pub(crate) fn run<T: Send + 'static>(
    limit: Duration,
    cancelled: &AtomicBool,
    work: impl FnOnce(&AtomicBool) -> T + Send + 'static,
) -> Result<T, Lost> {
    let stop = Arc::new(AtomicBool::new(false));
    let (send, receive) = sync_channel(1);
    let job: Job = Box::new({
        let stop = Arc::clone(&stop);
        move || {
            // Nobody receives a late result.
            let _ = send.send(work(&stop));
        }
    });
    let worker = WORKER.take().map_or_else(spawn, Ok);
    let worker = worker.map_err(|_| Lost::Failed)?;
    worker.send(job).map_err(|_| Lost::Failed)?;
    let begun = Instant::now();
    let lost = loop {
        let left = limit.saturating_sub(begun.elapsed());
        match receive.recv_timeout(left.min(TURN)) {
            Ok(result) => {
                WORKER.set(Some(worker));
                return Ok(result);
            }
            Err(RecvTimeoutError::Disconnected) => return Err(Lost::Failed),
            Err(RecvTimeoutError::Timeout) if cancelled.load(Ordering::Relaxed) => {
                break Lost::Cancelled;
            }
            Err(RecvTimeoutError::Timeout) if left <= TURN => break Lost::Late,
            Err(RecvTimeoutError::Timeout) => {}
        }
    };
    stop.store(true, Ordering::Relaxed);
    // What the work has started, such as a program, ends with it.
    let _ = receive.recv_timeout(GRACE);
    Err(lost)
}

fn spawn() -> std::io::Result<Sender<Job>> {
    let (send, jobs) = channel::<Job>();
    let work = move || jobs.into_iter().for_each(|job| job());
    thread::Builder::new().name("cut".into()).spawn(work)?;
    Ok(send)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(60);
    static WANTED: AtomicBool = AtomicBool::new(false);

    #[test]
    fn work_in_time_is_done_on_one_thread_after_the_other() {
        let id = |_: &AtomicBool| thread::current().id();
        let first = run(LONG, &WANTED, id).unwrap();
        assert_ne!(first, thread::current().id());
        assert_eq!(run(LONG, &WANTED, id), Ok(first));
    }

    #[test]
    fn late_or_failed_work_is_lost_and_the_next_is_done() {
        let (end, ended) = channel::<()>();
        let endless = run(Duration::from_millis(1), &WANTED, move |_| {
            ended.recv().is_ok()
        });
        assert_eq!(endless, Err(Lost::Late));
        assert_eq!(run(LONG, &WANTED, |_| 7), Ok(7));
        let failed = run(LONG, &WANTED, |_| panic!("a fault of ours"));
        assert_eq!(failed, Err::<(), _>(Lost::Failed));
        assert_eq!(run(LONG, &WANTED, |_| 8), Ok(8));
        drop(end);
    }

    #[test]
    fn work_that_nobody_waits_for_is_told_to_stop() {
        let (stopped, heard) = channel();
        let until_stopped = move |stop: &AtomicBool| {
            while !stop.load(Ordering::Relaxed) {
                thread::yield_now();
            }
            stopped.send(()).unwrap();
        };
        let lost = run(LONG, &AtomicBool::new(true), until_stopped);
        assert_eq!(lost, Err(Lost::Cancelled));
        assert_eq!(heard.recv(), Ok(()));
    }
}
