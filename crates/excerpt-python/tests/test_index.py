"""The index: over a folder, over collections, and at the address of a server."""

import asyncio
import multiprocessing
import os
import pickle
import re
import shutil
import subprocess
import sys
import threading
import typing
from pathlib import Path

import excerpt
import pyarrow as pa
import pytest
from conftest import Served

def test_a_folder_is_searched_at_once(notes: Path) -> None:
    with excerpt.Index(notes) as index:
        results = index.search("how hot is the water for green tea")
        hit = results[0]
        assert hit.path == "tea.md" and hit.title == "Tea" and "eighty degrees" in hit.snippet
        assert hit.text in index.get(hit.citation).text
        assert len(results) == len(list(results)) == len(results.hits) and results.vectors
        assert results.searched == 3 and not results.more
        assert {found.path for found in index.search("tea", path="harbour")} <= {"harbour/siren.md"}
        assert {found.path for found in index.search("water", ranks="chunks", limit=10)} == {"tea.md", "harbour/siren.md", "code/tide.py"}
        rows = results.to_dicts()
        assert rows[0]["citation"] == hit.citation
        table = results.to_arrow()
        assert isinstance(table, pa.Table) and table.to_pylist() == rows
        status = index.status()
        assert status.documents == 3 and status.sources[0]["state"] == "current"


def test_the_same_over_http(notes: Path, served: Served) -> None:
    with served(notes) as (address, token), excerpt.Index(address, token=token) as remote, excerpt.Index(notes) as local:
        remote.sync()
        for question in ("how hot is the water", "siren", "next_tide", '"boiling water"', "nothing of the kind"):
            there, here = remote.search(question, limit=3), local.search(question, limit=3)
            assert there.raw == here.raw
        assert remote.get("tea.md#Black").raw == local.get("tea.md#Black").raw
        assert remote.status().documents == local.status().documents
        with excerpt.Index(address, token="wrong") as other, pytest.raises(excerpt.RequestError) as raised:
            other.search("tea")
        assert raised.value.status == 401
    with pytest.raises(excerpt.IndexFailure, match="gives no answer"):
        excerpt.Index(address, token=token).search("tea")


def test_changes_are_found_after_a_sync(notes: Path) -> None:
    with excerpt.Index(notes) as index:
        (notes / "coffee.md").write_text("# Coffee\n\nThe grinder is set to seven.\n")
        (notes / "tea.md").unlink()
        assert index.sync().documents == 3
        assert index.search("grinder")[0].path == "coffee.md"
        with pytest.raises(excerpt.NotFoundError, match="tea.md") as raised:
            index.get("tea.md")
        assert isinstance(raised.value, LookupError) and raised.value.status == 404
    with excerpt.Index(notes, sync=False) as index:
        assert index.search("grinder")[0].path == "coffee.md"
        with pytest.raises(excerpt.IndexFailure, match="sync=False"):
            index.sync()


def test_progress_is_reported(notes: Path) -> None:
    for number in range(3_000):
        (notes / f"{number}.md").write_text(f"# Note {number}\n\n" + f"Some words about {number}.\n" * 20)
    told: list[tuple[int, int, str]] = []
    with excerpt.Index(notes, progress=lambda done, total, stage: told.append((done, total, stage))) as index:
        assert index.status().documents == 3_003
    assert told and all(done <= total for done, total, _ in told)


def test_texts_are_added_and_removed(notes: Path) -> None:
    with excerpt.Index(notes) as index:
        added = index.add(text="# Rooibos\n\nRooibos is a bush.\n", name="bush", title="Rooibos", tags=["drinks"])
        assert added["stored"] and added["documents"] == 1
        hit = index.search("which bush", tags=["drinks"])[0]
        assert hit.collection == "bush" and hit.metadata["tags"] == ["drinks"]
        with pytest.raises(excerpt.RequestError) as raised:
            index.add(text="a", chunking={"target": "many"})
        assert "target" in str(raised.value)
        index.add(text="Rooibos is red.", name="red", tags="ab", versions="1.2")
        assert index.search("rooibos", tags={"ab"}, version="1.2")[0].collection == "red"
        with pytest.raises(TypeError, match="`tags` has a int"):
            index.add(text="a", tags=[1])  # type: ignore[list-item]
        index.remove("red")
        index.remove("bush")
        assert all(hit.collection is None for hit in index.search("which bush"))
        with pytest.raises(excerpt.NotFoundError):
            index.remove("bush")


