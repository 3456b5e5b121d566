"""What makes objects again in another process."""

from __future__ import annotations

from typing import Any

from ._excerpt import Chunker, Chunking


def chunker(arguments: dict[str, Any]) -> Chunker:
    """A chunker with these arguments."""
    return Chunker(**arguments)


def chunking(arguments: dict[str, Any], text: str, named: dict[str, str]) -> Chunking:
    """A text, split by a chunker with these arguments, with its path, title, language and id."""
    return chunker(arguments).chunk(text, **named)


def value(kind: Any, fields: tuple[Any, ...]) -> Any:
    """A value of a class of the package with these fields."""
    return kind._made(*fields)
