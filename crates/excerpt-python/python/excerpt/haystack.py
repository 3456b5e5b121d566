"""A splitter and a retriever for Haystack.

Needs Haystack 3: `pip install "haystack-ai>=3"`.

>>> from excerpt.haystack import ExcerptRetriever, ExcerptSplitter
>>> chunks = ExcerptSplitter(target=300).run(documents)["documents"]  # doctest: +SKIP
>>> passages = ExcerptRetriever("docs").run("how are segments merged", top_k=3)["documents"]  # doctest: +SKIP

Haystack loads stored pipelines only from modules that are allowed: use
`Pipeline.loads(stored, allowed_modules=["excerpt.haystack"])`.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal

from excerpt import Chunker, Chunking, ConfigError, Hit, Index, IndexFailure
from excerpt._adapters import Ids, Opened, combined, comparison, document, found, merged, of_hit, page_of, path_of, with_place

try:
    from haystack import Document, component, default_from_dict, default_to_dict
    from haystack.core.errors import SerializationError
    from haystack.document_stores.types import FilterPolicy
    from haystack.errors import FilterError
    from haystack.utils import Secret, deserialize_callable, serialize_callable
except ImportError as error:
    raise ImportError("excerpt.haystack needs Haystack, install it with: pip install 'haystack-ai>=3'") from error

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from excerpt import ChunkerSettings, GivenDocument

__all__ = ["ExcerptRetriever", "ExcerptSplitter"]

_OF_CHUNKS = frozenset({"citation", "lines", "trail"})
_OF_HITS = frozenset({"citation", "collection", "lines", "path", "title", "trail", "weak"})


@component
class ExcerptSplitter:
    """Splits documents at natural boundaries.

    The `meta` of a chunk are those of its document, and where it is:

    - `path`: the `path` of the document, or its `file_path`, `source` or `url`, if it has one.
    - `lines`: the first and the last line, counted from 1, as `"3-9"`.
    - `citation`: `path:3-9`, if there is a path; `path#page=7` if the document is a page of a file.
    - `trail`: the headings or scopes around it, as `"Guide > Install"`.
    - `source_id`, `split_id`: the id of the document, and the position in it, from 0.
    - `split_idx_start`, `split_idx_end`: the characters, so that `text[split_idx_start:split_idx_end]` is the text of
      the chunk.
    - `page_number`: the page on which it starts, where form feeds separate pages. It counts from that of the document
      if this is a page of a file, and otherwise from 1.

    All are texts and numbers, as most document stores need them. What a document has as `lines`, `citation` or `trail`
    is called `document_` and the name.

    Ids are derived from the id of the document and from the text of the chunk. Where documents have ids of their own
    in place of the hash that Haystack makes, those of chunks stay the same after an edit elsewhere. The syntax follows
    from the path. Where the text was extracted from a format such as PDF, Word or HTML, it is read as prose.

    Args:
        chunker: How to split. Default: one with `settings`.
        content: What `content` is: `"text"`, the text of the document as it is, or `"embedded"`, the text to embed,
            with the path, the headings and the overlap in front. Default: "text".
        **settings: The settings of `excerpt.Chunker`, such as `preset`, `target`, `max` and `sizer`.

    Raises:
        ConfigError: Settings are unknown, wrong or contradict each other.
    """

    def __init__(
        self,
        chunker: Chunker | None = None,
        *,
        content: Literal["text", "embedded"] = "text",
        **settings: Unpack[ChunkerSettings],
    ) -> None:
        if content not in ("text", "embedded"):
            raise ConfigError(f'`content` is {content!r}, expected "text" or "embedded"')
        if chunker is None:
            chunker = Chunker(**settings)
        elif settings:
            given = ", ".join(f"`{name}`" for name in settings)
            raise ConfigError(f"a chunker has its own settings: leave out {given}")
        self.chunker = chunker
        """How documents are split."""
        self.content = content
        """What `content` is."""

    def to_dict(self) -> dict[str, Any]:
        """What `from_dict` makes the component from.

        Raises:
            SerializationError: The sizer is not a function that can be imported.
        """
        settings, sizer = self.chunker.settings, self.chunker.sizer
        if sizer is not None:
            if not callable(sizer) or not hasattr(sizer, "__qualname__"):
                kind = type(sizer).__name__
                advice = "use a function that can be imported"
                raise SerializationError(f"a sizer of type {kind} cannot be stored: {advice}")
            settings["sizer"] = serialize_callable(sizer)
        return default_to_dict(self, content=self.content, **settings)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> ExcerptSplitter:
        """The component that `to_dict` stored.

        Args:
            data: What was stored.

        Raises:
            DeserializationError: It is another component, or the sizer is not found or not allowed.
            ConfigError: Settings are unknown, wrong or contradict each other.
        """
        parameters = dict(data.get("init_parameters", {}))
        if isinstance(parameters.get("sizer"), str):
            parameters["sizer"] = deserialize_callable(parameters["sizer"])
        return default_from_dict(cls, {**data, "init_parameters": parameters})

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Split documents, on all cores.

        Args:
            documents: The documents.

        Returns:
            `documents`: one for each chunk, in order. A document without text has none.

        Raises:
            TypeError: Something is no list of documents.
            ValueError: A document has no `content`.
            TextError: A text has a lone surrogate, or more than 256 MiB.
        """
        if not isinstance(documents, list) or not all(isinstance(document, Document) for document in documents):
            raise TypeError("ExcerptSplitter splits a list of documents, and was given something else")
        ids = Ids()
        split = self.chunker.chunk_many(map(_to_split, documents))
        chunks = [
            chunk
            for document, chunking in zip(documents, split, strict=True)
            for chunk in self._documents_of(document, chunking, ids)
        ]
        return {"documents": chunks}

    def _documents_of(self, document: Document, chunking: Chunking, ids: Ids) -> Iterator[Document]:
        path = path_of(document.meta)
        page, counted = _page(document), 0
        for chunk in chunking:
            start, end = chunk.span.chars
            # A page break at the start of a chunk is before its first page.
            begins = end - len(chunk.text.lstrip("\f"))
            page, counted = page + chunking.text.count("\f", counted, begins), begins
            meta = with_place(document.meta, _OF_CHUNKS, chunk, path) | {
                "source_id": document.id,
                "split_id": chunk.ordinal,
                "split_idx_start": start,
                "split_idx_end": end,
                "page_number": page,
            }
            content = chunk.text if self.content == "text" else chunk.embedded
            yield Document(id=ids.of(chunk), content=content, meta=meta)


