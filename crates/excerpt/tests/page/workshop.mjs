// The chunk workshop: settings, errors, two settings side by side, and the configuration to copy.
import { address, start, status, visit, withPage } from "./browser.mjs";

const chunks = async (page, bench) => Number(await page.textContent(`[data-bench=${bench}] [data-stat=chunks] dd`));

const settings = (browser, judge) =>
  withPage(
    browser,
    judge,
    async (page) => {
      await visit(page, { view: "workshop", "a.target": 100, "a.max": 150 }, "#sample");
      judge.same("settings of a link", [await page.inputValue("#a-target"), await page.inputValue("#a-max")], ["100", "150"]);
      await page.click("#sample");
      await page.waitForSelector(".chunk");
      const many = await chunks(page, "a");
      judge.same("as many chunks as it says", await page.locator(".chunk").count(), many);
      await page.fill("#a-target", "300");
      await page.fill("#a-max", "300");
      await judge.becomes("a larger target makes fewer", async () => (await chunks(page, "a")) < many, true);
      await page.fill("#a-overlap", "900");
      await page.waitForSelector("#a-overlap-error:not(:empty)");
      judge.same("the field is invalid", await page.getAttribute("#a-overlap", "aria-invalid"), "true");
      judge.same("only this one", await page.locator("[aria-invalid=true]").count(), 1);
      await page.fill("#a-overlap", "15%");
      await judge.becomes("it is right again", () => page.textContent("#a-overlap-error"), "");
      await page.locator("[data-slider=target]").focus();
      await page.keyboard.press("ArrowLeft");
      await judge.becomes("a slider sets its field", () => page.inputValue("#a-target"), "290");
      await page.fill("#a-target", "300");
      await judge.becomes("the settings are in the address", () => address(page), "/?view=workshop&a.target=300&a.max=300&a.overlap=15%25");
      await page.click(".more summary");
      await page.fill("#a-delimiter", "[");
      await page.waitForSelector("#a-delimiter-error:not(:empty)");
    },
    { allowed: [status(422)] },
  );

const configuration = (browser, judge) =>
  withPage(
    browser,
    judge,
    async (page) => {
      await visit(page, { view: "workshop", "a.target": 300, "a.max": 300, "a.overlap": "15%", "a.levels": "2,3", "a.delimiter": "it's" }, "#sample");
      await page.click("#sample");
      await page.waitForSelector(".chunk");
      await page.click(".export summary");
      const code = () => page.textContent(".export pre");
      judge.same("TOML", await code(), '[chunking]\ntarget = 300\nmax = 300\noverlap = "15%"\nlevels = [2, 3]\ndelimiter = "it\'s"');
      await page.click(".export label:has-text('Flags')");
      judge.same("flags", await code(), "excerpt chunk night-watch.md --target=300 --max=300 --overlap=15% --levels=2,3 --delimiter='it'\\''s'");
      await page.click(".export label:has-text('JSON')");
      judge.same("JSON", JSON.parse(await code()), { target: 300, max: 300, overlap: "15%", levels: [2, 3], delimiter: "it's" });
      await page.click(".export button");
      await page.waitForFunction(() => document.querySelector(".export [role=status]").textContent === "Copied");
      judge.same("it is copied", await page.evaluate(() => navigator.clipboard.readText()), await code());
    },
    { context: { permissions: ["clipboard-read", "clipboard-write"] } },
  );

const comparison = (browser, judge) =>
  withPage(browser, judge, async (page) => {
    await visit(page, { view: "workshop", document: "gauges.md", collection: "guide", "a.target": 200, "a.max": 250 }, "[data-bench=a] .chunk");
    await page.check("#compare");
    await page.waitForSelector("[data-bench=b] .chunk");
    judge.same("the second setting begins as the first", await page.inputValue("#b-target"), "200");
    await judge.becomes("then nothing differs", () => page.locator(".cut.only").count(), 0);
    await page.fill("#b-target", "60");
    await page.fill("#b-max", "80");
    await page.waitForSelector("[data-bench=b] .cut.only");
    judge.check("a smaller target makes more chunks", (await chunks(page, "b")) > (await chunks(page, "a")));
    await judge.becomes("both are in the address", () => /compare=1.*a\.target=200.*b\.target=60.*b\.max=80/.test(address(page)), true);
    await page.reload();
    await page.waitForSelector("[data-bench=b] .cut.only");
    judge.same("and stay after a reload", await page.inputValue("#b-target"), "60");
    await page.uncheck("#compare");
    await judge.becomes("one setting again", () => page.locator("[data-bench]").count(), 1);
    await judge.becomes("without marks", () => page.locator(".cut.only").count(), 0);
  });

const sources = (browser, judge) =>
  withPage(
    browser,
    judge,
    async (page) => {
      await start(page);
      await page.click("nav [data-nav=workshop]");
      await page.fill("#pasted", "One.\n\nTwo.\n");
      await page.waitForSelector(".chunk");
      judge.check("a pasted text", (await page.textContent(".chunk .text")).startsWith("One."));
      await page.click("label:has-text('Choose a document')");
      await page.waitForFunction(() => document.querySelectorAll("#documents option").length > 30);
      await page.fill("#chosen", "guide › gauges.md");
      await judge.becomes("a chosen document", async () => (await page.textContent("[data-bench=a]")).includes("gauges.md"), true);
      await judge.becomes("it is in the address", () => /document=gauges\.md&collection=guide/.test(address(page)), true);
      await page.fill("#chosen", "none.md");
      await page.press("#chosen", "Enter");
      await page.waitForSelector("[data-bench=a] .problem");
      judge.check("a document that does not exist", (await page.textContent("[data-bench=a] .problem")).includes("none.md"));
      await page.click("label:has-text('Paste a text')");
      await page.waitForSelector("[data-bench=a]:not(.stale) .chunk");
      judge.same("the text is still there", await page.inputValue("#pasted"), "One.\n\nTwo.\n");
    },
    { allowed: [status(404)] },
  );

export const parts = { settings, configuration, comparison, sources };
