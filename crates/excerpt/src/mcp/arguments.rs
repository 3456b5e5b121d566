//! The arguments of a tool: a type, from which its schema follows and into which a call is read. An
//! unknown argument, a duplicate or a wrong value is an error that says what was expected. The
//! names that other tools use for the same arguments are accepted, and a value that is written in
//! another form, such as a number in a text.

use std::sync::Arc;

use excerpt_chunk::{Settings, closest, settings_from_json, snake_case};
use excerpt_service::other_names;
use excerpt_service::text::{budget, shown};
use rmcp::model::JsonObject;
use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema, json_schema};
use serde::Deserialize as _;
use serde::de::{DeserializeOwned, Deserializer, Error as _};
use serde_json::{Map, Value};

/// The names of arguments of other tools for a line range, which is part of the path here.
const LINES: [&str; 10] = [
    "line",
    "lines",
    "line_range",
    "range",
    "start",
    "start_line",
    "end",
    "end_line",
    "offset",
    "limit",
];

/// The input schema of a tool whose arguments are a `T`, without what a model pays for and does not
/// need: what is optional is so by its absence.
pub(super) fn schema<T: JsonSchema>() -> Arc<JsonObject> {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    let settings = settings.with_transform(RecursiveTransform(|schema: &mut Schema| {
        if let Some(schema) = schema.as_object_mut() {
            shorten(schema);
        }
    }));
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    for name in ["title", "description"] {
        schema.remove(name);
    }
    Arc::new(schema.as_object().cloned().unwrap_or_default())
}

/// Leaves out what a model does not need of a schema.
fn shorten(schema: &mut Map<String, Value>) {
    without_null(schema);
    if let Some(Value::Array(choices)) = schema.remove("oneOf") {
        let names = choices.into_iter().map(|mut choice| choice["const"].take());
        schema.insert("enum".into(), names.collect());
    }
    if schema.contains_key("enum") {
        // The names say it.
        schema.remove("type");
        schema.remove("description");
    }
    schema.remove("format");
    for name in ["default", "minimum"] {
        if schema.get(name).is_some_and(is_nothing) {
            schema.remove(name);
        }
    }
    if let Some(Value::String(text)) = schema.get_mut("description")
        && text.ends_with('.')
    {
        text.pop();
    }
}

/// Leaves out that a value may be `null`, which is the same as no argument.
fn without_null(schema: &mut Map<String, Value>) {
    if let Some(Value::Array(mut choices)) = schema.remove("anyOf") {
        choices.retain(|choice| choice["type"] != "null");
        if let [Value::Object(only)] = &mut choices[..] {
            schema.append(only);
        }
    }
    if let Some(Value::Array(names)) = schema.get_mut("enum") {
        names.retain(|name| !name.is_null());
    }
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = &mut types[..] {
            let only = only.take();
            schema.insert("type".into(), only);
        }
    }
}

/// Whether a default goes without saying.
fn is_nothing(default: &Value) -> bool {
    match default {
        Value::Null => true,
        Value::Bool(truth) => !truth,
        Value::Number(number) => number.as_u64() == Some(0),
        Value::String(text) => text.is_empty(),
        Value::Array(values) => values.is_empty(),
        Value::Object(fields) => fields.values().all(is_nothing),
    }
}

/// The default of `max_tokens`.
pub(super) fn default_tokens() -> usize {
    budget::DEFAULT
}

/// Reads `max_tokens`. Its range is not in the schema: five tools have it, and a model reads each.
///
/// # Errors
///
/// When it is outside of the range.
pub(super) fn read_tokens<'d, D: Deserializer<'d>, T: From<usize>>(from: D) -> Result<T, D::Error> {
    let tokens = usize::deserialize(from)?;
    if (budget::LEAST..=budget::MOST).contains(&tokens) {
        return Ok(tokens.into());
    }
    let expected = format!("a whole number from {} to {}", budget::LEAST, budget::MOST);
    Err(D::Error::custom(wrong(
        "max_tokens",
        &tokens.into(),
        &expected,
    )))
}

