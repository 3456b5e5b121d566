//! stub

use std::sync::Arc;

use rmcp::model::Tool;
use rmcp::service::{RequestContext, RoleServer};
use serde_json::json;

use super::arguments::Arguments;
use super::reply::Reply;
use super::{Shared, object};

pub(super) const NAME: &str = "add";

pub(super) fn tool() -> Tool {
    Tool::new(NAME, "", object(json!({"type": "object"})))
}

impl Shared {
    pub(super) async fn add(
        self: &Arc<Self>,
        _arguments: &mut Arguments,
        _context: &RequestContext<RoleServer>,
    ) -> anyhow::Result<Reply> {
        anyhow::bail!("not yet")
    }
}
