"""The examples of the guide, run in the sample folder."""

import doctest
import os
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
GUIDE = ROOT / "docs/guide/python.md"


@pytest.mark.usefixtures("home")
def test_the_examples_of_the_guide_print_what_it_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT / "examples")
    blocks = re.finditer(r"^```pycon\n(.*?)^```$", GUIDE.read_text(), re.MULTILINE | re.DOTALL)
    known: dict[str, object] = {}
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.IGNORE_EXCEPTION_DETAIL)
    count = 0
    for block in blocks:
        test = doctest.DocTestParser().get_doctest(block[1], known, f"{os.path.relpath(GUIDE, ROOT)}", str(GUIDE), 0)
        known = test.globs
        runner.run(test, clear_globs=False)
        count += len(test.examples)
    assert count > 10
    assert runner.failures == 0
