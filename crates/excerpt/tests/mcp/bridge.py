"""Makes a server on standard input and output available over streamable HTTP.

A posted message becomes a line of the server's input unchanged, and the lines of its output become the answer unchanged, so that the server's own bytes are
judged. Only the parts of HTTP are added here: sessions, status codes, event streams.

A session begins with `initialize` and has its own child process. In revisions without sessions, each connection has one: its requests are sequential, so
that no two with the same id are in progress in one child.
"""
import contextlib
import http.server
import itertools
import json
import queue
import socket
import subprocess
import threading

# The timeout for a line of a child, and for its exit. Neither is reached normally.
PATIENCE = 20.0

# The status of an error, by its code. Any other error is the answer to a valid call.
STATUS = {-32601: 404, -32700: 400, -32600: 400, -32602: 400, -32020: 400, -32021: 400, -32022: 400}

# From this revision on, requests are independent, and errors have a status.
WITHOUT_SESSIONS = "2026-07-28"

# The request that has no answer while the client listens; over HTTP, closing the connection ends it.
LISTEN = "subscriptions/listen"
LEFT = object()


class Child:
    """One process of the server, and the requests that wait for its answers."""

    def __init__(self, command: list, environment: dict, faults: list) -> None:
        self._faults = faults
        self._waiting = {}
        self._lock = threading.Lock()
        self._process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self._readers = [threading.Thread(target=self._read, daemon=True), threading.Thread(target=self._complaints, daemon=True)]
        for reader in self._readers:
            reader.start()

    def tell(self, line: bytes) -> None:
        """Writes a line to the input."""
        with self._lock, contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(line + b"\n")
            self._process.stdin.flush()

    def ask(self, request: dict, line: bytes, leaves):
        """Writes a request, and yields the lines that belong to it, the answer last. A subscription has no answer: it ends when the client `leaves`."""
        lines = queue.Queue()
        meta = (request.get("params") or {}).get("_meta") or {}
        keys = [("id", json.dumps(request["id"])), ("progress", json.dumps(meta.get("progressToken")))]
        with self._lock:
            self._waiting.update(dict.fromkeys(keys, lines))
        try:
            self.tell(line)
            listens = request["method"] == LISTEN
            if listens:
                threading.Thread(target=lambda: (leaves(), lines.put((b"", LEFT))), daemon=True).start()
            while True:
                try:
                    said, message = lines.get(timeout=None if listens else PATIENCE)
                except queue.Empty:
                    self._faults.append(f"no answer to {line[:200]!r}")
                    return
                if message is LEFT:
                    cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": request["id"]}}
                    self.tell(json.dumps(cancelled).encode())
                    return
                if message is None:
                    self._faults.append(f"the server ended before it had answered {line[:200]!r}")
                    return
                yield said, message
                if "method" not in message:
                    return
        finally:
            with self._lock:
                for key in keys:
                    self._waiting.pop(key, None)

    def end(self) -> None:
        """Closes the input, after which the server must exit by itself and without an error message."""
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            code = self._process.wait(PATIENCE)
            if code != 0:
                self._faults.append(f"the server ended with {code}")
        except subprocess.TimeoutExpired:
            self._faults.append("the server did not end when its input had")
            self._process.kill()
            self._process.wait()
        for reader in self._readers:
            reader.join(PATIENCE)
        self._process.stdout.close()
        self._process.stderr.close()

    def _read(self) -> None:
        for said in self._process.stdout:
            said = said.rstrip(b"\n")
            try:
                message = json.loads(said)
                key = self._key(message)
            except (ValueError, AttributeError):
                self._faults.append(f"a line that is no message: {said[:200]!r}")
                continue
            with self._lock:
                lines = self._waiting.get(key)
            if lines is None:
                self._faults.append(f"said what nobody waits for: {said[:200]!r}")
            else:
                lines.put((said, message))
        with self._lock:
            for lines in self._waiting.values():
                lines.put((b"", None))

    def _complaints(self) -> None:
        said = self._process.stderr.read()
        if said:
            self._faults.append(f"said on standard error: {said[:400]!r}")

    @staticmethod
    def _key(message: dict) -> tuple:
        """The key of the request to which a line belongs: as its answer, its progress, or a notification for a subscription."""
        if "method" not in message:
            return "id", json.dumps(message["id"])
        params = message.get("params") or {}
        if "progressToken" in params:
            return "progress", json.dumps(params["progressToken"])
        return "id", json.dumps((params.get("_meta") or {}).get("io.modelcontextprotocol/subscriptionId"))


