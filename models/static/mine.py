"""Mines training pairs (something like a question, the passage that answers it) from the fetched packages.

There are four kinds of such pairs: a heading and its section, a doc comment and the definition below it, a comment and the lines below it, and
a sentence of prose and the rest of it. Nothing depends on the order in which a file system lists files: files are ordered by a hash of their
path, and the share of each kind from one package is limited, so that no large package dominates.
"""
import ast
import gzip
import hashlib
import html
import json
import os
import pathlib
import random
import re
import warnings

import fetch

HERE = pathlib.Path(__file__).resolve().parent
SKIP_PART = re.compile(
    r"^(\.git|node_modules|_?vendor(ed)?|third[-_]?party|extern(al)?s?|bundled|locales?|translations?|i18n|lang|fixtures?|snapshots?|testdata|min|umd|generated|tests?|t|testing|unittests?|__tests__|benches|.*dist-info|site-packages)$", re.I)
SKIP_FILE = re.compile(r"(licen[sc]e|copying|notice|authors|contributors|changelog|changes|history|releases?|news|security|code[-_]of[-_]conduct)", re.I)
# A file that states another licence than its package is excluded.
FOREIGN = re.compile(r"general public licen[sc]e|\bA?L?GPL|mozilla public|\bMPL\b|creative commons|\bCC[- ]BY|all rights reserved\.? +(?:proprietary|confidential)|eclipse public", re.I)
CODE = {
    "rs": "//", "js": "//", "mjs": "//", "ts": "//", "tsx": "//", "jsx": "//", "java": "//", "kt": "//", "swift": "//", "c": "//", "h": "//", "cc": "//",
    "cpp": "//", "hpp": "//", "go": "//", "cs": "//", "scala": "//", "php": "//", "m": "//", "mm": "//", "rb": "#", "sh": "#", "lua": "--", "zig": "//", "py": "#",
    "ex": "#", "hs": "--", "sol": "//", "proto": "//", "pl": "#", "pm": "#", "cmake": "#", "asm": "#",
}
SHARE = {"python": 3000, "pypi": 800, "npm": 800, "cargo": 500}
# The maximum number of bytes read from a package.
BUDGET = {"python": 40_000_000, "pypi": 25_000_000, "npm": 15_000_000, "cargo": 3_000_000}
SHARES = {"botocore": 3000, "homeassistant": 2000, "salt": 1500, "aws-cdk-lib": 2500, "@types/node": 2000, "scipy": 1500}
BOILER = re.compile(r"copyright|licen[sc]e|all rights reserved|auto-?generated|do not edit", re.I)
CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def words(name: str) -> str:
    """The words of an identifier."""
    return re.sub(r"[\W_]+", " ", CAMEL.sub(" ", name)).strip().lower()


def sentences(text: str) -> list:
    return [s for s in re.split(r"(?<=[.!?])\s+(?=[A-Z`\"(])", re.sub(r"\s+", " ", text)) if 30 < len(s) < 350]


def plain(text: str) -> str:
    """The text of HTML."""
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", text))).strip()


