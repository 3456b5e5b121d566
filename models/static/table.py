"""Writes and reads the file of the table. README.md, "The file", describes every byte."""
import pathlib
import struct

import numpy as np

MAGIC, FORMAT, ALIGN = b"XSTATIC\0", 1, 64
HEADER = struct.Struct("<8sIIIIIIQQQQ")


def levels(bits: int) -> int:
    return 2 ** (bits - 1) - 1


def quantise(rows: np.ndarray, bits: int):
    """Rows as whole numbers with one scale each: of several clippings, the one with the least square error."""
    top, peak = levels(bits), np.abs(rows).max(1)
    best_scale, best_error = np.zeros(len(rows), np.float32), np.full(len(rows), np.inf)
    for share in (1.0,) if bits == 8 else np.linspace(0.55, 1.0, 19):
        scale = (peak * share / top).astype(np.float32)
        safe = np.where(scale > 0, scale, 1)[:, None]
        error = ((np.clip(np.rint(rows / safe), -top, top) * scale[:, None] - rows) ** 2).sum(1)
        better = error < best_error
        best_scale[better], best_error[better] = scale[better], error[better]
    safe = np.where(best_scale > 0, best_scale, 1)[:, None]
    return np.clip(np.rint(rows / safe), -top, top).astype(np.int8), best_scale


def pack(codes: np.ndarray, bits: int) -> bytes:
    """int8 as it is; int4 two to a byte as value + 8: byte j of a row has dimension j in its low half and dimension j + dims / 2 in its high."""
    if bits == 8:
        return codes.astype("<i1").tobytes()
    shifted = (codes.astype(np.int16) + 8).astype(np.uint8)
    half = codes.shape[1] // 2
    return (shifted[:, :half] | shifted[:, half:] << 4).tobytes()


def unpack(raw: np.ndarray, dims: int, bits: int) -> np.ndarray:
    if bits == 8:
        return raw.view(np.int8).reshape(-1, dims)
    raw = raw.reshape(-1, dims // 2)
    return np.concatenate([raw & 15, raw >> 4], 1).astype(np.int8) - 8


def write(path: pathlib.Path, rows: np.ndarray, vocabulary: list, bits: int, max_input: int) -> None:
    codes, scales = quantise(rows, bits)
    text = "".join(token + "\n" for token in vocabulary).encode()
    parts, at, offsets = [], ALIGN * -(-HEADER.size // ALIGN), []
    for part in (text, scales.astype("<f4").tobytes(), pack(codes, bits)):
        offsets.append(at)
        parts.append(part + bytes(-len(part) % ALIGN))
        at += len(parts[-1])
    header = HEADER.pack(MAGIC, FORMAT, len(vocabulary), rows.shape[1], bits, max_input, vocabulary.index("[UNK]"), offsets[0], len(text), *offsets[1:])
    path.write_bytes(header + bytes(offsets[0] - len(header)) + b"".join(parts))


def read(path: pathlib.Path):
    """The rows as floats, the vocabulary and `max_input`."""
    raw = path.read_bytes()
    magic, form, count, dims, bits, max_input, _, words, length, scales, codes = HEADER.unpack_from(raw)
    if (magic, form) != (MAGIC, FORMAT):
        raise ValueError(f"{path} is no token table of format {FORMAT}")
    vocabulary = raw[words:words + length].decode().split("\n")[:-1]
    scale = np.frombuffer(raw, "<f4", count, scales)
    code = unpack(np.frombuffer(raw, np.uint8, count * dims * bits // 8, codes), dims, bits)
    return code.astype(np.float32) * scale[:, None], vocabulary, max_input
