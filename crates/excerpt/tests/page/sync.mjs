// A sync, and how the page follows changes of the documents.
import { writeFile } from "node:fs/promises";
import { find, start, withPage } from "./browser.mjs";

const sync = (browser, judge) =>
  withPage(browser, judge, async (page) => {
    await start(page);
    await page.click("nav [data-nav=status]");
    await page.waitForSelector(".card");
    const names = await page.locator(".card").evaluateAll((cards) => cards.map((card) => card.dataset.source).sort());
    judge.same("every collection", names, ["code", "drafts", "guide", "hostile", "notes"]);
    const answer = page.waitForResponse((response) => response.url().endsWith("/v1/sync"));
    await page.click("[data-sync=drafts]");
    judge.same("a sync is accepted", (await answer).status(), 202);
    await judge.becomes("it ends well", () => page.getAttribute("[data-source=drafts]", "data-state"), "current");
    judge.same("without a problem", await page.textContent("#status-problem"), "");

    await writeFile(`${process.env.DRAFTS}/walk.md`, "# Walk\n\nAround the lighthouse at low tide.\n");
    await judge.becomes("a new document is counted", async () => (await page.textContent("[data-source=drafts]")).includes("2 documents"), true);
    await page.click("nav [data-nav=search]");
    const { hits } = await find(page, "around the lighthouse");
    judge.same("and found", [hits[0].collection, hits[0].path], ["drafts", "walk.md"]);
  });

export const parts = { sync };
