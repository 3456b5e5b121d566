/** The status of what is served, as it changes. */
import { events, get, post } from "./api.js";
import { byId, fill, h, one } from "./dom.js";
import { ago, count, counted, name, shown } from "./text.js";

/** @import { Source, Status, View } from "./types" */

const STATES = { current: "Up to date", syncing: "Syncing", waiting: "Waiting", failed: "Failed", incomplete: "Incomplete", unchecked: "Not checked yet" };
const STAGES = { list: "Listing files", cut: "Splitting documents", keywords: "Indexing words", vectors: "Computing vectors", merge: "Merging words", commit: "Saving" };

let listening = new AbortController();

/** @type {View} */
export const statusView = {
  title: "Status",

  show() {
    listening.abort();
    const { signal } = (listening = new AbortController());
    get("/v1/status", {}, { signal }).then(draw, (problem) => signal.aborted || showProblem(problem));
    events("/v1/events", signal, (event, status) => event === "status" && draw(status), showProblem);
  },

  hide() {
    listening.abort();
  },

  focus() {
    byId("status-title").focus();
  },
};

function showProblem(problem) {
  if (problem.status === 401) return;
  fill(byId("status-problem"), h("p.problem", shown(problem.message || "The connection was interrupted")));
}

/** @param {Status} status */
function draw(status) {
  const focused = one("[data-sync]:focus")?.dataset.sync;
  const total = `${counted(status.documents, "document")}, ${counted(status.chunks, "chunk")} · version ${status.version}`;
  fill(byId("status-problem"));
  fill(byId("status-body"),
    h("p.lead.row", total, status.write && status.sources.length > 1 && syncButton("Sync all", [])),
    status.sources.length === 0 && h("p.soft", "Nothing is served yet."),
    h("ul.sources", status.sources.map((source) => card(source, status.write))));
  if (focused !== undefined) one(`#status-body [data-sync="${CSS.escape(focused)}"]`)?.focus();
}

/** @param {Source} source */
function card(source, write) {
  return h("li.card", { "data-source": source.name, "data-state": source.state },
    h("div.row",
      h("h2", name(source.name)),
      h("span", { class: `badge state ${source.state}` }, STATES[source.state] ?? source.state),
      write && syncButton("Sync now", source.is_collection ? [source.name] : [])),
    source.address && h("p.soft", name(source.address)),
    h("p.soft", [counted(source.documents, "document"), counted(source.chunks, "chunk"), ...times(source)].join(" · ")),
    source.progress && progress(source),
    source.failure && h("p.problem", shown(source.failure)));
}

/** @param {Source} source */
function times({ synced, next }) {
  const last = synced === null ? "never synced" : `synced ${ago(synced)}`;
  return next === null ? [last] : [last, `next sync ${ago(next)}`];
}

/** @param {Source} source */
function progress({ name, progress: { stage, done, total } }) {
  const label = STAGES[stage] ?? stage;
  const isKnown = total > 0;
  return h("p.progress",
    h("span", isKnown ? `${label}: ${count(done)} of ${count(total)}` : label),
    h("progress", { "aria-label": `${label}, ${name}`, max: isKnown ? total : null, value: isKnown ? done : null }));
}

function syncButton(label, collections) {
  const start = async (event) => {
    event.target.disabled = true;
    try {
      await post("/v1/sync", { collections });
    } catch (problem) {
      showProblem(problem);
    }
    event.target.disabled = false;
  };
  return h("button.quiet", { "data-sync": collections[0] ?? "", onclick: start }, label);
}
