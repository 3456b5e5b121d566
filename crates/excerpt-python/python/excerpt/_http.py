"""Requests to a server."""

from __future__ import annotations

import http.client
import os
import threading
from urllib.parse import urlsplit

from ._errors import IndexFailure, RequestError


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
