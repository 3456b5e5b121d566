//! The address of a document as a resource: `excerpt://NAME/path`, where NAME is a collection or the
//! folder that is served.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// What the address of a resource begins with.
pub const SCHEME: &str = "excerpt://";

/// The characters that are not escaped in an address.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~')
    .remove(b'/');

/// The address of a document.
#[must_use]
pub fn resource_uri(name: &str, path: &str) -> String {
    let name = utf8_percent_encode(name, PLAIN);
    format!("{SCHEME}{name}/{}", utf8_percent_encode(path, PLAIN))
}

/// The name and the path in an address; `None` if it is no address of a resource.
pub(crate) fn resource_parts(uri: &str) -> Option<(String, String)> {
    let (name, path) = uri.strip_prefix(SCHEME)?.split_once('/')?;
    let decoded = |part: &str| {
        let text = percent_decode_str(part).decode_utf8().ok()?;
        Some(text.into_owned())
    };
    Some((decoded(name)?, decoded(path)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_back() {
        let uri = resource_uri("my notes", "a b/ü#1.md");
        assert_eq!(uri, "excerpt://my%20notes/a%20b/%C3%BC%231.md");
        assert_eq!(
            resource_parts(&uri).unwrap(),
            ("my notes".into(), "a b/ü#1.md".into())
        );
        for other in [
            "file:///etc/passwd",
            "excerpt://",
            "excerpt:///",
            "excerpt://%ff/a",
        ] {
            let parts = resource_parts(other);
            assert!(parts.is_none_or(|(name, _)| name.is_empty()), "{other}");
        }
    }
}
