#!/usr/bin/env python3
"""Measures sources that are not on this disk, and mirrors.

Corpus: text files of the pinned dependencies, as `cargo metadata` finds them, in one git repository; for object stores, generated notes that a
server in this program lists and sends. Everything is in a temporary folder. CPU seconds are those of the program and its children.

Command, from the folder `benches`: `python3 remotes/run.py --program ../target/release/excerpt [--files 11000] [--objects 100000] [--kills 100]
[--seed 1]`; prints a line of JSON for each figure.
"""

import argparse
import http.server
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import urllib.parse

ENDINGS = (".rs", ".md", ".toml", ".c", ".h", ".py", ".txt", ".scm")
PAGE = 1000
KEYS = {"AWS_ACCESS_KEY_ID": "bench", "AWS_SECRET_ACCESS_KEY": "bench", "AWS_REGION": "us-east-1"}
NOBODY = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_AUTHOR_NAME": "Bench",
    "GIT_AUTHOR_EMAIL": "bench@localhost",
    "GIT_COMMITTER_NAME": "Bench",
    "GIT_COMMITTER_EMAIL": "bench@localhost",
}


class Bench:
    def __init__(self, program, folder):
        self.program = program
        self.folder = folder

    def environment(self, home):
        folder = self.folder / home
        names = {"HOME": folder, "XDG_DATA_HOME": folder / "data", "XDG_CONFIG_HOME": folder / "config"}
        own = {name: str(path) for name, path in names.items()}
        return {**os.environ, **NOBODY, **KEYS, **own, "EXCERPT_BACKGROUND": "0"}

    def run(self, home, *arguments):
        """Runs the program; returns its JSON, its seconds of CPU and of the clock, and its largest resident memory in MB."""
        before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        measured = ["/usr/bin/env", "python3", "-c", PEAK, self.program, *map(str, arguments)]
        done = subprocess.run(measured, env=self.environment(home), capture_output=True, text=True, cwd=self.folder)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        *lines, peak = done.stdout.splitlines()
        if done.returncode > 1:
            raise SystemExit(f"{arguments}: {done.stderr}")
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return json.loads(lines[0] if lines else "{}"), round(cpu, 2), round(time.monotonic() - begin, 2), int(peak) // 1024

    def git(self, folder, *arguments):
        command = ["git", "-C", str(folder), *arguments]
        return subprocess.run(command, env={**os.environ, **NOBODY}, check=True, capture_output=True, text=True).stdout.strip()


# Runs a command, and prints its largest resident memory in kB.
PEAK = "import resource, subprocess, sys; code = subprocess.call(sys.argv[1:]); print(); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); sys.exit(code)"


def say(figure, **values):
    print(json.dumps({"figure": figure, **values}), flush=True)


def corpus(folder, count):
    """Copies text files of the dependencies; returns their number."""
    manifest = pathlib.Path(__file__).resolve().parents[2] / "Cargo.toml"
    listed = subprocess.run(["cargo", "metadata", "--format-version", "1", "--offline", "--manifest-path", manifest], check=True, capture_output=True)
    packages = sorted(package["manifest_path"] for package in json.loads(listed.stdout)["packages"] if package["source"])
    copied = 0
    for package in map(pathlib.Path, packages):
        for file in sorted(package.parent.rglob("*")):
            if copied == count:
                return copied
            if file.suffix in ENDINGS and file.is_file() and file.stat().st_size < 200_000:
                place = folder / package.parent.name / file.relative_to(package.parent)
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, place)
                copied += 1
    return copied


