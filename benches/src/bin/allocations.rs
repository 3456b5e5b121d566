//! Measures: allocations and allocated bytes while Markdown is split, per megabyte of text and per
//! chunk.
//!
//! Corpus: as `speed`. Nothing is random, so one round is enough.
//!
//! Command: `cargo run --release --bin allocations /tmp/list`

use std::alloc::System;

use excerpt_benches::{chunker, files};
use excerpt_chunk::Document;
use serde_json::json;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn main() {
    let files = files();
    let chunker = chunker();
    let (mut bytes, mut chunks, mut allocations, mut allocated) = (0, 0, 0, 0);
    for (path, text) in &files {
        let region = Region::new(ALLOCATOR);
        let chunking = chunker.chunk(&Document::new(text).with_path(path.to_str().unwrap_or("")));
        let change = region.change();
        bytes += text.len();
        chunks += chunking.chunks.len();
        allocations += change.allocations + change.reallocations;
        allocated += change.bytes_allocated;
    }
    let line = json!({
        "files": files.len(),
        "megabytes": bytes as f64 / 1e6,
        "allocations": allocations,
        "allocations_per_chunk": (allocations as f64 / chunks as f64 * 10.0).round() / 10.0,
        "bytes_allocated_per_byte_of_text": (allocated as f64 / bytes as f64 * 10.0).round() / 10.0,
    });
    println!("{line}");
}
