//! Objects of a store below a prefix: [`ObjectOrigin`].

use std::fmt;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

use crate::model::{SourceId, is_at_or_below, segments};

/// What is escaped in the address.
const ESCAPED: &AsciiSet = &CONTROLS.add(b'#').add(b'%').add(b' ').add(b'?');

/// The kind of an object store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ObjectService {
    /// Amazon S3, and what has the same protocol, at another endpoint: R2, MinIO, Ceph and others.
    S3,
    /// Google Cloud Storage.
    Gcs,
    /// Azure Blob Storage.
    Azure,
}

impl ObjectService {
    const ALL: [(&'static str, ObjectService); 3] = [
        ("s3", ObjectService::S3),
        ("gs", ObjectService::Gcs),
        ("az", ObjectService::Azure),
    ];

    /// The scheme of its addresses.
    fn scheme(self) -> &'static str {
        let known = ObjectService::ALL.iter().find(|(_, kind)| *kind == self);
        known.map_or("", |(scheme, _)| scheme)
    }
}

/// Objects below a prefix of a bucket.
///
/// It is written as one text, which is the [id](ObjectOrigin::id) of the source and the root of its
/// collection: `s3://bucket/prefix`, `gs://bucket/prefix` or `az://container/prefix`, and for
/// another endpoint `#endpoint=https://host`.
///
/// ```
/// use excerpt_index::ObjectOrigin;
///
/// let origin: ObjectOrigin = "s3://notes/2026/".parse().unwrap();
/// assert_eq!(origin.bucket(), "notes");
/// assert_eq!(origin.to_string(), "s3://notes/2026");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectOrigin {
    service: ObjectService,
    bucket: String,
    prefix: String,
    /// Where the service is, if it is not that of the provider.
    pub endpoint: Option<String>,
}

/// Why an address cannot be that of an object store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ObjectAddressError {
    /// It has another scheme.
    #[error(
        "expected an address such as `s3://bucket/prefix`, `gs://bucket/prefix` or `az://container/prefix`"
    )]
    Unknown,
    /// It names no bucket, or one that cannot exist.
    #[error("the name of a bucket has letters, digits, `.`, `-` and `_`")]
    Bucket,
    /// It has a query, as an address with a signature has.
    #[error("an address has no `?`; one in a key is written as `%3F`")]
    Query,
    /// The endpoint is no address.
    #[error("expected an endpoint such as `https://host`, without a user name or a password")]
    Endpoint,
    /// What follows a `#` is not known.
    #[error("what follows `#` in an address can only be `endpoint=…`")]
    Fragment,
}

impl ObjectOrigin {
    /// The kind of its store.
    #[must_use]
    pub fn service(&self) -> ObjectService {
        self.service
    }

    /// The bucket, or the container.
    #[must_use]
    pub fn bucket(&self) -> &str {
        &self.bucket
    }

    /// The prefix, without `/` at its ends; empty for the whole bucket.
    #[must_use]
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// The same objects at another endpoint.
    ///
    /// # Errors
    ///
    /// [`ObjectAddressError::Endpoint`].
    pub fn at(mut self, endpoint: &str) -> Result<ObjectOrigin, ObjectAddressError> {
        if self.endpoint.is_none() {
            self.endpoint = Some(checked(endpoint)?);
        }
        Ok(self)
    }

    /// The endpoint that the environment or the profile names for its service, as the tools of the
    /// provider find it.
    #[must_use]
    pub fn endpoint_in_environment(&self) -> Option<String> {
        let variables: &[&str] = match self.service {
            ObjectService::S3 => &["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"],
            ObjectService::Gcs => &[],
            ObjectService::Azure => &["AZURE_STORAGE_ENDPOINT"],
        };
        let set = variables.iter().filter_map(|name| std::env::var(name).ok());
        let set = set.into_iter().find(|endpoint| !endpoint.is_empty());
        #[cfg(feature = "objects")]
        let set = set.or_else(|| match self.service {
            ObjectService::S3 => super::profile::Profile::endpoint(),
            _ => None,
        });
        set
    }

    /// Whether one of two places contains the other.
    #[must_use]
    pub fn overlaps(&self, other: &ObjectOrigin) -> bool {
        let is_one = (self.service, &self.bucket, &self.endpoint)
            == (other.service, &other.bucket, &other.endpoint);
        let contains = |outer: &str, inner| outer.is_empty() || is_at_or_below(outer, inner);
        is_one && (contains(&self.prefix, &other.prefix) || contains(&other.prefix, &self.prefix))
    }

