//! The tests of the command line: the real binary, in folders of its own.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod background;
mod bad_input;
mod chunk;
mod clones;
mod collections;
mod configuration;
mod crowd;
mod doctor;
mod documents;
mod endpoint;
mod eval;
mod fixture;
mod full_disk;
mod interrupted;
mod many_files;
mod mcp;
mod mcp_bounds;
mod mcp_client;
mod mcp_content;
mod mcp_hostile;
mod mcp_keeping;
mod mcp_room;
mod mcp_scope;
mod mcp_writing;
mod preview;
mod reading;
mod search;
#[cfg(unix)]
mod unreadable;
mod watch;
