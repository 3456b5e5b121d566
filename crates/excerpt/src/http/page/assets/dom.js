/** Elements. Foreign text becomes a text node or the value of an attribute, never HTML. */

/** @import { Child } from "./types" */

/**
 * Makes an element: `h("p.soft", { id: "note" }, "text")`; the attributes may be left out. A function
 * is a listener for the event that its name ends with (`onclick`); `true` is an attribute without a
 * value; `null`, `undefined` and `false` leave it out.
 * @param {string} selector the tag, then the classes
 * @param {...any} rest the attributes, and `Child`ren
 * @returns {any}
 */
export function h(selector, ...rest) {
  const [tag, ...classes] = selector.split(".");
  const element = document.createElement(tag);
  const attributes = rest[0]?.constructor === Object ? rest.shift() : {};
  if (tag === "button") element.setAttribute("type", "button");
  if (classes.length > 0) element.className = classes.join(" ");
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, String(value));
  }
  element.append(...present(rest));
  return element;
}

/** @param {Child[]} children @returns {any[]} */
function present(children) {
  return /** @type {any[]} */ (children).flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false && child !== "");
}

/** Replaces the children of `parent`. @param {Element} parent @param {...any} children */
export function fill(parent, ...children) {
  parent.replaceChildren(...present(children));
}

/** The element of the page with this id. @returns {any} */
export const byId = (id) => document.getElementById(id);

/** The first element of the page that matches. @returns {any} */
export const one = (selector) => document.querySelector(selector);

/** All that match. @returns {any[]} */
export const all = (selector) => [...document.querySelectorAll(selector)];

/** A link to another site: only http and https, everything else is plain text. @param {Child} label */
export function external(url, label) {
  const address = URL.canParse(url) ? new URL(url) : null;
  if (address?.protocol !== "https:" && address?.protocol !== "http:") return h("span", label);
  return h("a.external", { href: address.href, target: "_blank", rel: "noopener noreferrer" }, label);
}

/** Whether keys that are typed now go into a field. */
export function isTyping(target) {
  return target instanceof HTMLElement && target.matches("input, textarea, select");
}

const percent = (value, whole) => `${whole > 0 ? Math.min(100, (100 * value) / whole) : 0}%`;

/**
 * A horizontal bar of parts, each with a class for its color. The numbers stand next to it as text.
 * @param {[className: string, value: number][]} parts
 * @param {number} [tick] where a mark stands
 */
export function bar(parts, whole, tick) {
  const element = h("span.gauge", { "aria-hidden": "true" });
  for (const [name, value] of parts) {
    const part = h("i", { class: name });
    part.style.width = percent(value, whole);
    element.append(part);
  }
  if (tick !== undefined && tick < whole) {
    const mark = h("b");
    mark.style.left = percent(tick, whole);
    element.append(mark);
  }
  return element;
}
