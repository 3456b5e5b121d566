"""The page that shows how a document was split."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

# What is imported below is rarely needed, and takes long.


class Preview(str):
    """A page in HTML: its text, and what can be done with it."""

    __slots__ = ()

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page to a file, and return its path."""
        from pathlib import Path

        file = Path(path)
        file.write_text(self, encoding="utf-8")
        return file

    def open(self) -> Path:
        """Show the page in a browser, from a file in the folder for temporary files; return its path."""
        import tempfile
        import webbrowser

        handle, name = tempfile.mkstemp(prefix="excerpt-", suffix=".html")
        os.close(handle)
        file = self.save(name)
        webbrowser.open(file.as_uri())
        return file

    def _repr_html_(self) -> str:
        """The page in a frame of its own: its styles change nothing else in a notebook."""
        import html

        page = html.escape(self, quote=True)
        return f'<iframe srcdoc="{page}" width="100%" height="480" style="border: 0" title="Chunks"></iframe>'
