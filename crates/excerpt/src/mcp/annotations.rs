//! What a client may know of a tool before it calls it.

use rmcp::model::ToolAnnotations;

/// The annotations of a tool that only reads.
pub(super) fn reads() -> ToolAnnotations {
    ToolAnnotations::new()
        .read_only(true)
        .destructive(false)
        .idempotent(true)
        .open_world(false)
}

/// The annotations of a tool that writes.
pub(super) fn writes() -> ToolAnnotations {
    ToolAnnotations::new()
        .read_only(false)
        .destructive(false)
        .idempotent(false)
        .open_world(false)
}
