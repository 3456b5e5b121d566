//! What every face of excerpt does: typed requests and replies, the configuration, who may see
//! what, and indexes that are held open.
//!
//! A face parses its request, calls the service and renders the reply; the service knows no command
//! line, no protocol and no terminal. A user's request works on an [`IndexTarget`], which comes
//! from a path or from collections, with the [`Configuration`] of its files. An agent's request
//! works within a [`Scope`], which is fixed when its server starts, on the indexes of an
//! [`Engine`].

#![forbid(unsafe_code)]

mod addition;
mod changed;
mod config;
mod contents;
mod engine;
mod error;
mod not_indexed;
mod scope;
mod target;
pub mod text;
mod update;

pub use addition::{Addition, DocumentType, check_secrets};
pub use changed::Changed;
pub use config::names as other_names;
pub use config::{
    Configuration, Embedding, EmbeddingChoice, Owner, ReadFile, chunking_around, own_path, said,
};
pub use contents::Contents;
pub use engine::{CheckEnd, Engine, EngineWriter, Unanswered, WriterProgress};
pub use error::{ServiceError, ServiceResult};
pub use not_indexed::{check_file, not_indexed};
pub use scope::{Scope, ScopeBounds, VisibleSource, configured, plain_path};
pub use target::{
    CollectionChoice, Fragment, INDEX_VARIABLE, IndexChoice, IndexTarget, Paths, Syncable,
    absolute, in_collection, is_id, parsed,
};
pub use update::{
    Lag, Opened, SyncMode, SyncObserver, TimeBudget, Update, opened, patiently, sync,
};
