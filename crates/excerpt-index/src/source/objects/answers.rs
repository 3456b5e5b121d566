//! What a store answers, checked before the crate `object_store` reads it: a page of a listing that
//! is none would count as an empty one, and everything after it as removed.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse,
    HttpResponseBody, HttpService, ReqwestConnector,
};
use object_store::path::Path;
use object_store::{ClientOptions, Result as StoreResult};
use percent_encoding::{CONTROLS, percent_decode_str, utf8_percent_encode};
use quick_xml::Reader;
use quick_xml::events::Event;
use reqwest::header::{HeaderMap, HeaderValue, RETRY_AFTER};

/// The longest time to wait because a store asks for it.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// The beginnings of the headers with the metadata of an object.
const METADATA: [&str; 3] = ["x-amz-meta-", "x-goog-meta-", "x-ms-meta-"];

/// Keys that were listed and cannot be used: see [`is_usable`].
pub(super) type UnusableKeys = Arc<Mutex<Vec<String>>>;

/// Whether the library can ask for an object with this key. It cannot if a part of the key is
/// empty, `.` or `..`, or has a control character.
fn is_usable(key: &str) -> bool {
    Path::parse(key).is_ok_and(|path| path.as_ref() == key)
}

/// Connects to a store, and checks what it answers.
#[derive(Debug, Default)]
pub(super) struct CheckedConnector {
    pub(super) unusable: UnusableKeys,
}

impl HttpConnector for CheckedConnector {
    fn connect(&self, options: &ClientOptions) -> StoreResult<HttpClient> {
        Ok(HttpClient::new(CheckedClient {
            client: ReqwestConnector::default().connect(options)?,
            unusable: Arc::clone(&self.unusable),
        }))
    }
}

#[derive(Debug)]
struct CheckedClient {
    client: HttpClient,
    unusable: UnusableKeys,
}

#[async_trait]
impl HttpService for CheckedClient {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let query = request.uri().query().unwrap_or_default();
        let mut options = query.split('&');
        let is_listing = request.method().as_str() == "GET"
            && options.any(|option| matches!(option, "list-type=2" | "comp=list"));
        let prefix = prefix_in(query);
        let mut response = self.client.execute(request).await?;
        if let Some(wait) = wait_of(&response) {
            tokio::time::sleep(wait).await;
        }
        escape_metadata(response.headers_mut());
        if !is_listing || !response.status().is_success() {
            return Ok(response);
        }
        let (parts, body) = response.into_parts();
        let page = body.bytes().await?;
        let page = match usable_page(&page, &prefix) {
            Ok(usable) => {
                let mut unusable = self.unusable.lock().unwrap_or_else(PoisonError::into_inner);
                unusable.extend(usable.unusable);
                usable.page
            }
            Err(error) => return Err(HttpError::new(HttpErrorKind::Decode, error)),
        };
        let body = HttpResponseBody::from(page);
        Ok(HttpResponse::from_parts(parts, body))
    }
}

/// The prefix that a request for a listing names.
fn prefix_in(query: &str) -> String {
    let mut options = query.split('&');
    let prefix = options.find_map(|option| option.strip_prefix("prefix="));
    let prefix = prefix.unwrap_or_default().replace('+', " ");
    percent_decode_str(&prefix).decode_utf8_lossy().into_owned()
}

/// How long a store that is busy asks to wait: the library asks again by its own clock.
fn wait_of(response: &HttpResponse) -> Option<Duration> {
    if !matches!(response.status().as_u16(), 429 | 503) {
        return None;
    }
    let wait = response.headers().get(RETRY_AFTER)?.to_str().ok()?;
    let wait = Duration::from_secs(wait.trim().parse().ok()?);
    Some(wait.min(LONGEST_WAIT))
}

/// Percent-encodes metadata that is not ASCII, with which the library would refuse the object.
fn escape_metadata(headers: &mut HeaderMap) {
    let is_metadata = |name: &str| METADATA.iter().any(|begin| name.starts_with(begin));
    for (name, value) in headers.iter_mut() {
        if value.to_str().is_err() && is_metadata(name.as_str()) {
            let text = match std::str::from_utf8(value.as_bytes()) {
                Ok(text) => text.to_string(),
                // HTTP once took headers for Latin-1.
                Err(_) => value.as_bytes().iter().copied().map(char::from).collect(),
            };
            let escaped = utf8_percent_encode(&text, CONTROLS).to_string();
            if let Ok(escaped) = HeaderValue::from_str(&escaped) {
                *value = escaped;
            }
        }
    }
}

/// A page of a listing without the keys that cannot be used.
#[derive(Debug, PartialEq, Eq)]
struct UsablePage {
    page: Vec<u8>,
    unusable: Vec<String>,
}

/// An object in a page of a listing.
#[derive(Default)]
struct Listed {
    start: usize,
    key: String,
    size: String,
}

