//! The filters of a search as flags.

use excerpt_index::Filter;

use crate::cli::day;

/// Which documents are searched, by their properties.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Filters")]
pub(crate) struct FilterArgs {
    /// Only documents with this tag; if repeated, with all of them
    #[arg(long = "tag", value_name = "TAG", hide_short_help = true)]
    tags: Vec<String>,
    /// Only documents of this type, such as doc or script; if repeated, of any of them
    #[arg(long = "type", value_name = "TYPE", hide_short_help = true)]
    kinds: Vec<String>,
    /// Only documents about this version, or that name none; better matches rank higher
    #[arg(long = "version", value_name = "VERSION", hide_short_help = true)]
    version: Option<String>,
    /// Only documents in this language, such as rust or markdown; if repeated, in any of them
    #[arg(long = "language", value_name = "LANGUAGE", hide_short_help = true)]
    languages: Vec<String>,
    /// Only documents dated on this day or later: YYYY-MM-DD, YYYY-MM, YYYY, yesterday, 7d, 2w or
    /// "last week"
    #[arg(long, value_name = "DAY", value_parser = day::first, hide_short_help = true)]
    since: Option<String>,
    /// Only documents dated on this day or earlier
    #[arg(long, value_name = "DAY", value_parser = day::last, hide_short_help = true)]
    until: Option<String>,
    /// Only documents whose front matter has this value in this field; may be given several times
    #[arg(long = "field", value_name = "NAME=VALUE", value_parser = field, hide_short_help = true)]
    fields: Vec<(String, String)>,
}

impl FilterArgs {
    /// The filter with the values of the flags.
    pub(crate) fn added_to(&self, filter: Filter) -> Filter {
        let mut filter = filter;
        filter.tags.clone_from(&self.tags);
        filter.kinds.clone_from(&self.kinds);
        filter.version.clone_from(&self.version);
        filter.languages.clone_from(&self.languages);
        filter.dated = (self.since.clone(), self.until.clone());
        filter.fields.clone_from(&self.fields);
        filter
    }
}

fn field(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => {
            Ok((name.trim().to_string(), value.to_string()))
        }
        _ => Err("expected NAME=VALUE".to_string()),
    }
}
