"""The errors of the package."""

from __future__ import annotations


class ExcerptError(Exception):
    """What all errors of the package have in common."""


class ConfigError(ExcerptError, ValueError):
    """Settings that are unknown, wrong or contradict each other; the message names them."""


class TextError(ExcerptError, ValueError):
    """A text that cannot be split: with a lone surrogate, or too large."""


class BatchError(ExcerptError, ValueError):
    """A batch without the named columns or with columns of the wrong type, that cannot be read or gives too large a result."""


class ModelError(ExcerptError):
    """A model that cannot be read, or that fails."""


class IndexFailure(ExcerptError):
    """An index that cannot be opened or used, or a server that cannot be reached."""


class RequestError(ExcerptError):
    """A request that an index refuses.

    `status` is the status of HTTP, and `field` the argument that is wrong, if it is one.
    """

    def __init__(self, message: str, status: int, field: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.field = field

    def __reduce__(self) -> tuple[type[RequestError], tuple[str, int, str | None]]:
        return type(self), (str(self), self.status, self.field)


class NotFoundError(RequestError, LookupError):
    """There is no such document, folder or collection."""


def counted(number: int, noun: str) -> str:
    """`1 hit`, `2 hits`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
