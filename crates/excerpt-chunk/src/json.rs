//! The chunking configuration as programs pass it: an object of JSON.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::alias;
use crate::chunker::Chunker;
use crate::fields::checked;
use crate::settings::Settings;

/// Reads a chunking configuration from JSON, as programs pass it: with every field and alias that a
/// configuration file may have. `null` is the same as no field.
///
/// ```
/// use excerpt_chunk::settings_from_json;
/// use serde_json::{Map, json};
///
/// let said = Map::from_iter([("maxChunkTokens".to_string(), json!(300))]);
/// assert_eq!(settings_from_json(&said).unwrap().max, Some(300));
/// ```
///
/// # Errors
///
/// What is wrong and what was expected: an unknown field, a value of the wrong type, a
/// contradiction between fields.
pub fn settings_from_json(said: &Map<String, Value>) -> Result<Settings, String> {
    let mut values = Map::new();
    let mut names = BTreeMap::new();
    for (key, value) in said {
        if value.is_null() {
            // Only the name matters: any value of a known field will do.
            alias::fields("chunking", key, Value::Bool(false))?;
            continue;
        }
        for (field, value) in alias::fields("chunking", key, value.clone())? {
            alias::note(&mut names, field, key)?;
            values.insert(field.to_string(), checked(field, key, value)?);
        }
    }
    let settings =
        Settings::deserialize(Value::Object(values)).map_err(|error| error.to_string())?;
    match Chunker::new(settings.config()) {
        Ok(_) => Ok(settings),
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_says_the_same_in_json() {
        let read = |said: Value| match said {
            Value::Object(said) => settings_from_json(&said),
            _ => Err("no object".to_string()),
        };
        let said = serde_json::json!({"header_split_levels": [2], "max_chunk_size": 900});
        let settings = read(said).unwrap();
        assert_eq!(
            (settings.max, settings.levels),
            (Some(900), "2".parse().ok())
        );
        let said = serde_json::json!({"max": null, "semantic": null, "overlap": null});
        assert_eq!(read(said).unwrap(), Settings::default());
        for (said, message) in [
            (
                serde_json::json!({"maxx": 3}),
                "unknown field `maxx` in `chunking`, did you mean `max`?",
            ),
            (
                serde_json::json!({"maxx": null}),
                "unknown field `maxx` in `chunking`, did you mean `max`?",
            ),
            (
                serde_json::json!({"max": "large"}),
                "`max` is `\"large\"`, expected a whole number from 0",
            ),
            (
                serde_json::json!({"max": 900, "maxTokens": 800}),
                "`max` is given twice, as `max` and `maxTokens`",
            ),
            (
                serde_json::json!({"overlap": -1}),
                "`overlap` is `-1`, expected a size such as `80`, or a share of `target` from `0%` to `99%`",
            ),
            (
                serde_json::json!({"min": 900}),
                "`min` is `900`, expected a size below `target` (400)",
            ),
        ] {
            assert_eq!(read(said).unwrap_err(), message);
        }
    }
}
