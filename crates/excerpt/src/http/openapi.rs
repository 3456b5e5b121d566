//! The description of the API: OpenAPI 3.1 from the operations and their types, as JSON and as a
//! page to read.

use std::fmt::Write as _;

use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::api::{Operation, ReplyForm};
use super::call::{JSON, kept};
use super::problem::ProblemDetails;
use crate::page::Attribute as escaped;

/// Where schemas are in a document of OpenAPI 3.1.
const SCHEMAS: &str = "/components/schemas";

/// The problems that every operation may answer with.
const COMMON: [u16; 7] = [400, 401, 403, 421, 429, 500, 503];

/// The description, in both forms.
pub(super) struct Description {
    json: Vec<u8>,
    page: String,
}

impl Description {
    /// That of some operations.
    pub(super) fn of(operations: &[Operation]) -> Description {
        let document = document(operations);
        Description {
            // It is made of values that can be written.
            json: serde_json::to_vec_pretty(&document).unwrap_or_default(),
            page: page_of(operations, &document),
        }
    }

    /// The answer of `/v1/openapi.json`.
    pub(super) fn json(&self, headers: &HeaderMap) -> Response {
        kept(headers, self.json.clone(), JSON)
    }

    /// The answer of `/v1`: the same as a page.
    pub(super) fn page(&self, headers: &HeaderMap) -> Response {
        kept(
            headers,
            self.page.clone().into_bytes(),
            "text/html; charset=utf-8",
        )
    }
}

fn document(operations: &[Operation]) -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.definitions_path = SCHEMAS.into();
    });
    // The same types are written and read.
    let mut requests = settings.clone().into_generator();
    let mut answers = settings.for_serialize().into_generator();
    let problem = answers.subschema_for::<ProblemDetails>().to_value();
    let mut paths = Map::new();
    for operation in operations {
        let described = described(operation, &mut requests, &mut answers, &problem);
        let path = paths.entry(operation.path).or_insert_with(|| json!({}));
        path[operation.method.as_str().to_lowercase()] = described;
    }
    let mut schemas = answers.take_definitions(true);
    for (name, mut schema) in requests.take_definitions(true) {
        bounded(&mut schema);
        schemas.insert(name, schema);
    }
    for schema in schemas.values_mut() {
        plain_texts(schema);
    }
    let mut paths = Value::Object(paths);
    plain_texts(&mut paths);
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "excerpt",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Finds the passage that answers a question, in documents, notes and code. Every request needs a token: `Authorization: Bearer …`.",
            "license": {"name": env!("CARGO_PKG_LICENSE")},
        },
        "servers": [{"url": "/"}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "The token that `excerpt serve` makes, or one of `excerpt token add`.",
                },
            },
        },
    })
}

fn described(
    operation: &Operation,
    requests: &mut SchemaGenerator,
    answers: &mut SchemaGenerator,
    problem: &Value,
) -> Value {
    let mut parameters = Vec::new();
    for (name, about) in operation.path_parameters {
        parameters.push(json!({
            "name": name,
            "in": "path",
            "required": true,
            "description": about,
            "schema": {"type": "string", "minLength": 1},
        }));
    }
    if let Some(query) = operation.query {
        let schema = query(requests).to_value();
        parameters.extend(in_query(&schema, requests));
    }
    let mut responses = Map::new();
    let kind = match &operation.answer {
        ReplyForm::Json(schema) => Some(("application/json", answers_schema(*schema, answers))),
        ReplyForm::Text(kind) => Some((*kind, json!({"type": "string"}))),
        ReplyForm::Nothing => None,
    };
    let mut answered = json!({"description": in_words(operation.status)});
    if let Some((kind, schema)) = kind {
        answered["content"] = json!({kind: {"schema": schema}});
    }
    if let Some(status) = operation.other_status {
        let mut answered = answered.clone();
        answered["description"] = in_words(status).into();
        responses.insert(status.to_string(), answered);
    }
    responses.insert(operation.status.to_string(), answered);
    let mut statuses = COMMON.to_vec();
    statuses.extend(operation.problems);
    if operation.body.is_some() {
        statuses.extend([408, 413, 415]);
    }
    // A value may be of the right form and still mean nothing here.
    if takes_values(operation) {
        statuses.push(422);
    }
    statuses.sort_unstable();
    statuses.dedup();
    for status in statuses {
        let described = json!({
            "description": in_words(status),
            "content": {"application/problem+json": {"schema": problem}},
        });
        responses.insert(status.to_string(), described);
    }
    // These come before a request reaches anything that could say more.
    for status in [414, 431] {
        responses.insert(status.to_string(), json!({"description": in_words(status)}));
    }
    let mut described = json!({
        "operationId": operation.id,
        "tags": [operation.group],
        "summary": operation.summary,
        "responses": responses,
    });
    if !operation.description.is_empty() {
        described["description"] = operation.description.into();
    }
    if !parameters.is_empty() {
        described["parameters"] = parameters.into();
    }
    if let Some(body) = operation.body {
        let schema = body(requests).to_value();
        described["requestBody"] = json!({
            "required": !operation.is_body_optional,
            "content": {"application/json": {"schema": schema}},
        });
    }
    described
}

