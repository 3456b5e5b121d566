"""Corpora of any size, from packages at pinned versions or from the files of this repository.

Up to the size of the texts that there are, a corpus is a seeded choice of whole files. For a larger one, the files are
recombined: blocks of real files in another order, as long as no two files are equal.
"""

import dataclasses
import hashlib
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

# The bytes of text that become one chunk, about: 1 GB of the texts below become 800,000 chunks. It
# is fixed, so that every version of the program is measured on the same files.
BYTES_PER_CHUNK = 1_200

SMALLEST, LARGEST, LONGEST_LINE = 500, 200_000, 2_000
# How many files exchange their blocks.
GROUP = 64
# A block begins at a line without indentation after an empty line: a function, a paragraph.
BLOCKS = re.compile(rb"\n\n+(?=[^\s})])")

KERNEL = ("linux-source-6.1=6.1.176-1", "9305d1a151b8e83dcb88aa11361e7b9513f0c252bdf7f5647e4542762d99c094")
SDISTS = {
    "ruff": ("ruff==0.17.6", "2b04276561331300325040bdca21460770029ec574d4c479099e39e8ad1ed43c"),
    "django": ("Django==5.2.8", "23254866a5bb9a2cfa6004e8b809ec6246eba4b58a7589bc2772f1bcc8456c7f"),
    "sqlalchemy": ("SQLAlchemy==2.0.44", "0ae7454e1ab1d780aee69fd2aae7d6b8670a581d8847f2d1e0f7ddfbf47e5a22"),
}
PACKAGES = ["linux", *SDISTS]

# pip wants the metadata of a source distribution before it keeps it, and would run the package's
# own build for that. This stands in for the build tools and returns the metadata that is inside.
BACKENDS = ["setuptools/build_meta.py", "maturin/__init__.py"]
BACKEND = '''
import email, os, shutil

def get_requires_for_build_wheel(config_settings=None):
    return []

def prepare_metadata_for_build_wheel(folder, config_settings=None):
    with open("PKG-INFO", encoding="utf-8") as file:
        metadata = email.message_from_file(file)
    name = f"{metadata['Name'].replace('-', '_')}-{metadata['Version']}.dist-info"
    os.makedirs(os.path.join(folder, name))
    shutil.copy("PKG-INFO", os.path.join(folder, name, "METADATA"))
    return name
'''


@dataclasses.dataclass
class Text:
    """A file that a corpus is made from: where it is, and its name in the corpus."""

    file: pathlib.Path
    name: str
    size: int


