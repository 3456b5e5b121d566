//! The tests of the command line: the real binary, in temporary folders.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[cfg(target_os = "linux")]
mod attacks;
mod background;
mod bad_input;
mod chunk;
mod clones;
mod collections;
mod configuration;
mod copies;
mod crowd;
mod doctor;
mod documents;
mod endpoint;
mod eval;
mod fixture;
mod floors;
mod full_disk;
#[cfg(unix)]
mod hostile_files;
mod indexes;
mod interrupted;
mod many_files;
mod mcp;
mod mcp_bounds;
mod mcp_client;
mod mcp_content;
mod mcp_cost;
#[cfg(unix)]
mod mcp_forgery;
mod mcp_hostile;
mod mcp_keeping;
mod mcp_room;
mod mcp_scope;
#[cfg(unix)]
mod mcp_terminal;
mod mcp_writing;
mod nothing;
mod objects;
#[path = "../../../excerpt-index/tests/index/own_code.rs"]
mod own_code;
mod passages;
mod preview;
#[cfg(unix)]
mod private;
#[cfg(unix)]
mod read_only;
mod reading;
mod remotes;
mod search;
mod secrets;
mod serve;
mod serve_access;
mod serve_client;
mod serve_hooks;
mod serve_hostile;
mod serve_tls;
#[cfg(unix)]
mod terminal;
#[cfg(unix)]
mod unreadable;
mod watch;
