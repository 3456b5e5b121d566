//! A progress bar on standard error, where that is a terminal; nothing elsewhere.

use std::io::IsTerminal;

use excerpt_index::{Progress, Stage};
use indicatif::{ProgressBar, ProgressStyle};

/// The bar of one sync.
pub(crate) struct Bar {
    bar: ProgressBar,
}

impl Bar {
    /// A bar that shows once there is something to show.
    pub(crate) fn new() -> Self {
        let bar = match std::io::stderr().is_terminal() {
            true => ProgressBar::new(0),
            false => ProgressBar::hidden(),
        };
        if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {human_pos} of {human_len}") {
            bar.set_style(style);
        }
        Bar { bar }
    }

    /// Shows how far the sync is.
    pub(crate) fn show(&self, progress: Progress) {
        let stage = match progress.stage {
            Stage::List => "listing files",
            Stage::Cut => "cutting",
            Stage::Keywords => "writing keywords",
            _ => "syncing",
        };
        self.bar.set_message(stage);
        self.bar.set_length(progress.total as u64);
        self.bar.set_position(progress.done as u64);
    }

    /// Takes the bar away.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}
