"""Measures a token table: alone (cosine), compared with BM25, and fused with it.

usage: evaluate.py [FOLDER] [--also SET] [--table FILE] [--excerpt PROGRAM] [--cut OPTIONS] [--power P] [--windows N] [--metric NAME]

FOLDER (or EXCERPT_EVAL) contains sets in the common form: `corpus/`, `queries.jsonl`, `meta.json`, and `common.py` with BM25 and the metrics.
If a set has a `prepare.py` instead of a corpus, run it into a folder with the name of the set and pass that with `--also`. Chunks are those of
`excerpt chunk`; the header and text of a chunk are embedded and searched by BM25. Without FOLDER nothing is measured.
"""
import argparse
import importlib.util
import json
import math
import os
import pathlib
import subprocess

import numpy as np
from tokenizers import Tokenizer

import table
import tokens_reference
import words


class Set:
    """An evaluation set, split into chunks, with its BM25."""

    def __init__(self, folder: pathlib.Path, common, program: str, cut: str):
        self.name, self.common = folder.name, common
        self.texts, self.queries, _ = common.load_set(folder)
        self.rule = common.overlaps if self.name.startswith("code-repos") else common.hits
        self.where, self.passages = [], []
        done = subprocess.run([program, "chunk", str(folder / "corpus"), "--format", "json", *cut.split()], stdout=subprocess.PIPE, check=True, text=True)
        for document in json.loads(done.stdout)["documents"]:
            path = document["source_path"]
            text = self.texts.get(path)
            if text is None:
                continue
            raw = text.encode()
            for chunk in document.get("chunks", []):
                a, b = chunk["span"]["bytes"]
                self.where.append((path, len(raw[:a].decode(errors="ignore")), len(raw[:b].decode(errors="ignore"))))
                self.passages.append(chunk["context"]["header"] + chunk["text"])
        self.scopes = sorted({q.get("scope", "") for q in self.queries})
        self.members = {s: np.array([i for i, w in enumerate(self.where) if w[0].startswith(s)]) for s in self.scopes}
        self.lexical = {s: common.BM25([self.passages[i] for i in self.members[s]]) for s in self.scopes}

    def bm25(self, query):
        """(chunk, score) of the best 100, best first."""
        scope = query.get("scope", "")
        bm, members, scores = self.lexical[scope], self.members[scope], {}
        for t in set(self.common.tokens(query["query"])):
            post = bm.post.get(t, ())
            idf = math.log(1 + (bm.n - len(post) + 0.5) / (len(post) + 0.5))
            for i, f in post:
                scores[i] = scores.get(i, 0) + idf * f * (bm.k1 + 1) / (f + bm.k1 * (1 - bm.b + bm.b * bm.len[i] / bm.avg))
        return [(int(members[i]), v) for i, v in sorted(scores.items(), key=lambda x: (-x[1], x[0]))[:100]]


def rrf(vector: list, lexical: list, weight: float) -> list:
    scores: dict = {}
    for share, ranked in ((weight, vector), (1 - weight, lexical)):
        for place, (i, _) in enumerate(ranked):
            scores[i] = scores.get(i, 0) + share / (61 + place)
    return sorted(scores, key=lambda i: (-scores[i], i))


def convex(vector: list, lexical: list, weight: float) -> list:
    """Cosines scaled from 1 for the best to 0 for the hundredth, and BM25 scores as shares of the best."""
    scores: dict = {}
    if vector:
        top, low = vector[0][1], vector[-1][1]
        for i, v in vector:
            scores[i] = weight * (v - low) / (top - low + 1e-9)
    for i, v in lexical:
        scores[i] = scores.get(i, 0) + (1 - weight) * v / lexical[0][1]
    return sorted(scores, key=lambda i: (-scores[i], i))


MODES = [("bm25", None), ("vector", None), ("rrf", 0.6), ("convex", 0.2), ("convex", 0.3), ("convex", 0.4), ("convex", 0.5)]


def embed(rows: np.ndarray, ids: list, window: int | None) -> np.ndarray:
    """The sum of the rows of a window, scaled to unit length; for several windows, their sum, scaled to unit length."""
    if not window:
        return words.unit(words.bags(ids, len(rows)) @ rows)
    owner, parts = [], []
    for i, row in enumerate(ids):
        for at in range(0, max(1, len(row)), window):
            owner.append(i)
            parts.append(row[at:at + window])
    out = np.zeros((len(ids), rows.shape[1]), np.float32)
    np.add.at(out, owner, words.unit(words.bags(parts, len(rows)) @ rows))
    return words.unit(out)


