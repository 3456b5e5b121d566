"""What a new user does first, in an environment that has nothing but the wheel.

usage: python fresh.py WHEEL [LARGEST]

LARGEST is how many bytes the wheel may have.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def main() -> None:
    size = os.path.getsize(sys.argv[1])
    if len(sys.argv) > 2:
        assert size <= int(sys.argv[2]), f"the wheel has {size} bytes, the limit is {sys.argv[2]}"
    program = Path(sys.executable).with_name("excerpt")
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "HOME": folder, "EXCERPT_BACKGROUND": "0"}
        notes = Path(folder) / "notes"
        notes.mkdir()
        (notes / "tea.md").write_text("# Tea\n\nGreen tea wants water of eighty degrees.\n")

        def run(*command: str, **options: object) -> str:
            done = subprocess.run(command, env=environment, cwd=notes, stdout=subprocess.PIPE, text=True, check=True, **options)  # type: ignore[call-overload]
            return str(done.stdout)

        # The program, the module as a program, and the Python of the README.
        assert run(str(program), "--version") == run(sys.executable, "-m", "excerpt", "--version")
        assert "tea.md" in run(str(program), "search", "how hot is the water")
        readme = (Path(__file__).parents[3] / "README.md").read_text()
        code = readme.split("```python\n")[1].split("```")[0]
        (notes / "README.md").write_text(readme)
        assert run(sys.executable, "-c", code).splitlines()[-1].startswith("README.md:")

        # An agent starts the server of MCP in the same way.
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
        answered = run(str(program), "mcp", ".", input=json.dumps(message) + "\n")
        assert json.loads(answered.splitlines()[0])["result"]["serverInfo"]["name"] == "excerpt"

        # Wrong arguments end a command as they do in any program.
        refused = subprocess.run([program, "serch"], env=environment, stderr=subprocess.PIPE, text=True)
        assert refused.returncode == 2 and "search" in refused.stderr

    begin = time.process_time()
    import excerpt

    print(f"wheel {size:,} bytes, import {(time.process_time() - begin) * 1000:.0f} ms of CPU, version {excerpt.__version__}")


if __name__ == "__main__":
    main()
