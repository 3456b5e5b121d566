"""How an index is reached: in this process, or over HTTP. Both take the same requests."""

from __future__ import annotations

import datetime
import http.client
import json
import operator
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
        self._server = _excerpt.LocalServer(path, collections, library, index, sync)
        self.notes: list[str] = self._server.notes
        self.is_stored: bool = self._server.is_stored

    def request(self, method: str, address: str, body: bytes | None) -> tuple[int, bytes]:
        return self._server.request(method, address, body)

    def close(self) -> None:
        self._server.close()


class Http:
    """An index that `excerpt serve` serves."""

    def __init__(self, url: str, token: str | None, timeout: float) -> None:
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError as error:
            raise IndexFailure(f"`{url}` is no address: {error}") from None
        if host is None:
            raise IndexFailure(f"`{url}` has no host, expected an address such as http://127.0.0.1:7700")
        if parts.username is not None or parts.query:
            raise IndexFailure("a token does not belong in an address: give it as `token`")
        self._secure = parts.scheme == "https"
        self._host = host
        self._port = (443 if self._secure else 80) if port is None else port
        self._base = parts.path.rstrip("/").removesuffix("/v1")
        self._timeout = timeout
        self._headers = {"Accept": "application/json"}
        if token is not None:
            self._headers["Authorization"] = f"Bearer {_checked(token)}"
        # A connection is used by one thread at a time, and by no other process: after a fork, both would read from it.
        self._idle: list[http.client.HTTPConnection] = []
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._is_closed = False
        self.notes: list[str] = []

    def _take(self) -> http.client.HTTPConnection:
        if os.getpid() != self._process:
            # The lock may be held by a thread that this process does not have.
            self._idle, self._process, self._lock = [], os.getpid(), threading.Lock()
        if self._is_closed:
            raise IndexFailure("the index is closed")
        with self._lock:
            if self._idle:
                return self._idle.pop()
        kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
        return kind(self._host, self._port, timeout=self._timeout)

    def request(self, method: str, address: str, body: bytes | None) -> tuple[int, bytes]:
        headers = dict(self._headers)
        if body is not None:
            headers["Content-Type"] = "application/json"
        connection = self._take()
        was_used = connection.sock is not None
        only_reads = method == "GET" or address.startswith("/v1/search")
        try:
            try:
                answered = self._answer(connection, method, address, body, headers)
            except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
                # A server closes connections that were idle: what only reads is sent once more.
                if not (was_used and only_reads):
                    raise
                connection.close()
                answered = self._answer(connection, method, address, body, headers)
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise self._unreachable(error) from error
        except BaseException:
            # An answer that was not read to its end would be taken for the next one.
            connection.close()
            raise
        with self._lock:
            if self._is_closed:
                connection.close()
            else:
                self._idle.append(connection)
        if answered[0] == 401 and "Authorization" not in self._headers:
            raise RequestError("a token is needed: give it as `token`", 401, None)
        return answered

    def _answer(
        self,
        connection: http.client.HTTPConnection,
        method: str,
        address: str,
        body: bytes | None,
        headers: dict[str, str],
    ) -> tuple[int, bytes]:
        connection.request(method, self._base + address, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.read()

    def _unreachable(self, error: Exception) -> IndexFailure:
        return IndexFailure(f"the server at {self._host}:{self._port} gives no answer: {error or type(error).__name__}")

    def close(self) -> None:
        if os.getpid() != self._process:
            return
        with self._lock:
            self._is_closed = True
            connections, self._idle = self._idle, []
        for connection in connections:
            connection.close()


def _checked(token: str) -> str:
    """A token as it may stand in a header. What is wrong with it is said without it."""
    token = token.strip()
    if not token.isascii() or not token.isprintable() or " " in token or not token:
        raise IndexFailure("`token` is no token, expected what `excerpt token add` prints")
    return token


class _NoForm(TypeError):
    """A value, or one in it, that JSON has no form for."""

    def __init__(self, value: object) -> None:
        super().__init__(value)
        self.value = value


def _written(value: Any) -> Any:
    """What JSON has no form for: paths, dates, and whole numbers of other libraries."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, datetime.date):
        return value.isoformat()[:10]
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    # Numbers of NumPy, which say what they are in Python.
    item = getattr(value, "item", None)
    if callable(item):
        return item()
    try:
        return operator.index(value)
    except TypeError:
        raise _NoForm(value) from None


def _body(fields: dict[str, Any]) -> bytes:
    """The fields of a request as JSON. What it has no form for is said with the name of the field."""
    written = []
    for field, value in fields.items():
        try:
            known = json.dumps({field: value}, default=_written, allow_nan=False, ensure_ascii=False).encode()
            written.append(known[1:-1])
        except UnicodeEncodeError:
            raise RequestError(f"`{field}` has a lone surrogate, which is no character", 400, field) from None
        except ValueError:
            raise RequestError(f"`{field}` is not a finite number", 400, field) from None
        except _NoForm as error:
            verb = "be" if error.value is value else "contain"
            raise TypeError(f"`{field}` cannot {verb} a value of type {type(error.value).__name__}") from None
        except TypeError as error:
            raise TypeError(f"`{field}`: {error}") from None
    return b"{" + b", ".join(written) + b"}"


def answer(transport: Transport, method: str, address: str, body: dict[str, Any] | None = None) -> Any:
    """The answer to a request, and an error if it is refused."""
    sent = None if body is None else _body(body)
    status, received = transport.request(method, address, sent)
    if status == 204 or (status < 300 and not received):
        return None
    try:
        parsed = json.loads(received)
    except ValueError:
        raise IndexFailure(f"the answer is not JSON, with status {status}: is this a server of excerpt?") from None
    if not isinstance(parsed, dict):
        raise IndexFailure(f"the answer has status {status} and no details: is this a server of excerpt?")
    if status < 300:
        return parsed
    detail = str(parsed.get("detail") or parsed.get("title") or f"status {status}")
    field = _field(parsed.get("errors"))
    if field is not None and f"`{field}" not in detail:
        detail = f"`{field}`: {detail}"
    kind = NotFoundError if status == 404 else RequestError
    raise kind(detail, status, field)


def _field(errors: object) -> str | None:
    """The field that a refused request has wrong. The answer may be of any server."""
    first = errors[0] if isinstance(errors, list) and errors else None
    field = first.get("field") if isinstance(first, dict) else None
    return field if isinstance(field, str) else None
