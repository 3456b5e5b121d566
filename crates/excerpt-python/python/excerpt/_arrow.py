"""Results of Arrow as objects of the library that their input is of."""

from __future__ import annotations

from typing import Any


def like(given: Any, result: Any) -> Any:
    """`result` as an object of the library that `given` is of, or unchanged if it is another one."""
    library = type(given).__module__.partition(".")[0]
    if library == "pyarrow":
        return _pyarrow(given, result)
    if library == "polars":
        import polars

        return polars.DataFrame(result)
    if library == "pandas":
        import pyarrow

        return pyarrow.table(result).to_pandas()
    return result


def _pyarrow(given: Any, result: Any) -> Any:
    import pyarrow

    if isinstance(given, pyarrow.Schema):
        return pyarrow.schema(result)
    if isinstance(given, pyarrow.RecordBatchReader):
        return pyarrow.RecordBatchReader.from_stream(result)
    if isinstance(given, pyarrow.RecordBatch):
        # A batch has both interfaces; a stream is only asked for when its batches are wanted.
        return pyarrow.record_batch(result) if hasattr(result, "__arrow_c_array__") else pyarrow.table(result)
    return pyarrow.table(result)
