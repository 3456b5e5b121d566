//! The [`Server`]: what it answers to the requests of the protocol.

use std::sync::Arc;

use excerpt_service::text::shown;
use excerpt_service::{Engine, Scope, SyncMode};
use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestMethod, CallToolRequestParams, CallToolResponse, ConstString as _,
    CustomRequest, CustomResult, DiscoverResult, ErrorCode, GetPromptRequestMethod,
    GetPromptRequestParams, GetPromptResponse, Implementation, InitializeRequestParams,
    InitializeResult, ListPromptsRequestMethod, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestMethod,
    ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig,
    SubscriptionFilter, Tool,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer, SubscriptionContext};
use rmcp::{ServerHandler, model::JsonObject};

use super::arguments::read;
use super::content::{Content, Listener};
use super::fence::Marks;
use super::instructions::Instructions;
use super::reply::Reply;
use super::shared::{Rights, Shared};
use super::{add, chunk, get, list, note, resources, search};
use crate::output::say;
use crate::served::Served;

/// An MCP server over one index, for one client. Its clones are the same server.
#[derive(Clone)]
pub(crate) struct Server {
    shared: Arc<Shared>,
}

/// The tools that a server offers.
fn tools(scope: &Scope, rights: &Rights) -> Vec<Tool> {
    let mut tools = vec![
        search::tool(&Instructions::default()),
        get::tool(),
        list::tool(),
        chunk::tool(),
    ];
    if rights.allows_writing && scope.shows_what_is_added() {
        tools.push(add::tool());
    }
    if rights.allows_writing && scope.writable().is_ok_and(|folder| folder.is_some()) {
        tools.push(note::tool());
    }
    tools
}

impl Server {
    /// A server that has started its first check for changes.
    pub(super) fn start(served: &Served, rights: Rights) -> anyhow::Result<Server> {
        let (engine, scope) = served.start(rights.sync, |note| say(&format!("note: {note}")))?;
        if rights.sync != SyncMode::Never {
            engine.check();
        }
        Ok(Server::of(engine, scope, rights))
    }

    /// A server over an engine that others use, too, which shows what is in `scope`.
    pub(crate) fn of(engine: Arc<Engine>, scope: Arc<Scope>, rights: Rights) -> Server {
        let tools = tools(&scope, &rights);
        Server {
            shared: Arc::new(Shared {
                scope,
                engine,
                rights,
                content: Content::default(),
                marks: Marks::default(),
                tools,
            }),
        }
    }

    /// Ends the tasks that would notify a client that has disconnected.
    pub(super) fn close(&self) {
        self.shared.content.close();
        self.shared.engine.disconnected();
    }

    /// Ends the writer thread.
    pub(super) fn end(&self) {
        self.shared.engine.end();
    }

    /// Calls a tool. An error is an answer for the model.
    async fn call(
        &self,
        tool: &Tool,
        given: Option<JsonObject>,
        context: &RequestContext<RoleServer>,
    ) -> anyhow::Result<Reply> {
        let (shared, schema) = (&self.shared, &tool.input_schema);
        let reply = match &*tool.name {
            search::NAME => shared.search(read(given, schema)?, context).await,
            get::NAME => shared.get(read(given, schema)?, context).await,
            list::NAME => shared.list(read(given, schema)?, context).await,
            chunk::NAME => shared.chunk(read(given, schema)?, context).await,
            add::NAME => shared.add(read(given, schema)?, context).await,
            _ => shared.note(read(given, schema)?, context).await,
        };
        // Also after a failure, which a check may resolve, such as a missing index.
        shared.engine.answered();
        reply
    }
}

/// The error about a method that the server does not have.
fn unknown(method: &str) -> ErrorData {
    let message = format!(
        "unknown method `{}`: this server has tools and resources",
        shown(method)
    );
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None)
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_resources()
            .build();
        let name = Implementation::new("excerpt", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(capabilities)
            .with_server_info(name.with_title("excerpt"))
            .with_instructions(self.shared.content.known().text())
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        self.shared.greeting().await;
        self.negotiate_initialize(&request)
    }

    async fn discover(
        &self,
        _context: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        self.shared.greeting().await;
        let versions = self.supported_protocol_versions().into_owned();
        Ok(DiscoverResult::from_server_info(versions, self.get_info()))
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let shared = &self.shared;
        if shared.content.begins_to_follow() {
            tokio::spawn(Arc::clone(shared).follow(Listener::Session(context.peer)));
        }
    }

    /// The notifications that clients of the revisions without a handshake can subscribe to.
    fn accepted_subscription_filter(&self, _: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(SubscriptionFilter::builder().tools_list_changed().build())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let hears = context.accepted().tools_list_changed == Some(true);
        let listener = Listener::Subscription(context.sink().clone());
        tokio::select! {
            () = Arc::clone(&self.shared).follow(listener), if hears => {}
            () = context.cancelled() => {}
            // Otherwise the library would wait some seconds for it before it ends.
            () = self.shared.content.closed() => {}
        }
        Ok(())
    }

    /// Answers a request that is not in the protocol: an unknown method, or invalid parameters.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let expected = match &*request.method {
            CallToolRequestMethod::VALUE => "`name`, a text, and `arguments`, an object",
            ReadResourceRequestMethod::VALUE => "`uri`, a text",
            _ => {
                return Err(unknown(&request.method));
            }
        };
        let message = format!("the parameters of `{}` are {expected}", request.method);
        Err(ErrorData::invalid_params(message, None))
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(unknown(ListPromptsRequestMethod::VALUE))
    }

    async fn get_prompt(
        &self,
        _request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        Err(unknown(GetPromptRequestMethod::VALUE))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        // There is only one page.
        if request.is_some_and(|request| request.cursor.is_some()) {
            return Err(ErrorData::invalid_params("unknown cursor", None));
        }
        let instructions = self.shared.greeting().await;
        let mut tools = self.shared.tools.clone();
        for tool in &mut tools {
            if tool.name == search::NAME {
                *tool = search::tool(&instructions);
            }
        }
        self.shared.content.set_listed(&instructions);
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tools = &self.shared.tools;
        let Some(tool) = tools.iter().find(|tool| tool.name == request.name) else {
            if matches!(&*request.name, add::NAME | note::NAME) {
                let error = anyhow::anyhow!(
                    "`{}` is not available: it needs a server started with `--allow-write`, or over HTTP a token made with `--write`, and a place to write to inside the served folder",
                    request.name
                );
                return Ok(Reply::failure(&error).into_result().into());
            }
            let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
            let message = format!(
                "unknown tool `{}`, expected one of {}",
                shown(&request.name),
                names.join(", ")
            );
            return Err(ErrorData::invalid_params(message, None));
        };
        let reply = tokio::select! {
            reply = self.call(tool, request.arguments, &context) => reply,
            () = context.ct.cancelled() => Err(anyhow::anyhow!("cancelled")),
        };
        let reply = reply.unwrap_or_else(|error| Reply::failure(&error));
        Ok(reply.into_result().into())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        self.shared.list_resources(cursor, &context).await
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let templates = vec![resources::template()];
        Ok(ListResourceTemplatesResult::with_all_items(templates))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let read = self.shared.read_resource(request.uri, &context).await;
        read.map(ReadResourceResponse::from)
    }
}
