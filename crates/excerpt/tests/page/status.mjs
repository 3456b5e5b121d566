// The status of what is served, and the theme.
import { start, visit, withPage } from "./browser.mjs";

const SOURCE = { is_collection: true, documents: 3, chunks: 7, synced: 1_770_000_000, failure: null, progress: null, address: null, next: null };

/** Sources in every state, which a real server would be in for a moment only. */
export const STATES = {
  version: "0",
  documents: 9,
  chunks: 21,
  write: true,
  sources: [
    { ...SOURCE, name: "one", state: "syncing", progress: { stage: "cut", done: 3, total: 12 } },
    { ...SOURCE, name: "two", state: "failed", failure: "the connection was refused", address: "https://example.org/two.git", next: 4_000_000_000 },
    { ...SOURCE, name: "three", state: "waiting", synced: null },
    { ...SOURCE, name: "four", state: "incomplete", progress: { stage: "list", done: 0, total: 0 } },
  ],
};

/** Lets the page see STATES instead of the real status. */
export async function pretendStates(page, states = STATES) {
  const json = JSON.stringify(states);
  await page.route("**/v1/status", (route) => route.fulfill({ contentType: "application/json", body: json }));
  await page.route("**/v1/events", (route) => route.fulfill({ contentType: "text/event-stream", body: `: hello\n\nevent: status\ndata: ${json}\n\n` }));
}

const states = (browser, judge) =>
  withPage(browser, judge, async (page) => {
    await pretendStates(page);
    await visit(page, { view: "status" }, ".card[data-state=syncing] progress");
    judge.same("how far it is", await page.textContent(".card[data-state=syncing] .progress span"), "Splitting documents: 3 of 12");
    judge.same("why it failed", await page.textContent(".card[data-state=failed] .problem"), "the connection was refused");
    judge.check("never synced", (await page.textContent(".card[data-state=waiting]")).includes("never synced"));
    judge.same("an unknown end", await page.getAttribute(".card[data-state=incomplete] progress", "value"), null);
    // The newest route is the one that answers: the real server never does.
    await pretendStates(page, { ...STATES, write: false, sources: STATES.sources.slice(0, 1) });
    await judge.becomes("the page follows the events", () => page.locator(".card").count(), 1);
    judge.same("without the right to write, there is no sync", await page.locator("[data-sync]").count(), 0);
  });

const theme = (browser, judge) =>
  withPage(
    browser,
    judge,
    async (page) => {
      await start(page);
      const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
      const light = await background();
      await page.emulateMedia({ colorScheme: "dark" });
      await judge.becomes("the page follows the system", async () => (await background()) !== light, true);
      const dark = await background();
      await page.click("#theme");
      await judge.becomes("light by choice", background, light);
      await page.reload();
      await judge.becomes("it stays", background, light);
      await page.emulateMedia({ colorScheme: "light" });
      await page.click("#theme");
      await judge.becomes("dark by choice", background, dark);
      judge.same("the button says so", await page.getAttribute("#theme", "aria-label"), "Theme: dark");
      await page.click("#theme");
      await judge.becomes("the system again", background, light);
    },
    { context: {} },
  );

export const parts = { states, theme };
