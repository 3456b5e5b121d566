"""How the package is used, for type checkers: nothing here is run."""

import datetime
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import excerpt
import pyarrow as pa


def chunks(text: str) -> list[tuple[str, int, tuple[int, int]]]:
    chunker = excerpt.Chunker("docs", target=200, overlap="15%", sizer=len, levels=[1, 2])
    chunking: excerpt.Chunking = chunker.chunk(text, Path("a.md"), language="markdown")
    first: excerpt.Chunk = chunking[0]
    rest: list[excerpt.Chunk] = chunking[1:]
    trail: list[str] = first.trail
    header: str = first.context.header
    rows: list[dict[str, Any]] = chunking.to_dicts()
    page: excerpt.Preview = chunking.show()
    page.save("a.html")
    names = [block.name for block in chunker.outline(text) if block.level == 1]
    print(rest, trail, header, rows, names)
    return [(chunk.text, chunk.size.total, chunk.span.chars) for chunk in chunking]


def no_setting() -> excerpt.Chunker:
    return excerpt.Chunker(limit=200)  # type: ignore[call-arg]


def many(texts: Sequence[str]) -> int:
    documents: list[tuple[str, str | None]] = [(text, None) for text in texts]
    return sum(len(chunking) for chunking in excerpt.Chunker().chunk_many(documents, threads=2))


def many_of_other_kinds(texts: Iterable[str], path: Path) -> None:
    chunker = excerpt.Chunker()
    rows = [{"text": text, "path": "a.md"} for text in texts]
    given: list[excerpt.GivenDocument] = [{"text": text, "path": path} for text in texts]
    splits: list[excerpt.ChunkingIterator] = [chunker.chunk_many(texts), chunker.chunk_many(rows), chunker.chunk_many(given)]
    print(splits)
    list(chunker.chunk_many("a text"))  # type: ignore[call-overload]
    list(chunker.chunk_many({"text": "a text"}))  # type: ignore[call-overload]


def settings() -> excerpt.Chunker:
    known: excerpt.ChunkerSettings = {"preset": "docs", "target": 200, "overlap": "15%", "sizer": len}
    return excerpt.Chunker(**known)


def as_sequence(chunking: excerpt.Chunking) -> Sequence[excerpt.Chunk]:
    blocks: Sequence[excerpt.Block] = excerpt.Chunker().outline(chunking.text)
    print(len(blocks), list(reversed(chunking)), chunking.index(chunking[0]), chunking.count(chunking[0]))
    return chunking


def batches(batch: pa.RecordBatch, table: pa.Table) -> tuple[pa.RecordBatch, pa.Table]:
    chunker, embedder = excerpt.Chunker(), excerpt.Embedder()
    split: pa.RecordBatch = chunker.chunk_batch(batch, path="path", id="id")
    return embedder.embed_batch(split), chunker.chunk_table(table, text="body")


def search(question: str) -> list[str]:
    with excerpt.Index("notes", progress=lambda done, total, stage: None) as index:
        results: excerpt.SearchResults = index.search(question, limit=3, ranks="chunks", tags=["a"])
        hit: excerpt.Hit = results[0]
        document: excerpt.Document = index.get(hit.citation, neighbours=1)
        status: excerpt.Status = index.sync(retry=True)
        print(document.text, status.documents)
        return [hit.citation for hit in results if not hit.weak]


def no_filter(index: excerpt.Index) -> None:
    index.search("tea", kind=["doc"])  # type: ignore[call-arg]
    index.search("tea", ranks="lines")  # type: ignore[arg-type]


def filtered(index: excerpt.Index) -> excerpt.SearchResults:
    filters: excerpt.SearchFilters = {"languages": {"rust"}, "since": datetime.date(2026, 1, 1), "fields": {"draft": False}}
    return index.search("tea", limit=3, **filters)


async def typos(options: excerpt.IndexOptions) -> excerpt.Status:
    excerpt.AsyncIndex("notes", tokn="a")  # type: ignore[call-arg]
    index = excerpt.AsyncIndex("notes", **options)
    await index.add("notes", tilte="a")  # type: ignore[call-arg]
    await index.sync(retri=True)  # type: ignore[call-arg]
    await index.search("tea", tags="drinks", languages={"markdown"})
    return await index.sync(retry=True)


async def ask(question: str) -> excerpt.SearchResults:
    async with excerpt.AsyncIndex("http://127.0.0.1:7700", token="secret") as index:
        return await index.search(question)
