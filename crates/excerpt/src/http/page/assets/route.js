/** The address of the page is its state: every view can be linked to, and Back goes back. */

export const current = () => new URLSearchParams(location.search);

/** Adds a query to a path. Lists are repeated; what is empty is left out. */
export function withQuery(path, parameters) {
  const pairs = parameters instanceof URLSearchParams ? [...parameters] : Object.entries(parameters);
  const query = new URLSearchParams();
  for (const [name, value] of pairs) {
    for (const one of [value].flat()) {
      if (one !== undefined && one !== null && one !== "") query.append(name, String(one));
    }
  }
  return query.size > 0 ? `${path}?${query}` : path;
}

export const href = (parameters) => withQuery("/", parameters);

/**
 * The address of a document at a passage.
 * @param {{path: string, collection?: string}} document
 * @param {[number, number]} [lines]
 */
export function documentHref({ path, collection }, lines) {
  return href({ view: "document", target: path, collection, lines: lines && lines.join("-") });
}

export function go(address) {
  const depth = (history.state?.depth ?? 0) + 1;
  history.pushState({ depth }, "", address);
  dispatchEvent(new CustomEvent("excerpt:route"));
}

/** Changes the address without a step in the history. */
export function settle(address) {
  if (address !== location.pathname + location.search) history.replaceState(history.state, "", address);
}

/** Goes back, or to the search if the page was opened here. */
export function back() {
  if (history.state?.depth > 0) history.back();
  else go("/");
}

/** Follows links between views without loading the page again. @param {MouseEvent} event */
export function follow(event) {
  const isSpecial = event.button > 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
  const address = /** @type {Element} */ (event.target).closest("a")?.getAttribute("href") ?? "";
  if (isSpecial || (address !== "/" && !address.startsWith("/?"))) return;
  event.preventDefault();
  go(address);
}
