"""The modules for LangChain, LlamaIndex and Haystack, with the real packages.

    pip install -r tests/requirements.txt && pytest tests/test_adapters.py

They are skipped where one of the packages is missing.
"""

import asyncio
import copy
import json
import os
import pickle
import subprocess
import sys
import uuid
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
os.environ["LANGSMITH_TRACING"] = "false"

import excerpt
import pytest

for library in ("haystack", "langchain_core", "langchain_tests", "llama_index.core"):
    pytest.importorskip(library, reason="needs the packages of requirements.txt")

import haystack
import llama_index.core
import tiktoken
from conftest import NOTES, Served
from excerpt import haystack as of_haystack
from excerpt import langchain as of_langchain
from excerpt import llama_index as of_llama_index
from haystack.components.builders import PromptBuilder
from haystack.components.retrievers import MultiQueryTextRetriever, SentenceWindowRetriever
from haystack.components.writers import DocumentWriter
from haystack.core.errors import DeserializationError, SerializationError
from haystack.document_stores.in_memory import InMemoryDocumentStore
from haystack.document_stores.types import DuplicatePolicy, FilterPolicy
from haystack.errors import FilterError
from haystack.utils import Secret
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate, PromptTemplate, format_document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_tests.integration_tests import RetrieversIntegrationTests
from llama_index.core import Document as LlamaDocument
from llama_index.core import VectorStoreIndex
from llama_index.core.callbacks import CallbackManager, CBEventType, LlamaDebugHandler
from llama_index.core.embeddings import MockEmbedding
from llama_index.core.ingestion import IngestionCache, IngestionPipeline
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import MetadataMode, NodeWithScore, TextNode
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores import (
    FilterCondition,
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
    SimpleVectorStore,
)
from pydantic import SecretStr, ValidationError

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])
pytest.mark.asyncio(RetrieversIntegrationTests.test_ainvoke_returns_documents)

TEXT = (
    "# Täe 漢字\n\nGreen tea 😀 wants cooler water.\n\n## Black\n\nBoiling water, five minutes.\n\n"
    "## Again\n\nGreen\n\n## Black\n\nBoiling water, five minutes.\n"
)
SMALL: dict[str, Any] = {"target": 10, "max": 20, "min": 1}

# The same twice, and the last chunk is part of the text of the first.
REPEATED = "# Tea\n\nGreen tea wants water.\n\n---\n\nGreen tea\n\n---\n\nGreen tea\n"

GUIDE = (
    "# Guide\n\nTea is a drink. It is very nice.\n\n## Black\n\nBoiling water, five minutes. Then wait a while.\n\n"
    "## White\n\nAnother section with words in it, which goes on and on.\n"
)

@pytest.fixture
def index(notes: Path) -> Iterator[excerpt.Index]:
    """An open index over the notes."""
    with excerpt.Index(notes) as opened:
        yield opened


def turns_during(work: Callable[[], Awaitable[Any]]) -> tuple[Any, int]:
    """What awaiting gives, and how many turns the loop had meanwhile."""

    async def run() -> tuple[Any, int]:
        turns = 0

        async def count() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        counting = asyncio.create_task(count())
        try:
            return await work(), turns
        finally:
            counting.cancel()

    return asyncio.run(run())


def lines_of(text: str, lines: str) -> str:
    """The lines of a text that metadata name."""
    first, last = map(int, lines.split("-"))
    return "".join(text.splitlines(keepends=True)[first - 1 : last])


def is_flat(metadata: dict[str, Any]) -> bool:
    """Whether any vector store can keep the metadata."""
    return all(type(value) in (str, int, float, bool) for value in metadata.values())


def size_of(text: str) -> int:
    """What the tests count."""
    return len(text.split())


def only(found: list[Any]) -> Any:
    """The one that there is."""
    assert len(found) == 1
    return found[0]


# All three


def test_what_takes_long_to_import_is_imported_only_when_it_is_used() -> None:
    program = "import sys; before = {*sys.modules}; import excerpt; print(*sys.modules.keys() - before)"
    shown = subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.PIPE, text=True).stdout
    imported = set(shown.split())
    assert "excerpt._index" in imported
    slow = {"asyncio", "http.client", "logging", "webbrowser"}
    libraries = {"haystack", "langchain_core", "langchain_text_splitters", "llama_index", "numpy", "pyarrow"}
    assert not imported & (slow | libraries)
    program = "import excerpt; print('AsyncIndex' in dir(excerpt), excerpt.AsyncIndex.__module__, hasattr(excerpt, 'Asynchronous'))"
    shown = subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.PIPE, text=True).stdout
    assert shown == "True excerpt._async_index False\n"


@pytest.mark.parametrize(
    ("module", "library", "advice"),
    [
        ("langchain", "langchain_core", "LangChain, {} 'langchain-core>=1' 'langchain-text-splitters>=1'"),
        ("langchain", "langchain_text_splitters", "LangChain, {} 'langchain-core>=1' 'langchain-text-splitters>=1'"),
        ("llama_index", "llama_index", "LlamaIndex, {} 'llama-index-core>=0.14'"),
        ("haystack", "haystack", "Haystack, {} 'haystack-ai>=3'"),
    ],
)
def test_a_missing_library_is_named(module: str, library: str, advice: str) -> None:
    program = f"import sys; sys.modules['{library}'] = None; import excerpt.{module}"
    shown = subprocess.run([sys.executable, "-c", program], stderr=subprocess.PIPE, text=True)
    assert shown.returncode == 1
    needs = advice.format("install it with: pip install")
    assert shown.stderr.splitlines()[-1] == f"ImportError: excerpt.{module} needs {needs}"


# LangChain: the splitter


def test_langchain_metadata_lead_to_the_text() -> None:
    document = Document(page_content=TEXT, metadata={"source": "food/tea.md", "page": 3})
    chunks = of_langchain.ExcerptTextSplitter(**SMALL).split_documents([document])
    assert len(chunks) == 4
    for chunk in chunks:
        own = chunk.metadata
        assert TEXT[own["start_index"] : own["end_index"]] == chunk.page_content
        assert chunk.page_content in lines_of(TEXT, own["lines"])
        assert own["citation"] == f"food/tea.md:{own['lines']}"
        assert (own["path"], own["source"], own["page"]) == ("food/tea.md", "food/tea.md", 3)
        assert own["id"] == chunk.id and is_flat(own)
    assert chunks[1].metadata["trail"] == "Täe 漢字 > Black"
    assert document.metadata == {"source": "food/tea.md", "page": 3}


def test_langchain_texts_and_documents_give_the_same() -> None:
    splitter = of_langchain.ExcerptTextSplitter(excerpt.Chunker(**SMALL))
    documents = [Document(page_content=text, metadata={"number": number}) for number, text in enumerate((TEXT, GUIDE))]
    chunks = splitter.split_documents(iter(documents))
    assert splitter.create_documents([TEXT, GUIDE], [{"number": 0}, {"number": 1}]) == chunks
    assert splitter.transform_documents(documents) == chunks
    assert asyncio.run(splitter.atransform_documents(documents)) == chunks
    assert [chunk.page_content for chunk in chunks] == splitter.split_text(TEXT) + splitter.split_text(GUIDE)
    assert [chunk.metadata["number"] for chunk in splitter.create_documents([TEXT], [{"number": 5}])] == [5] * 4
    assert "path" not in chunks[0].metadata and "citation" not in chunks[0].metadata
    assert splitter.split_text("") == [] and splitter.split_documents([]) == []


