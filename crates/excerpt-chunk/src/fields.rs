//! The fields of a chunking configuration, in one table.
//!
//! [`Config`] and [`Settings`] hold their values. What concerns their names and the form of their
//! values follows from the table: the names and aliases that TOML and JSON accept, flags with their
//! help, and schemas.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::config::{Atomic, Config, Levels, Overlap, Strategy};
use crate::preset::Preset;
use crate::settings::Settings;
use crate::size::Unit;

/// A field of a chunking configuration.
///
/// ```
/// use excerpt_chunk::FIELDS;
///
/// for field in FIELDS {
///     println!("--{} {:?}: {}", field.flag, field.values, field.help);
/// }
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ConfigField {
    /// The name in Rust, TOML and JSON.
    pub name: &'static str,
    /// The name on a command line, without the dashes in front.
    pub flag: &'static str,
    /// The values.
    pub values: Values,
    /// What it sets, in one line for people.
    pub help: &'static str,
    /// What applies if neither the user nor the preset sets it, for people; `None` if nothing does.
    pub default: Option<&'static str>,
    /// The names that other tools give it, in lower case with underscores.
    pub(crate) aliases: &'static [&'static str],
}

/// The values of a [`ConfigField`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Values {
    /// One of these names.
    OneOf(&'static [&'static str]),
    /// A size in [`Config::unit`]: a whole number.
    Size,
    /// A size, or a share of `target` such as `15%`.
    SizeOrShare,
    /// Heading levels, 1 to 6: a list; as text, separated by commas.
    Levels,
    /// The parts of a context, separated by commas.
    Parts,
    /// A text.
    Text,
    /// A regular expression.
    Pattern,
    /// `true` or `false`.
    Switch,
}

/// All fields, in the order in which they are listed to people.
pub const FIELDS: &[ConfigField] = &[
    ConfigField {
        name: "preset",
        flag: "preset",
        values: Values::OneOf(Preset::NAMES),
        help: "auto, brain, code, docs, memory, resources or units: the source of all other defaults",
        default: Some("auto"),
        aliases: &[],
    },
    ConfigField {
        name: "strategy",
        flag: "strategy",
        values: Values::OneOf(Strategy::NAMES),
        help: "auto, markdown, headers, delimiter, fixed, code, whole or naive",
        default: Some("auto"),
        aliases: &["chunk_strategy"],
    },
    ConfigField {
        name: "unit",
        flag: "unit",
        values: Values::OneOf(Unit::NAMES),
        help: "The unit of sizes: tokens (a quarter of the characters), chars, cjk-tokens, or the real tokens cl100k and o200k",
        default: Some("tokens"),
        aliases: &[],
    },
    ConfigField {
        name: "target",
        flag: "target",
        values: Values::Size,
        help: "The size that chunks aim for",
        default: Some("400"),
        aliases: &["chunk_size", "fixed_chunk_size", "target_size"],
    },
    ConfigField {
        name: "max",
        flag: "max",
        values: Values::Size,
        help: "The size that no chunk exceeds, context and overlap included",
        default: Some("400, or the target"),
        aliases: &[
            "max_chunk_size",
            "max_chunk_tokens",
            "max_size",
            "max_tokens",
            "chunk_max_size",
        ],
    },
    ConfigField {
        name: "min",
        flag: "min",
        values: Values::Size,
        help: "A chunk whose text, without context, is smaller than this is joined with a neighbour if the strategy allows it",
        default: Some("50"),
        aliases: &[
            "min_chunk_size",
            "min_chunk_tokens",
            "min_size",
            "min_tokens",
            "chunk_min_size",
        ],
    },
    ConfigField {
        name: "overlap",
        flag: "overlap",
        values: Values::SizeOrShare,
        help: "How much preceding text each chunk repeats, as a size or a share: 80, 15%",
        default: Some("0"),
        aliases: &["fixed_overlap", "chunk_overlap"],
    },
    ConfigField {
        name: "levels",
        flag: "levels",
        values: Values::Levels,
        help: "The heading levels that always start a new chunk, such as 2,3",
        default: Some("2,3 for `headers`, none for `markdown`"),
        aliases: &[
            "header_split_levels",
            "header_levels",
            "chunk_header_levels",
        ],
    },
    ConfigField {
        name: "delimiter",
        flag: "delimiter",
        values: Values::Pattern,
        help: "The regular expression to split at; implies `--strategy delimiter`",
        default: None,
        aliases: &["delimiter_pattern", "chunk_delimiter"],
    },
    ConfigField {
        name: "include_delimiter",
        flag: "include-delimiter",
        values: Values::Switch,
        help: "Make a delimiter part of the chunk that it opens instead of leaving it out",
        default: None,
        aliases: &[],
    },
    ConfigField {
        name: "atomic",
        flag: "atomic",
        values: Values::OneOf(Atomic::NAMES),
        help: "Whether a code block, table or sentence over the limit is split or kept",
        default: Some("split"),
        aliases: &[],
    },
    ConfigField {
        name: "context",
        flag: "context",
        values: Values::Parts,
        help: "The parts of a chunk's context: all, none, or some of path,title,trail,lead,domain",
        default: Some("all but domain"),
        aliases: &[],
    },
    ConfigField {
        name: "complete_sentences",
        flag: "complete-sentences",
        values: Values::Switch,
        help: "Whether `fixed` splits at sentences (true) or at exact positions (false)",
        default: Some("true"),
        aliases: &[],
    },
    ConfigField {
        name: "continuation_marker",
        flag: "continuation-marker",
        values: Values::Text,
        help: "The text added to the context of a chunk that continues the one before it",
        default: None,
        aliases: &[],
    },
    ConfigField {
        name: "overview",
        flag: "overview",
        values: Values::Size,
        help: "Make the beginning of a README or index file one overview chunk, with at most this much text",
        default: None,
        aliases: &[],
    },
    ConfigField {
        name: "per_entry",
        flag: "per-entry",
        values: Values::Switch,
        help: "Make each item of a top-level list, each section and each top-level definition in code a separate chunk",
        default: None,
        aliases: &["entries"],
    },
];