/// Checks that a page of a listing is complete and of this `prefix`, and takes out what cannot be
/// used: empty objects whose key ends in `/`, which stand for folders, and unusable keys.
fn usable_page(page: &[u8], prefix: &str) -> io::Result<UsablePage> {
    let mut reader = Reader::from_reader(page);
    let mut open: Vec<Vec<u8>> = Vec::new();
    let (mut is_complete, mut is_of_azure) = (false, false);
    let (mut is_truncated, mut next, mut has_marker) = (String::new(), String::new(), false);
    let mut listed = Listed::default();
    let mut usable = UsablePage {
        page: Vec::with_capacity(page.len()),
        unusable: Vec::new(),
    };
    let (mut copied, mut objects, mut count) = (0, 0_usize, String::new());
    loop {
        let start = position(&reader);
        let event = reader.read_event().map_err(|_| incomplete())?;
        let text = match &event {
            Event::Start(tag) => {
                open.push(tag.local_name().as_ref().to_vec());
                has_marker |= open.len() == 2 && open[1] == b"NextMarker";
                if is_object(&open) {
                    listed = Listed {
                        start,
                        ..Listed::default()
                    };
                }
                continue;
            }
            Event::End(_) => {
                if is_object(&open) {
                    if !listed.key.starts_with(prefix) {
                        return Err(incomplete());
                    }
                    objects += 1;
                    let end = position(&reader);
                    if let Some(reason) = listed.unusable() {
                        usable.page.extend_from_slice(&page[copied..listed.start]);
                        copied = end;
                        usable.unusable.extend(reason);
                    }
                }
                is_complete |= open.len() == 1 && is_root(&open[0]);
                is_of_azure |= open.len() == 1 && open[0] == b"EnumerationResults";
                open.pop();
                continue;
            }
            Event::Text(text) => text.decode().map_err(|_| incomplete())?.into_owned(),
            Event::CData(text) => text.decode().map_err(|_| incomplete())?.into_owned(),
            Event::GeneralRef(reference) => {
                let name = reference.decode().map_err(|_| incomplete())?;
                resolved(&name).to_string()
            }
            Event::Empty(tag) => {
                has_marker |= open.len() == 1 && tag.local_name().as_ref() == b"NextMarker";
                continue;
            }
            Event::Eof => break,
            _ => continue,
        };
        let above = open.len().saturating_sub(1);
        let (of_object, of_listing) = (is_object(&open[..above]), above == 1);
        match open.last().map_or(&[][..], Vec::as_slice) {
            b"Key" | b"Name" if of_object => listed.key.push_str(&text),
            b"Size" if of_object => listed.size.push_str(&text),
            b"Content-Length" if above > 3 => listed.size.push_str(&text),
            b"KeyCount" if of_listing => count.push_str(&text),
            b"IsTruncated" if of_listing => is_truncated.push_str(&text),
            b"NextContinuationToken" if of_listing => next.push_str(&text),
            b"NextMarker" if of_listing => has_marker = true,
            _ => {}
        }
    }
    let count = count.trim();
    let is_sound = match is_truncated.trim() {
        "true" => !next.is_empty(),
        "false" => true,
        // Azure names the next page by a marker, which is empty at the end.
        "" if is_of_azure => has_marker,
        "" => !count.is_empty(),
        _ => false,
    };
    let is_counted = count.is_empty() || count.parse() == Ok(objects);
    if !is_complete || !is_sound || !is_counted {
        return Err(incomplete());
    }
    usable.page.extend_from_slice(&page[copied..]);
    Ok(usable)
}

fn incomplete() -> io::Error {
    io::Error::other("the store returned an incomplete listing")
}

fn position(reader: &Reader<&[u8]>) -> usize {
    usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX)
}

/// Whether an element is that of a listing: of S3 and Google, or of Azure.
fn is_root(name: &[u8]) -> bool {
    matches!(name, b"ListBucketResult" | b"EnumerationResults")
}

/// Whether the innermost open element is that of an object.
fn is_object(open: &[Vec<u8>]) -> bool {
    let names: Vec<&[u8]> = open.iter().map(Vec::as_slice).collect();
    matches!(
        *names,
        [b"ListBucketResult", b"Contents"] | [b"EnumerationResults", b"Blobs", b"Blob"]
    )
}

/// The character that a reference stands for.
fn resolved(name: &str) -> char {
    let number = match name.strip_prefix("#x").or_else(|| name.strip_prefix("#X")) {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => name
            .strip_prefix('#')
            .and_then(|digits| digits.parse().ok()),
    };
    match (name, number.and_then(char::from_u32)) {
        (_, Some(c)) => c,
        ("amp", _) => '&',
        ("lt", _) => '<',
        ("gt", _) => '>',
        ("quot", _) => '"',
        ("apos", _) => '\'',
        _ => char::REPLACEMENT_CHARACTER,
    }
}

