"""How an index is reached: in this process, or over HTTP. Both take the same requests."""

from __future__ import annotations

import http.client
import json
import os
import threading
from typing import Any, Protocol
from urllib.parse import urlsplit

from . import _excerpt
from ._errors import IndexFailure, NotFoundError, RequestError


class Transport(Protocol):
    """Answers the requests of the HTTP API."""

    def request(self, method: str, address: str, body: bytes | None) -> tuple[int, bytes]:
        """The status and the body of the answer."""
        ...

    def close(self) -> None:
        """End what this has opened."""
        ...


class Local:
    """An index on this machine."""

    def __init__(self, path: str, collections: list[str], library: bool, index: str | None, sync: bool) -> None:
        self._process = os.getpid()
        self._server = _excerpt.LocalServer(path, collections, library, index, sync)
        self.notes: list[str] = self._server.notes

    def request(self, method: str, address: str, body: bytes | None) -> tuple[int, bytes]:
        if os.getpid() != self._process:
            raise IndexFailure("this index was opened before a fork: open it in this process")
        return self._server.request(method, address, body)

    def close(self) -> None:
        # The threads of the process before a fork cannot be ended here.
        if os.getpid() == self._process:
            self._server.close()


class Http:
    """An index that `excerpt serve` serves."""

    def __init__(self, url: str, token: str | None, timeout: float) -> None:
        parts = urlsplit(url)
        if parts.hostname is None:
            raise IndexFailure(f"`{url}` has no host, expected an address such as http://127.0.0.1:7700")
        if parts.username is not None or parts.query:
            raise IndexFailure("a token does not belong in an address: give it as `token`")
        self._secure = parts.scheme == "https"
        self._host, self._port = parts.hostname, parts.port
        self._base = parts.path.rstrip("/").removesuffix("/v1")
        self._timeout = timeout
        self._headers = {"Accept": "application/json"}
        if token is not None:
            self._headers["Authorization"] = f"Bearer {token}"
        # A connection is used by one thread at a time.
        self._of_thread = threading.local()
        self._all: list[http.client.HTTPConnection] = []
        self._lock = threading.Lock()
        self.notes: list[str] = []

    def _connection(self) -> http.client.HTTPConnection:
        known: http.client.HTTPConnection | None = getattr(self._of_thread, "connection", None)
        if known is not None:
            return known
        kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
        connection = kind(self._host, self._port, timeout=self._timeout)
        self._of_thread.connection = connection
        with self._lock:
            self._all.append(connection)
        return connection

    def request(self, method: str, address: str, body: bytes | None) -> tuple[int, bytes]:
        headers = dict(self._headers)
        if body is not None:
            headers["Content-Type"] = "application/json"
        connection = self._connection()
        # A server closes connections that were idle: what only reads is sent once more.
        was_used = connection.sock is not None
        try:
            return self._answer(connection, method, address, body, headers)
        except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError) as error:
            connection.close()
            if not was_used:
                raise self._unreachable(error) from error
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise self._unreachable(error) from error
        except BaseException:
            # An answer that was not read to its end would be taken for the next one.
            connection.close()
            raise
        try:
            return self._answer(connection, method, address, body, headers)
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise self._unreachable(error) from error

    def _answer(
        self, connection: http.client.HTTPConnection, method: str, address: str, body: bytes | None, headers: dict[str, str]
    ) -> tuple[int, bytes]:
        connection.request(method, self._base + address, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.read()

    def _unreachable(self, error: Exception) -> IndexFailure:
        port = "" if self._port is None else f":{self._port}"
        return IndexFailure(f"the server at {self._host}{port} gives no answer: {error or type(error).__name__}")

    def close(self) -> None:
        with self._lock:
            connections, self._all = self._all, []
        for connection in connections:
            connection.close()


def answer(transport: Transport, method: str, address: str, body: dict[str, Any] | None = None) -> Any:
    """The answer to a request, and an error if it is refused."""
    sent = None if body is None else json.dumps(body).encode()
    status, received = transport.request(method, address, sent)
    if status == 204 or (status < 300 and not received):
        return None
    try:
        parsed = json.loads(received)
    except ValueError:
        raise IndexFailure(f"the answer is not JSON, with status {status}: is this a server of excerpt?") from None
    if status < 300:
        return parsed
    detail = str(parsed.get("detail") or parsed.get("title") or f"status {status}")
    errors = parsed.get("errors") or []
    field = errors[0].get("field") if errors else None
    kind = NotFoundError if status == 404 else RequestError
    raise kind(detail, status, field)
