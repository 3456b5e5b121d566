"""What the modules for LangChain, LlamaIndex and Haystack have in common."""

from __future__ import annotations

import copy
import hashlib
import os
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from excerpt import Chunk, Hit, Index, RequestError

if TYPE_CHECKING:
    from excerpt import GivenDocument

# Formats whose files have no text of their own: what a loader gives was extracted from them.
_EXTRACTED = frozenset(
    "doc docx eml epub gif jpeg jpg m4a mp3 mp4 msg odp ods odt pdf png ppt pptx rtf tif tiff wav webm webp xls xlsx"
    .split()
)
# Formats that a loader gives as they are, or as the text in them.
_MARKUP = frozenset("asp aspx htm html ipynb jsp php xhtml xml".split())


# How many characters a search accepts as a question.
_LONGEST_QUESTION = 4_000


class Opened:
    """An index that is opened when it is asked for, and then kept open. A copy, in this process or another, is not open."""

    def __init__(self) -> None:
        self._opened: tuple[str, dict[str, Any], Index] | None = None
        self._opening = threading.Lock()

    def __reduce__(self) -> tuple[type[Opened], tuple[()]]:
        return Opened, ()

    def get(self, index: Index | str | os.PathLike[str], options: Mapping[str, Any]) -> Index:
        """This index, open. One that was opened before with another target or other options is closed."""
        if isinstance(index, Index):
            return index
        target, options = os.fspath(index), dict(options)
        with self._opening:
            if self._opened is not None and self._opened[:2] != (target, options):
                self._opened[2].close()
                self._opened = None
            if self._opened is None:
                self._opened = (target, options, Index(target, **options))
            return self._opened[2]

    def close(self) -> None:
        """Close the index, unless it was given open."""
        with self._opening:
            opened, self._opened = self._opened, None
        if opened is not None:
            opened[2].close()


class Ids:
    """The ids of the chunks of a call, of which no two are equal."""

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}

    def of(self, chunk: Chunk) -> str:
        """The id of the next chunk."""
        count = self._seen[chunk.id] = self._seen.get(chunk.id, 0) + 1
        if count == 1:
            return chunk.id
        return hashlib.blake2b(f"{chunk.id}-{count}".encode(), digest_size=16).hexdigest()


def document(text: str, path: str | None, title: object, id: str | None) -> GivenDocument:
    """A document as `Chunker.chunk_many` takes it."""
    if path is not None and path.startswith(("http://", "https://")):
        parts = urlsplit(path)
        path = f"{parts.scheme}://{parts.netloc}{parts.path or '/'}"
    return {
        "text": text,
        "path": path,
        "title": title if isinstance(title, str) else None,
        "language": "text" if path is not None and _misleads(path, text) else None,
        "id": id,
    }


def path_of(metadata: Mapping[str, Any], names: Iterable[str] = ("path", "file_path", "source", "url")) -> str | None:
    """The path of a document, or where it is from: the first of these names that has one."""
    for name in names:
        value = metadata.get(name)
        if isinstance(value, (str, os.PathLike)) and (path := os.fspath(value)) and isinstance(path, str):
            return path
    return None


def page_of(metadata: Mapping[str, Any]) -> str | None:
    """The page of a document that is one page of a file, from 1, by the names that loaders give it."""
    for name in ("page_label", "page_number"):
        value = metadata.get(name)
        if isinstance(value, (str, int)) and not isinstance(value, bool) and str(value):
            return str(value)
    # The loaders of LangChain count from 0.
    value = metadata.get("page")
    return str(value + 1) if isinstance(value, int) and not isinstance(value, bool) else None


def place_of(metadata: Mapping[str, Any], path: str | None) -> str | None:
    """What the ids of a document's chunks are derived from: its path, and the page if it is one page of such a file as a PDF."""
    page = page_of(metadata)
    return path if path is None or page is None or _ending(path) not in _EXTRACTED else f"{path}#page={page}"


def found(index: Index, question: str, limit: int, fields: Mapping[str, Any], name: str) -> Sequence[Hit]:
    """The hits for what somebody has written: none if it has no words, and those for its beginning if it is long.

    `name` is what the limit is called, also in errors.
    """
    question = question[:_LONGEST_QUESTION]
    if not any(map(str.isalnum, question)):
        return []
    arguments: dict[str, Any] = {"limit": limit, **fields}
    try:
        return index.search(question, **arguments)
    except RequestError as error:
        if error.field != "limit" or "limit" in fields:
            raise
        message = str(error).replace("`limit`", f"`{name}`")
        raise RequestError(message, error.status, name) from None


