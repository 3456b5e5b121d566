//! Documents as resources: `excerpt://NAME/path`, where NAME is a collection or the folder that is
//! served.

use std::sync::Arc;

use anyhow::anyhow;
use excerpt_index::{Index, ListOptions};
use excerpt_service::text::address::address;
use excerpt_service::text::budget::shortened;
use excerpt_service::text::{one_line, shown};
use excerpt_service::{SCHEME, resource_uri};
use rmcp::ErrorData;
use rmcp::model::{
    ListResourcesResult, ReadResourceResult, Resource, ResourceContents, ResourceTemplate,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::json;

use super::messages::message;
use super::shared::Shared;

/// The number of resources per page.
const PAGE: usize = 200;

pub(super) fn template() -> ResourceTemplate {
    ResourceTemplate::new(format!("{SCHEME}{{collection}}/{{+path}}"), "document")
        .with_description("A document of a collection or of the folder that is served")
}

fn media_type(syntax: &str) -> &'static str {
    match syntax {
        "markdown" => "text/markdown",
        _ => "text/plain",
    }
}

impl Shared {
    pub(super) async fn list_resources(
        self: &Arc<Self>,
        cursor: Option<String>,
        context: &RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let offset = match cursor.as_deref().map(str::parse) {
            None => 0,
            Some(Ok(offset)) => offset,
            Some(Err(_)) => return Err(ErrorData::invalid_params("unknown cursor", None)),
        };
        let listed = self
            .read(context, move |shared, index| {
                shared.resources(index, offset)
            })
            .await;
        // An index that does not exist yet has no documents.
        let (resources, next) = listed.unwrap_or_default();
        let mut result = ListResourcesResult::with_all_items(resources);
        result.next_cursor = next.map(|offset| offset.to_string());
        Ok(result)
    }

    /// A page of resources, and the start of the next one.
    fn resources(
        &self,
        index: &Index,
        offset: usize,
    ) -> anyhow::Result<(Vec<Resource>, Option<usize>)> {
        let sources = self.scope.indexed(index, self.scope.sources()?)?;
        let end = offset.saturating_add(PAGE);
        let mut all = Vec::new();
        for seen in sources {
            let below = self.scope.below(None).unwrap_or_default();
            let options = ListOptions::default()
                .source(&seen.root)
                .path(below)
                // One more entry shows whether there is a next page.
                .limit(end.saturating_add(1).saturating_sub(all.len()));
            for document in index.documents(&options)? {
                let path = self.scope.outward(&document.path);
                // Clients show these to users.
                let mut resource = Resource::new(resource_uri(&seen.name, path), address(path))
                    .with_mime_type(media_type(&document.syntax))
                    .with_size(document.size);
                let title = document.title.as_deref().map(shortened);
                resource.title = title.map(|title| one_line(&title));
                all.push(resource);
            }
            if all.len() > end {
                break;
            }
        }
        let next = (all.len() > end).then_some(end);
        Ok((all.into_iter().skip(offset).take(PAGE).collect(), next))
    }

    pub(super) async fn read_resource(
        self: &Arc<Self>,
        uri: String,
        context: &RequestContext<RoleServer>,
    ) -> Result<ReadResourceResult, ErrorData> {
        let asked = uri.clone();
        let read = self.read(context, move |shared, index| {
            let unknown = || {
                anyhow!(
                    "no resource `{}`: `resources/list` shows the resources",
                    shown(&asked)
                )
            };
            let read = shared.scope.read_resource(index, &asked);
            let document = read.ok_or_else(unknown)?.document;
            let listed = ListOptions::default()
                .source(&document.source)
                .path(&document.path);
            let listed = index.documents(&listed)?;
            let syntax = listed.first().map(|entry| entry.syntax.clone());
            Ok((document.text, media_type(&syntax.unwrap_or_default())))
        });
        match read.await {
            Ok((text, media)) => {
                let contents = ResourceContents::text(text, uri).with_mime_type(media);
                Ok(ReadResourceResult::new(vec![contents]))
            }
            Err(error) => {
                let data = Some(json!({"uri": uri}));
                Err(ErrorData::resource_not_found(message(&error), data))
            }
        }
    }
}
