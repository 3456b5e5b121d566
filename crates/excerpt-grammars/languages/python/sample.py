#!/usr/bin/env python3
# A licence would stand here.

"""A shelf of books, as a sample of Python."""

from __future__ import annotations

import os.path
import json as codec
from collections import OrderedDict, deque as queue
from .cover import *

CAPACITY = 40  # books

# Titles that nobody borrows.
UNLOVED: list[str] = [
    "Tables of tides",
    "Lists of lists",
]

if os.path.exists("shelf.json"):
    UNLOVED.append("Inventories")


class Error(Exception):
    """What can go wrong."""


# Lends and takes back.
@codec.register
class Shelf:
    """A shelf."""

    count = 0

    def __init__(self, books: dict | None = None) -> None:
        self.books = OrderedDict(books or {})

    @property
    # How full it is.
    def fullness(self) -> float:
        return len(self.books) / CAPACITY

    async def put(
        self,
        title: str,
        book: object,
    ) -> None:
        # Comments before the first statement stay with it.
        if title in self.books:
            raise Error(title)
        elif len(self.books) >= CAPACITY:
            raise Error("full")
        else:
            self.books[title] = book

        def notify() -> None:
            print("put", title)

        for reader in queue():
            try:
                reader.tell(title)
            except OSError as error:
                print(error)
            finally:
                notify()

    class Label:
        def text(self): return "label"


shelve = lambda book: Shelf({book: book})


def test_a_book_is_put_once():
    shelf = Shelf()
    assert shelf.fullness == 0


if __name__ == "__main__":
    print(Shelf())


def broken(a, b:
    return a
