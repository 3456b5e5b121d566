"""A node parser and a retriever for LlamaIndex.

Needs LlamaIndex 0.14 or newer: `pip install "llama-index-core>=0.14"`.

>>> from excerpt.llama_index import ExcerptNodeParser, ExcerptRetriever
>>> nodes = ExcerptNodeParser(target=300).get_nodes_from_documents(documents)  # doctest: +SKIP
>>> passages = ExcerptRetriever("docs", similarity_top_k=3).retrieve("how are segments merged")  # doctest: +SKIP
"""

from __future__ import annotations

import asyncio
import os
import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from excerpt import Chunker, Chunking, ConfigError, Hit, Index, IndexFailure
from excerpt._adapters import Ids, Opened, combined, comparison, document, found, of_hit, path_of, place_of, with_place

try:
    from llama_index.core.base.base_retriever import BaseRetriever
    from llama_index.core.bridge.pydantic import Field, PrivateAttr, field_serializer
    from llama_index.core.callbacks import CallbackManager
    from llama_index.core.node_parser import NodeParser
    from llama_index.core.node_parser.node_utils import build_nodes_from_splits, default_id_func
    from llama_index.core.schema import (
        BaseNode,
        Document,
        IndexNode,
        MetadataMode,
        NodeRelationship,
        NodeWithScore,
        ObjectType,
        QueryBundle,
        RelatedNodeInfo,
        TextNode,
    )
    from llama_index.core.utils import get_tqdm_iterable
    from llama_index.core.vector_stores import FilterCondition, FilterOperator, MetadataFilter, MetadataFilters
except ImportError as error:
    needed = "excerpt.llama_index needs LlamaIndex, install it with: "
    raise ImportError(needed + "pip install 'llama-index-core>=0.14'") from error

if TYPE_CHECKING:
    from excerpt import GivenDocument

__all__ = ["ExcerptNodeParser", "ExcerptRetriever"]

_OF_CHUNKS = frozenset({"citation", "lines", "trail"})
_OF_HITS = frozenset({"citation", "collection", "lines", "path", "title", "trail", "weak"})
_OPERATORS = {
    FilterOperator.EQ: "==",
    FilterOperator.IN: "in",
    FilterOperator.CONTAINS: "contains",
    FilterOperator.ALL: "contains",
    FilterOperator.GTE: ">=",
    FilterOperator.LTE: "<=",
}


