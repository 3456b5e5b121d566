// Every view in light and dark, wide and narrow: what axe-core finds, and whether it fits.
import { AXE, BASE, SIGNED_OUT, start, status, visit, withPage } from "./browser.mjs";
import { pretendStates } from "./status.mjs";

const { SHOTS } = process.env;
const AXE_WIDTHS = [1280, 360];
const NARROWEST = 320;
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

const COMPARISON = { compare: 1, "a.target": 100, "a.max": 150, "b.preset": "docs", "b.overlap": 900 };
const GAUGES = { document: "gauges.md", collection: "guide" };

/** The views: their parameters, the element to wait for, and what is opened in them. */
const VIEWS = {
  start: [{}, ".recent a"],
  help: [{}, ".recent a", (page) => page.click("#help-open")],
  search: [{ q: "why did the siren ring late", collection: "notes", tag: "daily" }, ".hit", explain],
  weak: [{ q: "xylophone" }, ".weak .hit"],
  problem: [{ q: "siren", since: "2026-99-99" }, "#search-problem .problem"],
  document: [{ view: "document", target: "gauges.md", collection: "guide", lines: "30-47" }, "#lines .on"],
  hostile: [{ view: "document", target: "attack.md", collection: "hostile" }, "#lines .line"],
  missing: [{ view: "document", target: "none.md" }, "#document .problem"],
  workshop: [{ view: "workshop", ...GAUGES, "a.target": 100, "a.max": 150, "a.overlap": 20 }, ".chunk", (page) => page.click(".more summary")],
  comparison: [{ view: "workshop", ...GAUGES, ...COMPARISON }, "#b-overlap-error:not(:empty)", (page) => page.click("[data-bench=a] .export summary")],
  status: [{ view: "status" }, ".card progress"],
};

async function explain(page) {
  await page.locator(".why summary").first().click();
  await page.waitForSelector(".why tbody tr");
}

/** The violations that axe-core finds. */
async function violations(page) {
  const found = await page.evaluate((values) => axe.run(document, { resultTypes: ["violations"], preload: false, runOnly: { type: "tag", values } }), RULES);
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => `${node.target} ${node.failureSummary}`).join("; ")}`);
}

/** Two frames: until what changed is laid out and drawn. */
const drawn = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

const overflow = (page) => page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - innerWidth));

/** Checks what is on the page in both themes and all widths. */
async function judgeView(page, judge, name) {
  await page.evaluate(AXE);
  for (const width of [...AXE_WIDTHS, NARROWEST]) {
    await page.setViewportSize({ width, height: width < 500 ? 740 : 860 });
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      await drawn(page);
      if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}-${width}-${colorScheme}.png` });
      if (width !== NARROWEST) judge.same(`${name}, ${width} pixels, ${colorScheme}`, await violations(page), []);
    }
    judge.same(`${name} fits into ${width} pixels`, await overflow(page), 0);
  }
  await page.setViewportSize({ width: 1280, height: 860 });
}

/** The name and the part for one view, which `open` shows. */
const part = (name, open, context) => [
  `accessibility of ${name}`,
  (browser, judge) =>
    withPage(
      browser,
      judge,
      async (page) => {
        await open(page);
        await judgeView(page, judge, name);
      },
      { allowed: [status(401), status(404), status(422)], context },
    ),
];

const view = ([parameters, selector, change]) => async (page) => {
  await pretendStates(page);
  await visit(page, parameters, selector);
  await change?.(page);
};

async function expire(page) {
  await start(page);
  await page.evaluate(() => localStorage.setItem("excerpt.session", "old"));
  await visit(page, { q: "siren" }, "#signed-out:not([hidden])");
}

async function signIn(page) {
  await page.goto(BASE);
  await page.waitForSelector("#token");
}

const all = [
  ...Object.entries(VIEWS).map(([name, described]) => part(name, view(described))),
  part("expired", expire, {}),
  part("sign-in", signIn, SIGNED_OUT),
];

export const parts = Object.fromEntries(all);
