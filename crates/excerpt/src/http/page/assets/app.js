/** The entry: which view is shown, the keyboard, the theme and the session. */
import { adoptSession } from "./api.js";
import { all, byId, isTyping, one } from "./dom.js";
import { back, current, follow } from "./route.js";
import { documentView } from "./document.js";
import { searchView } from "./search.js";
import { statusView } from "./status.js";
import { workshopView } from "./workshop.js";

/** @import { View } from "./types" */

/** @type {Record<string, View>} */
const views = { search: searchView, document: documentView, workshop: workshopView, status: statusView };

/** @type {{name: string, view: View} | null} */
let active = null;

/** Where each view was scrolled to. @type {Map<string, number>} */
const scrolled = new Map();

/** Shows what the address says. */
function render() {
  const parameters = current();
  const asked = parameters.get("view") ?? "search";
  const name = Object.hasOwn(views, asked) ? asked : "search";
  const isNew = active?.name !== name;
  if (isNew) enter(name);
  active.view.show(parameters);
  if (isNew) active.view.focus();
}

function enter(name) {
  if (active) scrolled.set(active.name, scrollY);
  active?.view.hide?.();
  active = { name, view: views[name] };
  document.title = name === "search" ? "excerpt" : `${active.view.title} · excerpt`;
  for (const section of all("[data-view]")) section.hidden = section.dataset.view !== name;
  for (const link of all("[data-nav]")) {
    if (link.dataset.nav === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  scrollTo(0, name === "search" ? (scrolled.get(name) ?? 0) : 0);
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || byId("help").open) return;
  if (!byId("signed-out").hidden) return;
  if (active.view.key?.(event) || globalKey(event)) event.preventDefault();
}

/** The keys that work everywhere. @param {KeyboardEvent} event */
function globalKey(event) {
  if (event.key === "Escape" && active.name !== "search") {
    // In a field, the first press leaves the field.
    if (isTyping(event.target)) one(":focus").blur();
    else back();
    return true;
  }
  if (isTyping(event.target)) return false;
  if (event.key === "/") {
    if (active.name !== "search") one("nav [data-nav=search]").click();
    byId("query").select();
    return true;
  }
  if (event.key === "?") {
    byId("help").showModal();
    return true;
  }
  return false;
}

const THEMES = ["automatic", "light", "dark"];

function theme() {
  return document.documentElement.dataset.theme ?? "automatic";
}

function labelTheme() {
  const button = byId("theme");
  button.textContent = { automatic: "◐", light: "○", dark: "●" }[theme()];
  button.ariaLabel = button.title = `Theme: ${theme()}`;
}

function switchTheme() {
  const next = THEMES[(THEMES.indexOf(theme()) + 1) % THEMES.length];
  if (next === "automatic") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
  try {
    localStorage.setItem("excerpt.theme", next);
  } catch {
    // It lasts until the page is closed.
  }
  labelTheme();
}

/** Shows only the form for a token. */
function signedOut() {
  for (const section of all("[data-view]")) section.hidden = true;
  const panel = byId("signed-out");
  if (!panel.hidden) return;
  panel.hidden = false;
  byId("token").focus();
}

adoptSession();
labelTheme();
history.scrollRestoration = "manual";
byId("theme").addEventListener("click", switchTheme);
byId("help-open").addEventListener("click", () => byId("help").showModal());
addEventListener("click", follow);
addEventListener("keydown", onKey);
addEventListener("popstate", render);
addEventListener("excerpt:route", render);
addEventListener("excerpt:signed-out", signedOut);
render();
