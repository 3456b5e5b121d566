/** The search: results as one types. */
import { get, latest } from "./api.js";
import { all, byId, fill, h, isTyping, one } from "./dom.js";
import { asRequest, drawFilters, searched, showActive } from "./filters.js";
import { hitItem } from "./hit.js";
import { documentHref, go, href, settle } from "./route.js";
import { ago, count, counted, name, shown } from "./text.js";

/** @import { Hit, Listed, SearchReply, View } from "./types" */

const PAGE = 10;
const RECENT = 8;
/** The address and the announcement follow after a pause in typing; the results do not wait. */
const PAUSE = 350;

/** What is searched for, as in the address. */
let wanted = new URLSearchParams();

/** What the results on the page belong to; `null` while others are on their way. @type {string | null} */
let answered = null;

/** The results on the page, by the request that brought them. @type {Hit[][]} */
let pages = [];

/** Whether Enter was pressed before the results came. */
let opensFirst = false;

/** Whether the filters are drawn. */
let started = false;

/** @type {View} */
export const searchView = {
  title: "Search",

  show(parameters) {
    wanted = searched(parameters);
    if (!started) start();
    const query = wanted.get("q") ?? "";
    if (byId("query").value !== query) byId("query").value = query;
    update();
  },

  hide() {
    clearTimeout(timers.address);
  },

  focus() {
    const open = one(".hit a.opened");
    if (open) open.focus({ preventScroll: true });
    else byId("query").focus();
  },

  key(event) {
    const { key, target } = event;
    const inField = target === byId("query");
    if (key === "Escape") return leave(inField);
    if (isTyping(target) && !inField) return false;
    if (key === "ArrowDown" || (key === "j" && !inField)) return step(1);
    if (key === "ArrowUp" || (key === "k" && !inField)) return step(-1);
    if (key === "Enter" && inField) return openFirst();
    return key === "w" && !inField && toggleWhy();
  },
};

function start() {
  started = true;
  byId("query").addEventListener("input", onInput);
  byId("query").addEventListener("compositionend", onInput);
  byId("search-form").addEventListener("submit", (event) => event.preventDefault());
  byId("results").addEventListener("click", remember, true);
  drawFilters(change).then(() => showActive(wanted, change), showProblem);
}

function onInput(event) {
  if (event.isComposing) return;
  const query = byId("query").value;
  if (query) wanted.set("q", query);
  else wanted.delete("q");
  opensFirst = false;
  update();
}

/** Changes the filters: a step in the history. @param {(parameters: URLSearchParams) => void} edit */
function change(edit) {
  const parameters = new URLSearchParams(wanted);
  edit(parameters);
  go(href(searched(parameters)));
}

/** Before a result is opened: Back returns to this question, and to this result. */
function remember(event) {
  settle(href(wanted));
  for (const link of all(".hit a.opened")) link.classList.remove("opened");
  event.target.closest?.(".hit a.title")?.classList.add("opened");
}

/** Runs one request: what is asked for later ends it. */
const load = latest((signal, /** @type {(options: object) => Promise<void>} */ work) => work({ signal, waiting: showProblem }));

/** Brings the page up to date with what is wanted. */
async function update() {
  showActive(wanted, change);
  after(PAUSE, "address", () => settle(href(wanted)));
  one("nav [data-nav=search]").href = href(wanted);
  if (wanted.toString() === answered) return;
  answered = null;
  await load(wanted.get("q")?.trim() ? find : welcome).catch(showProblem);
}

/** Requests a page of results. @returns {Promise<SearchReply>} */
const search = (page, options, more = {}) => get("/v1/search", { ...asRequest(wanted), ranks: "chunks", limit: PAGE, offset: page * PAGE, ...more }, options);

async function find(options) {
  const asked = wanted.toString();
  const reply = await search(0, options);
  answered = asked;
  pages = [reply.hits];
  showReply(reply);
  scrollTo(0, 0);
  if (opensFirst) openFirst();
}

async function findMore(options) {
  const reply = await search(pages.length, options);
  pages.push(reply.hits);
  showReply(reply);
  one(`.hit[data-rank="${reply.hits[0]?.rank}"] a.title`)?.focus();
}

