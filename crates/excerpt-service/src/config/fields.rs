//! The tables of configuration files, except the one for chunking. Their fields are described by
//! data, and every error names file and position.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use excerpt_chunk::{FileError, closest, fields_named, snake_case};
use serde_json::{Map, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::names::arguments;
use crate::error::{ServiceError, ServiceResult};

/// The type of a field.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FieldType {
    /// Any number.
    Number,
    /// A whole number from 0 to a maximum.
    Whole(u64),
    /// Any text.
    Text,
    /// A list of texts.
    Texts,
    /// `true` or `false`.
    Truth,
    /// One of some words.
    OneOf(&'static [&'static str]),
    /// A nested table.
    Table(&'static Fields<'static>),
}

/// The names and types of a table's fields.
pub(crate) type Fields<'n> = [(&'n str, FieldType)];

/// A file that was read.
#[derive(Debug)]
pub(crate) struct File {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

impl File {
    /// An error about a range of its bytes.
    fn fault(&self, place: Range<usize>, message: String) -> ServiceError {
        ServiceError::Configuration {
            path: self.path.clone(),
            fault: FileError::new(&self.text, place, message),
        }
    }
}

/// The value of a field in a file.
#[derive(Clone, Debug)]
pub(crate) struct FieldValue {
    pub(crate) value: Value,
    file: Arc<File>,
    /// The position of its name.
    place: Range<usize>,
}

impl FieldValue {
    /// An error about it.
    pub(crate) fn fault(&self, message: impl ToString) -> ServiceError {
        self.file.fault(self.place.clone(), message.to_string())
    }

    /// The folder of its file, to which a path is relative.
    #[cfg(feature = "onnx")]
    pub(crate) fn folder(&self) -> PathBuf {
        let path = std::path::absolute(&self.file.path).unwrap_or_else(|_| self.file.path.clone());
        path.parent().map(PathBuf::from).unwrap_or_default()
    }
}

/// A table: its fields by name, those of a nested table as `table.field`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table(pub(crate) BTreeMap<String, FieldValue>);

impl Table {
    /// Reads the table `name` of a file; empty if the file does not have it.
    pub(crate) fn read(file: &Arc<File>, name: &str, fields: &Fields<'_>) -> ServiceResult<Table> {
        let document = parse(file)?;
        let mut table = Table::default();
        if let Some((key, value)) = document.get_ref().get_key_value(name) {
            let DeValue::Table(found) = value.get_ref() else {
                let message = format!("`{name}` is not a table, expected `[{name}]`");
                return Err(file.fault(key.span(), message));
            };
            table.take(file, name, "", found, fields)?;
        }
        Ok(table)
    }

    /// Reads the table `name` of a file, whose fields have any name and are texts.
    pub(crate) fn read_texts(file: &Arc<File>, name: &str) -> ServiceResult<Table> {
        let document = parse(file)?;
        let found = document.get_ref().get_key_value(name);
        let Some((key, value)) = found else {
            return Ok(Table::default());
        };
        let DeValue::Table(found) = value.get_ref() else {
            let message = format!("`{name}` is not a table, expected `[{name}]`");
            return Err(file.fault(key.span(), message));
        };
        let names: Vec<&str> = found.keys().map(|key| &**key.get_ref()).collect();
        let fields: Vec<_> = names
            .into_iter()
            .map(|name| (name, FieldType::Text))
            .collect();
        let mut table = Table::default();
        table.take(file, name, "", found, &fields)?;
        Ok(table)
    }

    fn take(
        &mut self,
        file: &Arc<File>,
        name: &str,
        prefix: &str,
        table: &DeTable<'_>,
        fields: &Fields<'_>,
    ) -> ServiceResult<()> {
        let mut entries: Vec<_> = table.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        for (key, value) in entries {
            let field: &str = key.get_ref();
            let known = fields.iter().find(|(known, _)| *known == field);
            let Some((_, kind)) = known else {
                let next = next(field, fields.iter().map(|(known, _)| *known));
                let message = format!("unknown field `{field}` in `[{name}]`, {next}");
                return Err(file.fault(key.span(), message));
            };
            if let (FieldType::Table(fields), DeValue::Table(inner)) = (kind, value.get_ref()) {
                let inner_name = format!("{name}.{field}");
                self.take(file, &inner_name, &format!("{field}."), inner, fields)?;
                continue;
            }
            let Some(value) = kind.value(value.get_ref()) else {
                let written = &file.text[value.span()];
                let written = written.lines().next().unwrap_or_default();
                let message = format!("`{field}` is `{written}`, expected {}", kind.expected());
                return Err(file.fault(value.span(), message));
            };
            let entry = FieldValue {
                value,
                file: Arc::clone(file),
                place: key.span(),
            };
            self.0.insert(format!("{prefix}{field}"), entry);
        }
        Ok(())
    }

    /// The fields set here, and for all others those of `other`.
    pub(crate) fn or(self, mut other: Table) -> Table {
        other.0.extend(self.0);
        other
    }

