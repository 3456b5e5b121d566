"""A text splitter and a retriever for LangChain.

Needs LangChain 1: `pip install "langchain-core>=1" "langchain-text-splitters>=1"`.

>>> from excerpt.langchain import ExcerptRetriever, ExcerptTextSplitter
>>> chunks = ExcerptTextSplitter(target=300).split_documents(documents)  # doctest: +SKIP
>>> passages = ExcerptRetriever(index="docs", k=3).invoke("how are segments merged")  # doctest: +SKIP
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal

from excerpt import Chunk, Chunker, Chunking, ConfigError, Hit, Index
from excerpt._adapters import Ids, Opened, document, found, merged, of_hit, path_of, place_of, with_place
from excerpt._errors import counted

try:
    from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from langchain_text_splitters import TextSplitter
    from pydantic import ConfigDict, Field, PrivateAttr, SecretStr, model_validator
except ImportError as error:
    needed = "excerpt.langchain needs LangChain, install it with: "
    raise ImportError(needed + "pip install 'langchain-core>=1' 'langchain-text-splitters>=1'") from error

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from excerpt import ChunkerSettings, GivenDocument

__all__ = ["ExcerptRetriever", "ExcerptTextSplitter"]

_OF_CHUNKS = frozenset({"citation", "end_index", "id", "lines", "start_index", "trail"})
_OF_HITS = frozenset(
    {"citation", "collection", "id", "lines", "path", "score", "source", "title", "trail", "weak"}
)


class ExcerptTextSplitter(TextSplitter):
    """Splits texts and documents at natural boundaries.

    A chunk has the metadata of its document, and its location:

    - `path`: the `path` of the document, or its `source`, if it has one.
    - `lines`: the first and the last line, counted from 1, as `"3-9"`.
    - `citation`: `path:3-9`, if there is a path; `path#page=7` if the document is a page of a file.
    - `start_index`, `end_index`: the characters, so that `text[start_index:end_index]` is the text of the chunk.
    - `trail`: the headings or scopes around it, as `"Guide > Install"`.
    - `id`: the id of the chunk, which is the id of the document in LangChain, too.

    All are texts and numbers, as most vector stores need them. If a document has one of these names other than `path`,
    it is renamed with the prefix `document_`, as in `document_id`.

    Ids are derived from the id of the document, or else from its path and page, and from the text of the chunk: they stay the
    same after an edit elsewhere, and no two of a call are equal. The syntax follows from the path. Where the text was
    extracted from a format such as PDF, Word or HTML, it is read as prose.

    Args:
        chunker: How to split. Default: one with `settings`.
        content: What `page_content` is: `"text"`, the text of the document as it is, or `"embedded"`, the text to
            embed, with the path, the headings and the overlap in front. Default: "text".
        chunk_size: The largest size of a chunk, and the one to aim at, in what `length_function` counts. Default:
            that of `settings`.
        chunk_overlap: How much of the previous chunk is repeated in the text to embed. Default: that of `settings`.
        length_function: Counts the size of a text. Default: characters if there is a `chunk_size` without `unit` or
            `sizer`, and otherwise what `settings` say.
        add_start_index: Whether metadata have `start_index` and `end_index`. Default: True.
        **settings: The settings of `excerpt.Chunker`, such as `preset`, `target`, `max` and `sizer`.

    Raises:
        ConfigError: Settings are unknown, wrong or contradict each other.
    """

    def __init__(
        self,
        chunker: Chunker | None = None,
        *,
        content: Literal["text", "embedded"] = "text",
        chunk_size: int | None = None,
        chunk_overlap: int | None = None,
        length_function: Callable[[str], int] | None = None,
        add_start_index: bool = True,
        **settings: Unpack[ChunkerSettings],
    ) -> None:
        if content not in ("text", "embedded"):
            raise ConfigError(f'`content` is {content!r}, expected "text" or "embedded"')
        if chunk_overlap and content == "text":
            raise ConfigError('`chunk_overlap` is for the text to embed: set `content="embedded"`, too')
        if chunker is not None and not isinstance(chunker, Chunker):
            raise TypeError(f"`chunker` is of type {type(chunker).__name__}, expected a Chunker: name the size as `chunk_size`")
        if chunker is None:
            chunker = Chunker(**_sizes(chunk_size, chunk_overlap, length_function, settings), **settings)
        else:
            sizes = {"chunk_size": chunk_size, "chunk_overlap": chunk_overlap, "length_function": length_function}
            given = [f"`{name}`" for name, value in {**sizes, **settings}.items() if value is not None]
            if given:
                raise ConfigError(f"a chunker has its own settings: leave out {', '.join(given)}")
        self.chunker = chunker
        """How texts are split."""
        self.content = content
        """What `page_content` is."""
        super().__init__(
            chunk_size=chunker.config["max"],
            chunk_overlap=0,
            length_function=len if length_function is None else length_function,
            keep_separator=True,
            add_start_index=add_start_index,
            strip_whitespace=False,
        )

    def split_text(self, text: str) -> list[str]:
        """The contents of the chunks of a text.

        Args:
            text: The text.

        Returns:
            What `page_content` is for each chunk.

        Raises:
            TextError: The text has a lone surrogate, or more than 256 MiB.
        """
        return [self._content_of(chunk) for chunk in self.chunker.chunk(text)]

    def create_documents(self, texts: list[str], metadatas: list[dict[Any, Any]] | None = None) -> list[Document]:
        """The chunks of some texts.

        Args:
            texts: The texts.
            metadatas: The metadata of each text. Default: none.

        Returns:
            A document for each chunk, in order.

        Raises:
            TextError: A text has a lone surrogate, or more than 256 MiB.
            ValueError: There are more or fewer metadata than texts.
        """
        known = metadatas or [{}] * len(texts)
        if len(known) != len(texts):
            raise ValueError(f"there are {counted(len(texts), 'text')} and {counted(len(known), 'metadata')}, expected one for each text")
        return self.split_documents(
            Document(page_content=text, metadata=metadata) for text, metadata in zip(texts, known, strict=True)
        )

    def split_documents(self, documents: Iterable[Document]) -> list[Document]:
        """The chunks of some documents, which are split on all cores.

        Args:
            documents: The documents.

        Returns:
            A document for each chunk, in order. Places are those in the `page_content` of its document.

        Raises:
            TextError: A text has a lone surrogate, or more than 256 MiB.
        """
        listed = list(documents)
        ids = Ids()
        return [
            chunk
            for document, chunking in zip(listed, self.chunker.chunk_many(map(_to_split, listed)), strict=True)
            for chunk in self._documents_of(document, chunking, ids)
        ]

    def _documents_of(self, document: Document, chunking: Chunking, ids: Ids) -> Iterator[Document]:
        path = _path(document)
        for chunk in chunking:
            metadata = with_place(document.metadata, _OF_CHUNKS, chunk, path) | {"id": ids.of(chunk)}
            if self._add_start_index:
                metadata["start_index"], metadata["end_index"] = chunk.span.chars
            yield Document(page_content=self._content_of(chunk), metadata=metadata, id=metadata["id"])

    def _content_of(self, chunk: Chunk) -> str:
        return chunk.text if self.content == "text" else chunk.embedded


class ExcerptRetriever(BaseRetriever):
    """Finds passages in a folder, in collections or on a server.

    The metadata of a passage are the front matter of its document, and where it is:

    - `path`: the path of the document, which is its `source`, too.
    - `lines`: the first and the last line, counted from 1, as `"3-9"`.
    - `citation`: `path:3-9`, which `excerpt.Index.get` accepts.
    - `trail`: the headings or scopes around it, as `"Guide > Install"`.
    - `title`: the title of the document, or None.
    - `score`: higher is better; comparable within one answer.
    - `id`: the id of the chunk, which is the id of the document in LangChain, too.
    - `weak`: whether it probably does not answer the question.
    - `collection`: the collection of the document, if it is in one.

    What front matter has under one of these names is called `document_` and the name, as in `document_title`.

    An index that is given as a folder or an address is opened by the first question, and kept open: `close` closes it.
    A copy, also a pickled one, opens an index of its own. `invoke` and `ainvoke` take `k` and `filters`, too:
    these are added to those given here, where one for the same field replaces the other.

    Args:
        index: An open `excerpt.Index`, a folder or file, or the address of a server.
        k: How many passages to find, at most 100. Default: 5.
        filters: What to search, as `excerpt.Index.search` takes it: `path`, `tags`, `languages`, `since`, `fields` and
            so on. Default: everything.
        without_weak: Whether passages that are probably no answers are left out, so that there may be fewer than `k`.
            Default: False.
        token: The token for a server, which a pickled copy has, too. Default: none.
        options: Other arguments of `excerpt.Index`, such as `collections` and `sync`. Default: nothing.

    Raises:
        ValidationError: An argument is unknown, is missing or has another type, or an open index is given with
            `token` or `options`.
        IndexFailure: The index cannot be opened or reached; raised by the first question.
        RequestError: A question is refused; its `field` says which filter is wrong.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    index: Index | str | os.PathLike[str]
    """An open index, a folder or file, or the address of a server."""
    k: int = Field(default=5, ge=1, le=100)
    """How many passages to find."""
    filters: dict[str, Any] | None = None
    """What to search."""
    without_weak: bool = False
    """Whether passages that are probably no answers are left out."""
    token: SecretStr | None = None
    """The token for a server."""
    options: dict[str, Any] = Field(default_factory=dict)
    """Other arguments of `excerpt.Index`."""

    _opened: Opened = PrivateAttr(default_factory=Opened)

    @model_validator(mode="after")
    def _is_not_opened_with_options(self) -> ExcerptRetriever:
        if isinstance(self.index, Index) and (self.token is not None or self.options):
            raise ValueError("an open index has its own `token` and `options`: leave them out")
        return self

    def __copy__(self) -> Self:
        # Each of the two may be given another index.
        copied = super().__copy__()
        copied._opened = Opened()
        return copied

    def _opens_with(self) -> dict[str, Any]:
        return {"token": None if self.token is None else self.token.get_secret_value(), **self.options}

    def close(self) -> None:
        """Close the index, unless it was given open. The next question opens it again."""
        self._opened.close()

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,
        k: int | None = None,
        filters: Mapping[str, Any] | None = None,
    ) -> list[Document]:
        return self._found(query, k, filters)

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,
        k: int | None = None,
        filters: Mapping[str, Any] | None = None,
    ) -> list[Document]:
        return await asyncio.to_thread(self._found, query, k, filters)

    def _found(self, query: str, k: int | None, filters: Mapping[str, Any] | None) -> list[Document]:
        wanted = {"ranks": "chunks", **merged(self.filters or {}, filters or {})}
        if self.without_weak:
            wanted["without_weak"] = True
        hits = found(self._opened.get(self.index, self._opens_with()), query, self.k if k is None else k, wanted, "k")
        return [_passage(hit) for hit in hits]


