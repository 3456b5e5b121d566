"""The compiled part of the package."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar, final, overload

import excerpt
from excerpt._types import GivenDocument, Preset, Sizer, Unpack, _Settings

__all__ = [
    "Block",
    "Chunk",
    "Chunker",
    "Chunking",
    "ChunkingIterator",
    "Context",
    "Cut",
    "Embedder",
    "LocalServer",
    "Outline",
    "Part",
    "Sizes",
    "Span",
    "__version__",
    "chunk_schema",
    "main",
]

__version__: str

_Data = TypeVar("_Data")

def chunk_schema() -> Any:
    """The columns of chunks as a schema of Arrow, `pyarrow.schema(chunk_schema())`.

    Its metadata has the version of the columns as `excerpt.schema`. All columns are of type string, int64 or list of
    strings, and all may be null: in the row of a document that cannot be split, only `path` and `error` are not.
    """

def main(program: Sequence[str], arguments: Sequence[str]) -> int:
    """Run a command of the command line, and return the code to exit with."""

@final
class Chunker:
    """Splits documents with one configuration.

    The settings are those of the command line and of `excerpt.toml`. Sizes are in tokens of four characters unless
    `unit` or `sizer` says otherwise; a size counts the context, the overlap and the text together.

    - `preset`: where settings come from that are not given. Default: `auto`, 400 tokens by the kind of content.
    - `sizer`: a function that returns the size of a text, or a tokenizer of `tokenizers`, `tiktoken` or
      `transformers`: sizes count what it counts. A tokenizer in Rust is fast enough for most uses; one in Python is
      what takes the time.
    - `target`, `max`, `min`: the size to aim at, the limit that no chunk exceeds, and the size below which chunks are
      joined.
    - `overlap`: how much of the previous chunk is repeated, in the unit of the sizes or as `"15%"`.

    Raises `ConfigError`, which names what is unknown, wrong or contradictory. A chunker can be pickled if its sizer
    can, and any number of threads may use it.
    """

    def __new__(
        cls,
        preset: Preset | None = None,
        **settings: Unpack[_Settings],
    ) -> Chunker: ...
    @property
    def config(self) -> dict[str, Any]:
        """The settings, completed."""
    @property
    def settings(self) -> dict[str, Any]:
        """The settings that were given."""
    @property
    def sizer(self) -> Sizer | None:
        """The tokenizer or function that was given."""
    def chunk(
        self,
        text: str,
        path: str | os.PathLike[str] | None = None,
        *,
        language: str | None = None,
        title: str | None = None,
        id: str | None = None,
    ) -> Chunking:
        """Split a text.

        `path` determines the syntax, and is part of the context and of the ids of the chunks. `language` overrides the
        syntax: a language of source code, `markdown`, or `text` (prose, in which headings are found, too). `id` is what
        the ids are derived from instead. The interpreter's lock is released meanwhile, and Ctrl-C ends it.

        Raises `TypeError` if the text is not a `str`, and `TextError` for a lone surrogate or a text of more than
        256 MiB. An error that a sizer raises is passed on.
        """
    # A text is an iterable of texts, and a dictionary one of its keys: a single document is no iterable of documents.
    @overload
    def chunk_many(  # type: ignore[overload-overlap]
        self, documents: str | Mapping[str, object], *, threads: int | None = None
    ) -> None: ...
    @overload
    def chunk_many(
        self,
        documents: Iterable[str | tuple[str, str | os.PathLike[str] | None] | GivenDocument | dict[str, Any]],
        *,
        threads: int | None = None,
    ) -> ChunkingIterator:
        """Split many documents on all cores, or on `threads`, in order.

        A document is a text, a pair of text and path, or a dictionary with `text` and perhaps `path`, `title`,
        `language` and `id`. Some hundred are taken and split at a time. An error in one is raised after the
        documents before it are returned. With a sizer, one thread is used.

        Raises `TypeError` for a single document, which `chunk` splits, and `ValueError` for a wrong number of threads.
        """
    def outline(
        self, text: str, path: str | os.PathLike[str] | None = None, *, language: str | None = None
    ) -> Outline:
        """The blocks of a text: headings, paragraphs, lists, tables, definitions.

        `path` and `language` determine the syntax, as for `chunk`, which raises the same.
        """
    def chunk_batch(
        self,
        batch: _Data,
        text: str = "text",
        path: str | None = None,
        id: str | None = None,
        *,
        title: str | None = None,
        language: str | None = None,
        threads: int | None = None,
    ) -> _Data:
        """Split the documents of a record batch, one a row, into a batch with one chunk a row.

        The arguments name columns: `text` of any string type or binary with UTF-8, the others also of whole numbers,
        and `id` of any binary type, such as UUIDs. The other columns are repeated for each chunk, with `document_` in front of a name that a column
        of chunks has, and those of `chunk_schema()` are added. A document without text has no row. One that cannot be
        split has a row with `error`: one whose text is null, not UTF-8 or larger than 256 MiB, or on which the sizer
        fails. The same batch gives the same rows.

        Any object with the Arrow C interface is taken. The result is of the same library for pyarrow, and otherwise an
        object with that interface.

        Raises `BatchError` for columns that are missing, have the wrong type or a name that occurs twice, for input
        that cannot be read, and for a result of more than 2 GiB, and `TypeError` if `batch` is not a record batch.
        """
    def chunk_table(
        self,
        table: Any,
        text: str = "text",
        path: str | None = None,
        id: str | None = None,
        *,
        title: str | None = None,
        language: str | None = None,
        threads: int | None = None,
    ) -> Any:
        """Split the documents of a table, as `chunk_batch` does.

        The result is a table of pyarrow, Polars or pandas if `table` is of one of these, and otherwise one with the Arrow C
        interface. The columns are checked before anything is split. A column of type `Null` of Polars is returned as
        one of strings, and an index of pandas without a name is left out. Raises what `chunk_batch` raises.
        """
    def chunk_stream(
        self,
        stream: Any,
        text: str = "text",
        path: str | None = None,
        id: str | None = None,
        *,
        title: str | None = None,
        language: str | None = None,
        threads: int | None = None,
    ) -> Any:
        """Split the documents of a stream of record batches, each batch when it is asked for.

        The result is a stream with the Arrow C interface, of pyarrow if `stream` is. What is wrong with the columns is
        raised at once, as `chunk_batch` does, and what is wrong with a batch when it is read.
        """
    def schema(
        self,
        documents: _Data,
        text: str = "text",
        path: str | None = None,
        id: str | None = None,
        *,
        title: str | None = None,
        language: str | None = None,
    ) -> _Data:
        """The schema that the chunks of documents with this schema have.

        Raises `BatchError` for columns that are missing, have the wrong type or a name that occurs twice, and
        `TypeError` if `documents` is not a schema.
        """

@final
class Chunking(Sequence[Chunk]):
    """The chunks of a document, in the order of its text: a sequence.

    Two are equal if the same document was split into the same chunks. A chunking and its chunks can be pickled if the chunker can: the text and the settings are stored, and the text is
    split again where they are read, so a chunk alone takes as much as its document.
    """

    @property
    def text(self) -> str:
        """The text of the document."""
    @property
    def path(self) -> str | None:
        """The path of the document."""
    @property
    def strategy(self) -> str:
        """The strategy that was used."""
    @property
    def reason(self) -> str:
        """Why this strategy."""
    @property
    def unit(self) -> str:
        """What the sizes count."""
    @property
    def size(self) -> int:
        """The size of the whole text, in `unit`."""
    @property
    def gaps(self) -> list[tuple[int, int]]:
        """The bytes in no chunk, as pairs of start and end."""
    @property
    def warnings(self) -> list[str]:
        """Warnings about the document as a whole."""
    @property
    def title(self) -> str | None:
        """The title of the document: from its front matter, or its first heading."""
    @property
    def metadata(self) -> dict[str, Any]:
        """What the front matter of the document says, or the header of its format."""
    @property
    def chunks(self) -> list[Chunk]:
        """All chunks, as a list."""
    def to_dicts(self) -> list[dict[str, Any]]:
        """The chunks as flat rows, with the columns of `chunk_schema()` but `error`."""
    def to_html(self) -> str:
        """The page of `excerpt chunk --format html` for this document."""
    def show(self) -> excerpt.Preview:
        """The page of `to_html()`, to look at: a notebook shows it, and `.open()` opens it in a browser."""
    def _repr_html_(self) -> str:
        """The page, in a frame: a notebook shows it."""
    @overload
    def __getitem__(self, index: int, /) -> Chunk: ...
    @overload
    def __getitem__(self, index: slice, /) -> list[Chunk]: ...
    def __iter__(self) -> Iterator[Chunk]: ...
    def __len__(self) -> int: ...
    def index(self, value: object, start: int = 0, stop: int | None = None, /) -> int:
        """The place of the first equal item, from `start` to before `stop`; `ValueError` if there is none."""
    def count(self, value: object, /) -> int:
        """How many items are equal to this one."""

@final
class ChunkingIterator(Iterator[Chunking]):
    """The documents of `Chunker.chunk_many`, split."""

    def __next__(self) -> Chunking: ...

@final
class Chunk:
    """A passage of a document: a verbatim slice, with its place and the reason for the split before it."""

    @property
    def text(self) -> str:
        """The text: that of the document at `span`."""
    @property
    def embedded(self) -> str:
        """The text to embed: the header of the context, then the overlap, then the text."""
    @property
    def id(self) -> str:
        """32 hexadecimal digits that identify the chunk: the same after an edit elsewhere."""
    @property
    def hash(self) -> str:
        """The hash of the text alone, as 32 hexadecimal digits."""
    @property
    def ordinal(self) -> int:
        """The position among the chunks of the document, from 0."""
    @property
    def span(self) -> Span:
        """The place of the text in the document."""
    @property
    def lines(self) -> tuple[int, int]:
        """The first and the last line, counted from 1."""
    @property
    def overlap(self) -> str:
        """The text before the chunk that is repeated in front of it; empty if nothing is."""
    @property
    def context(self) -> Context:
        """The place of the chunk in its document, in words."""
    @property
    def trail(self) -> list[str]:
        """The headings or scopes around the chunk, outermost first."""
    @property
    def breadcrumb(self) -> str:
        """The trail as one line, `Guide > Install > Linux`."""
    @property
    def title(self) -> str | None:
        """The innermost heading, with ` (part n)` if its section was divided."""
    @property
    def sections(self) -> list[str]:
        """The headings or definitions that begin inside the chunk."""
    @property
    def defines(self) -> list[str]:
        """The names that source code defines here."""
    @property
    def kind(self) -> str:
        """What the chunk consists of: `section`, `function` and so on."""
    @property
    def name(self) -> str | None:
        """The name of the definition, in source code."""
    @property
    def language(self) -> str | None:
        """The language, for source code."""
    @property
    def dates(self) -> list[str]:
        """The dates in the file name and the headings, and those of mails, commits and entries of a log, each `YYYY-MM-DD`."""
    @property
    def size(self) -> Sizes:
        """The sizes, in the unit of the chunking."""
    @property
    def part(self) -> Part:
        """Which part it is of what was divided because of its size."""
    @property
    def cut(self) -> Cut:
        """The split before the chunk."""
    @property
    def warnings(self) -> list[str]:
        """Warnings about the chunk."""
    def to_dict(self) -> dict[str, Any]:
        """The chunk as a flat row, with the columns of `chunk_schema()` but `error`; `title` is that of the document."""

@final
class Span:
    """A place in a text. Starts are counted from 0, and ends are the place after the last."""

    @property
    def bytes(self) -> tuple[int, int]:
        """The bytes of the text in UTF-8: start and end."""
    @property
    def chars(self) -> tuple[int, int]:
        """The characters, as Python counts them: `text[start:end]` is the text of the chunk."""
    @property
    def lines(self) -> tuple[int, int]:
        """The first and the last line, counted from 1."""

@final
class Context:
    """The place of a chunk in its document, in words. It is never part of the text."""

    @property
    def path(self) -> str | None:
        """The path of the document."""
    @property
    def domain(self) -> str | None:
        """The first folder of the path."""
    @property
    def title(self) -> str | None:
        """The title of the document."""
    @property
    def trail(self) -> list[str]:
        """The headings or scopes around the chunk, outermost first."""
    @property
    def lead(self) -> str | None:
        """What a later part needs to be understood alone: the header rows of a table."""
    @property
    def module_path(self) -> list[str]:
        """The modules that the chunk is part of, in source code."""
    @property
    def signature(self) -> str | None:
        """The signature of the definition that the chunk continues, in source code."""
    @property
    def imports(self) -> list[str]:
        """The imports that the chunk uses, in source code."""
    @property
    def header(self) -> str:
        """The text that is embedded in front of the chunk."""

@final
class Sizes:
    """The sizes of the parts of a chunk, in the unit of the chunking."""

    @property
    def text(self) -> int:
        """The size of the text."""
    @property
    def context(self) -> int:
        """The size of the header."""
    @property
    def overlap(self) -> int:
        """The size of the overlap."""
    @property
    def total(self) -> int:
        """The size of the three together."""

@final
class Part:
    """Which part of something that was divided because of its size; 1 of 1 if it was not."""

    @property
    def index(self) -> int:
        """The position, from 1."""
    @property
    def count(self) -> int:
        """How many parts there are."""

@final
class Cut:
    """The split before a chunk."""

    @property
    def strength(self) -> str:
        """How natural it is: `heading`, `sentence` and so on."""
    @property
    def reason(self) -> str:
        """The same in words."""

@final
class Outline(Sequence[Block]):
    """The blocks of a document, in order: a sequence."""

    @property
    def language(self) -> str | None:
        """The language, if it is source code."""
    @property
    def fallbacks(self) -> list[str]:
        """What could not be read as it was expected, and what was done instead."""
    @overload
    def __getitem__(self, index: int, /) -> Block: ...
    @overload
    def __getitem__(self, index: slice, /) -> list[Block]: ...
    def __iter__(self) -> Iterator[Block]: ...
    def __len__(self) -> int: ...
    def index(self, value: object, start: int = 0, stop: int | None = None, /) -> int:
        """The place of the first equal item, from `start` to before `stop`; `ValueError` if there is none."""
    def count(self, value: object, /) -> int:
        """How many items are equal to this one."""

@final
class Block:
    """A block of a document: a heading, a paragraph, a list, a table, a definition."""

    @property
    def kind(self) -> str:
        """What it is."""
    @property
    def level(self) -> int | None:
        """The level of a heading: 1 to 6, and up to 24 in formats that have more."""
    @property
    def name(self) -> str | None:
        """The title of a heading, or what a definition is called."""
    @property
    def language(self) -> str | None:
        """The language of a code block that names one, or of source code."""
    @property
    def lines(self) -> tuple[int, int]:
        """The first and the last line, counted from 1."""

@final
class Embedder:
    """Turns texts into vectors: by the built-in table, or by a model on disk.

    `model` is a folder with `model.onnx` and `tokenizer.json`, as model hubs lay them out, or a model in it. Raises
    `ModelError` when it cannot be read. An embedder can be pickled, and any number of threads may use it.
    """

    def __new__(cls, model: str | os.PathLike[str] | None = None) -> Embedder: ...
    @property
    def dimensions(self) -> int:
        """How many numbers a vector has."""
    @property
    def identity(self) -> str:
        """Everything that a vector depends on besides its text: vectors with the same identity can be compared."""
    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """The vectors of some texts, each a list of `dimensions` numbers.

        They have length 1, but for those of the built-in table, which are 0 for a text without words. Raises
        `TypeError` if a text is not a `str`, `TextError` for a lone surrogate, and `ModelError` when the model fails.
        """
    def embed_query(self, text: str) -> list[float]:
        """The vector of a question, to compare with those of texts by their dot product.

        Raises what `embed` raises.
        """
    def embed_batch(
        self, batch: _Data, text: str | None = None, *, into: str = "vector", threads: int | None = None
    ) -> _Data:
        """Add the vectors of the texts of a record batch as the column `into`, a list of float32 of fixed size.

        `text` is the column to embed. By default that is the header, the overlap and the text of chunks together. It is
        null where there is no text.

        Raises `BatchError` for columns that are missing, have the wrong type or exist already, and for input that
        cannot be read, and `ModelError` when the model fails.
        """
    def embed_table(
        self, table: Any, text: str | None = None, *, into: str = "vector", threads: int | None = None
    ) -> Any:
        """Add the vectors of the texts of a table, as `embed_batch` does."""
    def embed_stream(
        self, stream: Any, text: str | None = None, *, into: str = "vector", threads: int | None = None
    ) -> Any:
        """Add the vectors of the texts of a stream of record batches, each batch when it is asked for.

        What is wrong with the columns is raised at once, and what is wrong with a batch when it is read.
        """

@final
class LocalServer:
    """Answers the requests of the HTTP API for a folder, for collections, or for what an index contains."""

    def __new__(
        cls, path: str, collections: list[str], library: bool, index: str | None, sync: bool
    ) -> LocalServer: ...
    @property
    def notes(self) -> list[str]: ...
    @property
    def is_stored(self) -> bool: ...
    def request(self, method: str, address: str, body: bytes | None = None) -> tuple[int, bytes]: ...
    def close(self) -> None: ...
