"""Tables of Arrow as this package reads them, and results as objects of the library that their input is of."""

from __future__ import annotations

from typing import Any


def readable(given: Any) -> Any:
    """`given`, as it can be read.

    Polars exports a column of type `Null` with a buffer that Arrow does not allow there: it becomes one of texts.
    pandas exports an index without a name, such as that of a filtered frame, as a column: it is left out.
    """
    library, form = _library(given), type(given).__name__
    if library == "polars" and form == "DataFrame":
        schema = given.schema
        cast = {name: _without_null(kind) for name, kind in schema.items()}
        cast = {name: kind for name, kind in cast.items() if kind != schema[name]}
        return given.cast(cast) if cast else given
    if library == "pandas" and form == "DataFrame" and not any(given.index.names):
        return given.reset_index(drop=True)
    return given


def like(given: Any, result: Any) -> Any:
    """`result` as an object of the library that `given` is of, or unchanged if it is another one.

    A table becomes a table, and a stream a stream: it is not read before its batches are asked for.
    """
    library, form = _library(given), type(result).__name__
    if library == "pyarrow":
        import pyarrow

        made = {
            "RecordBatch": pyarrow.record_batch,
            "RecordBatchReader": pyarrow.RecordBatchReader.from_stream,
            "Schema": pyarrow.schema,
            "Table": pyarrow.table,
        }
        return made[form](result)
    if library == "polars" and form == "Table":
        import polars

        return polars.DataFrame(result)
    if library == "pandas" and form == "Table":
        import pyarrow

        return _frame(given, pyarrow.table(result))
    return result


def advice(given: Any) -> str:
    """What to do about a table that cannot be read: the columns of Polars that Arrow has no type for."""
    if _library(given) != "polars" or type(given).__name__ != "DataFrame":
        return ""
    names = [f"`{name}`" for name, kind in given.schema.items() if str(kind) in ("Int128", "UInt128", "Object")]
    return f": cast {', '.join(names)} to another type, such as String or Decimal" if names else ""


def _library(given: Any) -> str:
    return type(given).__module__.partition(".")[0]


def _without_null(kind: Any) -> Any:
    """A type of Polars in which `String` stands for `Null`."""
    import polars

    if kind == polars.Null:
        return polars.String()
    if isinstance(kind, polars.List):
        return polars.List(_without_null(kind.inner))
    if isinstance(kind, polars.Array):
        return polars.Array(_without_null(kind.inner), kind.size)
    if isinstance(kind, polars.Struct):
        return polars.Struct({field.name: _without_null(field.dtype) for field in kind.fields})
    return kind


def _frame(given: Any, table: Any) -> Any:
    """A frame of pandas. Whole numbers stay whole where some are missing, and where they were nullable before."""
    import pandas
    import pyarrow

    def nullable(kind: Any) -> Any:
        size = kind.bit_width
        return pandas.api.types.pandas_dtype(f"UInt{size}" if pyarrow.types.is_unsigned_integer(kind) else f"Int{size}")

    frame = table.to_pandas()
    for field in table.schema:
        column = table[field.name]
        was_nullable = field.name in given.columns and pandas.api.types.is_extension_array_dtype(given[field.name].dtype)
        if pyarrow.types.is_integer(field.type) and (column.null_count or was_nullable):
            frame[field.name] = column.to_pandas(types_mapper=nullable)
    return frame
