"""The titles of reStructuredText, compared with docutils on the real documentation that EXCERPT_SOURCES has."""

import io
import os
from pathlib import Path

import excerpt
import pytest
from docutils import nodes
from docutils.frontend import get_default_settings
from docutils.parsers.rst import Parser
from docutils.utils import new_document

SHARE = 0.995
ENOUGH = 2000


def expected(text: str) -> list[tuple[int, int]]:
    """The level and a line of each title, as docutils nests them."""
    settings = get_default_settings(Parser)
    settings.report_level, settings.halt_level = 5, 6
    settings.file_insertion_enabled = settings.raw_enabled = False
    settings.warning_stream = io.StringIO()
    document = new_document("text", settings)
    Parser().parse(text, document)
    found: list[tuple[int, int]] = []

    def walk(node: nodes.Element, level: int) -> None:
        for child in node.children:
            if isinstance(child, nodes.section):
                found.append((min(level, 6), child.children[0].line))
                walk(child, level + 1)

    walk(document, 1)
    return found


def test_titles_are_those_of_docutils() -> None:
    folder = os.environ.get("EXCERPT_SOURCES")
    if not folder:
        pytest.skip("EXCERPT_SOURCES names no folder with real documentation")
    paths = list(Path(folder).rglob("*.rst"))
    chunker = excerpt.Chunker()
    total = right = 0
    wrong: list[str] = []
    for path in sorted(paths):
        text = path.read_text(encoding="utf-8")
        outline = chunker.outline(text, path="a.rst")
        ours = [(block.level, *block.lines) for block in outline if block.kind == "heading"]
        theirs = expected(text)
        total += len(theirs)
        right += sum(any(level == ours_level and first <= line <= last for ours_level, first, last in ours) for level, line in theirs)
        if len(ours) != len(theirs):
            wrong.append(f"{path}: {len(ours)} titles, docutils has {len(theirs)}")
    if total < ENOUGH:
        pytest.skip(f"EXCERPT_SOURCES has only {total} titles of reStructuredText")
    assert right >= SHARE * total, (right, total, wrong[:10])
    assert len(wrong) <= (1 - SHARE) * len(paths), wrong[:10]