/** @param {Hit} hit @returns {Promise<Hit | undefined>} */
async function explain(hit) {
  const reply = await search(pages.findIndex((page) => page.includes(hit)), {}, { explain: true });
  return reply.hits.find((other) => other.id === hit.id);
}

/** @param {SearchReply} reply */
function showReply(reply) {
  fill(byId("search-problem"));
  const items = (some) => some.map((hit) => hitItem(hit, explain));
  const strong = pages.flat().filter((hit) => !hit.weak);
  const weak = pages.flat().filter((hit) => hit.weak);
  fill(byId("results"),
    h("p.count", { "data-matched": reply.matched }, summary(reply)),
    reply.notes.length > 0 && h("ul.notes", reply.notes.map((note) => h("li", shown(note)))),
    strong.length > 0 && h("ol.hits", { "aria-label": "Results" }, items(strong)),
    weak.length > 0 && h("section.weak", { "aria-labelledby": "weak-title" },
      h("h2", { id: "weak-title" }, "Weak matches"),
      h("p.soft", strong.length > 0 ? "These are probably no answer." : "Probably nothing here answers this."),
      h("ol.hits", { "aria-label": "Weak matches" }, items(weak))),
    reply.more && h("button", { id: "more", onclick: () => load(findMore).catch(showProblem) }, "More results"));
  announce(`${counted(strong.length, "result")}, ${counted(weak.length, "weak match", "weak matches")}`);
}

/** @param {SearchReply} reply */
function summary(reply) {
  const channels = reply.vectors ? "keywords and vectors" : "keywords only";
  return `${reply.matched === 0 ? "Nothing matched in" : `Matched ${count(reply.matched)} of`} ${counted(reply.searched, "document")} · ${channels}`;
}

/** Without a question: what there is. */
async function welcome(options) {
  const asked = wanted.toString();
  const { collections, path } = asRequest(wanted);
  const { documents, total } = await get("/v1/documents", { collections, path, order: "recent", limit: RECENT }, options);
  answered = asked;
  pages = [];
  fill(byId("search-problem"));
  announce("");
  fill(byId("results"),
    h("p.count", total > 0 ? `${counted(total, "document")} to search` : "No documents are indexed yet."),
    documents.length > 0 && h("section.recent", { "aria-labelledby": "recent-title" },
      h("h2", { id: "recent-title" }, "Recently changed"),
      h("ul", documents.map(recentItem))),
  );
}

/** @param {Listed} listed */
function recentItem(listed) {
  const place = listed.collection ? `${listed.collection} › ${listed.path}` : listed.path;
  return h("li",
    h("a", { href: documentHref(listed) }, name(listed.title ?? listed.path)),
    h("span.soft", name(place), ` · ${ago(listed.changed?.at ?? listed.modified)}`));
}

function showProblem(problem) {
  if (problem.status !== 401) fill(byId("search-problem"), h("p.problem", shown(problem.message)));
}

function announce(text) {
  after(PAUSE, "announcer", () => (byId("announcer").textContent = text));
}

/** @type {Record<string, number>} */
const timers = {};

/** Does something after a pause, unless it is asked for again before. */
function after(milliseconds, what, act) {
  clearTimeout(timers[what]);
  timers[what] = setTimeout(act, milliseconds);
}

const stops = () => all("#results .hit a.title, #results .recent a");

/** Moves the focus to the next or previous result; from the first, back to the field. */
function step(by) {
  const links = stops();
  const item = one(".hit:focus-within, .recent li:focus-within");
  const from = links.findIndex((link) => item?.contains(link));
  const next = from + by < 0 ? byId("query") : links[from + by];
  next?.focus();
  return true;
}

/** Opens the first result, as soon as the results belong to what is in the field. */
function openFirst() {
  opensFirst = answered === null;
  if (!opensFirst) stops()[0]?.click();
  return true;
}

function toggleWhy() {
  const details = one(".hit:focus-within details.why");
  if (details) details.open = !details.open;
  return Boolean(details);
}

/** Escape goes from a result to the field, and from the field to an empty one. */
function leave(inField) {
  const field = byId("query");
  if (inField) field.value = "";
  field.focus();
  field.select();
  field.dispatchEvent(new InputEvent("input"));
  return true;
}