    /// The fields as JSON, those of a nested table in a nested object.
    pub(crate) fn json(&self) -> Value {
        let mut object = Map::new();
        for (name, entry) in &self.0 {
            match name.split_once('.') {
                None => {
                    object.insert(name.clone(), entry.value.clone());
                }
                Some((table, field)) => {
                    let inner = object.entry(table).or_insert_with(|| Map::new().into());
                    inner[field] = entry.value.clone();
                }
            }
        }
        object.into()
    }

    /// The entry of the field that an error names, whichever table it is in.
    pub(crate) fn entry(&self, field: &str) -> Option<&FieldValue> {
        let mut entries = self.0.iter();
        let found = entries.find(|(name, _)| name.rsplit('.').next() == Some(field));
        found.map(|(_, entry)| entry)
    }
}

impl FieldType {
    /// The value as JSON; `None` if it has another type.
    fn value(self, value: &DeValue<'_>) -> Option<Value> {
        match (self, value) {
            (FieldType::Number, DeValue::Float(number)) => {
                let number: f64 = number.as_str().parse().ok()?;
                serde_json::Number::from_f64(number).map(Value::Number)
            }
            (FieldType::Number, DeValue::Integer(number)) => {
                let number = i64::from_str_radix(number.as_str(), number.radix()).ok()?;
                Some((number as f64).into())
            }
            (FieldType::Whole(most), DeValue::Integer(number)) => {
                let number = u64::from_str_radix(number.as_str(), number.radix()).ok()?;
                (number <= most).then(|| number.into())
            }
            (FieldType::Text, DeValue::String(text)) => Some(text.as_ref().into()),
            (FieldType::Texts, DeValue::Array(list)) => {
                let texts = list.iter().map(|text| text.get_ref().as_str());
                texts.map(|text| text.map(Value::from)).collect()
            }
            (FieldType::Truth, DeValue::Boolean(truth)) => Some((*truth).into()),
            (FieldType::OneOf(words), DeValue::String(text)) => {
                words.contains(&text.as_ref()).then(|| text.as_ref().into())
            }
            _ => None,
        }
    }

    fn expected(self) -> String {
        match self {
            FieldType::Number => "a number".to_string(),
            FieldType::Whole(most) => format!("a whole number from 0 to {most}"),
            FieldType::Text => "text in quotes".to_string(),
            FieldType::Texts => "a list of texts in quotes".to_string(),
            FieldType::Truth => "true or false".to_string(),
            FieldType::OneOf(words) => format!("one of {}", words.join(", ")),
            FieldType::Table(_) => "a table".to_string(),
        }
    }
}

/// Checks that the file has only tables with these names.
pub(crate) fn check_names(file: &File, names: &[&'static str]) -> ServiceResult<()> {
    let document = parse(file)?;
    let mut entries: Vec<_> = document.get_ref().iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    for (key, value) in entries {
        let name: &str = key.get_ref();
        if !names.contains(&name) {
            let kind = match value.get_ref() {
                DeValue::Table(_) => "table",
                _ => "field",
            };
            let message = match inside(name, value.get_ref(), names, DEEPEST) {
                Some((path, ours)) => format!("unknown table `{path}`, did you mean `[{ours}]`?"),
                None => {
                    let next = match fields_named(name).first() {
                        Some(field) => format!("did you mean `{field}` in `[chunking]`?"),
                        None => next(name, names.iter().copied()),
                    };
                    format!("unknown {kind} `{name}`, {next}")
                }
            };
            return Err(file.fault(key.span(), message));
        }
    }
    Ok(())
}

/// How deep a table of another tool is looked into.
const DEEPEST: usize = 4;

/// The path of a table inside the table at `path` that has one of our names, as other tools nest it
/// in one of their own, and that name.
fn inside(
    path: &str,
    value: &DeValue<'_>,
    names: &[&'static str],
    depth: usize,
) -> Option<(String, &'static str)> {
    let DeValue::Table(table) = value else {
        return None;
    };
    let mut tables = table.iter().filter(|(_, value)| value.get_ref().is_table());
    tables.find_map(|(key, value)| {
        let path = format!("{path}.{}", key.get_ref());
        match names.iter().find(|name| **name == key.get_ref()) {
            Some(ours) => Some((path, *ours)),
            None => inside(&path, value.get_ref(), names, depth.checked_sub(1)?),
        }
    })
}

fn parse(file: &File) -> ServiceResult<Spanned<DeTable<'_>>> {
    DeTable::parse(&file.text).map_err(|error| {
        let place = error.span().unwrap_or(0..0);
        file.fault(place, error.message().to_string())
    })
}

/// A suggestion for an unknown name, for the end of a message.
fn next<'n>(name: &str, known: impl Iterator<Item = &'n str> + Clone) -> String {
    let plain = snake_case(name);
    if arguments(&plain).any(|ours| ours == "limit") || plain == "limit" {
        return "set the number of results for each search: `--limit`, or `limit` in MCP"
            .to_string();
    }
    match closest(name, known.clone()) {
        Some(close) => format!("did you mean `{close}`?"),
        None => format!("expected one of {}", known.collect::<Vec<_>>().join(", ")),
    }
}
