"""The index: over a folder, over collections, and at the address of a server."""

import asyncio
import contextlib
import multiprocessing
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import excerpt
import pyarrow as pa
import pytest

NOTES = {
    "tea.md": "---\ntags: [drinks]\n---\n# Tea\n\nGreen tea wants water of eighty degrees.\n\n## Black\n\nBlack tea wants boiling water.\n",
    "harbour/siren.md": "# The siren\n\nThe siren rings when the water rises by two centimetres.\n",
    "code/tide.py": "def next_tide(now):\n    \"\"\"When the next high water is.\"\"\"\n    return now + 12\n",
}


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with notes, and a home of its own for indexes and tokens."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "EXCERPT_INDEX"):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "notes"
    for name, text in NOTES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@contextlib.contextmanager
def served(folder: Path) -> Iterator[tuple[str, str]]:
    """The address of a server, and its own token."""
    command = [sys.executable, "-m", "excerpt", "serve", str(folder), "--listen", "127.0.0.1:0", "--log", "off"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        address = server.stdout.readline().split()[-1]
        token = server.stdout.readline().partition("token=")[2].strip()
        yield address, token
    finally:
        server.terminate()
        server.wait(timeout=30)


def test_a_folder_is_searched_at_once(notes: Path) -> None:
    with excerpt.Index(notes) as index:
        results = index.search("how hot is the water for green tea")
        hit = results[0]
        assert hit.path == "tea.md" and hit.title == "Tea" and "eighty degrees" in hit.snippet
        assert hit.text in index.get(hit.citation).text
        assert len(results) == len(list(results)) == len(results.hits) and results.vectors
        assert results.searched == 3 and not results.more
        assert {found.path for found in index.search("tea", path="harbour")} <= {"harbour/siren.md"}
        assert {found.path for found in index.search("water", ranks="chunks", limit=10)} == set(NOTES)
        rows = results.to_dicts()
        assert rows[0]["citation"] == hit.citation
        table = results.to_arrow()
        assert isinstance(table, pa.Table) and table.to_pylist() == rows
        status = index.status()
        assert status.documents == 3 and status.sources[0]["state"] == "current"


def test_the_same_over_http(notes: Path) -> None:
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
    assert all(done <= total for done, total, _ in told)


def test_texts_are_added_and_removed(notes: Path) -> None:
    with excerpt.Index(notes) as index:
        added = index.add(text="# Rooibos\n\nRooibos is a bush.\n", name="bush", title="Rooibos", tags=["drinks"])
        assert added["stored"] and added["documents"] == 1
        hit = index.search("which bush", tags=["drinks"])[0]
        assert hit.collection == "bush" and hit.metadata["tags"] == ["drinks"]
        with pytest.raises(excerpt.RequestError) as raised:
            index.add(text="a", chunking={"target": "many"})
        assert "target" in str(raised.value)
        index.remove("bush")
        assert all(hit.collection is None for hit in index.search("which bush"))
        with pytest.raises(excerpt.NotFoundError):
            index.remove("bush")


def test_wrong_arguments_are_named(notes: Path) -> None:
    with excerpt.Index(notes) as index:
        for wrong, name in (({"limit": 0}, "limit"), ({"limits": 3}, "limits"), ({"ranks": "words"}, "ranks")):
            with pytest.raises(excerpt.RequestError, match=name) as raised:
                index.search("tea", **wrong)  # type: ignore[arg-type]
            assert raised.value.status in (400, 422)
    with pytest.raises(excerpt.IndexFailure, match="closed"):
        index.search("tea")
    with pytest.raises(excerpt.IndexFailure):
        excerpt.Index(notes / "no-such-folder")
    with pytest.raises(excerpt.IndexFailure, match="`token` is for a server"):
        excerpt.Index(notes, token="a")
    with pytest.raises(excerpt.IndexFailure, match="belong in an address"):
        excerpt.Index("http://user@127.0.0.1/")


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


def test_the_command_line_finds_the_same(notes: Path) -> None:
    with excerpt.Index(notes) as index:
        expected = [hit.id for hit in index.search("how hot is the water", limit=5)]
    command = [sys.executable, "-m", "excerpt", "search", "how hot is the water", "--json", "-n", "5"]
    shown = subprocess.run(command, cwd=notes, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    assert [line.split('"id":"')[1][:32] for line in shown] == expected
