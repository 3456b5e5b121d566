/** A document: its text with line numbers, its chunks in the margin, and the passage that was found. */
import { documentPath, get, latest } from "./api.js";
import { all, byId, external, fill, h, isTyping, one } from "./dom.js";
import { current, documentHref, href, settle } from "./route.js";
import { ago, counted, lineRange, name, plain, shown, shownLong, size, trail } from "./text.js";

/** @import { DocumentReply, Incoming, Lines, Outgoing, View } from "./types" */

const HUES = 4;

/** The document on the page. @type {DocumentReply | null} */
let shownDocument = null;

/** The address that it was loaded for. */
let loaded = "";

/** The lines of the passage. @type {Lines | undefined} */
let passage;

/** @type {View} */
export const documentView = {
  title: "Document",

  show(parameters) {
    const wanted = { target: parameters.get("target") ?? "", collections: parameters.getAll("collection") };
    const lines = parsedLines(parameters.get("lines"));
    const key = JSON.stringify(wanted);
    if (key === loaded) return select(lines ?? passage);
    loaded = key;
    return load(wanted, lines);
  },

  focus() {
    one("#document h1")?.focus({ preventScroll: true });
  },

  key({ key, target }) {
    if (isTyping(target) || (key !== "j" && key !== "k")) return false;
    step(key === "j" ? 1 : -1);
    return true;
  },
};

/** Lines such as `7` or `10-20`. @returns {Lines | undefined} */
function parsedLines(text) {
  const match = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(text ?? "");
  return match ? [Number(match[1]), Number(match[2] ?? match[1])] : undefined;
}

const load = latest(async (signal, { target, collections }, lines) => {
  const say = (...content) => fill(byId("document"), h("h1", { tabindex: "-1" }, name(target)), h("p", ...content));
  const waiting = ({ message }) => say({ class: "problem", role: "alert" }, shown(message));
  shownDocument = null;
  say({ class: "soft" }, "Loading…");
  try {
    const read = (path) => get(documentPath(path), { collections, links: true }, { signal, waiting });
    const answer = await read(target);
    // The target may be a section, lines or a chunk: then the passage is what was answered.
    const isWhole = answer.span.lines[0] <= 1 && answer.span.lines[1] >= answer.lines_total;
    const whole = isWhole ? answer : await read(answer.path);
    if (signal.aborted) return;
    shownDocument = whole;
    draw(whole);
    select(lines ?? (isWhole ? undefined : answer.span.lines));
    documentView.focus();
  } catch (problem) {
    if (signal.aborted) return;
    loaded = "";
    waiting(problem);
  }
});

/** @param {DocumentReply} read */
function draw(read) {
  const title = read.title ?? read.path;
  document.title = `${plain(title)} · excerpt`;
  const facts = [counted(read.lines_total, "line"), size(read.size), read.encoding, counted(read.chunks.length, "chunk"), `changed ${ago(read.modified)}`];
  const workshop = href({ view: "workshop", document: read.path, collection: read.collection });
  fill(byId("document"),
    h("header.document-head",
      h("p.place", read.collection && [h("span.badge", name(read.collection)), " "], name(read.path, { class: "path" })),
      h("h1", { tabindex: "-1" }, name(title)),
      h("p.soft", facts.join(" · ")),
    ),
    h("div.passage",
      h("div.row", { role: "group", "aria-label": "Passage" },
        h("span.where", { id: "passage" }),
        read.chunks.length > 1 && [h("button.quiet", { onclick: () => step(-1) }, "Previous"), h("button.quiet", { onclick: () => step(1) }, "Next")]),
      h("a", { href: workshop, id: "to-workshop" }, "Workshop")),
    h("div.document-body",
      h("div", { id: "lines", role: "group", "aria-label": "Text" }, bands(read)),
      aside(read),
    ),
  );
}

/**
 * The lines in bands, each with the chunks that begin in it. A chunk that begins in the middle of a
 * line belongs to the next line; if it ends in that line too, to the band of the line.
 * @param {DocumentReply["chunks"]} chunks
 * @returns {{chunks: DocumentReply["chunks"], first: number, last: number}[]}
 */
function banded(chunks, total) {
  const found = [];
  let next = 1;
  for (const chunk of chunks) {
    const first = Math.max(next, chunk.span.lines[0]);
    const last = Math.min(total, chunk.span.lines[1]);
    if (last < first) {
      found.at(-1)?.chunks.push(chunk);
      continue;
    }
    if (first > next) found.push({ chunks: [], first: next, last: first - 1 });
    found.push({ chunks: [chunk], first, last });
    next = last + 1;
  }
  if (next <= total) found.push({ chunks: [], first: next, last: total });
  return found;
}