def test_langchain_pages_can_be_what_is_embedded() -> None:
    document = Document(page_content=TEXT, metadata={"path": "food/tea.md"})
    chunks = of_langchain.ExcerptTextSplitter(**SMALL, content="embedded").split_documents([document])
    expected = excerpt.Chunker(**SMALL).chunk(TEXT, path="food/tea.md")
    assert [chunk.page_content for chunk in chunks] == [chunk.embedded for chunk in expected]
    assert [TEXT[chunk.metadata["start_index"] : chunk.metadata["end_index"]] for chunk in chunks] == [
        chunk.text for chunk in expected
    ]


def test_langchain_ids_are_stable_and_unique() -> None:
    splitter = of_langchain.ExcerptTextSplitter(**SMALL)

    def ids(*texts: str, **metadata: str) -> list[str]:
        documents = [Document(page_content=text, metadata=metadata) for text in texts]
        return [chunk.metadata["id"] for chunk in splitter.split_documents(documents)]

    before = ids(TEXT, source="tea.md")
    assert before == [chunk.id for chunk in excerpt.Chunker(**SMALL).chunk(TEXT, path="tea.md")]
    assert ids(TEXT.replace("cooler", "hotter"), source="tea.md")[1:] == before[1:]
    assert set(before).isdisjoint(ids(TEXT, source="other.md"))
    # Pages of a document have one source, and may have the same text.
    pages = ids(TEXT, TEXT, source="book.pdf")
    assert len(set(pages)) == 8 and pages == ids(TEXT, TEXT, source="book.pdf")
    assert all(uuid.UUID(each).hex == each for each in pages)
    own = [Document(page_content=TEXT, id=name, metadata={"source": "tea.md"}) for name in ("a", "b")]
    assert len({chunk.id for chunk in splitter.split_documents(own)}) == 8


def test_langchain_names_that_are_taken_stay() -> None:
    metadata = {"id": 7, "lines": [1, 2], "start_index": 5, "nested": {"a": [1]}}
    chunks = of_langchain.ExcerptTextSplitter(**SMALL).create_documents([TEXT], [metadata])
    assert chunks[0].metadata["document_id"] == 7 and chunks[0].metadata["document_start_index"] == 5
    assert chunks[0].metadata["document_lines"] == [1, 2] and chunks[0].metadata["lines"] == "1-3"
    chunks[0].metadata["nested"]["a"].append(2)
    assert chunks[1].metadata["nested"] == metadata["nested"] == {"a": [1]}
    without = of_langchain.ExcerptTextSplitter(**SMALL, add_start_index=False).create_documents([TEXT])
    assert not without[0].metadata.keys() & {"start_index", "end_index"}


def test_langchain_sizes_count_as_everywhere_in_langchain() -> None:
    splitter = of_langchain.ExcerptTextSplitter(chunk_size=40)
    assert splitter.chunker.config["unit"] == "chars"
    assert 20 < max(map(len, splitter.split_text(GUIDE))) <= 40
    words = of_langchain.ExcerptTextSplitter(chunk_size=8, length_function=size_of)
    assert max(map(size_of, words.split_text(GUIDE))) <= 8
    tokens = of_langchain.ExcerptTextSplitter(chunk_size=10, unit="tokens")
    assert tokens.chunker.config["max"] == 10
    overlapping = of_langchain.ExcerptTextSplitter(chunk_size=60, chunk_overlap=20, content="embedded")
    assert overlapping.chunker.config["overlap"] == 20
    assert max(map(len, overlapping.split_text(GUIDE))) <= 60


def test_langchain_sizes_count_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    # LlamaIndex has the tables of tiktoken.
    tables = Path(llama_index.core.__file__).parent / "_static" / "tiktoken_cache"
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tables))
    splitter = of_langchain.ExcerptTextSplitter.from_tiktoken_encoder("cl100k_base", chunk_size=12)
    encoding = tiktoken.get_encoding("cl100k_base")
    contents = splitter.split_text(GUIDE)
    assert isinstance(splitter, of_langchain.ExcerptTextSplitter)
    assert 6 < max(len(encoding.encode(content)) for content in contents) <= 12


@pytest.mark.parametrize(
    ("source", "trail"),
    [
        ("guide.md", "Guide > Black"),
        ("report.pdf", "Guide > Black"),
        ("report.DOCX", "Guide > Black"),
        ("page.html", "Guide > Black"),
        ("https://example.org", "Guide > Black"),
        ("https://example.org/guide.md?raw=1#black", "Guide > Black"),
        ("https://example.org/guide/v1.2", "Guide > Black"),
        ("https://example.org/index.php", "Guide > Black"),
        ("settings.ini", ""),
    ],
)
def test_langchain_reads_extracted_text_as_prose(source: str, trail: str) -> None:
    document = Document(page_content=GUIDE, metadata={"source": source})
    chunks = of_langchain.ExcerptTextSplitter(target=20, max=40, min=1).split_documents([document])
    assert chunks[1].metadata["trail"] == trail
    assert chunks[1].metadata["path"] == source


def test_langchain_reads_markup_as_markup() -> None:
    page = "<html><body>\n<h1>Guide</h1>\n<p>Tea is a drink.</p>\n</body></html>\n"
    document = Document(page_content=page, metadata={"source": "page.html"})
    splitter = of_langchain.ExcerptTextSplitter(content="embedded")
    assert splitter.split_documents([document])[0].page_content.startswith("page.html\n")


def test_langchain_refuses_wrong_settings() -> None:
    splitter = of_langchain.ExcerptTextSplitter
    cases: list[tuple[dict[str, Any], str]] = [
        ({"keep_separator": True}, "unknown field `keep_separator`"),
        ({"chunker": excerpt.Chunker(), "target": 5, "chunk_size": 9}, "leave out `chunk_size`, `target`"),
        ({"chunk_size": 9, "target": 5}, "`target` follows from `chunk_size`"),
        ({"chunk_size": 9, "chunk_overlap": 2}, 'set `content="embedded"`'),
        ({"chunk_size": 9, "chunk_overlap": 10, "content": "embedded"}, "`overlap` is `10`"),
        ({"content": "all"}, "`content` is 'all'"),
    ]
    for wrong, message in cases:
        with pytest.raises(excerpt.ConfigError) as raised:
            splitter(**wrong)
        assert message in str(raised.value)
    with pytest.raises(excerpt.TextError, match="lone surrogate"):
        splitter().create_documents(["a", "\ud800"])
    with pytest.raises(ValueError, match="2 texts and 1 metadata,"):
        splitter().create_documents(["a", "b"], [{}])


def test_langchain_chunks_replace_themselves_in_a_vector_store() -> None:
    splitter = of_langchain.ExcerptTextSplitter(**SMALL)
    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=8))
    document = Document(page_content=TEXT, metadata={"source": "tea.md"})
    chunks = splitter.split_documents([document])
    assert store.add_documents(chunks) == store.add_documents(splitter.split_documents([document]))
    assert len(store.store) == 4
    found = store.similarity_search(chunks[2].page_content, k=1)[0]
    assert found.metadata == chunks[2].metadata and found.id == chunks[2].id


# LangChain: the retriever