def test_an_index_over_http_survives_a_fork(notes: Path, served: Served) -> None:
    context = multiprocessing.get_context("fork")
    with served(notes) as (address, token), excerpt.Index(address, token=token) as index:
        index.sync()
        expected = {word: index.search(word).raw for word in ("tea", "siren", "tide")}
        answers = context.Queue()
        processes = [context.Process(target=asked_often, args=(index, word, answers)) for word in expected]
        for process in processes:
            process.start()
        assert all(index.search("tea").raw == expected["tea"] for _ in range(30))
        found = dict(answers.get(timeout=60) for _ in processes)
        for process in processes:
            process.join(timeout=60)
        assert found == expected


def asked_often(index: excerpt.Index, word: str, answers: "multiprocessing.Queue[tuple[str, dict[str, object]]]") -> None:
    found = [index.search(word).raw for _ in range(30)]
    answers.put((word, found[0] if all(one == found[0] for one in found) else {}))


def test_connections_do_not_grow_with_threads(notes: Path, served: Served) -> None:
    with served(notes) as (address, token), excerpt.Index(address, token=token) as index:
        before = len(os.listdir("/proc/self/fd"))
        for _ in range(60):
            thread = threading.Thread(target=index.search, args=("tea",))
            thread.start()
            thread.join()
        assert len(os.listdir("/proc/self/fd")) < before + 10


def test_removals_are_accepted_after_opening(notes: Path) -> None:
    for number in range(200):
        (notes / f"{number}.md").write_text(f"# Note {number}\n")
    excerpt.Index(notes).close()
    for number in range(195):
        (notes / f"{number}.md").unlink()
    with excerpt.Index(notes) as index:
        assert any("no longer exist" in note for note in index.notes), index.notes
        assert index.status().documents == 203
        assert index.sync(accept_removals=True).documents == 8


def _contents(folder: Path) -> dict[Path, bytes]:
    """The files of an index, without the memory in which the database notes who reads it."""
    paths = (path for path in folder.rglob("*") if path.is_file() and not path.name.endswith("-shm"))
    return {path: path.read_bytes() for path in paths}


def test_the_directory_of_an_index_answers_as_it_is(notes: Path, tmp_path: Path) -> None:
    own = tmp_path / "own"
    with excerpt.Index(notes, index=own) as index:
        index.add(text="The lamp is lit at dusk.", name="lamps")
        expected = index.search("how hot is the water for green tea").raw
    before = _contents(own)
    (notes / "coffee.md").write_text("# Coffee\n\nThe grinder is set to seven.\n")
    with excerpt.Index(own) as index:
        assert index.search("how hot is the water for green tea").raw["hits"][0] == expected["hits"][0]
        assert index.search("when is the lamp lit")[0].collection == "lamps"
        assert all(hit.path != "coffee.md" for hit in index.search("grinder"))
        assert index.status().documents == 4
        with pytest.raises(excerpt.IndexFailure, match="by its own directory"):
            index.sync()
        with pytest.raises(excerpt.IndexFailure, match="by its own directory"):
            index.add(text="more", name="more")
        with pytest.raises(excerpt.IndexFailure, match="by its own directory"):
            index.remove("lamps")
    shutil.rmtree(notes)
    with excerpt.Index(own) as index:
        assert index.search("how hot is the water for green tea")[0].path == "tea.md"
        assert "# Tea" in index.get("tea.md").text
    assert before == _contents(own)


def test_an_index_of_several_folders_is_refused(notes: Path, tmp_path: Path) -> None:
    (tmp_path / "tea").mkdir()
    (tmp_path / "tea" / "a.md").write_text("# Tea\n\nGreen, at noon.\n")
    own = tmp_path / "own"
    for folder in (notes, tmp_path / "tea"):
        excerpt.Index(folder, index=own).close()
    with pytest.raises(excerpt.IndexFailure, match="covers several folders"):
        excerpt.Index(own)
    # A file with the name of a database alone makes no index.
    like = tmp_path / "like"
    like.mkdir()
    for path in own.iterdir():
        if path.is_file():
            (like / path.name).write_bytes(b"nothing")
    with pytest.raises(excerpt.ExcerptError):
        excerpt.Index(like)
    assert all(path.read_bytes() == b"nothing" for path in like.iterdir())


