/** The settings of chunking: their controls, and how they are written in a file, on a command line and as JSON. */
import { byId, fill, h } from "./dom.js";
import { shown } from "./text.js";

/** @import { Setting, Sizes, Typed } from "./types" */

/** @type {Setting[]} */
export const SETTINGS = [
  { name: "preset", label: "Preset", kind: "choice", main: true, choices: ["auto", "brain", "code", "docs", "memory", "resources", "units"] },
  { name: "strategy", label: "Strategy", kind: "choice", main: true, choices: ["auto", "markdown", "headers", "delimiter", "fixed", "code", "whole", "naive"] },
  { name: "target", label: "Target", kind: "size", main: true, hint: "The size that chunks aim for" },
  { name: "max", label: "Max", kind: "size", main: true, hint: "The size that no chunk exceeds" },
  { name: "overlap", label: "Overlap", kind: "share", main: true, hint: "A size, or a share such as 15%" },
  { name: "min", label: "Min", kind: "size", hint: "Smaller chunks are joined" },
  { name: "unit", label: "Unit", kind: "choice", choices: ["tokens", "chars", "cjk-tokens"] },
  { name: "levels", label: "Heading levels", kind: "levels", hint: "Always start a chunk, such as 2,3" },
  { name: "delimiter", label: "Delimiter", kind: "text", hint: "A regular expression to split at" },
  { name: "include_delimiter", label: "Include the delimiter", kind: "switch" },
  { name: "atomic", label: "Blocks over the limit", kind: "choice", choices: ["split", "keep"] },
  { name: "context", label: "Context", kind: "text", hint: "all, none, or some of path,title,trail,lead,domain" },
  { name: "complete_sentences", label: "Complete sentences", kind: "switch" },
  { name: "continuation_marker", label: "Continuation marker", kind: "text" },
  { name: "overview", label: "Overview", kind: "size", hint: "The limit of the first chunk of a README" },
  { name: "per_entry", label: "One chunk per entry", kind: "switch" },
];

/** The target and the max of the presets, in tokens. */
const PRESETS = { auto: [400, 400], brain: [256, 512], code: [400, 800], docs: [125, 250], memory: [400, 400], resources: [500, 800], units: [400, 800] };

const CHARS_PER_TOKEN = 4;
const LARGEST_ON_SLIDER = 1200;

/**
 * The sizes that apply: what is typed, or what the preset says, each adjusted to the other.
 * @param {Typed} typed
 * @returns {Sizes}
 */
export function sizes(typed) {
  const scale = typed.unit === "chars" ? CHARS_PER_TOKEN : 1;
  const [target, max] = (PRESETS[typed.preset] ?? PRESETS.auto).map((size) => size * scale);
  const given = { target: Number(typed.target) || 0, max: Number(typed.max) || 0 };
  return {
    target: given.target || Math.min(target, given.max || target),
    max: given.max || Math.max(max, given.target),
    largest: LARGEST_ON_SLIDER * scale,
  };
}

/** What is set, as values of JSON. @param {Typed} typed @returns {Record<string, unknown>} */
export function asJson(typed) {
  const set = SETTINGS.filter(({ name }) => typed[name]);
  return Object.fromEntries(set.map((setting) => [setting.name, value(setting, typed[setting.name])]));
}

/** What is no number stays as it is: the server says what is wrong with it. @param {Setting} setting */
function value({ kind }, text) {
  const isNumber = /^\d{1,15}$/.test(text.trim());
  if ((kind === "size" || kind === "share") && isNumber) return Number(text);
  if (kind === "levels" && /^[\d\s,]+$/.test(text)) return text.split(/[\s,]+/).filter(Boolean).map(Number);
  if (kind === "switch") return text === "true";
  return text;
}

/** As a table of `excerpt.toml`. @param {Typed} typed */
export function asToml(typed) {
  const lines = Object.entries(asJson(typed)).map(([name, value]) => `${name} = ${tomlValue(value)}`);
  return ["[chunking]", ...lines].join("\n");
}

