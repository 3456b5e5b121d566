"""Fetches the packages in sources.txt at their versions and checks their licences.

A package is a folder under WORK/sources/<client>/<name>; packages that are already there are not fetched again. The clients are pip, npm and
cargo, as configured on the machine; `python` is the standard library of the Python that runs this. The licence is read from the package's own
metadata, compared with the recorded one, and must allow use under one of `ALLOWED`. A line of sources.txt without version and licence is
resolved to the newest version; `fetch.py --pin NAMES` rewrites sources.txt from such lines.

Refused is what an evaluation searches: the projects in excluded.txt and the packages in eval/mined/sources.txt. If EXCERPT_EVAL names a folder
of evaluation sets, excluded.txt must name every package that their meta.json names.
"""
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import tomllib
import zipfile
from concurrent.futures import ThreadPoolExecutor
from email.parser import HeaderParser

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = HERE / "sources.txt"

ALLOWED = {
    "0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC", "MIT", "MIT-0", "PSF-2.0", "Python-2.0", "Python-2.0.1", "Zlib",
    "Apache-2.0 WITH LLVM-exception", "BSD",
}
# The descriptions in older metadata. "BSD" is one of the BSD licences, which such metadata does not distinguish.
WORDS = [
    (r"apache(?:[ -]software)?(?:[ -]licen[sc]e)?,?[ -]*(?:v(?:ersion)?\.? ?)?(?:2(?:\.0)?)?(?:[ -]licen[sc]e)?", "Apache-2.0"),
    (r"asl 2\.0", "Apache-2.0"),
    (r"(?:the )?mit(?:[ -]licen[sc]e)?(?: \(mit\))?", "MIT"),
    (r"(?:the )?(?:new |modified |revised )?bsd(?:[ -]licen[sc]e)?", "BSD"),
    (r"(?:3-clause bsd|bsd[ -]3(?:[ -]clause)?|new bsd|bsd-3-clause|\(?3-clause\)? bsd)(?:[ -]licen[sc]e)?", "BSD-3-Clause"),
    (r"(?:2-clause bsd|bsd[ -]2(?:[ -]clause)?|simplified bsd)(?:[ -]licen[sc]e)?", "BSD-2-Clause"),
    (r"isc(?: licen[sc]e)?(?: \(iscl\))?", "ISC"),
    (r"(?:psf|psfl|python software foundation)(?:[ -]licen[sc]e)?", "PSF-2.0"),
    (r"apache software", "Apache-2.0"),
]


def same(name: str) -> str:
    """A name without the differences that package registries ignore."""
    return re.sub(r"[-_.]+", "-", name).lower()


EXCLUDED = [same(line.strip()) for line in (HERE / "excluded.txt").read_text().splitlines() if line.strip() and not line.startswith("#")]


def excluded(name: str) -> bool:
    """Whether a package or a part of a path has the name of an evaluated project."""
    name = same(name).strip("-")
    return any(name.startswith(e[:-1]) if e.endswith("*") else name == e for e in EXCLUDED)


def mined() -> set:
    """The packages of which scripts/mine makes question sets."""
    lines = (HERE.parent.parent / "eval/mined/sources.txt").read_text().splitlines()
    return {same(line.split("|")[1].strip()) for line in lines if line.strip() and not line.startswith("#")}


def unseen(folder: pathlib.Path) -> list:
    """The projects that an evaluation set in `folder` searches but excluded.txt does not name, as lines of text."""
    found = []
    for path in sorted(folder.glob("*/meta.json")):
        meta = json.loads(path.read_text(encoding="utf-8"))
        names = [meta.get("package"), *(repo["package"] for repo in meta.get("repos", {}).values()), *meta.get("versions", {})]
        found += [f"{path.parent.name} searches {name}, which excluded.txt does not name" for name in names if name and not excluded(name.split("/")[-1])]
    return found


MINED = mined()


def searched(name: str) -> bool:
    """Whether an evaluation searches a package or a part of a path with this name."""
    return excluded(name) or same(name).strip("-") in MINED


def spdx(text: str) -> str:
    """The SPDX name of a licence in words, if known."""
    text = text.strip()
    if text in ALLOWED:
        return text
    for pattern, name in WORDS:
        if re.fullmatch(pattern, text.lower()):
            return name
    return text


def permitted(licence: str) -> bool:
    """Whether the licence offers a choice with only allowed parts."""
    choices = re.split(r"\s+OR\s+|\s*/\s*", licence.replace("(", " ").replace(")", " ").strip())
    return any(all(spdx(part) in ALLOWED for part in re.split(r"\s+AND\s+", choice.strip())) for choice in choices)


