#!/usr/bin/env python3
"""Measures how excerpt scales: indexes of 10,000 to 10,000,000 chunks, and whole source trees.

For each corpus, in one run and against `rg` and `git` over the same files:

- a first index, with vectors and with keywords alone: seconds of the clock and of CPU, peak memory
  (VmHWM, and the peak of RssAnon, which is the memory that no file backs), and the size of the
  index against that of the text;
- a check when nothing has changed, an answer with such a check, and an answer after the first,
  the second and the third change of one file;
- the p50 and p99 of searches by keywords, by vectors and by both: warm, from a server that has the
  index open (`excerpt mcp --sync never`), and cold, from a new process after the system has
  forgotten the files of the index.

Corpora (`corpora.py`): the source packages of Linux in Debian 12, ruff, Django and SQLAlchemy, at
pinned versions with digests. A corpus `mixed` of some size is a seeded choice of their files; above
the text that there is (930 MB), blocks of them in another order, so that no two files are equal.
`--trees` measures whole packages as they are. `--own` makes `mixed` from the files of this
repository and needs no network. Recombined files have no new words, so at 10,000,000 chunks the
vocabulary is smaller than that of as many real files.

Commands, from the top of the repository, after `cargo build --release`:

    python3 benches/scale/run.py --work DIR --out RUN
    python3 benches/scale/run.py --work DIR --out RUN --sizes none --trees ruff,linux
    python3 benches/scale/run.py --work DIR --out RUN --own --fraction 0.01 --sizes 10000,100000

DIR keeps packages and corpora for the next run: for 1,000,000 chunks up to 10 GB, with the
packages, and for 10,000,000 some 50 GB. `--fraction 0.01` makes each corpus a hundredth as large.
RUN gets `scale.jsonl` (a line for each measurement), a `README.md` with the table, and
curves as SVG. A run replaces the lines of the corpora that it measures and leaves the others, so
that sizes can be measured one by one. What is not installed (`rg`) is left out.
"""

import argparse
import json
import os
import pathlib
import platform
import random
import re
import shutil
import statistics
import subprocess
import sys
import time

import corpora
import report
from measure import drop_cache, percentile, run, size_of
from questions import Server, longest_word, questions

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONFIGURATIONS = {
    "both": "",
    "keywords": '[search]\nchannels = "keywords"\n',
    "vectors": '[search]\nchannels = "vectors"\n',
    "no-vectors": '[embedding]\nprovider = "none"\n',
}
CHANNELS = ["both", "keywords", "vectors"]
EDITED = {".c", ".h", ".md", ".py", ".rs", ".rst", ".txt"}


class Lines:
    """The file with a line of JSON for each measurement."""

    def __init__(self, file):
        self.file = file
        self.rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []

    def remove(self, corpus):
        self.rows = [row for row in self.rows if row["corpus"] != corpus]

    def add(self, corpus, measured, **figures):
        row = {"corpus": corpus, "measured": measured, **figures}
        self.rows.append(row)
        self.file.write_text("".join(json.dumps(row) + "\n" for row in self.rows), encoding="utf-8")
        shown = {name: value for name, value in row.items() if name != "milliseconds"}
        print(json.dumps(shown), file=sys.stderr, flush=True)


