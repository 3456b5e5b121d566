"""Batches, tables and streams of Arrow, from several libraries."""

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import duckdb
import excerpt
import pandas
import polars
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet
import pytest

TEXTS = ["# Tea\n\nGreen or black.\n", None, "", "def f():\n    return 1\n"]
PATHS = ["tea.md", "null.md", "empty.md", "code.py"]


def size_of(text: str) -> int:
    return (len(text) + 3) // 4


def batch(**columns: object) -> pa.RecordBatch:
    return pa.RecordBatch.from_pydict({"text": TEXTS, "path": PATHS, "id": [1, 2, 3, 4], **columns})


def test_a_batch_of_documents_becomes_a_batch_of_chunks() -> None:
    given = batch(size=[1.5, 2.5, 3.5, 4.5], tags=[["a"], [], None, ["b", "c"]])
    chunks = excerpt.Chunker().chunk_batch(given, path="path", id="id")
    assert isinstance(chunks, pa.RecordBatch)
    chunks.validate(full=True)
    rows = chunks.to_pylist()
    assert [row["path"] for row in rows] == ["tea.md", "null.md", "code.py"]
    assert [row["error"] for row in rows] == [None, "the text is null", None]
    assert [row["document_id"] for row in rows] == [1, 2, 4]
    assert [row["document_size"] for row in rows] == [1.5, 2.5, 4.5]
    assert [row["tags"] for row in rows] == [["a"], [], ["b", "c"]]
    assert rows[1]["id"] is None and rows[1]["trail"] is None
    single = excerpt.Chunker().chunk(TEXTS[0] or "", path="tea.md", id="1")[0]
    own = single.to_dict()
    assert {name: rows[0][name] for name in own} == own


def test_the_schema_is_declared_and_versioned() -> None:
    declared = pa.schema(excerpt.chunk_schema())
    assert declared.metadata == {b"excerpt.schema": b"1"}
    chunker = excerpt.Chunker()
    given = batch()
    expected = chunker.schema(given.schema, path="path", id="id")
    assert isinstance(expected, pa.Schema)
    chunks = chunker.chunk_batch(given, path="path", id="id")
    assert chunks.schema.equals(expected, check_metadata=True)
    assert chunks.schema.names == ["document_id", *declared.names]
    empty = chunker.chunk_batch(given.slice(0, 0), path="path", id="id")
    assert empty.num_rows == 0 and empty.schema.equals(expected)


@pytest.mark.parametrize(
    "kind",
    [
        pa.string(),
        pa.large_string(),
        pa.string_view(),
        pa.binary(),
        pa.large_binary(),
        pa.dictionary(pa.int8(), pa.string()),
        pa.dictionary(pa.int32(), pa.large_string()),
    ],
    ids=str,
)
def test_texts_of_every_type_are_read(kind: pa.DataType) -> None:
    expected = excerpt.Chunker().chunk_batch(batch(), path="path").to_pylist()
    column = pa.array(TEXTS, pa.string())
    if pa.types.is_dictionary(kind):
        column = column.dictionary_encode().cast(kind)
    else:
        column = column.cast(kind)
    given = batch().set_column(0, "text", column)
    assert excerpt.Chunker().chunk_batch(given, path="path").to_pylist() == expected
    nothing = batch().set_column(0, "text", pa.nulls(4, kind))
    rows = excerpt.Chunker().chunk_batch(nothing, path="path").to_pylist()
    assert [row["error"] for row in rows] == ["the text is null"] * 4


def test_a_row_that_is_not_utf8_is_an_error_row() -> None:
    given = pa.RecordBatch.from_pydict({"text": [b"fine", b"ab\xff", None]}, pa.schema([("text", pa.binary())]))
    rows = excerpt.Chunker().chunk_batch(given).to_pylist()
    assert [row["error"] for row in rows] == [None, "the text is not UTF-8 from byte 2 on", "the text is null"]
    nulls = pa.RecordBatch.from_arrays([pa.nulls(2)], ["text"])
    assert excerpt.Chunker().chunk_batch(nulls).num_rows == 2


