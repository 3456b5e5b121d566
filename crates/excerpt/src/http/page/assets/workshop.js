/** The chunk workshop: one or two settings, and how they split a text or a document. */
import { get, latest, post } from "./api.js";
import { MOST_CHUNKS, chunkList, cutsOf, pictures, summaryOf } from "./chunks.js";
import { all, byId, fill, h, one } from "./dom.js";
import { documentHref, href, settle } from "./route.js";
import { SETTINGS, asCommand, asJson, asToml, controls, showErrors, sizes } from "./settings.js";
import { counted, plain, shown } from "./text.js";

/** @import { Split, Typed, View } from "./types" */

/** A slider sends many changes: so long is waited for the next one. */
const PAUSE = 40;
const MOST_SUGGESTIONS = 1000;

const SAMPLE = `# The night watch

The harbour office closes at eight. After that, the gauge watches alone.

## When it rings

The siren rings when the water is above the limit for three minutes. One wave is not enough: a boat that passes raises the water for some seconds.

1. Look at the level and at the forecast.
2. Close the flood boards at 5.60 m.

## Who is called

| night | first | second |
| --- | --- | --- |
| Monday to Friday | Ruth | Piet |
| Saturday | Amara | Ruth |
| Sunday | Piet | Amara |

## Afterwards

Write down when it rang and the highest level.

\`\`\`sh
gauge log --since 8h --above 5.2
\`\`\`
`;

/** What is split. @type {{kind: "text" | "document", path: string, collection: string}} */
const source = { kind: "text", path: "", collection: "" };

/** The documents of the list, by what is chosen. @type {Map<string, {path: string, collection?: string}>} */
const suggestions = new Map();

/** @type {Bench[]} */
let benches = [];

/** @type {View} */
export const workshopView = {
  title: "Workshop",

  show(parameters) {
    if (benches.length === 0) start();
    const path = parameters.get("document");
    if (path) chooseDocument({ path, collection: parameters.get("collection") ?? "" });
    // An address without settings, such as that of a link to a document, keeps those on the page.
    if ([...parameters.keys()].some((key) => key.includes("."))) adopt(parameters);
    settle(address());
    run();
  },

  focus() {
    byId("workshop-title").focus();
  },
};

function start() {
  benches = ["a", "b"].map((name) => new Bench(name));
  byId("compare").addEventListener("change", onCompare);
  byId("pasted").addEventListener("input", later);
  byId("pasted-name").addEventListener("input", later);
  byId("chosen").addEventListener("change", onChosen);
  byId("chosen").addEventListener("input", () => suggestions.has(byId("chosen").value) && onChosen());
  byId("sample").addEventListener("click", useSample);
  for (const radio of all("[name=source]")) radio.addEventListener("change", () => setKind(radio.value));
  arrange();
}

/** Takes the settings out of an address. @param {URLSearchParams} parameters */
function adopt(parameters) {
  byId("compare").checked = parameters.has("compare");
  for (const bench of benches) bench.reset(Object.fromEntries(SETTINGS.map(({ name }) => [name, parameters.get(`${bench.name}.${name}`) ?? ""])));
  arrange();
}

/** @param {"text" | "document"} kind */
function setKind(kind) {
  source.kind = kind;
  one(`[name=source][value=${kind}]`).checked = true;
  one(".source-text").hidden = kind !== "text";
  one(".source-document").hidden = kind !== "document";
  if (kind === "document" && suggestions.size === 0) suggest();
  later();
}

async function suggest() {
  const { documents } = await get("/v1/documents", { limit: MOST_SUGGESTIONS }).catch(() => ({ documents: [] }));
  for (const { path, collection } of documents) suggestions.set(collection ? `${collection} › ${path}` : path, { path, collection });
  fill(byId("documents"), [...suggestions.keys()].map((value) => h("option", { value })));
}

/** @param {{path: string, collection?: string}} document */
function chooseDocument({ path, collection = "" }) {
  Object.assign(source, { path, collection });
  byId("chosen").value = collection ? `${collection} › ${path}` : path;
  byId("chosen-open").href = documentHref({ path, collection });
  byId("chosen-open").hidden = !path;
  if (source.kind !== "document") setKind("document");
}

function onChosen() {
  const value = byId("chosen").value.trim();
  chooseDocument(suggestions.get(value) ?? { path: value });
  later();
}

function useSample() {
  byId("pasted").value = SAMPLE;
  byId("pasted-name").value = "night-watch.md";
  later();
}

function onCompare() {
  const [a, b] = benches;
  // The second setting begins as the first, so that one change shows one difference.
  if (byId("compare").checked && Object.keys(asJson(b.typed)).length === 0) b.reset({ ...a.typed });
  arrange();
  later();
}

const inUse = () => (byId("compare").checked ? benches : benches.slice(0, 1));

function arrange() {
  byId("benches").classList.toggle("two", byId("compare").checked);
  fill(byId("benches"), inUse().map((bench) => bench.element));
}

/** The address of what is on the page. A pasted text is not part of it. */
function address() {
  const parameters = { view: "workshop" };
  if (source.kind === "document") Object.assign(parameters, { document: source.path, collection: source.collection });
  if (byId("compare").checked) parameters.compare = "1";
  for (const bench of inUse()) {
    for (const { name } of SETTINGS) parameters[`${bench.name}.${name}`] = bench.typed[name];
  }
  return href(parameters);
}