/// Reads a chunking configuration, in which the names of other tools are accepted.
///
/// # Errors
///
/// What is wrong and what was expected.
pub(super) fn read_chunking<'d, D: Deserializer<'d>>(from: D) -> Result<Settings, D::Error> {
    const SAMPLE: &str = "an object such as `{\"strategy\": \"headers\", \"max\": 800}`";
    match Value::deserialize(from)? {
        Value::Object(said) => settings_from_json(&said).map_err(D::Error::custom),
        other => Err(D::Error::custom(wrong("chunking", &other, SAMPLE))),
    }
}

/// Reads `fields`, an object of names with values, which become texts.
///
/// # Errors
///
/// When there is another value.
pub(super) fn read_fields<'d, D: Deserializer<'d>>(
    from: D,
) -> Result<Vec<(String, String)>, D::Error> {
    let other = |value: &Value, expected| D::Error::custom(wrong("fields", value, expected));
    let object = match Value::deserialize(from)? {
        Value::Object(object) => object,
        value => return Err(other(&value, "an object of names and values")),
    };
    let pairs = object.into_iter().map(|(field, value)| match value {
        Value::String(text) => Ok((field, text)),
        Value::Number(number) => Ok((field, number.to_string())),
        Value::Bool(truth) => Ok((field, truth.to_string())),
        value => Err(other(&value, "a text for each name")),
    });
    pairs.collect()
}

/// The schema of an argument with a reader of its own.
pub(super) fn object(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "object"})
}

/// Reads the arguments of a call to a tool whose [`schema`] is given.
///
/// # Errors
///
/// What is wrong and what was expected.
pub(super) fn read<T: DeserializeOwned>(
    given: Option<Map<String, Value>>,
    schema: &Map<String, Value>,
) -> anyhow::Result<T> {
    let values = Value::Object(checked(given, schema)?);
    T::deserialize(values).map_err(anyhow::Error::msg)
}

/// The arguments of a call by our names, each in the form that its schema describes.
fn checked(
    given: Option<Map<String, Value>>,
    schema: &Map<String, Value>,
) -> anyhow::Result<Map<String, Value>> {
    let known = schema.get("properties").and_then(Value::as_object);
    let known: Vec<(&str, &Value)> = known
        .into_iter()
        .flatten()
        .map(|(name, schema)| (&**name, schema))
        .collect();
    let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
    let mut values = Map::new();
    for (name, value) in with_filters(given.unwrap_or_default(), &names) {
        let field = meant(&name, &names)?;
        // `null` is the same as no argument.
        if value.is_null() {
            continue;
        }
        if values.insert(field.to_string(), value).is_some() {
            anyhow::bail!("`{field}` is given twice, as `{}`: omit one", shown(&name));
        }
    }
    for (name, schema) in &known {
        if let Some(value) = values.get_mut(*name) {
            *value = in_form(name, value.take(), schema)?;
        }
    }
    let required = schema.get("required").and_then(Value::as_array);
    for name in required.into_iter().flatten().filter_map(Value::as_str) {
        if !values.contains_key(name) {
            let form = known.iter().find(|(known, _)| *known == name);
            let expected = form.map_or("a text", |(_, schema)| expected(schema));
            anyhow::bail!("`{name}` is missing, expected {expected}");
        }
    }
    Ok(values)
}

/// The value of the argument `name` in the form that its schema describes.
fn in_form(name: &str, value: Value, schema: &Value) -> anyhow::Result<Value> {
    if let Some(words) = schema["enum"].as_array() {
        return word(name, &value, words);
    }
    match schema["type"].as_str() {
        Some("integer") => whole(name, &value, schema),
        Some("boolean") => truth(name, value),
        Some("array") => texts(name, value),
        // Each such argument has a reader of its own.
        Some("object") => Ok(value),
        _ => match value {
            Value::String(text) => Ok(text.into()),
            other => Err(wrong(name, &other, "a text")),
        },
    }
}

