//! A server over standard input and output, with one message per line, until the input ends.

use std::ffi::OsString;
use std::io::{IsTerminal as _, Write as _};
use std::pin::Pin;

use excerpt_service::text::address::escaped_json;
use excerpt_service::text::thousands;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, GetMeta as _, RequestId};
use rmcp::service::{RoleServer, ServerInitializeError, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{ErrorData, ServiceExt as _};
use serde_json::{Value, json};
use tokio::io::{AsyncBufRead, BufReader};
use tokio::runtime::Builder;

use super::line::{Line, LineReader, MESSAGE_LIMIT, id_in};
use super::server::Server;
use super::shared::Rights;
use crate::invocation::{Invocation, started};
use crate::served::Served;

/// Serves until the input ends.
pub(crate) fn run(served: &Served, rights: Rights) -> anyhow::Result<()> {
    let server = Server::start(served, rights)?;
    let help = std::io::stdin().is_terminal().then(|| help(served));
    if let Some(help) = help {
        // The error is ignored: standard error may be closed.
        let _ = std::io::stderr().write_all(help.as_bytes());
    }
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let served = runtime.block_on(serve(server.clone()));
    server.end();
    // A blocking read of the input cannot be cancelled and is not waited for.
    runtime.shutdown_background();
    served
}

/// The text for a user who starts the server in a terminal, without a client.
fn help(served: &Served) -> String {
    let Invocation {
        program, arguments, ..
    } = started().clone();
    let (program, rest) = match program.split_first() {
        Some((program, rest)) => (program.clone(), rest),
        None => ("excerpt".into(), &[][..]),
    };
    let words = rest.iter().chain(arguments.iter().skip(1));
    let mut words: Vec<OsString> = words.cloned().collect();
    // A client starts the server in another working directory.
    let folder = std::path::absolute(&served.path).unwrap_or_else(|_| served.path.clone());
    let is_folder = |at: &usize| words[*at] == served.path.as_os_str();
    let given: Vec<usize> = (0..words.len()).filter(is_folder).collect();
    match given[..] {
        [at] => words[at] = folder.into(),
        [] if !served.collections.are_meant() => words.push(folder.into()),
        _ => {}
    }
    let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
    let entry = json!({"command": program.to_string_lossy(), "args": words});
    format!(
        "excerpt mcp: a Model Context Protocol server on standard input and output, which a client starts.
To add it to a client, put this under \"mcpServers\" in the client's configuration (\"servers\" in VS Code):
  \"excerpt\": {}
Waiting for a client's messages on standard input. Ctrl-C ends the server.
",
        escaped_json(&entry.to_string())
    )
}

async fn serve(server: Server) -> anyhow::Result<()> {
    let (input, output) = rmcp::transport::stdio_pipes();
    let transport = Patient {
        lines: LineReader::new(BufReader::new(input), MESSAGE_LIMIT),
        output: AsyncRwTransport::new_server(tokio::io::empty(), output),
        refusal: None,
        server: server.clone(),
        has_begun: false,
    };
    match server.serve(transport).await {
        Ok(running) => {
            running.waiting().await?;
            Ok(())
        }
        // It is no error if a client disconnects before its first message or during an answer.
        Err(
            ServerInitializeError::ConnectionClosed(_)
            | ServerInitializeError::TransportError { .. },
        ) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Whether a request begins a session: by a handshake, or by metadata that replaces one.
fn begins(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::DiscoverRequest(_) => false,
        other => other.get_meta().protocol_version().is_some(),
    }
}

/// A transport that answers an invalid message with an error, under its id if that can be read; the
/// library alone would not answer. It ignores everything but requests before a session has begun,
/// where the library would end the server, and notifies the server when the input has ended.
struct Patient<R, T: Transport<RoleServer>> {
    lines: LineReader<R>,
    /// Used only to send.
    output: T,
    /// An error that is being sent: `receive` may be cancelled meanwhile.
    refusal: Option<Sending<T::Error>>,
    server: Server,
    has_begun: bool,
}

type Sending<E> = Pin<Box<dyn Future<Output = Result<(), E>> + Send>>;

impl<R, T> Patient<R, T>
where
    R: AsyncBufRead + Unpin + Send + 'static,
    T: Transport<RoleServer>,
{
    /// The next message; `None` when there are no more, or errors cannot be sent.
    async fn message(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if let Some(refusal) = &mut self.refusal {
                let sent = refusal.await;
                self.refusal = None;
                sent.ok()?;
            }
            match understood(self.lines.next().await?) {
                Ok(Some(message)) => return Some(message),
                Ok(None) => {}
                Err(error) => {
                    let (error, id) = *error;
                    let error = TxJsonRpcMessage::<RoleServer>::error(error, id);
                    self.refusal = Some(Box::pin(self.output.send(error)));
                }
            }
        }
    }
}

/// An error, and the id of the request that it answers. If the id cannot be read, the answer has
/// none, as the protocol requires.
type Refusal = Box<(ErrorData, Option<RequestId>)>;

/// The message in a line; `None` if it needs no answer.
fn understood(line: Line) -> Result<Option<ClientJsonRpcMessage>, Refusal> {
    const MARK: &[u8] = "\u{feff}".as_bytes();
    let line = match line {
        Line::Whole(line) => line,
        Line::TooLong(id) => {
            let most = thousands(MESSAGE_LIMIT);
            let error = format!("message too long: it exceeds {most} bytes");
            return Err(Box::new((ErrorData::invalid_request(error, None), id)));
        }
    };
    let line = line.strip_prefix(MARK).unwrap_or(&line).trim_ascii();
    if line.is_empty() {
        return Ok(None);
    }
    if let Ok(message) = serde_json::from_slice(line) {
        return Ok(Some(message));
    }
    match serde_json::from_slice::<Value>(line) {
        Err(error) => {
            let error = ErrorData::parse_error(format!("not JSON: {error}"), None);
            Err(Box::new((error, id_in(line))))
        }
        // A notification is never answered, even an unknown or invalid one.
        Ok(value) if value["method"].is_string() && value.get("id").is_none() => Ok(None),
        Ok(_) => {
            let error = ErrorData::invalid_request("not a JSON-RPC 2.0 message", None);
            Err(Box::new((error, id_in(line))))
        }
    }
}

impl<R, T> Transport<RoleServer> for Patient<R, T>
where
    R: AsyncBufRead + Unpin + Send + 'static,
    T: Transport<RoleServer>,
{
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.output.send(message)
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let Some(message) = self.message().await else {
                self.server.close();
                return None;
            };
            let is_request = match &message {
                ClientJsonRpcMessage::Request(request) => {
                    self.has_begun |= begins(&request.request);
                    true
                }
                _ => false,
            };
            if is_request || self.has_begun {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.output.close().await
    }
}
