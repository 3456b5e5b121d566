/**
 * Measures the page of `excerpt serve` in Chromium, headless: the first paint, and the answer after a key.
 *
 * Corpus: what the server serves. Each first paint is of a new browser context, with nothing in its cache, and counts from the start of the navigation to
 * the first contentful paint. The questions are typed key by key; an answer counts from the event of the key to the frame after the change of the results.
 * A key is pressed once the answer to the last one is there. Wall-clock time; browser and server share the machine.
 *
 * Command: BASE=http://127.0.0.1:7700 TOKEN=excerpt_… NODE_FOLDER=… node benches/page/run.mjs; NODE_FOLDER contains `node_modules` with `playwright-core`,
 * the browser is $CHROMIUM or /usr/bin/chromium. Prints a line of JSON for each figure.
 */
import { createRequire } from "node:module";
import { join } from "node:path";
import { env } from "node:process";

const { chromium } = createRequire(join(env.NODE_FOLDER, "from"))("playwright-core");

const PAINTS = 20;
const QUESTIONS = ["how are errors converted between types", "keep the connection alive", "parse a date from a string", "unicode normalization form", "split a slice in chunks"];

const browser = await chromium.launch({ executablePath: env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });

/** The session of the page, as a browser has it after the link was opened. */
async function session() {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${env.BASE}/?token=${env.TOKEN}`);
  await page.waitForSelector("#query");
  const state = await context.storageState();
  await context.close();
  return state;
}

function report(figure, times) {
  times.sort((a, b) => a - b);
  const at = (share) => Math.round(times[Math.floor((times.length - 1) * share)] * 10) / 10;
  console.log(JSON.stringify({ figure, count: times.length, p50: at(0.5), p95: at(0.95), slowest: at(1) }));
}

const storageState = await session();
const paints = [];
for (let n = 0; n < PAINTS; n += 1) {
  const context = await browser.newContext({ storageState });
  const page = await context.newPage();
  await page.goto(`${env.BASE}/`);
  const paint = await page.evaluate(() => new Promise((resolve) => {
    new PerformanceObserver((list) => {
      const first = list.getEntriesByName("first-contentful-paint")[0];
      if (first) resolve(first.startTime);
    }).observe({ type: "paint", buffered: true });
  }));
  paints.push(paint);
  await context.close();
}
report("first paint", paints);

const context = await browser.newContext({ storageState });
const page = await context.newPage();
await page.goto(`${env.BASE}/`);
await page.waitForSelector("#query");
await page.evaluate(() => {
  globalThis.answers = [];
  let pressed = null;
  document.getElementById("query").addEventListener("input", (event) => (pressed = event.timeStamp), true);
  const changed = () => {
    if (pressed === null) return;
    const begun = pressed;
    pressed = null;
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => globalThis.answers.push(performance.now() - begun);
      port2.postMessage(0);
    });
  };
  new MutationObserver(changed).observe(document.getElementById("results"), { childList: true, subtree: true, characterData: true });
});
const times = [];
for (const question of QUESTIONS) {
  await page.fill("#query", "");
  await page.waitForTimeout(500);
  await page.evaluate(() => (globalThis.answers = []));
  for (const [at, key] of [...question].entries()) {
    await page.keyboard.press(key === " " ? "Space" : key);
    // A space at the end asks nothing new.
    if (key !== " ") await page.waitForFunction((count) => globalThis.answers.length >= count, question.slice(0, at + 1).replaceAll(" ", "").length);
  }
  times.push(...(await page.evaluate(() => globalThis.answers)));
}
report("answer after a key", times);
await browser.close();