class ExcerptNodeParser(NodeParser):
    """Splits documents into nodes at natural boundaries.

    The metadata of a node are those of its document, and where it is:

    - `path`: the `path` of the document, or its `file_path`, `source` or `url`, if it has one.
    - `lines`: the first and the last line, counted from 1, as `"3-9"`.
    - `citation`: `path:3-9`, if there is a path.
    - `trail`: the headings or scopes around it, as `"Guide > Install"`.

    All are texts, as most vector stores need them. The text to embed has the trail, and the text for a language model
    has the trail and the citation in front. What a document has under one of the last three names is called
    `document_` and the name, as in `document_lines`. Metadata do not count as part of the size of a node.

    `start_char_idx` and `end_char_idx` are the characters in the text of the document.

    Node ids are ids of chunks. They are derived from the path, or from the id of the document if it has none, and from
    the text of the chunk: they stay the same after an edit elsewhere, and no two of a call are equal. The syntax
    follows from the path. Where the text was extracted from a format such as PDF, Word or HTML, it is read as prose.

    `settings` and `sizer` may be changed, and apply from the next call on.

    `to_dict` has everything but a sizer and an `id_func`: give these to `from_dict` again.

    Args:
        chunker: How to split. Default: one with `settings`.
        content: What the text of a node is: `"text"`, the text of the document as it is, or `"embedded"`, the text to
            embed, with the path, the headings and the overlap in front. Default: "text".
        include_metadata: Whether nodes have metadata. Default: True.
        include_prev_next_rel: Whether nodes refer to the previous and the next one. Default: True.
        callback_manager: What is called before and after. Default: nothing.
        id_func: Makes the ids of nodes, from the position in the document and the document. Default: the ids of
            chunks.
        settings: The settings of `excerpt.Chunker`, as a dictionary. Default: nothing.
        sizer: Counts the size of a text, as `excerpt.Chunker` takes it. Default: as the settings say.
        **more: The settings of `excerpt.Chunker`, such as `preset`, `target` and `max`, as arguments.

    Raises:
        ConfigError: Settings are unknown, wrong or contradict each other.
    """

    settings: dict[str, Any] = Field(default_factory=dict, description="The settings of the chunker.")
    sizer: Any = Field(default=None, description="What counts the size of a text.")
    content: Literal["text", "embedded"] = Field(default="text", description="What the text of a node is.")

    _chunker: Chunker = PrivateAttr()

    def __init__(
        self,
        chunker: Chunker | None = None,
        *,
        content: Literal["text", "embedded"] = "text",
        include_metadata: bool = True,
        include_prev_next_rel: bool = True,
        callback_manager: CallbackManager | None = None,
        id_func: Callable[[int, BaseNode], str] | None = None,
        settings: Mapping[str, Any] | None = None,
        sizer: Any = None,
        **more: Any,
    ) -> None:
        if content not in ("text", "embedded"):
            raise ConfigError(f'`content` is {content!r}, expected "text" or "embedded"')
        if isinstance(sizer, str):
            raise ConfigError(f"the sizer `{sizer}` is not part of what was stored: give it again, as `sizer`")
        if isinstance(id_func, dict):
            # This is how the base class stores a function.
            if id_func.get("id_func_name") != default_id_func.__name__:
                raise ConfigError("the `id_func` is not part of what was stored: give it again")
            id_func = None
        given = {**(settings or {}), **more}
        if chunker is None:
            chunker = Chunker(sizer=sizer, **given)
        elif given or sizer is not None:
            names = ", ".join(f"`{name}`" for name in (*given, *(["sizer"] if sizer is not None else [])))
            raise ConfigError(f"a chunker has its own settings: leave out {names}")
        else:
            given, sizer = chunker.settings, chunker.sizer
        fields: dict[str, Any] = {
            "settings": given,
            "sizer": sizer,
            "content": content,
            "include_metadata": include_metadata,
            "include_prev_next_rel": include_prev_next_rel,
            "callback_manager": callback_manager or CallbackManager([]),
            "id_func": id_func or default_id_func,
        }
        super().__init__(**fields)
        self._chunker = chunker

    @classmethod
    def class_name(cls) -> str:
        """The name of the class in what is stored."""
        return "ExcerptNodeParser"

    def __getstate__(self) -> dict[str, Any]:
        # The base class leaves out what cannot be pickled, and a copy would split at other sizes.
        pickle.dumps(self.sizer)
        return super().__getstate__()

    @field_serializer("sizer")
    def _stored(self, sizer: Any) -> str | None:
        kind = sizer if hasattr(sizer, "__qualname__") else type(sizer)
        return None if sizer is None else f"{kind.__module__}.{kind.__qualname__}"

    def _splitter(self) -> Chunker:
        """What splits with the settings as they are now: they may have been changed, also in a copy."""
        known = self._chunker
        if known.settings != self.settings or known.sizer is not self.sizer:
            self._chunker = Chunker(sizer=self.sizer, **self.settings)
        return self._chunker

    def _parse_nodes(self, nodes: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any) -> list[BaseNode]:
        ids = Ids()
        split = self._splitter().chunk_many(map(_to_split, nodes))
        shown = get_tqdm_iterable(nodes, show_progress, "Splitting")
        return [
            node for document, chunking in zip(shown, split, strict=True) for node in self._of(document, chunking, ids)
        ]

    async def _aparse_nodes(
        self, nodes: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any
    ) -> list[BaseNode]:
        return await asyncio.to_thread(self._parse_nodes, nodes, show_progress, **kwargs)

    def _of(self, document: BaseNode, chunking: Chunking, ids: Ids) -> Iterator[TextNode]:
        """The nodes of a document."""
        named = [ids.of(chunk) for chunk in chunking]
        texts = [chunk.text if self.content == "text" else chunk.embedded for chunk in chunking]

        def id_of(i: int, doc: BaseNode) -> str:
            return named[i] if self.id_func is default_id_func else str(self.id_func(i, doc))

        path = path_of(document.metadata)
        for chunk, node in zip(chunking, build_nodes_from_splits(texts, document, id_func=id_of), strict=True):
            node.start_char_idx, node.end_char_idx = chunk.span.chars
            if self.include_metadata:
                node.metadata = with_place(document.metadata, _OF_CHUNKS, chunk, path)
                hidden = ["path", "citation", "lines"] + (["trail"] if self.content == "embedded" else [])
                node.excluded_embed_metadata_keys = _with(node.excluded_embed_metadata_keys, hidden)
                hidden = ["path", *(["lines"] if path is not None else [])]
                node.excluded_llm_metadata_keys = _with(node.excluded_llm_metadata_keys, hidden)
            yield node

    def _postprocess_parsed_nodes(
        self, nodes: list[BaseNode], parent_doc_map: dict[str, Document]
    ) -> list[BaseNode]:
        # The base class looks for the text, and finds the first of several places, and adds what was renamed.
        known = [
            (node, node.start_char_idx, node.end_char_idx, dict(node.metadata))
            for node in nodes
            if isinstance(node, TextNode)
        ]
        finished = super()._postprocess_parsed_nodes(nodes, parent_doc_map)
        for node, start, end, metadata in known:
            node.start_char_idx, node.end_char_idx, node.metadata = start, end, metadata
        return finished