class Bridge:
    """A context manager that serves `command` at `url`, on a port chosen by the system. `faults` has the errors that the bridge itself noticed."""

    def __init__(self, command: list, environment: dict) -> None:
        self.faults = []
        self.requests = 0
        self._command, self._environment = command, environment
        self._sessions, self._open = {}, set()
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), type("Connection", (Connection,), {"bridge": self}))
        # Shutting down waits for all connections.
        self._http.daemon_threads = False
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}/mcp"

    def __enter__(self) -> "Bridge":
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.05})
        self._thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()
        with self._lock:
            children = list(self._open)
        for child in children:
            self.end(child)

    def child(self) -> Child:
        child = Child(self._command, self._environment, self.faults)
        with self._lock:
            self._open.add(child)
        return child

    def begin(self) -> tuple:
        """A session: its name and its child."""
        child, name = self.child(), f"session-{next(self._numbers)}"
        with self._lock:
            self._sessions[name] = child
        return name, child

    def session(self, name: str) -> Child | None:
        with self._lock:
            return self._sessions.get(name)

    def forget(self, name: str) -> Child | None:
        with self._lock:
            return self._sessions.pop(name, None)

    def end(self, child: Child) -> None:
        with self._lock:
            is_open = child in self._open
            self._open.discard(child)
        if is_open:
            child.end()

    def count(self) -> None:
        with self._lock:
            self.requests += 1


class Connection(http.server.BaseHTTPRequestHandler):
    """One connection of a client."""

    bridge: Bridge
    protocol_version = "HTTP/1.1"
    own = None

    def finish(self) -> None:
        super().finish()
        if self.own:
            self.bridge.end(self.own)

    def log_message(self, *_) -> None:
        pass

    def do_POST(self) -> None:
        # A line break in JSON is white space.
        line = self.rfile.read(int(self.headers["Content-Length"])).replace(b"\n", b" ").replace(b"\r", b" ")
        try:
            message = json.loads(line)
            method, is_request = message.get("method"), "id" in message and "method" in message
        except (ValueError, AttributeError):
            return self._reply(400)
        headers = {}
        if self.headers.get("MCP-Protocol-Version") == WITHOUT_SESSIONS or "Mcp-Method" in self.headers:
            self.own = child = self.own or self.bridge.child()
        elif method == "initialize":
            headers["Mcp-Session-Id"], child = self.bridge.begin()
        else:
            child = self.bridge.session(self.headers.get("Mcp-Session-Id"))
        if child is None:
            return self._reply(404)
        if not is_request:
            child.tell(line)
            return self._reply(202)
        if self.bridge.faults:
            # Already judged: later lines are not waited for.
            return self._reply(502)
        self.bridge.count()
        self._answer(child.ask(message, line, self._left), headers)

    def do_GET(self) -> None:
        self._reply(405)

    def do_DELETE(self) -> None:
        child = self.bridge.forget(self.headers.get("Mcp-Session-Id"))
        if child is None:
            return self._reply(404)
        self.bridge.end(child)
        self._reply(200)

    def _answer(self, lines, headers: dict) -> None:
        """Sends an immediate answer as a body, and one after other messages as a stream."""
        first = next(lines, None)
        if first is None:
            return self._reply(502)
        said, message = first
        if "method" not in message:
            code = message.get("error", {}).get("code")
            return self._reply(STATUS.get(code, 200) if self.own else 200, said, {**headers, "Content-Type": "application/json"})
        self.close_connection = True
        self.send_response(200)
        for name, value in {**headers, "Content-Type": "text/event-stream", "Connection": "close"}.items():
            self.send_header(name, value)
        self.end_headers()
        try:
            for said, _ in itertools.chain([first], lines):
                self.wfile.write(b"data: " + said + b"\n\n")
                self.wfile.flush()
        except (BrokenPipeError, ConnectionResetError):
            lines.close()

    def _left(self) -> None:
        """Waits until the client has closed the connection."""
        with contextlib.suppress(OSError):
            self.connection.recv(1, socket.MSG_PEEK)

    def _reply(self, status: int, body: bytes = b"", headers: dict | None = None) -> None:
        self.send_response(status)
        for name, value in {**(headers or {}), "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.wfile.write(body)
