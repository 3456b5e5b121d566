//! A progress bar on standard error, if that is a terminal.

use std::io::IsTerminal;

use excerpt_index::{Progress, Stage};
use excerpt_service::SyncObserver;
use indicatif::{ProgressBar, ProgressStyle};

/// The templates before and after the total is known.
const COUNTING: &str = "{spinner} {msg}";
const COUNTED: &str = "{msg} {wide_bar} {human_pos} of {human_len}";

/// The bar of a sync.
pub(crate) struct Bar {
    bar: ProgressBar,
}

impl Bar {
    /// A bar that shows once there is something to show.
    pub(crate) fn new() -> Self {
        Bar {
            bar: match std::io::stderr().is_terminal() {
                true => ProgressBar::new_spinner(),
                false => ProgressBar::hidden(),
            },
        }
    }
}

/// Each sync has a bar of its own.
impl SyncObserver for Bar {
    fn progress(&mut self, progress: Progress) {
        let template = if progress.total == 0 {
            COUNTING
        } else {
            COUNTED
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.bar.set_style(style);
        }
        self.bar.set_message(match progress.stage {
            Stage::List => "listing files",
            Stage::Cut => "splitting documents",
            Stage::Keywords => "writing keywords",
            Stage::Vectors => "computing vectors",
            Stage::Merge => "merging keywords",
            _ => "syncing",
        });
        self.bar.update(|state| {
            state.set_len(progress.total as u64);
            state.set_pos(progress.done as u64);
        });
    }

    fn ended(&mut self) {
        self.bar.finish_and_clear();
        *self = Bar::new();
    }
}
