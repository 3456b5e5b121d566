"""An index, and its results."""

from __future__ import annotations

import json
import math
import os
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeVar, overload
from urllib.parse import quote, urlencode

from ._errors import ExcerptError, IndexFailure, NotFoundError, RequestError, counted
from ._transport import Local, Transport, answer
from ._types import Progress, SearchFilters, Unpack

if TYPE_CHECKING:
    import pyarrow

_PAUSE = 0.1
_LONGEST_WAIT = 50.0
# How long a sync is waited for at a time if a function is called meanwhile, which may raise an error.
_TURN = 0.5
_LIMIT = 5
# Why files are skipped that nobody would look for.
_EXPECTED_SKIPS = frozenset({"hidden", "ignored", "left_out", "link", "special", "submodule", "vendored"})
STAYS = "an open index cannot be copied or pickled: give its folder or address, and open it there"


@dataclass(frozen=True)
class Hit:
    """A passage that was found, with its place."""

    rank: int
    """The position in the answer, from 1."""
    path: str
    """The path of the document."""
    lines: tuple[int, int]
    """The first and the last line, counted from 1."""
    citation: str
    """A target that `Index.get` accepts: `path:first-last`, or `path#place` of a file that is not text."""
    place: str | None
    """Where it is in a file that is not text, such as `page=12`; `None` for text."""
    text: str
    """The text, byte for byte that of the document."""
    snippet: str
    """The lines that answer best."""
    trail: list[str]
    """The headings or scopes around it, outermost first."""
    title: str | None
    """The title of the document."""
    score: float
    """Higher is better; comparable within one answer."""
    weak: bool
    """Whether it probably does not answer the question."""
    id: str
    """The id of the chunk."""
    collection: str | None
    """The collection of the document, if it is in one."""
    metadata: dict[str, Any]
    """The front matter of the document, and the attributes that its collection was given."""
    raw: dict[str, Any] = field(repr=False)
    """Everything that the API says of the hit."""

    def __hash__(self) -> int:
        return hash((self.id, self.citation))

    @classmethod
    def _of(cls, raw: dict[str, Any]) -> Hit:
        document = raw["document"]
        first, last = raw["span"]["lines"]
        return cls(
            rank=raw["rank"],
            path=raw["path"],
            lines=(first, last),
            citation=raw["citation"],
            place=raw.get("place"),
            text=raw["text"],
            snippet=raw["snippet"]["text"],
            trail=raw["context"]["trail"],
            title=document["title"],
            score=raw["score"],
            weak=raw["weak"],
            id=raw["id"],
            collection=raw.get("collection"),
            metadata=document["metadata"],
            raw=raw,
        )


