"""What several tests search: a folder with notes, and a server of it."""

import contextlib
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import excerpt
import pytest

Served = Callable[[Path], AbstractContextManager[tuple[str, str]]]

NOTES = {
    "tea.md": "---\ntags: [drinks]\nauthor: Ann\nscore: 7\ndate: 2026-03-01\n---\n# Tea\n\n"
    "Green tea wants water of eighty degrees.\n\n## Black\n\nBlack tea wants boiling water.\n",
    "harbour/siren.md": "# The siren\n\nThe siren rings when the water rises by two centimetres.\n",
    "code/tide.py": 'def next_tide(now):\n    """When the next high water is."""\n    return now + 12\n',
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own for settings, indexes and tokens, in place of the user's."""
    folder = tmp_path / "home"
    monkeypatch.setenv("HOME", str(folder))
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "EXCERPT_INDEX"):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture
def notes(home: Path) -> Path:
    """A folder with notes, and a home of its own."""
    folder = home.parent / "notes"
    for name, text in NOTES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.fixture
def served() -> Served:
    """Serves a folder while it is entered: the address of the server, and its own token."""
    return _served


@contextlib.contextmanager
def _served(folder: Path) -> Iterator[tuple[str, str]]:
    """The address of a server, and its own token."""
    command = [sys.executable, "-m", "excerpt", "serve", str(folder), "--listen", "127.0.0.1:0", "--log", "off"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        address = server.stdout.readline().split()[-1]
        token = server.stdout.readline().partition("token=")[2].strip()
        with excerpt.Index(address, token=token) as remote:
            remote.sync()
        yield address, token
    finally:
        server.terminate()
        server.wait(timeout=30)
