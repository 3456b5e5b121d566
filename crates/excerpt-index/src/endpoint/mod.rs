//! A server that runs a model: requests with the key, retries, the rate limit, and what to do about
//! each failure.
//!
//! A [`Connection`] says how to reach it, an [`Endpoint`] sends requests there. What a request asks
//! for and what a response contains is the caller's; `said.rs` reads the error messages of servers,
//! `machine.rs` is the clock and everything else that tests replace.

mod address;
mod machine;
mod said;
#[cfg(test)]
pub(crate) mod server;

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ureq::Agent;
use ureq::http::header::{AUTHORIZATION, CONTENT_TYPE, DATE, LOCATION, RETRY_AFTER};
use ureq::http::{HeaderMap, HeaderName, HeaderValue, Response};
use ureq::tls::{RootCerts, TlsConfig};

use self::address::Address;
pub(crate) use self::address::shown;
pub(crate) use self::machine::{Machine, ThisMachine};
use self::said::Said;
pub(crate) use self::said::shortened;
use crate::model::plain;

/// The first wait before a retry; each further one is twice as long, up to the longest.
const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// If the endpoint asks for a longer wait, the request fails: a limit per minute never needs one.
const PATIENCE: Duration = Duration::from_secs(120);

/// How to reach an endpoint.
#[derive(Clone)]
pub(crate) struct Connection {
    /// The base url. Its path ends with that of the request, whether it was given or not.
    pub(crate) url: String,
    /// The name of the model.
    pub(crate) model: String,
    /// The timeout of one request.
    pub(crate) timeout: Duration,
    /// The maximum number of requests per minute.
    pub(crate) requests_per_minute: Option<u32>,
    /// The environment variable that holds the key.
    pub(crate) key_variable: Option<String>,
}

/// An option with a value that cannot be used.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct InvalidOption {
    pub(crate) setting: &'static str,
    pub(crate) found: String,
    pub(crate) expected: &'static str,
}

impl Connection {
    /// The address of requests whose path ends with `ending`, if all options are valid.
    fn address(&self, ending: &str) -> Result<Address, InvalidOption> {
        let fault = |setting, found, expected| {
            Err(InvalidOption {
                setting,
                found,
                expected,
            })
        };
        if self.model.trim().is_empty() {
            return fault("model", self.model.clone(), "the name of a model");
        }
        if self.requests_per_minute == Some(0) {
            let expected = "a number of at least 1";
            return fault("requests_per_minute", "0".into(), expected);
        }
        if self.timeout.is_zero() {
            return fault("timeout", "0 s".into(), "more than 0 s");
        }
        if let Some(name) = &self.key_variable
            && (name.trim().is_empty() || name.contains(['=', '\0']))
        {
            let expected = "the name of an environment variable";
            return fault("key_variable", name.clone(), expected);
        }
        let address = Address::read(&self.url, ending);
        address.or_else(|expected| fault("url", shown(&self.url), expected))
    }
}

/// An endpoint.
pub(crate) struct Endpoint {
    address: Address,
    connection: Connection,
    agent: Agent,
    machine: Arc<dyn Machine>,
    /// When the next request may be sent.
    next: Mutex<Duration>,
}

/// A request, and how to read its response.
pub(crate) struct Call<'a, T> {
    /// Its body, in JSON.
    pub(crate) body: &'a [u8],
    /// How often it is sent again when it fails temporarily.
    pub(crate) retries: u32,
    /// The maximum size of a response, in bytes.
    pub(crate) most: u64,
    /// What it means if a response is larger, to follow the name of the endpoint.
    pub(crate) too_much: &'a str,
    /// What to do if there is no response in time.
    pub(crate) too_slow: &'a str,
    /// Reads a response.
    pub(crate) read: &'a dyn Fn(&[u8]) -> Result<T, BadAnswer>,
}

/// Why there is no usable response.
#[derive(Debug, PartialEq)]
pub(crate) enum Failure {
    /// The endpoint rejects these texts, perhaps because of one of them, perhaps because of their
    /// number.
    Texts { reason: String },
    /// It returns nothing usable for one of them.
    Text { text: usize, reason: String },
    /// It returns nothing at the moment, or nothing with its configuration.
    Endpoint { reason: String },
}

/// The outcome of a failed request.
enum Outcome<'c> {
    /// The next one will fail, too.
    Failed(Failure),
    /// The next one may succeed after some time.
    Passing {
        reason: String,
        advice: &'c str,
        wait: Duration,
    },
}