def test_strings_that_are_not_utf8_are_error_rows() -> None:
    for view in (pa.string(), pa.large_string()):
        kind = pa.binary() if view == pa.string() else pa.large_binary()
        column = pa.array([b"fine", b"\n\x80", b"a" * 60 + b"\xff"], kind).view(view)
        given = pa.RecordBatch.from_arrays([column, pa.array(["a.txt"] * 3)], ["text", "path"])
        for chunker in (excerpt.Chunker(), excerpt.Chunker(target=30, max=60, min=5)):
            chunks = chunker.chunk_batch(given, path="path")
            chunks.validate(full=True)
            assert [row["error"] for row in chunks.to_pylist()] == [
                None,
                "the text is not UTF-8 from byte 1 on",
                "the text is not UTF-8 from byte 60 on",
            ]


def test_ids_that_are_not_utf8_stay_different() -> None:
    ids = pa.array([b"\xff\x01", b"\xfe\x01"], pa.binary())
    given = pa.RecordBatch.from_arrays([pa.array(["same", "same"]), ids], ["text", "key"])
    found = excerpt.Chunker().chunk_batch(given, id="key")["id"].to_pylist()
    assert len(set(found)) == 2


def test_ids_may_be_uuids_and_large_numbers() -> None:
    key = pa.array([bytes(range(number, number + 16)) for number in (0, 100, 200)], pa.binary(16))
    uuids = pa.ExtensionArray.from_storage(pa.uuid(), key)
    numbers = pa.array([1, 2, 2**100], pa.decimal128(38, 0))
    chunker = excerpt.Chunker()

    def ids(column: pa.Array) -> list[str]:
        found: list[str] = chunker.chunk_batch(pa.record_batch({"text": ["same"] * 3, "key": column}), id="key")["id"].to_pylist()
        assert len(set(found)) == 3
        return found

    assert ids(key) == ids(key.cast(pa.binary())) == ids(uuids)
    assert ids(numbers) == ids(pa.array(["1", "2", str(2**100)])) == ids(numbers.cast(pa.decimal256(40, 0)))
    huge = duckdb.sql("select 'same' as text, 1::HUGEINT as key")
    assert pa.table(chunker.chunk_table(huge, id="key"))["id"].to_pylist() == [ids(numbers)[0]]
    for column, name in ((key, "path"), (key, "text"), (numbers, "text"), (pa.array([1.5, 2.5, 3.5]), "id")):
        given = pa.record_batch({"text": ["a"] * 3, "key": column})
        with pytest.raises(excerpt.BatchError, match="`key` is of type"):
            chunker.chunk_batch(given, **{name: "key"})
    with pytest.raises(excerpt.BatchError, match="expected a string type, binary, or whole numbers"):
        chunker.chunk_batch(pa.record_batch({"text": ["a"], "key": [1.5]}), id="key")


def test_columns_are_checked_before_a_row_is_split() -> None:
    chunker, embedder = excerpt.Chunker(), excerpt.Embedder()
    wrong = pa.table({"text": pa.array([], pa.string()), "key": pa.array([], pa.float64()), "number": pa.array([], pa.int64())})
    for columns in ({"id": "key"}, {"path": "key"}, {"title": "key"}, {"language": "key"}, {"text": "number"}):
        for split in (chunker.chunk_table, chunker.chunk_stream):
            with pytest.raises(excerpt.BatchError, match=f"the column `{next(iter(columns.values()))}` is of type"):
                split(wrong, **columns)
        with pytest.raises(excerpt.BatchError, match="is of type"):
            chunker.schema(wrong.schema, **columns)
    for embed in (embedder.embed_table, embedder.embed_stream):
        with pytest.raises(excerpt.BatchError, match="the column `number` is of type Int64, expected a string type"):
            embed(wrong, "number")
        with pytest.raises(excerpt.BatchError, match="there is no column `header`"):
            embed(wrong)


def test_a_column_that_is_there_twice_is_an_error() -> None:
    for names in (["text", "text", "path"], ["text", "path", "path"]):
        given = pa.record_batch([pa.array(["a"]), pa.array(["b"]), pa.array(["c"])], names=names)
        with pytest.raises(excerpt.BatchError, match="there are two columns `(text|path)`: rename one of them"):
            excerpt.Chunker().chunk_batch(given, path="path")


