#!/usr/bin/env python3
"""Drives the server as an agent's program does, with the independent Python client of the Model Context Protocol.

usage: client.py BINARY

Each revision is tested with a separate server. Every message on the pipes is checked, too: each request has exactly one answer, a cancelled one none; and
each server exits with 0 and without an error message when its input ends.
"""
import asyncio
import contextlib
import itertools
import json
import pathlib
import sys
import tempfile
from unittest import mock

import anyio
import httpx2
import jsonschema
import mcp_types
from fixture import DOCUMENTS, REVISIONS, Judge, Project, Wrong
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

# The revision without a handshake: each request has the metadata of one.
NEWEST = REVISIONS[0]

READING = ["search", "get", "list", "chunk"]
WRITING = ["add", "note"]



def bed(at: int) -> str:
    rows = (f"\n## Row {row}\n\nThe garden grows leeks here, {at * row} of them, and {at + row} more each spring.\n" for row in range(30))
    return f"# Bed {at}\n{''.join(rows)}"


# Enough for the first sync to take a while, even in a release build.
FIELDS = {f"beds/{at // 50}/bed-{at}.md": bed(at) for at in range(3000)}
GARDEN = dict(list(FIELDS.items())[:100])

# The names of tokens.
NAMES = itertools.count()

# The timeout of the whole run, in case something hangs.
LONGEST = 100

# Writes the exit code of the command into the file $0.
ENDED = '"$@"; echo $? > "$0"'


class Stream:
    """One of the two streams of a transport, which records its messages."""

    def __init__(self, stream, messages: list) -> None:
        self._stream, self._messages = stream, messages

    def _keep(self, passed):
        message = getattr(passed, "message", None)
        self._messages.append(message.model_dump(by_alias=True, exclude_unset=True) if message else passed)
        return passed

    async def receive(self):
        return self._keep(await self._stream.receive())

    async def send(self, message) -> None:
        self._keep(message)
        await self._stream.send(message)

    def __aiter__(self) -> "Stream":
        return self

    async def __anext__(self):
        return self._keep(await self._stream.__anext__())

    async def __aenter__(self) -> "Stream":
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *error):
        return await self._stream.__aexit__(*error)

    def __getattr__(self, name: str):
        return getattr(self._stream, name)