def test_collections_are_found_by_the_directory_of_their_index(notes: Path, tmp_path: Path) -> None:
    own = tmp_path / "own"
    with excerpt.Index(library=True, index=own) as index:
        index.add(notes, name="harbour")
    with excerpt.Index(own) as index:
        assert index.search("how hot is the water for green tea")[0].collection == "harbour"


def test_errors_are_pickled() -> None:
    error = pickle.loads(pickle.dumps(excerpt.NotFoundError("gone", 404, "path")))
    assert (str(error), error.status, error.field) == ("gone", 404, "path")


def test_a_token_is_not_repeated_in_errors() -> None:
    for token in ("excerpt_secret\nX: y", "excerpt_sécret", "excerpt secret"):
        with pytest.raises(excerpt.IndexFailure, match="no token") as raised:
            excerpt.Index("http://127.0.0.1:1", token=token)
        assert "cret" not in str(raised.value)


def test_what_progress_raises_is_raised(notes: Path) -> None:
    for number in range(3_000):
        (notes / f"{number}.md").write_text(f"# Note {number}\n\n" + f"Some words about {number}.\n" * 20)

    def failing(done: int, total: int, stage: str) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        excerpt.Index(notes, progress=failing)


def test_wrong_arguments_are_named(notes: Path) -> None:
    with excerpt.Index(notes) as index:
        assert repr(index) == f"<Index {str(notes)!r}>"
        assert len({*index.search("tea"), *index.search("tea")}) == len(index.search("tea"))
        for wrong, name in (({"limit": 0}, "limit"), ({"limits": 3}, "limits"), ({"ranks": "words"}, "ranks")):
            with pytest.raises(excerpt.RequestError, match=name) as raised:
                index.search("tea", **wrong)  # type: ignore[arg-type]
            assert raised.value.status in (400, 422)
        for wrong, says in (
            ({"query": "a\ud800"}, "`query` has half of a surrogate pair"),
            ({"query": "tea", "min_score": float("nan")}, "`min_score` is not a finite number"),
        ):
            with pytest.raises(excerpt.RequestError, match=says):
                index.search(**wrong)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="`query` cannot be a bytes"):
            index.search(b"tea")  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="`languages` cannot have a bytes"):
            index.search("tea", languages=[b"rust"])  # type: ignore[list-item]
        for refused in (index.get, index.remove):
            with pytest.raises(excerpt.NotFoundError, match="is empty"):
                refused("")
    with pytest.raises(excerpt.IndexFailure, match="the target is empty"):
        excerpt.Index("")
    with pytest.raises(ValueError, match="`timeout` is -1"):
        excerpt.Index(notes, timeout=-1)
    with pytest.raises(TypeError, match="`timeout` is a str"):
        excerpt.Index(notes, timeout="1")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="`progress` is a int"):
        excerpt.Index(notes, progress=5)  # type: ignore[arg-type]
    with pytest.raises(excerpt.IndexFailure, match="closed"):
        index.search("tea")
    with pytest.raises(excerpt.IndexFailure):
        excerpt.Index(notes / "no-such-folder")
    with pytest.raises(excerpt.IndexFailure, match="not empty|other files"):
        excerpt.Index(notes / "code", index=notes)
    with pytest.raises(excerpt.IndexFailure, match="`token` is for a server"):
        excerpt.Index(notes, token="a")
    for address in ("http://h:99999", "http://h:abc", "http://[::1"):
        with pytest.raises(excerpt.IndexFailure, match="is no address"):
            excerpt.Index(address)
    with pytest.raises(excerpt.IndexFailure, match="belong in an address"):
        excerpt.Index("http://user@127.0.0.1/")