def licence_of(client: str, folder: pathlib.Path) -> str:
    """The licence in the package's metadata."""
    if client == "python":
        text = (folder / "LICENSE.txt").read_text()
        return "PSF-2.0" if "PYTHON SOFTWARE FOUNDATION LICENSE VERSION 2" in text else ""
    if client == "npm":
        said = json.loads((folder / "package.json").read_text()).get("license", "")
        return said if isinstance(said, str) else said.get("type", "")
    if client == "cargo":
        return tomllib.loads((folder / "Cargo.toml").read_text())["package"].get("license", "")
    files = sorted([*folder.glob("PKG-INFO"), *folder.glob("*.dist-info/METADATA")])
    meta = HeaderParser().parsestr(files[0].read_text(errors="replace"))
    if meta["License-Expression"]:
        return meta["License-Expression"]
    classes = sorted({c.split(" :: ")[-1] for c in meta.get_all("Classifier", []) if c.startswith("License :: ") and c != "License :: OSI Approved"})
    if classes:
        return " AND ".join(spdx(c.replace("Apache Software License", "Apache")) for c in classes)
    return spdx((meta["License"] or "").split("\n")[0].strip(". "))


def run(*command: object, cwd: pathlib.Path) -> str:
    done = subprocess.run([str(c) for c in command], cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=900)
    if done.returncode:
        raise RuntimeError(f"{command[0]} failed: {done.stderr.strip()[-400:]}")
    return done.stdout


def harmless(member: tarfile.TarInfo, folder: str) -> tarfile.TarInfo | None:
    """A member of an archive, unless it would leave the folder, as a link to a library of the system does."""
    try:
        return tarfile.data_filter(member, folder)
    except tarfile.FilterError:
        return None


def unpack(archive: pathlib.Path, folder: pathlib.Path) -> None:
    """Unpacks an archive into `folder`, without the single folder that contains all files."""
    with tempfile.TemporaryDirectory(dir=folder.parent) as name:
        inside = pathlib.Path(name)
        if archive.suffix in (".whl", ".zip"):
            with zipfile.ZipFile(archive) as z:
                z.extractall(inside)
        else:
            with tarfile.open(archive) as t:
                t.extractall(inside, filter=harmless)
        top = list(inside.iterdir())
        shutil.move(top[0] if len(top) == 1 and top[0].is_dir() else inside, folder)
        inside.mkdir(exist_ok=True)


