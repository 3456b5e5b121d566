#!/usr/bin/env python3
"""Tests the page of `excerpt serve` in a browser.

usage: run.py BINARY NODE_FOLDER [SHOTS]
       run.py --packages

NODE_FOLDER contains `node_modules` with the packages that the second form prints, in their pinned versions. SHOTS is a folder for pictures of every view. The
browser is $CHROMIUM, or else /usr/bin/chromium. Documents, index and user data are in a temporary folder.
"""
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

PACKAGES = {"axe-core": "4.14.1", "playwright-core": "1.65.1"}

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parents[3] / "examples"

# The timeouts of the whole run, and of the server's start and end, in case something hangs.
LONGEST = 400
LONGEST_WAIT = 60

# So many failed checks are printed.
MOST_WRONG = 12

OVERRIDE, ISOLATE, END_ISOLATE, ZERO_WIDTH, BELL, ESCAPE, BOM = "\u202e", "\u2066", "\u2069", "\u200b", "\a", "\x1b", "\ufeff"
TAGS = "\U000e0041\U000e0042"
EMOJI = "\U0001f469\u200d\U0001f680 \u2764\ufe0f"

ATTACK = f"""---
title: "<img src=x onerror=alert(1)> {OVERRIDE}gnitteb"
tags: ["<script>alert(2)</script>", "{OVERRIDE}gnp.tag"]
date: 2026-01-02
---

# <script>alert(3)</script> Hostile heading {OVERRIDE}evil\u202c tail

Zebra attack: <img src=x onerror="alert(4)"> <svg onload=alert(5)> <style>body{{display:none}}</style>

[script](javascript:alert(6)), [data](data:text/html,<script>alert(7)</script>), [file](file:///etc/passwd), [none](none.md) and [web](https://example.org/a?b=1&c="x")

Zebra: {OVERRIDE}user\u202c {ISOLATE}isolated{END_ISOLATE} {ZERO_WIDTH}zero width, tags {TAGS}, {ESCAPE}[31mred{ESCAPE}[0m, bell {BELL}, emoji {EMOJI}.

{ZERO_WIDTH * 2000}

| a | zebra |
| --- | --- |
| "onmouseover=alert(8) | '><b>bold</b> |

</div></main></body></html><iframe src="javascript:alert(9)"></iframe>
"""

LINES = 20_000


def long_document() -> str:
    """A heading every hundred lines, and LINES lines in all."""
    lines = (f"## Part {n // 100}" if n % 100 == 0 else f"Line {n} of a long document about a zebra." for n in range(1, LINES + 1))
    return "\n".join(lines) + "\n"


HOSTILE = {
    "attack.md": ATTACK,
    f"odd name 1 ?&%41 {OVERRIDE}.md": "# Odd name\n\nA zebra with an odd name.\n",
    "crlf.md": f"{BOM}# Line ends\r\n\r\nOne line.\r\nTwo\rhalf lines about a zebra.\r\n",
    "line.txt": ("A zebra in a very long line. " * 40_000)[: 1 << 20],
    "long.md": long_document(),
}

DRAFTS = {"plan.md": "# Plan\n\nPaint the lighthouse in June.\n"}


class Wrong(Exception):
    """An error of the page or the server."""


