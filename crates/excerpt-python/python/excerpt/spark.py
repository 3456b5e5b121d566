"""Splits the documents of a DataFrame of Spark, on its executors.

Needs PySpark 4 with pandas and PyArrow: `pip install "pyspark>=4" pandas pyarrow`. The executors need `excerpt`, too.
"""

from __future__ import annotations

import functools
import pickle
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from excerpt import BatchError, Chunker, Embedder
from excerpt._tasks import chunks, pieces

try:
    import pandas as _pandas  # type: ignore[import-untyped, unused-ignore]  # noqa: F401
    import pyarrow as pa  # type: ignore[import-untyped, unused-ignore]
    from pyspark.sql import types
except ImportError as error:
    needed = "excerpt.spark needs PySpark, pandas and PyArrow, install them with: "
    raise ImportError(needed + "pip install 'pyspark>=4' pandas pyarrow") from error

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["chunk"]

# In the metadata of a column: which one it is among those of the documents.
_PLACE = b"place"


def chunk(
    dataframe: DataFrame,
    *,
    chunker: Chunker | None = None,
    text: str = "text",
    path: str | None = None,
    id: str | None = None,
    title: str | None = None,
    language: str | None = None,
    embedder: Embedder | None = None,
    into: str = "vector",
) -> DataFrame:
    """The chunks of a DataFrame that has a document a row.

    Each task splits the documents of one partition on one core. Spark gives them to it in batches of
    `spark.sql.execution.arrow.maxRecordsPerBatch` rows, 10 000 by default: with large documents, decrease it, so that
    a batch fits into memory. A document is split as a whole. A task that is run again, after its executor was lost,
    gives the same rows with the same ids. Nothing runs before the result is used.

    Args:
        dataframe: The documents, a row each, of Spark or of Spark Connect.
        chunker: How to split them. Default: `Chunker()`.
        text: The column with the texts: strings, or binary with UTF-8. Default: "text".
        path: The column with the paths, which determine the syntax, and are part of the context and of the ids.
            Default: none.
        id: The column that the ids of chunks are derived from in place of the path: strings or integers.
            Default: the path.
        title: The column with the titles, overriding the text. Default: none.
        language: The column with the languages, overriding path and text. Default: none.
        embedder: Adds the vectors of the chunks. Default: none are added.
        into: The column that the vectors become. Default: "vector".

    Returns:
        A row for each chunk. The columns of its document come first, but for the text, and `path` if that is the
        column of paths. Those that a chunk also has, in any case of letters, are called `document_` and their name, as
        in `document_id`. Then come those of `excerpt.chunk_schema()`, and `into`, an array of floats, if there is an
        embedder. A document without text has no row. One that cannot be split has a row in which `error` says why, and
        the other columns of the chunk are null, but for `path`: one whose text is null, not UTF-8, or larger than
        256 MiB. Each column of a document is repeated for all its chunks: drop large ones first.

    Raises:
        BatchError: There is no column with this name, which the message says with those that there are, it has
            another type, or two columns of the result would have the same name.

    Example:
        >>> import excerpt, excerpt.spark
        >>> documents = spark.read.parquet("s3://bucket/documents/")
        >>> chunks = excerpt.spark.chunk(documents, chunker=excerpt.Chunker(target=300), path="path", id="id")
        >>> chunks.write.parquet("s3://bucket/chunks/")
    """
    options: dict[str, Any] = {
        "chunker": Chunker() if chunker is None else chunker,
        "columns": {"text": text, "path": path, "id": id, "title": title, "language": language},
        "embedder": None if embedder is None else pickle.dumps(embedder),
        "into": into,
    }
    schema = _schema(dataframe.schema, options)
    return dataframe.mapInArrow(functools.partial(_split, names=schema.names, **options), schema)


def _schema(documents: types.StructType, options: dict[str, Any]) -> types.StructType:
    """The columns of the result for documents with these columns.

    Raises:
        BatchError: They cannot be split, or two columns of the result would have the same name.
    """
    fields = documents.fields
    texts, *others = options["columns"].values()
    columns = []
    for number, field in enumerate(fields):
        kind: Any = pa.null()
        if field.name == texts:
            kind = _arrow(field, "a string type, or binary with UTF-8")
        elif field.name in others:
            kind = _arrow(field, "a string type or whole numbers")
        columns.append(pa.field(field.name, kind, metadata={_PLACE: str(number)}))
    nothing = pa.RecordBatch.from_pylist([], schema=pa.schema(columns))
    found = [(column, (column.metadata or {}).get(_PLACE)) for column in _chunks(nothing, **options).schema]
    of_chunks = {column.name.lower() for column, place in found if place is None}
    result = types.StructType()
    for column, place in found:
        if place is None:
            result.add(column.name, _of_arrow(column.type))
            continue
        field = fields[int(place)]
        # Spark does not distinguish `ID` and `id`.
        name = f"document_{column.name}" if column.name.lower() in of_chunks else column.name
        result.add(types.StructField(name, field.dataType, field.nullable, field.metadata))
    for name in result.names:
        if result.names.count(name) > 1:
            raise BatchError(f"the result would have two columns `{name}`: rename the one in the documents")
    return result


def _arrow(field: types.StructField, expected: str) -> Any:
    """The type in Arrow of a column that has texts or whole numbers.

    Raises:
        BatchError: It has neither.
    """
    known: list[tuple[type[types.DataType], Any]] = [
        (types.StringType, pa.string()),
        (types.CharType, pa.string()),
        (types.VarcharType, pa.string()),
        (types.BinaryType, pa.binary()),
        (types.ByteType, pa.int8()),
        (types.ShortType, pa.int16()),
        (types.IntegerType, pa.int32()),
        (types.LongType, pa.int64()),
        (types.NullType, pa.null()),
    ]
    for of_spark, of_arrow in known:
        if isinstance(field.dataType, of_spark):
            return of_arrow
    found = field.dataType.simpleString()
    raise BatchError(f"the column `{field.name}` is of type {found}, expected {expected}")


def _of_arrow(kind: Any) -> types.DataType:
    """The type in Spark of a column of chunks."""
    if pa.types.is_list(kind):
        return types.ArrayType(_of_arrow(kind.value_type))
    if pa.types.is_floating(kind):
        return types.FloatType()
    return types.LongType() if pa.types.is_integer(kind) else types.StringType()


def _split(batches: Iterator[Any], names: list[str], **options: Any) -> Iterator[Any]:
    """The chunks of `pyarrow.RecordBatch`es of documents, as batches whose columns have these names."""
    for batch in batches:
        for piece in pieces(batch):
            split = _chunks(piece, **options)
            yield pa.RecordBatch.from_arrays(split.columns, names=names)


def _chunks(batch: Any, *, embedder: bytes | None, into: str, **options: Any) -> Any:
    """The chunks of a `pyarrow.RecordBatch` of documents, as a batch with columns that Spark reads."""
    split = chunks(batch, embedder=embedder, into=into, **options)
    if embedder is None:
        return split
    # Spark reads no lists of fixed size.
    vectors = split.column(into).cast(pa.list_(pa.float32()))
    return split.set_column(split.num_columns - 1, into, vectors)
