//! A server over standard input and output, one message a line, until the input ends.

use rmcp::ServiceExt as _;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, GetMeta as _};
use rmcp::service::{RoleServer, ServerInitializeError, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::runtime::Builder;

use super::{Options, Server};

/// Serves until the input ends.
pub(crate) fn run(options: Options) -> anyhow::Result<()> {
    let server = Server::start(options)?;
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let served = runtime.block_on(serve(server.clone()));
    server.end();
    // A read of the input that nothing can break off is not waited for.
    runtime.shutdown_background();
    served
}

async fn serve(server: Server) -> anyhow::Result<()> {
    let (input, output) = rmcp::transport::stdio_pipes();
    let transport = Patient {
        inner: AsyncRwTransport::new_server(input, output),
        server: server.clone(),
        has_begun: false,
    };
    match server.serve(transport).await {
        Ok(running) => {
            running.waiting().await?;
            Ok(())
        }
        // A client that goes before it has said anything, or while it is answered, wants nothing more.
        Err(
            ServerInitializeError::ConnectionClosed(_)
            | ServerInitializeError::TransportError { .. },
        ) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Whether a session begins with a request: by its handshake, or by saying of itself what a handshake would.
fn begins(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::DiscoverRequest(_) => false,
        other => other.get_meta().protocol_version().is_some(),
    }
}

/// A transport that passes over what is no request before a session has begun: by itself, the library ends the server there. It tells the server when the
/// input has ended.
struct Patient<T> {
    inner: T,
    server: Server,
    has_begun: bool,
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Patient<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.inner.send(message)
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let Some(message) = self.inner.receive().await else {
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
        self.inner.close().await
    }
}
