"""Texts as bags of tokens."""
import numpy as np
import scipy.sparse as sp
from tokenizers import Tokenizer


def pieces(tokenizer: Tokenizer, texts: list, most: int | None = None) -> list:
    out = []
    for at in range(0, len(texts), 20000):
        out += [np.array(e.ids[:most], np.int32) for e in tokenizer.encode_batch(texts[at:at + 20000], add_special_tokens=False)]
    return out


def bags(ids: list, count: int) -> sp.csr_matrix:
    """One row a text: how often it has each token."""
    index, start, data = [], [0], []
    for row in ids:
        u, c = np.unique(row, return_counts=True)
        index.append(u)
        data.append(c)
        start.append(start[-1] + len(u))
    join = lambda parts, kind: np.concatenate(parts).astype(kind) if parts else np.zeros(0, kind)
    return sp.csr_matrix((join(data, np.float32), join(index, np.int32), np.array(start)), shape=(len(ids), count))


def unit(x: np.ndarray) -> np.ndarray:
    return x / (np.linalg.norm(x, axis=1, keepdims=True) + 1e-9)