class ExcerptRetriever(BaseRetriever):
    """Finds passages in a folder, in collections or on a server.

    The metadata of a node are the front matter of its document, and where it is:

    - `path`: the path of the document, which is the id of its source, too.
    - `lines`: the first and the last line, counted from 1, as `"3-9"`.
    - `citation`: `path:3-9`, which `excerpt.Index.get` accepts.
    - `trail`: the headings or scopes around it, as `"Guide > Install"`.
    - `title`: the title of the document, if it has one.
    - `weak`: whether it probably does not answer the question.
    - `collection`: the collection of the document, if it is in one.

    What front matter has under one of these names is called `document_` and the name, as in `document_title`. Node
    ids are ids of chunks. Scores are comparable within one answer.

    An index that is given as a folder or an address is opened by the first question, and kept open: `close` closes it.
    A copy, also a pickled one, opens an index of its own.

    Args:
        index: An open `excerpt.Index`, a folder or file, or the address of a server.
        similarity_top_k: How many passages to find, at most 100. Default: 5.
        filters: What to search, as `excerpt.Index.search` takes it: `path`, `tags`, `languages`, `since`, `fields` and
            so on; or `MetadataFilters` that all apply, each with `==` for a field of the front matter, `path`,
            `language`, `kind`, `collection`, `version` or `tags`, with `in` for `language`, `kind` or `collection`,
            with `contains` or `all` for `tags`, and with `>=` or `<=` for `date`. Default: everything.
        without_weak: Whether passages that are probably no answers are left out, so that there may be fewer than
            `similarity_top_k`. Default: False.
        token: The token for a server, which a pickled copy has, too. Default: none.
        options: Other arguments of `excerpt.Index`, such as `collections` and `sync`. Default: nothing.
        callback_manager: What is called before and after. Default: nothing.
        object_map: The objects that index nodes refer to, by the id of the node. Default: none.
        objects: Index nodes with such objects. Default: none.
        verbose: Whether it is printed which objects are asked. Default: False.

    Raises:
        ValueError: A filter cannot be applied.
        IndexFailure: An open index is given with `token` or `options`; or, by the first question, the index cannot be
            opened or reached.
        RequestError: A question is refused; its `field` says which filter is wrong.
    """

    def __init__(
        self,
        index: Index | str | os.PathLike[str],
        *,
        similarity_top_k: int = 5,
        filters: MetadataFilters | Mapping[str, Any] | None = None,
        without_weak: bool = False,
        token: str | None = None,
        options: Mapping[str, Any] | None = None,
        callback_manager: CallbackManager | None = None,
        object_map: dict[str, Any] | None = None,
        objects: list[IndexNode] | None = None,
        verbose: bool = False,
    ) -> None:
        if isinstance(index, Index) and (token is not None or options):
            raise IndexFailure("an open index has its own `token` and `options`: leave them out")
        self.similarity_top_k = similarity_top_k
        """How many passages to find."""
        self._filters = _search_fields(filters) if isinstance(filters, MetadataFilters) else dict(filters or {})
        self._without_weak = without_weak
        self._index = index
        self._options = {"token": token, **(options or {})}
        self._opened = Opened()
        super().__init__(callback_manager=callback_manager, object_map=object_map, objects=objects, verbose=verbose)

    def __getstate__(self) -> dict[str, Any]:
        # What a copy starts from, also in another process.
        return {**self.__dict__, "_opened": Opened()}

    def close(self) -> None:
        """Close the index, unless it was given open. The next question opens it again."""
        self._opened.close()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        wanted = {"ranks": "chunks", **self._filters}
        if self._without_weak:
            wanted["without_weak"] = True
        index, question = self._opened.get(self._index, self._options), query_bundle.query_str
        hits = found(index, question, self.similarity_top_k, wanted, "similarity_top_k")
        return [NodeWithScore(node=_passage(hit), score=hit.score) for hit in hits]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)