class Agent:
    """A client of one server, which checks the answers."""

    def __init__(self, project: Project, revision: str, judge: Judge) -> None:
        self.project, self.revision, self.judge = project, revision, judge
        self.sent, self.received = [], []
        self.announced = anyio.Event()

    @contextlib.asynccontextmanager
    async def _transport(self, *words: str):
        command = self.project.command(*words)
        with tempfile.TemporaryDirectory() as folder:
            ended, complaints = pathlib.Path(folder, "ended"), pathlib.Path(folder, "complaints")
            parameters = StdioServerParameters(command="sh", args=["-c", ENDED, str(ended), *command], env=self.project.environment)
            with complaints.open("w") as file:
                async with stdio_client(parameters, errlog=file) as (read, write):
                    yield Stream(read, self.received), Stream(write, self.sent)
            # If the client had to kill it, the file would be empty.
            self.same("how the server ended", ended.read_text() if ended.exists() else "not by itself", "0\n")
            self.same("what the server said on standard error", complaints.read_text(), "")

    @contextlib.asynccontextmanager
    async def served(self, *words: str, asks_first: bool = True):
        """A server, from its handshake to its exit. In a revision without one, the client may or may not discover the server first."""
        mode = "legacy" if self.revision != NEWEST else "auto" if asks_first else NEWEST
        # The client would begin with the newest revision that has a handshake; here it requests the tested one.
        with mock.patch("mcp.client.session.LATEST_HANDSHAKE_VERSION", self.revision):
            async with Client(self._transport(*words), mode=mode, message_handler=self._hear) as self.client:
                self.same("the revision agreed on", self.client.protocol_version, self.revision)
                yield self
        self.look_at_the_wire()

    async def _hear(self, message) -> None:
        if isinstance(message, mcp_types.ToolListChangedNotification):
            self.announced.set()

    def look_at_the_wire(self) -> None:
        broken = [message for message in self.received if isinstance(message, Exception)]
        self.check("every line is a message", not broken, broken)
        asked = [message["id"] for message in self.sent if "method" in message and "id" in message]
        cancelled = [message["params"]["requestId"] for message in self.sent if message.get("method") == "notifications/cancelled"]
        answered = [message["id"] for message in self.received if "method" not in message]
        self.check("something was asked", asked)
        self.same("each request has one answer, and a cancelled one none", sorted(answered), sorted(set(asked) - set(cancelled)))

    def check(self, what: str, is_right: object, found: object = "") -> None:
        self.judge.check(f"{self.revision}: {what}", is_right, found)

    def same(self, what: str, found: object, expected: object) -> None:
        self.judge.same(f"{self.revision}: {what}", found, expected)

    async def learn(self, expected: list) -> None:
        """Lists the tools, and checks their descriptions."""
        tools = (await self.client.list_tools()).tools
        self.same("the tools", [tool.name for tool in tools], expected)
        for tool in tools:
            self.check(f"{tool.name}: a schema of an object", tool.input_schema.get("type") == "object", tool.input_schema)
            jsonschema.Draft202012Validator.check_schema(tool.input_schema)
            # A tool with an output schema must send structured content, which some clients give to the model instead of the text.
            self.same(f"{tool.name}: a schema of its answers", tool.output_schema, None)
            self.check(f"{tool.name}: strict arguments", tool.input_schema.get("additionalProperties") is False)
            hints = tool.annotations
            self.same(f"{tool.name}: reads only", hints.read_only_hint, tool.name in READING)
            self.same(f"{tool.name}: may be repeated", hints.idempotent_hint, tool.name in READING)
            # It may replace a collection.
            self.same(f"{tool.name}: destroys", hints.destructive_hint, tool.name == "add")
            self.check(f"{tool.name}: has a title and a description", tool.title and tool.description)

    async def call(self, tool: str, arguments: dict, **rest) -> mcp_types.CallToolResult:
        """Calls a tool, whose answer must be a single text."""
        result = await self.client.call_tool(tool, arguments, **rest)
        self.check(f"{tool} {arguments}: one text", len(result.content) == 1 and result.content[0].type == "text" and result.content[0].text, result)
        self.same(f"{tool} {arguments}: structured content", result.structured_content, None)
        return result

    async def ok(self, tool: str, arguments: dict, **rest) -> dict:
        """The JSON of a successful call."""
        result = await self.call(tool, {**arguments, "format": "json"}, **rest)
        self.check(f"{tool} {arguments} goes well", not result.is_error, result.content[0].text)
        return json.loads(result.content[0].text)

    async def fails(self, tool: str, arguments: dict, part: str) -> None:
        """Makes a call that must fail with this message."""
        result = await self.call(tool, arguments)
        text = result.content[0].text
        self.check(f"{tool} {arguments} goes wrong and says `{part}`", result.is_error and part in text, text)

    async def refused(self, what: str, request, codes: list) -> None:
        """Makes a request that must be answered with a protocol error."""
        try:
            answer = await request
        except MCPError as error:
            self.check(f"{what}: the code", error.code in codes, error.code)
            self.check(f"{what}: a message", error.message)
        else:
            self.check(f"{what} is refused", False, answer)


class RemoteAgent(Agent):
    """A client of a server over HTTP, with a token that may read or also write."""

    @contextlib.asynccontextmanager
    async def _transport(self, *words: str):
        token = self.project.token(f"{self.revision} {next(NAMES)}", *words)
        with self.project.served() as (address, _):
            async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=LONGEST) as client:
                async with streamable_http_client(f"{address}/mcp", http_client=client) as (read, write):
                    yield Stream(read, self.received), Stream(write, self.sent)