def score(s: Set, rows: np.ndarray, tokens: Tokenizer, power: float = 0.0, window: int | None = None, modes=MODES, cache={}) -> dict:
    """The metrics of every query by mode. The tokens of a query are weighted by their idf in the corpus to the power `power`."""
    if s.name not in cache:
        cache[s.name] = (words.pieces(tokens, s.passages), words.pieces(tokens, [q["query"] for q in s.queries]), [s.bm25(q) for q in s.queries])
    passages, queries, lexical = cache[s.name]
    documents = embed(rows, passages, window)
    weights = {}
    for scope in s.scopes:
        count = np.zeros(len(rows))
        for i in s.members[scope]:
            count[np.unique(passages[i])] += 1
        n = len(s.members[scope])
        weights[scope] = (np.clip(np.log((n + 1) / (count + 0.5)) / np.log(n + 1), 0.02, None) ** power).astype(np.float32) if power else np.ones(len(rows), np.float32)
    out: dict = {m: [] for m in modes}
    for i, q in enumerate(s.queries):
        scope = q.get("scope", "")
        vector = words.unit(words.bags([queries[i]], len(rows)) @ (rows * weights[scope][:, None]))[0]
        members = s.members[scope]
        cosine = documents[members] @ vector
        best = np.lexsort((members, -cosine))[:100]
        nearest = [(int(members[j]), float(cosine[j])) for j in best]
        for mode in modes:
            kind, weight = mode
            if kind == "bm25":
                ranked = [j for j, _ in lexical[i]]
            elif kind == "vector":
                ranked = [j for j, _ in nearest]
            else:
                ranked = (rrf if kind == "rrf" else convex)(nearest, lexical[i], weight)
            out[mode].append(s.common.score_query([s.where[j] for j in ranked[:50]], q["relevant"], s.rule))
    return out


def sets(folder: pathlib.Path, program: str, cut: str = "", also: tuple = ()) -> list:
    spec = importlib.util.spec_from_file_location("common", folder / "common.py")
    common = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(common)
    return [Set(f, common, program, cut) for f in [*sorted(folder.iterdir()), *also] if (f / "corpus").is_dir() and (f / "queries.jsonl").exists()]


def interval(values: list) -> str:
    rng = np.random.default_rng(0)
    means = np.sort(np.array(values)[rng.integers(0, len(values), (1000, len(values)))].mean(1))
    return f"[{means[25]:.3f}, {means[974]:.3f}]"


def main() -> None:
    here = pathlib.Path(__file__).resolve().parent
    p = argparse.ArgumentParser()
    p.add_argument("folder", nargs="?", default=os.environ.get("EXCERPT_EVAL"))
    p.add_argument("--also", action="append", default=[], type=pathlib.Path, metavar="SET", help="one more set")
    p.add_argument("--table", default=here.parent.parent / "crates/excerpt-index/table/table.bin", type=pathlib.Path)
    p.add_argument("--excerpt", default="excerpt", help="the program that cuts")
    p.add_argument("--windows", type=int, help="tokens a window; everything in one when left out")
    p.add_argument("--power", type=float, default=0.0, help="corpus idf on the query side, to this power")
    p.add_argument("--cut", default="", help="options for `excerpt chunk`")
    p.add_argument("--metric", default="ndcg@10")
    a = p.parse_args()
    if not a.folder:
        print("skipped: no folder of evaluation sets given, and EXCERPT_EVAL is not set")
        return
    rows, vocabulary, _ = table.read(a.table)
    t = tokens_reference.of_words(vocabulary)
    print(f"{'set':16s} {'n':>4s} " + " ".join(f"{k + (' ' + str(w) if w else ''):>10s}" for k, w in MODES) + f"   {a.metric}")
    for s in sets(pathlib.Path(a.folder), a.excerpt, a.cut, a.also):
        r = score(s, rows, t, a.power, a.windows)
        print(f"{s.name:16s} {len(s.queries):4d} " + " ".join(f"{np.mean([x[a.metric] for x in r[m]]):10.3f}" for m in MODES)
              + "   vector " + interval([x[a.metric] for x in r[MODES[1]]]), flush=True)


if __name__ == "__main__":
    main()
