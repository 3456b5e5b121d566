"""The chunker: texts, coordinates, settings, sizers, and bad input."""

import ast
import copy
import gc
import multiprocessing
import os
import pickle
import re
import signal
import subprocess
import sys
import textwrap
import threading
import weakref
from collections.abc import Iterator, Sequence
from pathlib import Path

import excerpt
import numpy
import pytest

TEXT = "# Täe 漢字\n\nGreen tea 😀 wants cooler water.\n\n## Black\n\nBoiling water, five minutes.\n"
SMALL = {"target": 10, "max": 20, "min": 1}


def test_places_lead_to_the_text_of_a_chunk() -> None:
    chunking = excerpt.Chunker(**SMALL).chunk(TEXT, path="food/tea.md")
    assert len(chunking) > 1
    data = TEXT.encode()
    lines = TEXT.splitlines(keepends=True)
    for chunk in chunking:
        start, end = chunk.span.chars
        assert TEXT[start:end] == chunk.text
        start, end = chunk.span.bytes
        assert data[start:end].decode() == chunk.text
        first, last = chunk.span.lines
        assert chunk.text in "".join(lines[first - 1 : last])
        assert chunk.embedded == chunk.context.header + chunk.overlap + chunk.text
        assert chunk.size.total <= 20


def test_chunks_and_gaps_cover_the_text() -> None:
    chunking = excerpt.Chunker(**SMALL).chunk(TEXT)
    covered = sorted([chunk.span.bytes for chunk in chunking] + [tuple(gap) for gap in chunking.gaps])
    assert covered[0][0] == 0
    assert covered[-1][1] == len(TEXT.encode())
    assert all(before[1] == after[0] for before, after in zip(covered, covered[1:], strict=False))


def test_a_chunk_says_what_it_is() -> None:
    chunk = excerpt.Chunker(**SMALL).chunk(TEXT, path="food/tea.md")[-1]
    assert chunk.trail == ["Täe 漢字", "Black"]
    assert chunk.breadcrumb == "Täe 漢字 > Black"
    assert chunk.context.path == "food/tea.md"
    assert chunk.context.domain == "food"
    assert chunk.cut.reason == "heading 2"
    assert (chunk.part.index, chunk.part.count) == (1, 1)
    assert len(chunk.id) == len(chunk.hash) == 32
    row = chunk.to_dict()
    assert row["text"] == chunk.text and row["start_char"] == chunk.span.chars[0]
    assert str(chunk) == chunk.text
    assert "Black" in repr(chunk)


