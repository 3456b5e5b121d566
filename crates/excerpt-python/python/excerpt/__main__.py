"""The command line: `python -m excerpt`, and the program `excerpt`."""

import os
import signal
import sys

from . import _excerpt


def main() -> int:
    """Run a command, and return the code to exit with."""
    # A command ends at Ctrl-C as any program does, and does not raise an error in Python.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _excerpt.main(_program(), ["excerpt", *sys.argv[1:]])


def _program() -> list[str]:
    """What starts the command line again, in any folder, without what is in that folder."""
    script = os.path.abspath(sys.argv[0])
    if os.path.basename(script) == "excerpt" and os.access(script, os.X_OK) and os.path.isfile(script):
        return [script]
    safe = ["-P"] if sys.version_info >= (3, 11) else []
    return [sys.executable, *safe, "-m", "excerpt"]


if __name__ == "__main__":
    sys.exit(main())