def _ending(path: str) -> str:
    if path.startswith(("http://", "https://")):
        path = urlsplit(path).path
    return os.path.splitext(path)[1][1:].lower()


def _misleads(path: str, text: str) -> bool:
    """Whether the ending of a path does not say how to read a text."""
    ending = _ending(path)
    if ending in _MARKUP:
        return text[:1000].lstrip("\ufeff \t\r\n")[:1] not in ("<", "{")
    # The last part of an address may be a number or a version.
    address = path.startswith(("http://", "https://"))
    return ending in _EXTRACTED or (address and ending != "" and not ending.isalpha())


def with_place(metadata: Mapping[str, Any], taken: frozenset[str], chunk: Chunk, path: str | None) -> dict[str, Any]:
    """The metadata of a document, and where a chunk of it is. What has a taken name is called `document_` and that."""
    place = f"{chunk.lines[0]}-{chunk.lines[1]}"
    named = renamed(metadata, taken)
    if path is not None:
        page = place_of(metadata, path)
        named |= {"path": path, "citation": f"{path}:{place}" if page == path else page}
    return named | {"lines": place, "trail": chunk.breadcrumb}


def of_hit(hit: Hit, taken: frozenset[str]) -> dict[str, Any]:
    """The front matter of a hit's document, and where it is. What has a taken name is called `document_` and that."""
    named = renamed(hit.metadata, taken) | {
        "path": hit.path,
        "lines": f"{hit.lines[0]}-{hit.lines[1]}",
        "citation": hit.citation,
        "trail": " > ".join(hit.trail),
        "title": hit.title,
        "weak": hit.weak,
    }
    if hit.collection is not None:
        named["collection"] = hit.collection
    return named


def renamed(metadata: Mapping[str, Any], taken: frozenset[str]) -> dict[str, Any]:
    """A copy of metadata in which no name is one that is taken."""
    return {f"document_{name}" if name in taken else name: copy.deepcopy(value) for name, value in metadata.items()}


def comparison(name: str, operator: str, value: Any) -> dict[str, Any] | None:
    """A comparison as a field of a search, or None if it is none. `operator` is ==, in, contains, >= or <=."""
    several = {"language": "languages", "kind": "kinds", "collection": "collections"}
    values = value if isinstance(value, list) else [value]
    if name in several and operator in ("==", "in"):
        return {several[name]: values}
    if name == "tags" and operator in ("==", "contains"):
        return {"tags": values}
    if name == "date" and operator in (">=", "<="):
        return {"since" if operator == ">=" else "until": value}
    if operator == "==" and isinstance(value, (str, int, float)):
        return {name: value} if name in ("path", "version") else {"fields": {name: value}}
    return None


def combined(fields: Iterable[Mapping[str, Any]], twice: Callable[[str], Exception]) -> dict[str, Any]:
    """Fields of a search that all apply. `twice` makes the error for a name that has two values."""
    all_of_them: dict[str, Any] = {}
    for wanted in fields:
        for name, value in wanted.items():
            known = all_of_them.get(name)
            if name == "tags":
                all_of_them[name] = [*(known or []), *value]
            elif name == "fields" and not value.keys() & (known or {}).keys():
                all_of_them[name] = {**(known or {}), **value}
            elif name in all_of_them:
                raise twice(name)
            else:
                all_of_them[name] = value
    return all_of_them


def merged(own: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a search by a component, and those of a question: one of the same name replaces the other.

    All of `tags` apply, and so do all of `fields` that have different names.
    """
    all_of_them = {**own, **given}
    if own.get("fields") and given.get("fields"):
        all_of_them["fields"] = {**own["fields"], **given["fields"]}
    if own.get("tags") and given.get("tags"):
        tags = [[known] if isinstance(known, str) else known for known in (own["tags"], given["tags"])]
        all_of_them["tags"] = [*tags[0], *(tag for tag in tags[1] if tag not in tags[0])]
    return all_of_them
