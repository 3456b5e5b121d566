//! The settings that apply to a source, each with its origin, as `excerpt status --config` shows
//! them.

use excerpt_chunk::Preset;
use excerpt_index::{Collection, RankingPreset, Settings, SyncOptions};
use excerpt_service::{Configuration, said};
use owo_colors::Style;
use serde::Serialize;
use serde_json::Value;

use crate::output::{Output, SCHEMA};

/// A setting that applies.
#[derive(Debug, PartialEq, Serialize)]
struct Setting {
    schema: u32,
    /// Its name in a configuration file: `table.field`.
    name: String,
    value: Value,
    /// Its origin.
    from: String,
}

/// Prints every setting that applies to a source synced with `options`. `collection` is the
/// collection that the source is, if any.
pub(super) fn print(
    output: &mut Output,
    configuration: &Configuration,
    collection: Option<&Collection>,
    options: &SyncOptions,
    json: bool,
) -> anyhow::Result<()> {
    let settings = settings(configuration, collection, options)?;
    let width = settings.iter().map(|setting| setting.name.len()).max();
    let width = width.unwrap_or(0);
    for setting in settings {
        match json {
            true => output.json(&setting)?,
            false => {
                let Setting {
                    name, value, from, ..
                } = setting;
                let from = output.styled(&from, Style::new().dimmed());
                let setting = format!("{name:width$} = {value}");
                output.line(format!("{}  {from}", output.safe(&setting)))?;
            }
        }
    }
    Ok(())
}

fn settings(
    configuration: &Configuration,
    collection: Option<&Collection>,
    options: &SyncOptions,
) -> anyhow::Result<Vec<Setting>> {
    let origins = Origins::new(configuration, collection)?;
    let tables = [
        ("chunking", serde_json::to_value(&options.chunking)?),
        ("files", serde_json::to_value(&options.selection)?),
        ("search", serde_json::to_value(&configuration.ranking)?),
        ("embedding", configuration.embedding.settings()),
        ("rerank", configuration.rerank.settings()),
    ];
    let mut settings = vec![
        Setting::new("chunking.preset", origins.preset.name().into()),
        Setting::new("search.preset", origins.ranking.clone()),
    ];
    for (table, fields) in tables {
        flatten(table, &fields, &mut settings);
    }
    for setting in &mut settings {
        setting.from = origins.of(setting);
    }
    Ok(settings)
}

impl Setting {
    /// A setting whose origin is not known yet.
    fn new(name: &str, value: Value) -> Self {
        Setting {
            schema: SCHEMA,
            name: name.to_string(),
            value,
            from: String::new(),
        }
    }
}

/// What the origins of settings are found from.
struct Origins<'a> {
    configuration: &'a Configuration,
    /// The chunking of the collection.
    own: Option<&'a Settings>,
    /// The selection of the collection; null without one.
    own_selection: Value,
    preset: Preset,
    /// The chunking of the preset.
    of_preset: Value,
    /// The chunking without any settings.
    plain: Value,
    /// The preset of the ranking.
    ranking: Value,
}

impl<'a> Origins<'a> {
    fn new(
        configuration: &'a Configuration,
        collection: Option<&'a Collection>,
    ) -> anyhow::Result<Self> {
        let own = collection.map(|collection| &collection.chunking);
        let chunking = own
            .cloned()
            .unwrap_or_default()
            .or(configuration.chunking.clone());
        let preset = chunking.preset.unwrap_or_default();
        let of_preset = Settings {
            preset: Some(preset),
            unit: chunking.unit,
            ..Settings::default()
        };
        let selection = collection.map(|collection| serde_json::to_value(&collection.selection));
        Ok(Origins {
            configuration,
            own,
            own_selection: selection.transpose()?.unwrap_or_default(),
            preset,
            of_preset: serde_json::to_value(of_preset.config())?,
            plain: serde_json::to_value(Settings::default().config())?,
            ranking: serde_json::to_value(configuration.ranking_preset)?,
        })
    }

    /// The origin of a setting.
    fn of(&self, setting: &Setting) -> String {
        let (table, field) = setting.name.split_once('.').unwrap_or_default();
        // A later file takes precedence over an earlier one.
        let mut files = self.configuration.files.iter().rev();
        let file = files.find(|file| file.sets.contains(&setting.name));
        match file {
            _ if self.is_own(table, field) => "set for the collection".to_string(),
            Some(file) => file.path.display().to_string(),
            None if table == "search" => self.of_ranking(field),
            None if table != "chunking" || setting.value == self.plain[field] => {
                "default".to_string()
            }
            None if setting.value == self.of_preset[field] => {
                format!("preset {}", self.preset.name())
            }
            None if field == "preset" => "default".to_string(),
            None => "derived from other settings".to_string(),
        }
    }

    /// Whether the collection sets a field.
    fn is_own(&self, table: &str, field: &str) -> bool {
        match table {
            "chunking" => {
                let own = self.own;
                own.is_some_and(|own| said(own).iter().any(|name| name == field))
            }
            "files" => is_said(&self.own_selection[field]),
            _ => false,
        }
    }

    /// The origin of a field of the ranking that no file sets.
    fn of_ranking(&self, field: &str) -> String {
        match field {
            _ if self.configuration.ranking_preset == RankingPreset::Default => {
                "default".to_string()
            }
            "preset" => format!("preset {}", self.preset.name()),
            _ => format!("ranking {}", self.ranking.as_str().unwrap_or_default()),
        }
    }
}

fn is_said(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Array(list) => !list.is_empty(),
        _ => true,
    }
}

/// The fields of a table; those of a nested table as `table.field`.
fn flatten(name: &str, value: &Value, settings: &mut Vec<Setting>) {
    match value {
        Value::Object(fields) => {
            for (field, value) in fields {
                flatten(&format!("{name}.{field}"), value, settings);
            }
        }
        value => settings.push(Setting::new(name, short(value))),
    }
}

/// A 32-bit number with the digits that it was written with, such as `1.1`, and not those of its
/// conversion to 64 bits.
fn short(value: &Value) -> Value {
    let number = value.as_f64().filter(|_| value.is_f64());
    let narrow = number.map(|number| (number, number as f32));
    let written = narrow.filter(|(number, narrow)| f64::from(*narrow) == *number);
    let short = written.and_then(|(_, narrow)| narrow.to_string().parse::<f64>().ok());
    short.map_or_else(|| value.clone(), Value::from)
}
