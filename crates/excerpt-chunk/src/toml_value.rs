//! Values of TOML as JSON.

use serde_json::{Number, Value};
use toml::Spanned;
use toml::de::DeValue;

/// A value in `text` as JSON. A date, and what `number` does not take for a number, is its text.
pub(crate) fn json(
    text: &str,
    value: &Spanned<DeValue<'_>>,
    number: fn(&str) -> Option<Number>,
) -> Value {
    match value.get_ref() {
        DeValue::String(string) => Value::String(string.to_string()),
        DeValue::Boolean(boolean) => Value::Bool(*boolean),
        DeValue::Array(array) => {
            let values = array.iter();
            values.map(|value| json(text, value, number)).collect()
        }
        DeValue::Table(table) => {
            let fields = table.iter();
            fields
                .map(|(key, value)| (key.get_ref().to_string(), json(text, value, number)))
                .collect()
        }
        DeValue::Integer(_) | DeValue::Float(_) | DeValue::Datetime(_) => {
            let written = &text[value.span()];
            number(written).map_or_else(|| written.into(), Value::Number)
        }
    }
}
