//! `excerpt serve`: a server for programs, browsers and agents over HTTP.

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::PathBuf;

use crate::cli::choice::ServedArgs;
use crate::cli::exit::Outcome;
use crate::http::{self, LogFormat, Options, TlsFiles};

/// Serve a folder or collections over HTTP: an API, a search page, and MCP
///
/// Prints the address, and a link to the page with the server's own token. Every request needs a
/// token. What is served is kept up to date: folders as their files change, and repositories and
/// object stores every few minutes or when a hook is called. Ctrl-C ends the server after the
/// requests that are being answered.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    served: ServedArgs,
    /// The address and port to listen on; port 0 chooses a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7700", value_parser = address)]
    listen: SocketAddr,
    /// A host name that requests may use, such as that of a proxy; repeatable. IP addresses and
    /// `localhost` are always allowed
    #[arg(long = "allow-host", value_name = "NAME")]
    hosts: Vec<String>,
    /// A file with tokens, as `excerpt token --tokens FILE` makes it; required for any address that
    /// other machines can reach [default: one in the user's data folder]
    #[arg(long, value_name = "FILE")]
    tokens: Option<PathBuf>,
    /// Answer every request on this machine without a token
    #[arg(long, conflicts_with = "tokens")]
    no_token: bool,
    /// The certificate chain for https, a PEM file
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// The private key of the certificate, a PEM file
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// The maximum number of requests per second and token
    #[arg(long, value_name = "N", default_value = "1000", value_parser = rate, hide_short_help = true)]
    rate: NonZeroU32,
    /// The log on standard error: text, json (an object for each request) or off
    #[arg(
        long,
        value_enum,
        value_name = "FORMAT",
        default_value_t,
        hide_possible_values = true
    )]
    log: LogFormat,
}

fn address(text: &str) -> Result<SocketAddr, String> {
    let expected = "expected an address and a port, such as 127.0.0.1:7700";
    text.parse().map_err(|_| expected.to_string())
}

fn rate(text: &str) -> Result<NonZeroU32, String> {
    let expected = format!("expected a whole number from 1 to {}", u32::MAX);
    text.parse().map_err(|_| expected)
}

/// Serves until the process receives a signal to stop.
pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let tls = args.tls_cert.clone().zip(args.tls_key.clone());
    http::run(Options {
        served: args.served.served(),
        listen: args.listen,
        hosts: args.hosts.clone(),
        no_token: args.no_token,
        tokens: args.tokens.clone(),
        tls: tls.map(|(certificate, key)| TlsFiles { certificate, key }),
        rate: args.rate,
        log: args.log,
    })?;
    Ok(Outcome::Done)
}
