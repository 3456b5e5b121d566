// A document: its lines, its chunks in the margin, the passage, and its links.
import { address, find, isInView, start, status, visit, withPage } from "./browser.mjs";

const GAUGES = { view: "document", target: "gauges.md", collection: "guide" };

const marked = (page) => page.locator("#lines .line.on").evaluateAll((lines) => lines.map((line) => Number(line.dataset.n)));
const range = (first, last) => Array.from({ length: last - first + 1 }, (_, index) => first + index);

const passage = (browser, judge) =>
  withPage(browser, judge, async (page) => {
    await visit(page, { ...GAUGES, lines: "70-74" }, "#lines .line.on");
    judge.same("the lines of the link", await marked(page), range(70, 74));
    judge.same("they are named", await page.textContent("#passage"), "lines 70–74");
    await judge.becomes("they are in view", () => isInView(page.locator("#L70")), true);
    judge.same("every line is there", await page.locator("#lines .line").count(), 78);
    judge.same("the title", await page.title(), "Gauges · excerpt");
    await visit(page, { ...GAUGES, target: "gauges.md:30-40" }, "#lines .line.on");
    judge.same("lines in the target", await marked(page), range(30, 40));
    judge.same("the whole document is shown", await page.locator("#lines .line").count(), 78);
    await visit(page, { ...GAUGES, target: "gauges.md#calibrating" }, "#lines .line.on");
    judge.same("a section in the target begins at its heading", (await marked(page))[0], 30);
    await visit(page, GAUGES, "#lines .line");
    judge.same("no passage", [await marked(page), await page.textContent("#passage")], [[], "Whole document"]);
    await visit(page, { ...GAUGES, lines: "9-1" }, "#lines .line");
    await visit(page, { ...GAUGES, lines: "999999999" }, "#lines .line");
    judge.same("lines that do not exist", await marked(page), []);
  });

const margin = (browser, judge) =>
  withPage(browser, judge, async (page) => {
    await visit(page, GAUGES, "#lines .rail");
    const rails = await page.locator(".rail").evaluateAll((all) => all.map((rail) => ({ ...rail.dataset })));
    judge.same("the ordinals", rails.map((rail) => rail.ordinal), rails.map((_, index) => String(index)));
    judge.check("several chunks", rails.length > 2, rails);
    const lines = (index) => rails[index].lines.split("-").map(Number);
    await page.locator(".rail").nth(1).click();
    await judge.becomes("a chunk is a passage", () => marked(page), range(...lines(1)));
    judge.same("and a link", new URLSearchParams(address(page).slice(1)).get("lines"), rails[1].lines);
    await page.locator(".rail").nth(1).hover();
    await judge.becomes("its tip is visible", () => page.isVisible(".rail.on .tip"), true);
    await page.keyboard.press("j");
    await judge.becomes("the next chunk", () => marked(page), range(...lines(2)));
    await page.keyboard.press("k");
    await page.click(".passage button:has-text('Previous')");
    await judge.becomes("the first chunk", () => marked(page), range(...lines(0)));
    await page.click(".passage button:has-text('Next')");
    await judge.becomes("the second again", () => marked(page), range(...lines(1)));
    await page.click("#to-workshop");
    await page.waitForSelector("#workshop:not([hidden]) .chunk");
    judge.same("the document in the workshop", await page.inputValue("#chosen"), "guide › gauges.md");
    await page.click("#chosen-open");
    await page.waitForSelector("#document:not([hidden]) #lines .line");
    judge.check("and back", address(page).includes("target=gauges.md"), address(page));
  });

const neighbours = (browser, judge) =>
  withPage(browser, judge, async (page) => {
    await start(page);
    await find(page, "gauge silent");
    await page.click('.hit[data-rank="1"] a.title');
    await page.waitForSelector("#lines .line.on");
    judge.check("links to it and from it", (await page.locator("#incoming li").count()) > 2 && (await page.locator("#outgoing li").count()) > 2);
    await page.click("#outgoing a:has-text('Error codes')");
    await page.waitForFunction(() => document.querySelector("#document h1").textContent === "Error codes");
    await page.waitForSelector("#lines .line.on");
    judge.check("a link leads to the linked section", (await page.textContent("#lines .line.on")).includes("TB-201"));
    await page.click("#incoming a:has-text('Gauges')");
    await page.waitForFunction(() => document.querySelector("#document h1").textContent === "Gauges");
    await page.goBack();
    await page.waitForFunction(() => document.querySelector("#document h1").textContent === "Error codes");
    await page.goBack();
    await page.waitForFunction(() => document.querySelector("#document h1").textContent === "Gauges");
    await page.goBack();
    await page.waitForSelector("#search:not([hidden])");
    await judge.becomes("Back ends at the search", () => address(page), "/?q=gauge+silent");
  });

const missing = (browser, judge) =>
  withPage(
    browser,
    judge,
    async (page) => {
      await visit(page, { view: "document", target: "none.md" }, "#document .problem");
      judge.check("a document that does not exist is named", (await page.textContent("#document .problem")).includes("none.md"));
      await visit(page, { view: "document", target: "README.md" }, "#document .problem");
      const problem = await page.textContent("#document .problem");
      judge.check("a path in two collections names both", problem.includes("guide") && problem.includes("code"), problem);
      await visit(page, { view: "document", target: "README.md", collection: "code" }, "#lines .line");
      await page.keyboard.press("Escape");
      await page.waitForSelector("#search:not([hidden])");
      judge.same("Escape in a page that was opened here goes to the search", address(page), "/");
    },
    { allowed: [status(404), status(409)] },
  );

export const parts = { passage, margin, neighbours, missing };
