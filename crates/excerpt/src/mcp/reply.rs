//! What a tool answers: a text for the model, and the same for programs.

use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};

use super::budget::begun;
use super::names::one_line;
use crate::exit::message;

/// How many characters an error takes at most: it may repeat what was given.
const LONGEST: usize = 1_000;

/// The answer of a tool.
pub(super) struct Reply {
    text: String,
    data: Option<Value>,
    is_error: bool,
}

impl Reply {
    /// A text for the model, and the `data` for programs, which the tool's output schema describes.
    pub(super) fn of(text: String, data: Value) -> Self {
        Reply {
            text,
            data: Some(data),
            is_error: false,
        }
    }

    /// What went wrong.
    pub(super) fn failure(error: &anyhow::Error) -> Self {
        Reply {
            text: one_line(&begun(&message(error), LONGEST)),
            data: None,
            is_error: true,
        }
    }

    /// The same as a failure as a whole.
    pub(super) fn failed(self) -> Self {
        Reply {
            is_error: true,
            ..self
        }
    }

    pub(super) fn into_result(self) -> CallToolResult {
        let content = vec![ContentBlock::text(self.text)];
        let mut result = match self.is_error {
            true => CallToolResult::error(content),
            false => CallToolResult::success(content),
        };
        result.structured_content = self.data;
        result
    }
}

/// The notes under a text that quotes no document.
pub(super) fn with_notes(mut text: String, notes: &[String]) -> String {
    for note in notes {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text += &one_line(&format!("note: {note}"));
        text.push('\n');
    }
    text
}

/// The schema of a list of texts.
pub(super) fn texts() -> Value {
    json!({"type": "array", "items": {"type": "string"}})
}
