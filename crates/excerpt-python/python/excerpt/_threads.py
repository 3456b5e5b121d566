"""Threads for what an event loop waits for."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

_Result = TypeVar("_Result")

# How many calls run at a time; the others wait.
_MOST = 16


class Threads:
    """Runs calls on threads of its own.

    Those of the event loop are left to the program, which may have few. Neither the end of a loop nor that of Python
    waits for these, and there are none while there is no call.
    """

    def __init__(self) -> None:
        self._calls: deque[tuple[Future[Any], Callable[[], Any]]] = deque()
        self._running = 0
        self._lock = threading.Lock()

    def run(self, call: Callable[[], _Result]) -> Future[_Result]:
        """The result of a call, when it is there."""
        future: Future[_Result] = Future()
        with self._lock:
            if self._running < _MOST:
                threading.Thread(target=self._work, name="excerpt", daemon=True).start()
                self._running += 1
            self._calls.append((future, call))
        return future

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._calls:
                    self._running -= 1
                    return
                future, call = self._calls.popleft()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(call())
            except BaseException as error:
                future.set_exception(error)
            # The thread may wait for the lock, and keeps nothing alive meanwhile.
            del future, call
