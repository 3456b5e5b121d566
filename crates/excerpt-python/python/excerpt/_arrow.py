"""Results of Arrow as objects of the library that their input is of."""

from __future__ import annotations

from typing import Any


def like(given: Any, result: Any) -> Any:
    """`result` as an object of the library that `given` is of, or unchanged if it is another one.

    A table becomes a table, and a stream a stream: it is not read before its batches are asked for.
    """
    library = type(given).__module__.partition(".")[0]
    form = type(result).__name__
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

        return pyarrow.table(result).to_pandas()
    return result
