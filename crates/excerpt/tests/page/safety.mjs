// Hostile documents and addresses: everything in them is text.
import { address, find, isInView, start, status, visit, withPage } from "./browser.mjs";

const HOSTILE = { view: "document", collection: "hostile" };
const MARKUP = "<img src=x onerror=alert(1)>";

/** What a document may not bring into the page. */
const found = (page) =>
  page.evaluate(() => {
    const hidden = /[\u0007\u001b\u200b\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e0fff}]/u;
    const links = [...document.querySelectorAll("a")];
    const labels = [...document.querySelectorAll("[aria-label], [title], option")].flatMap((one) => [one.ariaLabel ?? "", one.title, one.label ?? ""]);
    return {
      elements: document.querySelectorAll("main :is(script, style, img, svg, iframe, object, embed, base, link, meta)").length,
      handlers: [...document.querySelectorAll("main *")].filter((one) => one.getAttributeNames().some((name) => name.startsWith("on"))).length,
      schemes: links.filter((link) => !/^https?:$/.test(link.protocol)).length,
      openers: links.filter((link) => link.host !== location.host && (link.target !== "_blank" || link.rel !== "noopener noreferrer")).length,
      hidden: [document.querySelector("main").textContent, document.title, ...labels].filter((text) => hidden.test(text)).length,
    };
  });

const HARMLESS = { elements: 0, handlers: 0, schemes: 0, openers: 0, hidden: 0 };

const attack = (browser, judge) =>
  withPage(browser, judge, async (page) => {
    await start(page);
    const isHarmless = async (what) => judge.same(what, await found(page), HARMLESS);
    await find(page, "zebra attack");
    judge.check("it is found", (await page.locator('.hit[data-path="attack.md"]').count()) > 0);
    await isHarmless("in the results");
    await visit(page, { ...HOSTILE, target: "attack.md" }, "#lines .line");
    await isHarmless("as a document");
    const text = await page.textContent("#lines");
    for (const part of ["⟨U+202E⟩", "⟨U+E0041⟩", "⟨U+001B⟩[31mred", "⟨U+0007⟩", "👩‍🚀 ❤️", "<svg onload=alert(5)>"]) {
      judge.check(`${part} is visible`, text.includes(part));
    }
    judge.check("a long run of hidden characters is counted", /⟨U\+200B⟩⟨and [\d,]+ more⟩/.test(text));
    const links = await page.locator("#outgoing li").evaluateAll((all) => all.map((one) => [one.textContent, one.querySelectorAll("a").length]));
    judge.same("a link to a document that does not exist is text", links, [["none.md line 11", 0]]);
    await visit(page, { view: "workshop", document: "attack.md", collection: "hostile", "a.target": 60, "a.max": 80, "a.overlap": 10 }, ".chunk");
    await isHarmless("in the workshop");
  });

const addresses = (browser, judge) =>
  withPage(
    browser,
    judge,
    async (page) => {
      const isHarmless = async (what) => judge.same(what, await found(page), HARMLESS);
      await visit(page, { view: "document", target: `">${MARKUP}`, q: "<script>" }, "#document .problem");
      await isHarmless("a target");
      await visit(page, { view: "document", target: "../../../../etc/passwd" }, "#document .problem");
      await visit(page, { q: MARKUP, collection: "<b>\u202ex", path: "javascript:alert(1)", view: "constructor" }, ".chip");
      await page.waitForSelector("#search-problem .problem, #results .count");
      await isHarmless("filters");
      await visit(page, { view: "workshop", "a.delimiter": MARKUP, "a.preset": "\u202e", "b.constructor": MARKUP, compare: MARKUP }, "[data-bench=b]");
      await page.click("#sample");
      await page.waitForSelector(".chunk, [data-bench=a] .problem, .error:not(:empty)");
      await isHarmless("settings");
    },
    { allowed: [status(400), status(404), status(422)] },
  );

const oddFiles = (browser, judge) =>
  withPage(browser, judge, async (page) => {
    await start(page);
    const name = "odd name 1 ?&%41 \u202e.md";
    await find(page, "zebra with an odd name");
    await page.locator(".hit a.title", { hasText: "Odd name" }).first().click();
    await page.waitForSelector("#lines .line.on");
    judge.same("its name is in the address", new URLSearchParams(address(page).slice(1)).get("target"), name);
    judge.same("a document with an odd name", await found(page), HARMLESS);
    await page.click("#to-workshop");
    await page.waitForSelector("#workshop:not([hidden]) .chunk");
    judge.same("it in the workshop", await found(page), HARMLESS);
    await visit(page, { ...HOSTILE, target: "crlf.md" }, "#lines .line");
    judge.same("CRLF ends a line, CR does not", await page.locator("#lines .line").count(), 4);
    const text = await page.textContent("#lines");
    judge.check("a BOM and a lone CR are visible", text.includes("⟨U+FEFF⟩") && text.includes("Two⟨U+000D⟩half"), text);
  });

const longLine = (browser, judge) =>
  withPage(browser, judge, async (page) => {
    await visit(page, { ...HOSTILE, target: "line.txt" }, "#lines .line");
    judge.same("a line of a megabyte is complete", await page.evaluate(() => document.querySelector("#L1").textContent.length), 1 << 20);
    // Blocks get their real height when they come into view.
    const reachesEnd = async () => {
      await page.keyboard.press("End");
      return page.evaluate(() => innerHeight + scrollY >= document.documentElement.scrollHeight - 1);
    };
    await judge.becomes("its end can be reached", reachesEnd, true);
  });

const manyLines = (browser, judge) =>
  withPage(browser, judge, async (page) => {
    await visit(page, { ...HOSTILE, target: "long.md", lines: "15000-15010" }, "#lines .line.on");
    judge.same("every line is there", await page.locator("#lines .line").count(), 20_000);
    await judge.becomes("the passage is in view", () => isInView(page.locator("#L15000")), true);
    await visit(page, { view: "workshop", document: "long.md", collection: "hostile", "a.target": 200, "a.max": 250 }, ".chunk");
    const chunks = async () => Number((await page.textContent("[data-stat=chunks] dd")).replace(",", ""));
    const total = await chunks();
    judge.same("many chunks are not drawn at once", [await page.locator(".chunk").count(), total > 300], [300, true]);
    await page.click(`button:has-text("Show the other")`);
    await judge.becomes("but if asked for", () => page.locator(".chunk").count(), total);
  });

export const parts = { attack, addresses, oddFiles, longLine, manyLines };
