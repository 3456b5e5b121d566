"""Splits documents, notes and code at natural boundaries, and finds the passage that answers a question.

>>> import excerpt
>>> chunking = excerpt.Chunker(target=200).chunk("# Tea\\n\\nGreen or black.\\n", path="tea.md")
>>> chunking[0].text
'# Tea\\n\\nGreen or black.'

`Chunker` splits texts, and batches of Arrow. `Embedder` turns texts into vectors. `Index` finds passages in a folder,
in collections or on a server. `excerpt.ray` and `excerpt.spark` split where one process is not enough.
"""

from collections.abc import Sequence as _Sequence
from typing import TYPE_CHECKING as _TYPE_CHECKING

from ._errors import (
    BatchError,
    ConfigError,
    ExcerptError,
    IndexFailure,
    ModelError,
    NotFoundError,
    RequestError,
    TextError,
)
from ._excerpt import (
    Block,
    Chunk,
    Chunker,
    Chunking,
    ChunkingIterator,
    Context,
    Cut,
    Embedder,
    Outline,
    Part,
    Sizes,
    Span,
    __version__,
    chunk_schema,
)
from ._index import Document, Hit, Index, SearchResults, Status
from ._preview import Preview
from ._types import ChunkerSettings, GivenDocument, IndexOptions, SearchFilters

if _TYPE_CHECKING:
    from ._async_index import AsyncIndex

_Sequence.register(Chunking)  # pyright: ignore[reportAttributeAccessIssue]
_Sequence.register(Outline)  # pyright: ignore[reportAttributeAccessIssue]

__all__ = [
    "AsyncIndex",
    "BatchError",
    "Block",
    "Chunk",
    "Chunker",
    "ChunkerSettings",
    "Chunking",
    "ChunkingIterator",
    "ConfigError",
    "Context",
    "Cut",
    "Document",
    "Embedder",
    "ExcerptError",
    "GivenDocument",
    "Hit",
    "Index",
    "IndexFailure",
    "IndexOptions",
    "ModelError",
    "NotFoundError",
    "Outline",
    "Part",
    "Preview",
    "RequestError",
    "SearchFilters",
    "SearchResults",
    "Sizes",
    "Span",
    "Status",
    "TextError",
    "__version__",
    "chunk_schema",
]


def __getattr__(name: str) -> object:
    # It imports asyncio, which takes as long as all the rest.
    if name == "AsyncIndex":
        from ._async_index import AsyncIndex

        globals()[name] = AsyncIndex
        return AsyncIndex
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(globals().keys() | {"AsyncIndex"})