async def reading(agent: Agent) -> None:
    client = agent.client
    agent.same("the name of the server", client.server_info.name, "excerpt")
    agent.check("the version of the server", client.server_info.version)
    agent.check("tools and resources are offered", client.server_capabilities.tools and client.server_capabilities.resources)
    agent.check("the instructions name the tools", all(f"`{tool}`" in client.instructions for tool in ("search", "get")), client.instructions)
    await agent.learn(READING)

    asked = {"query": "how hot is the water for black tea", "limit": 3}
    hits = (await agent.ok("search", asked))["hits"]
    result = await agent.call("search", {**asked, "weak": True})
    agent.check("a search finds", not result.is_error and 0 < len(hits) <= 3, result)
    agent.same("the best hit", hits[0]["path"], "docs/tea.md")
    for hit in hits:
        agent.check("a hit is cited in the text", hit["citation"] in result.content[0].text, hit["citation"])
    await agent.fails("search", {"query": "tea", "limitt": 3}, "did you mean `limit`?")
    await agent.fails("search", {"quary": "tea"}, "did you mean `query`?")
    await agent.fails("search", {}, "`query` is missing")
    await agent.fails("search", {"query": "tea", "limit": 21}, "from 1 to 20")
    await agent.refused("an unknown tool", client.call_tool("find", {}), [mcp_types.INVALID_PARAMS])

    best = hits[0]
    found = await agent.ok("get", {"targets": [best["id"], best["citation"], "docs/taa.md", "docs/größe 1.md"]})
    by_id, by_citation, bad, whole = found["items"]
    agent.same("a chunk by its id and by its citation", by_id["text"].strip(), by_citation["text"].strip())
    agent.check("a bad item has its own error", "did you mean `docs/tea.md`?" in bad.get("error", "") and "text" not in bad, bad)
    agent.check("the good ones have none", not any("error" in item for item in (by_id, by_citation, whole)), found)
    agent.same("a document as it is", whole["text"], DOCUMENTS["docs/größe 1.md"])
    await agent.fails("get", {"targets": ["nothing.md"]}, "`nothing.md` was not found")
    await agent.fails("get", {"targets": ["../../etc/passwd"]}, "../../etc/passwd")

    listed, offset = [], 0
    while offset is not None:
        page = await agent.ok("list", {"what": "documents", "limit": 2, "offset": offset})
        agent.same("all that there is", page["total"], len(DOCUMENTS))
        agent.check("a page goes on", page["entries"])
        listed += [entry["path"] for entry in page["entries"]]
        offset = page.get("next")
    agent.same("the documents, page by page", sorted(listed), sorted(DOCUMENTS))
    recent = await agent.ok("list", {"what": "recent"})
    agent.same("the last changed documents", sorted(entry["path"] for entry in recent["entries"]), sorted(DOCUMENTS))
    folders = await agent.ok("list", {"what": "folders"})
    agent.check("the folders", {"docs", "src"} <= {entry["path"] for entry in folders["entries"]}, folders)
    collections = await agent.ok("list", {"what": "collections"})
    agent.same("the collections", collections["total"], 0)
    await agent.fails("list", {"what": "document"}, "did you mean `documents`?")

    cut = await agent.ok("chunk", {"path": "docs/tea.md", "chunking": {"strategy": "headers", "max": 60, "min": 1}})
    agent.check("a document is cut", len(cut["chunks"]) > 1, cut)
    cut = await agent.ok("chunk", {"text": "fn a() {}\n", "name": "a.rs"})
    agent.same("a text is cut", [chunk["text"].strip() for chunk in cut["chunks"]], ["fn a() {}"])
    await agent.fails("chunk", {"text": "a", "chunking": {"strategie": "headers"}}, "strategy")

    once = await agent.ok("search", asked)
    many = await asyncio.gather(*(agent.ok("search", asked) for _ in range(20)))
    agent.check("many at a time are answered like one", all(answer == once for answer in many))