class Bench:
    """The measurements of one corpus."""

    def __init__(self, given, corpus, folder, lines):
        self.given, self.corpus, self.folder, self.lines = given, corpus, folder, lines
        self.program = str(given.binary.resolve())
        self.questions = questions(folder, given.questions, given.seed)

    def add(self, measured, **figures):
        self.lines.add(self.corpus, measured, load=round(os.getloadavg()[0], 1), **figures)

    def data(self, index):
        return self.given.work / "indexes" / self.corpus / index

    def environment(self, index, configuration):
        """The variables of a process whose indexes and settings are those of this bench alone."""
        settings = self.given.work / "settings" / configuration
        (settings / "excerpt").mkdir(parents=True, exist_ok=True)
        (settings / "excerpt/excerpt.toml").write_text(CONFIGURATIONS[configuration], encoding="utf-8")
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(settings),
            "XDG_DATA_HOME": str(self.data(index)),
            "XDG_CONFIG_HOME": str(settings),
            "EXCERPT_BACKGROUND": "0",
        }

    def excerpt(self, index, configuration, *arguments):
        command = [self.program, *arguments]
        return run(command, self.folder, self.environment(index, configuration))

    def all(self):
        files = corpora.sorted_files(self.folder)
        self.add("corpus", files=len(files), bytes=sum(path.lstat().st_size for path in files))
        self.peers()
        self.first_index("vectors", "both")
        self.changes()
        self.nothing_changed()
        for channels in CHANNELS:
            self.warm_searches(channels)
        for channels in CHANNELS:
            self.cold_searches(channels)
        self.remove_index("vectors")
        self.first_index("keywords", "no-vectors")
        self.remove_index("keywords")

    def remove_index(self, index):
        if not self.given.keep:
            shutil.rmtree(self.data(index))

    def first_index(self, index, configuration):
        shutil.rmtree(self.data(index), ignore_errors=True)
        measured = self.excerpt(index, configuration, "sync", ".", "--json")
        synced = json.loads(measured.output)
        status = json.loads(self.excerpt(index, configuration, "status", ".", "--json").output)
        if not synced["complete"] or status["chunks"] == 0:
            sys.exit(f"the index is not complete: {synced}")
        counts = {name: status[name] for name in ["documents", "chunks", "text_bytes"]}
        self.add(f"first index, {index}", **measured.figures(), index_bytes=size_of(self.data(index)), **counts)

    def changes(self):
        """Answers after the first and the second change of a file, each by a process of its own."""
        file = self.edited()
        text = file.read_bytes()
        try:
            for name in ["first", "second", "third"]:
                file.write_bytes(text + f"\nThe {name} change.\n".encode())
                measured = self.search(self.questions[0], "always")
                self.add(f"answer, {name} change", **measured.figures())
        finally:
            file.write_bytes(text)
        self.search(self.questions[0], "always")

    def edited(self):
        files = [path for path in corpora.sorted_files(self.folder) if path.suffix in EDITED]
        files = [path for path in files if not path.is_symlink() and 2_000 < path.stat().st_size < 50_000]
        return random.Random(self.given.seed).choice(files)

    def search(self, question, sync, configuration="both"):
        return self.excerpt("vectors", configuration, "search", question, ".", "--sync", sync)

    def nothing_changed(self):
        question = self.questions[0]
        self.repeated("check, nothing changed", lambda: self.excerpt("vectors", "both", "sync", ".", "--json"))
        self.repeated("answer, nothing changed", lambda: self.search(question, "always"))
        self.repeated("answer, nothing checked", lambda: self.search(question, "never"))

    def repeated(self, name, once):
        """Several rounds after one that fills the caches; the medians."""
        once()
        rounds = [once() for _ in range(self.given.rounds)]
        seconds, cpu = [it.seconds for it in rounds], [it.cpu_seconds for it in rounds]
        self.add(
            name,
            seconds=round(statistics.median(seconds), 4),
            cpu_seconds=round(statistics.median(cpu), 4),
            peak_bytes=max(it.peak for it in rounds),
            rounds=[round(it, 4) for it in seconds],
        )

    def peers(self):
        word = longest_word(self.questions[0])
        commands = {"git status": ["git", "status"], "git grep": ["git", "grep", "-c", "-F", "-e", word]}
        if shutil.which("rg"):
            commands |= {"rg --files": ["rg", "--files"], "rg": ["rg", "-c", "-F", "-e", word]}
        for name, command in commands.items():
            self.repeated(name, lambda command=command: run(command, self.folder, self.environment("none", "both")))

    def warm_searches(self, channels):
        environment = self.environment("vectors", channels)
        server = Server([self.program, "mcp", ".", "--sync", "never"], self.folder, environment)
        for question in self.questions:
            server.seconds_to_answer(question)
        seconds = [server.seconds_to_answer(question) for question in self.questions]
        peak, anonymous = server.memory()
        server.end()
        self.add_latency(f"search, warm, {channels}", seconds, peak_bytes=peak, anonymous_bytes=anonymous)

    def cold_searches(self, channels):
        seconds = []
        for question in self.questions[: self.given.cold]:
            drop_cache(self.data("vectors"))
            seconds.append(self.search(question, "never", channels).seconds)
        self.add_latency(f"search, cold, {channels}", seconds)

    def add_latency(self, name, seconds, **figures):
        times = [round(it * 1000, 2) for it in seconds]
        self.add(name, p50_ms=percentile(times, 0.5), p99_ms=percentile(times, 0.99), **figures, milliseconds=times)


