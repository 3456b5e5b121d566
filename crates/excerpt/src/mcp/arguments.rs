//! The arguments of a tool, read strictly: an unknown argument, a duplicate or a wrong type is an
//! error that says what was expected. The names that other tools use for the same arguments are
//! accepted.

use excerpt_chunk::{Settings, closest, settings_from_json, snake_case};
use excerpt_service::other_names;
use excerpt_service::text::shown;
use serde_json::{Map, Value};

use super::reply::Form;

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

/// The arguments of a call.
pub(super) struct Arguments {
    values: Map<String, Value>,
}

impl Arguments {
    /// Reads the arguments of a call to a tool with the given schema.
    pub(super) fn of(
        given: Option<Map<String, Value>>,
        schema: &Map<String, Value>,
    ) -> anyhow::Result<Self> {
        let known = schema.get("properties").and_then(Value::as_object);
        let known: Vec<&str> = known
            .into_iter()
            .flatten()
            .map(|(name, _)| &**name)
            .collect();
        let mut values = Map::new();
        for (name, value) in with_filters(given.unwrap_or_default(), &known) {
            let field = meant(&name, &known)?;
            // `null` is the same as no argument.
            if value.is_null() {
                continue;
            }
            if values.insert(field.to_string(), value).is_some() {
                anyhow::bail!("`{field}` is given twice, as `{}`: omit one", shown(&name));
            }
        }
        let required = schema.get("required").and_then(Value::as_array);
        for name in required.into_iter().flatten().filter_map(Value::as_str) {
            if !values.contains_key(name) {
                anyhow::bail!("`{name}` is missing, expected {}", expected(schema, name));
            }
        }
        Ok(Arguments { values })
    }

    /// A text.
    pub(super) fn text(&mut self, name: &str) -> anyhow::Result<Option<String>> {
        match self.values.remove(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(wrong(name, &other, "a text")),
        }
    }

    /// A list of texts, possibly as JSON in a text. A single text is a list of one.
    pub(super) fn texts(&mut self, name: &str) -> anyhow::Result<Vec<String>> {
        match self.values.remove(name) {
            None => Ok(Vec::new()),
            Some(Value::String(text)) => Ok(match serde_json::from_str(&text) {
                Ok(texts) => texts,
                Err(_) => vec![text],
            }),
            Some(Value::Array(values)) => {
                let texts = values.into_iter().map(|value| match value {
                    Value::String(text) => Ok(text),
                    other => Err(wrong(name, &other, "a list of texts")),
                });
                texts.collect()
            }
            Some(other) => Err(wrong(name, &other, "a list of texts")),
        }
    }

    /// A whole number in a range, possibly written as a text.
    pub(super) fn whole(
        &mut self,
        name: &str,
        from: usize,
        to: usize,
    ) -> anyhow::Result<Option<usize>> {
        let Some(value) = self.values.remove(name) else {
            return Ok(None);
        };
        let number = match &value {
            Value::Number(number) => match number.as_u64() {
                Some(number) => Some(number),
                None => number
                    .as_f64()
                    .filter(|number| number.fract() == 0.0 && (0.0..1e15).contains(number))
                    .map(|number| number as u64),
            },
            Value::String(text) => text.parse().ok(),
            _ => None,
        };
        let number = number.and_then(|number| usize::try_from(number).ok());
        match number.filter(|number| (from..=to).contains(number)) {
            Some(number) => Ok(Some(number)),
            None if to == usize::MAX => {
                Err(wrong(name, &value, &format!("a whole number from {from}")))
            }
            None => Err(wrong(
                name,
                &value,
                &format!("a whole number from {from} to {to}"),
            )),
        }
    }

    /// A truth value.
    pub(super) fn truth(&mut self, name: &str) -> anyhow::Result<bool> {
        match self.values.remove(name) {
            None => Ok(false),
            Some(Value::Bool(truth)) => Ok(truth),
            Some(Value::String(text)) if text == "true" => Ok(true),
            Some(Value::String(text)) if text == "false" => Ok(false),
            Some(other) => Err(wrong(name, &other, "`true` or `false`")),
        }
    }

    /// One of some words.
    pub(super) fn word<'w>(
        &mut self,
        name: &str,
        words: &[&'w str],
    ) -> anyhow::Result<Option<&'w str>> {
        let Some(value) = self.values.remove(name) else {
            return Ok(None);
        };
        let word = value.as_str().map(str::to_lowercase);
        match words.iter().find(|known| word.as_deref() == Some(**known)) {
            Some(word) => Ok(Some(word)),
            None => {
                let close = word.and_then(|word| guess(&word, words.iter().copied()));
                let close = close.map(|word| format!(": did you mean `{word}`?"));
                let expected = format!("one of {}{}", words.join(", "), close.unwrap_or_default());
                Err(wrong(name, &value, &expected))
            }
        }
    }

    /// The form of the answer.
    pub(super) fn form(&mut self) -> anyhow::Result<Form> {
        let name = self.word("format", &Form::NAMES)?;
        Ok(name.map_or_else(Form::default, Form::named))
    }

    /// Names with values: an object, or a list of `NAME=VALUE`.
    pub(super) fn pairs(&mut self, name: &str) -> anyhow::Result<Vec<(String, String)>> {
        let object = match self.values.remove(name) {
            None => return Ok(Vec::new()),
            Some(Value::Object(object)) => object,
            Some(other) => return Err(wrong(name, &other, "an object of names and values")),
        };
        let pairs = object.into_iter().map(|(field, value)| match value {
            Value::String(text) => Ok((field, text)),
            Value::Number(number) => Ok((field, number.to_string())),
            Value::Bool(truth) => Ok((field, truth.to_string())),
            other => Err(wrong(name, &other, "a text for each name")),
        });
        pairs.collect()
    }

    /// A chunking configuration.
    pub(super) fn chunking(&mut self) -> anyhow::Result<Settings> {
        match self.values.remove("chunking") {
            None => Ok(Settings::default()),
            Some(Value::Object(said)) => settings_from_json(&said).map_err(anyhow::Error::msg),
            Some(other) => Err(wrong(
                "chunking",
                &other,
                "an object such as `{\"strategy\": \"headers\", \"max\": 800}`",
            )),
        }
    }
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