def fetch(packages, folder):
    """Fetches the packages that are not in `folder` yet."""
    folder.mkdir(parents=True, exist_ok=True)
    for package in packages:
        if (folder / package).exists():
            continue
        print(f"fetching {package}", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory(dir=folder) as name:
            part = pathlib.Path(name)
            unpacked = fetch_kernel(part) if package == "linux" else fetch_sdist(part, *SDISTS[package])
            unpacked.rename(folder / package)


def fetch_kernel(part):
    """Fetches the source of Linux, as Debian 12 packages it; returns its folder."""
    package, digest = KERNEL
    # Not in `part`, which the user that apt switches to may not write to.
    if subprocess.run(["apt-get", "download", "-qq", "-o", "APT::Sandbox::User=root", package], cwd=part).returncode != 0:
        sys.exit(f"`apt-get download {package}` failed: it needs Debian 12, and `apt-get update` before")
    [archive] = part.glob("*.deb")
    check_digest(archive, digest)
    subprocess.run(["dpkg-deb", "-x", archive, part / "deb"], check=True)
    [source] = (part / "deb/usr/src").glob("*.tar.xz")
    subprocess.run(["tar", "-xJf", source, "-C", part], check=True)
    folder = next(path for path in part.iterdir() if path.is_dir() and path.name.startswith("linux-source"))
    # Debian adds lines that ignore everything, since its repository contains no source.
    ignored = folder / ".gitignore"
    ignored.write_text(ignored.read_text(encoding="utf-8").partition("#\n# Debian packaging")[0], encoding="utf-8")
    return folder


def fetch_sdist(part, package, digest):
    """Fetches a source distribution without building or running any of it; returns its folder."""
    for name in BACKENDS:
        backend = part / "backends" / name
        backend.parent.mkdir(parents=True, exist_ok=True)
        (backend.parent / "__init__.py").touch()
        backend.write_text(BACKEND, encoding="utf-8")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--no-binary", ":all:", "--no-build-isolation", "--dest", part / "got", package]
    subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": str(part / "backends")})
    [archive] = (part / "got").iterdir()
    check_digest(archive, digest)
    with tarfile.open(archive) as tar:
        # Python 3.11.4 is the first that has it.
        tar.extraction_filter = getattr(tarfile, "data_filter", lambda member, path: member)
        tar.extractall(part / "unpacked")
    return next((part / "unpacked").iterdir())


def check_digest(archive, digest):
    with open(archive, "rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != digest:
            sys.exit(f"{archive.name} is not the file whose digest is pinned")


def texts_of_packages(folder):
    """The texts of all packages; the list is kept, since every file is read for it."""
    listed = folder / "texts.json"
    if not listed.exists():
        texts = [[text.name, text.size] for package in PACKAGES for text in texts_below(folder, sorted_files(folder / package))]
        listed.write_text(json.dumps(texts), encoding="utf-8")
    return [Text(folder / name, name, size) for name, size in json.loads(listed.read_text(encoding="utf-8"))]


def texts_of_repository(root):
    """The texts of this repository, as git lists its files."""
    names = subprocess.run(["git", "-C", root, "ls-files", "-z"], check=True, capture_output=True, text=True).stdout.split("\0")
    return texts_below(root, [root / name for name in sorted(names) if name])


def sorted_files(folder):
    files = []
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != ".git"]
        files += [pathlib.Path(place, name) for name in names]
    return sorted(files)


def texts_below(root, files):
    names = [(file, file.relative_to(root)) for file in files]
    return [Text(file, str(name), file.stat().st_size) for file, name in names if not is_hidden(name) and is_text(file)]


def is_hidden(name):
    """Whether a file is hidden: a `.gitignore` would apply to the other files of a corpus."""
    return any(part.startswith(".") for part in name.parts)


def is_text(file):
    """Whether a file is text of an ordinary size that somebody has written by hand."""
    if file.is_symlink() or not file.is_file() or not SMALLEST <= file.stat().st_size <= LARGEST:
        return False
    data = file.read_bytes()
    if b"\0" in data or b"\r" in data or max(map(len, data.split(b"\n"))) > LONGEST_LINE:
        return False
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def make_mixed(texts, chunks, seed, folder):
    """Fills `folder` with about as much text as becomes `chunks` chunks."""
    if is_complete(folder):
        return
    wanted, written, seen, number = chunks * BYTES_PER_CHUNK, 0, set(), 0
    while written < wanted:
        before = written
        chance = random.Random(f"{seed} {number}")
        shuffled = chance.sample(texts, len(texts))
        made = originals(shuffled) if number == 0 else recombinations(shuffled, chance)
        top = folder if number == 0 else folder / f"recombined-{number}"
        for name, data in made:
            if written >= wanted:
                break
            digest = hashlib.blake2b(data, digest_size=16).digest()
            if digest not in seen:
                seen.add(digest)
                write(top / name, data)
                written += len(data)
        if written == before:
            sys.exit("the texts are too few to be recombined")
        number += 1
    complete(folder)


def originals(texts):
    for text in texts:
        yield text.name, text.file.read_bytes()


def recombinations(texts, chance):
    """The texts with blocks of each other: as many blocks as before, in files of the same kind."""
    kinds = {}
    for text in texts:
        group = kinds.setdefault(text.file.suffix, [])
        group.append(text)
        if len(group) == GROUP:
            yield from recombined(kinds.pop(text.file.suffix), chance)
    for group in kinds.values():
        yield from recombined(group, chance)


def recombined(group, chance):
    parts = [BLOCKS.split(text.file.read_bytes().strip(b"\n")) for text in group]
    blocks = [block for part in parts for block in part]
    chance.shuffle(blocks)
    for text, part in zip(group, parts):
        own, blocks = blocks[: len(part)], blocks[len(part) :]
        yield text.name, b"\n\n".join(own) + b"\n"


def write(file, data):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)


def make_tree(package, fraction, seed, folder):
    """Copies a package as it is, or a seeded choice of its files."""
    if is_complete(folder):
        return
    files = sorted_files(package)
    if fraction < 1:
        files = random.Random(seed).sample(files, max(1, round(len(files) * fraction)))
    for file in files:
        place = folder / file.relative_to(package)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, place, follow_symlinks=False)
    complete(folder)


def is_complete(folder):
    """Whether a corpus is there; what an interrupted run has left is removed."""
    if (folder / ".git/complete").exists():
        return True
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return False


def complete(folder):
    """Makes a repository of a corpus: `git status` and `git grep` are measured in it, too."""
    git = ["git", "-C", folder, "-c", "user.name=bench", "-c", "user.email=bench@localhost"]
    subprocess.run([*git, "init", "--quiet", "--initial-branch=main"], check=True)
    # All in one pack that is not compressed: of its objects, nothing is measured.
    fast = ["-c", "core.compression=0", "-c", "core.bigFileThreshold=1", "-c", "core.safecrlf=false", "-c", "gc.auto=0"]
    subprocess.run([*git, *fast, "add", "--all"], check=True, stderr=subprocess.DEVNULL)
    subprocess.run([*git, "-c", "gc.auto=0", "commit", "--quiet", "--message", "corpus"], check=True)
    (folder / ".git/complete").touch()