/** @param {DocumentReply} read */
function bands(read) {
  const lines = read.text.split("\n");
  if (lines.at(-1) === "" && lines.length > 1) lines.pop();
  const first = read.span.lines[0] || 1;
  let ordinal = 0;
  return banded(read.chunks, first + lines.length - 1).map((band) => {
    const text = h("div.lines");
    for (let n = Math.max(band.first, first); n <= band.last; n++) text.append(line(n, lines[n - first]));
    text.style.containIntrinsicHeight = `auto ${1.6 * (band.last - band.first + 1)}em`;
    const hue = band.chunks.length > 0 ? `h${ordinal++ % HUES}` : "none";
    return h("div", { class: `band ${hue}` }, band.chunks.length > 0 && margin(band.chunks), text);
  });
}

function line(number, text) {
  const visible = text.endsWith("\r") ? text.slice(0, -1) : text;
  return h("div.line", { id: `L${number}`, "data-n": number, dir: "auto" }, shownLong(visible));
}

/** The chunks of a band, in the margin. @param {DocumentReply["chunks"]} chunks */
function margin(chunks) {
  const [first, last] = [chunks[0], chunks.at(-1)];
  const lines = /** @type {Lines} */ ([first.span.lines[0], last.span.lines[1]]);
  const numbers = chunks.length === 1 ? first.ordinal : `${first.ordinal}–${last.ordinal}`;
  return h("button.rail", { "data-ordinal": first.ordinal, "data-lines": lines.join("-"), onclick: () => choose(lines) },
    h("span", { "aria-hidden": "true" }, numbers),
    h("span.tip", h("b", `${chunks.length === 1 ? "Chunk" : "Chunks"} ${numbers}, ${lineRange(lines)}`), h("span", trail(first.trail))));
}

/** Selects lines, in the address too. @param {Lines} lines */
function choose(lines) {
  const parameters = current();
  parameters.set("lines", lines.join("-"));
  settle(href(parameters));
  select(lines);
}

/** Marks the passage and scrolls to it. @param {Lines} [lines] */
function select(lines) {
  if (!shownDocument) return;
  for (const line of all("#lines .on")) line.classList.remove("on");
  passage = lines;
  byId("passage").textContent = lines ? lineRange(lines) : "Whole document";
  if (!lines) return;
  const last = Math.min(lines[1], shownDocument.lines_total);
  for (let n = lines[0]; n <= last; n++) byId(`L${n}`)?.classList.add("on");
  railsShown()[chosenRail()]?.classList.add("on");
  reveal(byId(`L${lines[0]}`));
}

/** Scrolls to a line, unless it is in the upper part of the window. */
function reveal(line) {
  const top = line?.getBoundingClientRect().top ?? 0;
  if (!line || (top > 110 && top < innerHeight * 0.6)) return;
  line.scrollIntoView();
  // What was never drawn has an estimated height; now it has its own.
  requestAnimationFrame(() => line.scrollIntoView());
}

const railsShown = () => all("#lines .rail");

/** The index of the chunk in which the passage begins, or -1. */
function chosenRail() {
  const at = passage?.[0] ?? 0;
  return railsShown().findLastIndex((rail) => Number(rail.dataset.lines.split("-")[0]) <= at);
}

function step(by) {
  const rails = railsShown();
  const next = rails[Math.max(0, Math.min(rails.length - 1, chosenRail() + by))];
  if (next) choose(parsedLines(next.dataset.lines));
}

/** @param {DocumentReply} read */
function aside(read) {
  const metadata = Object.entries(read.metadata ?? {});
  const { outgoing = [], incoming = [] } = read.links ?? {};
  const part = (id, title, items, list) => items.length > 0 && h("section", { id, "aria-labelledby": `${id}-title` }, h("h2", { id: `${id}-title` }, title), list);
  const links = (id, title, items, link) =>
    part(id, title, items, h("ul", items.map((item) => h("li", link(item, read.collection), h("span.soft", ` ${lineRange([item.line, item.line])}`)))));
  const parts = [
    part("metadata", "Metadata", metadata, h("dl.pairs", metadata.map(([key, value]) => h("div", h("dt", shown(key)), h("dd", name(asText(value))))))),
    links("outgoing", "Links to", outgoing, outgoingLink),
    links("incoming", "Linked from", incoming, incomingLink),
  ];
  return parts.some(Boolean) && h("aside", { "aria-label": "About this document" }, parts);
}

function asText(value) {
  if (Array.isArray(value)) return value.map(asText).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** @param {Outgoing} link */
function outgoingLink({ target, path, section, citation, title }, collection) {
  const label = [name(title ?? target), section && h("span.soft", " › ", name(section))];
  const lines = parsedLines(/:(\d+-\d+)$/.exec(citation ?? "")?.[1]);
  return path ? h("a", { href: documentHref({ path, collection }, lines) }, label) : external(target, label);
}

/** @param {Incoming} link */
function incomingLink({ path, line, title }, collection) {
  return h("a", { href: documentHref({ path, collection }, [line, line]) }, name(title ?? path));
}
