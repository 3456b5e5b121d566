//! Other names of fields and parameters: those of our MCP tools, and those of other tools that the
//! MCP server accepts, too.

use excerpt_chunk::snake_case;
use excerpt_service::other_names::arguments;
use serde_json::Value;

use super::problem::ProblemDetails;

/// The fields that are lists of texts where MCP has one text.
const LISTS: [&str; 3] = ["collections", "kinds", "languages"];

/// The fields of a body or the parameters of an address, in their order.
pub(super) type Fields = Vec<(String, Value)>;

/// Why a request cannot be read.
pub(super) struct Unread {
    /// The name of a field that it does not have.
    pub(super) unknown: Option<String>,
    pub(super) problem: ProblemDetails,
}

/// Reads a request by `read`. A field that it does not have, but has under another name, is read
/// under that name.
///
/// # Errors
///
/// Those of `read`, and when a field is given under two names.
pub(super) fn read_by_any_name<T>(
    mut given: Fields,
    read: impl Fn(&Fields) -> Result<T, Unread>,
) -> Result<T, ProblemDetails> {
    loop {
        let unread = match read(&given) {
            Ok(request) => return Ok(request),
            Err(unread) => unread,
        };
        let Some(name) = unread.unknown else {
            return Err(unread.problem);
        };
        let is_known = |ours: &&str| match read(&vec![(ours.to_string(), Value::Null)]) {
            Err(Unread { unknown, .. }) => unknown.as_deref() != Some(*ours),
            Ok(_) => true,
        };
        let Some(ours) = arguments(&snake_case(&name)).find(is_known) else {
            return Err(unread.problem);
        };
        if given.iter().any(|(known, _)| known == ours) {
            let detail = format!("`{ours}` is given twice, as `{name}`: omit one");
            return Err(ProblemDetails::field(ours, detail));
        }
        for (known, value) in &mut given {
            if *known == name {
                *known = ours.to_string();
                *value = in_form(ours, value.take());
            }
        }
    }
}

/// A value in the form of the field `ours`.
pub(super) fn in_form(ours: &str, value: Value) -> Value {
    match LISTS.contains(&ours) && value.is_string() {
        true => Value::Array(vec![value]),
        false => value,
    }
}
