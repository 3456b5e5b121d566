//! The combinations of settings that a sweep tries: of chunking, and of ranking
//! (`search.fusion=convex,rrf`).

use std::fmt::{self, Write as _};
use std::str::FromStr;

use anyhow::{anyhow, bail};
use excerpt_chunk::{Settings, fields_named, settings_from_toml};
use excerpt_index::Ranking;
use serde::{Serialize, Serializer};
use serde_json::Value;

/// The prefix of the fields of `[search]`.
const SEARCH: &str = "search.";

/// A field of `[chunking]`, or one of `[search]` with the prefix `search.`, and the values to try:
/// `target=128,256`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Axis {
    field: String,
    values: Vec<String>,
}

impl FromStr for Axis {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "expected a field and its values, such as target=128,256,400".to_string();
        let (field, values) = text.split_once('=').ok_or_else(wrong)?;
        let values: Vec<String> = values
            .split(',')
            .map(|value| value.trim().to_string())
            .collect();
        match field.is_empty() || values.iter().any(String::is_empty) {
            true => Err(wrong()),
            false => Ok(Axis {
                field: field.to_string(),
                values,
            }),
        }
    }
}

/// A value for each field of a sweep, in the order of the command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Combination(Vec<(String, String)>);

impl Combination {
    /// Whether nothing is swept.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The fields.
    pub(crate) fn fields(&self) -> Vec<String> {
        self.0.iter().map(|(field, _)| field.clone()).collect()
    }

    /// The value of a field.
    pub(crate) fn value(&self, field: &str) -> String {
        let found = self.0.iter().find(|(known, _)| known == field);
        found.map_or_else(String::new, |(_, value)| value.clone())
    }

    fn with(&self, field: &str, value: &str) -> Self {
        let mut more = self.clone();
        more.0.push((field.to_string(), value.to_string()));
        more
    }

    /// The settings of `base`, overridden by those of the combination.
    fn settings(&self, base: &Settings) -> anyhow::Result<Settings> {
        if self.is_empty() {
            return Ok(base.clone());
        }
        let mut text = String::from("[chunking]\n");
        let said = serde_json::to_value(base)?;
        let swept = self
            .0
            .iter()
            .filter(|(field, _)| !field.starts_with(SEARCH));
        let swept: Vec<_> = swept
            .map(|(name, value)| (name, value, fields_named(name)))
            .collect();
        // Of two names for a field, the last one says what it is.
        let is_said_in = |fields: &[&str], later: &[(&String, &String, Vec<&str>)]| {
            let mut said = later.iter().flat_map(|(.., named)| named);
            said.any(|field| fields.contains(field))
        };
        for (field, value) in said.as_object().into_iter().flatten() {
            if !value.is_null() && !is_said_in(&[field], &swept) {
                writeln!(text, "{field} = {value}")?;
            }
        }
        for (index, (name, value, fields)) in swept.iter().enumerate() {
            if !is_said_in(fields, &swept[index + 1..]) {
                writeln!(text, "{} = {}", Value::from(&***name), written(name, value))?;
            }
        }
        settings_from_toml(&text).map_err(|error| anyhow!("--sweep {self}: {}", error.message))
    }

    /// The ranking of `base`, overridden by the combination.
    fn ranking(&self, base: &Ranking) -> anyhow::Result<Ranking> {
        let mut said = serde_json::to_value(base)?;
        for (field, value) in &self.0 {
            let Some(path) = field.strip_prefix(SEARCH) else {
                continue;
            };
            let place = format!("/{}", path.replace('.', "/"));
            let Some(found) = said.pointer_mut(&place).filter(|found| !found.is_object()) else {
                bail!(
                    "--sweep {self}: `[search]` has no field `{path}`: it has {}",
                    fields(&said, "")
                );
            };
            // A number, or `true` or `false`; everything else is a name.
            *found = serde_json::from_str(value).unwrap_or_else(|_| Value::from(&**value));
        }
        serde_json::from_value(said).map_err(|error| anyhow!("--sweep {self}: {error}"))
    }
}

