"""Ray and Spark give the chunks that one process gives, though one of their processes is killed in mid-run.

    pip install -r tests/requirements.txt && pytest tests/test_engines.py

Spark needs Java 17.
"""

from __future__ import annotations

import os
import random
import re
import secrets
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import excerpt

needs_java = pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java 17")

FILES = 10
DOCUMENTS = 5000
LARGE = 5_000_000

WORDS = (
    "anchor beacon breeze buoy canal captain chart coast compass crew current deck depth dock drift fog gauge "
    "harbour hull island keel lantern ledger lighthouse mast median mooring narrow north pier pilot port quay radar "
    "reef reading river rope rudder sail sand signal siren south storm stream tide tower vessel watch wave west wind"
).split()

SETTINGS: dict[str, Any] = {"target": 60, "max": 120}
COLUMNS: dict[str, Any] = {"text": "text", "path": "path", "id": "id"}


def sentence(chance: random.Random) -> str:
    words = chance.choices(WORDS, k=chance.randint(5, 14))
    return " ".join(words).capitalize() + "."


def section(chance: random.Random, level: int) -> str:
    heading = "#" * level + " " + " ".join(chance.choices(WORDS, k=2)).title()
    paragraph = " ".join(sentence(chance) for _ in range(chance.randint(1, 4)))
    items = "\n".join(f"- {sentence(chance)}" for _ in range(chance.randint(0, 3)))
    return "\n\n".join(part for part in (heading, paragraph, items) if part)


def markdown(chance: random.Random, sections: int) -> str:
    levels = [1] + chance.choices([2, 2, 3], k=sections - 1)
    return "\n\n".join(section(chance, level) for level in levels) + "\n"


def document(chance: random.Random) -> str | None:
    kind = chance.random()
    if kind < 0.01:
        return None
    return "" if kind < 0.02 else markdown(chance, chance.randint(1, 4))


def large(chance: random.Random) -> str:
    parts: list[str] = []
    size = 0
    while size < LARGE:
        parts.append(markdown(chance, 50))
        size += len(parts[-1])
    return "\n".join(parts)