fn expected(schema: &Map<String, Value>, name: &str) -> &'static str {
    let kind = schema["properties"][name]
        .get("type")
        .and_then(Value::as_str);
    match kind {
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
    use serde_json::json;

    use super::*;

    fn schema() -> Map<String, Value> {
        let schema = json!({
            "properties": {
                "query": {"type": "string"}, "limit": {"type": "integer"}, "kind": {}, "tags": {}, "deep": {},
            },
            "required": ["query"],
        });
        schema.as_object().unwrap().clone()
    }

    fn read(given: Value) -> anyhow::Result<Arguments> {
        Arguments::of(given.as_object().cloned(), &schema())
    }

    fn refused(given: Value) -> String {
        read(given).err().unwrap().to_string()
    }

    #[test]
    fn other_names_are_understood() {
        let mut read =
            read(json!({"q": "tea", "top_k": "7", "type": "doc", "tag": "a", "maxTokens": null}))
                .err()
                .map(|error| error.to_string());
        assert_eq!(
            read.take().unwrap(),
            "unknown argument `maxTokens`, expected some of deep, kind, limit, query, tags"
        );
        let mut read =
            self::read(json!({"q": "tea", "top_k": "7", "type": "doc", "tag": "a"})).unwrap();
        assert_eq!(read.text("query").unwrap().unwrap(), "tea");
        assert_eq!(read.whole("limit", 1, 20).unwrap(), Some(7));
        assert_eq!(read.word("kind", &["doc", "script"]).unwrap(), Some("doc"));
        assert_eq!(read.texts("tags").unwrap(), ["a"]);
    }

    #[test]
    fn filters_of_other_tools_are_arguments_or_fields() {
        let schema =
            json!({"properties": {"query": {}, "path": {}, "tags": {}, "fields": {}, "limit": {}}});
        let read = |given: Value| {
            let given = given.as_object().cloned();
            Arguments::of(given, schema.as_object().unwrap())
        };
        let given = json!({"query": "tea", "max_num_results": 3, "filters": {"folder": "docs", "status": "open"}});
        let mut said = read(given).unwrap();
        assert_eq!(said.text("path").unwrap().unwrap(), "docs");
        assert_eq!(
            said.pairs("fields").unwrap(),
            [("status".to_string(), "open".to_string())]
        );
        assert_eq!(said.whole("limit", 1, 20).unwrap(), Some(3));
        let twice = read(json!({"path": "a", "filters": {"folder": "b"}}));
        assert_eq!(
            twice.err().unwrap().to_string(),
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
            "unknown argument `xyz`, expected some of deep, kind, limit, query, tags"
        );
        assert_eq!(guess("tgas", ["tags"]), Some("tags"));
        assert_eq!(guess("abc", ["tag"]), None);
    }

    #[test]
    fn a_list_may_be_json_in_a_text() {
        let texts = |given: &str| {
            let mut read = read(json!({"query": "x", "tags": given})).unwrap();
            read.texts("tags").unwrap()
        };
        assert_eq!(texts("[\"a\", \"b\"]"), ["a", "b"]);
        assert_eq!(texts("[a].md"), ["[a].md"]);
        assert_eq!(texts("\"a\""), ["\"a\""]);
        assert_eq!(texts("[1]"), ["[1]"]);
    }

    #[test]
    fn the_error_for_a_wrong_type_names_the_expected_one() {
        let mut read =
            read(json!({"query": 3, "limit": 21, "kind": "dok", "tags": [1], "deep": 1})).unwrap();
        let told = |result: anyhow::Error| result.to_string();
        assert_eq!(
            told(read.text("query").unwrap_err()),
            "`query` is `3`, expected a text"
        );
        assert_eq!(
            told(read.whole("limit", 1, 20).unwrap_err()),
            "`limit` is `21`, expected a whole number from 1 to 20"
        );
        let kind = read.word("kind", &["doc", "script"]).unwrap_err();
        assert_eq!(
            told(kind),
            "`kind` is `\"dok\"`, expected one of doc, script: did you mean `doc`?"
        );
        assert_eq!(
            told(read.texts("tags").unwrap_err()),
            "`tags` is `1`, expected a list of texts"
        );
        assert_eq!(
            told(read.truth("deep").unwrap_err()),
            "`deep` is `1`, expected `true` or `false`"
        );
    }
}