    /// The id of the source.
    #[must_use]
    pub fn id(&self) -> SourceId {
        self.to_string().into()
    }

    /// Whether a text is meant as such an address, valid or not.
    #[must_use]
    pub fn is_meant(text: &str) -> bool {
        let scheme = text.split_once("://").map(|(scheme, _)| scheme);
        scheme.is_some_and(|scheme| ObjectService::ALL.iter().any(|(name, _)| *name == scheme))
    }
}

impl fmt::Display for ObjectOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", self.service.scheme(), self.bucket)?;
        if !self.prefix.is_empty() {
            write!(f, "/{}", utf8_percent_encode(&self.prefix, ESCAPED))?;
        }
        match &self.endpoint {
            Some(endpoint) => write!(f, "#endpoint={endpoint}"),
            None => Ok(()),
        }
    }
}

impl std::str::FromStr for ObjectOrigin {
    type Err = ObjectAddressError;

    fn from_str(text: &str) -> Result<ObjectOrigin, ObjectAddressError> {
        let (address, fragment) = match text.split_once('#') {
            Some((address, fragment)) => (address, Some(fragment)),
            None => (text, None),
        };
        let (scheme, rest) = address
            .split_once("://")
            .ok_or(ObjectAddressError::Unknown)?;
        let known = ObjectService::ALL.iter().find(|(name, _)| *name == scheme);
        let (_, service) = known.ok_or(ObjectAddressError::Unknown)?;
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        let is_plain = |c: char| c.is_ascii_alphanumeric() || ".-_".contains(c);
        if !bucket.starts_with(|c: char| c.is_ascii_alphanumeric()) || !bucket.chars().all(is_plain)
        {
            return Err(ObjectAddressError::Bucket);
        }
        if prefix.contains('?') {
            return Err(ObjectAddressError::Query);
        }
        let prefix = percent_decode_str(prefix).decode_utf8_lossy();
        let endpoint = fragment.map(|fragment| {
            let endpoint = fragment.strip_prefix("endpoint=");
            endpoint.ok_or(ObjectAddressError::Fragment)
        });
        let endpoint = endpoint.transpose()?.map(checked).transpose()?;
        Ok(ObjectOrigin {
            service: *service,
            bucket: bucket.to_string(),
            prefix: segments(&prefix),
            endpoint,
        })
    }
}

fn checked(endpoint: &str) -> Result<String, ObjectAddressError> {
    let host = ["https://", "http://"]
        .iter()
        .find_map(|scheme| endpoint.strip_prefix(scheme));
    let is_odd = |c: char| c.is_control() || c.is_whitespace() || "@?#".contains(c);
    match host.is_some_and(|host| !host.is_empty() && !host.contains(is_odd)) {
        true => Ok(endpoint.trim_end_matches('/').to_string()),
        false => Err(ObjectAddressError::Endpoint),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_as_it_is_written() {
        for (given, written) in [
            ("s3://notes", "s3://notes"),
            ("s3://notes/", "s3://notes"),
            ("gs://notes/a b//c/", "gs://notes/a%20b/c"),
            ("az://notes/a%23b", "az://notes/a%23b"),
            (
                "s3://notes/x#endpoint=http://127.0.0.1:9000/",
                "s3://notes/x#endpoint=http://127.0.0.1:9000",
            ),
        ] {
            let origin: ObjectOrigin = given.parse().unwrap();
            assert_eq!(origin.to_string(), written);
            assert_eq!(written.parse::<ObjectOrigin>().unwrap(), origin);
        }
    }

    #[test]
    fn what_is_no_address_is_refused() {
        use ObjectAddressError::{Bucket, Endpoint, Fragment, Query, Unknown};
        for (given, error) in [
            ("notes", Unknown),
            ("https://notes", Unknown),
            ("s3://", Bucket),
            ("s3://-x/y", Bucket),
            ("s3://me:word@notes/y", Bucket),
            ("az://notes/y?sig=x", Query),
            ("s3://notes#x=y", Fragment),
            ("s3://notes#endpoint=host", Endpoint),
            ("s3://notes#endpoint=https://me:word@host", Endpoint),
        ] {
            assert_eq!(given.parse::<ObjectOrigin>(), Err(error), "{given}");
        }
    }
}
