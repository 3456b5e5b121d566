"""The types of dictionaries that are given to the package."""

from __future__ import annotations

import datetime
import os
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union

if TYPE_CHECKING:
    from typing_extensions import Unpack as Unpack
elif sys.version_info >= (3, 11):
    from typing import Unpack
else:

    class Unpack:
        """Stands for that of `typing`, so that hints can be read in Python 3.10, too."""

        def __class_getitem__(cls, item: Any) -> Any:
            return item


Sizer = Union[Callable[[str], int], Any]
"""A function that returns the size of a text, or a tokenizer."""

Progress = Callable[[int, int, str], object]
"""Called with what is done, what there is to do, and the stage: `list`, `cut`, `keywords`, `vectors` or `merge`."""

Preset = Literal["auto", "brain", "docs", "resources", "code", "units", "memory"]


class _WithText(TypedDict):
    text: str
    """The text, which must be there."""


class GivenDocument(_WithText, total=False):
    """A document as `Chunker.chunk_many` takes it: its text, and what `Chunker.chunk` takes besides."""

    path: str | os.PathLike[str] | None
    """Determines the syntax, and is part of the context and of the ids. Default: none."""
    title: str | None
    """The title. Default: that in the text."""
    language: str | None
    """Overrides the syntax. Default: that of the path or the text."""
    id: str | None
    """What the ids are derived from. Default: the path."""


class _Settings(TypedDict, total=False):
    sizer: Sizer | None
    strategy: Literal["auto", "markdown", "headers", "delimiter", "fixed", "code", "whole", "naive"] | None
    unit: Literal["chars", "tokens", "cjk-tokens"] | None
    target: int | None
    max: int | None
    min: int | None
    overlap: int | str | None
    levels: Sequence[int] | None
    delimiter: str | None
    include_delimiter: bool | None
    atomic: Literal["split", "keep"] | None
    context: str | None
    complete_sentences: bool | None
    continuation_marker: str | None
    overview: int | None
    per_entry: bool | None


class ChunkerSettings(_Settings, total=False):
    """What `Chunker` takes. All may be left out."""

    preset: Preset | None


class SearchFilters(TypedDict, total=False):
    """What `Index.search` takes besides the question: the fields of a search in the HTTP API. All may be left out."""

    collections: str | Collection[str]
    """Only in these collections. Default: those of the index, or everything."""
    tags: str | Collection[str]
    """Only documents with all of these tags."""
    kinds: str | Collection[str]
    """Only documents of one of these types, such as `doc` or `script`."""
    languages: str | Collection[str]
    """Only documents in one of these languages, such as `rust` or `markdown`."""
    version: str | None
    """Only documents about this version, or that name none."""
    since: str | datetime.date | None
    """Only documents dated on this day or later: a date, `2026-03`, `2026`, or a day such as `yesterday` or `7d`."""
    until: str | datetime.date | None
    """Only documents dated on this day or earlier."""
    fields: Mapping[str, str | float | bool]
    """Only documents whose front matter has these values in these fields."""
    ranks: Literal["documents", "chunks"]
    """What is ranked, and counted by `limit` and `offset`. Default: documents."""
    offset: int
    """How many of the best documents or chunks to leave out, for the next page. Default: 0."""
    fold_copies: bool
    """Whether copies and translations of a better hit are folded into it. Default: no."""
    min_score: float | None
    """Exclude hits with a lower score. Default: none."""
    min_share: float | None
    """Exclude hits whose score is below this share of the best one's, from 0 to 1. Default: as configured, 0."""
    precise: bool | None
    """Whether each hit has only the sentences or statements around the evidence. Default: as configured, no."""
    without_weak: bool
    """Whether hits that are probably no answers are left out. Default: no."""
    explain: bool
    """Whether `Hit.raw` says how its score is made up. Default: no."""
    ranking: Literal["default", "docs"] | None
    """How to rank. Default: as configured."""
    channels: Literal["both", "keywords", "vectors"] | None
    """Which channels to search. Default: as the ranking says."""
    fusion: Literal["convex", "rrf"] | None
    """How the scores of two channels are combined. Default: as the ranking says."""
    wait: float | None
    """How long to wait for the model that reorders the hits, in seconds. Default: as configured, 2."""


class IndexOptions(TypedDict, total=False):
    """What `Index` and `AsyncIndex` take besides what they open. All may be left out; `Index` describes them."""

    collections: str | Sequence[str]
    library: bool
    index: str | os.PathLike[str] | None
    token: str | None
    sync: bool
    timeout: float
    progress: Progress | None
