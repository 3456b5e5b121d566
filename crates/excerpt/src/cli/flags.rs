//! The fields of a chunking configuration as flags, shared by all commands that split documents.

use clap::Args;
use excerpt_chunk::{
    Atomic, ContextParts, Levels, Overlap, Preset, Settings, Strategy, Unit, settings_from_json,
};
use serde_json::Map;

/// How documents are split. The common flags are in the short help, the others in `--help`.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Chunking")]
pub(crate) struct ChunkFlags {
    /// auto, brain, code, docs, memory, resources or units: the source of all other defaults
    /// [default: auto]
    #[arg(long, value_name = "NAME")]
    preset: Option<Preset>,
    /// auto, markdown, headers, delimiter, fixed, code, whole or naive [default: auto]
    #[arg(long, value_name = "NAME", value_parser = strategy)]
    strategy: Option<Strategy>,
    /// The size that chunks aim for [default: 400]
    #[arg(long, value_name = "SIZE")]
    target: Option<usize>,
    /// The size that no chunk exceeds, context and overlap included [default: 400, or the target]
    #[arg(long, value_name = "SIZE")]
    max: Option<usize>,
    /// How much preceding text each chunk repeats, as a size or a share: 80, 15% [default: 0]
    #[arg(long, value_name = "SIZE")]
    overlap: Option<Overlap>,
    /// The unit of sizes: tokens (a quarter of the characters), chars, cjk-tokens, or the real
    /// tokens cl100k and o200k [default: tokens]
    #[arg(long, value_name = "UNIT", hide_short_help = true)]
    unit: Option<Unit>,
    /// The size below which a chunk is joined with a neighbour if the strategy allows it [default:
    /// 50]
    #[arg(long, value_name = "SIZE", hide_short_help = true)]
    min: Option<usize>,
    /// The heading levels that always start a new chunk, such as 2,3 [default: 2,3 for `headers`,
    /// none for `markdown`]
    #[arg(long, value_name = "LEVELS", hide_short_help = true)]
    levels: Option<Levels>,
    /// The regular expression to split at; implies `--strategy delimiter`
    #[arg(long, value_name = "REGEX", hide_short_help = true)]
    delimiter: Option<String>,
    /// Make a delimiter part of the chunk that it opens instead of leaving it out
    #[arg(long, hide_short_help = true)]
    include_delimiter: bool,
    /// Whether a code block, table or sentence over the limit is split or kept [default: split]
    #[arg(long, value_name = "WHAT", hide_short_help = true)]
    atomic: Option<Atomic>,
    /// The parts of a chunk's context: all, none, or some of path,title,trail,lead,domain [default:
    /// all but domain]
    #[arg(long, value_name = "PARTS", hide_short_help = true)]
    context: Option<ContextParts>,
    /// Whether `fixed` splits at sentences (true) or at exact positions (false) [default: true]
    #[arg(long, value_name = "BOOL", hide_short_help = true)]
    complete_sentences: Option<bool>,
    /// The text added to the context of a chunk that continues the one before it
    #[arg(long, value_name = "TEXT", hide_short_help = true)]
    continuation_marker: Option<String>,
    /// The first chunk of a README or index file holds its start, up to this limit of its text
    #[arg(long, value_name = "SIZE", hide_short_help = true)]
    overview: Option<usize>,
    /// Make each item of a top-level list, each section and each top-level definition in code a
    /// separate chunk
    #[arg(long, hide_short_help = true)]
    per_entry: bool,
}

impl ChunkFlags {
    /// The settings of the flags.
    pub(crate) fn settings(&self) -> Settings {
        Settings {
            preset: self.preset,
            strategy: self.strategy,
            unit: self.unit,
            target: self.target,
            max: self.max,
            min: self.min,
            overlap: self.overlap,
            levels: self.levels,
            delimiter: self.delimiter.clone(),
            include_delimiter: self.include_delimiter.then_some(true),
            atomic: self.atomic,
            context: self.context,
            complete_sentences: self.complete_sentences,
            continuation_marker: self.continuation_marker.clone(),
            overview: self.overview,
            per_entry: self.per_entry.then_some(true),
        }
    }
}

/// A strategy by any of the names that a configuration file may give it.
fn strategy(name: &str) -> Result<Strategy, String> {
    let said = Map::from_iter([("strategy".to_string(), name.into())]);
    let settings = settings_from_json(&said)?;
    Ok(settings.strategy.unwrap_or(Strategy::Auto))
}