class SearchResults(Sequence[Hit]):
    """The hits that answer a question, best first."""

    def __init__(self, raw: dict[str, Any]) -> None:
        self.raw = raw
        """The answer of the API."""
        self.hits = [Hit._of(hit) for hit in raw["hits"]]
        self.matched: int = raw["matched"]
        """How many documents contain at least one of the words."""
        self.searched: int = raw["searched"]
        """How many documents were searched."""
        self.vectors: bool = raw["vectors"]
        """Whether vectors contributed."""
        self.more: bool = raw["more"]
        """Whether there may be more hits after these."""
        self.notes: list[str] = raw["notes"]
        """What to know about the answer."""

    @overload
    def __getitem__(self, index: int) -> Hit: ...
    @overload
    def __getitem__(self, index: slice) -> list[Hit]: ...
    def __getitem__(self, index: int | slice) -> Hit | list[Hit]:
        return self.hits[index]

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __eq__(self, other: object) -> bool:
        return self.raw == other.raw if isinstance(other, SearchResults) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.matched, self.searched, *self.hits))

    def __repr__(self) -> str:
        return f"<SearchResults: {counted(len(self), 'hit')}, {self.matched} of {self.searched} documents match>"

    def to_dicts(self) -> list[dict[str, Any]]:
        """The hits as flat rows, whose names are those of the rows of chunks. `metadata` is a text with JSON."""
        return [
            {
                "rank": hit.rank,
                "path": hit.path,
                "start_line": hit.lines[0],
                "end_line": hit.lines[1],
                "citation": hit.citation,
                "place": hit.place,
                "title": hit.title,
                "trail": hit.trail,
                "score": hit.score,
                "weak": hit.weak,
                "id": hit.id,
                "collection": hit.collection,
                "text": hit.text,
                "snippet": hit.snippet,
                "metadata": json.dumps(hit.metadata, ensure_ascii=False),
            }
            for hit in self
        ]

    def to_arrow(self) -> pyarrow.Table:
        """The rows of `to_dicts()` as a table; this needs `pyarrow`."""
        import pyarrow as pa

        text, number = pa.string(), pa.int64()
        schema = pa.schema(
            [
                ("rank", number),
                ("path", text),
                ("start_line", number),
                ("end_line", number),
                ("citation", text),
                ("place", text),
                ("title", text),
                ("trail", pa.list_(text)),
                ("score", pa.float64()),
                ("weak", pa.bool_()),
                ("id", text),
                ("collection", text),
                ("text", text),
                ("snippet", text),
                ("metadata", text),
            ]
        )
        return pa.Table.from_pylist(self.to_dicts(), schema=schema)


@dataclass(frozen=True)
class Document:
    """A document, or a part of one, as it was indexed."""

    path: str
    """The path of the document."""
    citation: str
    """The place that was read: `path:first-last`."""
    text: str
    """The text, byte for byte."""
    lines: tuple[int, int]
    """The first and the last line that was read, counted from 1."""
    title: str | None
    """The title of the document."""
    metadata: dict[str, Any]
    """Its front matter, and the attributes that its collection was given."""
    raw: dict[str, Any] = field(repr=False)
    """Everything that the API says of it."""

    def __hash__(self) -> int:
        return hash((self.citation, self.text))

    @classmethod
    def _of(cls, raw: dict[str, Any]) -> Document:
        first, last = raw["span"]["lines"]
        return cls(
            path=raw["path"],
            citation=raw["citation"],
            text=raw["text"],
            lines=(first, last),
            title=raw["title"],
            metadata=raw["metadata"],
            raw=raw,
        )


@dataclass(frozen=True)
class Status:
    """What an index has."""

    documents: int
    """How many documents can be found."""
    chunks: int
    """How many chunks they have."""
    sources: list[dict[str, Any]]
    """The folders and collections, with the state of each."""
    skipped: dict[str, int]
    """How many files and folders were skipped, by reason, such as `unreadable`, `binary` or `ignored`."""
    raw: dict[str, Any] = field(repr=False)
    """The answer of the API."""

    def __hash__(self) -> int:
        return hash((self.documents, self.chunks))

    @classmethod
    def _of(cls, raw: dict[str, Any]) -> Status:
        skipped: dict[str, int] = {}
        for source in raw["sources"]:
            for reason, count in source.get("skipped", {}).items():
                skipped[reason] = skipped.get(reason, 0) + count
        return cls(
            documents=raw["documents"], chunks=raw["chunks"], sources=raw["sources"], skipped=skipped, raw=raw
        )