def _sizes(
    size: int | None, overlap: int | None, length: Callable[[str], int] | None, settings: Mapping[str, Any]
) -> dict[str, Any]:
    """The arguments that all text splitters of LangChain have, as settings of a chunker.

    Raises:
        ConfigError: They are among the settings, too.
    """
    sizes: dict[str, Any] = {}
    if length is len or (length is None and size is not None and not settings.keys() & {"unit", "sizer"}):
        sizes["unit"] = "chars"
    elif length is not None:
        sizes["sizer"] = length
    if size is not None:
        sizes |= {"target": size, "max": size}
    if overlap is not None:
        sizes["overlap"] = overlap
    for name in sizes.keys() & settings.keys():
        raise ConfigError(f"`{name}` follows from `chunk_size`, `chunk_overlap` or `length_function`: give one of them")
    return sizes


def _to_split(given: Document) -> GivenDocument:
    """A document as `Chunker.chunk_many` takes it."""
    path = _path(given)
    return document(given.page_content, path, given.metadata.get("title"), given.id or place_of(given.metadata, path))


def _path(given: Document) -> str | None:
    """The path of a document, or where it is from."""
    return path_of(given.metadata, ("path", "source"))


def _passage(hit: Hit) -> Document:
    """A hit as a document."""
    metadata = of_hit(hit, _OF_HITS) | {"source": hit.path, "score": hit.score, "id": hit.id}
    return Document(page_content=hit.text, metadata=metadata, id=hit.id)