/** Strings of JSON are strings of TOML, except for DEL. */
function tomlValue(value) {
  if (Array.isArray(value)) return `[${value.join(", ")}]`;
  return JSON.stringify(value).replaceAll("\x7f", "\\u007f");
}

export function asCommand(typed, file) {
  const flags = Object.entries(asJson(typed)).map(([name, value]) => `--${name.replaceAll("_", "-")}=${shellWord(String(value))}`);
  return ["excerpt chunk", shellWord(file), ...flags].join(" ");
}

const shellWord = (text) => (/^[\w./:,%@+-]+$/.test(text) && !text.startsWith("-") ? text : `'${text.replaceAll("'", "'\\''")}'`);

/**
 * The controls of one set of settings.
 * @param {string} prefix of the ids
 * @param {Typed} typed
 * @param {(typed: Typed) => void} changed
 */
export function controls(prefix, typed, changed) {
  const set = (name, value) => {
    typed[name] = value;
    synchronize();
    changed(typed);
  };
  const control = (setting) => settingControl(prefix, setting, typed, set);
  const more = SETTINGS.filter((setting) => !setting.main);
  const form = h("form.settings", { "aria-label": `Settings ${prefix.toUpperCase()}`, onsubmit: (event) => event.preventDefault() },
    h("div.fields", SETTINGS.filter((setting) => setting.main).map(control)),
    h("details.more", { open: more.some(({ name }) => typed[name]) },
      h("summary", "More settings"),
      h("div.fields", more.map(control))),
  );
  /** Shows what applies where nothing is typed, and moves the sliders. */
  function synchronize() {
    const applied = sizes(typed);
    for (const name of ["target", "max"]) form.elements[name].placeholder = String(applied[name]);
    for (const slider of form.querySelectorAll("[data-slider]")) {
      slider.max = String(applied.largest);
      slider.value = String(applied[slider.dataset.slider]);
    }
  }
  synchronize();
  return form;
}

function settingControl(prefix, setting, typed, set) {
  const { name, label, hint } = setting;
  const id = `${prefix}-${name}`;
  const described = [hint && `${id}-hint`, `${id}-error`].filter(Boolean).join(" ");
  const common = { id, name, "data-setting": name, "aria-describedby": described, oninput: (event) => set(name, event.target.value) };
  return h("div", { class: `field ${setting.kind}` },
    h("label", { for: id }, label),
    input(setting, typed[name] ?? "", common),
    setting.main && setting.kind === "size" && slider(id, name, label, set),
    hint && h("p.hint", { id: `${id}-hint` }, hint),
    h("p.error", { id: `${id}-error`, "data-error": name }));
}

/** @param {Setting} setting */
function input({ kind, choices }, value, common) {
  const names = kind === "switch" ? ["true", "false"] : choices;
  if (names) return h("select", common, ["", ...names].map((name) => h("option", { value: name, selected: name === value }, name || "default")));
  return h("input", { value, autocomplete: "off", spellcheck: "false", inputmode: kind === "size" && "numeric", ...common });
}

function slider(id, name, label, set) {
  const move = (event) => {
    byId(id).value = event.target.value;
    set(name, event.target.value);
  };
  return h("input", { type: "range", min: 20, max: LARGEST_ON_SLIDER, step: 10, "data-slider": name, "aria-label": `${label}, slider`, oninput: move });
}

/**
 * Shows what is wrong at the fields; returns what belongs to none of them.
 * @param {HTMLFormElement} form
 * @param {{message: string, errors: {field: string, detail: string}[]} | null} problem
 */
export function showErrors(form, problem) {
  const errors = new Map((problem?.errors ?? []).map(({ field, detail }) => [field, detail]));
  for (const { name } of SETTINGS) {
    const wrong = errors.get(name);
    const field = form.elements[name];
    fill(form.querySelector(`[data-error="${name}"]`), wrong && shown(wrong));
    field.setAttribute("aria-invalid", String(Boolean(wrong)));
    if (wrong) field.closest("details")?.setAttribute("open", "");
    errors.delete(name);
  }
  const isElsewhere = problem !== null && (problem.errors.length === 0 || errors.size > 0);
  return isElsewhere ? problem.message : null;
}
