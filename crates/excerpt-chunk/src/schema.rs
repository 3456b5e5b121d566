//! The JSON schemas of types that write themselves as something else.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::chunk::{Hash, Warning};
use crate::config::{ContextParts, Levels, Overlap};
use crate::span::Span;

/// Gives a type its schema.
macro_rules! schema {
    ($type:ty, $name:literal, $schema:tt) => {
        impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                $name.into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        }
    };
}

schema!(Hash, "Hash", {
    "description": "An id or a hash: 32 hexadecimal digits.",
    "type": "string",
    "pattern": "^[0-9a-f]{32}$"
});
schema!(Warning, "Warning", {"description": "Something to know, as a sentence.", "type": "string"});
schema!(Span, "Span", {
    "description": "A place in a document.",
    "type": "object",
    "properties": {
        "bytes": {
            "description": "The first byte, and the one after the last, of the text in UTF-8.",
            "type": "array",
            "items": {"type": "integer", "minimum": 0},
            "minItems": 2,
            "maxItems": 2
        },
        "lines": {
            "description": "The first and the last line, from 1.",
            "type": "array",
            "items": {"type": "integer", "minimum": 1},
            "minItems": 2,
            "maxItems": 2
        }
    },
    "required": ["bytes", "lines"]
});
schema!(Overlap, "Overlap", {
    "description": "A size, or a share of `target` such as `15%`.",
    "oneOf": [
        {"type": "integer", "minimum": 0},
        {"type": "string", "pattern": "^([0-9]+|[0-9]{1,2}%)$"}
    ]
});
schema!(Levels, "Levels", {
    "description": "Heading levels.",
    "type": "array",
    "items": {"type": "integer", "minimum": 1, "maximum": 6}
});

impl JsonSchema for ContextParts {
    fn schema_name() -> Cow<'static, str> {
        "ContextParts".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names = ContextParts::NAMES.iter().map(|(name, _)| *name);
        let names: Vec<&str> = ["all", "none"].into_iter().chain(names).collect();
        let one = names.join("|");
        json_schema!({
            "description": "Which parts of its place count towards the size of a chunk.",
            "type": "string",
            "pattern": format!("^({one})(,({one}))*$")
        })
    }
}

/// Whether this build has the value of this name: the tokenizers are a feature.
pub(crate) fn is_built(name: &str) -> bool {
    cfg!(feature = "tokens") || !matches!(name, "cl100k" | "o200k")
}