class Miner:
    def __init__(self, client: str, package: str, out):
        self.package, self.out, self.count, self.seen = package, out, {}, set()
        self.share = SHARES.get(package, SHARE[client])
        self.rng = random.Random(f"{client} {package}")

    def full(self, kind: str) -> bool:
        return self.count.get(kind, 0) >= self.share

    def emit(self, kind: str, where: str, query: str, passage: str) -> None:
        query, passage = re.sub(r"\s+", " ", query).strip(" #*=-:"), passage.strip()[:1500]
        if not 3 <= len(query) <= 350 or len(passage) < 40 or not re.search(r"[A-Za-z]{3}", query) or self.full(kind):
            return
        key = hashlib.blake2b((query + "\0" + passage[:200]).lower().encode(), digest_size=8).digest()
        if key in self.seen:
            return
        self.seen.add(key)
        self.count[kind] = self.count.get(kind, 0) + 1
        self.out.write(json.dumps([kind, self.package, where, query, passage], ensure_ascii=False) + "\n")

    def headed(self, where: str, trail: list, text: str) -> str:
        """The passage as the index embeds it: often preceded by its path and trail."""
        lines = [where] if self.rng.random() < 0.4 else []
        if trail and self.rng.random() < 0.5:
            lines.append(" > ".join(trail))
        return "\n".join([*lines, text])

    def prose(self, where: str, trail: list, text: str) -> None:
        """One sentence is the question for the others (the inverse cloze task)."""
        found = [] if self.full("sentence") else sentences(text)
        if len(found) >= 3:
            i = self.rng.randrange(len(found))
            rest = " ".join(found[:i] + found[i + 1:])
            self.emit("sentence", where, found[i], self.headed(where, trail, rest))

    def section(self, where: str, trail: list, heading: str, text: str) -> None:
        text = text.strip()
        if len(text) < 80 or not text[:1000].isascii() and sum(c.isascii() for c in text[:1000]) < 0.93 * len(text[:1000]):
            return
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)|[`*#{}]|:\w+:", r"\1", heading).strip()
        generic = len(heading) < 12 or heading.count(" ") < 1
        title = trail[0] if trail and trail[0] != heading else ""
        query = f"{heading} {title}" if generic and title else (f"{title} {heading}" if title and self.rng.random() < 0.25 else heading)
        keep = [t for t in trail if t != heading] if self.rng.random() < 0.7 else [*trail, heading]
        self.emit("heading", where, query, self.headed(where, keep, text))
        self.prose(where, [*trail, heading], text)
        links = re.findall(r"\[([^\]\n]{8,80})\]\((?!http)[^)]*#([\w-]+)\)", text)
        for label, anchor in links[:2]:
            if words(label) != words(anchor):
                self.emit("link", where, label, words(anchor) + ": " + text)

    def markdown(self, where: str, text: str) -> None:
        text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.S)
        text = re.sub(r"<!--.*?-->|<[^>\n]{1,200}>", "", text, flags=re.S)
        fenced = re.sub(r"^(```|~~~).*?^\1", lambda m: m.group().replace("#", "\ufffe"), text, flags=re.S | re.M)
        self.sections(where, re.split(r"^(#{1,5}) +(.*)$", fenced, flags=re.M), lambda mark: len(mark))

    def rst(self, where: str, text: str) -> None:
        text = re.sub(r"^\.\. (?:_.*:|index::.*|highlight::.*|currentmodule::.*|module::.*)$", "", text, flags=re.M)
        text = re.sub(r":[\w:.-]+:`~?([^`<]*?)(?: *<[^`]*>)?`", r"\1", text).replace("``", "`")
        level: dict = {}
        parts = re.split(r"^(?:([=\-~^\"'*+#`])\1{2,}\n)?(\S.{2,99})\n([=\-~^\"'*+#`])\3{2,}[ \t]*$", text, flags=re.M)
        flat = [parts[0]]
        for _, heading, mark, body in zip(parts[1::4], parts[2::4], parts[3::4], parts[4::4]):
            flat += [str(level.setdefault(mark, len(level) + 1)), heading, body]
        self.sections(where, flat, int)

    def sections(self, where: str, parts: list, depth) -> None:
        trail: list = []
        for mark, heading, body in zip(parts[1::3], parts[2::3], parts[3::3]):
            heading = heading.strip(" #")
            trail = [(d, h) for d, h in trail if d < depth(mark)]
            self.section(where, [h for _, h in trail], heading, body.replace("\ufffe", "#"))
            trail.append((depth(mark), heading))

    def docs(self, where: str, name: str, doc: str, code: str) -> None:
        """A definition with its documentation."""
        if self.full("definition") and self.full("doc") and self.full("name"):
            return
        doc = re.sub(r"[ \t]+", " ", doc).strip()
        lead = re.split(r"\n\s*\n|\n\s*(?:[@:]\w|Parameters|Args|Returns|# )", doc)[0].strip()[:330]
        if len(lead) < 15 or BOILER.search(doc[:400]):
            return
        if len(code) > 60:
            self.emit("definition", where, lead, self.headed(where, [], code))
        rest = doc[len(lead):].strip()
        if len(rest) > 150:
            head = code.split("\n")[0] if self.rng.random() < 0.5 else name
            self.emit("doc", where, lead, self.headed(where, [], f"{head}\n{rest}"))
            self.prose(where, [name], doc)
        if name and len(words(name)) > 5 and self.rng.random() < 0.4:
            self.emit("name", where, words(name), self.headed(where, [], doc))

    def python(self, where: str, text: str) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                tree = ast.parse(text)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                return
        lines = text.split("\n")
        for node in ast.walk(tree):
            if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                continue
            first, doc = node.body[0], ast.get_docstring(node)
            last = min(node.end_lineno, node.lineno + 45)
            if doc:
                code = "\n".join(lines[node.lineno - 1:first.lineno - 1] + lines[first.end_lineno:last])
                self.docs(where, node.name, doc, code)
            if isinstance(node, ast.ClassDef) or self.full("error"):
                continue
            for raised in ast.walk(node):
                if isinstance(raised, ast.Raise) and isinstance(raised.exc, ast.Call) and raised.exc.args:
                    said = raised.exc.args[0]
                    value = said.value if isinstance(said, ast.Constant) else "".join(v.value for v in said.values if isinstance(v, ast.Constant)) if isinstance(said, ast.JoinedStr) else ""
                    if isinstance(value, str) and len(value) > 25:
                        code = "\n".join(lines[node.lineno - 1:raised.lineno - 1] + lines[raised.end_lineno:last])
                        self.emit("error", where, value, self.headed(where, [], code))
                    break
        self.comments(where, text, "#")

    def commented(self, where: str, text: str, ending: str) -> None:
        """Doc comments above definitions, for languages without a parser here."""
        if ending == "rs":
            blocks = re.finditer(r"((?:^[ \t]*///.*\n)+)((?:^[ \t]*#\[.*\n)*)(?=((?:^.*\n){1,30}))", text, re.M)
            strip = r"^[ \t]*/// ?"
            module = "\n".join(re.findall(r"^//! ?(.*)$", text, re.M))
            if module.count("\n# ") > 1:
                self.markdown(where, module)
            elif module:
                self.prose(where, [], re.sub(r"```.*?```", "", module, flags=re.S))
        else:
            blocks = re.finditer(r"/\*\*((?:(?!\*/).){15,4000})\*/[ \t]*\n((?:^[ \t]*[@\[].*\n)*)(?=((?:^[^\n]*\n){1,30}))", text, re.M | re.S)
            strip = r"^\s*\*? ?"
        for m in blocks:
            doc = re.sub(strip, "", m.group(1), flags=re.M)
            doc = re.sub(r"\{@\w+ ([^}]*)\}", r"\1", re.sub(r"```.*?```", "", doc, flags=re.S))
            if len(doc) < 400 or ending != "rs":
                doc = plain(doc) if ending != "rs" and "\n\n" not in doc else doc
            code = re.split(r"\n\s*(?:///|/\*\*)", m.group(3))[0]
            name = re.search(r"\b(?:fn|struct|enum|trait|class|interface|function|func|def|void|const|type|fun|var|let)\s+(\w+)|(\w+)\s*[(:=?]", code)
            self.docs(where, (name.group(1) or name.group(2)) if name else "", doc, code)
            if self.full("definition") and self.full("doc"):
                break
        self.comments(where, text, CODE[ending])

    def comments(self, where: str, text: str, mark: str) -> None:
        """A comment of one or more lines, and the lines below it."""
        if self.full("comment"):
            return
        for m in re.finditer(rf"((?:^[ \t]*{mark}[ \t].*\n)+)(?!^[ \t]*(?:{mark}|/\*|\*))((?:^[ \t]*\S.*\n){{3,14}})", text, re.M):
            said = " ".join(re.sub(rf"^[ \t]*{mark}[ \t]*", "", line) for line in m.group(1).splitlines())
            if 25 < len(said) < 300 and said.count(" ") > 3 and not BOILER.search(said) and not re.search(r"noqa|eslint|TODO|pylint|[;{}]$", said):
                self.emit("comment", where, said, self.headed(where, [], m.group(2)))
            if self.full("comment"):
                return

    def described(self, where: str, value, trail: list, depth: int = 0) -> None:
        """JSON that describes an interface: names, summaries and descriptions."""
        if depth > 12 or self.full("described"):
            return
        if isinstance(value, list):
            for v in value:
                self.described(where, v, trail, depth + 1)
        elif isinstance(value, dict):
            text = value.get("description") or value.get("documentation")
            title = value.get("summary") or value.get("title") or (value.get("name") if isinstance(value.get("name"), str) else None)
            if isinstance(text, str) and len(text) > 60:
                text = plain(text)
                name = title if isinstance(title, str) else words(" ".join(trail[-2:]))
                self.emit("described", where, name, self.headed(where, trail[-3:-1], text))
                lead, rest = (sentences(text) or [""])[0], text
                if len(text) - len(lead) > 120 and lead:
                    self.emit("described", where, lead, f"{words(trail[-1]) if trail else ''}\n{rest.replace(lead, '')}")
            for k, v in value.items():
                if isinstance(v, (dict, list)):
                    self.described(where, v, [*trail, k], depth + 1)

    def file(self, where: str, path: pathlib.Path) -> None:
        packed = path.name.endswith(".json.gz")
        ending = "json" if packed else path.suffix[1:].lower()
        if ending not in CODE and ending not in ("md", "mdx", "markdown", "rst", "txt", "json", "adoc"):
            return
        try:
            large = 30_000_000 if ending == "json" else 3_000_000 if ending not in CODE or path.name.endswith(".d.ts") else 400_000
            if path.stat().st_size > large or ending == "json" and self.full("described"):
                return
            text = gzip.decompress(path.read_bytes()).decode() if packed else path.read_text(encoding="utf-8")
        except (UnicodeDecodeError, OSError):
            return
        if FOREIGN.search(text[:3000]) or (ending in ("js", "ts", "mjs") and max(map(len, text[:20000].split("\n")), default=0) > 3000):
            return
        text = text.replace("\r\n", "\n")
        if ending in ("md", "mdx", "markdown"):
            self.markdown(where, text)
        elif ending in ("rst", "txt"):
            self.rst(where, text)
        elif ending == "json":
            if '"description"' in text or '"documentation"' in text:
                try:
                    self.described(where, json.loads(text), [])
                except (ValueError, RecursionError):
                    pass
        elif ending == "py":
            self.python(where, text)
        elif ending in CODE:
            self.commented(where, text, ending)