def test_a_column_is_no_table() -> None:
    chunker = excerpt.Chunker()
    frame = polars.DataFrame({"text": ["a"]})
    # Of pandas, only later versions give the columns of Arrow.
    with pytest.raises(TypeError, match="of type Series, expected a table or a stream"):
        chunker.chunk_table(pandas.Series(["a"]))
    for column in (frame["text"], pa.chunked_array([["a"]])):
        with pytest.raises(TypeError, match=f"of type {type(column).__name__}, expected a table or a stream: give the table"):
            chunker.chunk_table(column)
    with pytest.raises(TypeError, match="of type StringArray, expected a record batch: give the table that it is in"):
        chunker.chunk_batch(pa.array(["a"]))
    with pytest.raises(TypeError, match="of type Table, expected a schema: give its `schema`"):
        chunker.schema(pa.table({"text": ["a"]}))
    with pytest.raises(TypeError, match="of type list, expected a schema, such as that of pyarrow"):
        chunker.schema([1])


def test_a_repeated_column_that_is_too_large_is_named() -> None:
    text = "\n\n".join(f"Paragraph {number} of some words." for number in range(3_000))
    given = pa.record_batch({"text": [text], "owner": ["a" * (1 << 20)]})
    with pytest.raises(excerpt.BatchError, match="the column `owner`, repeated for each chunk, has more than 2 GiB"):
        excerpt.Chunker(target=10, max=12, min=1, context="none").chunk_batch(given)


def test_repeated_columns_of_more_than_two_gibibytes_are_an_error() -> None:
    text = "\n\n".join(f"Paragraph {number} of some words." for number in range(3_000))
    given = pa.record_batch({"text": [text], "path": ["a" * (1 << 20)]})
    chunker = excerpt.Chunker(target=10, max=12, min=1, context="none")
    with pytest.raises(excerpt.BatchError, match="2 GiB"):
        chunker.chunk_batch(given, path="path")
    with pytest.raises(Exception, match="2 GiB"):
        chunker.chunk_stream(pa.Table.from_batches([given]).to_reader(), path="path").read_all()


def test_a_table_may_need_the_interpreter_on_other_threads() -> None:
    def batches() -> object:
        for _ in range(20):
            yield batch()

    scanner = pyarrow.dataset.Scanner.from_batches(batches(), schema=batch().schema)
    table = excerpt.Chunker().chunk_table(scanner.to_reader(), path="path")
    assert isinstance(table, pa.Table) and table.num_rows == 60
    stream = excerpt.Chunker().chunk_stream(pa.Table.from_batches([batch()]), path="path")
    assert isinstance(stream, pa.RecordBatchReader)


def test_an_interrupt_in_a_sizer_is_raised() -> None:
    calls = 0

    def measured(text: str) -> int:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise KeyboardInterrupt
        return len(text)

    chunker = excerpt.Chunker(sizer=measured, context="none")
    with pytest.raises(KeyboardInterrupt):
        chunker.chunk_batch(batch(), path="path")
    assert chunker.chunk_batch(batch(), path="path").num_rows == 3
    # At once, and not after all rows.
    calls = 0
    with pytest.raises(KeyboardInterrupt):
        chunker.chunk_batch(pa.record_batch({"text": [f"new {row}" for row in range(1000)]}))
    assert calls == 3


def test_streams_are_read_and_dropped_inside_other_calls() -> None:
    # Libraries release the lock of the interpreter while they read a stream, also where a call of ours is further up.
    table = pa.table({"text": ["a b. " * 100, "c d. " * 50]})

    def texts(inner: excerpt.Chunker) -> Iterator[str]:
        for chunks in inner.chunk_stream(table):
            yield from chunks["text"].to_pylist()

    def unread() -> Iterator[str]:
        # With the stream, the last reference to the sizer is dropped.
        streams = [excerpt.Chunker(sizer=lambda text: len(text)).chunk_stream(table)]
        yield "a"
        streams.clear()
        yield "b"

    for inner in (excerpt.Chunker(target=20, max=20), excerpt.Chunker(target=20, max=20, sizer=size_of)):
        expected = inner.chunk_table(table)["text"].to_pylist()
        assert len(expected) > 2
        for outer in (excerpt.Chunker(), excerpt.Chunker(sizer=len)):
            assert [chunking.text for chunking in outer.chunk_many(texts(inner))] == expected
            assert [chunking.text for chunking in outer.chunk_many(unread())] == ["a", "b"]


