/** Foreign text made visible: hidden characters, byte offsets, numbers and dates. */
import { h } from "./dom.js";

// The same characters as `excerpt_service::text::visible`: controls except for tab and line feed,
// and what Unicode calls default ignorable.
const NO_GLYPH = /[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/u;
const JOINER = /[\u034f\u200c\u200d]/;
const SELECTOR = /[\ufe00-\ufe0f]/;
const SUSPECT = new RegExp(`${NO_GLYPH.source}|${JOINER.source}|${SELECTOR.source}`, "u");

const LONG_LINE = /[^\n]{8000}/;

/** So many hidden characters in a row are shown one by one; more are counted. */
const SHOWN_IN_A_ROW = 8;

/**
 * Splits `text` into visible parts and runs of hidden characters. Joiners and variation selectors
 * are visible after the character that they modify: scripts and emoji need them.
 * @returns {{text: string, hidden: boolean}[]}
 */
function parts(text) {
  if (!SUSPECT.test(text)) return text ? [{ text, hidden: false }] : [];
  const found = [];
  let before = "nothing";
  let current = { text: "", hidden: false };
  for (const char of text) {
    let hidden = false;
    if (SELECTOR.test(char)) {
      hidden = before !== "glyph";
      before = "selector";
    } else if (JOINER.test(char)) {
      hidden = before === "nothing" || before === "joiner";
      before = "joiner";
    } else {
      hidden = NO_GLYPH.test(char);
      before = hidden ? "nothing" : "glyph";
    }
    if (hidden !== current.hidden) {
      if (current.text) found.push(current);
      current = { text: "", hidden };
    }
    current.text += char;
  }
  found.push(current);
  return found;
}

/** Names the characters of a hidden run. */
function names(run) {
  const chars = [...run];
  const shown = chars.slice(0, SHOWN_IN_A_ROW).map((char) => `⟨U+${code(char)}⟩`);
  const rest = chars.length - shown.length;
  return shown.join("") + (rest > 0 ? `⟨and ${rest} more⟩` : "");
}

const code = (char) => char.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");

/** Foreign text as nodes. @returns {(string | Node)[]} */
export function shown(text) {
  return parts(text).map((part) => (part.hidden ? h("span.char", names(part.text)) : part.text));
}

/**
 * A whole text as nodes. A very long line is divided into blocks, which are laid out only when they
 * come into view: a browser needs a minute for a line of a megabyte.
 */
export function shownLong(text) {
  if (!LONG_LINE.test(text)) return shown(text);
  const pieces = text.match(/[^\n]{1,4000}\n?|\n/gu);
  return pieces.map((piece) => h("span.long", shown(piece)));
}

/** Foreign text for a place that holds no elements, such as an option or a title. */
export function plain(text) {
  const visible = parts(text).map((part) => (part.hidden ? names(part.text) : part.text));
  return visible.join("");
}

/** A name within our own text: its direction does not change the order around it. */
export const name = (text, attributes) => h("bdi", attributes, shown(text));

/** A trail, `A › B › C`. */
export function trail(trail) {
  return trail.flatMap((step, index) => [index > 0 && h("i.step", " › "), name(step)]);
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Cuts `text` at ranges of UTF-8 bytes, as the server gives them. Ranges that overlap are joined.
 * @param {[number, number][]} ranges
 * @returns {{text: string, inside: boolean}[]}
 */
export function cutAtBytes(text, ranges) {
  const bytes = encoder.encode(text);
  const slice = (from, to) => decoder.decode(bytes.subarray(from, to));
  const pieces = [];
  let at = 0;
  for (const [start, end] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const from = Math.max(start, at);
    if (end <= from || from >= bytes.length) continue;
    if (from > at) pieces.push({ text: slice(at, from), inside: false });
    pieces.push({ text: slice(from, end), inside: true });
    at = Math.min(end, bytes.length);
  }
  if (at < bytes.length) pieces.push({ text: slice(at), inside: false });
  return pieces;
}

/** `text` without its first UTF-8 bytes. */
export const withoutBytes = (text, bytes) => decoder.decode(encoder.encode(text).subarray(bytes));

const numbers = new Intl.NumberFormat("en");

export const count = (value) => numbers.format(value);

/** `1 chunk`, `2 chunks`. */
export const counted = (value, one, many = `${one}s`) => `${count(value)} ${value === 1 ? one : many}`;

export function size(bytes) {
  if (bytes < 1000) return counted(bytes, "byte");
  const [value, unit] = bytes < 1e6 ? [bytes / 1e3, "kB"] : [bytes / 1e6, "MB"];
  return `${value < 10 ? value.toFixed(1) : count(Math.round(value))} ${unit}`;
}

/** `line 7` or `lines 7–9`. @param {[number, number]} lines */
export const lineRange = ([first, last]) => (first === last ? `line ${count(first)}` : `lines ${count(first)}–${count(last)}`);

/** The day, `2026-03-04`, in the time zone of the reader. @param {Date} date */
function day(date) {
  const pad = (value) => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
}

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const STEPS = /** @type {const} */ ([["second", 60], ["minute", 60], ["hour", 24], ["day", 7]]);

/** `3 minutes ago`, or the day if that is long ago. @param {number} seconds since 1970 */
export function ago(seconds) {
  let value = seconds - Date.now() / 1000;
  for (const [unit, next] of STEPS) {
    if (Math.abs(value) < next) return relative.format(Math.round(value), unit);
    value /= next;
  }
  return day(new Date(seconds * 1000));
}