def test_the_filters_are_all_that_a_search_takes(notes: Path) -> None:
    with excerpt.Index(notes) as index, pytest.raises(excerpt.RequestError) as raised:
        index.search("tea", nothing=1)  # type: ignore[call-arg]
    taken = set(re.findall("`([a-z_]+)`", str(raised.value).split("expected one of")[1]))
    assert taken == {"query", "limit", "path"} | excerpt.SearchFilters.__annotations__.keys()
    if sys.version_info >= (3, 11):
        for owner in (excerpt.Index, excerpt.AsyncIndex):
            assert "filters" in typing.get_type_hints(owner.search)


def test_threads_share_an_index(notes: Path) -> None:
    failures: list[BaseException] = []
    with excerpt.Index(notes) as index:
        expected = index.search("water").raw

        def ask() -> None:
            try:
                assert all(index.search("water").raw == expected for _ in range(20))
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert failures == []


def test_the_loop_is_not_blocked(notes: Path) -> None:
    async def ask() -> tuple[int, list[str]]:
        turns = 0

        async def count() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        counting = asyncio.create_task(count())
        async with excerpt.AsyncIndex(notes) as index:
            found = await asyncio.gather(*(index.search(word) for word in ("tea", "siren", "tide")))
            assert (await index.status()).documents == 3
        counting.cancel()
        return turns, [results[0].path for results in found]

    turns, paths = asyncio.run(ask())
    assert paths == ["tea.md", "harbour/siren.md", "code/tide.py"]
    assert turns > 10


def test_opening_that_is_cancelled_is_not_waited_for(notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    may_end, has_ended = threading.Event(), threading.Event()

    class Slow(excerpt.Index):
        def __init__(self, target: Path) -> None:
            assert may_end.wait(60)
            super().__init__(target)

        def close(self) -> None:
            super().close()
            has_ended.set()

    monkeypatch.setattr("excerpt._index.Index", Slow)

    async def cancelled() -> str:
        index = excerpt.AsyncIndex(notes)
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(index.__aenter__(), 0.1)
        assert not has_ended.is_set()
        may_end.set()
        with pytest.raises(excerpt.IndexFailure, match="closed"):
            await index.search("tea")
        return repr(index)

    assert asyncio.run(cancelled()) == f"<AsyncIndex {str(notes)!r}>"
    assert has_ended.wait(60)


def asked(index: excerpt.Index, answers: "multiprocessing.Queue[str]") -> None:
    try:
        index.search("tea")
        answers.put("an answer")
    except excerpt.IndexFailure as error:
        answers.put(str(error))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_an_index_does_not_survive_a_fork(notes: Path) -> None:
    context = multiprocessing.get_context("fork")
    with excerpt.Index(notes) as index:
        answers = context.Queue()
        process = context.Process(target=asked, args=(index, answers))
        process.start()
        assert "open it in this process" in answers.get(timeout=60)
        process.join(timeout=60)
        assert index.search("tea")[0].path == "tea.md"


def opened(notes: Path, answers: "multiprocessing.Queue[str]") -> None:
    with excerpt.Index(notes) as index:
        answers.put(index.search("which leaves")[0].path)
    answers.put(str(len(excerpt.Embedder().embed(["tea"] * 100))))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_an_index_is_opened_after_a_fork(notes: Path) -> None:
    context = multiprocessing.get_context("fork")
    excerpt.Embedder().embed(["tea"] * 100)
    with excerpt.Index(notes) as index:
        index.search("tea")
    (notes / "leaves.md").write_text("# Leaves\n\nWhich leaves are the best?\n")
    answers = context.Queue()
    process = context.Process(target=opened, args=(notes, answers))
    process.start()
    assert [answers.get(timeout=60), answers.get(timeout=60)] == ["leaves.md", "100"]
    process.join(timeout=60)


def test_the_command_line_finds_the_same(notes: Path) -> None:
    with excerpt.Index(notes) as index:
        expected = [hit.id for hit in index.search("how hot is the water for green tea", limit=5)]
    command = [sys.executable, "-m", "excerpt", "search", "how hot is the water for green tea", "--json", "-n", "5"]
    shown = subprocess.run(command, cwd=notes, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    assert [line.split('"id":"')[1][:32] for line in shown] == expected
