"""The command line: `python -m excerpt`, and the program `excerpt`."""

import signal
import sys

from . import _excerpt


def main() -> int:
    """Run a command, and return the code to exit with."""
    # A command ends at Ctrl-C as any program does, and does not raise an error in Python.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    program = [sys.executable, "-m", "excerpt"]
    return _excerpt.main(program, ["excerpt", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
