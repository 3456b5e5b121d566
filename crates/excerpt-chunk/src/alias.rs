//! Other names for the fields of a configuration: those used by other tools. The table of
//! [`FIELDS`] has those that mean one field; those that mean none or several are here.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::closest::closest;
use crate::fields::{ConfigField, FIELDS};

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
    if let Some(field) = ConfigField::of(&snake) {
        return Ok(vec![(field.name, field.ours(value))]);
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

/// Notes in `names` that `field` is given as `name`.
///
/// # Errors
///
/// When it was given before, under this name or another one.
pub(crate) fn note<'n>(
    names: &mut BTreeMap<&'static str, &'n str>,
    field: &'static str,
    name: &'n str,
) -> Result<(), String> {
    match names.insert(field, name) {
        None => Ok(()),
        Some(before) => Err(format!(
            "`{field}` is given twice, as `{before}` and `{name}`"
        )),
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
    let names = FIELDS.iter().map(|field| field.name);
    let aliases = FIELDS.iter().flat_map(|field| field.aliases);
    let next = match closest(snake, names.clone().chain(aliases.copied())) {
        Some(known) => format!("did you mean `{known}`?"),
        None => format!("expected one of {}", names.collect::<Vec<_>>().join(", ")),
    };
    format!("unknown field `{name}` in `{table}`, {next}")
}

/// `minChunkTokens` and `min-chunk-tokens` as `min_chunk_tokens`.
#[must_use]
pub fn snake_case(name: &str) -> String {
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
