"""Computes the rows: the teacher's token vectors, reduced and weighted, then trained on the mined pairs.

A text's vector is the sum of its tokens' rows at unit length, so training is a sparse product, a softmax over a batch and Adam: numpy suffices.
"""
import hashlib
import json
import multiprocessing
import os
import pathlib
import random
import time
import zlib

import numpy as np
import scipy.sparse as sp

import minilm
import tokens_reference
import words

HERE = pathlib.Path(__file__).resolve().parent
DIMS, SEED = 256, 7


def token_vectors(work: pathlib.Path, teacher: pathlib.Path) -> np.ndarray:
    """The teacher's vector of every single token of the vocabulary."""
    path = work / "tokens.npy"
    if not path.exists():
        model, tokens = minilm.MiniLM(teacher), minilm.tokenizer(teacher)
        first, last = tokens.encode("").ids
        out = model.embed_all([[first, i, last] for i in range(tokens.get_vocab_size())])
        np.save(path, out)
    return np.load(path)


def start(x: np.ndarray) -> np.ndarray:
    """PCA, each axis divided by the square root of its deviation (whitening by half), and weights by Zipf's law."""
    y = x - x.mean(0)
    values, axes = np.linalg.eigh((y.T @ y / len(y)).astype(np.float64))
    order = np.argsort(-values)[:DIMS]
    axes = axes[:, order] * np.sign(axes[np.abs(axes[:, order]).argmax(0), order])
    z = (y @ axes.astype(np.float32)) / (values[order] ** 0.25).astype(np.float32)
    p = 1 / np.arange(2, len(x) + 2)
    p /= p.sum()
    z *= (1e-4 / (1e-4 + p)).astype(np.float32)[:, None]
    return z


SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def bagged(file: pathlib.Path, work: pathlib.Path, teacher: pathlib.Path) -> pathlib.Path:
    """The file of a package's pairs as bags; `file` has the version and the state of the miner in its path."""
    path = work / "bags" / (hashlib.sha1(str(file).encode()).hexdigest()[:20] + ".npz")
    if not path.exists():
        found = [json.loads(line) for line in file.open(encoding="utf-8")]
        kinds, packages = ([zlib.crc32(pair[at].encode()) for pair in found] for at in (0, 1))
        t = tokens_reference.of_file(teacher / "tokenizer.json")
        q, p = (words.bags(words.pieces(t, [pair[at] for pair in found], most), t.get_vocab_size()) for at, most in ((3, 64), (4, 320)))
        half = path.with_suffix(f".{os.getpid()}.npz")
        np.savez(half, kinds=np.array(kinds, np.int64), packages=np.array(packages, np.int64), qd=q.data, qi=q.indices, qp=q.indptr, pd=p.data, pi=p.indices, pp=p.indptr,
                 shape=q.shape)
        half.rename(path)
    return path


def shared(work, arguments: list) -> list:
    """The results in order. JOBS processes share the work; each result depends on its arguments alone."""
    with multiprocessing.get_context("spawn").Pool(int(os.environ.get("JOBS", "1"))) as pool:
        return pool.starmap(work, arguments, 1)


class Pairs:
    """The mined pairs as bags, with the groups that belong together."""

    def __init__(self, mined: list, work: pathlib.Path, teacher: pathlib.Path):
        (work / "bags").mkdir(exist_ok=True)
        z = [np.load(path) for path in shared(bagged, [(file, work, teacher) for file in mined])]
        self.q, self.p = (sp.vstack([sp.csr_matrix((f[s + "d"], f[s + "i"], f[s + "p"]), tuple(f["shape"])) for f in z], format="csr") for s in "qp")
        ok = (np.diff(self.q.indptr) > 0) & (np.diff(self.p.indptr) > 4)
        self.kinds, self.packages = (np.concatenate([f[name] for f in z])[ok] for name in ("kinds", "packages"))
        self.q, self.p = self.q[ok], self.p[ok]


TAUGHT_KINDS = ("heading", "sentence", "doc", "described", "definition", "name")
TAUGHT_TOKENS = (48, 62)
BLOCK = 100


def taught_blocks(file: pathlib.Path) -> list:
    """The pairs of a package that the teacher may embed, as (question, passage), in blocks."""
    found = [(r[3], r[4][:600]) for r in map(json.loads, file.open(encoding="utf-8")) if r[0] in TAUGHT_KINDS and r[4].isascii()]
    random.Random(3).shuffle(found)
    return [found[at:at + BLOCK] for at in range(0, len(found), BLOCK)]


