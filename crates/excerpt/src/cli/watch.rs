//! `excerpt sync --watch`: keeps an index up to date until it is stopped.

use std::ops::ControlFlow;

use anyhow::Context as _;
use excerpt_index::{Index, Stop, SyncReport, Watching};
use excerpt_service::{SyncObserver as _, Syncable};

use crate::cli::exit::Outcome;
use crate::cli::sync;
use crate::cli::told::index_error;
use crate::output::{Output, say};
use crate::progress::Bar;

/// Watches the files of a source. The first sync is reported as without a watch, and each one after
/// that on one line.
pub(crate) fn run(index: &mut Index, source: &Syncable, json: bool) -> anyhow::Result<Outcome> {
    let stop = Stop::new();
    let stopper = stop.clone();
    ctrlc::set_handler(move || stopper.stop()).context("cannot handle Ctrl-C")?;
    let mut bar = Some(Bar::new());
    let mut printed = Ok(());
    source.watch(index, &stop, |watching| {
        printed = match watching {
            Watching::Progress(progress) => {
                bar.iter_mut().for_each(|bar| bar.progress(progress));
                Ok(())
            }
            Watching::Synced(report) => match bar.take() {
                Some(mut bar) => {
                    bar.ended();
                    let mut output = Output::new();
                    let printed = sync::told(&mut output, &sync::name_of(source), &report, json)
                        .and_then(|()| Ok(output.flush()?));
                    say("watching for changes; press Ctrl-C to stop");
                    printed
                }
                None if is_quiet(&report) => Ok(()),
                None => line(&report, json),
            },
            Watching::Waiting(error) => note(&format!("waiting: {}", index_error(&error))),
            Watching::Polling(reason) => note(&format!("checking every few seconds: {reason}")),
            _ => Ok(()),
        };
        match printed {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    })?;
    printed?;
    Ok(Outcome::Done)
}

/// Whether a sync is not reported because it changed no document.
fn is_quiet(report: &SyncReport) -> bool {
    report.complete && report.added + report.changed + report.recut + report.removed == 0
}

fn line(report: &SyncReport, json: bool) -> anyhow::Result<()> {
    let mut output = Output::new();
    match json {
        true => output.json(report)?,
        false => output.line(sync::done(report))?,
    }
    Ok(output.flush()?)
}

fn note(text: &str) -> anyhow::Result<()> {
    say(&format!("note: {text}"));
    Ok(())
}