class Index:
    """An index over a folder, over collections, or at the address of `excerpt serve`.

    >>> import excerpt
    >>> with excerpt.Index("docs") as index:  # doctest: +SKIP
    ...     for hit in index.search("how are segments merged"):
    ...         print(hit.citation, hit.snippet)

    `target` is a folder or file, the directory of an index, or the address of a server, `http://127.0.0.1:7700`. On this machine the index is
    kept up to date while this is open, and opening waits until it is; `notes` says what could not be brought up to
    date, and how many files could not be read. With `sync=False` it answers from what was indexed before. The same holds if `target` is the directory of
    an index: it is only read, and the indexed files may be gone. Such an index must cover one folder, or only
    collections. Any number of threads may use it. After a fork, one of this machine must be opened again.

    - `collections`: only these collections, by name; on this machine, in place of a folder.
    - `library`: all collections of the user, in place of a folder, which is not given then.
    - `index`: the folder of the index. Default: one for each project, in the user's data folder.
    - `token`: the token for a server, as `excerpt token add` makes it.
    - `timeout`: how long to wait for a server, or for another process that writes to the index, in seconds.
    - `progress`: called while the index is brought up to date, with the number of files that are done, their number,
      and the stage. A large index is written in several parts, after each of which the stages begin again.

    A server is first asked by the first call. Raises `IndexFailure` when it cannot be opened or reached, and `RequestError` when a request is refused, of which
    `NotFoundError` is one.
    """

    def __init__(
        self,
        target: str | os.PathLike[str] = ".",
        *,
        collections: str | Sequence[str] = (),
        library: bool = False,
        index: str | os.PathLike[str] | None = None,
        token: str | None = None,
        sync: bool = True,
        timeout: float = 60.0,
        progress: Progress | None = None,
    ) -> None:
        path = checked(
            target,
            collections=collections,
            library=library,
            index=index,
            token=token,
            sync=sync,
            timeout=timeout,
            progress=progress,
        )
        self._shown = shown(path, collections, library)
        self._timeout = timeout
        self._collections = _strings("collections", collections)
        self._transport: Transport
        # It waits in turns, so that a process that never ends its work is given up in time.
        self._wait = min(_LONGEST_WAIT, timeout / 2)
        if _is_address(path):
            from ._http import Http

            http = Http(path, token, timeout)
            self._transport, self.notes = http, http.notes
            self._is_stored = False
            self._syncs = True
            return
        folder = None if index is None else _path("index", index)
        local = Local(path, self._collections, library, folder, sync)
        self._transport, self.notes = local, local.notes
        if self._is_closed:
            local.close()
        self._collections = []
        self._is_stored = local.is_stored
        self._syncs = sync and not local.is_stored
        if self._syncs:
            try:
                raw = self._brought_up_to_date({}, progress)
            except BaseException:
                self.close()
                raise
            failures, status = _failures(raw), Status._of(raw)
            # What is indexed can be searched nevertheless.
            if failures and status.documents == 0:
                self.close()
                raise IndexFailure("; ".join(failures))
            self._note(failures, status)

    _is_closed = False
    _shown = ""

    def _note(self, failures: list[str], status: Status) -> None:
        """Say what could not be brought up to date on this machine."""
        if isinstance(self._transport, Local):
            self.notes = [*self._transport.notes, *failures, *_not_read(status)]

    def __reduce__(self) -> NoReturn:
        raise TypeError(STAYS)

    def search(
        self,
        query: str,
        *,
        limit: int | None = None,
        path: str | os.PathLike[str] | None = None,
        **filters: Unpack[SearchFilters],
    ) -> SearchResults:
        """The passages that answer a question.

        - `limit`: how many documents, each of which may have several hits, or with `ranks="chunks"` how many chunks; at
          most 100. Default: 5.
        - `path`: only in this folder or document.
        - `filters`: what else the search depends on, see `SearchFilters`.
        """
        body: dict[str, Any] = {"query": query, **filters}
        # What is no filter may be the limit under another name, as `top_k`.
        if limit is not None or filters.keys() <= SearchFilters.__annotations__.keys():
            body["limit"] = _LIMIT if limit is None else limit
        for name in ("collections", "kinds", "languages", "tags"):
            if isinstance(body.get(name), str):
                body[name] = [body[name]]
        if path is not None:
            body["path"] = _text("path", path)
        if self._collections and "collections" not in filters:
            body["collections"] = self._collections
        return _read(SearchResults, answer(self._transport, "POST", "/v1/search", body))

    def get(self, target: str | os.PathLike[str], *, neighbours: int | None = None, links: bool = False) -> Document:
        """A document, or a part of one.

        - `target`: a path, `path:10-20`, `path#section`, or the id of a chunk.
        - `neighbours`: how many chunks to add before and after those that contain the target.
        - `links`: whether `raw` has the links of what is read, and those that lead to it.
        """
        if isinstance(target, Hit):
            raise TypeError("`target` is of type Hit, expected a str or a path: give its `citation`")
        path = _text("target", target)
        if neighbours is not None and (isinstance(neighbours, bool) or not hasattr(neighbours, "__index__")):
            raise TypeError(f"`neighbours` is of type {_kind(neighbours)}, expected a whole number")
        if neighbours is not None and neighbours < 0:
            raise RequestError(f"`neighbours` is {neighbours}, expected a whole number from 0", 400, "neighbours")
        if not path:
            raise NotFoundError("the target is empty, expected a path, `path:10-20`, `path#section` or an id", 404, "target")
        try:
            address = f"/v1/documents/{quote(path, safe='/:')}"
        except UnicodeEncodeError:
            raise RequestError("`target` has a lone surrogate, which is no character", 400, "target") from None
        parameters: list[tuple[str, str]] = [("collections", name) for name in self._collections]
        if neighbours is not None:
            parameters.append(("neighbours", str(neighbours)))
        if links:
            parameters.append(("links", "true"))
        query = f"?{urlencode(parameters)}" if parameters else ""
        return _read(Document._of, answer(self._transport, "GET", address + query))

    def add(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        text: str | None = None,
        name: str | None = None,
        title: str | None = None,
        kind: str | None = None,
        versions: str | Sequence[str] = (),
        tags: str | Sequence[str] = (),
        chunking: Mapping[str, Any] | None = None,
        replace: bool = False,
    ) -> dict[str, Any]:
        """Add a folder, a file or a text as a collection; the answer says what it contains.

        Give `path` or `text`. `chunking` has the settings of a `Chunker`. It can be searched when this returns.
        """
        self._check_that_it_may_change()
        place = None if path is None else _text("path", path)
        if place is not None and re.match("[a-zA-Z][a-zA-Z0-9+.-]*://", place):
            advice = f"expected a folder or file: run `excerpt add {place}` to add it"
            raise RequestError(f"`path` is the address {place}, {advice}", 400, "path")
        if place is not None and isinstance(self._transport, Local):
            place = os.path.abspath(place)
        given = {
            "path": place,
            "text": text,
            "name": name,
            "title": title,
            "kind": kind,
            "versions": _strings("versions", versions) or None,
            "tags": _strings("tags", tags) or None,
            "chunking": None if chunking is None else dict(chunking),
            "replace": replace or None,
        }
        body = {field: value for field, value in given.items() if value is not None}
        added: dict[str, Any] = answer(self._transport, "POST", "/v1/collections", body)
        return added

    def remove(self, name: str) -> None:
        """Remove a collection from the index. Its files stay as they are; a text that was added is gone."""
        self._check_that_it_may_change()
        if not isinstance(name, str):
            raise TypeError(f"`name` is of type {_kind(name)}, expected a str")
        if not name:
            raise NotFoundError("the name of the collection is empty", 404, "name")
        answer(self._transport, "DELETE", f"/v1/collections/{quote(name, safe='')}")

    def _check_that_it_may_change(self) -> None:
        if self._is_stored:
            raise IndexFailure("this index was opened by its own directory, only to be read: open the folder that was indexed")

    def status(self) -> Status:
        """What the index has, what was skipped, and whether it is up to date."""
        return _read(Status._of, answer(self._transport, "GET", "/v1/status"))

    def sync(
        self, *, retry: bool = False, accept_removals: bool = False, progress: Progress | None = None
    ) -> Status:
        """Bring the index up to date, and return its status then.

        - `retry`: read files again that were skipped because of their contents.
        - `accept_removals`: remove documents that no longer exist, however many.

        Raises `IndexFailure` if a source cannot be synced.
        """
        if not self._syncs:
            raise IndexFailure("cannot sync: this index was opened with `sync=False` or by its own directory; open the folder that was indexed")
        _check_progress(progress)
        raw = self._brought_up_to_date({"retry": retry, "accept_removals": accept_removals}, progress)
        failures, status = _failures(raw), Status._of(raw)
        self._note(failures, status)
        if failures:
            raise IndexFailure("; ".join(failures))
        return status

    def _brought_up_to_date(self, how: dict[str, Any], progress: Progress | None) -> dict[str, Any]:
        """The status after a sync."""
        wait = self._wait if progress is None else min(self._wait, _TURN)
        body: dict[str, Any] = {"wait": wait, **how}
        if self._collections:
            body["collections"] = list(self._collections)
        with _Reported(self, progress) as reported:
            waiting_since: float | None = None
            while True:
                begun = time.monotonic()
                status, raw = self._synced(body)
                reported.check()
                if status == 200:
                    return raw
                # What takes longer than an answer may is asked for again, and goes on meanwhile.
                body = {**body, "retry": False}
                states = {source["state"] for source in raw["sources"]} - {"current", "failed"}
                waiting_since = (waiting_since or begun) if states == {"waiting"} else None
                if waiting_since is not None and time.monotonic() - waiting_since > self._timeout:
                    advice = "wait for it, or open with `sync=False`"
                    raise IndexFailure(f"another process is writing to the index: {advice}")
                time.sleep(max(0.0, _PAUSE - (time.monotonic() - begun)))

    def _synced(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        statuses: list[int] = []
        transport = _Noting(self._transport, statuses)
        raw: dict[str, Any] = answer(transport, "POST", "/v1/sync", body)
        _read(Status._of, raw)
        return statuses[0], raw

    def close(self) -> None:
        """End what was opened. What is in the index stays."""
        self._transport.close()

    def _stop(self) -> None:
        """Close it, also while another thread is opening it."""
        # In this order: who is opening it sets the one, and then looks at the other.
        self._is_closed = True
        if hasattr(self, "_transport"):
            self.close()

    def __repr__(self) -> str:
        return f"<Index {self._shown}>"

    def __enter__(self) -> Index:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> Literal[False]:
        self.close()
        return False


class _Noting:
    """A transport that notes the statuses of answers."""

    def __init__(self, transport: Transport, statuses: list[int]) -> None:
        self._transport, self._statuses = transport, statuses

    def request(self, method: str, address: str, body: bytes | None) -> tuple[int, bytes]:
        status, received = self._transport.request(method, address, body)
        self._statuses.append(status)
        return status, received

    def close(self) -> None:
        self._transport.close()


class _Reported:
    """While it is entered, a thread of its own reports the progress of a sync."""

    def __init__(self, index: Index, progress: Progress | None) -> None:
        self._index, self._progress = index, progress
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None
        self._raised: BaseException | None = None

    def __enter__(self) -> _Reported:
        if self._progress is not None:
            self._thread = threading.Thread(target=self._report, name="excerpt progress", daemon=True)
            self._thread.start()
        return self

    def _report(self) -> None:
        told: tuple[int, int, str] | None = None
        while not self._ended.wait(_PAUSE):
            try:
                sources = self._index.status().sources
            except ExcerptError:
                # The sync itself raises what is wrong.
                return
            known = [source["progress"] for source in sources if source.get("progress")]
            if not known or self._progress is None:
                continue
            done, total = (sum(source[name] for source in known) for name in ("done", "total"))
            now = (done, total, known[0]["stage"])
            if now != told:
                told = now
                try:
                    self._progress(*now)
                except BaseException as error:
                    self._raised = error
                    return

    def check(self) -> None:
        """Raise what the function has raised."""
        if self._raised is not None:
            raise self._raised

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._ended.set()
        if self._thread is not None:
            self._thread.join()
        if kind is None:
            self.check()


def checked(
    target: str | os.PathLike[str],
    *,
    collections: str | Sequence[str] = (),
    library: bool = False,
    index: str | os.PathLike[str] | None = None,
    token: str | None = None,
    sync: bool = True,
    timeout: float = 60.0,
    progress: Progress | None = None,
) -> str:
    """The target of an index, whose arguments are checked. Nothing is opened."""
    path = _path("target", target)
    if not path:
        raise IndexFailure("the target is empty, expected a folder, a file or the address of a server")
    _strings("collections", collections)
    if index is not None:
        _path("index", index)
    for name, flag in (("library", library), ("sync", sync)):
        if not isinstance(flag, bool):
            raise TypeError(f"`{name}` is of type {_kind(flag)}, expected True or False")
    if token is not None and not isinstance(token, str):
        raise TypeError(f"`token` is of type {_kind(token)}, expected a str")
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)):
        raise TypeError(f"`timeout` is of type {_kind(timeout)}, expected a number of seconds")
    if not 0 < timeout < math.inf:
        raise ValueError(f"`timeout` is {timeout}, expected a positive number of seconds")
    _check_progress(progress)
    if _is_address(path):
        if index is not None or library:
            raise IndexFailure("`index` and `library` are for this machine: leave them out for a server")
    elif token is not None:
        raise IndexFailure("`token` is for a server: leave it out for a folder")
    elif library and path != ".":
        raise IndexFailure("`library` is in place of a folder: leave out `target` or `library`")
    return path


