//! The operations of the API: one table, from which the routes and the description follow.

mod chunk;
mod collections;
mod documents;
mod events;
mod search;
mod status;

use std::sync::Arc;

use axum::handler::Handler;
use axum::http::Method;
use axum::routing::{MethodFilter, MethodRouter, on};
use schemars::{JsonSchema, Schema, SchemaGenerator};

use super::server::Server;

/// Makes the schema of a type.
type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// An operation of the API.
pub(super) struct Operation {
    pub(super) method: Method,
    /// The path, with parameters in braces.
    pub(super) path: &'static str,
    /// Its name in programs that are made from the description.
    pub(super) id: &'static str,
    pub(super) group: &'static str,
    pub(super) summary: &'static str,
    pub(super) description: &'static str,
    /// What each parameter in the path is.
    pub(super) path_parameters: &'static [(&'static str, &'static str)],
    pub(super) query: Option<SchemaOf>,
    pub(super) body: Option<SchemaOf>,
    pub(super) is_body_optional: bool,
    /// The answer and its status.
    pub(super) status: u16,
    /// Another status that the same answer may have.
    pub(super) other_status: Option<u16>,
    pub(super) answer: ReplyForm,
    /// The statuses of its own problems.
    pub(super) problems: &'static [u16],
    pub(super) router: MethodRouter<Arc<Server>>,
}

/// The form of an answer.
pub(super) enum ReplyForm {
    Json(SchemaOf),
    /// Another kind of text.
    Text(&'static str),
    Nothing,
}

fn schema_of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

impl Operation {
    fn new<H, T>(method: Method, path: &'static str, id: &'static str, handler: H) -> Operation
    where
        H: Handler<T, Arc<Server>>,
        T: 'static,
    {
        // Every method that is used is one that a router knows.
        let filter = MethodFilter::try_from(method.clone()).unwrap_or(MethodFilter::GET);
        Operation {
            method,
            path,
            id,
            group: "",
            summary: "",
            description: "",
            path_parameters: &[],
            query: None,
            body: None,
            is_body_optional: false,
            status: 200,
            other_status: None,
            answer: ReplyForm::Nothing,
            problems: &[],
            router: on(filter, handler),
        }
    }

    fn said(mut self, group: &'static str, summary: &'static str) -> Self {
        self.group = group;
        self.summary = summary;
        self
    }

    fn description(mut self, text: &'static str) -> Self {
        self.description = text;
        self
    }

    fn path_parameters(mut self, all: &'static [(&'static str, &'static str)]) -> Self {
        self.path_parameters = all;
        self
    }

    fn query<T: JsonSchema>(mut self) -> Self {
        self.query = Some(schema_of::<T>);
        self
    }

    fn body<T: JsonSchema>(mut self) -> Self {
        self.body = Some(schema_of::<T>);
        self
    }

    fn optional_body<T: JsonSchema>(mut self) -> Self {
        self.is_body_optional = true;
        self.body::<T>()
    }

    fn json<T: JsonSchema>(mut self, status: u16) -> Self {
        self.status = status;
        self.answer = ReplyForm::Json(schema_of::<T>);
        self
    }

    /// The same answer with another status.
    fn or(mut self, status: u16) -> Self {
        self.other_status = Some(status);
        self
    }

    fn text(mut self, kind: &'static str) -> Self {
        self.answer = ReplyForm::Text(kind);
        self
    }

    fn nothing(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    fn problems(mut self, statuses: &'static [u16]) -> Self {
        self.problems = statuses;
        self
    }
}

/// All operations, in the order of the description.
pub(super) fn operations() -> Vec<Operation> {
    let mut all = Vec::new();
    all.extend(search::operations());
    all.extend(documents::operations());
    all.extend(chunk::operations());
    all.extend(collections::operations());
    all.extend(status::operations());
    all.extend(events::operations());
    all
}