/// What is wrong with a response.
#[derive(Debug, PartialEq)]
pub(crate) enum BadAnswer {
    /// The whole response is unusable: the problem, to follow the name of the endpoint, and what to
    /// do.
    Whole(String),
    /// What it says about one text is unusable.
    Text { text: usize, reason: &'static str },
}

impl Endpoint {
    /// An endpoint for requests whose path ends with `ending`. Nothing is sent yet.
    ///
    /// # Errors
    ///
    /// When an option is invalid.
    pub(crate) fn new(
        connection: Connection,
        ending: &str,
        machine: Arc<dyn Machine>,
    ) -> Result<Endpoint, InvalidOption> {
        let address = connection.address(ending)?;
        // The certificates that the machine trusts, so that a company's own ones work.
        let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier);
        let config = Agent::config_builder()
            .tls_config(tls.build())
            .timeout_global(Some(connection.timeout))
            .http_status_as_error(false)
            // The key must not be sent to another endpoint.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(concat!("excerpt/", env!("CARGO_PKG_VERSION")));
        let config = match address.is_local {
            true => config.proxy(None),
            false => config,
        };
        Ok(Endpoint {
            address,
            connection,
            agent: config.build().new_agent(),
            machine,
            next: Mutex::new(Duration::ZERO),
        })
    }

    /// The address of requests, without what may be secret.
    pub(crate) fn shown(&self) -> &str {
        &self.address.shown
    }

    /// What the response to a call contains.
    pub(crate) fn ask<T>(&self, call: &Call<'_, T>) -> Result<T, Failure> {
        let key = self.key()?;
        let mut sent = 0;
        let failure = loop {
            let (reason, advice, wait) = match self.send(call, key.as_ref()) {
                Ok(found) => return Ok(found),
                Err(Outcome::Failed(failure)) => break failure,
                Err(Outcome::Passing {
                    reason,
                    advice,
                    wait,
                }) => (reason, advice, wait),
            };
            if wait > PATIENCE {
                let wait = wait.as_secs();
                let reason =
                    format!("{reason} and asked for a wait of {wait} s: try again after that");
                break Failure::Endpoint { reason };
            }
            if sent == call.retries {
                let often = match sent {
                    0 => String::new(),
                    _ => format!(", {} times", sent + 1),
                };
                let reason = format!("{reason}{often}: {advice}");
                break Failure::Endpoint { reason };
            }
            self.machine.sleep(wait.max(self.backoff(sent)));
            sent += 1;
        };
        Err(without(key.as_ref(), failure))
    }

    /// How long to wait before the next retry, after `sent` retries: between half and all of the
    /// wait, at random, so that clients that failed together do not retry together.
    fn backoff(&self, sent: u32) -> Duration {
        let wait = (FIRST_WAIT * 2_u32.saturating_pow(sent)).min(LONGEST_WAIT);
        wait.mul_f64(0.5 + 0.5 * self.machine.chance())
    }

    /// The header with the key, if there is one.
    fn key(&self) -> Result<Option<Key>, Failure> {
        let Some(name) = &self.connection.key_variable else {
            return Ok(None);
        };
        let shown = &self.address.shown;
        let key = self.machine.variable(name).unwrap_or_default();
        let key = key.trim();
        if key.is_empty() {
            let reason = format!(
                "the environment variable `{name}` is not set: set it to the key for `{shown}`"
            );
            return Err(Failure::Endpoint { reason });
        }
        let Ok(mut header) = HeaderValue::from_str(&format!("Bearer {key}")) else {
            let reason = format!(
                "the environment variable `{name}` contains a line break or another control character: set it to the key for `{shown}`"
            );
            return Err(Failure::Endpoint { reason });
        };
        header.set_sensitive(true);
        Ok(Some(Key {
            header,
            secret: key.to_string(),
        }))
    }

