#!/usr/bin/env node
/* A licence would stand here. */

import shelf, { put as place, take } from "./shelf.js";
import * as readers from "readers";
const path = require("node:path");

// How many books a shelf holds.
export const CAPACITY = 40;

let lent = 0, returned = 0;

/**
 * A shelf.
 */
export default class Shelf extends readers.Place {
  static count = 0;
  #books = new Map();

  constructor(books) {
    super();
    this.#books = books;
  }

  // Puts a book on the shelf.
  async put(title, book) {
    if (this.#books.size >= CAPACITY) {
      throw new Error("full");
    } else if (this.#books.has(title)) {
      throw new Error("known");
    } else {
      this.#books.set(title, book);
    }
    for (const reader of readers.all()) {
      await reader.tell(title, {
        at: new Date(),
        again: false,
      });
    }
  }

  get size() { return this.#books.size; }

  label = (title) => `${title} of ${this.size}`;
}

export const shelve = (book) => {
  // The first comment of a body.
  const made = new Shelf(new Map([[book, book]]));
  return made;
};

function* titles() {
  yield* [];
}

module.exports = {
  shelve,
  find: function (title) {
    return title;
  },
};

Shelf.prototype.clear = function () {
  lent = 0;
};

describe("a shelf", () => {
  beforeEach(() => take());

  it("holds a book", async () => {
    expect(new Shelf().size).toBe(0);
  });
});

const broken = function (a, {
  return a;
};
