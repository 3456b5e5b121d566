//! The fields of a chunking configuration as flags, shared by all commands that split documents.

use clap::builder::{BoolValueParser, TypedValueParser as _};
use clap::error::ErrorKind;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use excerpt_chunk::{ConfigField, FIELDS, Settings, Values};
use serde::Deserialize;
use serde_json::{Map, Value};

/// How documents are split: a flag for each field.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChunkFlags {
    settings: Settings,
}

/// The fields in the short help, in its order. The others follow them in `--help`.
const COMMON: [&str; 5] = ["preset", "strategy", "target", "max", "overlap"];

impl ChunkFlags {
    /// The settings of the flags.
    pub(crate) fn settings(&self) -> Settings {
        self.settings.clone()
    }
}

impl Args for ChunkFlags {
    fn augment_args(command: Command) -> Command {
        let common = COMMON.iter();
        let common = common.filter_map(|name| FIELDS.iter().find(|field| field.name == *name));
        let others = FIELDS.iter().filter(|field| !COMMON.contains(&field.name));
        let command = command.next_help_heading("Chunking");
        command.args(common.chain(others).map(flag))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for ChunkFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = FIELDS.iter().filter_map(|field| {
            let value: &Value = matches.get_one(field.name)?;
            Some((field.name.to_string(), value.clone()))
        });
        let given = Value::Object(Map::from_iter(given));
        let settings = Settings::deserialize(given);
        settings
            .map(|settings| ChunkFlags { settings })
            .map_err(|error| clap::Error::raw(ErrorKind::InvalidValue, error))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        let given = Self::from_arg_matches(matches)?;
        self.settings = given.settings.or(std::mem::take(&mut self.settings));
        Ok(())
    }
}

/// The flag of a field. A switch that is off by default needs no value.
fn flag(field: &'static ConfigField) -> Arg {
    let help = match field.default {
        Some(default) => format!("{} [default: {default}]", field.help),
        None => field.help.to_string(),
    };
    let flag = Arg::new(field.name)
        .long(field.flag)
        .help(help)
        .value_name(value_name(field))
        .hide_short_help(!COMMON.contains(&field.name));
    match field.values {
        Values::Switch => {
            let flag = flag.value_parser(BoolValueParser::new().map(Value::Bool));
            match field.default {
                Some(_) => flag,
                None => flag
                    .num_args(0..=1)
                    .require_equals(true)
                    .default_missing_value("true")
                    .hide_possible_values(true),
            }
        }
        _ => flag.value_parser(|text: &str| field.parse(text)),
    }
}

/// What stands for the value in the help.
fn value_name(field: &ConfigField) -> &'static str {
    match field.values {
        Values::OneOf(_) if field.name == "unit" => "UNIT",
        Values::OneOf(_) if field.name == "atomic" => "WHAT",
        Values::OneOf(_) => "NAME",
        Values::Size | Values::SizeOrShare => "SIZE",
        Values::Levels => "LEVELS",
        Values::Parts => "PARTS",
        Values::Pattern => "REGEX",
        Values::Switch => "BOOL",
        _ => "TEXT",
    }
}