class TestStandardOfLangChain(RetrieversIntegrationTests):
    """The tests that LangChain has for all retrievers."""

    @pytest.fixture(autouse=True)
    def _over_notes(self, notes: Path) -> None:
        self.folder = notes

    @property
    def retriever_constructor(self) -> type[BaseRetriever]:
        return of_langchain.ExcerptRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"index": self.folder}

    @property
    def retriever_query_example(self) -> str:
        return "how hot is the water"


def test_langchain_passages_can_be_cited(index: excerpt.Index) -> None:
    found = of_langchain.ExcerptRetriever(index=index, k=2).invoke("how hot is the water for green tea")
    assert len(found) == 2
    own = found[0].metadata
    assert (own["path"], own["source"], own["title"], own["weak"]) == ("tea.md", "tea.md", "Tea", False)
    assert own["id"] == found[0].id and own["score"] > found[1].metadata["score"]
    assert (own["author"], own["tags"], own["document_score"]) == ("Ann", ["drinks"], 7)
    assert index.get(own["citation"]).text.rstrip() == found[0].page_content
    assert lines_of(NOTES["tea.md"], own["lines"]).rstrip() == found[0].page_content
    assert found[1].metadata["trail"] == "The siren"
    prompt = PromptTemplate.from_template("{citation} {trail}: {page_content}")
    assert format_document(found[1], prompt).startswith("harbour/siren.md:1-3 The siren: # The siren")


def test_langchain_searches_can_be_narrowed(index: excerpt.Index) -> None:
    retriever = of_langchain.ExcerptRetriever(index=index, filters={"path": "harbour"})
    assert [each.metadata["path"] for each in retriever.invoke("water")] == ["harbour/siren.md"]
    tagged = retriever.invoke("water", filters={"path": None, "tags": ["drinks"]}, k=1)
    assert only(tagged).metadata["path"] == "tea.md"
    everything = of_langchain.ExcerptRetriever(index=index).invoke("green tea")
    assert [each.metadata["weak"] for each in everything][-1]
    strong = of_langchain.ExcerptRetriever(index=index, without_weak=True).invoke("green tea")
    assert strong == [each for each in everything if not each.metadata["weak"]] != []


def test_langchain_pages_of_a_file_are_told_apart() -> None:
    splitter = of_langchain.ExcerptTextSplitter()
    pages = [{"source": "a.pdf", "page": 0}, {"source": "a.pdf", "page": 6, "page_label": "vii"}]
    split = [splitter.create_documents(["The same text."], [page])[0] for page in pages]
    assert split[0].id != split[1].id
    assert [page.metadata["citation"] for page in split] == ["a.pdf#page=1", "a.pdf#page=vii"]


def test_langchain_answers_whatever_is_said(index: excerpt.Index) -> None:
    retriever = of_langchain.ExcerptRetriever(index=index)
    assert all(retriever.invoke(said) == [] for said in ("", "?", "\U0001f44d"))
    assert retriever.invoke("tea " * 5_000)
    assert len(retriever.invoke("tea", filters={"limit": 1})) == 1
    with pytest.raises(TypeError, match="`chunker` is of type int"):
        of_langchain.ExcerptTextSplitter(1_000)  # type: ignore[arg-type]


def test_langchain_refuses_what_an_index_refuses(notes: Path, index: excerpt.Index) -> None:
    retriever = of_langchain.ExcerptRetriever(index=index)
    with pytest.raises(excerpt.RequestError) as raised:
        retriever.invoke("tea", filters={"tgas": ["drinks"]})
    assert raised.value.status == 400 and "tgas" in str(raised.value)
    with pytest.raises(TypeError, match="top"):
        retriever.invoke("tea", top=3)
    given: list[dict[str, Any]] = [{"top_k": 3}, {"k": 0}, {"k": 101}, {"token": "a"}, {"options": {"sync": False}}]
    for wrong in [{}, *({"index": index, **each} for each in given)]:
        with pytest.raises(ValidationError):
            of_langchain.ExcerptRetriever(**wrong)
    missing = of_langchain.ExcerptRetriever(index=notes / "no-such-folder")
    with pytest.raises(excerpt.IndexFailure):
        missing.invoke("tea")


def test_langchain_names_its_own_arguments(index: excerpt.Index) -> None:
    retriever = of_langchain.ExcerptRetriever(index=index)
    with pytest.raises(excerpt.RequestError, match="`k` is 200") as raised:
        retriever.invoke("tea", k=200)
    assert raised.value.field == "k"
    with pytest.raises(excerpt.RequestError, match="`limit` is 200"):
        retriever.invoke("tea", filters={"limit": 200})


def test_langchain_opens_and_closes_a_folder(notes: Path, index: excerpt.Index) -> None:
    retriever = of_langchain.ExcerptRetriever(index=str(notes), k=1, options={"sync": False})
    assert only(retriever.invoke("siren")).metadata["path"] == "harbour/siren.md"
    retriever.close()
    retriever.close()
    assert only(retriever.invoke("siren")).metadata["path"] == "harbour/siren.md"
    retriever.close()
    given = of_langchain.ExcerptRetriever(index=index)
    given.close()
    assert index.search("siren")


def test_a_copied_retriever_of_langchain_searches_what_it_was_given(notes: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "gull.md").write_text("# The gull\n\nIt sat on the siren.\n")
    retriever = of_langchain.ExcerptRetriever(index=str(notes), k=1)
    found = [retriever.invoke("siren")[0].metadata["path"]]
    copies = [retriever.model_copy(update={"index": str(other)}), retriever.model_copy(deep=True)]
    found += [copy.invoke("siren")[0].metadata["path"] for copy in copies]
    copies[0].close()
    found.append(retriever.invoke("siren")[0].metadata["path"])
    retriever.index = str(other)
    found.append(retriever.invoke("siren")[0].metadata["path"])
    for each in (retriever, *copies):
        each.close()
    assert found == ["harbour/siren.md", "gull.md", "harbour/siren.md", "harbour/siren.md", "gull.md"]


def test_retrievers_are_pickled_and_copied_without_their_open_index(index: excerpt.Index, notes: Path) -> None:
    made: list[tuple[Any, Callable[[Any], list[str]]]] = [
        (
            of_langchain.ExcerptRetriever(index=str(notes), k=1),
            lambda made: [found.metadata["path"] for found in made.invoke("siren")],
        ),
        (
            of_llama_index.ExcerptRetriever(str(notes), similarity_top_k=1),
            lambda made: [found.node.metadata["path"] for found in made.retrieve("siren")],
        ),
        (
            of_haystack.ExcerptRetriever(str(notes), top_k=1),
            lambda made: [found.meta["path"] for found in made.run("siren")["documents"]],
        ),
    ]
    for retriever, paths in made:
        assert paths(retriever) == ["harbour/siren.md"]
        for copied in (pickle.loads(pickle.dumps(retriever)), copy.deepcopy(retriever), copy.copy(retriever)):
            assert paths(copied) == ["harbour/siren.md"]
            copied.close()
            # What was closed is not that of the original.
            assert retriever._opened._opened[2].search("siren")[0].path == "harbour/siren.md"
        retriever.close()
    for opened in (index, of_langchain.ExcerptRetriever(index=index), of_llama_index.ExcerptRetriever(index)):
        for copies in (pickle.dumps, copy.deepcopy):
            with pytest.raises(TypeError, match="give its folder or address"):
                copies(opened)