/// Whether a request contains values of the client's choice.
fn takes_values(operation: &Operation) -> bool {
    !operation.path_parameters.is_empty() || operation.query.is_some() || operation.body.is_some()
}

fn answers_schema(
    schema: fn(&mut SchemaGenerator) -> schemars::Schema,
    to: &mut SchemaGenerator,
) -> Value {
    schema(to).to_value()
}

fn in_words(status: u16) -> &'static str {
    let status = StatusCode::from_u16(status).ok();
    status
        .and_then(|status| status.canonical_reason())
        .unwrap_or("Answer")
}

/// The fields of a type as parameters of a query.
fn in_query(schema: &Value, generator: &SchemaGenerator) -> Vec<Value> {
    let name = schema["$ref"]
        .as_str()
        .and_then(|path| path.rsplit('/').next());
    let defined = name.and_then(|name| generator.definitions().get(name));
    let schema = defined.unwrap_or(schema);
    let required: Vec<&str> = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let fields = schema["properties"].as_object();
    let fields = fields.into_iter().flatten().map(|(name, field)| {
        let mut field = field.clone();
        let about = field.as_object_mut().and_then(|it| it.remove("description"));
        without_null(&mut field);
        bounded(&mut field);
        // An object is written as pairs.
        if field["type"] == "object" {
            field = json!({"type": "array", "items": {"type": "string", "pattern": "^[^=\\s][^=]*=.*$"}});
        }
        let mut parameter = json!({
            "name": name,
            "in": "query",
            "required": required.contains(&&**name),
            "schema": field,
        });
        if let Some(about) = about {
            parameter["description"] = about;
        }
        parameter
    });
    fields.collect()
}

/// Whole numbers have an end.
fn bounded(schema: &mut Value) {
    let is_whole = schema["type"] == "integer"
        || schema["type"]
            .as_array()
            .is_some_and(|types| types.iter().any(|it| it == "integer"));
    match schema {
        Value::Object(fields) => {
            if is_whole {
                fields.entry("maximum").or_insert(u64::MAX.into());
            }
            fields.values_mut().for_each(bounded);
        }
        Value::Array(values) => values.iter_mut().for_each(bounded),
        _ => {}
    }
}

/// A parameter is left out rather than null.
fn without_null(field: &mut Value) {
    let Some(object) = field.as_object_mut() else {
        return;
    };
    if object.get("default").is_some_and(Value::is_null) {
        object.remove("default");
    }
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = &mut types[..] {
            let only = only.take();
            object.insert("type".into(), only);
        }
    }
    if let Some(Value::Array(choices)) = object.get_mut("anyOf") {
        choices.retain(|choice| choice["type"] != "null");
        if let [Value::Object(only)] = &mut choices[..] {
            let only = std::mem::take(only);
            object.remove("anyOf");
            object.extend(only);
        }
    }
}

/// Descriptions are written for the readers of the source: links between its parts become plain.
fn plain_texts(value: &mut Value) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(plain_texts),
        Value::Object(fields) => {
            for (name, value) in fields.iter_mut() {
                match value {
                    Value::String(text) if name == "description" => *text = plain_text(text),
                    value => plain_texts(value),
                }
            }
        }
        _ => {}
    }
}

fn plain_text(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("[`") {
        let (before, link) = rest.split_at(at);
        plain += before;
        let Some(end) = link.find("`]") else {
            rest = link;
            break;
        };
        let name = &link[2..end];
        let name = name.rsplit("::").next().unwrap_or(name);
        plain += &format!("`{name}`");
        rest = &link[end + 2..];
        // The target of a link.
        if rest.starts_with('(')
            && let Some(end) = rest.find(')')
        {
            rest = &rest[end + 1..];
        }
    }
    plain + rest
}

