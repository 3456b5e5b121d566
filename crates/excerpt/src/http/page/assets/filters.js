/** The filters of a search: what there is to choose, what is chosen, and the parameters of both. */
import { get } from "./api.js";
import { byId, fill, h } from "./dom.js";
import { count, name, plain } from "./text.js";

/**
 * The filters, by their name in the address of the page. Those with `many` can have several values.
 * @type {{key: string, api: string, label: string, many?: boolean}[]}
 */
const FILTERS = [
  { key: "collection", api: "collections", label: "Collection", many: true },
  { key: "path", api: "path", label: "Folder" },
  { key: "tag", api: "tags", label: "Tag", many: true },
  { key: "language", api: "languages", label: "Language", many: true },
  { key: "kind", api: "kinds", label: "Type", many: true },
  { key: "since", api: "since", label: "Since" },
  { key: "until", api: "until", label: "Until" },
];

/** What is searched for, of the parameters of the page. @param {URLSearchParams} parameters */
export function searched(parameters) {
  const kept = new URLSearchParams();
  for (const key of ["q", ...FILTERS.map((filter) => filter.key)]) {
    for (const value of parameters.getAll(key)) if (value) kept.append(key, value);
  }
  return kept;
}

/** The same as parameters of the API. @param {URLSearchParams} parameters */
export function asRequest(parameters) {
  const filters = FILTERS.map(({ key, api, many }) => [api, many ? parameters.getAll(key) : parameters.get(key)]);
  return { query: parameters.get("q") ?? "", ...Object.fromEntries(filters) };
}

/**
 * Draws the filters once, and fills in what there is to choose as soon as the server answers.
 * @param {(change: (parameters: URLSearchParams) => void) => void} change
 */
export async function drawFilters(change) {
  const selects = Object.fromEntries(FILTERS.slice(0, 5).map((filter) => [filter.key, select(filter, change)]));
  fill(byId("filters"), Object.values(selects), days(change));
  const [summary, folders] = await Promise.all([get("/v1/summary"), get("/v1/folders")]);
  const counted = ([value, documents]) => [value, `${value} (${count(documents)})`];
  offer(selects.collection, summary.collections.map((name) => [name, name]));
  offer(selects.path, folders.folders.filter(({ path }) => path && path !== ".").map(folderChoice));
  offer(selects.tag, (summary.tags ?? []).map(counted));
  offer(selects.language, summary.languages.map(counted));
  offer(selects.kind, [["doc", "Documents"], ["script", "Scripts"]]);
}

function folderChoice({ collection, path, documents_under }) {
  return [path, `${collection ? `${collection} › ` : ""}${path} (${count(documents_under)})`, collection];
}

/** A list that adds what is chosen to the filters. */
function select({ key, label, many = false }, change) {
  const element = h("select", { id: `filter-${key}`, "data-filter": key, "aria-label": label, hidden: true }, h("option", { value: "" }, label));
  element.addEventListener("change", () => {
    const { value, dataset } = element.selectedOptions[0];
    element.value = "";
    change((parameters) => {
      if (!many) parameters.delete(key);
      if (!parameters.has(key, value)) parameters.append(key, value);
      // The same folder may be in another collection too.
      if (dataset.collection) parameters.set("collection", dataset.collection);
    });
  });
  return element;
}

/** @param {[value: string, label: string, collection?: string][]} choices */
function offer(element, choices) {
  element.append(...choices.map(([value, label, collection]) => h("option", { value, "data-collection": collection }, plain(label))));
  element.hidden = choices.length === 0;
}

/** The first and the last day. */
function days(change) {
  const input = (key, label) => {
    const set = ({ target }) => change((parameters) => parameters.set(key, target.value));
    return h("label", label, h("input", { id: `filter-${key}`, type: "date", "data-filter": key, onchange: set }));
  };
  return h("details", { id: "filter-days" }, h("summary", "Date"), h("div.row", input("since", "Since "), input("until", "until ")));
}

/**
 * Shows what is chosen, each with a button that removes it.
 * @param {URLSearchParams} parameters
 * @param {(change: (parameters: URLSearchParams) => void) => void} change
 */
export function showActive(parameters, change) {
  const chips = FILTERS.flatMap(({ key, label }) =>
    parameters.getAll(key).map((value) => {
      const remove = () => {
        change((parameters) => parameters.delete(key, value));
        byId("query").focus();
      };
      return h("li",
        h("button.chip", { "data-filter": key, "data-value": value, "aria-label": `Remove the filter ${label}: ${plain(value)}`, onclick: remove },
          h("span.soft", `${label} `), name(value), h("span.cross", { "aria-hidden": "true" }, "×")));
    }),
  );
  const list = byId("active-filters");
  fill(list, chips);
  list.hidden = chips.length === 0;
  for (const key of ["since", "until"]) byId(`filter-${key}`).value = parameters.get(key) ?? "";
}