class Server:
    """`excerpt serve` on a free port, with collections in a temporary folder."""

    def __init__(self, binary: pathlib.Path, made: pathlib.Path) -> None:
        self.binary, self.made = binary, made
        self.log = made / "log"
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(made),
            "XDG_CONFIG_HOME": str(made / "config"),
            "XDG_DATA_HOME": str(made / "data"),
            "EXCERPT_BACKGROUND": "0",
        }

    def add(self, name: str, folder: pathlib.Path) -> None:
        done = subprocess.run([self.binary, "add", folder, "--name", name], env=self.environment, capture_output=True, text=True, timeout=LONGEST_WAIT)
        if done.returncode != 0:
            raise Wrong(f"`add {folder}` ended with {done.returncode}: {done.stderr}")

    def write(self, name: str, documents: dict) -> pathlib.Path:
        folder = self.made / name
        folder.mkdir()
        for path, text in documents.items():
            (folder / path).write_bytes(text.encode())
        self.add(name, folder)
        return folder

    @contextlib.contextmanager
    def running(self):
        """The server, from its start until it has answered SIGTERM."""
        command = [self.binary, "serve", "--library", "--listen", "127.0.0.1:0", "--log", "json"]
        with self.log.open("w") as log:
            process = subprocess.Popen(command, env=self.environment, stdout=subprocess.PIPE, stderr=log, text=True, cwd=self.made)
        timeout = threading.Timer(LONGEST_WAIT, process.kill)
        timeout.start()
        try:
            printed = [process.stdout.readline() for _ in range(4)]
            self.base = printed[0].removeprefix("serving at ").strip()
            self.token = printed[1].partition("?token=")[2].strip()
            if not self.base.startswith("http://127.0.0.1:") or not self.token:
                raise Wrong(f"the server printed {printed} and logged {self.log.read_text()[-2000:]}")
            self.wait_until_current()
            timeout.cancel()
            yield self
            process.terminate()
            code = process.wait(timeout=LONGEST_WAIT)
            if code != 0:
                raise Wrong(f"the server ended with {code} after SIGTERM: {self.log.read_text()[-2000:]}")
        finally:
            timeout.cancel()
            process.kill()
            process.wait()

    def wait_until_current(self) -> None:
        # A proxy of this machine is for other addresses.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        request = urllib.request.Request(f"{self.base}/v1/status", headers={"Authorization": f"Bearer {self.token}"})
        until = time.monotonic() + LONGEST_WAIT
        while True:
            with opener.open(request, timeout=LONGEST_WAIT) as reply:
                sources = json.load(reply)["sources"]
            if sources and all(source["state"] == "current" for source in sources):
                return
            if time.monotonic() > until:
                raise Wrong(f"the sources are not up to date: {sources}")
            time.sleep(0.05)

    def check_log(self) -> list:
        """What is wrong with the log."""
        text = self.log.read_text()
        wrong = ["the log contains the token"] if self.token in text else []
        for line in text.splitlines():
            entry = json.loads(line) if line.startswith("{") else {}
            if entry.get("level") == "ERROR" or entry.get("status", 0) >= 500:
                wrong.append(f"the server logged {line}")
        return wrong


def browser() -> str:
    path = os.environ.get("CHROMIUM", "/usr/bin/chromium")
    return path if os.access(path, os.X_OK) else sys.exit(f"there is no browser `{path}`: install Chromium, or set CHROMIUM")


def check_packages(folder: pathlib.Path) -> None:
    for name, version in PACKAGES.items():
        described = folder / "node_modules" / name / "package.json"
        found = json.loads(described.read_text())["version"] if described.exists() else "none"
        if found != version:
            sys.exit(f"{folder} has {name} {found}, expected {version}: install {packages()}")


def packages() -> str:
    return " ".join(f"{name}@{version}" for name, version in PACKAGES.items())


def run(server: Server, drafts: pathlib.Path, words: dict) -> dict:
    """The result of page.mjs: how many checks passed, and which failed."""
    node = shutil.which("node") or sys.exit("there is no `node`")
    environment = {**os.environ, **words, "BASE": server.base, "TOKEN": server.token, "DRAFTS": str(drafts)}
    done = subprocess.run([node, HERE / "page.mjs"], env=environment, stdout=subprocess.PIPE, text=True, timeout=LONGEST)
    if done.returncode != 0:
        raise Wrong(f"page.mjs ended with {done.returncode}")
    return json.loads(done.stdout)


def main() -> None:
    if sys.argv[1:] == ["--packages"]:
        print(packages())
        return
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    binary, folder, *shots = (pathlib.Path(word).resolve() for word in sys.argv[1:])
    if not binary.is_file():
        sys.exit(f"there is no binary `{binary}`")
    check_packages(folder)
    words = {"CHROMIUM": browser(), "NODE_FOLDER": str(folder), "SHOTS": str(shots[0]) if shots else ""}
    with tempfile.TemporaryDirectory(prefix="excerpt-page-") as made:
        server = Server(binary, pathlib.Path(made).resolve())
        try:
            for name, examples in {"guide": "docs", "notes": "notes", "code": "code"}.items():
                server.add(name, EXAMPLES / examples)
            server.write("hostile", HOSTILE)
            drafts = server.write("drafts", DRAFTS)
            with server.running():
                result = run(server, drafts, words)
            wrong = result["wrong"] + server.check_log()
        except Wrong as error:
            sys.exit(f"page: {error}")
    for line in wrong[:MOST_WRONG]:
        print(f"page: {line}", file=sys.stderr)
    if wrong:
        sys.exit(f"page: {len(wrong)} checks failed, {result['checked']} passed")
    print(f"{result['checked']} checks passed")


if __name__ == "__main__":
    main()
