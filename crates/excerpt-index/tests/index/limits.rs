//! Documents that are too expensive to split.

use std::time::Duration;

use excerpt_index::{Limits, SkipReason};

use crate::fixture::{World, paths};

fn limits(chunks: usize, time: Duration) -> Limits {
    let mut limits = Limits::default();
    (limits.chunks, limits.time) = (chunks, time);
    limits
}

#[test]
fn a_document_of_too_many_chunks_is_skipped_until_it_has_fewer() {
    let mut world = World::new()
        .file("long.md", "Green tea wants water.\n\n".repeat(2_000))
        .file("short.md", "# Tea\n\nGreen tea.\n");
    world.options.limits = limits(5, Duration::from_secs(60));
    let report = world.sync();
    assert_eq!(
        (report.added, report.skipped[&SkipReason::TooManyChunks]),
        (1, 1)
    );
    let skips = world.open().skips(&world.root()).unwrap();
    let detail = skips[0].detail.as_deref().unwrap();
    assert!(detail.ends_with(" chunks, the limit is 5"), "{detail}");
    assert_eq!(paths(&world.search("green")), ["short.md"]);
    // The limit has changed.
    world.options.limits = Limits::default();
    assert_eq!(world.sync().added, 1);
    world.assert_like_fresh();
}

#[test]
fn a_document_that_takes_too_long_is_quarantined_until_it_changes_or_a_retry() {
    // Larger than what is split in no time.
    let long = "Green tea wants water of 80 degrees, and patience.\n\n".repeat(20_000);
    let mut world = World::new().file("long.md", &long);
    world.options.limits = limits(50_000, Duration::ZERO);
    let report = world.sync();
    assert_eq!(
        (report.added, report.skipped[&SkipReason::Quarantined]),
        (0, 1)
    );
    let skips = world.open().skips(&world.root()).unwrap();
    let detail = skips[0].detail.as_deref();
    assert_eq!(detail, Some("splitting it took more than 0 seconds"));

    world.options.limits = Limits::default();
    let report = world.sync();
    assert_eq!(
        (report.read, report.skipped[&SkipReason::Quarantined]),
        (0, 1)
    );
    world.options.retry = true;
    assert_eq!(world.sync().added, 1);
    world.options.retry = false;
    world.assert_like_fresh();

    // Its previous state is removed as well, since it is out of date.
    world.write("long.md", long.replace("Green", "Black"));
    world.options.limits.time = Duration::ZERO;
    assert_eq!(world.sync().removed, 1);
    world.write("long.md", "# Short\n\nBlack tea.\n");
    world.options.limits = Limits::default();
    assert_eq!(world.sync().added, 1);
    assert_eq!(paths(&world.search("black")), ["long.md"]);
}
