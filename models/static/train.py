"""Computes the rows: the teacher's token vectors, reduced and weighted, then trained on the mined pairs.

A text's vector is the sum of its tokens' rows at unit length, so training is a sparse product, a softmax over a batch and Adam: numpy suffices.
"""
import hashlib
import json
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
        out = model.embed_all([[first, i, last] for i in range(tokens.get_vocab_size())], 3072)
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


class Pairs:
    """The mined pairs as bags, with the groups that belong together."""

    def __init__(self, mined: list, work: pathlib.Path, teacher: pathlib.Path):
        state = hashlib.sha1("\n".join(map(str, mined)).encode()).hexdigest()[:12]
        path = work / f"pairs-{state}.npz"
        if not path.exists():
            kinds, packages, q, p = [], [], [], []
            for line in (line for file in mined for line in file.open(encoding="utf-8")):
                kind, package, _, query, passage = json.loads(line)
                kinds.append(zlib.crc32(kind.encode()))
                packages.append(zlib.crc32(package.encode()))
                q.append(query)
                p.append(passage)
            t = tokens_reference.of_file(teacher / "tokenizer.json")
            count = t.get_vocab_size()
            a, b = words.bags(words.pieces(t, q, 64), count), words.bags(words.pieces(t, p, 320), count)
            np.savez(path, kinds=kinds, packages=packages, shape=a.shape, qd=a.data, qi=a.indices, qp=a.indptr, pd=b.data, pi=b.indices, pp=b.indptr)
        z = np.load(path)
        shape = tuple(z["shape"])
        self.q = sp.csr_matrix((z["qd"], z["qi"], z["qp"]), shape)
        self.p = sp.csr_matrix((z["pd"], z["pi"], z["pp"]), shape)
        ok = (np.diff(self.q.indptr) > 0) & (np.diff(self.p.indptr) > 4)
        self.kinds, self.packages = z["kinds"][ok], z["packages"][ok]
        self.q, self.p = self.q[ok], self.p[ok]


TAUGHT_KINDS = ("heading", "sentence", "doc", "described", "definition", "name")


class Taught:
    """Some texts of the pairs with the teacher's vectors, for similarities beyond the pairs."""

    def __init__(self, mined: list, work: pathlib.Path, teacher: pathlib.Path, count: int):
        rng, picked = random.Random(3), []
        for file in mined:
            found = [r for r in map(json.loads, file.open(encoding="utf-8")) if r[0] in TAUGHT_KINDS and r[4].isascii()]
            rng.shuffle(found)
            picked += found[:260]
        rng.shuffle(picked)
        picked = picked[:count]
        state = hashlib.sha1(json.dumps([r[3:] for r in picked]).encode()).hexdigest()[:12]
        path = work / f"taught-{state}.npy"
        sides = ([r[3] for r in picked], 48), ([r[4][:600] for r in picked], 62)
        if not path.exists():
            model, tokens, out = minilm.MiniLM(teacher), minilm.tokenizer(teacher), []
            first, last = tokens.encode("").ids
            for texts, most in sides:
                for at in range(0, len(texts), 2000):
                    ids = [[first, *e.ids[:most], last] for e in tokens.encode_batch(texts[at:at + 2000], add_special_tokens=False)]
                    out.append(words.unit(model.embed_all(ids)).astype(np.float16))
            np.save(path, np.concatenate(out))
        self.vectors = np.load(path).astype(np.float32)
        t = tokens_reference.of_file(teacher / "tokenizer.json")
        self.bags = words.bags([row for texts, most in sides for row in words.pieces(t, texts, most)], t.get_vocab_size())

    def gradient(self, trainer, rng: np.random.Generator, size: int, scale: float) -> np.ndarray:
        """The gradient of the divergence between the similarities by the teacher and by the rows, among `size` questions and their passages."""
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
        return bag.T @ trainer.back(unit, length, (d + d.T) @ unit)


def softmax_loss(s: np.ndarray, target: np.ndarray):
    """Cross entropy of rows of `s` and its gradient."""
    e = np.exp(s - s.max(1, keepdims=True))
    e /= e.sum(1, keepdims=True)
    loss = -np.log(e[np.arange(len(s)), target] + 1e-12).mean()
    e[np.arange(len(s)), target] -= 1
    return loss, e / len(s)


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
        """`same`: pairs of rows that may both be right and do not count as negatives."""
        (a, la), (b, lb) = self.forward(q), self.forward(p)
        cos, target, loss = a @ b.T, np.arange(q.shape[0]), 0.0
        ds = np.zeros_like(cos)
        for k in self.scales:
            s = cos * np.float32(k)
            s[same] = -30 * k
            for transposed in (False, True):
                one, g = softmax_loss(s.T if transposed else s, target)
                loss += one / (2 * len(self.scales))
                ds += (g.T if transposed else g) * np.float32(k / (2 * len(self.scales)))
        ga, gb = self.back(a, la, ds @ b), self.back(b, lb, ds.T @ a)
        return loss, q.T @ ga + p.T @ gb

    def step(self, gradient: np.ndarray, rate: float) -> None:
        """Adam on the rows that the batch touches: most of a batch's vocabulary is absent, and an absent token should not drift."""
        self.n += 1
        at = np.flatnonzero(np.abs(gradient).max(1))
        g, m, v = gradient[at], self.m[at], self.v[at]
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
        sizes = np.diff(q.indptr)
        same = common >= 0.8 * np.maximum.outer(sizes, sizes)
        np.fill_diagonal(same, False)
        if framed:
            chosen = rng.integers(0, framing.shape[0], len(at))
            q = q + sp.diags((rng.random(len(at)) < framed).astype(np.float32)) @ framing[chosen]
        if joined:
            near_by = np.minimum(at + 1, len(pairs.kinds) - 1)
            p = p + sp.diags((rng.random(len(at)) < joined).astype(np.float32)) @ pairs.p[near_by]
        loss, g = trainer.pair_gradient(q, p, same)
        if taught:
            g += np.float32(teach) * taught.gradient(trainer, lessons, lesson, 20.0)
        now = rate * min(1, (i + 1) / 30) * (0.5 + 0.5 * np.cos(np.pi * i / steps))
        trainer.step(g, now)
        losses.append(loss)
        if i % 100 == 99:
            told(f"step {i + 1} loss {np.mean(losses[-100:]):.4f} {time.time() - begun:.0f} s")
    return np.float32(1 - kept) * trainer.t + np.float32(kept) * begin
