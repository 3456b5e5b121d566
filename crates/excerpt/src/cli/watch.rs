//! `excerpt sync --watch`: keeps an index up to date until it is stopped.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use excerpt_index::{Error, Stop, SyncReport, Watching};
use excerpt_service::{IndexTarget, SyncObserver as _};

use crate::cli::exit::Outcome;
use crate::cli::messages::index_error_of;
use crate::cli::sync;
use crate::output::{Output, say};
use crate::progress::Bar;

/// How long after Ctrl-C a watch may take to end.
const PATIENCE: Duration = Duration::from_secs(3);

/// Watches the sources of a target. The first sync of each is reported as without a watch, and each
/// one after that on one line.
pub(crate) fn run(target: &IndexTarget, json: bool) -> anyhow::Result<Outcome> {
    let stop = Stop::new();
    let stopper = stop.clone();
    let ends = move || {
        stopper.stop();
        // A request to a server that does not answer is given up. What was not done is done by the
        // next sync, as after any end of a process.
        std::thread::spawn(|| {
            std::thread::sleep(PATIENCE);
            std::process::exit(0);
        });
    };
    ctrlc::set_handler(ends).context("cannot handle Ctrl-C")?;
    let has_several = target.sources.len() > 1;
    // The progress of several at once is not shown.
    let mut bar = (!has_several).then(Bar::new);
    let mut reported: Vec<PathBuf> = Vec::new();
    let mut printed = Ok(());
    target.watch(&stop, |source, watching| {
        if printed.is_err() {
            return ControlFlow::Break(());
        }
        let name = sync::name_of(source);
        let collection = sync::collection_of(source);
        let about = |text: String| match has_several {
            true => format!("{name}: {text}"),
            false => text,
        };
        printed = match watching {
            Watching::Progress(progress) => {
                bar.iter_mut().for_each(|bar| bar.progress(progress));
                Ok(())
            }
            Watching::Synced(report) if !reported.contains(&source.root) => {
                bar.take().iter_mut().for_each(Bar::ended);
                reported.push(source.root.clone());
                let mut output = Output::new();
                let printed = sync::print_report(&mut output, (&name, collection), &report, json)
                    .and_then(|()| Ok(output.flush()?));
                if reported.len() == target.sources.len() {
                    say("watching for changes; press Ctrl-C to stop");
                }
                printed
            }
            Watching::Synced(report) if is_quiet(&report) => Ok(()),
            Watching::Synced(report) => line(&report, json, about),
            Watching::Waiting(error @ Error::Locked { .. }) => {
                note(&about(format!("waiting: {error}")))
            }
            Watching::Waiting(error) => {
                let error = index_error_of(&error, collection);
                note(&about(format!("waiting: {error}")))
            }
            Watching::Polling(reason) => {
                note(&about(format!("checking every few seconds: {reason}")))
            }
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

fn line(
    report: &SyncReport,
    json: bool,
    about: impl FnOnce(String) -> String,
) -> anyhow::Result<()> {
    let mut output = Output::new();
    match json {
        true => output.json(report)?,
        false => output.line(output.safe(&about(sync::done(report))))?,
    }
    Ok(output.flush()?)
}

fn note(text: &str) -> anyhow::Result<()> {
    say(&format!("note: {text}"));
    Ok(())
}