/// A list of texts, possibly as JSON in a text. A single text is a list of one.
fn texts(name: &str, value: Value) -> anyhow::Result<Value> {
    match value {
        Value::String(text) => Ok(match serde_json::from_str::<Vec<String>>(&text) {
            Ok(texts) => texts.into(),
            Err(_) => vec![text].into(),
        }),
        Value::Array(values) => {
            let other = values.iter().find(|value| !value.is_string());
            match other {
                Some(other) => Err(wrong(name, other, "a list of texts")),
                None => Ok(values.into()),
            }
        }
        other => Err(wrong(name, &other, "a list of texts")),
    }
}

/// A whole number in the range of its schema, possibly written as a text.
fn whole(name: &str, value: &Value, schema: &Value) -> anyhow::Result<Value> {
    let (from, to) = match name {
        // Its range is not in the schema: see `read_tokens`.
        "max_tokens" => (budget::LEAST as u64, Some(budget::MOST as u64)),
        _ => (
            schema["minimum"].as_u64().unwrap_or(0),
            schema["maximum"].as_u64(),
        ),
    };
    let number = match value {
        Value::Number(number) => number.as_u64().or_else(|| {
            let number = number.as_f64()?;
            let is_whole = number.fract() == 0.0 && (0.0..1e15).contains(&number);
            is_whole.then_some(number as u64)
        }),
        Value::String(text) => text.parse().ok(),
        _ => None,
    };
    match number.filter(|number| (from..=to.unwrap_or(u64::MAX)).contains(number)) {
        Some(number) => Ok(number.into()),
        None => {
            let to = to.map(|to| format!(" to {to}")).unwrap_or_default();
            Err(wrong(
                name,
                value,
                &format!("a whole number from {from}{to}"),
            ))
        }
    }
}

/// A truth value.
fn truth(name: &str, value: Value) -> anyhow::Result<Value> {
    match value {
        Value::Bool(_) => Ok(value),
        Value::String(text) if text == "true" => Ok(true.into()),
        Value::String(text) if text == "false" => Ok(false.into()),
        other => Err(wrong(name, &other, "`true` or `false`")),
    }
}

/// One of some words.
fn word(name: &str, value: &Value, words: &[Value]) -> anyhow::Result<Value> {
    let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
    let given = value.as_str().map(str::to_lowercase);
    if let Some(word) = words.iter().find(|known| given.as_deref() == Some(**known)) {
        return Ok((*word).into());
    }
    let close = given.and_then(|given| guess(&given, words.iter().copied()));
    let close = close.map(|word| format!(": did you mean `{word}`?"));
    let expected = format!("one of {}{}", words.join(", "), close.unwrap_or_default());
    Err(wrong(name, value, &expected))
}

/// The arguments, with the entries of an object `filters` that are arguments here in its place:
/// other tools filter by folder, type or date there. The other entries are fields of the front
/// matter.
fn with_filters(given: Map<String, Value>, known: &[&str]) -> Vec<(String, Value)> {
    let mut all = Vec::new();
    for (name, value) in given {
        match value {
            Value::Object(filters) if name == "filters" && known.contains(&"fields") => {
                let mut fields = Map::new();
                for (name, value) in filters {
                    match known_as(&snake_case(&name), known) {
                        Some(_) => all.push((name, value)),
                        None => drop(fields.insert(name, value)),
                    }
                }
                if !fields.is_empty() {
                    all.push((name, fields.into()));
                }
            }
            value => all.push((name, value)),
        }
    }
    // The name that is not ours is the one to omit.
    all.sort_by_key(|(name, _)| !known.contains(&&**name));
    all
}