/// `target=128 overlap=0`.
impl fmt::Display for Combination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pairs: Vec<String> = self
            .0
            .iter()
            .map(|(field, value)| format!("{field}={value}"))
            .collect();
        f.write_str(&pairs.join(" "))
    }
}

impl Serialize for Combination {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(field, value)| (field, value)))
    }
}

/// The names of all fields of an object and of nested objects.
fn fields(object: &Value, before: &str) -> String {
    let all = object.as_object().into_iter().flatten();
    let named = all.map(|(name, value)| match value.is_object() {
        true => fields(value, &format!("{before}{name}.")),
        false => format!("`{before}{name}`"),
    });
    named.collect::<Vec<_>>().join(", ")
}

/// A value in TOML. Since a comma separates the values of a sweep, `+` separates the items of a
/// list: `levels=2,2+3`.
fn written(field: &str, value: &str) -> String {
    let listed = value
        .chars()
        .all(|char| char.is_ascii_digit() || char == '+');
    if field.ends_with("levels") && listed {
        return format!("[{}]", value.replace('+', ", "));
    }
    let plain = matches!(value, "true" | "false") || value.parse::<u32>().is_ok();
    match field {
        _ if plain => value.to_string(),
        "context" => Value::from(value.replace('+', ",")).to_string(),
        _ => Value::from(value).to_string(),
    }
}

/// One combination with the complete settings that it results in.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Trial {
    pub(crate) combination: Combination,
    pub(crate) settings: Settings,
    pub(crate) ranking: Ranking,
}

/// Every combination of values applied to `base` and `ranking`; without an axis, only these.
///
/// # Errors
///
/// An unknown field or value, invalid settings, and two combinations that result in the same
/// settings.
pub(crate) fn trials(
    base: &Settings,
    ranking: &Ranking,
    axes: &[Axis],
) -> anyhow::Result<Vec<Trial>> {
    let mut combinations = vec![Combination::default()];
    for Axis { field, values } in axes {
        let longer = combinations
            .iter()
            .flat_map(|combination| values.iter().map(|value| combination.with(field, value)));
        combinations = longer.collect();
    }
    let mut trials: Vec<Trial> = Vec::new();
    for combination in combinations {
        let trial = Trial {
            settings: combination.settings(base)?,
            ranking: combination.ranking(ranking)?,
            combination,
        };
        let alike =
            |known: &&Trial| known.settings == trial.settings && known.ranking == trial.ranking;
        if let Some(same) = trials.iter().find(alike) {
            let (same, other) = (&same.combination, &trial.combination);
            bail!(
                "--sweep: `{same}` and `{other}` result in the same settings: name each field and value once"
            );
        }
        trials.push(trial);
    }
    Ok(trials)
}

#[cfg(test)]
mod tests {
    use excerpt_index::Fusion;

    use super::*;

    fn swept(axes: &[&str]) -> Result<Vec<(String, Settings)>, String> {
        let base = Settings {
            target: Some(300),
            levels: "2".parse().ok(),
            ..Settings::default()
        };
        let axes: Vec<Axis> = axes
            .iter()
            .map(|axis| axis.parse())
            .collect::<Result<_, _>>()?;
        let found = trials(&base, &Ranking::default(), &axes).map_err(|error| error.to_string())?;
        Ok(found
            .into_iter()
            .map(|trial| (trial.combination.to_string(), trial.settings))
            .collect())
    }