def daemon(folder):
    """Starts `git daemon` on a free port; returns the process and its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = ["git", "daemon", "--reuseaddr", "--export-all", f"--base-path={folder}", "--listen=127.0.0.1", f"--port={port}", str(folder)]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    while True:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return process, f"git://127.0.0.1:{port}"


def repositories(bench, files):
    work, bare = bench.folder / "work", bench.folder / "bare" / "corpus.git"
    work.mkdir()
    bench.git(work, "init", "-q", "-b", "main")
    count = corpus(work, files)
    bench.git(work, "add", "-A", "-f")
    bench.git(work, "commit", "-q", "-m", "all")
    bare.parent.mkdir()
    bench.git(bench.folder, "clone", "-q", "--bare", str(work), str(bare))
    bench.git(work, "remote", "add", "origin", str(bare))

    rounds = []
    server, address = daemon(bare.parent)
    try:
        for number in range(3):
            plain, cpu, clock, peak = bench.run(f"plain{number}", "add", work, "--name", "corpus", "--no-ignore", "--json")
            row = {"folder": [cpu, clock, peak]}
            for kind, url in [("file", f"file://{bare}"), ("daemon", f"{address}/corpus.git")]:
                fetched, cpu, clock, peak = bench.run(f"{kind}{number}", "add", url, "--no-ignore", "--json")
                assert fetched["documents"] == plain["documents"], (fetched, plain)
                row[kind] = [cpu, clock, peak]
            rounds.append(row)
    finally:
        server.terminate()
        server.wait()
    say("clone and index", files=count, documents=plain["documents"], rounds=rounds)

    paths = bench.git(work, "ls-files").splitlines()
    # The first one after so large an addition also merges the segments of the keyword index.
    for number in range(4):
        (work / f"added{number}.md").write_text("# Added\n\nA new text.\n")
        (work / paths[10 + number]).write_text("// edited\n")
        bench.git(work, "mv", paths[20 + number], f"renamed{number}.md")
        bench.git(work, "rm", "-q", paths[30 + number])
        bench.git(work, "add", "-A", "-f")
        bench.git(work, "commit", "-q", "-m", "push")
        bench.git(work, "push", "-q", "origin", "main")
        report, cpu, clock, _ = bench.run("file0", "sync", "-c", "corpus", "--json")
        counts = {name: report[name] for name in ["added", "changed", "removed", "read"]}
        say("push of one commit", **counts, sync_seconds=round(report["seconds"], 3), cpu=cpu, clock=clock)
    report, cpu, clock, _ = bench.run("file0", "sync", "-c", "corpus", "--json")
    say("nothing new", read=report["read"], sync_seconds=round(report["seconds"], 3), cpu=cpu, clock=clock)

    bench.git(work, "checkout", "-q", "-b", "next")
    changed = bench.git(work, "ls-files").splitlines()[::100]
    for path in changed:
        with open(work / path, "a") as file:
            file.write("\n// changed in this branch\n")
    bench.git(work, "commit", "-q", "-a", "-m", "next")
    bench.git(work, "push", "-q", "origin", "next")
    bench.run("file0", "edit", "corpus", "--tags", "main", "--json")
    report, cpu, clock, peak = bench.run("file0", "add", f"file://{bare}", "--branch", "next", "--no-ignore", "--json")
    split = report["added"] - report["shared"]
    say("second branch", changed=len(changed), added=report["added"], split=split, share=round(split / report["added"], 4), cpu=cpu, clock=clock, peak=peak)

    mirror = bench.folder / "mirror"
    first, cpu, clock, peak = bench.run("file0", "mirror", "-c", "corpus", mirror, "--json")
    say("mirror to a folder", written=first["written"], megabytes=first["bytes_written"] // 10**6, cpu=cpu, clock=clock, peak=peak)
    second, cpu, clock, _ = bench.run("file0", "mirror", "-c", "corpus", mirror, "--json")
    say("mirror again", written=second["written"], unchanged=second["unchanged"], cpu=cpu, clock=clock)


class Store(http.server.ThreadingHTTPServer):
    """A bucket of generated notes that answers listings and reads, and counts them."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, objects):
        super().__init__(("127.0.0.1", 0), Answer)
        self.objects, self.pages, self.reads = objects, 0, 0
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def url(self):
        return f"http://127.0.0.1:{self.server_port}"


class Answer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        query = urllib.parse.parse_qs(url.query)
        if "list-type" in query:
            self.server.pages += 1
            first = int(query.get("continuation-token", ["0"])[0])
            end = min(first + PAGE, self.server.objects)
            listed = "".join(
                f"<Contents><Key>notes/{number:07}.md</Key><LastModified>2026-11-20T10:00:00.000Z</LastModified>"
                f"<ETag>&quot;{number:x}&quot;</ETag><Size>{len(note(number))}</Size></Contents>"
                for number in range(first, end)
            )
            more = end < self.server.objects
            token = f"<NextContinuationToken>{end}</NextContinuationToken>" if more else ""
            truncated = "true" if more else "false"
            self.send(f"<ListBucketResult>{listed}{token}<IsTruncated>{truncated}</IsTruncated></ListBucketResult>".encode())
        else:
            self.server.reads += 1
            number = int(pathlib.PurePosixPath(url.path).stem)
            self.send(note(number), {"ETag": f'"{number:x}"'})

    def send(self, body, headers={}):
        self.send_response(200)
        for name, value in {"Content-Length": len(body), "Last-Modified": "Fri, 20 Nov 2026 10:00:00 GMT", **headers}.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def note(number):
    return f"# Note {number:07}\n\nThis is about the number {number}, and about {number % 97} as well.\n".encode()


