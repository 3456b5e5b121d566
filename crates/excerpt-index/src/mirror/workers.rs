//! Work at a destination, for several paths at a time: [`each`].

use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::sync::{Arc, Mutex};

/// For how many paths something is done at a time. As many texts are held in memory, and as many
/// again wait for their turn.
const WORKERS: usize = 16;

/// Does each job in one of several threads, and calls `done` with what has come of it. No more jobs
/// are begun after an error of the jobs themselves, or when `done` says so.
pub(super) fn each<J: Send, D: Send, E>(
    jobs: impl Iterator<Item = Result<J, E>>,
    work: &(impl Fn(J) -> D + Sync),
    mut done: impl FnMut(D) -> ControlFlow<()>,
) -> Result<(), E> {
    let (give, taken) = sync_channel::<J>(WORKERS);
    let (send, results) = channel();
    // Only the threads have it, so that nothing waits for them when they have ended.
    let taken = Arc::new(Mutex::new(taken));
    let most = jobs.size_hint().1.unwrap_or(WORKERS);
    std::thread::scope(|scope| {
        for _ in 0..most.min(WORKERS) {
            let (taken, send) = (Arc::clone(&taken), send.clone());
            scope.spawn(move || take_jobs(&taken, &send, work));
        }
        drop((taken, send));
        let mut given = Ok(());
        for job in jobs {
            let job = match job {
                Ok(job) => job,
                Err(error) => {
                    given = Err(error);
                    break;
                }
            };
            let is_given = give.send(job).is_ok();
            if !is_given || results.try_iter().any(|result| done(result).is_break()) {
                break;
            }
        }
        drop(give);
        for result in results {
            let _ = done(result);
        }
        given
    })
}

/// Does jobs until there are no more.
fn take_jobs<J, D>(jobs: &Mutex<Receiver<J>>, done: &Sender<D>, work: &impl Fn(J) -> D) {
    loop {
        let job = jobs.lock().map(|jobs| jobs.recv());
        let Ok(Ok(job)) = job else {
            return;
        };
        if done.send(work(job)).is_err() {
            return;
        }
    }
}