def documents(file: int) -> pa.Table:
    """The documents of a file: the same ones each time."""
    chance = random.Random(file)
    numbers = range(file * DOCUMENTS, (file + 1) * DOCUMENTS)
    texts = [document(chance) for _ in numbers]
    if file == FILES // 2:
        texts[DOCUMENTS // 3] = large(chance)
    return pa.table(
        {
            "id": [f"document-{number:06}" for number in numbers],
            "path": [f"notes/{number % 100:02}/{number:06}.md" for number in numbers],
            "text": pa.array(texts, pa.string()),
            "number": pa.array(numbers, pa.int32()),
            "tags": [chance.sample(WORDS, k=number % 3) for number in numbers],
        }
    )


@dataclass
class Corpus:
    """Documents in files, and their chunks as one process splits them."""

    folder: Path
    documents: int
    chunks: pa.Table


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder = tmp_path_factory.mktemp("documents")
    tables = [documents(file) for file in range(FILES)]
    for file, table in enumerate(tables):
        pq.write_table(table, folder / f"{file}.parquet", row_group_size=DOCUMENTS)
    table = pa.concat_tables(tables)
    assert table.num_rows >= 50_000 and table["text"].null_count > 100
    chunks = excerpt.Chunker(**SETTINGS).chunk_table(table, **COLUMNS)
    assert chunks.num_rows > 2 * table.num_rows
    assert chunks["ordinal"].null_count == table["text"].null_count
    return Corpus(folder, table.num_rows, in_order(chunks))


def in_order(chunks: pa.Table) -> pa.Table:
    return chunks.sort_by([("document_id", "ascending"), ("ordinal", "ascending")])


def check(found: pa.Table, corpus: Corpus) -> None:
    """Whether these are the expected chunks, each with all its columns, and each once."""
    expected = corpus.chunks
    assert found.column_names == expected.column_names
    assert found.num_rows == expected.num_rows
    found = in_order(found)
    for field in expected.schema:
        assert found[field.name].cast(field.type).equals(expected[field.name]), field.name


def marker(folder: Path) -> Callable[[str], None]:
    """What a task calls with its name for each batch of chunks that it has.

    It leaves a file `TASK-PROCESS`. The first task that calls it again after two others have called it writes its
    name and process into the file `waiting`, and waits to be killed.
    """

    def mark(task: str) -> None:
        seen = {path.name.partition("-")[0] for path in folder.glob("*-*")}
        mine = folder / f"{task}-{os.getpid()}"
        is_again = mine.exists()
        mine.touch()
        if not is_again or len(seen - {task}) < 2:
            return
        try:
            with (folder / "waiting").open("x") as waiting:
                waiting.write(f"{task} {os.getpid()}\n")
        except FileExistsError:
            return
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            time.sleep(0.02)
        raise TimeoutError("it was not killed")

    return mark


def until(condition: Callable[[], Any], what: str, seconds: float = 120) -> Any:
    """What `condition` returns once it is true."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, f"{what}: not after {seconds} seconds"
        time.sleep(0.02)
    return found


def command(process: int) -> str:
    """The command line of a process, or nothing if there is none."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def parent(process: int) -> int | None:
    try:
        status = Path(f"/proc/{process}/stat").read_text(errors="replace")
    except OSError:
        return None
    return int(status.rpartition(")")[2].split()[1])


def ancestors(process: int) -> list[int]:
    """The parent of a process, its parent, and so on to this process; an error if it does not come from this one."""
    line: list[int] = []
    above = parent(process)
    while above is not None and above > 1:
        line.append(above)
        if above == os.getpid():
            return line
        above = parent(above)
    raise AssertionError(f"process {process} was not started here")


def descendants(process: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit() and (above := parent(int(name))) is not None:
            children.setdefault(above, []).append(int(name))
    found: list[int] = []
    unseen = [process]
    while unseen:
        below = children.get(unseen.pop(), [])
        found += below
        unseen += below
    return found


def kill_in_mid_run(folder: Path, run: Callable[[], pa.Table], victim: Callable[[int], int]) -> pa.Table:
    """What `run` returns, although a process is killed: `victim` says which, given the one that waits for that.

    The tasks call the function of `marker(folder)`.
    """

    def tasks() -> dict[str, set[int]]:
        """The tasks that have had chunks, and the processes in which they had."""
        found: dict[str, set[int]] = {}
        for path in folder.glob("*-*"):
            task, _, process = path.name.partition("-")
            found.setdefault(task, set()).add(int(process))
        return found

    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(run)

        def waiting() -> list[str]:
            if running.done():
                running.result()
                raise AssertionError("it ended before a process could be killed")
            file = folder / "waiting"
            text = file.read_text() if file.exists() else ""
            return text.split() if text.endswith("\n") else []

        task, process = until(waiting, "a task that waits to be killed")
        killed = victim(int(process))
        lost = [killed, *descendants(killed)]
        os.kill(killed, signal.SIGKILL)
        before = tasks()
        until(lambda: not any(command(process) for process in lost), "the end of the killed process and its children")
        result = running.result(timeout=120)
    after = tasks()
    # Of the others, at most one was running on the other core: the rest were complete.
    assert len(before.keys() - {task}) >= 2
    assert after.keys() - before.keys(), "no task was left to run"
    assert after[task] > before[task], "the task was not run again"
    return result


@pytest.fixture(scope="module")
def local_ray() -> Iterator[None]:
    # The paths of sockets in it must be short.
    folder = tempfile.mkdtemp(prefix="ray-")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        # Otherwise Ray keeps one in the home folder.
        patch.setenv("RAY_AUTH_TOKEN", secrets.token_hex(16))
        import ray

        try:
            ray.init(
                address="local",
                num_cpus=2,
                include_dashboard=False,
                object_store_memory=512 << 20,
                log_to_driver=False,
                _temp_dir=folder,
            )
            # A task gives many blocks: some have left it when it is killed.
            patch.setattr(ray.data.DataContext.get_current(), "target_max_block_size", 1 << 20)
            yield
        finally:
            ray.shutdown()
            shutil.rmtree(folder, ignore_errors=True)


def test_ray_gives_the_same_chunks_though_a_worker_is_killed(corpus: Corpus, local_ray: None, tmp_path: Path) -> None:
    import ray

    import excerpt.ray

    mark = marker(tmp_path)

    def marked(chunks: pa.Table) -> pa.Table:
        mark(str(ray.get_runtime_context().get_task_id()))
        return chunks

    def run() -> pa.Table:
        documents = ray.data.read_parquet(str(corpus.folder))
        # With a number of rows, the tasks are not those that read the files: Ray reads all of these in one.
        chunks = excerpt.ray.chunk(documents, chunker=excerpt.Chunker(**SETTINGS), **COLUMNS, batch_size=500)
        return pa.concat_tables(ray.get(chunks.map_batches(marked, batch_format="pyarrow").to_arrow_refs()))

    def victim(worker: int) -> int:
        assert ancestors(worker) and re.match("ray::.*MapBatches", command(worker))
        return worker

    check(kill_in_mid_run(tmp_path, run, victim), corpus)


def test_ray_says_which_columns_there_are(corpus: Corpus, local_ray: None) -> None:
    import ray

    import excerpt.ray

    documents = ray.data.read_parquet(str(corpus.folder))
    there_are = "there is no column `body`: the columns are `id`, `path`, `text`, `number`, `tags`"
    with pytest.raises(excerpt.BatchError, match=there_are):
        excerpt.ray.chunk(documents, text="body")
    with pytest.raises(excerpt.BatchError, match="the column `tags` is of type List"):
        excerpt.ray.chunk(documents, title="tags")
    unknown = documents.map_batches(lambda batch: batch, batch_format="pyarrow")
    with pytest.raises(excerpt.BatchError, match=there_are):
        excerpt.ray.chunk(unknown, text="body").materialize()


def test_ray_adds_vectors(local_ray: None) -> None:
    import ray

    import excerpt.ray

    few = documents(0).slice(0, 20)
    expected = excerpt.Embedder().embed_table(excerpt.Chunker().chunk_table(few), into="vectors")
    chunks = excerpt.ray.chunk(ray.data.from_arrow(few), embedder=excerpt.Embedder(), into="vectors", num_cpus=0.5)
    (found,) = ray.get(chunks.to_arrow_refs())
    assert found.schema.equals(expected.schema) and found.equals(expected)


@pytest.fixture(scope="module")
def local_spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    import pyspark
    from pyspark.sql import SparkSession

    # Spark writes the files of its executors into its own folder.
    home = tmp_path_factory.mktemp("spark")
    for path in Path(pyspark.__file__).parent.iterdir():
        (home / path.name).symlink_to(path)
    variables = {
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_DIRS": str(tmp_path_factory.mktemp("spark-local")),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
    }
    options: dict[str, Any] = {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.executor.memory": "1g",
        "spark.log.level": "FATAL",
        "spark.sql.files.maxPartitionBytes": "4m",
        "spark.sql.files.openCostInBytes": "4m",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "500",
        "spark.sql.warehouse.dir": str(home / "warehouse"),
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in variables.items():
            patch.setenv(name, value)
        builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("engines").config(map=options)
        session = builder.getOrCreate()
        gateway: Any = pyspark.SparkContext._gateway
        try:
            yield session
        finally:
            session.stop()
            gateway.shutdown()
            gateway.proc.stdin.close()
            gateway.proc.wait(timeout=30)
            pyspark.SparkContext._gateway = pyspark.SparkContext._jvm = None


@needs_java
def test_spark_gives_the_same_chunks_though_an_executor_is_killed(
    corpus: Corpus, local_spark: Any, tmp_path: Path
) -> None:
    from pyspark import TaskContext

    import excerpt.spark

    marks = tmp_path / "marks"
    marks.mkdir()
    mark = marker(marks)

    def marked(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        context = TaskContext.get()
        assert context is not None
        for chunks in batches:
            mark(str(context.partitionId()))
            yield chunks

    def run() -> pa.Table:
        documents = local_spark.read.parquet(str(corpus.folder))
        chunks = excerpt.spark.chunk(documents, chunker=excerpt.Chunker(**SETTINGS), **COLUMNS)
        chunks.mapInArrow(marked, chunks.schema).write.parquet(str(tmp_path / "chunks"))
        return pq.read_table(tmp_path / "chunks")

    def victim(worker: int) -> int:
        executors = [above for above in ancestors(worker) if "CoarseGrainedExecutorBackend" in command(above)]
        (executor,) = executors
        return executor

    check(kill_in_mid_run(marks, run, victim), corpus)


@needs_java
def test_spark_says_which_columns_there_are(corpus: Corpus, local_spark: Any) -> None:
    import excerpt.spark

    documents = local_spark.read.parquet(str(corpus.folder))
    there_are = "there is no column `body`: the columns are `id`, `path`, `text`, `number`, `tags`"
    with pytest.raises(excerpt.BatchError, match=there_are):
        excerpt.spark.chunk(documents, text="body")
    with pytest.raises(excerpt.BatchError, match="the column `tags` is of type array<string>"):
        excerpt.spark.chunk(documents, title="tags")


@needs_java
def test_spark_adds_vectors_and_renames_what_differs_in_case(local_spark: Any) -> None:
    import excerpt.spark

    few = documents(0).slice(0, 20)
    expected = excerpt.Embedder().embed_table(excerpt.Chunker().chunk_table(few), into="vectors")
    given = local_spark.createDataFrame(few.rename_columns({"id": "ID"}))
    chunks = excerpt.spark.chunk(given, embedder=excerpt.Embedder(), into="vectors")
    assert chunks.columns == ["document_ID", *expected.column_names[1:]]
    found = chunks.toArrow()
    vectors = expected["vectors"].cast(pa.list_(pa.float32()))
    assert found["vectors"].cast(vectors.type).equals(vectors)
    assert found["text"].equals(expected["text"]) and found["id"].equals(expected["id"])