/// The description as a page that needs nothing else.
fn page_of(operations: &[Operation], document: &Value) -> String {
    let mut page = String::from(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n<title>The API of excerpt</title>\n<main>\n<h1>The API of excerpt</h1>\n",
    );
    page += "<p>Every request needs a token: <code>Authorization: Bearer …</code>. The same for programs: <a href=\"/v1/openapi.json\">OpenAPI 3.1</a>. MCP is at <code>/mcp</code>.</p>\n";
    let mut group = "";
    for operation in operations {
        if operation.group != group {
            group = operation.group;
            let _ = writeln!(page, "<h2>{}</h2>", escaped(group));
        }
        let (method, path) = (&operation.method, escaped(operation.path));
        let _ = writeln!(page, "<h3><code>{method} {path}</code></h3>");
        let _ = writeln!(page, "<p>{}.</p>", marked(operation.summary));
        if !operation.description.is_empty() {
            let _ = writeln!(page, "<p>{}</p>", marked(operation.description));
        }
        let described = &document["paths"][operation.path][method.as_str().to_lowercase()];
        table(&mut page, "Parameters", &rows_of_parameters(described));
        let body = &described["requestBody"]["content"]["application/json"]["schema"];
        table(&mut page, "Body", &rows_of_schema(body, document));
        let status = operation.status.to_string();
        let answer = &described["responses"][&*status]["content"]["application/json"]["schema"];
        table(
            &mut page,
            &format!("Answer {status}"),
            &rows_of_schema(answer, document),
        );
    }
    page + "</main>\n</html>\n"
}

/// The name, the type and the description of a field.
type Row = (String, String, String);

fn rows_of_parameters(described: &Value) -> Vec<Row> {
    let all = described["parameters"].as_array().into_iter().flatten();
    all.map(|parameter| {
        row(
            &parameter["name"],
            &parameter["schema"],
            &parameter["description"],
        )
    })
    .collect()
}

fn rows_of_schema(schema: &Value, document: &Value) -> Vec<Row> {
    let pointer = schema["$ref"].as_str().unwrap_or_default();
    let schema = document
        .pointer(pointer.trim_start_matches('#'))
        .filter(|_| !pointer.is_empty())
        .unwrap_or(schema);
    let fields = schema["properties"].as_object().into_iter().flatten();
    fields
        .map(|(name, field)| row(&name.clone().into(), field, &field["description"]))
        .collect()
}

fn row(name: &Value, schema: &Value, about: &Value) -> Row {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    (text(name), type_of(schema), text(about))
}

/// The type of a field in a few words.
fn type_of(schema: &Value) -> String {
    if let Some(path) = schema["$ref"].as_str() {
        return path.rsplit('/').next().unwrap_or_default().to_string();
    }
    if let Some(words) = schema["enum"].as_array() {
        let words = words.iter().filter_map(Value::as_str);
        return words.collect::<Vec<_>>().join(" | ");
    }
    if let Some(choices) = schema["anyOf"].as_array().or(schema["oneOf"].as_array()) {
        let choices = choices.iter().map(|choice| match &choice["const"] {
            Value::String(word) => word.clone(),
            _ => type_of(choice),
        });
        let choices = choices.filter(|choice| choice != "null");
        return choices.collect::<Vec<_>>().join(" | ");
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
        single => single.as_str().into_iter().collect(),
    };
    let types = types.into_iter().filter(|name| *name != "null");
    let types = types.map(|name| match name {
        "array" => format!("list of {}", type_of(&schema["items"])),
        name => name.to_string(),
    });
    types.collect::<Vec<_>>().join(" | ")
}

fn table(page: &mut String, title: &str, rows: &[Row]) {
    if rows.is_empty() {
        return;
    }
    let _ = writeln!(page, "<table>\n<caption>{}</caption>", escaped(title));
    *page += "<tr><th scope=\"col\">Name</th><th scope=\"col\">Type</th><th scope=\"col\">What it is</th></tr>\n";
    for (name, kind, about) in rows {
        let _ = writeln!(
            page,
            "<tr><td><code>{}</code></td><td>{}</td><td>{}</td></tr>",
            escaped(name),
            escaped(kind),
            marked(about)
        );
    }
    *page += "</table>\n";
}

/// A text with its code between backticks.
fn marked(text: &str) -> String {
    let parts = text.split('`').enumerate();
    let parts = parts.map(|(at, part)| match at % 2 {
        1 => format!("<code>{}</code>", escaped(part)),
        _ => escaped(part).to_string(),
    });
    parts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::api::operations;

    #[test]
    fn every_operation_is_described_with_its_types() {
        let operations = operations();
        let document = document(&operations);
        for operation in &operations {
            let method = operation.method.as_str().to_lowercase();
            let described = &document["paths"][operation.path][&*method];
            assert!(described["summary"].is_string(), "{}", operation.path);
        }
        let text = document.to_string();
        assert!(!text.contains("[`"), "links of the source");
        for reference in text.split("\"$ref\":\"#").skip(1) {
            let pointer = reference.split('"').next().unwrap();
            assert!(document.pointer(pointer).is_some(), "{pointer}");
        }
        let ids: Vec<_> = operations.iter().map(|operation| operation.id).collect();
        let mut unique = ids.clone();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), ids.len());
    }

    #[test]
    fn links_of_the_source_are_plain_texts() {
        assert_eq!(
            plain_text("See [`A::b`](crate::A), [`c`]."),
            "See `b`, `c`."
        );
        assert_eq!(plain_text("[`open"), "[`open");
    }
}
