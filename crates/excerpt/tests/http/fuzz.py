#!/usr/bin/env python3
"""Compares the API of `excerpt serve` with its own description, by requests that schemathesis makes of it.

usage: fuzz.py BINARY [EXAMPLES]

EXAMPLES is the number of random requests for each operation (default: 40). The server has a folder of documents and a collection. Requests that follow the
description must be accepted, others refused, and every answer must be as described. No request may be the fault of the server.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = pathlib.Path(__file__).parent

DOCUMENTS = {
    "README.md": "# Kitchen\n\nNotes on drinks, see [tea](docs/tea.md).\n",
    "docs/tea.md": "---\ntags: [drink]\nstatus: open\n---\n# Tea\n\nGreen tea wants water of eighty degrees.\n\n## Black tea\n\nBlack tea wants boiling water.\n",
    "src/kettle.rs": "/// Boils water for tea.\npub fn boil_water(litres: f64) -> bool {\n    litres > 0.0\n}\n",
}

# The longest run, in case something hangs.
LONGEST = 400


def ready(address: str, token: str) -> None:
    """Waits until everything is indexed."""
    request = urllib.request.Request(f"{address}/v1/status", headers={"Authorization": f"Bearer {token}"})
    end = time.monotonic() + 60
    while time.monotonic() < end:
        with urllib.request.urlopen(request, timeout=30) as answer:
            if b'"documents":3' in answer.read():
                return
        time.sleep(0.05)
    sys.exit("fuzz: the documents were not indexed in time")


def main() -> None:
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    binary, examples = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2] if len(sys.argv) == 3 else "40"
    with tempfile.TemporaryDirectory(prefix="excerpt-http-") as made:
        folder = pathlib.Path(made, "served")
        for path, text in DOCUMENTS.items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        environment = {"PATH": os.environ["PATH"], "HOME": made, "XDG_CONFIG_HOME": f"{made}/config", "XDG_DATA_HOME": f"{made}/data"}
        command = [binary, "serve", folder, "--listen", "127.0.0.1:0", "--log", "off", "--rate", "100000"]
        server = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        try:
            lines = [server.stdout.readline() for _ in range(4)]
            address, token = lines[0].split()[-1], lines[1].strip().partition("token=")[2]
            ready(address, token)
            # The events never end.
            words = ["run", f"{address}/v1/openapi.json", "--url", address, "--exclude-path", "/v1/events", "--max-examples", examples]
            program = pathlib.Path(sys.executable).parent / "schemathesis"
            run = subprocess.run([program, *words, "-H", f"Authorization: Bearer {token}"], cwd=HERE, timeout=LONGEST)
            server.terminate()
            ended = server.wait(timeout=30)
        finally:
            server.kill()
            server.wait()
    if run.returncode != 0 or ended != 0:
        sys.exit(f"fuzz: schemathesis ended with {run.returncode}, and the server with {ended}")


if __name__ == "__main__":
    main()
