"""What a tokenizer or a function measures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast


def sizer(given: Any) -> tuple[Callable[[str], int], str]:
    """A function that returns the size of a text, and what it counts.

    `given` is such a function, or a tokenizer of `tokenizers`, `tiktoken` or `transformers`. Marks that a tokenizer
    adds around each text are not counted.
    """
    if isinstance(given, (str, bytes, type)):
        raise TypeError(f"sizer is {given!r}, expected a function or a tokenizer with encode")
    unit = getattr(given, "unit", "tokens")
    if hasattr(given, "encode_ordinary"):  # tiktoken
        ordinary = given.encode_ordinary
        return (lambda text: len(ordinary(text))), str(unit)
    if hasattr(given, "encode"):  # tokenizers, transformers
        encode = given.encode
        return (lambda text: len(encode(text, add_special_tokens=False))), str(unit)
    if callable(given):
        measure: Callable[[str], int] = cast("Callable[[str], int]", given)
        return measure, str(unit)
    raise TypeError(f"sizer is of type {type(given).__name__}, expected a function or a tokenizer with encode")
