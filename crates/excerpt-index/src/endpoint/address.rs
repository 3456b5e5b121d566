//! The address of an endpoint.

use ureq::http::Uri;

/// Where requests go.
#[derive(Clone, Debug)]
pub(crate) struct Address {
    pub(crate) uri: Uri,
    /// The address as it is shown, without the query, which may contain a key.
    pub(crate) shown: String,
    /// Whether it is on this machine, for which no proxy is used.
    pub(crate) is_local: bool,
}

impl Address {
    /// The address of `url`, with `ending` as the end of its path, whether it was given or not.
    ///
    /// # Errors
    ///
    /// What was expected.
    pub(crate) fn read(url: &str, ending: &str) -> Result<Address, &'static str> {
        const EXPECTED: &str = "`http://` or `https://`, and a host";
        let uri: Uri = match completed(url.trim(), ending).parse() {
            Ok(uri) => uri,
            Err(_) => return Err(EXPECTED),
        };
        let (Some("http" | "https"), Some(host)) = (uri.scheme_str(), uri.host()) else {
            return Err(EXPECTED);
        };
        if host.is_empty() {
            return Err(EXPECTED);
        }
        if uri
            .authority()
            .is_some_and(|part| part.as_str().contains('@'))
        {
            return Err("a url without a password (use `key_variable` for a key)");
        }
        let is_local = is_local(host);
        let shown = shown(&uri.to_string());
        Ok(Address {
            uri,
            shown,
            is_local,
        })
    }
}

/// A url with the ending of its path.
fn completed(url: &str, ending: &str) -> String {
    let (path, query) = match url.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (url, None),
    };
    let path = path.trim_end_matches('/');
    let path = path.strip_suffix(ending).unwrap_or(path);
    let query = query.map(|query| format!("?{query}")).unwrap_or_default();
    format!("{path}{ending}{query}")
}

/// Whether a host is this machine.
fn is_local(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || host
            .trim_matches(['[', ']'])
            .parse()
            .is_ok_and(|host: std::net::IpAddr| host.is_loopback())
}

/// An address without what may be secret: user name and password before the host, and the query.
pub(crate) fn shown(url: &str) -> String {
    let (path, query) = match url.split_once('?') {
        Some((path, _)) => (path, "?…"),
        None => (url, ""),
    };
    let (scheme, rest) = match path.split_once("://") {
        Some((scheme, rest)) => (format!("{scheme}://"), rest),
        None => (String::new(), path),
    };
    let host = rest.split('/').next().unwrap_or(rest);
    let secret = host.rfind('@').map_or(0, |at| at + 1);
    format!("{scheme}{}{query}", &rest[secret..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_the_url_with_an_ending() {
        let cases = [
            (
                "http://localhost:11434/v1",
                "http://localhost:11434/v1/embeddings",
            ),
            (
                "https://host.example/v1/",
                "https://host.example/v1/embeddings",
            ),
            (" https://host.example ", "https://host.example/embeddings"),
            ("http://[::1]:80/embeddings/", "http://[::1]:80/embeddings"),
            (
                "https://h.example/v1?version=2",
                "https://h.example/v1/embeddings?version=2",
            ),
        ];
        for (url, address) in cases {
            assert_eq!(Address::read(url, "/embeddings").unwrap().uri, address);
        }
    }

    #[test]
    fn no_proxy_leads_to_this_machine() {
        let is_local = |url: &str| Address::read(url, "/rerank").unwrap().is_local;
        assert!(is_local("http://LOCALHOST:1"));
        assert!(is_local("http://127.0.0.9"));
        assert!(is_local("http://[::1]/v1"));
        assert!(!is_local("http://10.0.0.1"));
        assert!(!is_local("https://localhost.example"));
    }
}
