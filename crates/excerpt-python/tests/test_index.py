"""The index: over a folder, over collections, and at the address of a server."""

import asyncio
import contextlib
import http.server
import inspect
import json
import multiprocessing
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time
import typing
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, ClassVar

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
        assert rows[0]["citation"] == hit.citation and rows[0]["place"] is None
        assert (rows[0]["start_line"], rows[0]["end_line"]) == hit.lines
        assert json.loads(rows[0]["metadata"]) == hit.metadata and hit.metadata["author"] == "Ann"
        assert rows[0].keys() - {"rank", "citation", "place", "score", "weak", "collection", "snippet", "metadata"} <= set(
            pa.schema(excerpt.chunk_schema()).names
        )
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


def test_a_sync_ends_up_to_date(notes: Path, served: Served) -> None:
    with served(notes) as (address, token), excerpt.Index(address, token=token) as remote, excerpt.Index(notes) as local:
        for number in range(30):
            (notes / f"{number}.md").write_text(f"# Note {number}\n\nWords.\n")
            for index in (remote, local) if number % 3 == 0 else (local,):
                status = index.sync()
                assert [source["state"] for source in status.sources] == ["current"]
                assert (status.documents, status.sources[0]["progress"]) == (number + 4, None)


def test_what_was_skipped_is_said(notes: Path) -> None:
    with excerpt.Index(notes) as index:
        assert index.notes == [] and index.status().skipped == {}
    (notes / "broken.pdf").write_bytes(b"%PDF-1.4 garbage")
    (notes / "drawing.md").write_bytes(bytes(range(256)) * 50)
    (notes / ".hidden.md").write_text("# Hidden\n")
    with excerpt.Index(notes) as index:
        assert index.status().skipped == {"binary": 1, "hidden": 1, "not_read": 1}
        assert index.sync(retry=True).sources[0]["skipped"] == index.status().skipped
        assert index.notes == ["skipped: 1 binary, 1 not read; `excerpt status --skips` lists them"]


def test_what_was_never_indexed_is_not_opened_without_a_sync(notes: Path) -> None:
    with pytest.raises(excerpt.IndexFailure, match="nothing is indexed there yet: open it with `sync=True`"):
        excerpt.Index(notes, sync=False)
    excerpt.Index(notes).close()
    with excerpt.Index(notes, sync=False) as index:
        assert index.search("siren")[0].path == "harbour/siren.md"


def test_a_single_filter_may_be_a_string(notes: Path) -> None:
    with excerpt.Index(notes) as index:
        for filters in ({"tags": "drinks"}, {"languages": "markdown"}, {"kinds": "note"}, {"collections": "none"}):
            (name, value), = filters.items()
            try:
                expected = index.search("tea", **{name: [value]}).raw
            except excerpt.NotFoundError as error:
                with pytest.raises(excerpt.NotFoundError, match=re.escape(str(error))):
                    index.search("tea", **filters)
            else:
                assert index.search("tea", **filters).raw == expected


