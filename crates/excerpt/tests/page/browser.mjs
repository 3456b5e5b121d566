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

// Containers and some distributions deny the sandbox to programs. The other flags keep the browser from requests of its own.
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

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

/** Signs in, and keeps the session for all pages. */
export async function signIn(browser) {
  const page = await browser.newPage();
  await page.goto(`${BASE}/?token=${TOKEN}`);
  await page.waitForSelector("#results .count");
  session = await page.context().storageState();
  await page.close();
}

let session;

/** Runs `work` with an empty page that is signed in, and checks that nothing happens which must not. */
export async function withPage(browser, judge, work, { allowed = [], isSignedIn = true, ...options } = {}) {
  const storageState = isSignedIn ? session : undefined;
  const context = await browser.newContext({ storageState, viewport: { width: 1280, height: 860 }, colorScheme: "light", reducedMotion: "reduce", ...options });
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE);
    const trouble = watch(page, allowed);
    await work(page);
    judge.same("no error, no dialog and no request to elsewhere", trouble, []);
  } finally {
    await context.close();
  }
}

/** Collects errors, reports of the content security policy, dialogs and requests to other places. `allowed` are error messages that a test causes. */
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