/// The argument with this name, or for which other tools use it.
fn known_as<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    let find = |name: &str| known.iter().find(|known| **known == name).copied();
    find(name).or_else(|| other_names::arguments(name).find_map(find))
}

/// The argument that a name maps to.
fn meant<'k>(name: &str, known: &[&'k str]) -> anyhow::Result<&'k str> {
    let plain = snake_case(name);
    let plain = plain.trim_start_matches('_');
    if let Some(field) = known_as(plain, known) {
        return Ok(field);
    }
    if known.contains(&"targets") && LINES.contains(&plain) {
        anyhow::bail!(
            "unknown argument `{}`: append lines to the path, as in `path:10-20`",
            shown(name)
        );
    }
    let others = other_names::ARGUMENTS.iter();
    let others = others.filter(|(_, field)| known.contains(field));
    let close = guess(
        plain,
        known.iter().copied().chain(others.map(|(alias, _)| *alias)),
    );
    let close = close.map(|close| meant(close, known)).transpose()?;
    match close {
        Some(close) => anyhow::bail!(
            "unknown argument `{}`: did you mean `{close}`?",
            shown(name)
        ),
        None => anyhow::bail!(
            "unknown argument `{}`, expected some of {}",
            shown(name),
            known.join(", ")
        ),
    }
}

/// The known name most similar to an unknown one; `None` if they share less than half of the
/// letters.
fn guess<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let close = closest(name, known)?;
    let mut letters: Vec<char> = name.chars().collect();
    let of_name = letters.len();
    for c in close.chars() {
        if let Some(at) = letters.iter().position(|letter| *letter == c) {
            letters.swap_remove(at);
        }
    }
    let shared = of_name - letters.len();
    (2 * shared >= of_name.max(close.chars().count())).then_some(close)
}

/// What a missing argument should be.
fn expected(schema: &Value) -> &'static str {
    match schema["type"].as_str() {
        Some("array") => "a list of texts",
        Some("integer") => "a whole number",
        _ => "a text",
    }
}

