//! A progress bar on standard error, if that is a terminal.

use std::io::IsTerminal;

use excerpt_index::{ActiveWriter, Progress, Stage};
use excerpt_service::SyncObserver;
use excerpt_service::text::{counted, thousands};
use indicatif::{ProgressBar, ProgressStyle};

use crate::output::say;

/// The templates before and after the total is known.
const COUNTING: &str = "{spinner} {msg}";
const COUNTED: &str = "{msg} {wide_bar} {human_pos} of {human_len}";

/// The bar of a sync.
pub(crate) struct Bar {
    bar: ProgressBar,
    /// Whether a sync waits for another process, however long that takes.
    is_patient: bool,
    /// Whether that was said.
    has_said: bool,
}

impl Bar {
    /// A bar that shows once there is something to show.
    pub(crate) fn new() -> Self {
        Bar {
            bar: match std::io::stderr().is_terminal() {
                true => ProgressBar::new_spinner(),
                false => ProgressBar::hidden(),
            },
            is_patient: false,
            has_said: false,
        }
    }

    /// Shows how much of `total` is done; only what is being done if that is 0.
    fn show(&self, doing: &'static str, done: usize, total: usize) {
        let template = if total == 0 { COUNTING } else { COUNTED };
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.bar.set_style(style);
        }
        self.bar.set_message(doing);
        self.bar.update(|state| {
            state.set_len(total as u64);
            state.set_pos(done as u64);
        });
    }

    /// A bar of a sync that waits until no other process writes the index.
    pub(crate) fn patient() -> Self {
        Bar {
            is_patient: true,
            ..Bar::new()
        }
    }
}

/// Each sync has a bar of its own.
impl SyncObserver for Bar {
    fn progress(&mut self, progress: Progress) {
        let stage = match progress.stage {
            Stage::List => "listing files",
            Stage::Cut => "splitting documents",
            Stage::Keywords => "writing keywords",
            Stage::Vectors => "computing vectors",
            Stage::Merge => "merging keywords",
            _ => "syncing",
        };
        self.show(stage, progress.done, progress.total);
    }

    fn ended(&mut self) {
        self.bar.finish_and_clear();
        *self = Bar {
            is_patient: self.is_patient,
            has_said: self.has_said,
            ..Bar::new()
        };
    }

    fn waits_for(&mut self, writer: &ActiveWriter) -> bool {
        if self.is_patient && !std::mem::replace(&mut self.has_said, true) {
            let so_far = writer.progress.map(|so_far| {
                let indexed = thousands(so_far.indexed);
                format!(": {indexed} of {} so far", counted(so_far.listed, "file"))
            });
            say(&format!(
                "note: another process is indexing{}; waiting until it has finished",
                so_far.unwrap_or_default()
            ));
        }
        if let (true, Some(so_far)) = (self.is_patient, writer.progress) {
            self.show("waiting for another process", so_far.indexed, so_far.listed);
        }
        self.is_patient
    }
}