def files(folder: pathlib.Path, package: str):
    """The files of a package with their paths, in an order that is the same on every machine."""
    found = []
    for path in folder.rglob("*"):
        inside = path.relative_to(folder)
        parts = inside.parts
        if any(SKIP_PART.match(p) or fetch.searched(p) or fetch.searched(pathlib.PurePath(p).stem) for p in parts) or SKIP_FILE.search(parts[-1]):
            continue
        if path.is_file() and not path.is_symlink():
            where = inside.as_posix()
            found.append((hashlib.sha1(f"{package}/{where}".encode()).digest(), where, path))
    return [(where, path) for _, where, path in sorted(found)]


def mine(source, work: pathlib.Path) -> pathlib.Path:
    """The file of one package's pairs; rebuilt only when the package or this script has changed."""
    client, package, _, version, _ = source
    state = hashlib.sha1(pathlib.Path(__file__).read_bytes() + (HERE / "excluded.txt").read_bytes() + " ".join(sorted(fetch.MINED)).encode()).hexdigest()[:12]
    folder = work / "mined" / state
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{client}__{package.replace('/', '__')}__{version}.jsonl"
    if not path.exists():
        half = path.with_suffix(".half")
        with half.open("w", encoding="utf-8") as out:
            miner, budget = Miner(client, package, out), BUDGET[client]
            for where, file in files(fetch.place(source, work), package):
                budget -= file.stat().st_size
                if budget < 0 or sum(miner.count.values()) >= 4 * miner.share:
                    break
                miner.file(where, file)
        half.rename(path)
        print(package, miner.count, flush=True)
    return path


def main(work: pathlib.Path) -> list:
    """Mines every package, and returns the files of pairs, sorted by name."""
    return sorted(mine(source, work) for source in fetch.read_sources())


if __name__ == "__main__":
    main(pathlib.Path(os.environ.get("STATIC_WORK", "work")).resolve())
