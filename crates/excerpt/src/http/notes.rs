//! The notes about an answer.

use excerpt_index::{Index, Note};
use excerpt_service::text::skip_counts;
use excerpt_service::{SearchReply, SearchRequest};

use super::problem::ProblemDetails;
use super::server::Server;
use super::tenant::Tenant;
use crate::scores::{Scores, too_low};

/// What a client should know about an answer, without anything about what it does not see.
///
/// # Errors
///
/// Those of the index.
pub(super) fn notes(
    server: &Server,
    tenant: &Tenant,
    index: &Index,
    request: &SearchRequest,
    reply: &SearchReply,
) -> Result<Vec<String>, ProblemDetails> {
    let lag = server
        .engine
        .lag(index, &tenant.scope, &request.collections);
    let mut notes: Vec<String> = lag.iter().map(ToString::to_string).collect();
    let is_behind = lag.is_some();
    let said = tenant.scope.notes(index, &reply.answer, is_behind)?;
    let said = said
        .into_iter()
        .filter(|note| !matches!(note, Note::Behind { .. }));
    notes.extend(said.map(ToString::to_string));
    if let Some(best) = reply.too_low {
        let best = Scores::of(&reply.ranking).shown(best);
        notes.push(too_low(request.min_score, best));
    }
    // Without a question, nothing is searched.
    if reply.answer.documents.is_empty() && !is_behind && !request.query.trim().is_empty() {
        let skipped = tenant.scope.skipped(index, request)?;
        if !skipped.is_empty() {
            notes.push(format!("not searched: {}", skip_counts(&skipped)));
        }
    }
    let documents = reply.answer.documents.iter();
    for (path, changed) in SearchReply::changed(documents) {
        let path = tenant.scope.outward(path);
        notes.push(match changed {
            excerpt_service::Changed::Gone => {
                format!("`{path}` no longer exists: this is its indexed text")
            }
            excerpt_service::Changed::Other => {
                format!("`{path}` changed after it was indexed: ask again in a moment")
            }
        });
    }
    Ok(notes)
}
