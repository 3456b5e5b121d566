/** One result of a search. */
import { bar, external, h } from "./dom.js";
import { documentHref } from "./route.js";
import { count, cutAtBytes, lineRange, name, shown, trail } from "./text.js";

/** @import { Hit } from "./types" */

const MOST_SECTIONS = 3;

/**
 * @param {Hit} hit
 * @param {(hit: Hit) => Promise<Hit | undefined>} explain loads the hit with its explanation
 */
export function hitItem(hit, explain) {
  const title = hit.document.title ?? hit.document.first_heading;
  return h("li.hit", { "data-id": hit.id, "data-rank": hit.rank, "data-path": hit.path, "data-weak": String(hit.weak) },
    h("h2", h("a.title", { href: documentHref(hit, hit.span.lines) }, name(title ?? hit.path))),
    h("p.place", name(hit.path, { class: "path" }), h("span.lines", hit.place ? name(hit.place) : lineRange(hit.span.lines)), badges(hit)),
    headings(hit, title),
    snippet(hit),
    h("div.row.foot", why(hit, explain), copies(hit), hit.link && external(hit.link, "Permanent link")),
  );
}

/** @param {Hit} hit */
function badges(hit) {
  const date = hit.document.metadata?.date;
  return [
    hit.collection && h("span.badge", { "data-badge": "collection" }, name(hit.collection)),
    hit.language && h("span.badge", { "data-badge": "language" }, name(hit.language)),
    typeof date === "string" && h("span.badge", { "data-badge": "date" }, name(date)),
  ];
}

/** The headings around the passage, then those inside it. @param {Hit} hit */
function headings(hit, title) {
  const around = hit.context.trail.filter((step) => step !== title);
  const inside = [...hit.sections, ...hit.defines].filter((step) => step !== title);
  const more = inside.length - MOST_SECTIONS;
  const first = inside.slice(0, MOST_SECTIONS).flatMap((step, index) => [index > 0 && ", ", name(step)]);
  if (around.length + inside.length === 0) return null;
  return h("p.trail", trail(around), around.length > 0 && inside.length > 0 && h("i.step", " › "), first, more > 0 && ` +${more}`);
}

/** @param {Hit} hit */
function snippet(hit) {
  const { text, marks } = hit.snippet ?? { text: hit.text, marks: [] };
  const isCode = hit.language !== null;
  const pieces = cutAtBytes(text, marks).map(({ text, inside }) => {
    const nodes = shown(isCode ? text : text.replace(/\n\s*\n/g, "\n"));
    return inside ? h("mark", nodes) : nodes;
  });
  return h("p", { class: isCode ? "snippet code" : "snippet", dir: "auto" }, pieces);
}

/** @param {Hit} hit */
function copies(hit) {
  if (!hit.also_in?.length) return null;
  const links = hit.also_in.flatMap((copy, index) => [
    index > 0 && ", ",
    h("a", { href: documentHref(copy, copy.lines) }, name(copy.collection ? `${copy.collection} › ${copy.path}` : copy.path)),
  ]);
  return h("span.copies", "Also in ", links);
}

/** The explanation is loaded when it is opened. @param {Hit} hit @param {(hit: Hit) => Promise<Hit | undefined>} explain */
function why(hit, explain) {
  const body = h("div.why-body", "Loading…");
  const load = async (event) => {
    if (!event.target.open || body.dataset.loaded) return;
    body.dataset.loaded = "true";
    try {
      const explained = await explain(hit);
      body.replaceChildren(explanation(explained ?? hit));
    } catch (problem) {
      delete body.dataset.loaded;
      body.replaceChildren(...shown(problem.message));
    }
  };
  return h("details.why", { ontoggle: load }, h("summary", "Why", h("span.hidden", ` this is result ${hit.rank}`)), body);
}

const CHANNELS = { both: "keywords and vectors", keywords: "keywords only", vectors: "vectors only" };

/** @param {Hit} hit */
function explanation(hit) {
  const rows = numbersOf(hit.explanation ?? {});
  const whole = Math.max(hit.score, ...rows.map((row) => row.share ?? 0));
  return h("div",
    h("p", "Score ", h("b", decimal(hit.score)), ` from ${CHANNELS[hit.channel] ?? hit.channel}`, hit.all_words && ", all words found", hit.weak && ", a weak match"),
    h("table", h("tbody", rows.map((row) => explanationRow(row, whole)))));
}

/** @param {Row} row */
function explanationRow(row, whole) {
  return h("tr",
    h("th", { scope: "row" }, shown(row.name)),
    h("td", row.share !== null && bar([[row.share < 0 ? "bad" : "own", Math.abs(row.share)]], whole)),
    h("td.number", row.share !== null && decimal(row.share)),
    h("td.soft", shown(row.details)));
}

/**
 * The parts of an explanation, however they are nested. An object with a `share` of the score is
 * one row; any other number is a row of its own.
 * @typedef {{name: string, share: number | null, details: string}} Row
 * @returns {Row[]}
 */
function numbersOf(value, label = "") {
  if (Array.isArray(value)) return value.flatMap((one) => numbersOf(one, label));
  if (value === null) return [];
  if (typeof value !== "object") return [{ name: label, share: null, details: scalar(value) }];
  if (typeof value.share === "number") {
    const { share, name = label, ...rest } = value;
    return [{ name, share, details: Object.entries(rest).map(([key, one]) => `${key} ${scalar(one)}`).join(" · ") }];
  }
  return Object.entries(value).flatMap(([key, one]) => numbersOf(one, label ? `${label} ${key}` : key));
}

const scalar = (value) => (typeof value === "number" ? decimal(value) : String(value));

const decimal = (value) => (Number.isInteger(value) ? count(value) : value.toFixed(Math.abs(value) < 10 ? 3 : 1));
