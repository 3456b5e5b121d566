/// <reference types="node" />

import type { Book, Reader as Person } from "./people";
import fs = require("fs");
import "./side-effect";

/** How a shelf is sorted. */
export enum Order {
  Title,
  Author = "author",
}

export interface Place<T> extends Iterable<T> {
  readonly size: number;
  /** Puts something there. */
  put(title: string, thing: T): void;
}

type Titles = {
  [author: string]: string[];
};

declare module "shelf" {
  export function open(name: string): Place<Book>;
}

namespace Shelves {
  export const all: Place<Book>[] = [];
}

function overload(a: string): string;
function overload(a: number): number;
function overload(a: unknown): unknown {
  return a;
}

// A decorator and a comment belong to the class.
@Injectable()
export abstract class Shelf<T extends Book> implements Place<T> {
  private readonly books = new Map<string, T>();
  static readonly capacity: number = 40;

  constructor(@Inject("owner") private readonly owner: Person) {}

  get size(): number {
    return this.books.size;
  }

  @Log()
  put(title: string, book: T): void {
    switch (this.books.size) {
      case Shelf.capacity:
        throw new Error("full");
      default:
        this.books.set(title, book);
    }
  }

  abstract label(): string;

  private readonly tell = async (title: string) => {
    await fs.promises.writeFile("log", title);
  };

  *[Symbol.iterator](): Iterator<T> {
    yield* this.books.values();
  }
}

export const shelve = async <T extends Book>(book: T): Promise<T> => book;

const broken: = 3;

test("a shelf is empty", () => {
  expect(0).toBe(0);
});