LIMITED = """
import duckdb
print(len(duckdb.sql("select text from chunks limit 3").fetchall()))
"""
READ_IN_PART = """
import pyarrow.dataset
part = pyarrow.dataset.Scanner.from_batches(chunks).to_batches()
print(len([next(part) for _ in range(3)]))
"""
LEFT_TO_A_THREAD = """
import threading
reads = threading.Event()
def read():
    for _ in chunks:
        reads.set()
threading.Thread(target=read, daemon=True).start()
print(3 if reads.wait(60) else "no batch")
"""


@pytest.mark.parametrize("reading", [LIMITED, READ_IN_PART, LEFT_TO_A_THREAD])
@pytest.mark.parametrize("sizer", [None, "lambda text: len(text)"])
def test_python_ends_while_others_read_a_stream(reading: str, sizer: str | None) -> None:
    # Threads of Arrow read ahead, and do not stop when the interpreter ends.
    stream = f"""
import excerpt
import pyarrow
table = pyarrow.table({{"text": ["a b. " * 40] * 1000}})
batches = iter(table.to_batches(max_chunksize=10))
stream = pyarrow.RecordBatchReader.from_batches(table.schema, batches)
chunks = excerpt.Chunker(context="none", sizer={sizer}).chunk_stream(stream)
"""
    process = [sys.executable, "-c", stream + reading]
    done = subprocess.run(process, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "3\n"), done.stderr


