// Shared by all parts: the browser, pages that are watched, and a count of the checks.
import { createRequire } from "node:module";
import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual, stripVTControlCharacters } from "node:util";

const { BASE, TOKEN, CHROMIUM, NODE_FOLDER } = process.env;
export { BASE, TOKEN };

// Modules of ECMAScript are not searched for in other folders.
const require = createRequire(`${NODE_FOLDER}/`);
const { chromium } = require("playwright-core");
export const AXE = require("axe-core").source;

/** How long a condition may take, in milliseconds: much longer than on a machine that is busy. */
const PATIENCE = 20_000;

// Containers and some distributions deny the sandbox to programs.
const NO_REQUESTS = ["--disable-background-networking", "--disable-component-update", "--disable-sync"];
const FLAGS = ["--no-sandbox", "--disable-gpu", ...NO_REQUESTS];

export const launch = () => chromium.launch({ executablePath: CHROMIUM, args: FLAGS });

/** Counts the passed checks of a part, and collects those that fail. */
export class Judge {
  checked = 0;
  wrong = [];

  constructor(name) {
    this.name = name;
  }

  fail(message) {
    this.wrong.push(`${this.name}: ${message}`);
  }

  /** Runs the part; an error in it is a failed check. */
  async run(part) {
    await part(this).catch((error) => this.fail(stripVTControlCharacters(error.stack)));
    return this;
  }

  check(what, isRight, found = "") {
    if (isRight) this.checked++;
    else this.fail(found === "" ? what : `${what}: ${JSON.stringify(found)}`);
  }

  same(what, found, expected) {
    this.check(what, isDeepStrictEqual(found, expected), { found, expected });
  }

  /** Waits until the probe returns what is expected. */
  async becomes(what, probe, expected) {
    const end = Date.now() + PATIENCE;
    let found = await probe();
    while (!isDeepStrictEqual(found, expected) && Date.now() < end) {
      await pause(20);
      found = await probe();
    }
    this.same(what, found, expected);
  }
}

const DEFAULTS = { viewport: { width: 1280, height: 860 }, colorScheme: "light", reducedMotion: "reduce" };

/** The context that most parts share, since a new one takes a second. */
let shared;

/** Signs in, in the shared context. */
export async function signIn(browser) {
  shared = await browser.newContext(DEFAULTS);
  const page = await shared.newPage();
  await page.goto(`${BASE}/?token=${TOKEN}`);
  await page.waitForSelector("#results .count");
}

/**
 * Runs `work` with an empty page, and checks that nothing happens which must not. `allowed` are messages that the test causes. A part that changes what is stored
 * needs its own `context`: the options in which it differs.
 */
export async function withPage(browser, judge, work, { allowed = [], context } = {}) {
  const own = context && (await browser.newContext({ ...DEFAULTS, storageState: await shared.storageState(), ...context }));
  const page = await (own ?? shared).newPage();
  try {
    page.setDefaultTimeout(PATIENCE);
    const trouble = watch(page, allowed);
    await work(page);
    judge.same("no error, no dialog and no request to elsewhere", trouble, []);
  } finally {
    await (own ?? page).close();
  }
}

/** The option `context` of a part that is not signed in. */
export const SIGNED_OUT = { storageState: undefined };

/** Collects errors, reports of the content security policy, dialogs and requests to other places. */
function watch(page, allowed) {
  const trouble = [];
  page.on("pageerror", (error) => trouble.push(`error: ${error.stack}`));
  page.on("console", (message) => {
    const text = message.text();
    if (message.type() === "error" && !allowed.some((part) => text.includes(part))) trouble.push(`console: ${text}`);
  });
  page.on("dialog", (dialog) => {
    trouble.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(`${BASE}/`) && !request.url().startsWith("data:")) trouble.push(`request: ${request.url()}`);
  });
  page.on("popup", (popup) => trouble.push(`popup: ${popup.url()}`));
  return trouble;
}

/** What the browser logs if an answer has this status. */
export const status = (code) => `the server responded with a status of ${code}`;

export const address = (page) => page.url().slice(BASE.length);

/** Opens an address of the page, with parameters, and waits for an element. */
export async function visit(page, parameters, selector) {
  await page.goto(`${BASE}/?${new URLSearchParams(parameters)}`);
  await page.waitForSelector(selector);
}

/** Opens the search without a question. */
export async function start(page) {
  await page.goto(BASE);
  await page.waitForSelector(".recent a");
}

/** The parameters of a request to the API, or `null` if it is another request. */
export function asked(request, path = "/v1/search") {
  const url = new URL(request.url());
  return url.pathname === path ? url.searchParams : null;
}

/** Does what changes the search, and waits until the page shows the answer to it. Returns the answer. */
export async function searching(page, query, act) {
  const isIt = (response) => asked(response.request())?.get("query") === query && response.ok();
  const [response] = await Promise.all([page.waitForResponse(isIt), act()]);
  const answer = await response.json();
  const ids = answer.hits.filter((hit) => !hit.weak).concat(answer.hits.filter((hit) => hit.weak)).map((hit) => hit.id);
  await page.waitForFunction((ids) => ids.join() === [...document.querySelectorAll(".hit")].map((hit) => hit.dataset.id).join(), ids);
  return answer;
}

export const find = (page, query) => searching(page, query, () => page.fill("#query", query));

/** The id of the focused element, or the rank of the result that it is in. */
export const focused = (page) => page.evaluate(() => document.activeElement.closest(".hit")?.dataset.rank ?? document.activeElement.id);

/** Whether an element is in the window, and not behind the bar at its top. */
export const isInView = (locator) =>
  locator.evaluate((element) => {
    const { top } = element.getBoundingClientRect();
    return top >= 50 && top < innerHeight;
  });