def test_langchain_chains_and_callbacks_know_the_retriever(index: excerpt.Index) -> None:
    class Noting(BaseCallbackHandler):
        def __init__(self) -> None:
            self.noted: list[Any] = []

        def on_retriever_start(self, serialized: Any, query: str, **of_run: Any) -> None:
            metadata = of_run["metadata"]
            self.noted.append((query, of_run["tags"][-1], metadata["team"], metadata["ls_retriever_name"]))

        def on_retriever_end(self, documents: Any, **of_run: Any) -> None:
            self.noted.append(len(documents))

        def on_retriever_error(self, error: BaseException, **of_run: Any) -> None:
            self.noted.append(type(error))

    noting = Noting()
    retriever = of_langchain.ExcerptRetriever(index=index, k=1, tags=["notes"], metadata={"team": "tea"})
    cited = retriever | (lambda found: "\n".join(f"{each.metadata['citation']}: {each.page_content}" for each in found))
    prompt = ChatPromptTemplate.from_template("{context}\n\nQuestion: {question}")
    model = RunnableLambda(lambda given: given.to_messages()[0].content.upper())
    chain = {"context": cited, "question": RunnablePassthrough()} | prompt | model | StrOutputParser()
    answer = chain.invoke("siren", {"callbacks": [noting]})
    assert answer.startswith("HARBOUR/SIREN.MD:1-3: # THE SIREN") and answer.endswith("QUESTION: SIREN")
    assert noting.noted == [("siren", "notes", "tea", "excerpt"), 1]
    assert asyncio.run(chain.ainvoke("siren")) == answer
    with pytest.raises(excerpt.RequestError):
        retriever.invoke("-tea", {"callbacks": [noting]}, filters={"tgas": ["drinks"]})
    assert noting.noted[-1] is excerpt.RequestError
    batches = retriever.batch(["siren", "green tea", "tide"])
    assert [only(found).metadata["path"] for found in batches] == ["harbour/siren.md", "tea.md", "code/tide.py"]


def test_langchain_does_not_block_the_loop(notes: Path) -> None:
    retriever = of_langchain.ExcerptRetriever(index=notes, k=1)

    async def ask() -> list[Any]:
        return await asyncio.gather(*(retriever.ainvoke(word) for word in ("green tea", "siren", "tide")))

    found, turns = turns_during(ask)
    assert [only(each).metadata["path"] for each in found] == ["tea.md", "harbour/siren.md", "code/tide.py"]
    assert turns > 10
    retriever.close()