async def resources(agent: Agent) -> None:
    client = agent.client
    listed = (await client.list_resources()).resources
    agent.same("the resources", sorted(resource.name for resource in listed), sorted(DOCUMENTS))
    agent.same("their addresses differ", len({resource.uri for resource in listed}), len(DOCUMENTS))
    for resource in listed:
        [contents] = (await client.read_resource(resource.uri)).contents
        agent.same(f"{resource.uri}: its text", contents.text, DOCUMENTS[resource.name])
        agent.same(f"{resource.uri}: its address", contents.uri, resource.uri)
        agent.same(f"{resource.uri}: its type", contents.mime_type, resource.mime_type)
        agent.same(f"{resource.uri}: its size", resource.size, len(contents.text.encode()))
    [template] = (await client.list_resource_templates()).resource_templates
    begin = template.uri_template.split("{")[0]
    agent.check("the template is that of the resources", begin and all(resource.uri.startswith(begin) for resource in listed), template)
    # A missing resource had its own code before it became an invalid parameter.
    missing = [mcp_types.INVALID_PARAMS] if agent.revision == NEWEST else [-32002]
    folder = listed[0].uri.removeprefix(begin).split("/")[0]
    for uri in (f"{begin}{folder}/nothing.md", f"{begin}{folder}/../secret.md", f"{begin}{folder}/%2e%2e/secret.md", "file:///etc/passwd"):
        await agent.refused(uri, client.read_resource(uri), missing)


async def writing(agent: Agent) -> None:
    await agent.learn(READING + WRITING)
    text = "# Brew\n\n## Water\n\nEighty degrees.\n\n## Leaves\n\nTwo spoons of leaves.\n"
    given = {"content": text, "type": "doc", "title": "Brewing", "versions": ["2.x"], "tags": ["tea"], "chunking": {"strategy": "headers", "max": 100, "min": 1}}
    shown = await agent.ok("add", {**given, "preview": True})
    agent.check("a preview stores nothing", not shown["stored"] and shown["chunks"] > 1, shown)
    agent.same("nothing was added", (await agent.ok("list", {"what": "collections"}))["total"], 0)
    added = await agent.ok("add", given)
    agent.check("what was shown is stored", added["stored"] and added["chunks"] == shown["chunks"], added)
    found = await agent.ok("search", {"query": "spoons of leaves", "collection": added["collection"]})
    agent.check("what was added is found", found["hits"] and "Two spoons" in found["hits"][0]["text"], found)
    await agent.fails("add", {"path": "/etc/passwd"}, "`/etc/passwd`")
    await agent.fails("add", {"content": "a", "titles": "b"}, "did you mean `title`?")

    note = {"title": "Kettle: bought", "content": "The kettle hums quietly.\n", "tags": ["kitchen"]}
    first = await agent.ok("note", note)
    file = agent.project.folder / first["path"]
    kept = file.read_text()
    second = await agent.ok("note", {**note, "content": "Another kettle.\n"})
    agent.check("a second note of a title is another file", second["path"] != first["path"] and (agent.project.folder / second["path"]).exists(), second)
    agent.same("the first stays as it was", file.read_text(), kept)
    agent.check("both can be searched", first["searchable"] and second["searchable"], (first, second))
    found = await agent.ok("search", {"query": "kettle hums", "tags": ["kitchen"]})
    agent.check("the note is found", first["path"] in [hit["path"] for hit in found["hits"]], found)
    await agent.fails("note", {"title": "Out", "content": "x", "path": "../out.md"}, "`../out.md`")
    agent.check("nothing was written outside", not (agent.project.folder.parent / "out.md").exists())


async def at_once(agent: Agent) -> None:
    """The first message is a call."""
    result = await agent.client.call_tool("search", {"query": "milk"})
    agent.check("a first call is answered", not result.is_error and "docs/milk.md:" in result.content[0].text, result)
    agent.same("the first request", agent.sent[0]["method"], "tools/call")


