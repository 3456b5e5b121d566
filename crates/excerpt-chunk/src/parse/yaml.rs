//! YAML by the core schema of YAML 1.2, where `yes` and `0644` are text.

use std::fmt;

use serde::Deserialize as _;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use serde_saphyr::options::DuplicateKeyPolicy;
use serde_saphyr::{Error, Options};

/// The value of a document.
///
/// A number that JSON would write in another way, such as `1.10`, is text, too: a version or a tag
/// is found as it is written.
pub(super) fn value(text: &str) -> Result<Value, Error> {
    let value: Value = serde_saphyr::from_str_with_options(text, options())?;
    Ok(as_written(text, value))
}

fn options() -> Options {
    serde_saphyr::options! {
        duplicate_keys: DuplicateKeyPolicy::LastWins,
        strict_booleans: true,
        leading_zero_numbers_as_strings: true,
        underscored_numbers_as_strings: true,
    }
}

/// A value, with numbers as text if they are written in another way than in JSON.
fn as_written(text: &str, value: Value) -> Value {
    if !has_number(&value) {
        return value;
    }
    let read = |reader: serde_saphyr::Deserializer<'_, '_>| Written(&value).deserialize(reader);
    let written = serde_saphyr::with_deserializer_from_str_with_options(text, options(), read);
    written.unwrap_or(value)
}

fn has_number(value: &Value) -> bool {
    match value {
        Value::Number(_) => true,
        Value::Array(values) => values.iter().any(has_number),
        Value::Object(fields) => fields.values().any(has_number),
        _ => false,
    }
}

/// Reads the text of a value again.
struct Written<'v>(&'v Value);

impl<'de> DeserializeSeed<'de> for Written<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        match self.0 {
            Value::Number(number) => {
                let text = String::deserialize(reader)?;
                Ok(match number.to_string() == text {
                    true => self.0.clone(),
                    false => text.into(),
                })
            }
            Value::Array(_) => reader.deserialize_seq(self),
            Value::Object(_) => reader.deserialize_map(self),
            value => IgnoredAny::deserialize(reader).map(|_| value.clone()),
        }
    }
}

impl<'de> Visitor<'de> for Written<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the same value")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Value, A::Error> {
        let known = self.0.as_array().into_iter().flatten();
        let mut written = Vec::new();
        for value in known {
            written.extend(values.next_element_seed(Written(value))?);
        }
        Ok(written.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut written = Map::new();
        while let Some(name) = fields.next_key::<String>()? {
            let value = fields.next_value_seed(Written(&self.0[&name]))?;
            written.insert(name, value);
        }
        Ok(written.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yaml_is_read_by_the_core_schema_and_keeps_what_is_no_plain_number() {
        let fields = |yaml: &str| value(yaml).unwrap();
        assert_eq!(
            fields("tags: [y, no, On, 1.10, 2026, true]\nmode: 0644\nversion: 1.10\n"),
            serde_json::json!({
                "tags": ["y", "no", "On", "1.10", 2026, true],
                "mode": "0644",
                "version": "1.10",
            })
        );
        assert_eq!(
            fields(
                "a: {b: [0x1F, 1_000, 1e3, -3, 0.5], c: ~}\nd: 2026-01-31\ne: '1.10'\nf: 12:30\nd: off\n"
            ),
            serde_json::json!({
                "a": {"b": ["0x1F", "1_000", "1e3", -3, 0.5], "c": null},
                "d": "off",
                "e": "1.10",
                "f": "12:30",
            })
        );
    }
}