    fn send<'c, T>(&self, call: &Call<'c, T>, key: Option<&Key>) -> Result<T, Outcome<'c>> {
        self.wait_for_turn();
        let mut request = self
            .agent
            .post(&self.address.uri)
            .header(CONTENT_TYPE, "application/json");
        if let Some(key) = key {
            request = request.header(AUTHORIZATION, &key.header);
        }
        let unreached = |error| self.unreached(error, call.too_much, call.too_slow);
        let response = request.send(call.body).map_err(unreached)?;
        let (head, body) = response.into_parts();
        let body = body.into_with_config().limit(call.most).read_to_vec();
        let body = body.map_err(unreached)?;
        if head.status.is_success() {
            let found = (call.read)(&body);
            return found.map_err(|fault| Outcome::Failed(self.unusable(fault)));
        }
        Err(self.refusal(&Response::from_parts(head, body)))
    }

    /// Waits until the rate limit allows a request.
    fn wait_for_turn(&self) {
        let Some(rate) = self.connection.requests_per_minute else {
            return;
        };
        let apart = Duration::from_secs(60) / rate;
        let now = self.machine.now();
        let turn = {
            let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
            let turn = now.max(*next);
            *next = turn + apart;
            turn
        };
        if turn > now {
            self.machine.sleep(turn - now);
        }
    }

    fn unusable(&self, fault: BadAnswer) -> Failure {
        let shown = &self.address.shown;
        match fault {
            BadAnswer::Whole(fault) => Failure::Endpoint {
                reason: format!("`{shown}` {fault}"),
            },
            BadAnswer::Text { text, reason } => Failure::Text {
                text,
                reason: format!("`{shown}` {reason}"),
            },
        }
    }

    /// What an error response means.
    fn refusal(&self, response: &Response<Vec<u8>>) -> Outcome<'static> {
        let status = response.status().as_u16();
        let Said { words, is_spent } = Said::read(response.body());
        let shown = &self.address.shown;
        let answers = format!("`{shown}` answered {status}{words}");
        let failed = |next: &str| {
            Outcome::Failed(Failure::Endpoint {
                reason: format!("{answers}: {next}"),
            })
        };
        let passing = |advice, wait| Outcome::Passing {
            reason: answers.clone(),
            advice,
            wait,
        };
        let model = &self.connection.model;
        match status {
            300..=399 => self.redirect(status, response.headers()),
            400 | 413 | 422 => Outcome::Failed(Failure::Texts { reason: answers }),
            401 | 403 => match &self.connection.key_variable {
                Some(name) => failed(&format!(
                    "set the environment variable `{name}` to a key that it accepts"
                )),
                None => failed("set `key_variable` to the environment variable that holds the key"),
            },
            404 | 405 => failed(&format!("check the url and the model `{model}`")),
            429 if is_spent => failed("the quota is used up"),
            429 => passing(
                "send fewer requests per minute, or try again later",
                asked_to_wait(response.headers()),
            ),
            503 => passing("try again later", asked_to_wait(response.headers())),
            408 | 424 | 425 | 500.. => passing("try again later", Duration::ZERO),
            _ => failed("check the url"),
        }
    }

    fn redirect(&self, status: u16, headers: &HeaderMap) -> Outcome<'static> {
        let from = &self.address.shown;
        let reason = match header(headers, LOCATION) {
            Some(to) => format!(
                "`{from}` redirects to `{}`: use that as the url if it is right",
                shown(&shortened(to))
            ),
            None => format!("`{from}` answered {status}: check the url"),
        };
        Outcome::Failed(Failure::Endpoint { reason })
    }

    fn not_safe(&self, said: &str) -> Outcome<'static> {
        let shown = &self.address.shown;
        Outcome::Failed(Failure::Endpoint {
            reason: format!(
                "cannot connect securely to `{shown}` ({said}): check the url and the certificates that this machine trusts"
            ),
        })
    }

    /// What it means that there is no response.
    fn unreached<'c>(&self, error: ureq::Error, too_much: &str, too_slow: &'c str) -> Outcome<'c> {
        let shown = &self.address.shown;
        let passing = |reason, advice| Outcome::Passing {
            reason,
            advice,
            wait: Duration::ZERO,
        };
        match error {
            ureq::Error::Timeout(_) => passing(
                format!(
                    "`{shown}` did not answer within {:?}",
                    self.connection.timeout
                ),
                too_slow,
            ),
            ureq::Error::Io(error) if error.kind() == io::ErrorKind::ConnectionRefused => passing(
                format!("nothing is listening at `{shown}`"),
                "start the server, or correct the url",
            ),
            ureq::Error::HostNotFound => passing(
                format!("the host of `{shown}` was not found"),
                "correct the url, or check the network",
            ),
            // A problem with the certificate of the other side has this form, too.
            ureq::Error::Io(error) if error.kind() == io::ErrorKind::InvalidData => {
                self.not_safe(&plain(&error))
            }
            ureq::Error::Tls(said) => self.not_safe(said),
            ureq::Error::Rustls(error) => self.not_safe(&error.to_string()),
            ureq::Error::Io(error) => passing(
                format!("`{shown}` cannot be reached ({})", plain(&error)),
                "try again later, or correct the url",
            ),
            ureq::Error::ConnectionFailed => passing(
                format!("`{shown}` cannot be reached"),
                "try again later, or correct the url",
            ),
            ureq::Error::BodyExceedsLimit(_) => Outcome::Failed(Failure::Endpoint {
                reason: format!("`{shown}` {too_much}"),
            }),
            error => Outcome::Failed(Failure::Endpoint {
                reason: format!("`{shown}` cannot be queried ({error}): check the url"),
            }),
        }
    }
}

/// A key, kept for the duration of a request.
struct Key {
    header: HeaderValue,
    secret: String,
}

/// A failure without the key, in case the endpoint has repeated it.
fn without(key: Option<&Key>, failure: Failure) -> Failure {
    let hide = |reason: String| match key {
        Some(key) => reason.replace(&key.secret, "…"),
        None => reason,
    };
    match failure {
        Failure::Texts { reason } => Failure::Texts {
            reason: hide(reason),
        },
        Failure::Text { text, reason } => Failure::Text {
            text,
            reason: hide(reason),
        },
        Failure::Endpoint { reason } => Failure::Endpoint {
            reason: hide(reason),
        },
    }
}

/// How long an endpoint asks to wait: a number of seconds, or a date, which is compared with that
/// of the response.
fn asked_to_wait(headers: &HeaderMap) -> Duration {
    let Some(said) = header(headers, RETRY_AFTER) else {
        return Duration::ZERO;
    };
    if let Ok(seconds) = said.trim().parse() {
        return Duration::from_secs(seconds);
    }
    let date = |said: &str| httpdate::parse_http_date(said).ok();
    let wait = date(said)
        .zip(header(headers, DATE).and_then(date))
        .and_then(|(then, now)| then.duration_since(now).ok());
    wait.unwrap_or_default()
}

fn header(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}
