"""Shared by both judges of the MCP server: a folder of documents with its own index, and a count of the checks."""
import contextlib
import fcntl
import os
import pathlib
import subprocess
import sys
import tempfile

# The tested protocol revisions, newest first.
REVISIONS = ["2026-07-28", "2025-11-25", "2025-06-18"]

DOCUMENTS = {
    "README.md": "# Kitchen\n\nNotes on drinks, see [tea](docs/tea.md).\n",
    "docs/tea.md": "# Tea\n\nGreen tea wants water of eighty degrees.\n\n## Black tea\n\nBlack tea wants boiling water, and takes [milk](milk.md).\n",
    "docs/milk.md": "---\ntags: [dairy]\n---\n# Milk\n\nMilk goes into black tea.\n",
    "docs/größe 1.md": "# Größe\n\nA cup holds two hundred millilitres.\n",
    "src/kettle.rs": "/// Boils water for tea.\npub fn boil_water(litres: f64) -> bool {\n    litres > 0.0\n}\n",
}


class Project:
    """A temporary folder of documents. Its index and all user data of the binary are next to it."""

    def __init__(self, binary: str, documents: dict = DOCUMENTS) -> None:
        self.binary = pathlib.Path(binary).resolve()
        if not self.binary.is_file():
            sys.exit(f"there is no binary `{binary}`")
        self._made = tempfile.TemporaryDirectory(prefix="excerpt-mcp-")
        made = pathlib.Path(self._made.name).resolve()
        self.folder = made / "served"
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(made),
            "XDG_CONFIG_HOME": str(made / "config"),
            "XDG_DATA_HOME": str(made / "data"),
            "EXCERPT_INDEX": str(made / "index"),
            "EXCERPT_BACKGROUND": "0",
        }
        self.folder.mkdir()
        self.write(documents)

    def __enter__(self) -> "Project":
        return self

    def __exit__(self, *_) -> None:
        self._made.cleanup()

    def write(self, documents: dict) -> None:
        for path, text in documents.items():
            file = self.folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")

    @contextlib.contextmanager
    def held(self):
        """Locks the index like a writer. Calling the yielded function releases it."""
        with open(pathlib.Path(self.environment["EXCERPT_INDEX"], "lock")) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield lambda: fcntl.flock(file, fcntl.LOCK_UN)

    def sync(self) -> "Project":
        subprocess.run([self.binary, "sync", self.folder], env=self.environment, check=True, capture_output=True, timeout=60)
        return self

    @contextlib.contextmanager
    def served(self, *words: str):
        """`excerpt serve` of this folder on a free port. Yields its address and its token, and checks how it ends."""
        command = [str(self.binary), "serve", str(self.folder), "--listen", "127.0.0.1:0", "--log", "off", *words]
        server = subprocess.Popen(command, env=self.environment, stdout=subprocess.PIPE, text=True)
        try:
            lines = [server.stdout.readline() for _ in range(4)]
            yield lines[0].split()[-1], lines[1].strip().partition("token=")[2]
            server.terminate()
            if server.wait(timeout=30) != 0:
                raise Wrong(f"the server ended with {server.returncode}")
        finally:
            server.kill()
            server.wait()
            server.stdout.close()

    def token(self, name: str, *words: str) -> str:
        """A new token."""
        made = subprocess.run([self.binary, "token", "add", name, *words], env=self.environment, check=True, capture_output=True, text=True, timeout=60)
        return made.stdout.strip()

    def command(self, *words: str) -> list:
        """The command that serves this folder."""
        return [str(self.binary), "mcp", str(self.folder), *words]


class Judge:
    """Counts the passed checks, and exits at the first one that fails."""

    def __init__(self) -> None:
        self.checked = 0

    def check(self, what: str, is_right: object, found: object = "") -> None:
        if not is_right:
            raise Wrong(f"{what}: {found!r}" if found != "" else what)
        self.checked += 1

    def same(self, what: str, found: object, expected: object) -> None:
        self.check(what, found == expected, f"found {found!r}, expected {expected!r}")


class Wrong(Exception):
    """An error of the server."""
