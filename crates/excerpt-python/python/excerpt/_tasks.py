"""What a task does with a batch of documents, in Ray and in Spark."""

from __future__ import annotations

import functools
import pickle
from collections.abc import Iterator
from typing import Any

from excerpt import Chunker, Embedder

# A task yields chunks after documents of so many bytes.
_ROWS = 8192
_BYTES = 16 << 20


def pieces(batch: Any) -> Iterator[Any]:
    """Consecutive parts of a `pyarrow.RecordBatch`, each of some MiB at most unless it is one row."""
    rows = batch.num_rows
    if rows > 1 and (rows > _ROWS or batch.nbytes > _BYTES):
        yield from pieces(batch.slice(0, rows // 2))
        yield from pieces(batch.slice(rows // 2))
    else:
        yield batch


def chunks(batch: Any, *, chunker: Chunker, columns: dict[str, Any], embedder: bytes | None, into: str) -> Any:
    """The chunks of a `pyarrow.RecordBatch` of documents, as a batch. `embedder` is a pickled one."""
    split = chunker.chunk_batch(batch, **columns, threads=1)
    if embedder is None:
        return split
    return _opened(embedder).embed_batch(split, into=into, threads=1)


@functools.lru_cache(maxsize=2)
def _opened(embedder: bytes) -> Embedder:
    """The embedder, which a process opens once for all its tasks."""
    opened: Embedder = pickle.loads(embedder)
    return opened