def objects(bench, count):
    store = Store(count)
    _, cpu, clock, peak = bench.run("objects", "add", "s3://bucket", "--endpoint", store.url(), "--json")
    say("objects, first", objects=count, pages=store.pages, reads=store.reads, cpu=cpu, clock=clock, peak=peak)
    store.pages = store.reads = 0
    report, cpu, clock, peak = bench.run("objects", "sync", "-c", "bucket", "--json")
    say("objects, nothing new", unchanged=report["unchanged"], pages=store.pages, reads=store.reads, cpu=cpu, clock=clock, peak=peak)
    store.shutdown()


def kills(bench, count, seed):
    """Kills a clone, a sync or a mirror at a random moment; the next run must end equal to one that was not disturbed."""
    chance = random.Random(seed)
    work, bare, mirror = bench.folder / "notes", bench.folder / "bare" / "notes.git", bench.folder / "notes-mirror"
    work.mkdir()
    bare.parent.mkdir(exist_ok=True)
    bench.git(work, "init", "-q", "-b", "main")

    def change(number):
        for _ in range(25):
            path = work / str(chance.randrange(6)) / f"{chance.randrange(60)}.md"
            path.parent.mkdir(exist_ok=True)
            if path.exists() and chance.random() < 0.3:
                path.unlink()
            else:
                path.write_text(f"# Note {number}\n\n" + f"A paragraph of version {chance.random()}.\n\n" * chance.randrange(1, 40))
        bench.git(work, "add", "-A")
        bench.git(work, "commit", "-q", "--allow-empty", "-m", f"state {number}")
        if bare.exists():
            bench.git(work, "push", "-q", str(bare), "main")
        else:
            bench.git(bench.folder, "clone", "-q", "--bare", str(work), str(bare))

    def state(home):
        listed = subprocess.run([bench.program, "list", "-c", "notes", "--documents", "--json"], env=bench.environment(home), capture_output=True, text=True)
        found = subprocess.run([bench.program, "search", "paragraph version", "-c", "notes", "--json", "--all", "--limit", "50", "--sync", "never"], env=bench.environment(home), capture_output=True, text=True)
        return listed.stdout.replace(home, ""), found.stdout.replace(home, "")

    def files(folder):
        paths = (path for path in folder.rglob("*") if path.is_file() and not path.relative_to(folder).parts[0].startswith("."))
        return {str(path.relative_to(folder)): path.read_bytes() for path in paths}

    times, killed, right = {"clone": 0.4, "sync": 0.4, "mirror": 0.4}, {"clone": 0, "sync": 0, "mirror": 0}, 0
    address = f"file://{bare}"
    number = 0
    change(number)
    while sum(killed.values()) < count:
        number += 1
        kind = chance.choice(list(times))
        if kind == "clone":
            shutil.rmtree(bench.folder / "killed", ignore_errors=True)
            shutil.rmtree(mirror, ignore_errors=True)
            command = ["add", address, "--replace"]
        else:
            bench.run("killed", "add", address, "--replace", "--json")
            change(number)
            command = ["sync", "-c", "notes"] if kind == "sync" else ["mirror", "-c", "notes", str(mirror)]
        process = subprocess.Popen([bench.program, *command], env=bench.environment("killed"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        begin = time.monotonic()
        try:
            process.wait(chance.random() * times[kind])
            times[kind] = max(time.monotonic() - begin, 0.05)
            continue
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
        killed[kind] += 1
        bench.run("killed", "add", address, "--replace", "--json")
        bench.run("killed", "mirror", "-c", "notes", mirror, "--json")
        shutil.rmtree(bench.folder / "fresh", ignore_errors=True)
        bench.run("fresh", "add", address, "--json")
        assert state("killed") == state("fresh"), (seed, number, kind)
        want = files(work)
        want = {path: text for path, text in want.items() if not path.startswith(".git")}
        assert files(mirror) == want, (seed, number, kind, set(files(mirror)) ^ set(want))
        assert not (mirror / ".excerpt-mirror").exists(), (seed, number, kind)
        right += 1
    say("kills", seed=seed, **killed, right=right)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--program", type=pathlib.Path, required=True)
    arguments.add_argument("--files", type=int, default=11_000)
    arguments.add_argument("--objects", type=int, default=100_000)
    arguments.add_argument("--kills", type=int, default=100)
    arguments.add_argument("--seed", type=int, default=1)
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(given.program.resolve(), pathlib.Path(folder).resolve())
        if given.files:
            repositories(bench, given.files)
        if given.objects:
            objects(bench, given.objects)
        if given.kills:
            kills(bench, given.kills, given.seed)


if __name__ == "__main__":
    main()
