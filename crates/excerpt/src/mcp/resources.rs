//! Documents as resources: `excerpt://NAME/path`, where NAME is a collection or the folder that is
//! served.

use std::sync::Arc;

use anyhow::anyhow;
use excerpt_index::{Index, ListOptions, ReadOptions, Target};
use excerpt_service::text::budget::shortened;
use excerpt_service::text::{one_line, shown};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use rmcp::ErrorData;
use rmcp::model::{
    ListResourcesResult, ReadResourceResult, Resource, ResourceContents, ResourceTemplate,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::json;

use super::told::message;
use super::{Shared, names};

const SCHEME: &str = "excerpt://";

/// The number of resources per page.
const PAGE: usize = 200;

/// The characters that are not escaped in an address.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~')
    .remove(b'/');

pub(super) fn template() -> ResourceTemplate {
    ResourceTemplate::new(format!("{SCHEME}{{collection}}/{{+path}}"), "document")
        .with_description("A document of a collection or of the folder that is served")
}

/// The address of a document.
fn uri(name: &str, path: &str) -> String {
    let name = utf8_percent_encode(name, PLAIN);
    format!("{SCHEME}{name}/{}", utf8_percent_encode(path, PLAIN))
}

/// The name and the path in an address.
pub(super) fn parsed(uri: &str) -> Option<(String, String)> {
    let (name, path) = uri.strip_prefix(SCHEME)?.split_once('/')?;
    let decoded = |part: &str| {
        let text = percent_decode_str(part).decode_utf8().ok()?;
        Some(text.into_owned())
    };
    Some((decoded(name)?, decoded(path)?))
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
                let mut resource = Resource::new(uri(&seen.name, path), names::address(path))
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
            let (name, path) = parsed(&asked).ok_or_else(unknown)?;
            let sources = shared.scope.indexed(index, shared.scope.sources()?)?;
            let seen = sources
                .iter()
                .find(|seen| seen.name == name)
                .ok_or_else(unknown)?;
            let path = match path.starts_with('/') {
                true => return Err(unknown()),
                false => shared.scope.inward(&path).map_err(|_| unknown())?,
            };
            let mut options: ReadOptions = shared.scope.reading(seen);
            options.links = false;
            let read = index.get(&Target::document(path), &options);
            let document = read.map_err(|_| unknown())?;
            let listed = ListOptions::default()
                .source(&seen.root)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_back() {
        let uri = uri("my notes", "a b/ü#1.md");
        assert_eq!(uri, "excerpt://my%20notes/a%20b/%C3%BC%231.md");
        assert_eq!(
            parsed(&uri).unwrap(),
            ("my notes".into(), "a b/ü#1.md".into())
        );
        for other in [
            "file:///etc/passwd",
            "excerpt://",
            "excerpt:///",
            "excerpt://%ff/a",
        ] {
            let parsed = parsed(other);
            assert!(parsed.is_none_or(|(name, _)| name.is_empty()), "{other}");
        }
    }
}