let timer = 0;

function later() {
  clearTimeout(timer);
  timer = setTimeout(() => {
    if (byId("workshop").hidden) return;
    settle(address());
    run();
  }, PAUSE);
}

/** What is sent, apart from the settings; `null` if there is nothing to split. */
function body() {
  if (source.kind === "document") return source.path ? { path: source.path, collections: source.collection ? [source.collection] : undefined } : null;
  const text = byId("pasted").value;
  return text ? { text, name: byId("pasted-name").value.trim() || undefined } : null;
}

const fileName = () => (source.kind === "document" && source.path) || byId("pasted-name").value.trim() || "FILE";

async function run() {
  const what = body();
  await Promise.all(inUse().map((bench) => bench.run(what)));
  const cuts = benches.map((bench) => bench.split && cutsOf(bench.split));
  const isComparison = inUse().length === 2;
  benches.forEach((bench, index) => bench.drawChunks(isComparison ? cuts[1 - index] : null));
}

/** One set of settings with its result. */
class Bench {
  /** @param {string} name `a` or `b` */
  constructor(name) {
    this.name = name;
    /** @type {Split | null} */
    this.split = null;
    this.most = MOST_CHUNKS;
    this.cutsBefore = null;
    this.format = "TOML";
    this.problem = h("div", { role: "alert" });
    this.result = h("div.result");
    this.chunks = h("div");
    this.settings = h("div");
    this.title = `Setting ${name.toUpperCase()}`;
    this.code = h("pre", { tabindex: "0", role: "region", "aria-label": `Configuration, ${this.title}` });
    this.element = h("section.bench", { "data-bench": name, "aria-label": this.title },
      h("h2.bench-title", this.title),
      this.settings, this.problem, this.export(), this.result, this.chunks);
    this.ask = latest((signal, /** @type {object} */ what) => post("/v1/chunk", { ...what, ...asJson(this.typed) }, signal));
    this.reset({});
  }

  /** @param {Typed} typed */
  reset(typed) {
    this.typed = typed;
    this.form = controls(this.name, typed, () => {
      this.showCode();
      later();
    });
    fill(this.settings, this.form);
    this.showCode();
  }

  /** @param {any} what what is split, or `null` */
  async run(what) {
    if (!what) return this.showNothing();
    try {
      const reply = await this.ask(what);
      if (!reply) return;
      this.cutsBefore = this.split && cutsOf(this.split);
      this.split = reply.documents[0] ?? null;
      this.most = MOST_CHUNKS;
      this.showProblem(null);
      this.showCode();
      fill(this.result, this.split && [summaryOf(this.split), pictures(this.split, sizes(this.typed))]);
    } catch (problem) {
      this.showProblem(problem);
    }
  }

  showNothing() {
    this.split = null;
    this.showProblem(null);
    fill(this.result, h("p.soft", source.kind === "text" ? "Paste a text above, or use the sample." : "Choose a document above."));
  }

  showProblem(problem) {
    const elsewhere = showErrors(this.form, problem);
    fill(this.problem, elsewhere && h("p.problem", shown(elsewhere)));
    this.element.classList.toggle("stale", problem !== null);
  }

  /** @param {Set<number> | null} other the cuts of the other setting */
  drawChunks(other) {
    if (!this.split) return this.chunks.replaceChildren();
    const note = (at) => {
      if (at === 0) return "";
      if (other && !other.has(at)) return "only";
      return this.cutsBefore && !this.cutsBefore.has(at) ? "fresh" : "";
    };
    const rest = this.split.chunks.length - this.most;
    const showAll = () => {
      this.most = Infinity;
      this.drawChunks(other);
    };
    fill(this.chunks,
      chunkList(this.split, sizes(this.typed), note, this.most),
      rest > 0 && h("button", { onclick: showAll }, rest === 1 ? "Show the other chunk" : `Show the other ${counted(rest, "chunk")}`));
  }

  /** The configuration to copy. */
  export() {
    const choice = (format) => h("label", h("input", { type: "radio", name: `${this.name}-format`, checked: format === this.format, onchange: () => this.setFormat(format) }), format);
    const copied = h("span.soft", { role: "status" });
    const copy = async () => {
      const done = await navigator.clipboard?.writeText(this.configuration()).then(() => true, () => false);
      copied.textContent = done ? "Copied" : "Select the text to copy it";
      if (!done) getSelection().selectAllChildren(this.code);
      setTimeout(() => (copied.textContent = ""), 2000);
    };
    return h("details.export",
      h("summary", "Configuration to copy"),
      h("div.row",
        h("fieldset.segments", h("legend.hidden", "Format"), ["TOML", "Flags", "JSON"].map(choice)),
        h("button.quiet", { onclick: copy }, "Copy"), copied),
      this.code);
  }

  setFormat(format) {
    this.format = format;
    this.showCode();
  }

  configuration() {
    if (this.format === "TOML") return asToml(this.typed);
    if (this.format === "Flags") return asCommand(this.typed, fileName());
    return JSON.stringify(asJson(this.typed), null, 2);
  }

  showCode() {
    this.code.textContent = plain(this.configuration());
  }
}