def embed_block(pairs: list, folder: pathlib.Path, teacher: pathlib.Path) -> pathlib.Path:
    """The file of the teacher's vectors of pairs: question, passage, question, passage, and so on."""
    path = folder / (hashlib.sha1(json.dumps(pairs).encode()).hexdigest()[:20] + ".npy")
    if not path.exists():
        model, tokens = minilm.load(teacher)
        first, last = tokens.encode("").ids
        texts = [text for pair in pairs for text in pair]
        ids = [[first, *e.ids[:TAUGHT_TOKENS[i % 2]], last] for i, e in enumerate(tokens.encode_batch(texts, add_special_tokens=False))]
        half = path.with_suffix(f".{os.getpid()}.npy")
        np.save(half, words.unit(model.embed_all(ids)).astype(np.float16))
        half.rename(path)
    return path


class Taught:
    """Some texts of the pairs with the teacher's vectors, for similarities beyond the pairs."""

    def __init__(self, mined: list, work: pathlib.Path, teacher: pathlib.Path, each: int):
        """Up to `each` pairs of every package. Each block of them is embedded and stored by itself, so `each` may grow."""
        folder = work / "taught"
        folder.mkdir(exist_ok=True)
        blocks = [(block, folder, teacher) for file in mined for block in taught_blocks(file)[:-(-each // BLOCK)]]
        read = [np.load(path) for path in shared(embed_block, blocks)]
        vectors = [np.concatenate([r[side::2] for r in read]) for side in (0, 1)]
        self.vectors = np.concatenate(vectors).astype(np.float32)
        t = tokens_reference.of_file(teacher / "tokenizer.json")
        pairs = [pair for block, *_ in blocks for pair in block]
        self.bags = words.bags([row for side, most in enumerate(TAUGHT_TOKENS) for row in words.pieces(t, [pair[side] for pair in pairs], most)], t.get_vocab_size())

    def gradient(self, trainer, rng: np.random.Generator, size: int, scale: float) -> tuple:
        """Bags and the gradients of their sums: of the divergence between the similarities by the teacher and by the rows, among `size` questions and their passages."""
        half = len(self.vectors) // 2
        at = rng.choice(half, min(size, half), replace=False)
        at = np.concatenate([at, at + half])
        bag, taught = self.bags[at], self.vectors[at]
        unit, length = trainer.forward(bag)

        def shares(v):
            s = v @ v.T * np.float32(scale)
            np.fill_diagonal(s, -1e4)
            s = np.exp(s - s.max(1, keepdims=True))
            return s / s.sum(1, keepdims=True)

        d = (shares(unit) - shares(taught)) * np.float32(scale / len(at))
        return bag, trainer.back(unit, length, (d + d.T) @ unit)


def contrast(cos: np.ndarray, same: np.ndarray, scales: tuple):
    """Cross entropy of cosines times each scale, along rows and columns, where the diagonal is right, and its gradient. Pairs in `same` do not count.

    The factors after the sums are applied to a few rows at a time, which stay in the cache.
    """
    n, right, loss, ds = len(cos), cos.diagonal().astype(np.float64), 0.0, np.zeros_like(cos)
    for k in scales:
        e = cos - np.float32(1)
        e *= np.float32(k)
        np.exp(e, out=e)
        np.copyto(e, np.float32(0), where=same)
        rows, columns = e.sum(1), e.sum(0)
        loss += (np.log(rows).mean() + np.log(columns).mean() - 2 * k * (right - 1).mean()) / (2 * len(scales))
        share = np.float32(k / (2 * len(scales) * n))
        across, down = share / rows[:, None], share / columns
        for at in range(0, n, 64):
            part = e[at:at + 64]
            part *= across[at:at + 64] + down
            ds[at:at + 64] += part
    ds[np.diag_indices(n)] -= np.float32(sum(scales) / (len(scales) * n))
    return loss, ds


class Trainer:
    def __init__(self, rows: np.ndarray, scales):
        self.t = rows.copy()
        self.m, self.v, self.n = np.zeros_like(rows), np.zeros_like(rows), 0
        self.scales = scales

    def forward(self, bag: sp.csr_matrix):
        raw = bag @ self.t
        length = np.linalg.norm(raw, axis=1, keepdims=True) + 1e-6
        return raw / length, length

    @staticmethod
    def back(unit, length, g):
        """The gradient before the division by the length."""
        return (g - unit * (g * unit).sum(1, keepdims=True)) / length

    def pair_gradient(self, q: sp.csr_matrix, p: sp.csr_matrix, same: np.ndarray):
        """The loss, and bags with the gradients of their sums. `same`: pairs of rows that may both be right and do not count as negatives."""
        (a, la), (b, lb) = self.forward(q), self.forward(p)
        loss, ds = contrast(a @ b.T, same, self.scales)
        ga, gb = self.back(a, la, ds @ b), self.back(b, lb, ds.T @ a)
        return loss, (q, ga), (p, gb)

    def step(self, parts: list, rate: float) -> None:
        """Adam on the rows that the batch touches: most of a batch's vocabulary is absent, and an absent token should not drift."""
        self.n += 1
        bag = sp.vstack([bag for bag, _ in parts], format="csr")
        at, place = np.unique(bag.indices, return_inverse=True)
        g = sp.csr_matrix((bag.data, place, bag.indptr), (bag.shape[0], len(at))).T @ np.concatenate([g for _, g in parts])
        m, v = self.m[at], self.v[at]
        m += np.float32(0.1) * (g - m)
        v += np.float32(0.01) * (g * g - v)
        self.m[at], self.v[at] = m, v
        np.sqrt(v / np.float32(1 - 0.99**self.n), out=v)
        v += np.float32(1e-8)
        self.t[at] -= np.float32(rate / (1 - 0.9**self.n)) * m / v


def sampler(pairs: Pairs, rng: np.random.Generator, size: int, near: float, skip: np.ndarray | None = None):
    """Batches of which a share `near` comes in runs of one package, so that negatives are hard."""
    usable = np.arange(len(pairs.kinds)) if skip is None else np.where(~skip)[0]
    order = usable[np.argsort(pairs.packages[usable], kind="stable")]
    bounds = np.flatnonzero(np.diff(pairs.packages[order], prepend=-1, append=-1))
    groups = [order[a:b] for a, b in zip(bounds, bounds[1:])]
    weight = np.array([len(g) for g in groups]) ** 0.75
    weight /= weight.sum()
    of = {g[0]: w / len(g) for g, w in zip(groups, weight)}
    each = np.concatenate([np.full(len(g), of[g[0]]) for g in groups])
    each /= each.sum()
    cumulative = each.cumsum()
    while True:
        picked = order[np.minimum(np.searchsorted(cumulative, rng.random(size - int(size * near))), len(order) - 1)]
        runs = [picked]
        left = int(size * near)
        while left > 0:
            g = groups[rng.choice(len(groups), p=weight)]
            take = g[rng.choice(len(g), min(len(g), 64, left), replace=False)]
            runs.append(take)
            left -= 64
        yield np.unique(np.concatenate(runs))


def frames(teacher: pathlib.Path) -> sp.csr_matrix:
    t = tokens_reference.of_file(teacher / "tokenizer.json")
    lines = [line for line in (HERE / "frames.txt").read_text().splitlines() if not line.startswith("#")]
    return words.bags(words.pieces(t, lines), t.get_vocab_size())


def train(pairs: Pairs, rows: np.ndarray, taught: Taught | None, framing: sp.csr_matrix, *, steps: int, size: int, rate: float, near: float,
          scales: tuple, framed: float, joined: float, lesson: int, teach: float, kept: float, skip: np.ndarray | None = None, told=print) -> np.ndarray:
    """The rows after training.

    `near` is the share of a batch that comes in runs of one package, `scales` are the factors on cosines, `framed` is the share of questions that
    are preceded by a phrase, `joined` the share of passages that are followed by the next one, since a chunk contains more than the answer, `lesson`
    the number of taught pairs with each batch, and `teach` the weight of their gradient. At the end `kept` of the initial rows is mixed in again, so
    that rows which the pairs do not cover stay close to the teacher. Pairs in `skip` are excluded.
    """
    rng, lessons = np.random.default_rng(SEED), np.random.default_rng(SEED + 1)
    keep = np.linalg.norm(rows, axis=1) > 0
    begin = rows / np.linalg.norm(rows[keep], axis=1).mean()
    trainer = Trainer(begin, scales)
    begun, losses = time.time(), []
    batches = sampler(pairs, rng, size, near, skip)
    for i in range(steps):
        at = next(batches)
        q, p = pairs.q[at], pairs.p[at]
        # Near-copies: an equal query, or a nearly equal passage, is not a negative.
        qn = sp.csr_matrix((np.ones_like(q.data), q.indices, q.indptr), q.shape)
        common = (qn @ qn.T).toarray()
        sizes = np.diff(q.indptr).astype(np.float32)
        same = common >= np.float32(0.8) * np.maximum.outer(sizes, sizes)
        np.fill_diagonal(same, False)
        if framed:
            chosen = rng.integers(0, framing.shape[0], len(at))
            q = q + sp.diags((rng.random(len(at)) < framed).astype(np.float32)) @ framing[chosen]
        if joined:
            near_by = np.minimum(at + 1, len(pairs.kinds) - 1)
            p = p + sp.diags((rng.random(len(at)) < joined).astype(np.float32)) @ pairs.p[near_by]
        loss, *parts = trainer.pair_gradient(q, p, same)
        if taught:
            bag, g = taught.gradient(trainer, lessons, lesson, 20.0)
            parts.append((bag, np.float32(teach) * g))
        now = rate * min(1, (i + 1) / 30) * (0.5 + 0.5 * np.cos(np.pi * i / steps))
        trainer.step(parts, now)
        losses.append(loss)
        if i % 100 == 99:
            told(f"step {i + 1} loss {np.mean(losses[-100:]):.4f} {time.time() - begun:.0f} s")
    return np.float32(1 - kept) * trainer.t + np.float32(kept) * begin
