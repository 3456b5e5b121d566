//! Presets: configurations for common uses.

use crate::config::{Atomic, Config, ContextParts, Levels, Overlap, Strategy};
use crate::named::named;
use crate::size::Unit;

named!(Preset, "preset",
    "auto" => Auto,
    "brain" => Brain,
    "docs" => Docs,
    "resources" => Resources,
    "code" => Code,
    "units" => Units,
    "memory" => Memory,
);

/// A named configuration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Preset {
    /// By content, 400 tokens: the default.
    #[default]
    Auto,
    /// A repository of notes that an agent searches: small overlapping chunks, each with the path,
    /// the domain and the title of its note.
    Brain,
    /// The documentation of a project: one chunk per section, and an overview chunk for each
    /// `README` or `index` file.
    Docs,
    /// A library of documents and scripts: sections that are neither too small nor too large, with
    /// a marker on continued parts.
    Resources,
    /// Source code: whole definitions with their comments, each with its path and scope.
    Code,
    /// Source code, one chunk per definition: [`Preset::Code`] with
    /// [`per_entry`](Config::per_entry).
    Units,
    /// An agent's memory files and daily notes: one chunk per heading, and nothing split that
    /// belongs together.
    Memory,
}

impl Preset {
    /// The configuration, with its sizes in `unit`.
    #[must_use]
    pub fn config(self, unit: Unit) -> Config {
        let default = Config::default();
        let tokens = match self {
            Preset::Auto => default,
            Preset::Brain => Config {
                strategy: Strategy::Markdown,
                target: 256,
                max: 512,
                min: 50,
                overlap: Overlap::Percent(15),
                context: ContextParts::ALL,
                ..default
            },
            Preset::Docs => Config {
                strategy: Strategy::Headers,
                target: 125,
                max: 250,
                min: 25,
                levels: Some(Levels::new([2])),
                overview: Some(500),
                ..default
            },
            Preset::Resources => Config {
                target: 500,
                max: 800,
                min: 100,
                overlap: Overlap::Size(50),
                levels: Some(Levels::new([2, 3])),
                continuation_marker: Some("[continued...]".to_string()),
                ..default
            },
            Preset::Code => Config {
                strategy: Strategy::Code,
                max: 800,
                ..default
            },
            Preset::Units => Config {
                per_entry: true,
                ..Preset::Code.config(Unit::Tokens)
            },
            Preset::Memory => Config {
                strategy: Strategy::Markdown,
                overlap: Overlap::Size(80),
                levels: Some(Levels::ALL),
                atomic: Atomic::Keep,
                ..default
            },
        };
        tokens.in_unit(unit)
    }
}
