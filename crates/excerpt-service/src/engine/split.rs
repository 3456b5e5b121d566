//! Splits texts for the clients of an [`Engine`]: a few at the same time, each within a time limit,
//! and none that nobody waits for.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::Semaphore;

use super::Engine;
use crate::error::ServiceError;

/// The most requests whose texts are split at the same time; the others wait.
pub(super) const SPLITS: usize = 2;

/// How long a request waits until its texts are split.
const LIMIT: Duration = Duration::from_secs(60);

/// A flag that is set when nobody waits for a result any longer: when this is dropped.
pub(super) struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    pub(super) fn new() -> (StopFlag, Arc<AtomicBool>) {
        let flag = Arc::new(AtomicBool::new(false));
        (StopFlag(Arc::clone(&flag)), flag)
    }
}

impl Drop for StopFlag {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Engine {
    /// Does `work`, which splits texts, in turn and on a thread for blocking work. The flag that it
    /// receives is set once nobody waits for the result: it must then end soon.
    ///
    /// # Errors
    ///
    /// Those of `work`, and [`ServiceError::NotSplitInTime`].
    pub async fn split<T, E>(
        &self,
        work: impl FnOnce(&AtomicBool) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<ServiceError> + Send + 'static,
    {
        run(Arc::clone(&self.splits), LIMIT, work).await
    }
}

async fn run<T, E>(
    turns: Arc<Semaphore>,
    limit: Duration,
    work: impl FnOnce(&AtomicBool) -> Result<T, E> + Send + 'static,
) -> Result<T, E>
where
    T: Send + 'static,
    E: From<ServiceError> + Send + 'static,
{
    let (_waits, stop) = StopFlag::new();
    let done = async move {
        let turn = turns.acquire_owned().await;
        // The turn ends with the work, also if nobody waits for it any longer.
        let work = move || {
            let _turn = turn;
            work(&stop)
        };
        tokio::task::spawn_blocking(work).await
    };
    match tokio::time::timeout(limit, done).await {
        Ok(Ok(done)) => done,
        Ok(Err(error)) => Err(ServiceError::NoAnswer(error).into()),
        Err(_) => {
            let seconds = limit.as_secs();
            Err(ServiceError::NotSplitInTime { seconds }.into())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use excerpt_chunk::Settings;
    use excerpt_index::{Encoding, FileText};

    use super::*;
    use crate::chunk::TextToSplit;

    #[test]
    fn what_nobody_waits_for_is_stopped_and_ends_its_turn() {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_time().build().unwrap();
        let turns = Arc::new(Semaphore::new(1));
        let text = TextToSplit {
            path: None,
            file: FileText::plain("A text.".to_string(), Encoding::default()),
            settings: Settings::default(),
        };
        let (stopped, told) = channel();
        let endless = move |stop: &AtomicBool| {
            while !stop.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
            let split = text.split(stop, |chunking| chunking.chunks.len());
            let is_stopped = matches!(split, Err(ServiceError::Cancelled));
            stopped.send(is_stopped).unwrap();
            split
        };
        let short = Duration::from_millis(1);
        let late = runtime.block_on(run(Arc::clone(&turns), short, endless));
        assert!(matches!(late, Err(ServiceError::NotSplitInTime { .. })));
        // If the limit was over before its turn, it never began.
        assert!(matches!(told.recv(), Ok(true) | Err(_)));
        let next = |_: &AtomicBool| Ok::<_, ServiceError>(7);
        assert_eq!(runtime.block_on(run(turns, LIMIT, next)).unwrap(), 7);
    }
}