    #[test]
    fn fields_of_ranking_and_chunking_are_swept_together() {
        let axes = ["search.fusion=convex,rrf", "search.signals.date=0,0.5"];
        let axes: Vec<Axis> = axes.iter().map(|axis| axis.parse().unwrap()).collect();
        let ranking = Ranking::default();
        let found = trials(&Settings::default(), &ranking, &axes).unwrap();
        let tried: Vec<_> = found
            .iter()
            .map(|trial| (trial.ranking.fusion, trial.ranking.signals.date))
            .collect();
        let [convex, rrf] = [Fusion::Convex, Fusion::Rrf];
        assert_eq!(
            tried,
            [(convex, 0.0), (convex, 0.5), (rrf, 0.0), (rrf, 0.5)]
        );

        let refused = |axis: &str| {
            let axis = axis.parse().unwrap();
            let error = trials(&Settings::default(), &ranking, &[axis]).unwrap_err();
            error.to_string()
        };
        let error = refused("search.fusoin=rrf");
        assert!(
            error
                .starts_with("--sweep search.fusoin=rrf: `[search]` has no field `fusoin`: it has"),
            "{error}"
        );
        assert!(
            error.contains("`fusion`") && error.contains("`signals.all_words`"),
            "{error}"
        );
        let error = refused("search.fusion=sum");
        assert!(error.contains("unknown variant `sum`"), "{error}");
    }

    #[test]
    fn every_value_is_combined_with_every_other() {
        let found = swept(&["max=300,400", "overlap=0,15%"]).unwrap();
        let names: Vec<_> = found.iter().map(|(name, _)| &**name).collect();
        assert_eq!(
            names,
            [
                "max=300 overlap=0",
                "max=300 overlap=15%",
                "max=400 overlap=0",
                "max=400 overlap=15%"
            ]
        );
        let last = &found[3].1;
        assert_eq!((last.target, last.max), (Some(300), Some(400)));
        assert_eq!(last.overlap, "15%".parse().ok());
        assert_eq!(last.levels, "2".parse().ok());
    }

    #[test]
    fn every_kind_of_value_can_be_swept() {
        let found = swept(&[
            "levels=2,2+3",
            "context=all,path+trail",
            "complete_sentences=true",
        ]);
        let found = found.unwrap();
        assert_eq!(found[3].1.levels, "2,3".parse().ok());
        assert_eq!(found[3].1.context, "path,trail".parse().ok());
        assert_eq!(found[0].1.complete_sentences, Some(true));
        let found = swept(&["strategy=fixed,markdown", "chunk_size=100"]).unwrap();
        assert_eq!(found[0].1.target, Some(100));
        assert_eq!(found[1].1.strategy, "markdown".parse().ok());
    }

    #[test]
    fn without_an_axis_only_the_base_is_tried() {
        let found = swept(&[]).unwrap();
        assert_eq!((&*found[0].0, found[0].1.target), ("", Some(300)));
    }

    #[test]
    fn invalid_sweeps_are_an_error() {
        let cases = [
            (
                "target",
                "expected a field and its values, such as target=128,256,400",
            ),
            (
                "target=1,,2",
                "expected a field and its values, such as target=128,256,400",
            ),
            (
                "targett=1",
                "--sweep targett=1: unknown field `targett` in `[chunking]`, did you mean `target`?",
            ),
            (
                "target=big",
                "--sweep target=big: `target` is `\"big\"`, expected a whole number from 0",
            ),
            (
                "overlap=500",
                "--sweep overlap=500: `overlap` is `500`, expected a size below `target` (300)",
            ),
            (
                "target=128,128",
                "--sweep: `target=128` and `target=128` result in the same settings: name each field and value once",
            ),
        ];
        for (axis, message) in cases {
            assert_eq!(swept(&[axis]).unwrap_err(), message);
        }
        let error = swept(&["target=1,2", "chunk_size=3"]).unwrap_err();
        assert_eq!(
            error,
            "--sweep: `target=1 chunk_size=3` and `target=2 chunk_size=3` result in the same settings: name each field and value once"
        );
        assert!(
            swept(&["colour=red"])
                .unwrap_err()
                .contains("expected one of preset, strategy, ")
        );
    }
}
