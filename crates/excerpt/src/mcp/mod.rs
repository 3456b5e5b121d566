//! The MCP server: the index as tools and resources for an agent. `server.rs` is a value that any
//! transport can carry; `stdio.rs` runs it over standard input and output, and
//! [`http`](crate::http) over HTTP.
//!
//! `arguments.rs` reads the arguments of a call. The service answers it within the scope of the
//! server, from the current state of an index, and a check for changes starts after the answer.

mod add;
mod annotations;
mod arguments;
mod chunk;
mod content;
mod fence;
mod get;
mod instructions;
mod line;
mod links;
mod list;
mod messages;
mod names;
mod note;
mod passage;
mod reply;
mod resources;
mod search;
mod server;
mod shared;
mod stdio;
mod waiting;

pub(crate) use line::MESSAGE_LIMIT;
pub(crate) use server::Server;
pub(crate) use shared::Rights;
pub(crate) use stdio::run;
