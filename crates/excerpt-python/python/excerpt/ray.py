"""Splits the documents of a dataset of Ray Data, on as many workers as Ray has.

Needs Ray Data 2.52 or newer: `pip install "ray[data]>=2.52"`. The workers need `excerpt`, too.
"""

from __future__ import annotations

import functools
import pickle
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

from excerpt import Chunker, Embedder
from excerpt._tasks import chunks, pieces

try:
    import pyarrow as pa  # type: ignore[import-untyped, unused-ignore]
    import ray.data as _ray_data  # noqa: F401
except ImportError as error:
    raise ImportError("excerpt.ray needs Ray Data, install it with: pip install 'ray[data]>=2.52'") from error

if TYPE_CHECKING:
    from ray.data import Dataset

__all__ = ["chunk"]


def chunk(
    dataset: Dataset,
    *,
    chunker: Chunker | None = None,
    text: str = "text",
    path: str | None = None,
    id: str | None = None,
    title: str | None = None,
    language: str | None = None,
    batch_size: int | Literal["auto"] | None = None,
    embedder: Embedder | None = None,
    into: str = "vector",
    **map_options: Any,
) -> Dataset:
    """The chunks of a dataset that has a document a row.

    Each task splits the documents of one block on one core: `repartition` a dataset first that has fewer than twice
    as many blocks as there are cores. A task yields chunks after at most 16 MiB of documents, or after one that is
    larger. A document is split as a whole: where some have hundreds of megabytes, reserve `memory`. A task that is
    run again, after its worker was lost, gives the same rows with the same ids. Nothing runs before the result is
    used.

    Args:
        dataset: The documents, a row each.
        chunker: How to split them. Default: `Chunker()`.
        text: The column with the texts: of a string type, or binary with UTF-8. Default: "text".
        path: The column with the paths, which determine the syntax, and are part of the context and of the ids.
            Default: none.
        id: The column that the ids of chunks are derived from in place of the path: strings, integers or binary.
            Default: the path.
        title: The column with the titles, overriding the text. Default: none.
        language: The column with the languages, overriding path and text. Default: none.
        batch_size: How many rows a task takes at least, from several blocks where they are small. Default: one block,
            of any size.
        embedder: Adds the vectors of the chunks. Default: none are added.
        into: The column that the vectors become. Default: "vector".
        **map_options: What else `Dataset.map_batches` takes, such as `memory`, `num_cpus`, `resources` or
            `compute=ray.data.TaskPoolStrategy(size=4)`.

    Returns:
        A row for each chunk. The columns of its document come first, but for the text, and `path` if that is the
        column of paths. Those that a chunk also has are called `document_` and their name, as in `document_id`. Then
        come those of `excerpt.chunk_schema()`, and `into`, a list of `float32` of fixed size, if there is an embedder.
        A document without text has no row. One that cannot be split has a row in which `error` says why, and the other
        columns of the chunk are null, but for `path`: one whose text is null, not UTF-8, or larger than 256 MiB. Each
        column of a document is repeated for all its chunks: drop large ones first, with `drop_columns`.

    Raises:
        BatchError: There is no column with this name, which the message says with those that there are, or it has
            another type. If Ray does not know the columns before it runs, Ray raises it when the result is used.
        TypeError: One of `map_options` is set here: `batch_format`, `zero_copy_batch` or `udf_modifying_row_count`.

    Example:
        >>> import excerpt, excerpt.ray, ray
        >>> documents = ray.data.read_parquet("s3://bucket/documents/")
        >>> chunks = excerpt.ray.chunk(documents, chunker=excerpt.Chunker(target=300), path="path", id="id")
        >>> chunks.write_parquet("s3://bucket/chunks/")
    """
    split = functools.partial(
        _split,
        chunker=Chunker() if chunker is None else chunker,
        columns={"text": text, "path": path, "id": id, "title": title, "language": language},
        embedder=None if embedder is None else pickle.dumps(embedder),
        into=into,
    )
    known = dataset.schema(fetch_if_missing=False)
    if known is not None and isinstance(known.base_schema, pa.Schema):
        nothing = pa.RecordBatch.from_pylist([], schema=known.base_schema)
        chunks(nothing, **split.keywords)
    return dataset.map_batches(
        split,
        batch_size=batch_size,
        batch_format="pyarrow",
        zero_copy_batch=True,
        udf_modifying_row_count=True,
        **map_options,
    )


def _split(table: Any, **options: Any) -> Iterator[Any]:
    """The chunks of a `pyarrow.Table` of documents, as tables."""
    for batch in table.to_batches():
        for piece in pieces(batch):
            yield pa.Table.from_batches([chunks(piece, **options)])
