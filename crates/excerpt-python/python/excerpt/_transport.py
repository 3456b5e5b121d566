"""How an index is reached: in this process, or over HTTP. Both take the same requests."""

from __future__ import annotations

import datetime
import json
import operator
import os
from typing import Any, Protocol

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
