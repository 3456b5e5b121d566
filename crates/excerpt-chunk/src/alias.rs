//! Other names for the fields of a configuration: those used by other tools. They are mapped to our
//! names here and nowhere else.

use serde_json::{Value, json};

use crate::closest::closest;

/// Other names, in lower case with underscores, and the field that each of them maps to.
const ALIASES: [(&str, &str); 22] = [
    ("chunk_strategy", "strategy"),
    ("min_chunk_size", "min"),
    ("min_chunk_tokens", "min"),
    ("min_size", "min"),
    ("min_tokens", "min"),
    ("chunk_min_size", "min"),
    ("max_chunk_size", "max"),
    ("max_chunk_tokens", "max"),
    ("max_size", "max"),
    ("max_tokens", "max"),
    ("chunk_max_size", "max"),
    ("chunk_size", "target"),
    ("fixed_chunk_size", "target"),
    ("target_size", "target"),
    ("fixed_overlap", "overlap"),
    ("chunk_overlap", "overlap"),
    ("header_split_levels", "levels"),
    ("header_levels", "levels"),
    ("chunk_header_levels", "levels"),
    ("delimiter_pattern", "delimiter"),
    ("chunk_delimiter", "delimiter"),
    ("entries", "per_entry"),
];

/// The names of the fields.
pub(crate) const FIELDS: [&str; 16] = [
    "preset",
    "strategy",
    "unit",
    "target",
    "max",
    "min",
    "overlap",
    "levels",
    "delimiter",
    "include_delimiter",
    "atomic",
    "context",
    "complete_sentences",
    "continuation_marker",
    "overview",
    "per_entry",
];

/// The fields that a name and its value map to, with their values. Empty for a name that states the
/// default behaviour. `table` is what an error calls the place where the name is written.
///
/// # Errors
///
/// What is wrong: an unknown name, with the closest known one, or a switch that is neither `true`
/// nor `false`.
pub(crate) fn fields(
    table: &str,
    name: &str,
    value: Value,
) -> Result<Vec<(&'static str, Value)>, String> {
    let snake = snake_case(name);
    let own = FIELDS.iter().find(|field| **field == snake);
    let alias = ALIASES.iter().find(|(alias, _)| *alias == snake);
    if let Some(field) = own.or(alias.map(|(_, field)| field)) {
        let value = match (*field, value) {
            ("strategy", value) if value == "none" => json!("whole"),
            (_, value) => value,
        };
        return Ok(vec![(field, value)]);
    }
    match (&*snake, value) {
        // One number for both the target and the limit.
        ("tokens", value) => Ok(vec![("target", value.clone()), ("max", value)]),
        ("semantic", Value::Bool(true)) => Ok(vec![]),
        ("semantic", Value::Bool(false)) => Ok(vec![("strategy", json!("naive"))]),
        ("preserve_headers" | "include_parent_context", Value::Bool(true)) => Ok(vec![]),
        ("preserve_headers" | "include_parent_context", Value::Bool(false)) => {
            Ok(vec![("context", json!("none"))])
        }
        ("semantic" | "preserve_headers" | "include_parent_context", value) => {
            Err(format!("`{name}` is `{value}`, expected `true` or `false`"))
        }
        _ => Err(unknown(table, name, &snake)),
    }
}

/// The fields of a chunking configuration that other tools, or we, call `name`; empty if there are
/// none.
///
/// ```
/// assert_eq!(excerpt_chunk::fields_named("chunk-max-size"), ["max"]);
/// ```
#[must_use]
pub fn fields_named(name: &str) -> Vec<&'static str> {
    let found = fields("", name, Value::Bool(false)).unwrap_or_default();
    found.into_iter().map(|(field, _)| field).collect()
}

fn unknown(table: &str, name: &str, snake: &str) -> String {
    let known = FIELDS.iter().chain(ALIASES.iter().map(|(alias, _)| alias));
    let next = match closest(snake, known.copied()) {
        Some(known) => format!("did you mean `{known}`?"),
        None => format!("expected one of {}", FIELDS.join(", ")),
    };
    format!("unknown field `{name}` in `{table}`, {next}")
}

/// `minChunkTokens` and `min-chunk-tokens` as `min_chunk_tokens`.
fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for char in name.chars() {
        match char {
            '-' => snake.push('_'),
            _ if char.is_uppercase() => {
                snake.push('_');
                snake.extend(char.to_lowercase());
            }
            _ => snake.push(char),
        }
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(name: &str, value: Value) -> Result<Vec<(&'static str, Value)>, String> {
        super::fields("[chunking]", name, value)
    }

    #[test]
    fn names_of_other_tools_are_understood() {
        assert_eq!(
            fields("max_chunk_size", json!(800)),
            Ok(vec![("max", json!(800))])
        );
        assert_eq!(
            fields("minChunkTokens", json!(50)),
            Ok(vec![("min", json!(50))])
        );
        assert_eq!(
            fields("header_split_levels", json!([2])),
            Ok(vec![("levels", json!([2]))])
        );
        assert_eq!(
            fields("tokens", json!(400)),
            Ok(vec![("target", json!(400)), ("max", json!(400))])
        );
        assert_eq!(
            fields("semantic", json!(false)),
            Ok(vec![("strategy", json!("naive"))])
        );
        assert_eq!(fields("preserveHeaders", json!(true)), Ok(vec![]));
        assert_eq!(
            fields("chunk_strategy", json!("none")),
            Ok(vec![("strategy", json!("whole"))])
        );
    }

    #[test]
    fn a_name_that_is_not_known_brings_up_the_closest() {
        let error = fields("targett", json!(1)).unwrap_err();
        assert_eq!(
            error,
            "unknown field `targett` in `[chunking]`, did you mean `target`?"
        );
        let error = fields("colour", json!(1)).unwrap_err();
        assert!(
            error.starts_with(
                "unknown field `colour` in `[chunking]`, expected one of preset, strategy, "
            ),
            "{error}"
        );
        let error = fields("semantic", json!(3)).unwrap_err();
        assert_eq!(error, "`semantic` is `3`, expected `true` or `false`");
    }
}
