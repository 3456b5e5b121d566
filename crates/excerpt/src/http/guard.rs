//! Who may make a request: the host and the origin that it names, and its token.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::http::header::{AUTHORIZATION, COOKIE, HOST, ORIGIN};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, Uri};
use excerpt_service::access::{NewToken, SessionKey, Token, TokenFile};
use excerpt_service::{ServiceResult, now};

use super::problem::ProblemDetails;
use super::tenant::{Common, Tenant};
use super::tenants::Tenants;

/// How long a session of the page lasts, in seconds.
const SESSION: i64 = 30 * 24 * 60 * 60;

/// What a session is for: the answers of the API, or only the page without any.
const API: &str = "api";
const SHELL: &str = "shell";

/// Decides who may make a request.
pub(super) struct Guard {
    /// Whether requests need a token.
    needs_token: bool,
    /// The token of the user who runs the server.
    own: NewToken,
    tokens: TokenFile,
    sessions: SessionKey,
    hosts: Hosts,
    /// The name of the cookie of the page. Cookies are shared by all ports of a host.
    cookie: String,
    tenants: Tenants<Tenant>,
}

fn refused(detail: &str) -> ProblemDetails {
    ProblemDetails::new(StatusCode::UNAUTHORIZED, detail)
}

/// The hosts that requests may name.
#[derive(Debug)]
pub(super) struct Hosts {
    /// Names besides addresses and `localhost`.
    pub(super) named: Vec<String>,
}

/// What the page of a browser is given in exchange for a token.
pub(super) struct PageSession {
    /// For the requests that it makes.
    pub(super) session: String,
    /// For the page itself, as a header `Set-Cookie`.
    pub(super) cookie: String,
}

impl Guard {
    pub(super) fn new(
        needs_token: bool,
        own: NewToken,
        tokens: TokenFile,
        sessions: SessionKey,
        hosts: Hosts,
        address: SocketAddr,
    ) -> Guard {
        Guard {
            needs_token,
            own,
            tokens,
            sessions,
            hosts,
            cookie: format!("excerpt_{}", address.port()),
            tenants: Tenants::default(),
        }
    }

    /// Checks the host and the origin of a request: a page of another site that a browser shows
    /// must not reach this server, under whatever name.
    ///
    /// # Errors
    ///
    /// When they are not those of this server.
    pub(super) fn check_place(&self, parts: &Parts) -> Result<(), ProblemDetails> {
        let mut hosts = parts.headers.get_all(HOST).iter();
        let host = hosts.next().and_then(|host| host.to_str().ok());
        let authority = parts.uri.authority().map(|authority| authority.as_str());
        let host = match (host, hosts.next(), authority) {
            (Some(host), None, None) => host,
            (Some(host), None, Some(authority)) if host.eq_ignore_ascii_case(authority) => host,
            _ => {
                let detail = "expected one header `Host` with the address of this server";
                return Err(ProblemDetails::new(StatusCode::BAD_REQUEST, detail));
            }
        };
        if !self.hosts.are_ours(host) {
            let detail = "this server has another name: see `excerpt serve --allow-host`";
            return Err(ProblemDetails::new(StatusCode::MISDIRECTED_REQUEST, detail));
        }
        let other = || {
            let detail = "requests from pages of other sites are refused";
            ProblemDetails::new(StatusCode::FORBIDDEN, detail)
        };
        for origin in parts.headers.get_all(ORIGIN) {
            let origin = origin.to_str().map_err(|_| other())?;
            let authority = origin.split_once("://").map(|(_, authority)| authority);
            if !authority.is_some_and(|authority| authority.eq_ignore_ascii_case(host)) {
                return Err(other());
            }
        }
        let site = parts.headers.get("sec-fetch-site");
        let is_navigation = parts
            .headers
            .get("sec-fetch-mode")
            .is_some_and(|it| it == "navigate");
        match site.and_then(|site| site.to_str().ok()) {
            // Another server on this machine is the same site.
            Some("cross-site" | "same-site") if !is_navigation => Err(other()),
            _ => Ok(()),
        }
    }

    /// The secret that a request has: that of a token, or of a session. `None` if it needs none.
    ///
    /// # Errors
    ///
    /// When it has none.
    pub(super) fn secret(&self, parts: &Parts) -> Result<Option<String>, ProblemDetails> {
        if !self.needs_token {
            return Ok(None);
        }
        let mut given = parts.headers.get_all(AUTHORIZATION).iter();
        let (first, second) = (given.next(), given.next());
        let given = first.filter(|_| second.is_none());
        let given = given.and_then(|given| given.to_str().ok()?.split_once(' '));
        match given {
            Some((scheme, secret)) if scheme.eq_ignore_ascii_case("bearer") => {
                Ok(Some(secret.trim().to_string()))
            }
            _ => Err(refused("a token is needed: `Authorization: Bearer …`")),
        }
    }

    /// The client with this [`Guard::secret`]. It reads files.
    ///
    /// # Errors
    ///
    /// When it is not the secret of a valid token.
    pub(super) fn tenant(
        &self,
        secret: Option<String>,
        common: &Common,
    ) -> Result<Arc<Tenant>, ProblemDetails> {
        let Some(secret) = secret else {
            return self.tenant_of(&self.own.token, common);
        };
        match self.known(&secret)? {
            Some(token) => self.tenant_of(&token, common),
            None => Err(refused("this token is unknown, has expired or was revoked")),
        }
    }

    /// The token that a secret or a session is of.
    fn known(&self, secret: &str) -> ServiceResult<Option<Arc<Token>>> {
        if let Some(id) = self.sessions.token(API, secret, now()) {
            return self.with_id(id);
        }
        self.with_secret(secret)
    }