impl ConfigField {
    /// The field that is called `name`, in lower case with underscores, by us or by other tools.
    pub(crate) fn of(name: &str) -> Option<&'static ConfigField> {
        let own = FIELDS.iter().find(|field| field.name == name);
        own.or_else(|| FIELDS.iter().find(|field| field.aliases.contains(&name)))
    }

    /// The value written as `text`, as JSON.
    ///
    /// ```
    /// use excerpt_chunk::FIELDS;
    ///
    /// let levels = FIELDS.iter().find(|field| field.name == "levels").unwrap();
    /// assert_eq!(levels.parse("2,3").unwrap(), serde_json::json!([2, 3]));
    /// ```
    ///
    /// # Errors
    ///
    /// What is wrong and what was expected.
    pub fn parse(&self, text: &str) -> Result<Value, String> {
        let value = match self.values {
            Values::Size => match text.parse::<usize>() {
                Ok(size) => Ok(size.into()),
                Err(_) => Err("expected a whole number".to_string()),
            },
            Values::SizeOrShare => text.parse::<Overlap>().map_err(say).map(|it| json!(it)),
            Values::Levels => text.parse::<Levels>().map_err(say).map(|it| json!(it)),
            Values::Switch => text.parse::<bool>().map(Value::from).map_err(say),
            Values::OneOf(_) | Values::Parts | Values::Text | Values::Pattern => Ok(text.into()),
        };
        checked(self.name, self.name, self.ours(value?))
    }

    /// The value as we call it: other tools have the strategy `none`.
    pub(crate) fn ours(&self, value: Value) -> Value {
        match self.name {
            "strategy" if value == "none" => Strategy::Whole.name().into(),
            _ => value,
        }
    }

    /// The schema of the values, as JSON Schema, with the default unless it is nothing.
    #[must_use]
    pub fn schema(&self) -> Value {
        let mut schema = match self.values {
            Values::OneOf(names) => json!({"enum": names}),
            Values::Size => json!({"type": "integer"}),
            Values::SizeOrShare => json!({"type": ["integer", "string"]}),
            Values::Levels => json!({"type": "array", "items": {"type": "integer"}}),
            Values::Parts | Values::Text | Values::Pattern => json!({"type": "string"}),
            Values::Switch => json!({"type": "boolean"}),
        };
        let default = self.default_value();
        if ![json!(null), json!(0), json!(false)].contains(&default) {
            schema["default"] = default;
        }
        schema
    }

    /// The value in [`Config::default`], as JSON.
    fn default_value(&self) -> Value {
        match self.name {
            "preset" => Preset::default().name().into(),
            name => json!(Config::default())[name].take(),
        }
    }
}

/// The value of the field `name`, which the user calls `key`, if it has the right form.
///
/// # Errors
///
/// What is wrong and what was expected.
pub(crate) fn checked(name: &str, key: &str, value: Value) -> Result<Value, String> {
    let single = Map::from_iter([(name.to_string(), value.clone())]);
    match Settings::deserialize(Value::Object(single)) {
        Ok(_) => Ok(value),
        Err(error) => Err(wrong_kind(key, &value, &error.to_string())),
    }
}

