"""What makes objects again in another process."""

from __future__ import annotations

from typing import Any

from ._excerpt import Chunker


def chunker(arguments: dict[str, Any]) -> Chunker:
    """A chunker with these arguments."""
    return Chunker(**arguments)
