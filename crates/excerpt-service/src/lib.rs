//! What every face of excerpt does: typed requests and replies, the configuration, who may see
//! what, and indexes that are held open.
//!
//! A face parses its request, calls the service and renders the reply; the service knows no command
//! line, no protocol and no terminal. A user's request works on an [`IndexTarget`], which comes
//! from a path or from collections, with the [`Configuration`] of its files. An agent's request
//! works within a [`Scope`], which is fixed when its server starts, on the indexes of an
//! [`Engine`].

#![forbid(unsafe_code)]

pub mod access;
mod add;
mod addition;
mod brief;
mod changed;
mod check_file;
mod chunk;
mod config;
mod contents;
mod doctor;
mod engine;
mod error;
mod evaluation;
mod folder;
mod get;
mod hit;
mod list;
mod mirror;
mod named_files;
mod note;
mod overview;
mod rebuild;
mod remote;
mod remove;
mod scope;
mod search;
mod status;
mod target;
pub mod text;
mod update;
mod visible;
mod watch;

pub use add::{
    AddInput, AddPreview, AddReply, AddRequest, EditRequest, PreparedAddition, PreviewedDocument,
};
pub use addition::{Addition, DocumentType, check_secrets};
pub use brief::{BriefDocument, BriefHit, HitCost, Truncated, fit};
pub use changed::Changed;
pub use chunk::{ChunkRequest, TextToSplit};
pub use config::names as other_names;
pub use config::{
    Configuration, Embedding, EmbeddingChoice, Owner, ReadFile, Reranking, chunking_around,
    own_path, said,
};
pub use contents::Contents;
pub use doctor::{Diagnosis, EmbedderReport, IndexReport, Problem, diagnose};
pub use engine::{
    CheckEnd, Engine, EngineWriter, ServedLag, SourceEnd, SyncTicket, Unanswered, WriterProgress,
    far,
};
pub use error::{ServiceError, ServiceResult};
pub use evaluation::{EvalRequest, mine};
pub use get::{DocumentPart, GetItem, GetRequest, ReadDocument, TargetReader};
pub use hit::{
    DocumentHit, HitContext, HitCopy, HitDocument, SearchHit, ShowPaths, SplitDocument, citation,
    citation_of_copy, shown_count, web_page,
};
pub use list::{
    ListKind, ListReply, ListRequest, ListedCollection, ListedDocument, ListedFolder, collections,
};
pub use mirror::{MirrorReply, MirrorRequest};
pub use named_files::{NamedFiles, ReadText, SkipCounts};
pub use note::{NoteReply, NoteRequest};
pub use overview::Overview;
pub use rebuild::{RebuildNote, rebuild};
pub use remote::part::RemotePart;
pub use remote::push::{PUSH_LIMIT, PushHint};
pub use remote::{RemoteState, now};
pub use remove::{RemoveRequest, RemovedCollection, RemovedIndex, remove_index};
pub use scope::{Scope, ScopeBounds, VisibleSource};
pub use search::{MOST_HITS, RankedUnit, SearchReply, SearchRequest, SearchResults};
pub use status::{RemoteStatus, ShownSkip, StatusReply};
pub use target::{
    CollectionChoice, INDEX_VARIABLE, IndexChoice, IndexTarget, Paths, SCHEME, Syncable, absolute,
    in_collection, plain_path, resource_uri,
};
pub use update::{
    Lag, Opened, SyncFailure, SyncMode, SyncObserver, SyncRequest, TimeBudget, Update, opened,
    patiently, sync,
};
pub use visible::{SourceState, SyncProgress, SyncStage, VisibleSourceStatus, VisibleStatus};