fn say(error: impl ToString) -> String {
    error.to_string()
}

/// One form for all errors about a value: serde's own messages name only the types.
fn wrong_kind(key: &str, value: &Value, message: &str) -> String {
    match message.rsplit_once(", expected ") {
        Some(_) if message.starts_with('`') => message.to_string(),
        Some((_, "usize")) => format!("`{key}` is `{value}`, expected a whole number from 0"),
        Some((_, expected)) => format!("`{key}` is `{value}`, expected {expected}"),
        None => message.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn keys(value: Value) -> BTreeSet<String> {
        value.as_object().unwrap().keys().cloned().collect()
    }

    #[test]
    fn the_structs_have_the_fields_of_the_table() {
        let names: BTreeSet<_> = FIELDS.iter().map(|field| field.name.to_string()).collect();
        assert_eq!(names.len(), FIELDS.len());
        assert_eq!(keys(json!(Settings::default())), names);
        let mut complete = keys(json!(Config::default()));
        complete.insert("preset".to_string());
        assert_eq!(complete, names);
    }

    #[test]
    fn a_flag_is_the_name_with_dashes() {
        for field in FIELDS {
            assert_eq!(field.flag, field.name.replace('_', "-"));
        }
    }

    #[test]
    fn no_name_means_two_fields() {
        let aliases = FIELDS.iter().flat_map(|field| field.aliases);
        let names: Vec<_> = FIELDS
            .iter()
            .map(|field| &field.name)
            .chain(aliases)
            .collect();
        let once: BTreeSet<_> = names.iter().collect();
        assert_eq!(once.len(), names.len());
    }

    #[test]
    fn a_default_for_people_is_that_of_the_program() {
        for field in FIELDS {
            let value = field.default_value();
            let word = field
                .default
                .map(|text| text.split([',', ' ']).next().unwrap());
            match (field.values, word) {
                (
                    Values::OneOf(_) | Values::Size | Values::SizeOrShare | Values::Switch,
                    Some(word),
                ) => {
                    assert_eq!(field.parse(word).unwrap(), value, "{}", field.name);
                }
                (Values::Levels, Some(_)) => assert_eq!(value, json!(null), "2,3 for `headers`"),
                (Values::Parts, Some(_)) => assert_eq!(value, "path,title,trail,lead"),
                (_, None) => assert!(
                    [json!(null), json!(false)].contains(&value),
                    "{}",
                    field.name
                ),
                (values, Some(word)) => panic!("{}: {values:?} {word}", field.name),
            }
        }
    }

    #[test]
    fn the_help_names_all_values() {
        for field in FIELDS {
            if let Values::OneOf(names) = field.values {
                // `split` and `keep` are in the sentence as its verbs.
                let names = names.iter().filter(|name| **name != "keep");
                for name in names {
                    assert!(field.help.contains(name), "{}: {name}", field.name);
                }
            }
        }
    }

    #[test]
    fn a_value_is_parsed_into_what_the_settings_read() {
        for (name, text, expected) in [
            ("strategy", "none", json!("whole")),
            ("max", "800", json!(800)),
            ("overlap", "15%", json!("15%")),
            ("overlap", "80", json!(80)),
            ("levels", "3,2", json!([2, 3])),
            ("context", "path,trail", json!("path,trail")),
            ("per_entry", "true", json!(true)),
        ] {
            assert_eq!(ConfigField::of(name).unwrap().parse(text), Ok(expected));
        }
        for (name, text, expected) in [
            ("max", "large", "expected a whole number"),
            (
                "atomic",
                "leave",
                "`atomic` is `leave`, expected one of split, keep",
            ),
            (
                "levels",
                "7",
                "`levels` is `7`, expected heading levels from 1 to 6, such as `2,3`",
            ),
        ] {
            assert_eq!(
                ConfigField::of(name).unwrap().parse(text),
                Err(expected.to_string())
            );
        }
    }

    #[test]
    fn a_schema_has_the_type_and_the_default() {
        let schema = |name| ConfigField::of(name).unwrap().schema();
        assert_eq!(schema("max"), json!({"type": "integer", "default": 400}));
        assert_eq!(
            schema("atomic"),
            json!({"enum": ["split", "keep"], "default": "split"})
        );
        assert_eq!(schema("delimiter"), json!({"type": "string"}));
        assert_eq!(schema("overlap"), json!({"type": ["integer", "string"]}));
    }
}