@contextlib.contextmanager
def _answering(answer: bytes) -> Iterator[str]:
    """The address of a server that gives the same answer to everything."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.send_response(200)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        do_POST = do_GET

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


def test_another_server_is_not_taken_for_ours() -> None:
    for answer in (b"{}", b'{"hits": 3, "sources": 3, "span": 3}', b"[]", b"<html>"):
        with _answering(answer) as address, excerpt.Index(address) as index:
            for ask in (lambda: index.search("tea"), lambda: index.get("tea.md"), index.status, index.sync):
                with pytest.raises(excerpt.IndexFailure, match="is this a server of excerpt"):
                    ask()


def test_an_index_shows_what_it_opens(notes: Path) -> None:
    with excerpt.Index(notes, index=notes.parent / "own") as index:
        index.add(text="Tea.", name="tea")
    own = notes.parent / "own"
    with excerpt.Index(library=True, index=own) as index:
        assert repr(index) == "<Index library=True>"
    with excerpt.Index(collections=["tea"], index=own) as index:
        assert repr(index) == "<Index collections=['tea']>"
    assert repr(excerpt.AsyncIndex(collections="tea")) == "<AsyncIndex collections='tea'>"
    with excerpt.Index("http://127.0.0.1:1", collections=["tea"]) as index:
        assert repr(index) == "<Index 'http://127.0.0.1:1', collections=['tea']>"


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
        with pytest.raises(TypeError, match="`tags` contains a value of type int"):
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
    # It is looked for while the sync goes on.
    asked: list[float] = []
    known = excerpt.Index._synced

    def noting(self: excerpt.Index, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        asked.append(body["wait"])
        return known(self, body)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(excerpt.Index, "_synced", noting)
        excerpt.Index(notes, progress=lambda *_: None).close()
    assert max(asked) < 1


def test_wrong_arguments_are_named(notes: Path) -> None:
    with excerpt.Index(notes) as index:
        assert repr(index) == f"<Index {str(notes)!r}>"
        assert len({*index.search("tea"), *index.search("tea")}) == len(index.search("tea"))
        for wrong, name in (({"limit": 0}, "limit"), ({"limits": 3}, "limits"), ({"ranks": "words"}, "ranks")):
            with pytest.raises(excerpt.RequestError, match=name) as raised:
                index.search("tea", **wrong)  # type: ignore[arg-type]
            assert raised.value.status in (400, 422)
        for wrong, says in (
            ({"query": "a\ud800"}, "`query` has a lone surrogate"),
            ({"query": "tea", "min_score": float("nan")}, "`min_score` is not a finite number"),
        ):
            with pytest.raises(excerpt.RequestError, match=says):
                index.search(**wrong)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="`query` cannot be a value of type bytes"):
            index.search(b"tea")  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="`languages` cannot contain a value of type bytes"):
            index.search("tea", languages=[b"rust"])  # type: ignore[list-item]
        with pytest.raises(excerpt.RequestError, match="`target` has a lone surrogate"):
            index.get("\ud800")
        with pytest.raises(TypeError, match="`target` is of type bytes"):
            index.get(b"tea.md")  # type: ignore[arg-type]
        for refused in (index.get, index.remove):
            with pytest.raises(excerpt.NotFoundError, match="is empty"):
                refused("")
    with pytest.raises(excerpt.IndexFailure, match="the target is empty"):
        excerpt.Index("")
    with pytest.raises(excerpt.IndexFailure, match="`target` has a lone surrogate"):
        excerpt.Index("\ud800")
    with pytest.raises(TypeError, match="`target` is of type bytes"):
        excerpt.Index(b"docs")  # type: ignore[arg-type]
    with pytest.raises(excerpt.IndexFailure, match="no-such") as raised_once:
        excerpt.Index(notes / "no-such-folder")
    assert str(raised_once.value).lower().count("no such file") == 1
    with pytest.raises(ValueError, match="`timeout` is -1"):
        excerpt.Index(notes, timeout=-1)
    with pytest.raises(TypeError, match="`timeout` is of type str"):
        excerpt.Index(notes, timeout="1")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="`progress` is of type int"):
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


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"target": 5}, TypeError, "`target` is of type int, expected a str or a path"),
        ({"target": b"x"}, TypeError, "`target` is of type bytes, expected a str or a path"),
        ({"index": 5}, TypeError, "`index` is of type int, expected a str or a path"),
        ({"sync": 0}, TypeError, "`sync` is of type int, expected True or False"),
        ({"sync": "no"}, TypeError, "`sync` is of type str, expected True or False"),
        ({"library": 1}, TypeError, "`library` is of type int, expected True or False"),
        ({"collections": None}, TypeError, "`collections` is of type NoneType, expected a string or several"),
        ({"collections": 5}, TypeError, "`collections` is of type int, expected a string or several"),
        ({"collections": [5]}, TypeError, "`collections` contains a value of type int, expected strings"),
        ({"target": "http://h", "token": 5}, TypeError, "`token` is of type int, expected a str"),
        ({"token": "a"}, excerpt.IndexFailure, "`token` is for a server: leave it out for a folder"),
        ({"timeout": -1}, ValueError, "`timeout` is -1, expected a positive number of seconds"),
        ({"target": "docs", "library": True}, excerpt.IndexFailure, "`library` is in place of a folder: leave out `target` or `library`"),
    ],
)
def test_both_kinds_of_index_check_what_they_are_given(options: dict[str, Any], error: type[Exception], message: str) -> None:
    for kind in (excerpt.Index, excerpt.AsyncIndex):
        with pytest.raises(error, match=f"^{message}$"):
            kind(**options)


def test_the_arguments_of_a_call_are_named(notes: Path) -> None:
    with excerpt.Index(notes) as index:
        hit = index.search("green tea")[0]
        # The limit may have the name that it has elsewhere.
        assert len(index.search("water", top_k=1)) == len(index.search("water", limit=1))  # type: ignore[call-arg]
        wrong: list[tuple[Callable[[], object], str]] = [
            (lambda: index.search("tea", path=5), "`path` is of type int, expected a str or a path"),  # type: ignore[arg-type]
            (lambda: index.get(5), "`target` is of type int, expected a str or a path"),  # type: ignore[arg-type]
            (lambda: index.get(hit), "`target` is of type Hit, expected a str or a path: give its `citation`"),  # type: ignore[arg-type]
            (lambda: index.get("tea.md", neighbours="a"), "`neighbours` is of type str, expected a whole number"),  # type: ignore[arg-type]
            (lambda: index.remove(5), "`name` is of type int, expected a str"),  # type: ignore[arg-type]
            (lambda: index.add(5), "`path` is of type int, expected a str or a path"),  # type: ignore[arg-type]
            (lambda: index.sync(progress=5), "`progress` is of type int, expected a function"),  # type: ignore[arg-type]
        ]
        for call, message in wrong:
            with pytest.raises(TypeError, match=f"^{message}$"):
                call()
        refused: list[tuple[Callable[[], object], str, str]] = [
            (lambda: index.get("tea.md", neighbours=-1), "neighbours", "`neighbours` is -1, expected a whole number from 0"),
            (lambda: index.get("tea.md", neighbours=10**9), "neighbours", "`neighbours`: expected at most 1000"),
            (
                lambda: index.add("https://h/x.git"),
                "path",
                "`path` is the address https://h/x.git, expected a folder or file: run `excerpt add https://h/x.git` to add it",
            ),
        ]
        for call, field, message in refused:
            with pytest.raises(excerpt.RequestError) as raised:
                call()
            assert (str(raised.value), raised.value.field) == (message, field)


def test_nothing_is_added_to_a_part_of_an_index(notes: Path) -> None:
    excerpt.Index(notes).close()
    message = (
        "nothing can be added to a part of an index: open or serve the whole folder that is indexed, "
        "and use a token without limits"
    )
    with excerpt.Index(notes / "harbour") as index, pytest.raises(excerpt.RequestError, match=f"^{message}$"):
        index.add(text="# Tea", name="tea")


def test_a_missing_token_is_called_as_the_argument_is(notes: Path, served: Served) -> None:
    with served(notes) as (address, _), pytest.raises(excerpt.RequestError, match="^a token is needed: give it as `token`$"):
        excerpt.Index(address).status()


def test_what_an_index_returns_is_compared_and_hashed(notes: Path) -> None:
    with excerpt.Index(notes) as index:
        found, document, status = index.search("tea"), index.get("tea.md"), index.status()
        assert found == index.search("tea") != index.search("siren")
        assert {found, document, status} == {index.search("tea"), index.get("tea.md"), index.status()}


def test_the_notes_are_those_of_the_last_sync(notes: Path) -> None:
    for number in range(200):
        (notes / f"{number}.md").write_text(f"# Note {number}\n")
    excerpt.Index(notes).close()
    for path in notes.glob("[0-9]*.md"):
        path.unlink()
    with excerpt.Index(notes) as index:
        assert any("no longer exist" in note for note in index.notes), index.notes
        index.sync(accept_removals=True)
        assert index.notes == []
        (notes / "picture.md").write_bytes(b"\0\1\2" * 100)
        index.sync()
        assert len(index.notes) == 1 and index.notes[0].startswith("skipped: 1 binary")


def test_another_process_that_writes_is_waited_for_as_long_as_was_said(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []

    class Waiting:
        """An index that another process is writing to."""

        notes: ClassVar[list[str]] = []
        is_stored = False

        def __init__(self, *_: object) -> None: ...

        def request(self, method: str, address: str, body: bytes | None) -> tuple[int, bytes]:
            waits.append(json.loads(body or b"{}")["wait"])
            time.sleep(waits[-1])
            raw = {"documents": 0, "chunks": 0, "sources": [{"state": "waiting"}]}
            return 202, json.dumps(raw).encode()

        def close(self) -> None: ...

    monkeypatch.setattr(excerpt._index, "Local", Waiting)
    with pytest.raises(excerpt.IndexFailure, match="another process is writing to the index"):
        excerpt.Index("docs", timeout=0.4)
    assert sum(waits) <= 0.8


def test_an_answer_of_another_kind_of_server_is_an_error() -> None:
    for errors in ({"a": 1}, "wrong", [], ["wrong"], [{"field": 5}]):
        refusal = json.dumps({"detail": "no", "errors": errors}).encode()

        class Refusing:
            def request(self, method: str, address: str, body: bytes | None, refusal: bytes = refusal) -> tuple[int, bytes]:
                return 400, refusal

            def close(self) -> None: ...

        with pytest.raises(excerpt.RequestError, match="^no$"):
            excerpt._transport.answer(Refusing(), "GET", "/v1/status")


def test_the_filters_are_all_that_a_search_takes(notes: Path) -> None:
    with excerpt.Index(notes) as index, pytest.raises(excerpt.RequestError) as raised:
        index.search("tea", nothing=1)  # type: ignore[call-arg]
    taken = set(re.findall("`([a-z_]+)`", str(raised.value).split("expected one of")[1]))
    assert taken == {"query", "limit", "path"} | excerpt.SearchFilters.__annotations__.keys()
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


def test_what_waits_for_an_opening_leaves_the_threads_of_the_loop_alone(
    notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_end = threading.Event()
    opened: list[Path] = []

    class Slow(excerpt.Index):
        def __init__(self, target: Path) -> None:
            opened.append(target)
            assert may_end.wait(60)
            super().__init__(target)

    monkeypatch.setattr("excerpt._index.Index", Slow)

    async def ask() -> list[str]:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
        index = excerpt.AsyncIndex(notes)
        asked = [asyncio.create_task(index.search("siren")) for _ in range(40)]
        cancelled = asyncio.create_task(index.search("tea"))
        await asyncio.sleep(0)
        assert await asyncio.wait_for(asyncio.to_thread(lambda: 1), 60) == 1
        # Those that wait for the same opening are not cancelled with it.
        cancelled.cancel()
        with pytest.raises(asyncio.CancelledError):
            await cancelled
        may_end.set()
        found = await asyncio.gather(*asked)
        await index.close()
        return [results[0].path for results in found]

    assert asyncio.run(ask()) == ["harbour/siren.md"] * 40
    assert len(opened) == 1


def test_an_opening_that_is_cancelled_ends(notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, closed = threading.Event(), threading.Event()

    class Waiting:
        """A transport that answers nothing until it is closed."""

        def request(self, method: str, address: str, body: bytes | None) -> tuple[int, bytes]:
            begun.set()
            assert closed.wait(60)
            raise excerpt.IndexFailure("the index is closed")

        def close(self) -> None:
            closed.set()

    class Opening(excerpt.Index):
        def __init__(self, target: Path) -> None:
            self._transport = Waiting()
            self._transport.request("POST", "/v1/sync", None)

    monkeypatch.setattr("excerpt._index.Index", Opening)

    async def cancelled() -> None:
        entering = asyncio.create_task(excerpt.AsyncIndex(notes).__aenter__())
        assert await asyncio.to_thread(begun.wait, 60)
        entering.cancel()
        with pytest.raises(asyncio.CancelledError):
            await entering

    asyncio.run(cancelled())
    assert closed.is_set()


def test_ctrl_c_does_not_wait_for_an_opening() -> None:
    code = """
        import asyncio, threading, excerpt
        class Endless(excerpt.Index):
            def __init__(self, target):
                print("opening", flush=True)
                threading.Event().wait()
        excerpt._index.Index = Endless
        async def main():
            async with excerpt.AsyncIndex("notes"):
                pass
        try:
            asyncio.run(main())
        except KeyboardInterrupt:
            print("ended", flush=True)
    """
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "opening\n"
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=60)[0] == "ended\n"
        assert process.returncode == 0
    finally:
        process.kill()


def test_both_kinds_of_index_take_the_same() -> None:
    given = inspect.signature(excerpt.Index).parameters.keys() - {"target"}
    assert given == excerpt.IndexOptions.__annotations__.keys()
    for name in ("search", "get", "add", "remove", "status", "sync"):
        parameters = (inspect.signature(getattr(owner, name)).parameters for owner in (excerpt.Index, excerpt.AsyncIndex))
        assert next(parameters) == next(parameters)
    with pytest.raises(TypeError, match="no argument `tokn`"):
        excerpt.AsyncIndex("notes", tokn="a")  # type: ignore[call-arg]


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