def fetch(client: str, name: str, version: str, form: str, folder: pathlib.Path) -> str:
    """Unpacks the package into `folder` and returns its version."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as temporary:
        t = pathlib.Path(temporary)
        if client == "npm":
            run("npm", "pack", "--silent", "--ignore-scripts", f"{name}@{version or 'latest'}", cwd=t)
        else:
            choice = ["--only-binary", ":all:"] if form == "wheel" else ["--no-binary", name]
            wanted = f"{name}=={version}" if version else name
            run(sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", *choice, wanted, cwd=t)
        [archive] = [f for f in t.iterdir() if f.is_file()]
        unpack(archive, folder)
    if client == "npm":
        return json.loads((folder / "package.json").read_text())["version"]
    files = sorted([*folder.glob("PKG-INFO"), *folder.glob("*.dist-info/METADATA")])
    return HeaderParser().parsestr(files[0].read_text(errors="replace"))["Version"]


def debian(name: str, version: str, work: pathlib.Path, folder: pathlib.Path) -> str:
    """Unpacks the upstream source of a Debian package into `folder` and returns the version. apt keeps what it needs for that in `work`."""
    state = work / "sources/apt.state"
    lists = state / "sources.list.d"
    apt = ["apt-get", "-q", *(word for option in ("Dir::Etc::sourcelist=/dev/null", f"Dir::Etc::sourceparts={lists}", f"Dir::State={state}", f"Dir::Cache={state}", "APT::Sandbox::User=root") for word in ("-o", option))]
    updated = state / "updated"
    if not updated.exists():
        for part in ("lists/partial", "archives/partial", "sources.list.d"):
            (state / part).mkdir(parents=True, exist_ok=True)
        for path in [pathlib.Path("/etc/apt/sources.list"), *pathlib.Path("/etc/apt/sources.list.d").glob("debian*")]:
            if path.is_file():
                text = re.sub(r"^(Types: *)deb\b(?!-)", r"\1deb-src", path.read_text(), flags=re.M)
                (lists / path.name).write_text(re.sub(r"^deb ", "deb-src ", text, flags=re.M))
        run(*apt, "update", cwd=state)
        updated.touch()
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as temporary:
        t = pathlib.Path(temporary)
        run(*apt, "source", "--download-only", f"{name}={version}" if version else name, cwd=t)
        [description] = t.glob("*.dsc")
        archives = [f for f in t.iterdir() if re.search(r"\.orig\.tar\.\w+$", f.name)] or [f for f in t.iterdir() if ".tar." in f.name and not f.name.endswith(".asc")]
        unpack(archives[0], folder)
        return re.search(r"^Version: (.+)$", description.read_text(), re.M)[1]


def vendor(sources: list, work: pathlib.Path, pin: bool) -> dict:
    """Fetches all crates at once, since cargo resolves them together, and returns the folder of each."""
    folder = work / "sources" / "cargo"
    wanted = "".join(f'"{n}" = {{ version = "{"=" + v if v else "*"}", default-features = false }}\n' for _, n, _, v, _ in sources)
    manifest = f'[package]\nname = "x"\nversion = "0.0.0"\nedition = "2024"\n[dependencies]\n{wanted}'
    if not (folder / "Cargo.toml").exists() or (folder / "Cargo.toml").read_text() != manifest:
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "src").mkdir(parents=True)
        (folder / "src/lib.rs").write_text("")
        (folder / "Cargo.toml").write_text(manifest)
        try:
            run("cargo", "vendor", "--quiet", "--versioned-dirs", "vendor", cwd=folder)
        except Exception:
            (folder / "Cargo.toml").unlink()
            raise
    named, found = {n: v for _, n, _, v, _ in sources}, {}
    for crate in sorted((folder / "vendor").iterdir()):
        package = tomllib.loads((crate / "Cargo.toml").read_text())["package"]
        name, version = package["name"], package["version"]
        order = [int(p) if p.isdigit() else -1 for p in re.split(r"[.+-]", version)]
        if named.get(name) in ("" if pin else version, version) and (name not in found or found[name][0] < order):
            found[name] = (order, version, crate)
    return {name: (version, crate) for name, (_, version, crate) in found.items()}


def read_sources(path: pathlib.Path = SOURCES):
    """The lines of sources.txt as (client, name, form, version, licence)."""
    for line in path.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            client, name, form, version, licence = ([p.strip() for p in line.split("|")] + ["", "", ""])[:5]
            yield client, name, form, version, licence


def place(source, work: pathlib.Path) -> pathlib.Path:
    """The folder with the files of a package."""
    client, name, _, version, _ = source
    if client == "python":
        return pathlib.Path(sysconfig.get_paths()["stdlib"])
    if client == "cargo":
        return work / "sources/cargo/vendor" / f"{name}-{version}"
    return work / "sources" / client / name.replace("/", "__")


def one(source, work: pathlib.Path, crates: dict):
    """Fetches one package, and returns its line or a reason to exclude it."""
    client, name, form, version, licence = source
    if same(name) in MINED or excluded(name.split("/")[-1]) or excluded(name.split("/")[0].strip("@")):
        return None, f"{client} {name}: an evaluation searches it"
    if client == "cargo":
        if name not in crates:
            return None, f"{client} {name}: not found"
        got, folder = crates[name]
    elif client == "python":
        got, folder = platform.python_version(), place(source, work)
        if version and got != version:
            return None, f"python {name}: version {got}, expected {version}"
    else:
        folder = place(source, work)
        note = folder.with_name(folder.name + ".version")
        if not note.exists() or (version and note.read_text() != version):
            shutil.rmtree(folder, ignore_errors=True)
            note.write_text(fetch(client, name, version, form, folder))
        got = note.read_text()
    said = licence_of(client, folder)
    if not permitted(said):
        return None, f"{client} {name}: licence `{said}` is not one of those allowed"
    if licence and licence != said:
        return None, f"{client} {name}: licence `{said}`, expected `{licence}`"
    return (client, name, form, got, said), None


def main(work: pathlib.Path, pin: pathlib.Path | None = None) -> None:
    if missing := unseen(pathlib.Path(os.environ["EXCERPT_EVAL"])) if os.environ.get("EXCERPT_EVAL") else []:
        raise SystemExit("\n".join(missing))
    sources = sorted(set(read_sources(pin or SOURCES)))
    crates = vendor([s for s in sources if s[0] == "cargo"], work, bool(pin))

    def guarded(source):
        try:
            return one(source, work, crates)
        except Exception as e:
            return None, f"{source[0]} {source[1]}: {e}"

    with ThreadPoolExecutor(int(os.environ.get("FETCHES", "3"))) as pool:
        results = list(pool.map(guarded, sources))
    bad = [why for _, why in results if why]
    for why in bad:
        print(why, file=sys.stderr)
    lines = [line for line, _ in results if line]
    print(f"{len(lines)} packages")
    if pin:
        head = "# What the table is trained on: client | package | form | version | licence as its metadata states it\n"
        SOURCES.write_text(head + "".join(" | ".join(line) + "\n" for line in lines))
    elif bad:
        raise SystemExit("some packages could not be had as recorded: the table would differ")


if __name__ == "__main__":
    names = pathlib.Path(sys.argv[sys.argv.index("--pin") + 1]) if "--pin" in sys.argv else None
    main(pathlib.Path(os.environ.get("STATIC_WORK", "work")).resolve(), names)
