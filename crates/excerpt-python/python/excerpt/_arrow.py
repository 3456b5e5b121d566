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
        import pandas
        import pyarrow

        table = pyarrow.table(result)
        frame = table.to_pandas()
        # Of whole numbers of which one is missing, pandas would make floats.
        whole = {pyarrow.int64(): pandas.Int64Dtype()}
        for name, column in zip(table.column_names, table.columns, strict=True):
            if column.type in whole and column.null_count > 0:
                frame[name] = column.to_pandas(types_mapper=whole.get)
        return frame
    return result