def _to_split(given: BaseNode) -> GivenDocument:
    """A document as `Chunker.chunk_many` takes it."""
    path = path_of(given.metadata)
    text = given.get_content(metadata_mode=MetadataMode.NONE)
    return document(text, path, given.metadata.get("title"), place_of(given.metadata, path) or given.node_id)


def _with(names: list[str], more: list[str]) -> list[str]:
    """Names, each once."""
    return list(dict.fromkeys([*names, *more]))


def _search_fields(filters: MetadataFilters) -> dict[str, Any]:
    """Filters as fields of a search.

    Raises:
        ValueError: A filter cannot be applied.
    """
    if filters.condition not in (None, FilterCondition.AND) and len(filters.filters) > 1:
        raise ValueError(f"filters are combined with `{filters.condition.value}`, expected `and`")
    if filters.condition == FilterCondition.NOT:
        raise ValueError("a filter is negated, expected what is to be found")
    fields = (
        _search_fields(given) if isinstance(given, MetadataFilters) else _search_field(given)
        for given in filters.filters
    )
    return combined(fields, lambda name: ValueError(f"there are two filters for `{name}`, expected one"))


def _search_field(given: MetadataFilter) -> dict[str, Any]:
    """A filter as a field of a search.

    Raises:
        ValueError: It cannot be applied.
    """
    field = comparison(given.key, _OPERATORS.get(given.operator, given.operator.value), given.value)
    if field is None:
        raise ValueError(f"`{given.key}` cannot be filtered with `{given.operator.value}` and {given.value!r}")
    return field


def _passage(hit: Hit) -> TextNode:
    """A hit as a node."""
    metadata = of_hit(hit, _OF_HITS)
    if hit.title is None:
        del metadata["title"]
    return TextNode(
        id_=hit.id,
        text=hit.text,
        metadata=metadata,
        excluded_embed_metadata_keys=["path", "lines", "citation", "weak", "collection"],
        excluded_llm_metadata_keys=["path", "lines", "weak", "collection"],
        relationships={
            NodeRelationship.SOURCE: RelatedNodeInfo(node_id=hit.path, node_type=ObjectType.DOCUMENT)
        },
    )
