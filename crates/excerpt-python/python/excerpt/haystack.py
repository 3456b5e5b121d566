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
import copy
import hashlib
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from excerpt import Chunk, Chunker, Chunking, ConfigError, Hit, Index, IndexFailure

try:
    from haystack import Document, component, default_from_dict, default_to_dict
    from haystack.core.errors import SerializationError
    from haystack.document_stores.types import FilterPolicy
    from haystack.errors import FilterError
    from haystack.utils import Secret, deserialize_callable, serialize_callable
except ImportError as error:
    raise ImportError("excerpt.haystack needs Haystack, install it with: pip install 'haystack-ai>=3'") from error

if TYPE_CHECKING:
    from excerpt._excerpt import _Document

__all__ = ["ExcerptRetriever", "ExcerptSplitter"]

# Formats whose files have no text of their own: what a converter gives was extracted from them.
_EXTRACTED = frozenset(
    "doc docx eml epub gif jpeg jpg m4a mp3 mp4 msg odp ods odt pdf png ppt pptx rtf tif tiff wav webm webp xls xlsx"
    .split()
)
# Formats that a converter gives as they are, or as the text in them.
_MARKUP = frozenset("asp aspx htm html ipynb jsp php xhtml xml".split())

_OF_CHUNKS = frozenset({"citation", "lines", "trail"})
_OF_HITS = frozenset({"citation", "collection", "lines", "path", "title", "trail", "weak"})