def machine(given):
    """The machine and the versions, without names of hosts or folders."""
    cpu = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    versions = {"excerpt": version_of(str(given.binary.resolve())), "git": version_of("git")}
    if shutil.which("rg"):
        versions["rg"] = version_of("rg")
    packages = [] if given.own else [corpora.KERNEL[0], *(package for package, _ in corpora.SDISTS.values())]
    return {
        "date": time.strftime("%Y-%m-%d"),
        "cpu": cpu[1] if cpu else platform.machine(),
        "cores": os.cpu_count(),
        "gigabytes": round(memory / 2**30),
        "system": f"{platform.system()} {'.'.join(platform.release().split('.')[:2])}",
        "python": platform.python_version(),
        "versions": versions,
        "packages": packages,
        "command": command(given),
        "note": given.note,
    }


def version_of(program):
    first = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    return re.search(r"\d+(\.\d+)+\S*", first)[0]


def command(given):
    words = ["python3 benches/scale/run.py --work DIR --out RUN"]
    words += ["--own"] if given.own else []
    words += [f"--sizes {','.join(map(str, given.sizes)) or 'none'}"]
    words += [f"--trees {','.join(given.trees)}"] if given.trees else []
    words += [f"--fraction {given.fraction:g}"] if given.fraction != 1 else []
    words += [f"--seed {given.seed} --questions {given.questions} --cold {given.cold} --rounds {given.rounds}"]
    return " ".join(words)


def made_corpora(given):
    """The corpora of this run, made when they are asked for: names and folders."""
    packages = given.work / "packages"
    if not given.own:
        corpora.fetch(corpora.PACKAGES if given.sizes else given.trees, packages)
    made = given.work / ("corpora-own" if given.own else "corpora")
    if given.sizes:
        texts = corpora.texts_of_repository(ROOT) if given.own else corpora.texts_of_packages(packages)
        for size in given.sizes:
            chunks = max(1, round(size * given.fraction))
            name = f"mixed-{chunks}"
            corpora.make_mixed(texts, chunks, given.seed, made / f"{name}-seed-{given.seed}")
            yield name, made / f"{name}-seed-{given.seed}"
    for tree in given.trees:
        name = tree if given.fraction == 1 else f"{tree}-{given.fraction:g}"
        corpora.make_tree(packages / tree, given.fraction, given.seed, made / name)
        yield name, made / name


def numbers(text):
    return [] if text == "none" else [int(number) for number in text.split(",")]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=pathlib.Path, required=True, help="a folder for packages, corpora and indexes")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="the folder of the run")
    parser.add_argument("--binary", type=pathlib.Path, default=ROOT / "target/release/excerpt")
    parser.add_argument("--sizes", type=numbers, default=numbers("10000,100000,1000000,10000000"), help="chunks, or none")
    parser.add_argument("--trees", type=lambda text: text.split(","), default=[], help="whole packages: linux, ruff …")
    parser.add_argument("--fraction", type=float, default=1.0, help="of each corpus")
    parser.add_argument("--own", action="store_true", help="texts of this repository, without a network")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--questions", type=int, default=200, help="warm searches for each choice of channels")
    parser.add_argument("--cold", type=int, default=50, help="cold searches, likewise")
    parser.add_argument("--rounds", type=int, default=5, help="of everything that takes less than a second or so")
    parser.add_argument("--note", default="", help="what else readers of the figures have to know")
    parser.add_argument("--keep", action="store_true", help="keep the indexes")
    given = parser.parse_args()
    given.work, given.out = given.work.resolve(), given.out.resolve()
    if unknown := [tree for tree in given.trees if tree not in corpora.PACKAGES]:
        parser.error(f"unknown package {unknown[0]}: expected {', '.join(corpora.PACKAGES)}")
    if given.own and given.trees:
        parser.error("--own measures no packages: leave out --trees")
    return given


def main():
    given = arguments()
    given.out.mkdir(parents=True, exist_ok=True)
    lines = Lines(given.out / "scale.jsonl")
    for corpus, folder in made_corpora(given):
        lines.remove(corpus)
        lines.add(corpus, "machine", **machine(given))
        Bench(given, corpus, folder, lines).all()
        report.write(lines.rows, given.out)


if __name__ == "__main__":
    main()
