"""An index in an event loop."""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, NoReturn, TypeVar

from . import _index
from ._errors import IndexFailure
from ._index import STAYS, Document, Index, SearchResults, Status, shown
from ._threads import Threads
from ._types import IndexOptions, Progress, SearchFilters, Unpack

_Result = TypeVar("_Result")


class AsyncIndex:
    """An `Index` whose methods are awaited: each runs on a thread of the index, and does not block the loop.

    >>> import excerpt
    >>> async def ask() -> None:
    ...     async with excerpt.AsyncIndex("docs") as index:
    ...         print(await index.search("how are segments merged"))

    The arguments are those of `Index`. It is opened when it is entered, or by the first call, once for all calls that
    wait for it. If entering it is cancelled, as by Ctrl-C, opening ends.
    """

    def __init__(self, target: str | os.PathLike[str] = ".", **options: Unpack[IndexOptions]) -> None:
        unknown = sorted(options.keys() - IndexOptions.__annotations__.keys())
        if unknown:
            raise TypeError(f"AsyncIndex has no argument `{unknown[0]}`, expected those of Index")
        self._target, self._options = _index.checked(target, **options), options
        self._threads = Threads()
        # What is opened, or being opened, and the call that opens it.
        self._index: Index | None = None
        self._opening: Future[Index] | None = None
        self._is_closed = False
        self._lock = threading.Lock()
        _left_open.add(self)

    def __repr__(self) -> str:
        collections = self._options.get("collections", ())
        return f"<AsyncIndex {shown(self._target, collections, self._options.get('library', False))}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError(STAYS)

    @property
    def notes(self) -> list[str]:
        """See `Index`: empty until it is opened."""
        opening = self._opening
        is_open = opening is not None and opening.done() and not opening.cancelled() and opening.exception() is None
        return opening.result().notes if opening is not None and is_open else []

    def _open(self) -> Index:
        # It is known before it is open, so that it can be closed meanwhile.
        index = _index.Index.__new__(_index.Index)
        with self._lock:
            self._index = index
            if self._is_closed:
                raise IndexFailure("the index is closed")
        index.__init__(self._target, **self._options)  # type: ignore[misc]
        if self._is_closed:
            index.close()
            raise IndexFailure("the index is closed")
        return index

    async def _opened(self) -> Index:
        with self._lock:
            if self._is_closed:
                raise IndexFailure("the index is closed")
            opening = self._opening
            # After a failure, it is tried again.
            if opening is None or (opening.done() and opening.exception() is not None):
                opening = self._opening = self._threads.run(self._open)
        return await _result(opening)

    async def _run(self, call: Callable[[Index], _Result]) -> _Result:
        index = await self._opened()
        running = self._threads.run(lambda: call(index))
        try:
            return await _result(running)
        except asyncio.CancelledError:
            # If it waits for a thread, it need not begin.
            running.cancel()
            raise

    def _close(self) -> None:
        with self._lock:
            self._is_closed = True
            index = self._index
        if index is not None:
            index._stop()

    async def search(
        self,
        query: str,
        *,
        limit: int | None = None,
        path: str | os.PathLike[str] | None = None,
        **filters: Unpack[SearchFilters],
    ) -> SearchResults:
        """See `Index.search`."""
        return await self._run(lambda index: index.search(query, limit=limit, path=path, **filters))

    async def get(
        self, target: str | os.PathLike[str], *, neighbours: int | None = None, links: bool = False
    ) -> Document:
        """See `Index.get`."""
        return await self._run(lambda index: index.get(target, neighbours=neighbours, links=links))

    async def add(
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
        """See `Index.add`."""
        return await self._run(
            lambda index: index.add(
                path,
                text=text,
                name=name,
                title=title,
                kind=kind,
                versions=versions,
                tags=tags,
                chunking=chunking,
                replace=replace,
            )
        )

    async def remove(self, name: str) -> None:
        """See `Index.remove`."""
        await self._run(lambda index: index.remove(name))

    async def status(self) -> Status:
        """See `Index.status`."""
        return await self._run(lambda index: index.status())

    async def sync(
        self, *, retry: bool = False, accept_removals: bool = False, progress: Progress | None = None
    ) -> Status:
        """See `Index.sync`."""
        return await self._run(
            lambda index: index.sync(retry=retry, accept_removals=accept_removals, progress=progress)
        )

    async def close(self) -> None:
        """See `Index.close`."""
        # What is running ends with the index, and is not waited for.
        await _result(Threads().run(self._close))

    async def __aenter__(self) -> AsyncIndex:
        try:
            await self._opened()
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


async def _result(running: Future[_Result]) -> _Result:
    """The result of a call on a thread. Others may wait for it, too: it goes on if this is cancelled."""
    loop = asyncio.get_running_loop()
    has_ended: asyncio.Future[None] = loop.create_future()

    def wake() -> None:
        if not has_ended.done():
            has_ended.set_result(None)

    def tell(_: object) -> None:
        try:
            loop.call_soon_threadsafe(wake)
        except RuntimeError:
            # The loop has ended, and nobody waits any longer.
            pass

    running.add_done_callback(tell)
    await has_ended
    return running.result()


_left_open: weakref.WeakSet[AsyncIndex] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    """Python does not wait for the threads of an index that is left open, so what they do ends first."""
    for index in list(_left_open):
        index._close()
