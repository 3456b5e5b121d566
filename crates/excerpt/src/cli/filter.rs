//! The filters of a search as flags.

use excerpt_service::SearchRequest;

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
    #[arg(long, value_name = "DAY", hide_short_help = true)]
    since: Option<String>,
    /// Only documents dated on this day or earlier
    #[arg(long, value_name = "DAY", hide_short_help = true)]
    until: Option<String>,
    /// Only documents whose front matter has this value in this field; repeatable
    #[arg(long = "field", value_name = "NAME=VALUE", value_parser = field, hide_short_help = true)]
    fields: Vec<(String, String)>,
}

impl FilterArgs {
    /// A request with the values of the flags.
    pub(crate) fn added_to(&self, request: SearchRequest) -> SearchRequest {
        SearchRequest {
            tags: self.tags.clone(),
            kinds: self.kinds.clone(),
            version: self.version.clone(),
            languages: self.languages.clone(),
            since: self.since.clone(),
            until: self.until.clone(),
            fields: self.fields.clone(),
            ..request
        }
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
