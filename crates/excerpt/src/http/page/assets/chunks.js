/** How a document was split: the sizes, the chunks one below the other, and the cuts between them. */
import { bar, h } from "./dom.js";
import { count, counted, lineRange, name, shown, shownLong, trail, withoutBytes } from "./text.js";

/** @import { Chunk, Sizes, Split } from "./types" */

const HUES = 4;
/** More chunks are drawn when they are asked for. */
export const MOST_CHUNKS = 300;
const MOST_BARS = 240;
const BINS = 12;

const STRONG = new Set(["start", "delimiter", "heading", "rule", "definition"]);
const WEAK = new Set(["cell", "line", "sentence", "word", "grapheme"]);

/** @returns {1 | 2 | 3} */
function weight(strength) {
  if (STRONG.has(strength)) return 3;
  return WEAK.has(strength) ? 1 : 2;
}

/** The result in numbers. @param {Split} split */
export function summaryOf(split) {
  const { chunks, mean, smallest, largest, oversized, undersized } = split.summary;
  const facts = [
    [count(chunks), "chunks", "chunks"],
    [count(mean), `mean, ${split.unit}`, "mean"],
    [`${count(smallest)}–${count(largest)}`, "smallest to largest", "range"],
    [count(oversized), "over max", "oversized"],
    [count(undersized), "under min", "undersized"],
  ];
  return h("div",
    h("dl.stats", facts.map(([value, label, key]) => h("div", { "data-stat": key }, h("dt", label), h("dd", value)))),
    h("p.soft", h("span.badge", split.strategy), " ", shown(split.reason), ` · ${counted(split.size, split.unit.replace(/s$/, ""), split.unit)} in all`),
    split.warnings.length > 0 && h("ul.warnings", split.warnings.map((warning) => h("li", shown(warning)))));
}

/**
 * The sizes in order, and how often each occurs.
 * @param {Split} split
 * @param {Sizes} sizes
 */
export function pictures({ chunks, unit }, sizes) {
  if (chunks.length === 0) return null;
  const totals = chunks.map((chunk) => chunk.tokens.total);
  const top = Math.max(sizes.max, ...totals);
  const label = `Sizes of ${counted(chunks.length, "chunk")} in order; target ${count(sizes.target)}, max ${count(sizes.max)} ${unit}`;
  const color = (total, index) => (total > sizes.max ? "bad" : `h${index % HUES}`);
  return h("div.pictures",
    picture(label, totals.length > MOST_BARS ? `Sizes of the first ${MOST_BARS}` : "Sizes in order",
      columns(totals.slice(0, MOST_BARS), top, color), rule("max", sizes.max, top), rule("target", sizes.target, top)),
    histogram(totals, top, unit));
}

/** @param {number[]} totals */
function histogram(totals, top, unit) {
  const bins = Array(BINS).fill(0);
  for (const total of totals) bins[Math.min(BINS - 1, Math.floor((BINS * total) / (top + 1)))]++;
  const most = Math.max(...bins);
  const bound = (bin) => count(Math.round((bin * (top + 1)) / BINS));
  const common = bins.indexOf(most);
  const label = `How often each size occurs: most often ${bound(common)} to ${bound(common + 1)} ${unit}`;
  return picture(label, `0 to ${count(top)} ${unit}`, columns(bins, most, () => "own"));
}

function picture(label, caption, ...bars) {
  return h("figure", h("div.strip", { role: "img", "aria-label": label }, bars), h("figcaption", caption));
}

/** @param {number[]} values @param {(value: number, index: number) => string} color */
function columns(values, top, color) {
  return values.map((value, index) => {
    const column = h("i", { class: color(value, index) });
    column.style.height = `${(100 * value) / top}%`;
    return column;
  });
}

function rule(name, value, top) {
  const element = h("b", { class: name });
  element.style.bottom = `${(100 * value) / top}%`;
  return element;
}

/** Where the document is cut: the bytes at which chunks begin. @param {Split} split */
export const cutsOf = (split) => new Set(split.chunks.map((chunk) => chunk.span.bytes[0]));

/**
 * The chunks, with the cuts between them.
 * @param {Split} split
 * @param {Sizes} sizes
 * @param {(at: number) => string} note what to say of a cut: a class
 */
export function chunkList(split, sizes, note, most) {
  return h("ol.chunks", { "aria-label": "Chunks" },
    split.chunks.slice(0, most).map((chunk, index) => h("li.piece", { "data-ordinal": chunk.ordinal },
      cut(chunk, note(chunk.span.bytes[0])),
      card(chunk, sizes, split.unit, chunk.overlap && overlapText(split.chunks, index)))));
}

/** @param {Chunk} chunk */
function cut({ cut: { strength, reason } }, note) {
  return h("p", { class: `cut s${weight(strength)} ${note}`, "data-strength": strength },
    h("span.signal", { "aria-hidden": "true" }, h("i"), h("i"), h("i")),
    h("b", shown(reason)),
    strength !== reason && h("span.soft", strength),
    note === "only" && h("span.badge", "only here"));
}

/** @param {Chunk} chunk @param {Sizes} sizes */
function card(chunk, sizes, unit, overlap) {
  const { tokens, part } = chunk;
  const isOver = tokens.total > sizes.max;
  /** @type {[string, number][]} */
  const parts = [["context", tokens.context], ["overlap", tokens.overlap], [isOver ? "bad" : "own", tokens.text]];
  const headings = chunk.context.trail.length > 0 ? trail(chunk.context.trail) : shown([...chunk.sections, ...chunk.defines].slice(0, 2).join(", "));
  return h("article", { class: `chunk h${chunk.ordinal % HUES}`, "aria-label": `Chunk ${chunk.ordinal}` },
    h("header",
      h("b.ordinal", chunk.ordinal),
      h("span.headings", headings),
      part.count > 1 && h("span.badge", `part ${part.index} of ${part.count}`),
      chunk.warnings.map((warning) => h("span.badge.bad", shown(warning))),
      h("span.total", `${count(tokens.total)} ${unit}`)),
    h("p.sizes",
      bar(parts, Math.max(sizes.max, tokens.total), sizes.target),
      h("span.soft", sizeNote(tokens), chunk.place ? name(chunk.place) : lineRange(chunk.span.lines))),
    chunk.context.header && h("div.context", h("span.label", "Context"), h("pre", shown(chunk.context.header.trimEnd()))),
    overlap && h("div.overlap", h("span.label", "Overlap"), h("pre", shown(overlap))),
    h("pre.text", { dir: "auto" }, shownLong(chunk.text)));
}

/** @param {Chunk["tokens"]} tokens */
function sizeNote(tokens) {
  const sizes = ["context", "overlap", "text"].filter((part) => tokens[part] > 0).map((part) => `${part} ${count(tokens[part])}`);
  return sizes.map((size) => `${size} · `).join("");
}

/**
 * The text that a chunk repeats: the end of the chunks before it. What is in no chunk between them
 * is white space, or a delimiter that is left out.
 * @param {Chunk[]} chunks
 */
function overlapText(chunks, index) {
  const from = chunks[index].overlap.bytes[0];
  let text = "";
  for (let i = index - 1; i >= 0 && chunks[i].span.bytes[1] > from; i--) {
    const { text: own, span } = chunks[i];
    text = withoutBytes(own, Math.max(0, from - span.bytes[0])) + (text && `\n${text}`);
  }
  return text;
}
