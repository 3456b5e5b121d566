// The shapes of the API and of the page, for editors and for `tsc --checkJs`. It is not served.

export type Child = Node | string | number | null | undefined | false | Child[];

/** A view is a section of the page. It is shown again for each change of its parameters. */
export interface View {
  title: string;
  show(parameters: URLSearchParams): unknown;
  hide?(): void;
  /** Whether it used the key. */
  key?(event: KeyboardEvent): boolean;
  focus(): void;
}

export type Lines = [first: number, last: number];

export interface Span {
  /** UTF-8 bytes from the start of the document, the end excluded. */
  bytes: [number, number];
  /** From 1, the last included. */
  lines: Lines;
}

/** `GET /v1/search` */
export interface SearchReply {
  hits: Hit[];
  matched: number;
  searched: number;
  vectors: boolean;
  more: boolean;
  notes: string[];
}

export interface Hit {
  rank: number;
  id: string;
  collection?: string;
  path: string;
  /** The lines on the web, for good. */
  link?: string;
  span: Span;
  /** Where it is in a file that is not text. */
  place?: string;
  context: { trail: string[] };
  sections: string[];
  defines: string[];
  document: { title: string | null; first_heading: string | null; metadata: Record<string, unknown> };
  score: number;
  channel: "both" | "keywords" | "vectors";
  weak: boolean;
  all_words: boolean;
  explanation?: Record<string, unknown>;
  language: string | null;
  text: string;
  snippet?: { text: string; marks: [number, number][] };
  also_in?: { collection?: string; path: string; lines: Lines }[];
}

/** `GET /v1/documents` */
export interface Listed {
  collection?: string;
  path: string;
  title: string | null;
  modified: number;
  changed: { at: number; from: string } | null;
}

/** `GET /v1/documents/{target}` */
export interface DocumentReply {
  collection?: string;
  path: string;
  title: string | null;
  span: Span;
  lines_total: number;
  size: number;
  modified: number;
  encoding: string;
  metadata: Record<string, unknown>;
  text: string;
  chunks: { id: string; ordinal: number; span: Span; trail: string[] }[];
  links: { outgoing: Outgoing[]; incoming: Incoming[] } | null;
}

export interface Outgoing {
  line: number;
  target: string;
  path?: string;
  section?: string | null;
  citation?: string;
  title?: string | null;
}

export interface Incoming {
  path: string;
  line: number;
  title?: string | null;
}

/** A document of `POST /v1/chunk`. */
export interface Split {
  strategy: string;
  reason: string;
  unit: string;
  size: number;
  chunks: Chunk[];
  warnings: string[];
  summary: { chunks: number; mean: number; smallest: number; largest: number; oversized: number; undersized: number };
}

export interface Chunk {
  ordinal: number;
  span: Span;
  overlap: Span | null;
  place?: string;
  text: string;
  context: { trail: string[]; header: string };
  sections: string[];
  defines: string[];
  tokens: { text: number; context: number; overlap: number; total: number };
  part: { index: number; count: number };
  cut: { strength: string; reason: string };
  warnings: string[];
}

/** What is typed, by the name of the setting. What is empty is not set. */
export type Typed = Record<string, string>;

export interface Setting {
  name: string;
  label: string;
  kind: "choice" | "size" | "share" | "levels" | "text" | "switch";
  hint?: string;
  /** Whether it is always shown. */
  main?: boolean;
  choices?: string[];
}

export interface Sizes {
  target: number;
  max: number;
  /** The end of the sliders. */
  largest: number;
}

/** `GET /v1/status` */
export interface Status {
  version: string;
  documents: number;
  chunks: number;
  sources: Source[];
  write: boolean;
}

export interface Source {
  name: string;
  is_collection: boolean;
  documents: number;
  chunks: number;
  synced: number | null;
  state: "current" | "syncing" | "waiting" | "failed" | "incomplete" | "unchecked";
  failure: string | null;
  skipped: Record<string, number>;
  progress: { stage: "list" | "cut" | "keywords" | "vectors" | "merge" | "commit"; done: number; total: number } | null;
  address: string | null;
  next: number | null;
}