@pytest.mark.usefixtures("home")
def test_the_same_as_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "tea.md").write_text(TEXT)
    command = [sys.executable, "-m", "excerpt", "chunk", "tea.md", "--format", "jsonl", "--target", "10", "--max", "20", "--min", "1"]
    shown = subprocess.run(command, cwd=tmp_path, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    chunking = excerpt.Chunker(**SMALL).chunk(TEXT, path="tea.md")
    assert [chunk.id for chunk in chunking] == [line.split('"id":"')[1][:32] for line in shown]


def test_source_code_is_read_by_its_language() -> None:
    source = "import os\n\ndef first():\n    return os.name\n\n\nclass Second:\n    pass\n"
    by_path = excerpt.Chunker("code").chunk(source, path="a.py")
    by_name = excerpt.Chunker("code").chunk(source, language="python")
    assert by_path[0].language == by_name[0].language == "python"
    blocks = excerpt.Chunker().outline(source, "a.py")
    assert [block.name for block in blocks if block.name] == ["def first", "class Second"]


def test_the_language_overrides_the_ending() -> None:
    chunker = excerpt.Chunker(**SMALL)
    assert chunker.chunk(TEXT, path="report.pdf").strategy == "fixed"
    chunking = chunker.chunk(TEXT, path="report.pdf", language="markdown")
    assert chunking.strategy == "markdown" and chunking[-1].trail == ["Täe 漢字", "Black"]
    # Two headings do not make a text Markdown.
    assert chunker.chunk(TEXT, path="tea.md").strategy == "markdown"
    assert chunker.chunk(TEXT, path="tea.md", language="text").strategy == "fixed"


def test_a_sequence_has_ends() -> None:
    chunking = excerpt.Chunker(**SMALL).chunk(TEXT)
    assert chunking[-1].ordinal == len(chunking) - 1
    assert [chunk.ordinal for chunk in chunking.chunks] == list(range(len(chunking)))
    assert [chunk.ordinal for chunk in chunking[::-1]] == list(range(len(chunking)))[::-1]
    assert len(chunking[1:]) == len(chunking) - 1 and chunking[5:2] == []
    for index in (len(chunking), -len(chunking) - 1, 2**40):
        with pytest.raises(IndexError):
            chunking[index]
    assert len(excerpt.Chunker().chunk("")) == 0


def test_a_preview_is_a_page(tmp_path: Path) -> None:
    page = excerpt.Chunker(**SMALL).chunk("<script>alert(1)</script>\n\n" + TEXT, path="tea.md").show()
    assert page.startswith("<!doctype html>")
    assert "<script>alert" not in page
    assert page.save(tmp_path / "tea.html").read_text() == page
    frame = excerpt.Chunker().chunk(TEXT)._repr_html_()
    assert frame.startswith("<iframe srcdoc=") and "<!doctype" not in frame


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"targets": 3}, "did you mean `target`"),
        ({"target": "many"}, "`target`"),
        ({"target": 10, "max": 5}, "`max`"),
        ({"preset": "nope"}, "expected one of auto"),
        ({"delimiter": "("}, "delimiter"),
        ({"target": object()}, "`target` is of type object"),
        ({"target": float("nan")}, "`target` is nan, expected a finite number"),
        ({"overlap": -1}, "`overlap` is `-1`, expected a size such as `80`, or a share"),
        ({"overlap": 1.5}, "`overlap` is `1.5`, expected a size"),
        ({"delimiter": "\ud800"}, "`delimiter` has a lone surrogate"),
        ({"unit": "bytes"}, "`unit` is `bytes`, expected one of chars, tokens, cjk-tokens$"),
    ],
)
def test_wrong_settings_are_named(settings: dict[str, object], message: str) -> None:
    with pytest.raises(excerpt.ConfigError, match=message) as raised:
        excerpt.Chunker(**settings)
    assert isinstance(raised.value, ValueError) and isinstance(raised.value, excerpt.ExcerptError)