@component
class ExcerptRetriever:
    """Finds passages in a folder, in collections or on a server.

    The `meta` of a passage are the front matter of its document, and where it is:

    - `path`: the path of the document.
    - `lines`: the first and the last line, counted from 1, as `"3-9"`.
    - `citation`: `path:3-9`, which `excerpt.Index.get` accepts.
    - `trail`: the headings or scopes around it, as `"Guide > Install"`.
    - `title`: the title of the document, or None.
    - `weak`: whether it probably does not answer the question.
    - `collection`: the collection of the document, if it is in one.

    What front matter has under one of these names is called `document_` and the name, as in `document_title`. Ids are
    those of chunks. Scores are comparable within one answer.

    An index that is given as a folder or an address is opened by `warm_up` or the first question, and kept open:
    `close` closes it. A copy, also a pickled one, opens an index of its own.

    Filters are those of `excerpt.Index.search`: `path`, `tags`, `languages`, `since`, `fields` and so on. Those of
    Haystack are understood where an index has the same: comparisons that all apply, each with `==` for `meta.path`,
    `meta.language`, `meta.kind`, `meta.collection`, `meta.version`, `meta.tags` or a field of the front matter, with
    `in` for `meta.language`, `meta.kind` or `meta.collection`, and with `>=` or `<=` for `meta.date`.

    Args:
        index: An open `excerpt.Index`, a folder or file, or the address of a server.
        filters: What to search. Default: everything.
        top_k: How many passages to find, at most 100. Default: 10.
        filter_policy: Whether the filters of a question replace those given here, or are added to them, where one for
            the same field replaces the other; also as `"replace"` or `"merge"`. Default: they replace them.
        without_weak: Whether passages that are probably no answers are left out, so that there may be fewer than
            `top_k`. Default: False.
        token: The token for a server. Default: none.
        options: Other arguments of `excerpt.Index`, such as `collections` and `sync`. Default: nothing.

    Raises:
        ValueError: `top_k` is not from 1 to 100, or there is no such `filter_policy`.
        TypeError: `token` is not a `Secret`.
        FilterError: A filter cannot be applied.
        IndexFailure: An open index is given with `token` or `options`.
    """

    def __init__(
        self,
        index: Index | str | os.PathLike[str],
        *,
        filters: dict[str, Any] | None = None,
        top_k: int = 10,
        filter_policy: FilterPolicy | str = FilterPolicy.REPLACE,
        without_weak: bool = False,
        token: Secret | None = None,
        options: dict[str, Any] | None = None,
    ) -> None:
        if isinstance(index, Index) and (token is not None or options):
            raise IndexFailure("an open index has its own `token` and `options`: leave them out")
        if not 1 <= top_k <= 100:
            raise ValueError(f"`top_k` is {top_k}, expected 1 to 100")
        if token is not None and not isinstance(token, Secret):
            kind, advice = type(token).__name__, 'such as `Secret.from_env_var("EXCERPT_TOKEN")`'
            raise TypeError(f"`token` is of type {kind}, expected a Secret of Haystack, {advice}")
        if not isinstance(filter_policy, FilterPolicy):
            filter_policy = FilterPolicy.from_str(filter_policy)
        _search_fields(filters)
        self.index = index
        self.filters = filters
        self.top_k = top_k
        self.filter_policy = filter_policy
        self.without_weak = without_weak
        self.token = token
        self.options = options
        self._opened = Opened()

    def __getstate__(self) -> dict[str, Any]:
        # What a copy starts from, also in another process.
        return {**self.__dict__, "_opened": Opened()}

    def to_dict(self) -> dict[str, Any]:
        """What `from_dict` makes the component from.

        Raises:
            SerializationError: The index was given open.
            ValueError: The token is no variable of the environment.
        """
        if isinstance(self.index, Index):
            raise SerializationError("an open index cannot be stored: give its folder or address")
        return default_to_dict(
            self,
            index=os.fspath(self.index),
            filters=self.filters,
            top_k=self.top_k,
            filter_policy=self.filter_policy.value,
            without_weak=self.without_weak,
            token=self.token,
            options=self.options,
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> ExcerptRetriever:
        """The component that `to_dict` stored.

        Args:
            data: What was stored.

        Raises:
            DeserializationError: It is another component.
        """
        return default_from_dict(cls, data)

    def warm_up(self) -> None:
        """Open the index, and bring it up to date.

        Raises:
            IndexFailure: The index cannot be opened or reached.
        """
        self._open()

    async def warm_up_async(self) -> None:
        """Open the index on a thread. See `warm_up`."""
        await asyncio.to_thread(self._open)

    def close(self) -> None:
        """Close the index, unless it was given open. The next question opens it again."""
        self._opened.close()

    async def close_async(self) -> None:
        """Close the index on a thread. See `close`."""
        await asyncio.to_thread(self.close)

    @component.output_types(documents=list[Document])
    def run(
        self, query: str, filters: dict[str, Any] | None = None, top_k: int | None = None
    ) -> dict[str, list[Document]]:
        """Find passages.

        Args:
            query: The question, or some words.
            filters: What to search. Default: as given to the component.
            top_k: How many passages to find, at most 100; none if it is 0. Default: as given to the component.

        Returns:
            `documents`: the passages, best first.

        Raises:
            ValueError: `top_k` is not from 0 to 100.
            FilterError: A filter cannot be applied.
            IndexFailure: The index cannot be opened or reached.
            RequestError: The question is refused; `field` says which filter is wrong.
        """
        limit = self.top_k if top_k is None else top_k
        if not 0 <= limit <= 100:
            raise ValueError(f"`top_k` is {limit}, expected 0 to 100")
        fields = _search_fields(filters)
        if not fields or self.filter_policy == FilterPolicy.MERGE:
            fields = merged(_search_fields(self.filters), fields)
        if self.without_weak:
            fields["without_weak"] = True
        if limit == 0:
            return {"documents": []}
        hits = found(self._open(), query, limit, {"ranks": "chunks", **fields}, "top_k")
        return {"documents": [_passage(hit) for hit in hits]}

    @component.output_types(documents=list[Document])
    async def run_async(
        self, query: str, filters: dict[str, Any] | None = None, top_k: int | None = None
    ) -> dict[str, list[Document]]:
        """Find passages on a thread. See `run`."""
        return await asyncio.to_thread(self.run, query, filters, top_k)

    def _open(self) -> Index:
        token = None if self.token is None else self.token.resolve_value()
        return self._opened.get(self.index, {"token": token, **(self.options or {})})


def _page(document: Document) -> int:
    """The page on which a document begins: its own number if it is a page of a file."""
    known = (page_of(document.meta), document.meta.get("page_number"))
    return next((int(page) for page in known if isinstance(page, (int, str)) and str(page).isdecimal()), 1)


def _to_split(given: Document) -> GivenDocument:
    """A document as `Chunker.chunk_many` takes it.

    Raises:
        ValueError: It has no text.
    """
    text = given.content
    if text is None:
        raise ValueError(f"the document {given.id} has no `content`, and cannot be split")
    return document(text, path_of(given.meta), given.meta.get("title"), given.id)


def _search_fields(filters: Mapping[str, Any] | None) -> dict[str, Any]:
    """Filters of Haystack as fields of a search, and such fields as they are.

    Raises:
        FilterError: A filter cannot be applied.
    """
    if filters is None or not filters.keys() & {"field", "operator", "conditions"}:
        return dict(filters or {})
    if "field" in filters:
        return _search_field(filters)
    if filters.get("operator") != "AND" or not isinstance(filters.get("conditions"), list):
        raise FilterError(f"conditions are combined with `{filters.get('operator')}`, expected a list with `AND`")
    fields = map(_search_fields, filters["conditions"])
    return combined(fields, lambda name: FilterError(f"there are two conditions for `{name}`, expected one"))


def _search_field(condition: Mapping[str, Any]) -> dict[str, Any]:
    """A comparison as a field of a search.

    Raises:
        FilterError: It cannot be applied.
    """
    if not condition.keys() >= {"field", "operator", "value"}:
        raise FilterError("a comparison has `field`, `operator` and `value`")
    operator, value = condition["operator"], condition["value"]
    field = comparison(str(condition["field"]).removeprefix("meta."), operator, value)
    if field is None:
        raise FilterError(f"`{condition['field']}` cannot be compared with `{operator}` and {value!r}")
    return field


def _passage(hit: Hit) -> Document:
    """A hit as a document."""
    meta = of_hit(hit, _OF_HITS)
    return Document(id=hit.id, content=hit.text, meta=meta, score=hit.score)