def test_a_sizer_works_while_python_ends() -> None:
    # What was registered first runs last.
    last = """
import atexit
atexit.register(lambda: print(len(excerpt.Chunker(sizer=lambda text: len(text)).chunk("a b. " * 1000))))
import excerpt
"""
    done = subprocess.run([sys.executable, "-c", last], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and int(done.stdout) > 1, done.stderr


class Exported:
    """A stream of pyarrow that others know by the Arrow C interface alone."""

    def __init__(self, reader: pa.RecordBatchReader) -> None:
        self.reader = reader

    def __arrow_c_stream__(self, schema: object = None) -> object:
        return self.reader.__arrow_c_stream__(schema)


def test_a_stream_may_need_the_interpreter_on_other_threads() -> None:
    def batches() -> Iterator[pa.RecordBatch]:
        for _ in range(20):
            yield batch()

    def stream() -> Any:
        scanner = pyarrow.dataset.Scanner.from_batches(batches(), schema=batch().schema)
        return excerpt.Chunker().chunk_stream(Exported(scanner.to_reader()), path="path")

    # Polars holds the lock of the interpreter while it reads.
    assert len(polars.DataFrame(stream())) == 60
    # One that is dropped before it is read waits for its threads.
    stream()


ENDED = """
import excerpt
import pyarrow
def size(text):
    raise {error}
table = pyarrow.table({{"text": ["a b. " * 100]}})
def texts():
    for chunks in excerpt.Chunker(sizer=size).chunk_stream(table):
        yield from chunks["text"].to_pylist()
try:
    print([chunking.text for chunking in excerpt.Chunker().chunk_many({inside})])
except pyarrow.ArrowInvalid as error:
    print(error)
"""


@pytest.mark.parametrize("inside", ["texts()", "list(texts())"])
@pytest.mark.parametrize(
    ("error", "message"), [("KeyboardInterrupt", "KeyboardInterrupt"), ('SystemExit("a\\0b")', "SystemExit: a b")]
)
def test_what_ends_a_stream_is_an_error_of_arrow(inside: str, error: str, message: str) -> None:
    # It is written and dropped by pyarrow, which has released the lock then.
    program = ENDED.format(error=error, inside=inside)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and done.stdout.startswith(f"External error: {message}"), (done.stdout, done.stderr)


class Misdeclared:
    """A batch under the schema of another one."""

    def __init__(self, schema: pa.Schema, given: pa.RecordBatch) -> None:
        self.schema, self.given = schema, given

    def __arrow_c_array__(self, requested: object = None) -> tuple[object, object]:
        return self.schema.__arrow_c_schema__(), self.given.__arrow_c_array__()[1]


def test_data_that_is_not_as_its_schema_says_is_an_error() -> None:
    chunker, embedder = excerpt.Chunker(), excerpt.Embedder()
    declared = pa.schema([("text", pa.string()), ("path", pa.string())])
    message = "the data is not as its schema says: the types or the number of its columns differ"
    for given in (pa.record_batch({"text": ["a"]}), pa.record_batch({"text": [1], "path": [2]})):

        def reader(given: pa.RecordBatch = given) -> pa.RecordBatchReader:
            return pa.RecordBatchReader.from_batches(declared, iter([given]))

        with pytest.raises(excerpt.BatchError, match=f"^the input cannot be read: {message}$"):
            chunker.chunk_table(reader())
        with pytest.raises(excerpt.BatchError, match=message):
            embedder.embed_table(reader(), "text")
        with pytest.raises(excerpt.BatchError, match=message):
            chunker.chunk_batch(Misdeclared(declared, given))
        with pytest.raises(pa.ArrowInvalid, match=message):
            chunker.chunk_stream(reader()).read_all()


def test_what_a_source_raises_is_said_in_a_line() -> None:
    def batches() -> Iterator[pa.RecordBatch]:
        yield batch()
        raise RuntimeError("the disk is gone")

    reader = pa.RecordBatchReader.from_batches(batch().schema, batches())
    with pytest.raises(excerpt.BatchError, match="^the input cannot be read: RuntimeError: the disk is gone$"):
        excerpt.Chunker().chunk_table(reader)
    rows = pa.StructArray.from_arrays([pa.array(["a", "b"])], ["text"], mask=pa.array([False, True]))
    with pytest.raises(excerpt.BatchError, match="the input cannot be read: .* non-zero null count"):
        excerpt.Chunker().chunk_batch(rows)


def test_null_columns_of_polars_become_texts() -> None:
    frame = polars.DataFrame({"text": ["a b"], "author": [None], "tags": [[]], "more": [{"x": None}]})
    chunks = excerpt.Chunker().chunk_table(frame)
    assert chunks["author"].to_list() == [None] and chunks["tags"].to_list() == [[]]
    assert chunks.schema["author"] == polars.String
    assert pa.table(excerpt.Chunker().chunk_stream(frame))["more"].to_pylist() == [{"x": None}]
    assert excerpt.Embedder().embed_table(frame, "text")["author"].to_list() == [None]
    huge = frame.select("text", number=polars.lit(1).cast(polars.Int128))
    with pytest.raises(excerpt.BatchError, match="cast `number` to another type, such as String or Decimal$"):
        excerpt.Chunker().chunk_table(huge)


CTRL_C = """
import excerpt
import pyarrow
table = pyarrow.table({"text": ["word word. " * 4_000_000] * 3})
def batches():
    for batch in table.to_batches(max_chunksize=1):
        print("busy", flush=True)
        yield batch
reader = pyarrow.RecordBatchReader.from_batches(table.schema, batches())
stream = excerpt.Chunker().chunk_stream(reader)
def read():
    while True:
        try:
            stream.read_next_batch()
        except StopIteration:
            return
        except Exception:
            continue
try:
    read()
except KeyboardInterrupt:
    print("interrupted")
"""


def test_ctrl_c_ends_a_loop_that_goes_on_after_errors() -> None:
    process = subprocess.Popen([sys.executable, "-c", CTRL_C], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "busy\n"
    # What comes while the source of the batches runs is raised there.
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=120)[0].splitlines()[-1] == "interrupted"
    assert process.returncode == 0


def test_wrong_columns_are_named() -> None:
    chunker = excerpt.Chunker()
    with pytest.raises(excerpt.BatchError, match="no column `body`: the columns are `text`, `path`, `id`"):
        chunker.chunk_batch(batch(), text="body")
    with pytest.raises(excerpt.BatchError, match="no column `where`"):
        chunker.chunk_batch(batch(), path="where")
    with pytest.raises(excerpt.BatchError, match="`id` is of type Int64, expected a string type"):
        chunker.chunk_batch(batch(), text="id")
    with pytest.raises(excerpt.BatchError, match="two columns `document_id`"):
        chunker.chunk_batch(batch(document_id=[1, 2, 3, 4]))
    with pytest.raises(TypeError, match="expected a record batch"):
        chunker.chunk_batch({"text": ["a"]})
    with pytest.raises(TypeError, match="a method of its own"):
        chunker.chunk_batch(polars.DataFrame({"text": ["a"]}))
    with pytest.raises(TypeError, match="expected a table or a stream"):
        chunker.chunk_table([1])


def test_tables_and_streams_of_several_libraries() -> None:
    chunker = excerpt.Chunker()
    table = pa.Table.from_batches([batch(), batch().slice(1, 2)])
    expected = chunker.chunk_table(table, path="path")
    assert isinstance(expected, pa.Table) and expected.num_rows == 4
    reader = chunker.chunk_stream(table.to_reader(), path="path")
    assert isinstance(reader, pa.RecordBatchReader)
    assert reader.read_all().equals(expected)
    frame = chunker.chunk_table(polars.from_arrow(table), path="path")
    assert isinstance(frame, polars.DataFrame)
    assert frame["text"].to_list() == expected["text"].to_pylist()
    assert chunker.chunk_table(table.to_pandas(), path="path")["text"].tolist() == expected["text"].to_pylist()
    documents = table
    relation = duckdb.sql("select text, path from documents")
    assert documents is table
    found = chunker.chunk_table(relation, path="path")
    assert pa.table(found)["text"].to_pylist() == expected["text"].to_pylist()


def test_a_stream_is_read_when_it_is_asked_for() -> None:
    taken: list[int] = []

    def batches() -> object:
        for number in range(5):
            taken.append(number)
            yield batch()

    reader = pa.RecordBatchReader.from_batches(batch().schema, batches())
    chunks = excerpt.Chunker().chunk_stream(reader, path="path")
    assert taken == []
    chunks.read_next_batch()
    assert taken == [0]
    assert chunks.read_all().num_rows == 12


def test_a_task_that_is_tried_again_gives_the_same_rows() -> None:
    chunker = excerpt.Chunker(target=20, max=40, min=2)
    given = pa.RecordBatch.from_pydict({"text": ["# A\n\nsame\n\n# B\n\nsame\n"] * 300, "key": list(range(300))})
    first = chunker.chunk_batch(given, id="key")
    assert chunker.chunk_batch(given, id="key", threads=1).equals(first)
    assert pickle.loads(pickle.dumps(chunker)).chunk_batch(given, id="key").equals(first)
    ids = first["id"].to_pylist()
    assert len(set(ids)) == len(ids)


def test_a_million_rows_of_a_character() -> None:
    given = pa.RecordBatch.from_arrays([pa.array(["x"] * 1_000_000)], ["text"])
    assert excerpt.Chunker().chunk_batch(given).num_rows == 1_000_000


def test_a_row_of_a_gigabyte_is_an_error_row() -> None:
    given = pa.RecordBatch.from_arrays([pa.array(["fine", "x" * (1 << 30)], pa.large_string())], ["text"])
    rows = excerpt.Chunker().chunk_batch(given).to_pylist()
    assert rows[0]["text"] == "fine"
    assert "has 1073741824 bytes, expected at most 268435456" in rows[1]["error"]


def test_a_sizer_that_fails_gives_error_rows() -> None:
    def picky(text: str) -> int:
        if "green" in text.lower():
            raise ValueError("no green tea")
        return len(text)

    rows = excerpt.Chunker(sizer=picky, context="none").chunk_batch(batch(), path="path").to_pylist()
    assert "no green tea" in rows[0]["error"] and rows[-1]["error"] is None


@pytest.mark.usefixtures("home")
def test_the_command_line_writes_the_same_table(tmp_path: object) -> None:
    from pathlib import Path

    folder = Path(str(tmp_path))
    (folder / "tea.md").write_text(TEXTS[0] or "")
    for form, read in (("parquet", pyarrow.parquet.read_table), ("arrow", lambda file: pa.ipc.open_stream(file).read_all())):
        with open(folder / f"chunks.{form}", "wb") as file:
            subprocess.run(
                [sys.executable, "-m", "excerpt", "chunk", "tea.md", "--format", form], cwd=folder, check=True, stdout=file
            )
        table = read(folder / f"chunks.{form}")
        given = pa.table({"text": [TEXTS[0]], "path": ["tea.md"]})
        assert table.equals(excerpt.Chunker().chunk_table(given, path="path"))
        assert table.schema.metadata[b"excerpt.schema"] == b"1"


def test_vectors_are_added() -> None:
    embedder = excerpt.Embedder()
    chunks = excerpt.Chunker().chunk_batch(batch(), path="path")
    embedded = embedder.embed_batch(chunks)
    assert embedded.schema.field("vector").type == pa.list_(pa.field("item", pa.float32()), embedder.dimensions)
    assert embedded.schema.metadata[b"excerpt.embedder"].decode() == embedder.identity
    vectors = embedded["vector"].to_pylist()
    assert vectors[1] is None
    chunk = excerpt.Chunker().chunk(TEXTS[0] or "", path="tea.md")[0]
    assert vectors[0] == pytest.approx(embedder.embed([chunk.embedded])[0])
    assert sum(number * number for number in vectors[0]) == pytest.approx(1, abs=1e-3)
    named = embedder.embed_table(pa.table({"body": ["a", None]}), "body", into="numbers")
    assert named["numbers"].null_count == 1
    with pytest.raises(excerpt.BatchError, match="two columns `vector`"):
        embedder.embed_batch(embedded)
    with pytest.raises(excerpt.BatchError, match="no column `header`"):
        embedder.embed_batch(pa.record_batch({"text": ["a"]}))
    copy = pickle.loads(pickle.dumps(embedder))
    assert copy.embed_query("green tea") == embedder.embed_query("green tea")
    with pytest.raises(excerpt.ModelError, match="no-such-folder.*expected the folder of a model"):
        excerpt.Embedder("/no-such-folder")


def vectors_of(model: str, known: excerpt.Embedder, answers: "multiprocessing.Queue[list[float]]") -> None:
    answers.put(known.embed_query("green tea"))
    answers.put(excerpt.Embedder(model).embed_query("green tea"))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.skipif("EXCERPT_MINILM" not in os.environ, reason="EXCERPT_MINILM names no folder with a model")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_model_is_used_and_loaded_after_a_fork() -> None:
    model = os.environ["EXCERPT_MINILM"]
    context = multiprocessing.get_context("fork")
    embedder = excerpt.Embedder(model)
    expected = embedder.embed_query("green tea")
    answers = context.Queue()
    process = context.Process(target=vectors_of, args=(model, embedder, answers), daemon=True)
    process.start()
    assert answers.get(timeout=60) == expected
    assert answers.get(timeout=60) == pytest.approx(expected, abs=1e-4)
    process.join(timeout=60)


def test_pandas_is_not_changed() -> None:
    frame = pandas.DataFrame({"text": ["a", "b"], "when": pandas.to_datetime(["2026-01-01", "2026-01-02"])})
    chunks = excerpt.Chunker().chunk_table(frame)
    assert chunks["when"].tolist() == frame["when"].tolist()
    assert list(frame.columns) == ["text", "when"]


def test_whole_numbers_of_pandas_stay_whole() -> None:
    key = pandas.array([1, 2**60 + 1, 3], dtype="Int64")
    frame = pandas.DataFrame({"text": ["a", None, "c"], "key": key, "size": [1, 2, 3]})
    chunks = excerpt.Chunker().chunk_table(frame)
    assert chunks["key"].tolist() == [1, 2**60 + 1, 3] and chunks["key"].dtype == "Int64"
    assert chunks["start_line"].tolist() == [1, pandas.NA, 1] and chunks["document_size"].dtype == "int64"
    assert excerpt.Chunker().chunk_table(frame.dropna())["start_line"].dtype == "int64"


def test_an_index_of_pandas_without_a_name_is_no_column() -> None:
    frame = pandas.DataFrame({"text": ["a", "b", "c"], "key": [1, 2, 3]})
    chunks = excerpt.Chunker().chunk_table(frame[frame["key"] != 2])
    assert chunks["key"].tolist() == [1, 3] and not [name for name in chunks.columns if "index" in name]
    assert excerpt.Chunker().chunk_table(frame.set_index("key"))["key"].tolist() == [1, 2, 3]