def _is_address(path: str) -> bool:
    return path.lower().startswith(("http://", "https://"))


def _kind(given: object) -> str:
    return type(given).__name__


def _check_progress(progress: object) -> None:
    if progress is not None and not callable(progress):
        raise TypeError(f"`progress` is of type {_kind(progress)}, expected a function")


def _strings(name: str, given: str | Sequence[str]) -> list[str]:
    """One string or several, as a list."""
    if isinstance(given, str):
        return [given]
    if isinstance(given, (bytes, Mapping)) or not isinstance(given, Iterable):
        raise TypeError(f"`{name}` is of type {_kind(given)}, expected a string or several")
    strings = list(given)
    for string in strings:
        if not isinstance(string, str):
            raise TypeError(f"`{name}` contains a value of type {_kind(string)}, expected strings")
    return strings


def _text(name: str, given: str | os.PathLike[str]) -> str:
    """A path as text."""
    path = os.fspath(given) if hasattr(given, "__fspath__") else given
    if not isinstance(path, str):
        raise TypeError(f"`{name}` is of type {_kind(path)}, expected a str or a path")
    return path


def _path(name: str, given: str | os.PathLike[str]) -> str:
    """A path on this machine as text."""
    path = _text(name, given)
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        raise IndexFailure(f"`{name}` has a lone surrogate, which is no character") from None
    return path


def shown(path: str, collections: str | Sequence[str], library: bool) -> str:
    """What is opened, as a representation shows it."""
    given = [f"{collections=}"] if collections else []
    given += ["library=True"] if library else []
    return ", ".join(given if given and path == "." else [repr(path), *given])


_Made = TypeVar("_Made")


def _read(made: Callable[[dict[str, Any]], _Made], raw: dict[str, Any]) -> _Made:
    """What is made of an answer, which may be of any server."""
    try:
        return made(raw)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        what = f" has no `{error.args[0]}`" if isinstance(error, KeyError) else f" cannot be read ({error})"
        raise IndexFailure(f"the answer{what}: is this a server of excerpt?") from error


def _not_read(status: Status) -> list[str]:
    """A note about files that were skipped although somebody might look for them."""
    skipped = {reason: count for reason, count in status.skipped.items() if reason not in _EXPECTED_SKIPS}
    counts = ", ".join(f"{count} {reason.replace('_', ' ')}" for reason, count in skipped.items())
    return [f"skipped: {counts}; `excerpt status --skips` lists them"] if skipped else []


def _failures(status: dict[str, Any]) -> list[str]:
    """Why sources could not be synced."""
    return [source["failure"] for source in status["sources"] if source.get("failure")]