impl Listed {
    /// The key of an object that is taken out, if that is to be reported; `None` if it stays.
    fn unusable(&self) -> Option<Option<String>> {
        let is_folder = self.key.ends_with('/') && self.size.trim() == "0";
        match is_usable(&self.key) {
            true => None,
            false if is_folder && is_usable(self.key.trim_end_matches('/')) => Some(None),
            false => Some(Some(self.key.clone())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listing(contents: &str, end: &str) -> String {
        format!(
            "<?xml version=\"1.0\"?><ListBucketResult xmlns=\"http://s3\"><Name>b</Name>{contents}{end}</ListBucketResult>"
        )
    }

    fn object(key: &str, size: usize) -> String {
        format!("<Contents><Key>{key}</Key><Size>{size}</Size></Contents>")
    }

    #[test]
    fn a_page_that_is_none_or_ends_early_is_refused() {
        let whole = listing(&object("a", 1), "<IsTruncated>false</IsTruncated>");
        assert_eq!(
            usable_page(whole.as_bytes(), "").unwrap().page,
            whole.as_bytes()
        );
        let sign_in = "<html><body>please<br>sign in</body></html>";
        let without_token = listing("", "<IsTruncated>true</IsTruncated>");
        let without_end = listing(&object("a", 1), "");
        for page in [
            "",
            "{}",
            "<Other></Other>",
            sign_in,
            &without_token,
            &without_end,
            &whole[..whole.len() - 5],
        ] {
            assert!(usable_page(page.as_bytes(), "").is_err(), "{page}");
        }
    }

    #[test]
    fn a_page_of_something_else_is_refused() {
        let end = "<KeyCount>1</KeyCount><IsTruncated>false</IsTruncated>";
        let page = |contents: &str| usable_page(listing(contents, end).as_bytes(), "in/");
        assert!(page(&object("in/a", 1)).is_ok());
        assert!(page(&object("a", 1)).is_err(), "outside of the prefix");
        assert!(page("").is_err(), "fewer than it counts");
        let counted = listing(&object("a", 1), "<KeyCount>1</KeyCount>");
        assert!(usable_page(counted.as_bytes(), "").is_ok());
        let nested = format!("<Inner>{}</Inner>", object("in/a", 1));
        assert!(page(&nested).is_err());
        for end in ["<IsTruncated>1</IsTruncated>", "<NextMarker></NextMarker>"] {
            assert!(usable_page(listing(&object("a", 1), end).as_bytes(), "").is_err());
        }
        assert_eq!(prefix_in("list-type=2&prefix=a%20b%2F"), "a b/");
    }

    #[test]
    fn keys_that_cannot_be_used_are_taken_out_and_named() {
        let odd = ["a//b", "a/./b", "../b", "/lead", "bell&#x7;", "folder/"];
        let plain = ["a b", "a&amp;b", "ü", "%20", "x?"]
            .map(|key| object(key, 1))
            .concat();
        let contents = odd.map(|key| object(key, 1)).concat();
        let end = "<IsTruncated>false</IsTruncated>";
        let page = listing(&format!("{contents}{}{plain}", object("marker/", 0)), end);
        let usable = usable_page(page.as_bytes(), "").unwrap();
        assert_eq!(usable.page, listing(&plain, end).as_bytes());
        assert_eq!(
            usable.unusable,
            ["a//b", "a/./b", "../b", "/lead", "bell\u{7}", "folder/"]
        );
    }

    #[test]
    fn a_listing_of_azure_has_other_names() {
        let blob = |name| {
            format!(
                "<Blob><Name>{name}</Name><Properties><Content-Length>0</Content-Length></Properties></Blob>"
            )
        };
        let page = |blobs: &str| {
            format!("<EnumerationResults><Blobs>{blobs}</Blobs><NextMarker /></EnumerationResults>")
        };
        let whole = page(&format!("{}{}{}", blob("a"), blob("x/"), blob("b//c")));
        let usable = usable_page(whole.as_bytes(), "").unwrap();
        assert_eq!(usable.page, page(&blob("a")).as_bytes());
        assert_eq!(usable.unusable, ["b//c"]);
    }

    #[test]
    fn metadata_of_any_letters_is_read() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("x-amz-meta-a", "José".as_bytes()),
            ("x-amz-meta-b", b"Jos\xe9"),
            ("x-amz-meta-c", b"50%"),
        ] {
            headers.insert(name, HeaderValue::from_bytes(value).unwrap());
        }
        escape_metadata(&mut headers);
        let values: Vec<&str> = headers
            .values()
            .map(|value| value.to_str().unwrap())
            .collect();
        assert_eq!(values, ["Jos%C3%A9", "Jos%C3%A9", "50%"]);
    }
}