@component
class ExcerptSplitter:
    """Splits documents at natural boundaries.

    The `meta` of a chunk are those of its document, and where it is:

    - `path`: the `path` of the document, or its `file_path`, `source` or `url`, if it has one.
    - `lines`: the first and the last line, counted from 1, as `"3-9"`.
    - `citation`: `path:3-9`, if there is a path.
    - `trail`: the headings or scopes around it, as `"Guide > Install"`.
    - `source_id`, `split_id`: the id of the document, and the position in it, from 0.
    - `split_idx_start`, `split_idx_end`: the characters, so that `text[split_idx_start:split_idx_end]` is the text of
      the chunk.
    - `page_number`: the page on which it starts, from 1, where form feeds separate pages.

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
        self, chunker: Chunker | None = None, *, content: Literal["text", "embedded"] = "text", **settings: Any
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
        settings = _settings_of(self.chunker)
        if "sizer" in settings:
            sizer = settings["sizer"]
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
        ids = _Ids()
        split = self.chunker.chunk_many(map(_to_split, documents))
        chunks = [
            chunk
            for document, chunking in zip(documents, split, strict=True)
            for chunk in self._documents_of(document, chunking, ids)
        ]
        return {"documents": chunks}

    def _documents_of(self, document: Document, chunking: Chunking, ids: _Ids) -> Iterator[Document]:
        path = _path(document)
        page, counted = 1, 0
        for chunk in chunking:
            start, end = chunk.span.chars
            # A page break at the start of a chunk is before its first page.
            begins = end - len(chunk.text.lstrip("\f"))
            page, counted = page + chunking.text.count("\f", counted, begins), begins
            place = f"{chunk.lines[0]}-{chunk.lines[1]}"
            meta = _renamed(document.meta, _OF_CHUNKS)
            if path is not None:
                meta |= {"path": path, "citation": f"{path}:{place}"}
            meta |= {
                "lines": place,
                "trail": chunk.breadcrumb,
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
    - `weak`: whether it is probably no answer.
    - `collection`: the collection of the document, if it is in one.

    What front matter has under one of these names is called `document_` and the name, as in `document_title`. Ids are
    those of chunks. Scores are comparable within one answer.

    An index that is given as a folder or an address is opened by `warm_up` or the first question, and kept open:
    `close` ends it.

    Filters are those of `excerpt.Index.search`: `path`, `tags`, `languages`, `since`, `fields` and so on. Those of
    Haystack are understood where an index has the same: comparisons that all apply, each with `==` for `meta.path`,
    `meta.language`, `meta.kind`, `meta.collection`, `meta.version`, `meta.tags` or a field of the front matter, with
    `in` for `meta.language`, `meta.kind` or `meta.collection`, and with `>=` or `<=` for `meta.date`.

    Args:
        index: An open `excerpt.Index`, a folder or file, or the address of a server.
        filters: What to search. Default: everything.
        top_k: How many passages to find, at most 100. Default: 10.
        filter_policy: Whether the filters of a question replace those given here, or are added to them. Default: they
            replace them.
        without_weak: Whether passages that are probably no answers are left out, so that there may be fewer than
            `top_k`. Default: False.
        token: The token for a server. Default: none.
        options: What else `excerpt.Index` takes, such as `collections` and `sync`. Default: nothing.

    Raises:
        ValueError: `top_k` is not from 1 to 100.
        FilterError: A filter cannot be applied.
        IndexFailure: An open index is given with `token` or `options`.
    """

    def __init__(
        self,
        index: Index | str | os.PathLike[str],
        *,
        filters: dict[str, Any] | None = None,
        top_k: int = 10,
        filter_policy: FilterPolicy = FilterPolicy.REPLACE,
        without_weak: bool = False,
        token: Secret | None = None,
        options: dict[str, Any] | None = None,
    ) -> None:
        if isinstance(index, Index) and (token is not None or options):
            raise IndexFailure("an open index has its own `token` and `options`: leave them out")
        if not 1 <= top_k <= 100:
            raise ValueError(f"`top_k` is {top_k}, expected 1 to 100")
        _search_fields(filters)
        self.index = index
        self.filters = filters
        self.top_k = top_k
        self.filter_policy = filter_policy
        self.without_weak = without_weak
        self.token = token
        self.options = options
        self._opened: Index | None = None
        self._opening = threading.Lock()

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
        parameters = dict(data.get("init_parameters", {}))
        if isinstance(parameters.get("filter_policy"), str):
            parameters["filter_policy"] = FilterPolicy.from_str(parameters["filter_policy"])
        return default_from_dict(cls, {**data, "init_parameters": parameters})

    def warm_up(self) -> None:
        """Open the index, and bring it up to date.

        Raises:
            IndexFailure: The index cannot be opened or reached.
        """
        self._searched()

    async def warm_up_async(self) -> None:
        """Open the index on a thread. See `warm_up`."""
        await asyncio.to_thread(self._searched)

    def close(self) -> None:
        """Close the index, unless it was given open. The next question opens it again."""
        with self._opening:
            opened, self._opened = self._opened, None
        if opened is not None:
            opened.close()

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
            ValueError: `top_k` is negative.
            FilterError: A filter cannot be applied.
            IndexFailure: The index cannot be opened or reached.
            RequestError: The question is refused; `field` says which filter is wrong.
        """
        limit = self.top_k if top_k is None else top_k
        if limit < 0:
            raise ValueError(f"`top_k` is {limit}, expected 0 to 100")
        fields = _search_fields(filters)
        if not fields or self.filter_policy == FilterPolicy.MERGE:
            fields = {**_search_fields(self.filters), **fields}
        if self.without_weak:
            fields["without_weak"] = True
        if limit == 0:
            return {"documents": []}
        found = self._searched().search(query, limit=limit, **{"ranks": "chunks", **fields})
        return {"documents": [_passage(hit) for hit in found]}

    @component.output_types(documents=list[Document])
    async def run_async(
        self, query: str, filters: dict[str, Any] | None = None, top_k: int | None = None
    ) -> dict[str, list[Document]]:
        """Find passages on a thread. See `run`."""
        return await asyncio.to_thread(self.run, query, filters, top_k)

    def _searched(self) -> Index:
        if isinstance(self.index, Index):
            return self.index
        with self._opening:
            if self._opened is None:
                token = None if self.token is None else self.token.resolve_value()
                self._opened = Index(self.index, token=token, **(self.options or {}))
            return self._opened


class _Ids:
    """The ids of the chunks of a call, of which no two are equal."""

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}

    def of(self, chunk: Chunk) -> str:
        count = self._seen[chunk.id] = self._seen.get(chunk.id, 0) + 1
        if count == 1:
            return chunk.id
        return hashlib.blake2b(f"{chunk.id}-{count}".encode(), digest_size=16).hexdigest()


def _settings_of(chunker: Chunker) -> dict[str, Any]:
    """The settings that a chunker was made with."""
    reduced = chunker.__reduce__()
    assert isinstance(reduced, tuple)
    return dict(reduced[1][0])


def _to_split(document: Document) -> _Document:
    """A document as `Chunker.chunk_many` takes it.

    Raises:
        ValueError: It has no text.
    """
    text = document.content
    if text is None:
        raise ValueError(f"the document {document.id} has no `content`, and cannot be split")
    path, title = _path(document), document.meta.get("title")
    return {
        "text": text,
        "path": None if path is None else _for_syntax(path, text),
        "title": title if isinstance(title, str) else None,
        "id": document.id,
    }


def _path(document: Document) -> str | None:
    """The path of a document, or where it is from."""
    for name in ("path", "file_path", "source", "url"):
        value = document.meta.get(name)
        if isinstance(value, (str, os.PathLike)) and (path := os.fspath(value)) and isinstance(path, str):
            return path
    return None


def _for_syntax(path: str, text: str) -> str:
    """The path from which the syntax of a text follows: without an ending that does not say how to read it."""
    is_address = path.startswith(("http://", "https://"))
    if is_address:
        parts = urlsplit(path)
        path = f"{parts.scheme}://{parts.netloc}{parts.path or '/'}"
    stem, ending = os.path.splitext(path)
    ending = ending[1:].lower()
    if ending in _EXTRACTED or (ending in _MARKUP and text[:1000].lstrip("\ufeff \t\r\n")[:1] not in ("<", "{")):
        return stem
    # The last part of an address may be a number or a version.
    return f"{path}/" if is_address and ending and not ending.isalpha() else path


def _renamed(meta: Mapping[str, Any], taken: frozenset[str]) -> dict[str, Any]:
    """A copy of `meta` in which no name is one that is taken."""
    return {f"document_{name}" if name in taken else name: copy.deepcopy(value) for name, value in meta.items()}


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
    fields: dict[str, Any] = {}
    for condition in filters["conditions"]:
        for name, value in _search_fields(condition).items():
            if name == "tags":
                fields["tags"] = [*fields.get("tags", []), *value]
            elif name == "fields" and not value.keys() & fields.get("fields", {}).keys():
                fields["fields"] = {**fields.get("fields", {}), **value}
            elif name in fields:
                raise FilterError(f"there are two conditions for `{name}`, expected one")
            else:
                fields[name] = value
    return fields


def _search_field(condition: Mapping[str, Any]) -> dict[str, Any]:
    """A comparison as a field of a search.

    Raises:
        FilterError: It cannot be applied.
    """
    if not condition.keys() >= {"field", "operator", "value"}:
        raise FilterError("a comparison has `field`, `operator` and `value`")
    name, operator, value = str(condition["field"]).removeprefix("meta."), condition["operator"], condition["value"]
    several = {"language": "languages", "kind": "kinds", "collection": "collections"}
    if name in several and operator in ("==", "in"):
        return {several[name]: value if isinstance(value, list) else [value]}
    if name == "tags" and operator == "==":
        return {"tags": value if isinstance(value, list) else [value]}
    if name == "date" and operator in (">=", "<="):
        return {"since" if operator == ">=" else "until": value}
    if operator == "==" and isinstance(value, (str, int, float)):
        return {name: value} if name in ("path", "version") else {"fields": {name: value}}
    raise FilterError(f"`{condition['field']}` cannot be compared with `{operator}` and {value!r}")


def _passage(hit: Hit) -> Document:
    """A hit as a document."""
    meta = _renamed(hit.metadata, _OF_HITS) | {
        "path": hit.path,
        "lines": f"{hit.lines[0]}-{hit.lines[1]}",
        "citation": hit.citation,
        "trail": " > ".join(hit.trail),
        "title": hit.title,
        "weak": hit.weak,
    }
    if hit.collection is not None:
        meta["collection"] = hit.collection
    return Document(id=hit.id, content=hit.text, meta=meta, score=hit.score)