    fn with_secret(&self, secret: &str) -> ServiceResult<Option<Arc<Token>>> {
        let own = &self.own.token;
        if TokenFile::is_of(own, secret) {
            return Ok(Some(Arc::new(own.clone())));
        }
        self.tokens.with_secret(secret)
    }

    fn with_id(&self, id: &str) -> ServiceResult<Option<Arc<Token>>> {
        match self.own.token.id() == id {
            true => Ok(Some(Arc::new(self.own.token.clone()))),
            false => self.tokens.with_id(id),
        }
    }

    fn tenant_of(&self, token: &Token, common: &Common) -> Result<Arc<Tenant>, ProblemDetails> {
        if let Some(known) = self.tenants.known(token) {
            return Ok(known);
        }
        // Other clients do not wait for it.
        let made = Tenant::of(token, common).map_err(|error| {
            tracing::warn!(token = %token.name, %error, "a token cannot be used");
            let detail = "this token is not for what is served here";
            ProblemDetails::new(StatusCode::FORBIDDEN, detail)
        })?;
        let (tokens, own) = (self.tokens.all()?, self.own.token.id());
        let is_valid = |id: &str| id == own || tokens.iter().any(|token| token.id() == id);
        Ok(self.tenants.get_or_insert(token, made, is_valid))
    }

    /// Exchanges a token for a session of the page; `None` if it is not valid.
    ///
    /// # Errors
    ///
    /// When the tokens cannot be read.
    pub(super) fn exchange(
        &self,
        secret: &str,
        secure: bool,
    ) -> Result<Option<PageSession>, ProblemDetails> {
        let Some(token) = self.with_secret(secret)? else {
            return Ok(None);
        };
        let end = token.expires.unwrap_or(i64::MAX).min(now() + SESSION);
        let shell = self.sessions.session(SHELL, token.id(), end);
        let secure = if secure { "; Secure" } else { "" };
        Ok(Some(PageSession {
            session: self.sessions.session(API, token.id(), end),
            cookie: format!(
                "{}={shell}; Path=/; HttpOnly; SameSite=Lax; Max-Age={SESSION}{secure}",
                self.cookie
            ),
        }))
    }

    /// Whether the cookies of a request admit it to the page.
    pub(super) fn admits(&self, headers: &HeaderMap) -> bool {
        if !self.needs_token {
            return true;
        }
        let cookies = headers.get_all(COOKIE).iter();
        let mut cookies = cookies
            .filter_map(|header| header.to_str().ok())
            .flat_map(|header| header.split(';'))
            .filter_map(|cookie| cookie.trim().split_once('='));
        cookies.any(|(name, value)| {
            let id = self.sessions.token(SHELL, value, now());
            name == self.cookie && id.is_some_and(|id| matches!(self.with_id(id), Ok(Some(_))))
        })
    }

    /// The secret of the user who runs the server, if requests need a token.
    pub(super) fn own_secret(&self) -> Option<&str> {
        self.needs_token.then_some(&*self.own.secret)
    }
}

/// Whether the query of an address contains a token, which would be kept in logs and histories.
pub(super) fn has_token(uri: &Uri) -> bool {
    const NAMES: [&str; 5] = [
        "token",
        "access_token",
        "api_key",
        "apikey",
        "authorization",
    ];
    let query = uri.query().unwrap_or_default();
    let mut names = query
        .split('&')
        .map(|pair| pair.split('=').next().unwrap_or_default());
    names.any(|name| {
        let name = percent_encoding::percent_decode_str(name).decode_utf8_lossy();
        NAMES.contains(&&*name.to_ascii_lowercase())
    })
}

impl Hosts {
    /// Whether a host, with or without a port, is this server: an address, which no name server can
    /// change, `localhost`, or a name that was allowed.
    fn are_ours(&self, host: &str) -> bool {
        let name = match host.strip_prefix('[') {
            Some(rest) => match rest.split_once(']') {
                Some((address, port)) if is_port(port) => address,
                _ => return false,
            },
            None => match host.split_once(':') {
                Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
                Some(_) => return false,
                None => host,
            },
        };
        let is_named = |known: &String| known.eq_ignore_ascii_case(name);
        name.parse::<IpAddr>().is_ok()
            || name.eq_ignore_ascii_case("localhost")
            || self.named.iter().any(is_named)
    }
}

fn is_port(text: &str) -> bool {
    match text.strip_prefix(':') {
        Some(port) => port.bytes().all(|byte| byte.is_ascii_digit()),
        None => text.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_and_allowed_names_are_hosts() {
        let hosts = Hosts {
            named: vec!["notes.example".to_string()],
        };
        for ours in [
            "127.0.0.1",
            "127.0.0.1:7700",
            "localhost:7700",
            "LOCALHOST",
            "[::1]:7700",
            "[::1]",
            "192.0.2.1:80",
            "Notes.Example:443",
        ] {
            assert!(hosts.are_ours(ours), "{ours}");
        }
        for other in [
            "",
            "evil.example",
            "evil.example:7700",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "127.0.0.1:7700@evil",
            "[::1",
            "[::1]x",
            "[evil]",
            "localhost:77a",
            "notes.example.",
        ] {
            assert!(!hosts.are_ours(other), "{other}");
        }
    }

    #[test]
    fn a_token_in_an_address_is_recognised() {
        let has = |uri: &str| has_token(&uri.parse().unwrap());
        assert!(has("/v1/search?query=a&token=b"));
        assert!(has("/v1/search?To%6ben=b"));
        assert!(has("/v1/search?access_token"));
        assert!(!has("/v1/search?query=token"));
        assert!(!has("/v1/search?tokens=1"));
    }
}