fn wrong(name: &str, found: &Value, expected: &str) -> anyhow::Error {
    anyhow::anyhow!(
        "`{name}` is `{}`, expected {expected}",
        shown(&found.to_string())
    )
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    enum Kind {
        /// Something to read.
        Doc,
        /// Something to run.
        Script,
    }

    fn seven() -> usize {
        7
    }

    /// The arguments of a tool.
    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Sample {
        /// A question.
        query: String,
        #[serde(default = "seven")]
        #[schemars(range(min = 1, max = 20))]
        limit: usize,
        #[serde(default)]
        kind: Option<Kind>,
        #[serde(default)]
        tags: Vec<String>,
        #[serde(default)]
        deep: bool,
        #[serde(default, deserialize_with = "read_fields")]
        #[schemars(schema_with = "object")]
        fields: Vec<(String, String)>,
        #[serde(default)]
        path: Option<String>,
    }

    fn read(given: Value) -> anyhow::Result<Sample> {
        super::read(given.as_object().cloned(), &schema::<Sample>())
    }

    fn refused(given: Value) -> String {
        read(given).unwrap_err().to_string()
    }

    #[test]
    fn a_schema_says_what_a_model_needs_and_no_more() {
        let expected = json!({
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "A question"},
                "limit": {"type": "integer", "minimum": 1, "maximum": 20, "default": 7},
                "kind": {"enum": ["doc", "script"]},
                "tags": {"type": "array", "items": {"type": "string"}},
                "deep": {"type": "boolean"},
                "fields": {"type": "object"},
                "path": {"type": "string"},
            },
            "required": ["query"],
            "additionalProperties": false,
        });
        assert_eq!(Value::Object((*schema::<Sample>()).clone()), expected);
    }

    #[test]
    fn other_names_and_forms_are_understood() {
        let unknown = refused(json!({"q": "tea", "maxTokens": null}));
        assert_eq!(
            unknown,
            "unknown argument `maxTokens`, expected some of deep, fields, kind, limit, path, query, tags"
        );
        let given = json!({"q": "tea", "top_k": "7", "type": "DOC", "tag": "a", "deep": "true"});
        let read = read(given).unwrap();
        assert_eq!((&*read.query, read.limit, read.deep), ("tea", 7, true));
        assert!(matches!(read.kind, Some(Kind::Doc)));
        assert_eq!(read.tags, ["a"]);
        assert_eq!(
            self::read(json!({"query": "x", "limit": 3.0}))
                .unwrap()
                .limit,
            3
        );
    }

    #[test]
    fn filters_of_other_tools_are_arguments_or_fields() {
        let filters = json!({"folder": "docs", "status": "open", "year": 2026});
        let given = json!({"query": "tea", "max_num_results": 3, "filters": filters});
        let said = read(given).unwrap();
        assert_eq!(said.path.unwrap(), "docs");
        let fields = [("status", "open"), ("year", "2026")];
        let fields = fields.map(|(name, value)| (name.to_string(), value.to_string()));
        assert_eq!(said.fields, fields);
        assert_eq!(said.limit, 3);
        assert_eq!(
            refused(json!({"query": "tea", "path": "a", "filters": {"folder": "b"}})),
            "`path` is given twice, as `folder`: omit one"
        );
    }

    #[test]
    fn the_error_for_an_unknown_argument_suggests_the_closest() {
        assert_eq!(
            refused(json!({"queryy": "tea"})),
            "unknown argument `queryy`: did you mean `query`?"
        );
        assert_eq!(
            refused(json!({"question": 1, "query": "x"})),
            "`query` is given twice, as `question`: omit one"
        );
        assert_eq!(refused(json!({})), "`query` is missing, expected a text");
    }

    #[test]
    fn nothing_dissimilar_is_suggested() {
        assert_eq!(
            refused(json!({"xyz": 1, "query": "x"})),
            "unknown argument `xyz`, expected some of deep, fields, kind, limit, path, query, tags"
        );
        assert_eq!(guess("tgas", ["tags"]), Some("tags"));
        assert_eq!(guess("abc", ["tag"]), None);
    }

    #[test]
    fn a_list_may_be_json_in_a_text() {
        let texts = |given: &str| read(json!({"query": "x", "tags": given})).unwrap().tags;
        assert_eq!(texts("[\"a\", \"b\"]"), ["a", "b"]);
        assert_eq!(texts("[a].md"), ["[a].md"]);
        assert_eq!(texts("\"a\""), ["\"a\""]);
        assert_eq!(texts("[1]"), ["[1]"]);
    }

    #[test]
    fn the_error_for_a_wrong_value_names_the_expected_one() {
        let cases = [
            (json!({"query": 3}), "`query` is `3`, expected a text"),
            (
                json!({"limit": 21}),
                "`limit` is `21`, expected a whole number from 1 to 20",
            ),
            (
                json!({"limit": 1.5}),
                "`limit` is `1.5`, expected a whole number from 1 to 20",
            ),
            (
                json!({"kind": "dok"}),
                "`kind` is `\"dok\"`, expected one of doc, script: did you mean `doc`?",
            ),
            (
                json!({"tags": [1]}),
                "`tags` is `1`, expected a list of texts",
            ),
            (
                json!({"deep": 1}),
                "`deep` is `1`, expected `true` or `false`",
            ),
            (
                json!({"fields": [1]}),
                "`fields` is `[1]`, expected an object of names and values",
            ),
            (
                json!({"fields": {"a": [1]}}),
                "`fields` is `[1]`, expected a text for each name",
            ),
        ];
        for (mut given, expected) in cases {
            if given.get("query").is_none() {
                given["query"] = "x".into();
            }
            assert_eq!(refused(given), expected);
        }
    }
}