def test_settings_have_the_names_of_other_tools() -> None:
    assert excerpt.Chunker(max_chunk_size=300).config["max"] == 300
    assert excerpt.Chunker("docs", target=None).config == excerpt.Chunker("docs").config
    assert excerpt.Chunker(target=numpy.int64(200)).config["target"] == 200


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        (None, TypeError, "NoneType, expected str"),
        (b"bytes", TypeError, "decode it first"),
        (3, TypeError, "int, expected str"),
        ("a\ud800b", excerpt.TextError, "lone surrogate at position 1"),
    ],
)
def test_what_is_no_text_is_an_error(text: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        excerpt.Chunker().chunk(text)  # type: ignore[arg-type]


def test_paths_and_texts_may_be_of_subclasses() -> None:
    chunking = excerpt.Chunker().chunk(numpy.str_(TEXT), path=Path("food") / "tea.md")
    assert chunking.path == "food/tea.md" and chunking.text == TEXT


def test_a_function_measures() -> None:
    chunking = excerpt.Chunker(sizer=lambda text: len(text.split()), target=6, max=8, min=1, context="none").chunk(
        "One two three. Four five six. Seven eight nine. Ten eleven twelve."
    )
    assert [chunk.size.total for chunk in chunking] == [6, 6]


def test_tokenizers_measure() -> None:
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace

    tokenizer = Tokenizer(WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    chunking = excerpt.Chunker(sizer=tokenizer, target=6, max=8, min=1).chunk(TEXT)
    for chunk in chunking:
        assert chunk.size.text == len(tokenizer.encode(chunk.text).ids)
    with pytest.raises(TypeError, match="expected a function or a tokenizer"):
        excerpt.Chunker(sizer=3)


def test_what_a_sizer_raises_is_raised() -> None:
    class Broken(Exception):
        pass

    def broken(text: str) -> int:
        raise Broken(text)

    with pytest.raises(Broken):
        excerpt.Chunker(sizer=broken).chunk(TEXT)
    with pytest.raises(TypeError):
        excerpt.Chunker(sizer=lambda text: "many").chunk(TEXT)
    with pytest.raises((excerpt.TextError, OverflowError)):
        excerpt.Chunker(sizer=lambda text: -1).chunk(TEXT)
    for size, error in ((None, TypeError), (2.5, TypeError), ("many", TypeError), (-1, excerpt.TextError), (2**70, excerpt.TextError)):
        with pytest.raises(error, match=re.escape(f"the sizer returned {size!r}, expected a whole number from 0")):
            excerpt.Chunker(sizer=lambda text, size=size: size).chunk(TEXT)
    with pytest.raises(excerpt.TextError, match="the sizer returned 2 for the empty text, expected 0: do not count special"):
        excerpt.Chunker(sizer=lambda text: len(text.split()) + 2).chunk(TEXT)


def words(text: str) -> int:
    return len(text.split())


def test_a_chunker_is_pickled() -> None:
    for chunker in (excerpt.Chunker("docs", target=100), excerpt.Chunker(sizer=words, target=10, max=20, min=1)):
        copy = pickle.loads(pickle.dumps(chunker))
        assert copy.config == chunker.config and repr(copy) == repr(chunker)
        assert [chunk.id for chunk in copy.chunk(TEXT)] == [chunk.id for chunk in chunker.chunk(TEXT)]


def test_chunks_are_pickled_with_their_text_once() -> None:
    for chunker in (excerpt.Chunker("docs", target=40), excerpt.Chunker(sizer=words, target=10, max=20, min=1)):
        chunking = chunker.chunk(TEXT * 20, "notes/tea.md", title="Tea", id="7")
        assert len(chunking) > 5
        copies = pickle.loads(pickle.dumps(list(chunking)))
        assert [(copy.id, copy.text, copy.embedded, copy.trail, copy.cut.reason) for copy in copies] == [
            (chunk.id, chunk.text, chunk.embedded, chunk.trail, chunk.cut.reason) for chunk in chunking
        ]
        copy = pickle.loads(pickle.dumps(chunking))
        assert copy.to_dicts() == chunking.to_dicts() and repr(copy) == repr(chunking)
        assert len(pickle.dumps(list(chunking))) < 2 * len(chunking.text) + 40 * len(chunking) + 1_000
    many = next(excerpt.Chunker().chunk_many([{"text": "def f():\n    pass\n", "language": "python"}]))
    assert pickle.loads(pickle.dumps(many)).to_dicts() == many.to_dicts()


def test_many_documents_are_split_in_order() -> None:
    chunker = excerpt.Chunker(**SMALL)
    documents = [(f"# {number}\n\n" + TEXT * (number % 7), f"{number}.md") for number in range(2_000)]
    found = list(chunker.chunk_many(documents))
    assert [chunking.path for chunking in found] == [path for _, path in documents]
    for (text, path), chunking in zip(documents[::97], found[::97], strict=True):
        assert [chunk.id for chunk in chunking] == [chunk.id for chunk in chunker.chunk(text, path)]
    assert [len(chunking) for chunking in chunker.chunk_many(iter(["", "a"]), threads=1)] == [0, 1]
    as_dict = {"text": TEXT, "path": Path("a.md"), "title": "Tea", "id": "7", "language": None}
    assert next(chunker.chunk_many([as_dict])).title == "Tea"


def test_a_single_document_is_not_many() -> None:
    for single in (TEXT, TEXT.encode(), {"text": TEXT}, excerpt.GivenDocument(text=TEXT)):
        with pytest.raises(TypeError, match="expected an iterable of documents: `chunk` splits a single one"):
            excerpt.Chunker().chunk_many(single)


def test_a_bad_document_among_many_is_named_after_those_before_it() -> None:
    chunker = excerpt.Chunker()
    iterator = chunker.chunk_many(["a", "b", None, "c"])
    assert next(iterator).text == "a" and next(iterator).text == "b"
    with pytest.raises(TypeError, match="document 2 is of type NoneType"):
        next(iterator)
    assert list(iterator) == []
    for wrong, message in (({"path": "a"}, 'no "text"'), ({"text": "a", "texts": 1}, "texts"), (("a", "b", "c"), "tuple")):
        with pytest.raises(TypeError, match=message):
            list(chunker.chunk_many([wrong]))

    def failing() -> object:
        yield "a"
        raise RuntimeError("the source is gone")

    iterator = chunker.chunk_many(failing())
    assert next(iterator).text == "a"
    with pytest.raises(RuntimeError, match="the source is gone"):
        next(iterator)
    with pytest.raises(ValueError, match="threads"):
        chunker.chunk_many([], threads=0)


def test_the_end_of_an_iterator_in_a_sizer_is_an_error() -> None:
    def measured(text: str) -> int:
        raise StopIteration

    class Path:
        def __fspath__(self) -> str:
            raise StopIteration

    for chunker, document in ((excerpt.Chunker(sizer=measured), "a"), (excerpt.Chunker(), ("a", Path()))):
        with pytest.raises(RuntimeError, match="^a sizer or `__fspath__` raised StopIteration$") as raised:
            list(chunker.chunk_many([document]))
        assert isinstance(raised.value.__cause__, StopIteration)


def test_a_wrong_argument_is_named() -> None:
    chunker = excerpt.Chunker()
    documents: list[tuple[object, str]] = [
        ({"text": "a", "title": 5}, "the title of document 0 is of type int, expected str"),
        ({"text": "a", "path": b"x"}, "the path of document 0 is of type bytes, expected a str or a path"),
        (("a", 5), "the path of document 0 is of type int, expected a str or a path"),
    ]
    for document, message in documents:
        with pytest.raises(TypeError, match=f"^{message}$"):
            list(chunker.chunk_many([document]))  # type: ignore[list-item]
    with pytest.raises(TypeError, match="^path is of type int, expected a str or a path$"):
        chunker.chunk("a", path=5)  # type: ignore[arg-type]
    for threads in (0, -1, 1025, 2**70):
        with pytest.raises(ValueError, match=f"^`threads` is {threads}, expected 1 to 1024$"):
            chunker.chunk_many([], threads=threads)
    with pytest.raises(TypeError, match="^`threads` is 1.5, expected a whole number$"):
        chunker.chunk_many([], threads=1.5)  # type: ignore[call-overload]
    for texts in ("abc", b"abc", 5):
        with pytest.raises(TypeError, match="^texts is of type (str|bytes|int), expected a list of texts$"):
            excerpt.Embedder().embed(texts)  # type: ignore[arg-type]


def test_a_cycle_through_a_chunker_is_freed() -> None:
    class Pipe:
        def __init__(self) -> None:
            self.chunker = excerpt.Chunker(sizer=self.count)
            self.documents = self.chunker.chunk_many(self.texts())
            self.last = self.chunker.chunk("a b")

        def count(self, text: str) -> int:
            return len(text)

        def texts(self) -> Iterator[str]:
            yield str(self)

    pipe = Pipe()
    known = weakref.ref(pipe)
    # One that is in use stays.
    gc.collect()
    assert pipe.chunker.chunk("a b")[0].size.text == 3
    del pipe
    gc.collect()
    assert known() is None


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="threads are counted in /proc")
def test_threads_are_kept_while_many_documents_are_split() -> None:
    seen: set[str] = set()

    def documents() -> Iterator[str]:
        for number in range(512 * 6):
            if number % 512 == 511:
                seen.update(os.listdir("/proc/self/task"))
            yield "a b"

    assert sum(map(len, excerpt.Chunker().chunk_many(documents(), threads=16))) == 512 * 6
    before = set(os.listdir("/proc/self/task"))
    # Six times 16 of them if they were started for each part.
    assert len(seen - before) < 16 * 3


def test_documents_before_one_that_a_sizer_fails_on_are_returned() -> None:
    def measured(text: str) -> int:
        if "five" in text:
            raise ValueError("no fives")
        return len(text)

    iterator = excerpt.Chunker(sizer=measured, context="none").chunk_many(["one", "two", "five", "six"])
    assert [next(iterator).text, next(iterator).text] == ["one", "two"]
    with pytest.raises(ValueError, match="no fives"):
        next(iterator)
    assert list(iterator) == []


def test_a_source_that_asks_its_own_iterator_is_an_error() -> None:
    def asking() -> Iterator[str]:
        yield "a"
        next(iterator)

    iterator = excerpt.Chunker().chunk_many(asking())
    assert next(iterator).text == "a"
    with pytest.raises(ValueError, match="already being advanced"):
        next(iterator)


def test_chunks_are_compared_by_what_they_are() -> None:
    first, again = (excerpt.Chunker(**SMALL).chunk(TEXT, "a.md") for _ in range(2))
    assert first[0] == again[0] and first[0] in again and first[0] != again[1]
    assert len({*first, *again}) == len(first)
    assert len({first[0].span, again[0].span, first[0].part}) == 2
    with pytest.raises(TypeError, match="a whole number or a slice"):
        first["a"]  # type: ignore[call-overload]


def test_chunkings_are_compared_by_what_they_are() -> None:
    chunker = excerpt.Chunker(**SMALL)
    first, again = (chunker.chunk(TEXT, "a.md") for _ in range(2))
    assert first == again and len({first, again}) == 1
    for other in (
        chunker.chunk(TEXT, "b.md"),
        chunker.chunk(TEXT + " ", "a.md"),
        chunker.chunk(TEXT, "a.md", id="7"),
        excerpt.Chunker(target=200).chunk(TEXT, "a.md"),
        excerpt.Chunker(**SMALL, context="none").chunk(TEXT, "a.md"),
        list(first),
    ):
        assert first != other
    assert chunker.outline(TEXT) == chunker.outline(TEXT) != chunker.outline(TEXT + "\n\n## More")
    assert len({chunker.outline(TEXT), chunker.outline(TEXT)}) == 1


def test_chunkings_and_outlines_are_sequences() -> None:
    for items in (excerpt.Chunker(**SMALL).chunk(TEXT * 2), excerpt.Chunker().outline(TEXT * 2)):
        assert isinstance(items, Sequence) and len(items) > 2
        assert list(reversed(items)) == list(items)[::-1] and items[1] in items
        assert items.index(items[1]) == list(items).index(items[1])
        assert [items.count(item) for item in items] == [list(items).count(item) for item in items]
        assert items.index(items[-1], 1) >= 1
        with pytest.raises(ValueError):
            items.index("nothing")
        with pytest.raises(ValueError):
            items.index(items[0], 0, 0)


def test_the_parts_of_a_chunk_are_pickled() -> None:
    source = "import os\n\ndef first():\n    return os.name\n"
    for chunk in (excerpt.Chunker(**SMALL).chunk(TEXT, "a.md")[-1], excerpt.Chunker("code").chunk(source, "a.py")[0]):
        outline = excerpt.Chunker().outline(source, "a.py")
        for part in (chunk.span, chunk.context, chunk.size, chunk.part, chunk.cut, outline, outline[0]):
            for other in (pickle.loads(pickle.dumps(part)), copy.deepcopy(part)):
                assert type(other) is type(part) and other == part and repr(other) == repr(part)
                assert hash(other) == hash(part)


def described(stub: ast.AST, of: object) -> Iterator[tuple[str, str, str | None]]:
    """The name of each class, function and method in a stub, with its text there and in what is imported."""
    for node in ast.iter_child_nodes(stub):
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name != "LocalServer":
            is_there = getattr(of, node.name)
            if text := ast.get_docstring(node):
                yield node.name, text, is_there.__doc__
            yield from described(node, is_there)


def test_help_says_what_the_stub_says() -> None:
    file = Path(excerpt._excerpt.__file__).parent / "_excerpt.pyi"
    known = list(described(ast.parse(file.read_text()), excerpt._excerpt))
    assert len(known) > 80
    for name, stub, own in known:
        assert (name, " ".join((own or "").split())) == (name, " ".join(stub.split()))


def test_settings_are_those_that_were_given() -> None:
    chunker = excerpt.Chunker("docs", levels=[1, 2], sizer=words)
    chunker.settings["levels"].append(3)
    assert chunker.settings == {"preset": "docs", "levels": [1, 2]} and chunker.sizer is words


def test_threads_share_a_chunker_and_an_iterator() -> None:
    chunker = excerpt.Chunker(**SMALL)
    expected = [chunk.id for chunk in chunker.chunk(TEXT)]
    iterator = chunker.chunk_many([TEXT] * 3_000)
    seen: list[int] = []

    def work() -> None:
        assert all([chunk.id for chunk in chunker.chunk(TEXT)] == expected for _ in range(50))
        seen.append(sum(1 for _ in iterator))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(seen) == 3_000 and len(seen) == 8


def test_a_text_that_is_too_large_is_an_error() -> None:
    with pytest.raises(excerpt.TextError, match="expected at most 268435456"):
        excerpt.Chunker().chunk("a" * (257 << 20))


def run(code: str, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=120, **options
    )  # type: ignore[call-overload, no-any-return]


def test_ctrl_c_ends_a_long_call() -> None:
    code = """
        import sys, excerpt
        def documents():
            for number in range(10**9):
                if number == 600:
                    print("busy", flush=True)
                yield "# A\\n\\nSome words here.\\n" * 200
        try:
            for _ in excerpt.Chunker().chunk_many(documents()):
                pass
        except KeyboardInterrupt:
            print("ended", flush=True)
    """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "busy\n"
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60)[0] == "ended\n"
    assert process.returncode == 0