async def first_sync(agent: Agent, begin) -> None:
    """During the first sync: progress is reported, a call is cancelled, and the others are answered."""
    told, begun, cancelled = [], anyio.Event(), anyio.CancelScope()

    async def listens(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))

    async def begins(*_) -> None:
        begun.set()

    async def is_cancelled() -> None:
        with cancelled:
            await agent.client.call_tool("search", {"query": "garden"}, progress_callback=begins)
            agent.check("a call that waits for the first sync can be cancelled", False, "it was answered before")

    begin()
    async with anyio.create_task_group() as group:
        group.start_soon(is_cancelled)
        # Progress is reported only while something is running.
        await begun.wait()
        cancelled.cancel()
        found = await agent.ok("search", {"query": "garden"}, progress_callback=listens)
    agent.check("a call was cancelled", cancelled.cancelled_caught)
    # The first documents may take longer than an answer waits for them.
    while not found["hits"]:
        found = await agent.ok("search", {"query": "garden"})
    agent.check("progress is told", told)
    agent.check("progress grows", all(before[0] < after[0] for before, after in zip(told, told[1:])), told)
    agent.check("progress stays within its total and says what it is", all(total and 0 < done <= total and message for done, total, message in told), told)


async def first_session(agent: Agent, begin) -> None:
    """After a slow first sync, the new description of the tools is announced."""

    async def description() -> str:
        [search] = [tool for tool in (await agent.client.list_tools()).tools if tool.name == "search"]
        return search.description

    agent.check("changes of the tools are announced", agent.client.server_capabilities.tools.list_changed)
    async with contextlib.AsyncExitStack() as stack:
        changes = None
        if agent.revision == NEWEST:
            changes = await stack.enter_async_context(agent.client.listen(tools_list_changed=True))
        found = await description()
        agent.check("nothing is known so far", "It holds" not in found, found)
        begin()
        if changes is None:
            await agent.announced.wait()
        else:
            agent.same("what changed", type(await anext(aiter(changes))).__name__, "ToolsListChanged")
        found = await description()
        agent.check("the description says what there is", f"It holds {len(GARDEN)} documents (markdown); folders: \"beds\" {len(GARDEN)}; among them: \"Bed 0\", " in found, found)


async def run(binary: str, judge: Judge) -> None:
    for revision in REVISIONS:
        before = judge.checked
        with Project(binary) as project:
            (project.folder.parent / "secret.md").write_text("# Secret\n")
            project.sync()
            for part, words in ((reading, ()), (resources, ()), (writing, ("--allow-write",))):
                async with Agent(project, revision, judge).served(*words) as agent:
                    await part(agent)
            if revision == NEWEST:
                async with Agent(project, revision, judge).served(asks_first=False) as agent:
                    await at_once(agent)
        with Project(binary) as project:
            (project.folder.parent / "secret.md").write_text("# Secret\n")
            project.sync()
            for part, words in ((reading, ()), (resources, ()), (writing, ("--write",))):
                async with RemoteAgent(project, revision, judge).served(*words) as agent:
                    await part(agent)
        for part, documents in ((first_sync, FIELDS), (first_session, GARDEN)):
            with Project(binary, {}) as project:
                # The first sync of the documents begins when the other process has released the index.
                project.sync().write(documents)
                with project.held() as begin:
                    async with Agent(project, revision, judge).served() as agent:
                        await part(agent, begin)
        with Project(binary, FIELDS) as project:
            # The client disconnects at once, during the first sync.
            async with Agent(project, revision, judge).served():
                pass
        print(f"{revision}  {judge.checked - before} checks")


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    judge = Judge()
    try:
        asyncio.run(asyncio.wait_for(run(sys.argv[1], judge), LONGEST))
    except* (Wrong, jsonschema.SchemaError) as wrongs:
        first = wrongs
        while isinstance(first, BaseExceptionGroup):
            first = first.exceptions[0]
        sys.exit(f"client: {first}")
    print(f"{judge.checked} checks passed")


if __name__ == "__main__":
    main()