def test_all_three_find_the_same_on_a_server(notes: Path, served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    with served(notes) as (address, token):
        langchain = of_langchain.ExcerptRetriever(index=address, token=SecretStr(token), k=2)
        found = langchain.invoke("how hot is the water")
        assert token not in repr(langchain)
        llama = of_llama_index.ExcerptRetriever(address, token=token, similarity_top_k=2)
        nodes = llama.retrieve("how hot is the water")
        monkeypatch.setenv("TOKEN_OF_TEST", token)
        stored = of_haystack.ExcerptRetriever(address, token=Secret.from_env_var("TOKEN_OF_TEST"), top_k=2).to_dict()
        assert token not in json.dumps(stored)
        hay = of_haystack.ExcerptRetriever.from_dict(stored)
        documents = hay.run("how hot is the water")["documents"]
        assert [each.page_content for each in found] == [each.text for each in nodes]
        assert [each.id for each in found] == [each.node_id for each in nodes] == [each.id for each in documents]
        citations = [each.metadata["citation"] for each in found]
        assert citations == [each.metadata["citation"] for each in nodes]
        assert citations == [each.meta["citation"] for each in documents]
        for retriever in (langchain, llama, hay):
            retriever.close()


# LlamaIndex: the node parser


def nodes_of(parser: of_llama_index.ExcerptNodeParser, *documents: LlamaDocument) -> list[TextNode]:
    nodes = parser.get_nodes_from_documents(list(documents))
    assert all(type(node) is TextNode for node in nodes)
    return [node for node in nodes if isinstance(node, TextNode)]


def test_llama_index_metadata_lead_to_the_text() -> None:
    document = LlamaDocument(text=TEXT, metadata={"file_path": "food/tea.md", "lines": 9}, id_="tea")
    nodes = nodes_of(of_llama_index.ExcerptNodeParser(**SMALL), document)
    assert len(nodes) == 4
    for node in nodes:
        assert TEXT[node.start_char_idx : node.end_char_idx] == node.text
        assert node.text in lines_of(TEXT, node.metadata["lines"])
        assert node.metadata["citation"] == f"food/tea.md:{node.metadata['lines']}"
        assert node.metadata["path"] == node.metadata["file_path"] == "food/tea.md"
        assert node.metadata["document_lines"] == 9 and is_flat(node.metadata)
    assert nodes[1].metadata["trail"] == "Täe 漢字 > Black"
    assert "Täe 漢字 > Black" in nodes[1].get_content(MetadataMode.EMBED)
    assert "citation" not in nodes[1].get_content(MetadataMode.EMBED)
    assert "citation: food/tea.md:5-7" in nodes[1].get_content(MetadataMode.LLM)
    assert document.metadata == {"file_path": "food/tea.md", "lines": 9}


def test_llama_index_places_are_exact_where_text_repeats() -> None:
    document = LlamaDocument(text=REPEATED, metadata={"file_path": "tea.txt"})
    parser = of_llama_index.ExcerptNodeParser(strategy="delimiter", delimiter="^---$", target=10, max=20, min=1)
    expected = excerpt.Chunker(strategy="delimiter", delimiter="^---$", target=10, max=20, min=1).chunk(
        REPEATED, path="tea.txt"
    )
    nodes = nodes_of(parser, document)
    assert len(nodes) == 3 and nodes[1].text == nodes[2].text and nodes[1].text in nodes[0].text
    assert [(node.start_char_idx, node.end_char_idx) for node in nodes] == [chunk.span.chars for chunk in expected]


def test_llama_index_settings_can_be_changed() -> None:
    document = LlamaDocument(text=TEXT * 20, id_="tea")
    expected = len(nodes_of(of_llama_index.ExcerptNodeParser(**SMALL), document))
    parser = of_llama_index.ExcerptNodeParser(target=400)
    assert len(nodes_of(parser, document)) < expected
    copied = parser.model_copy(update={"settings": dict(SMALL)})
    parser.settings = dict(SMALL)
    stored = of_llama_index.ExcerptNodeParser.from_dict(parser.to_dict())
    for changed in (parser, copied, stored):
        assert len(nodes_of(changed, document)) == expected
    parser.settings["targets"] = 3
    with pytest.raises(excerpt.ConfigError, match="targets"):
        nodes_of(parser, document)
    counting = of_llama_index.ExcerptNodeParser(target=400)
    counting.settings, counting.sizer = {**SMALL, "context": "none"}, len
    assert all(len(node.text) <= SMALL["max"] for node in nodes_of(counting, document))


def test_llama_index_nodes_are_related() -> None:
    documents = [LlamaDocument(text=text, id_=name) for name, text in (("tea", TEXT), ("guide", GUIDE))]
    parser = of_llama_index.ExcerptNodeParser(**SMALL)
    nodes = nodes_of(parser, *documents)
    tea = [node for node in nodes if node.ref_doc_id == "tea"]
    assert len(tea) == 4 and {node.ref_doc_id for node in nodes} == {"tea", "guide"}
    for before, after in zip(tea, tea[1:], strict=False):
        assert before.next_node is not None and before.next_node.node_id == after.node_id
        assert after.prev_node is not None and after.prev_node.node_id == before.node_id
        assert after.prev_node.hash == before.hash
    assert tea[0].prev_node is None and tea[-1].next_node is None
    alone = nodes_of(of_llama_index.ExcerptNodeParser(**SMALL, include_prev_next_rel=False), *documents)
    assert all(node.prev_node is None and node.next_node is None for node in alone)
    bare = nodes_of(of_llama_index.ExcerptNodeParser(**SMALL, include_metadata=False), *documents)
    assert all(node.metadata == {} for node in bare)
    assert [node.start_char_idx for node in bare] == [node.start_char_idx for node in nodes]


def test_llama_index_ids_are_stable_and_unique() -> None:
    parser = of_llama_index.ExcerptNodeParser(**SMALL)

    def ids(*texts: str, **more: Any) -> list[str]:
        return [node.node_id for node in nodes_of(parser, *(LlamaDocument(text=text, **more) for text in texts))]

    path = {"metadata": {"file_path": "tea.md"}}
    before = ids(TEXT, **path)
    assert before == [chunk.id for chunk in excerpt.Chunker(**SMALL).chunk(TEXT, path="tea.md")]
    assert ids(TEXT.replace("cooler", "hotter"), **path)[1:] == before[1:]
    assert ids(TEXT, id_="a") == ids(TEXT, id_="a") != ids(TEXT, id_="b")
    pages = ids(TEXT, TEXT, **path)
    assert len(set(pages)) == 8 and pages == ids(TEXT, TEXT, **path)
    named = of_llama_index.ExcerptNodeParser(**SMALL, id_func=lambda i, doc: f"{doc.node_id}-{i}")
    assert [node.node_id for node in nodes_of(named, LlamaDocument(text=TEXT, id_="x"))] == ["x-0", "x-1", "x-2", "x-3"]


def test_llama_index_nodes_can_be_what_is_embedded() -> None:
    document = LlamaDocument(text=TEXT, metadata={"file_path": "food/tea.md"})
    nodes = nodes_of(of_llama_index.ExcerptNodeParser(**SMALL, content="embedded"), document)
    expected = excerpt.Chunker(**SMALL).chunk(TEXT, path="food/tea.md")
    assert [node.text for node in nodes] == [chunk.embedded for chunk in expected]
    assert [(node.start_char_idx, node.end_char_idx) for node in nodes] == [chunk.span.chars for chunk in expected]
    assert "trail" not in nodes[1].get_content(MetadataMode.EMBED)


def test_llama_index_reads_extracted_text_as_prose() -> None:
    for path in ("report.pdf", "page.html", "https://example.org/abs/2301.00001"):
        document = LlamaDocument(text=GUIDE, metadata={"file_path": path})
        nodes = nodes_of(of_llama_index.ExcerptNodeParser(target=20, max=40, min=1), document)
        assert nodes[1].metadata["trail"] == "Guide > Black"


def test_llama_index_parsers_are_stored() -> None:
    document = LlamaDocument(text=TEXT, metadata={"file_path": "food/tea.md"}, id_="tea")
    parser = of_llama_index.ExcerptNodeParser(**SMALL, content="embedded", include_prev_next_rel=False)
    assert parser.class_name() == parser.to_dict()["class_name"] == "ExcerptNodeParser"
    expected = nodes_of(parser, document)
    for again in (
        of_llama_index.ExcerptNodeParser.from_dict(parser.to_dict()),
        of_llama_index.ExcerptNodeParser.from_json(parser.to_json()),
        of_llama_index.ExcerptNodeParser(excerpt.Chunker(**SMALL), content="embedded", include_prev_next_rel=False),
        pickle.loads(pickle.dumps(parser)),
        copy.deepcopy(parser),
    ):
        assert again.to_dict() == parser.to_dict()
        assert nodes_of(again, document) == expected
    assert type(expected[0]).from_json(expected[0].to_json()) == expected[0]


def test_llama_index_sizers_are_given_again() -> None:
    document = LlamaDocument(text=GUIDE, metadata={"file_path": "guide.md"})
    parser = of_llama_index.ExcerptNodeParser(target=8, max=8, sizer=size_of)
    expected = nodes_of(parser, document)
    assert max(size_of(node.text) for node in expected) <= 8
    chunker = excerpt.Chunker(target=8, max=8, sizer=size_of)
    assert nodes_of(of_llama_index.ExcerptNodeParser(chunker), document) == expected
    assert nodes_of(pickle.loads(pickle.dumps(parser)), document) == expected
    stored = parser.to_dict()
    assert stored["sizer"].endswith("size_of") and json.dumps(stored)
    with pytest.raises(excerpt.ConfigError, match="give it again, as `sizer`"):
        of_llama_index.ExcerptNodeParser.from_dict(stored)
    assert nodes_of(of_llama_index.ExcerptNodeParser.from_dict(stored, sizer=size_of), document) == expected
    with pytest.raises((AttributeError, pickle.PicklingError)):
        pickle.dumps(of_llama_index.ExcerptNodeParser(sizer=lambda text: len(text)))
    named = of_llama_index.ExcerptNodeParser(id_func=lambda i, doc: str(i)).to_dict()
    with pytest.raises(excerpt.ConfigError, match="`id_func` is not part"):
        of_llama_index.ExcerptNodeParser.from_dict(named)


def test_llama_index_refuses_wrong_settings() -> None:
    parser = of_llama_index.ExcerptNodeParser
    cases: list[tuple[dict[str, Any], str]] = [
        ({"paragraph_separator": "\n"}, "unknown field `paragraph_separator`"),
        ({"chunker": excerpt.Chunker(), "target": 5, "sizer": len}, "leave out `target`, `sizer`"),
        ({"content": "all"}, "`content` is 'all'"),
    ]
    for wrong, message in cases:
        with pytest.raises(excerpt.ConfigError) as raised:
            parser(**wrong)
        assert message in str(raised.value)
    with pytest.raises(excerpt.TextError, match="lone surrogate"):
        nodes_of(parser(), LlamaDocument(text="\ud800"))


def test_llama_index_pipelines_skip_what_they_know() -> None:
    parser = of_llama_index.ExcerptNodeParser(**SMALL)
    pipeline = IngestionPipeline(
        transformations=[parser, MockEmbedding(embed_dim=4)],
        docstore=SimpleDocumentStore(),
        vector_store=SimpleVectorStore(),
        cache=IngestionCache(),
    )
    documents = [LlamaDocument(text=TEXT, metadata={"file_path": "food/tea.md"}, id_="tea")]
    nodes = pipeline.run(documents=documents)
    assert len(nodes) == 4 and all(node.embedding is not None for node in nodes)
    assert pipeline.run(documents=documents) == []
    changed = LlamaDocument(text=TEXT.replace("cooler", "hotter"), metadata={"file_path": "food/tea.md"}, id_="tea")
    assert [node.node_id for node in pipeline.run(documents=[changed])][1:] == [node.node_id for node in nodes][1:]


def test_llama_index_parsing_does_not_block_the_loop() -> None:
    documents = [LlamaDocument(text=TEXT * 500, id_=str(number)) for number in range(4)]
    parser = of_llama_index.ExcerptNodeParser(**SMALL)
    nodes, turns = turns_during(lambda: parser.aget_nodes_from_documents(documents))
    assert [node.node_id for node in nodes] == [node.node_id for node in nodes_of(parser, *documents)]
    assert turns > 10


# LlamaIndex: the retriever


def test_llama_index_passages_can_be_cited(index: excerpt.Index) -> None:
    found = of_llama_index.ExcerptRetriever(index, similarity_top_k=2).retrieve("how hot is the water for green tea")
    assert len(found) == 2 and all(isinstance(each, NodeWithScore) for each in found)
    own = found[0].metadata
    assert (own["path"], own["title"], own["weak"], own["author"]) == ("tea.md", "Tea", False, "Ann")
    assert found[0].node.ref_doc_id == "tea.md" and found[0].get_score() > found[1].get_score()
    assert index.get(own["citation"]).text.rstrip() == found[0].text
    assert "citation: tea.md" in found[0].get_content(MetadataMode.LLM)
    assert isinstance(found[0].node, TextNode) and TextNode.from_json(found[0].node.to_json()) == found[0].node
    assert index.get(found[0].node_id).text == found[0].text


def test_llama_index_filters_are_those_of_an_index(index: excerpt.Index) -> None:
    def paths(filters: Any, **more: Any) -> list[str]:
        retriever = of_llama_index.ExcerptRetriever(index, filters=filters, **more)
        return sorted(each.metadata["path"] for each in retriever.retrieve("water tide"))

    def equal(key: str, value: Any, operator: FilterOperator = FilterOperator.EQ) -> MetadataFilter:
        return MetadataFilter(key=key, value=value, operator=operator)

    assert paths(None) == sorted(NOTES)
    assert paths({"path": "harbour"}) == ["harbour/siren.md"]
    assert paths(MetadataFilters(filters=[equal("path", "harbour")])) == ["harbour/siren.md"]
    assert paths(MetadataFilters(filters=[equal("author", "Ann"), equal("score", 7)])) == ["tea.md"]
    assert paths(MetadataFilters(filters=[equal("language", ["python"], FilterOperator.IN)])) == ["code/tide.py"]
    tags: list[MetadataFilter | MetadataFilters] = [
        equal("tags", "drinks", FilterOperator.CONTAINS),
        equal("date", "2026-01-01", FilterOperator.GTE),
    ]
    assert paths(MetadataFilters(filters=[MetadataFilters(filters=tags)])) == ["tea.md"]
    assert paths(MetadataFilters(filters=[*tags, equal("date", "2026-02-01", FilterOperator.LTE)])) == []
    for wrong in (
        MetadataFilters(filters=tags, condition=FilterCondition.OR),
        MetadataFilters(filters=tags[:1], condition=FilterCondition.NOT),
        MetadataFilters(filters=[equal("author", "Ann", FilterOperator.NE)]),
        MetadataFilters(filters=[equal("path", "a"), equal("path", "b")]),
        MetadataFilters(filters=[equal("author", "a"), equal("author", "b")]),
    ):
        with pytest.raises(ValueError):
            paths(wrong)
    with pytest.raises(excerpt.RequestError, match="tgas"):
        paths({"tgas": ["drinks"]})
    everything = of_llama_index.ExcerptRetriever(index).retrieve("green tea")
    strong = of_llama_index.ExcerptRetriever(index, without_weak=True).retrieve("green tea")
    assert strong == [each for each in everything if not each.metadata["weak"]] != everything


def test_llama_index_engines_and_callbacks_know_the_retriever(index: excerpt.Index) -> None:
    noting = LlamaDebugHandler(print_trace_on_end=False)
    retriever = of_llama_index.ExcerptRetriever(index, similarity_top_k=1, callback_manager=CallbackManager([noting]))
    engine = RetrieverQueryEngine.from_args(retriever, llm=MockLLM())
    answer = engine.query("siren")
    assert "citation: harbour/siren.md:1-3" in str(answer) and "two centimetres" in str(answer)
    assert only(answer.source_nodes).metadata["path"] == "harbour/siren.md"
    assert len(noting.get_event_pairs(CBEventType.RETRIEVE)) == 1
    assert only(asyncio.run(engine.aquery("siren")).source_nodes).metadata["path"] == "harbour/siren.md"


def test_llama_index_nodes_are_found_in_a_vector_store() -> None:
    document = LlamaDocument(text=TEXT, metadata={"file_path": "food/tea.md"})
    nodes = nodes_of(of_llama_index.ExcerptNodeParser(**SMALL), document)
    vectors = VectorStoreIndex(nodes, embed_model=MockEmbedding(embed_dim=4))
    found = vectors.as_retriever(similarity_top_k=4).retrieve("tea")
    assert {each.metadata["citation"] for each in found} == {node.metadata["citation"] for node in nodes}


def test_llama_index_does_not_block_the_loop(notes: Path) -> None:
    retriever = of_llama_index.ExcerptRetriever(notes, similarity_top_k=1)

    async def ask() -> list[Any]:
        return await asyncio.gather(*(retriever.aretrieve(word) for word in ("green tea", "siren", "tide")))

    found, turns = turns_during(ask)
    assert [only(each).metadata["path"] for each in found] == ["tea.md", "harbour/siren.md", "code/tide.py"]
    assert turns > 10
    retriever.close()
    assert retriever.retrieve("siren")
    retriever.close()


def test_llama_index_refuses_what_an_index_refuses(notes: Path, index: excerpt.Index) -> None:
    with pytest.raises(excerpt.IndexFailure, match="leave them out"):
        of_llama_index.ExcerptRetriever(index, options={"sync": False})
    with pytest.raises(excerpt.IndexFailure):
        of_llama_index.ExcerptRetriever(notes / "no-such-folder").retrieve("tea")
    with pytest.raises(excerpt.RequestError, match="`similarity_top_k` is 101") as raised_for:
        of_llama_index.ExcerptRetriever(index, similarity_top_k=101).retrieve("tea")
    assert raised_for.value.field == "similarity_top_k"


# Haystack: the splitter


def test_haystack_metadata_lead_to_the_text() -> None:
    document = haystack.Document(content=TEXT, meta={"file_path": "food/tea.md", "lines": 9, "nested": {"a": 1}})
    before = copy.deepcopy(document)
    chunks = of_haystack.ExcerptSplitter(**SMALL).run([document])["documents"]
    assert len(chunks) == 4 and document == before
    for number, chunk in enumerate(chunks):
        meta = chunk.meta
        assert TEXT[meta["split_idx_start"] : meta["split_idx_end"]] == chunk.content
        assert chunk.content in lines_of(TEXT, meta["lines"])
        assert meta["citation"] == f"food/tea.md:{meta['lines']}"
        assert (meta["source_id"], meta["split_id"], meta["page_number"]) == (document.id, number, 1)
        assert meta["document_lines"] == 9 and meta["nested"] == {"a": 1}
    assert chunks[1].meta["trail"] == "Täe 漢字 > Black"


def test_haystack_contents_can_be_what_is_embedded() -> None:
    document = haystack.Document(content=TEXT, meta={"file_path": "food/tea.md"})
    chunks = of_haystack.ExcerptSplitter(**SMALL, content="embedded").run([document])["documents"]
    expected = excerpt.Chunker(**SMALL).chunk(TEXT, path="food/tea.md")
    assert [chunk.content for chunk in chunks] == [chunk.embedded for chunk in expected]
    assert [TEXT[chunk.meta["split_idx_start"] : chunk.meta["split_idx_end"]] for chunk in chunks] == [
        chunk.text for chunk in expected
    ]


def test_haystack_pages_are_counted() -> None:
    pages = ["First page, with some words.\n", "Second page, with some words.\n", "Third page, with some words.\n"]
    document = haystack.Document(content="\f".join(pages), meta={"file_path": "book.pdf"})
    chunks = of_haystack.ExcerptSplitter(**SMALL).run([document])["documents"]
    found = {chunk.meta["page_number"]: chunk.content for chunk in chunks}
    assert [str(found[number]).split()[0] for number in (1, 2, 3)] == ["First", "Second", "Third"]


def test_haystack_ids_are_stable_and_unique() -> None:
    splitter = of_haystack.ExcerptSplitter(**SMALL)

    def ids(text: str, id: str) -> list[str]:
        return [chunk.id for chunk in splitter.run([haystack.Document(content=text, id=id)])["documents"]]

    before = ids(TEXT, "tea")
    assert before == ids(TEXT, "tea") and len(set(before)) == 4
    assert ids(TEXT.replace("cooler", "hotter"), "tea")[1:] == before[1:]
    assert set(before).isdisjoint(ids(TEXT, "other"))
    twice = splitter.run([haystack.Document(content=TEXT), haystack.Document(content=TEXT)])["documents"]
    assert len({chunk.id for chunk in twice}) == 8


def test_haystack_reads_extracted_text_as_prose() -> None:
    for path in ("report.pdf", "page.html", "https://example.org/abs/2301.00001"):
        document = haystack.Document(content=GUIDE, meta={"url": path})
        chunks = of_haystack.ExcerptSplitter(target=20, max=40, min=1).run([document])["documents"]
        assert chunks[1].meta["trail"] == "Guide > Black"


def test_haystack_refuses_wrong_input() -> None:
    splitter = of_haystack.ExcerptSplitter()
    with pytest.raises(TypeError, match="list of documents"):
        splitter.run("a text")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no `content`"):
        splitter.run([haystack.Document(content=None)])
    assert splitter.run([haystack.Document(content="")]) == {"documents": []}
    cases: list[tuple[dict[str, Any], str]] = [
        ({"split_by": "word"}, "unknown field `split_by`"),
        ({"chunker": excerpt.Chunker(), "target": 5}, "leave out `target`"),
        ({"content": "all"}, "`content` is 'all'"),
    ]
    for wrong, message in cases:
        with pytest.raises(excerpt.ConfigError) as raised:
            of_haystack.ExcerptSplitter(**wrong)
        assert message in str(raised.value)


def test_haystack_pipelines_split_and_store(tmp_path: Path) -> None:
    pipeline = haystack.Pipeline()
    store = InMemoryDocumentStore()
    pipeline.add_component("splitter", of_haystack.ExcerptSplitter(**SMALL, preset="docs"))
    pipeline.add_component("writer", DocumentWriter(store, policy=DuplicatePolicy.OVERWRITE))
    pipeline.connect("splitter", "writer")
    document = haystack.Document(id="tea", content=TEXT, meta={"file_path": "food/tea.md"})
    for _ in range(2):
        count = pipeline.run({"splitter": {"documents": [document]}})["writer"]["documents_written"]
        assert count == store.count_documents() > 1
    again = haystack.Pipeline.loads(pipeline.dumps(), allowed_modules=["excerpt.haystack"])
    assert again.dumps() == pipeline.dumps()
    assert "target: 10" in pipeline.dumps()
    with pytest.raises(DeserializationError):
        haystack.Pipeline.loads(pipeline.dumps())
    chunks = sorted(store.filter_documents(), key=lambda chunk: int(chunk.meta["split_id"]))
    around = SentenceWindowRetriever(store, window_size=1).run(retrieved_documents=[chunks[1]])
    assert [each.id for each in around["context_documents"]] == [each.id for each in chunks[:3]]


def test_haystack_sizers_are_stored_by_name() -> None:
    document = haystack.Document(content=GUIDE, meta={"file_path": "guide.md"})
    splitter = of_haystack.ExcerptSplitter(excerpt.Chunker(target=40, max=40, sizer=len))
    stored = splitter.to_dict()
    assert stored == {
        "type": "excerpt.haystack.ExcerptSplitter",
        "init_parameters": {"content": "text", "target": 40, "max": 40, "sizer": "builtins.len"},
    }
    again = of_haystack.ExcerptSplitter.from_dict(stored)
    assert again.run([document]) == splitter.run([document])
    assert stored["init_parameters"]["sizer"] == "builtins.len"

    class Tokenizer:
        def encode(self, text: str, add_special_tokens: bool = True) -> list[str]:
            return text.split()

    with pytest.raises(SerializationError, match="of type Tokenizer cannot be stored"):
        of_haystack.ExcerptSplitter(sizer=Tokenizer()).to_dict()


# Haystack: the retriever


def test_haystack_passages_can_be_cited(index: excerpt.Index) -> None:
    found = of_haystack.ExcerptRetriever(index).run("how hot is the water for green tea", top_k=2)["documents"]
    assert len(found) == 2
    meta = found[0].meta
    assert (meta["path"], meta["title"], meta["weak"], meta["author"]) == ("tea.md", "Tea", False, "Ann")
    assert found[0].score is not None and found[1].score is not None and found[0].score > found[1].score
    assert index.get(meta["citation"]).text.rstrip() == found[0].content
    assert index.get(found[0].id).text == found[0].content
    assert haystack.Document.from_dict(found[0].to_dict()) == found[0]


def test_haystack_filters_are_those_of_an_index(index: excerpt.Index) -> None:
    def paths(wanted: Any, **more: Any) -> list[str]:
        found = of_haystack.ExcerptRetriever(index, **more).run("water tide", wanted)["documents"]
        return sorted(each.meta["path"] for each in found)

    def compared(field: str, value: Any, operator: str = "==") -> dict[str, Any]:
        return {"field": f"meta.{field}", "operator": operator, "value": value}

    def both(*conditions: dict[str, Any], operator: str = "AND") -> dict[str, Any]:
        return {"operator": operator, "conditions": list(conditions)}

    assert paths(None) == paths({}) == sorted(NOTES)
    assert paths({"path": "harbour"}) == paths(compared("path", "harbour")) == ["harbour/siren.md"]
    assert paths(compared("language", ["python"], "in")) == ["code/tide.py"]
    assert paths(both(compared("author", "Ann"), compared("score", 7))) == ["tea.md"]
    dated = both(compared("tags", "drinks"), both(compared("date", "2026-01-01", ">=")))
    assert paths(dated) == ["tea.md"]
    assert paths(both(dated, compared("date", "2026-02-01", "<="))) == []
    for wrong in (
        both(dated, operator="OR"),
        both(compared("path", "a"), compared("path", "b")),
        both(compared("author", "a"), compared("author", "b")),
        compared("author", "Ann", "!="),
        compared("author", None),
        {"field": "meta.author", "operator": "=="},
    ):
        with pytest.raises(FilterError):
            paths(wrong)
        with pytest.raises(FilterError):
            of_haystack.ExcerptRetriever(index, filters=wrong)
    with pytest.raises(excerpt.RequestError, match="tgas"):
        paths({"tgas": ["drinks"]})
    assert paths(None, filters={"path": "harbour"}) == ["harbour/siren.md"]
    assert paths({"tags": ["drinks"]}, filters={"path": "harbour"}) == ["tea.md"]
    merged = {"filters": {"path": "harbour"}, "filter_policy": FilterPolicy.MERGE}
    assert paths({"tags": ["drinks"]}, **merged) == []
    everything = of_haystack.ExcerptRetriever(index).run("green tea")["documents"]
    strong = of_haystack.ExcerptRetriever(index, without_weak=True).run("green tea")["documents"]
    assert strong == [each for each in everything if not each.meta["weak"]] != everything


def test_filters_are_added_to_those_of_the_retriever(notes: Path, index: excerpt.Index) -> None:
    own: dict[str, Any] = {"fields": {"author": "Bob"}, "tags": "drinks"}
    merging = of_haystack.ExcerptRetriever(index, filters=own, filter_policy="merge")
    adding = of_langchain.ExcerptRetriever(index=index, filters=own)
    for given in ({"fields": {"score": 7}}, {"tags": ["drinks"]}, {"languages": ["markdown"]}):
        assert merging.run("green tea", filters=given)["documents"] == []
        assert adding.invoke("green tea", filters=given) == []
    # One for the same field replaces the other.
    for given in ({"fields": {"author": "Ann", "score": 7}}, {"fields": {"author": "Ann"}, "tags": "drinks"}):
        assert {each.meta["path"] for each in merging.run("green tea", filters=given)["documents"]} == {"tea.md"}
        assert {each.metadata["path"] for each in adding.invoke("green tea", filters=given)} == {"tea.md"}
    both = {"filters": {"tags": "drinks"}, "filter_policy": FilterPolicy.MERGE}
    assert of_haystack.ExcerptRetriever(index, **both).run("tea", filters={"tags": ["no"]})["documents"] == []


def test_haystack_names_a_policy_and_a_token_that_are_wrong(notes: Path) -> None:
    for policy in ("merge", FilterPolicy.MERGE):
        retriever = of_haystack.ExcerptRetriever(notes, filter_policy=policy)
        assert retriever.filter_policy == FilterPolicy.MERGE
        stored = retriever.to_dict()
        assert of_haystack.ExcerptRetriever.from_dict(stored).to_dict() == stored
    with pytest.raises(ValueError, match="zzz"):
        of_haystack.ExcerptRetriever(notes, filter_policy="zzz")
    with pytest.raises(TypeError, match="^`token` is of type str, expected a Secret of Haystack, such as `Secret.from_env_var"):
        of_haystack.ExcerptRetriever("http://127.0.0.1:1", token="abc")  # type: ignore[arg-type]


def test_haystack_counts_pages_from_that_of_the_document() -> None:
    splitter = of_haystack.ExcerptSplitter(target=5, max=6, min=1, context="none")
    for meta, expected in (
        ({"file_path": "report.pdf", "page_number": 7}, [7, 8]),
        ({"file_path": "report.pdf", "page_label": "iv", "page_number": 7}, [7, 8]),
        ({"file_path": "report.pdf", "page": 6}, [7, 8]),
        ({"file_path": "report.pdf"}, [1, 2]),
        ({}, [1, 2]),
    ):
        chunks = splitter.run([haystack.Document(content="One word here.\n\fTwo words there.\n", meta=meta)])["documents"]
        assert [chunk.meta["page_number"] for chunk in chunks] == expected, meta


def test_pages_of_an_address_with_a_query_are_told_apart() -> None:
    address = "https://example.com/report.pdf?download=1"
    pages = [Document(page_content="Same words.", metadata={"source": address, "page": page}) for page in range(2)]
    chunks = of_langchain.ExcerptTextSplitter().split_documents(pages)
    assert [chunk.metadata["citation"] for chunk in chunks] == [f"{address}#page=1", f"{address}#page=2"]
    assert len({chunk.id for chunk in chunks}) == 2


def test_haystack_refuses_what_an_index_refuses(notes: Path, index: excerpt.Index) -> None:
    retriever = of_haystack.ExcerptRetriever(index)
    assert retriever.run("tea", top_k=0) == {"documents": []}
    with pytest.raises(ValueError, match="`top_k` is -1"):
        retriever.run("tea", top_k=-1)
    with pytest.raises(ValueError, match="`top_k` is 101, expected 0 to 100"):
        retriever.run("tea", top_k=101)
    retriever.top_k = 200
    with pytest.raises(ValueError, match="`top_k` is 200"):
        retriever.run("tea")
    with pytest.raises(ValueError, match="`top_k` is 0"):
        of_haystack.ExcerptRetriever(index, top_k=0)
    with pytest.raises(excerpt.IndexFailure, match="leave them out"):
        of_haystack.ExcerptRetriever(index, token=Secret.from_token("a"))
    with pytest.raises(SerializationError, match="open index"):
        retriever.to_dict()
    with pytest.raises(ValueError, match="token"):
        of_haystack.ExcerptRetriever("http://127.0.0.1:1", token=Secret.from_token("a")).to_dict()
    with pytest.raises(excerpt.IndexFailure):
        of_haystack.ExcerptRetriever(notes / "no-such-folder").warm_up()


def test_haystack_asks_several_questions(notes: Path) -> None:
    several = MultiQueryTextRetriever(retriever=of_haystack.ExcerptRetriever(notes, top_k=1))
    found = several.run(["siren", "green tea", "tide"])["documents"]
    assert {each.meta["path"] for each in found} == set(NOTES)
    stored = json.loads(json.dumps(several.to_dict()))
    pipeline = haystack.Pipeline()
    pipeline.add_component("several", several)
    again = haystack.Pipeline.loads(pipeline.dumps(), allowed_modules=["excerpt.haystack"]).get_component("several")
    assert isinstance(again, MultiQueryTextRetriever) and again.to_dict() == stored
    several.retriever.close()  # type: ignore[attr-defined]


def test_haystack_does_not_block_the_loop(notes: Path) -> None:
    retriever = of_haystack.ExcerptRetriever(notes, top_k=1)

    async def ask() -> list[Any]:
        return await asyncio.gather(*(retriever.run_async(word) for word in ("green tea", "siren", "tide")))

    found, turns = turns_during(ask)
    assert [only(each["documents"]).meta["path"] for each in found] == ["tea.md", "harbour/siren.md", "code/tide.py"]
    assert turns > 10
    asyncio.run(retriever.close_async())
    _, turns = turns_during(retriever.warm_up_async)
    assert turns > 10
    retriever.close()


def test_haystack_pipelines_retrieve(notes: Path) -> None:
    template = "{% for each in documents %}{{ each.meta.citation }}: {{ each.content }}{% endfor %}\n{{ question }}"
    pipeline = haystack.Pipeline()
    pipeline.add_component("retriever", of_haystack.ExcerptRetriever(notes, top_k=1, filters={"path": "harbour"}))
    pipeline.add_component("prompt", PromptBuilder(template, required_variables="*"))
    pipeline.connect("retriever.documents", "prompt.documents")
    asked = {"retriever": {"query": "siren"}, "prompt": {"question": "When?"}}
    prompt = pipeline.run(asked)["prompt"]["prompt"]
    assert prompt.startswith("harbour/siren.md:1-3: # The siren") and prompt.endswith("When?")
    pipeline.close()
    again = haystack.Pipeline.loads(pipeline.dumps(), allowed_modules=["excerpt.haystack"])
    assert again.dumps() == pipeline.dumps()

    async def ask() -> Any:
        try:
            return await again.run_async(asked)
        finally:
            await again.close_async()

    assert asyncio.run(ask())["prompt"]["prompt"] == prompt
