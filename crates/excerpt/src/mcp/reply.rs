//! The answer of a tool: one block of text, with lines for a model or, on request, JSON for a
//! program. This file decides which.
//!
//! A result can have `content` (text and other blocks) and `structuredContent` (JSON). The
//! revisions 2025-06-18, 2025-11-25 and 2026-07-28 of the specification (page `server/tools`) do
//! not say which of the two a client passes to the model. They say that a tool that returns
//! structured content SHOULD also return it serialized in a text block, and that a tool that
//! declares an `outputSchema` MUST return structured content that conforms to it. The clients
//! differ:
//!
//! - The model gets only `structuredContent` if there is any, and the text is dropped: Codex
//!   (`as_function_call_output_payload` in openai/codex, `codex-rs/protocol/src/models.rs`),
//!   Claude Code (measured in anthropics/claude-code#79944, with a schema or without), opencode
//!   (anomalyco/opencode#32074).
//! - The model gets only `content`: Gemini CLI (`transformMcpContentToParts` in
//!   google-gemini/gemini-cli, `packages/core/src/tools/mcp-tool.ts`), Kimi Code
//!   (MoonshotAI/kimi-code#3234), the adapters of LangChain (epam/statgpt-backend#691).
//! - The model gets both: GitHub Copilot (github/copilot-cli#4515), Hermes
//!   (NousResearch/hermes-agent#7118).
//!
//! An answer in both places costs some models twice the tokens, and others never see the text with
//! the marks of [`fence`](super::fence). All clients pass on a text block without structured
//! content. So an answer is one text block, and no tool declares an `outputSchema`. A program sets
//! `format: "json"` and parses the block.

use excerpt_service::text::budget::{begun, tokens};
use excerpt_service::text::one_line;
use rmcp::model::{CallToolResult, ContentBlock};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::messages::message;

/// The maximum length of an error in characters: it may repeat an argument.
const LONGEST: usize = 1_000;

/// The form of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Form {
    /// Lines for a model.
    #[default]
    Text,
    /// An object for a program.
    Json,
}

impl Form {
    /// The tokens of a part of an answer that is `text` in one form and `data` in the other.
    pub(super) fn tokens(self, text: &str, data: &impl Serialize) -> usize {
        match self {
            Form::Text => tokens(text),
            // What cannot be serialized is not sent.
            Form::Json => tokens(&serde_json::to_string(data).unwrap_or_default()),
        }
    }
}

/// The answer of a tool.
pub(super) struct Reply {
    text: String,
    is_error: bool,
}

impl Reply {
    /// An answer in the requested form: `text` for a model or `data` for a program.
    pub(super) fn of(form: Form, text: String, data: &Value) -> Self {
        Reply {
            text: match form {
                Form::Text => text,
                Form::Json => data.to_string(),
            },
            is_error: false,
        }
    }

    /// The answer for an error.
    pub(super) fn failure(error: &anyhow::Error) -> Self {
        Reply {
            text: one_line(&begun(&message(error), LONGEST)),
            is_error: true,
        }
    }

    /// The same answer, marked as an error.
    pub(super) fn failed(self) -> Self {
        Reply {
            is_error: true,
            ..self
        }
    }

    pub(super) fn into_result(self) -> CallToolResult {
        let content = vec![ContentBlock::text(self.text)];
        match self.is_error {
            true => CallToolResult::error(content),
            false => CallToolResult::success(content),
        }
    }
}

/// A text that quotes no document, followed by notes.
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