def count_of(text: str) -> int:
    return sum(len(chunking) for chunking in excerpt.Chunker().chunk_many([text] * 600))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_fork_after_use_works() -> None:
    expected = count_of(TEXT)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map_async(count_of, [TEXT] * 4).get(timeout=60) == [expected] * 4


def left_of(iterator: Iterator[excerpt.Chunking], counts: "multiprocessing.Queue[int]") -> None:
    counts.put(sum(1 for _ in iterator))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_fork_goes_on_with_many_documents() -> None:
    context = multiprocessing.get_context("fork")
    iterator = excerpt.Chunker().chunk_many([TEXT] * 2_000)
    next(iterator)
    counts = context.Queue()
    process = context.Process(target=left_of, args=(iterator, counts))
    process.start()
    assert counts.get(timeout=60) == 1_999
    process.join(timeout=60)


def test_a_subinterpreter_is_refused_cleanly() -> None:
    code = """
        import excerpt
        try:
            import _interpreters as interpreters
        except ImportError:
            import _xxsubinterpreters as interpreters
        interpreter = interpreters.create()
        try:
            failure = interpreters.run_string(interpreter, "import excerpt")
            print("refused" if failure is not None else "imported")
        except Exception as error:
            print("refused", error)
        print(len(excerpt.Chunker().chunk("still works")))
    """
    done = run(code)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("refused") and done.stdout.endswith("1\n"), done.stdout


def test_the_module_is_imported_alone() -> None:
    code = """
        import sys, excerpt
        loaded = {name.partition(".")[0] for name in sys.modules}
        print(sorted(loaded & {"pyarrow", "numpy", "pandas", "polars", "ray", "pyspark", "langchain_core"}))
    """
    assert run(code).stdout == "[]\n"
