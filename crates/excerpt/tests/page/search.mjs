// The search: typing, results, filters, deep links, and the keyboard.
import { BASE, address, asked, find, focused, searching, start, status, visit, withPage } from "./browser.mjs";

const paths = (page) => page.locator(".hit").evaluateAll((hits) => hits.map((hit) => hit.dataset.path));
const collections = async (page) => [...new Set(await page.locator(".hit [data-badge=collection]").allTextContents())].sort();
const chips = (page) => page.locator(".chip").evaluateAll((all) => all.map(({ dataset }) => `${dataset.filter}=${dataset.value}`));
const press = async (page, ...keys) => {
  for (const key of keys) await page.keyboard.press(key);
};

const typing = (browser, judge) =>
  withPage(browser, judge, async (page) => {
    await start(page);
    judge.same("the field has the focus", await focused(page), "query");
    judge.check("recent documents are listed", (await page.locator(".recent a").count()) > 0);
    const answer = await searching(page, "siren late", () => page.keyboard.type("siren late"));
    await judge.becomes("the question is in the address", () => address(page), "/?q=siren+late");
    judge.same("how many matched", await page.getAttribute(".count", "data-matched"), String(answer.matched));
    const marks = await page.locator(".hit mark").allTextContents();
    judge.check("the words are marked", marks.length > 0 && marks.every((mark) => /siren|late|rang|ring/i.test(mark)), marks);
    const weak = answer.hits.filter((hit) => hit.weak).length;
    judge.same("weak matches are below the others", await page.locator(".weak .hit[data-weak=true]").count(), weak);
    judge.same("strong ones are above", await page.locator(".hits:not(.weak *) .hit[data-weak=false]").count(), answer.hits.length - weak);
    await judge.becomes("the numbers are announced", async () => /^\d+ results?, \d+ weak match(es)?$/.test(await page.textContent("#announcer")), true);

    await page.reload();
    await page.waitForSelector(".hit");
    judge.same("the question stays after a reload", await page.inputValue("#query"), "siren late");
    await find(page, "gauge silent");
    judge.same("another question", (await paths(page))[0], "gauges.md");
    await page.fill("#query", "");
    await page.waitForSelector(".recent a");
    await judge.becomes("no question", () => address(page), "/");
  });

const more = (browser, judge) =>
  withPage(browser, judge, async (page) => {
    await start(page);
    const first = await find(page, "siren");
    judge.check("there are more results", first.more);
    const isNext = (response) => asked(response.request())?.get("offset") === "10";
    const [response] = await Promise.all([page.waitForResponse(isNext), page.click("#more")]);
    const next = await response.json();
    await judge.becomes("more results", () => page.locator(".hit").count(), first.hits.length + next.hits.length);
    const ids = await page.locator(".hit").evaluateAll((hits) => hits.map((hit) => hit.dataset.id));
    judge.same("each result once", new Set(ids).size, ids.length);
    await judge.becomes("the focus is on the first new one", () => focused(page), String(next.hits[0]?.rank));
  });

const why = (browser, judge) =>
  withPage(browser, judge, async (page) => {
    await start(page);
    await find(page, "siren late");
    const hits = page.locator(".hit");
    for (let at = 0; at < (await hits.count()); at++) {
      const hit = hits.nth(at);
      await hit.locator(".why summary").click();
      await judge.becomes(`why result ${at}`, async () => (await hit.locator(".why tbody tr").count()) >= 2, true);
    }
  });

const nothing = (browser, judge) =>
  withPage(browser, judge, async (page) => {
    await start(page);
    await find(page, "xylophone");
    judge.same("nothing matched", await page.getAttribute(".count", "data-matched"), "0");
    judge.check("only weak matches", (await page.locator(".hit[data-weak=false]").count()) === 0 && (await page.locator(".weak .hit").count()) > 0);
  });

const filters = (browser, judge) =>
  withPage(browser, judge, async (page) => {
    await start(page);
    await find(page, "siren");
    const choose = (filter, value) => searching(page, "siren", () => page.selectOption(`#filter-${filter}`, value));
    await page.waitForSelector("#filter-collection:not([hidden])");
    await choose("collection", "guide");
    judge.same("one collection", await collections(page), ["guide"]);
    judge.same("it is in the address", address(page), "/?q=siren&collection=guide");
    await choose("collection", "notes");
    judge.same("two collections", await collections(page), ["guide", "notes"]);
    judge.same("two chips", await chips(page), ["collection=guide", "collection=notes"]);
    await searching(page, "siren", () => page.goBack());
    judge.same("Back removes the second", await chips(page), ["collection=guide"]);
    await searching(page, "siren", () => page.click(".chip[data-filter=collection]"));
    judge.same("a click on a chip removes it", address(page), "/?q=siren");
    judge.same("then the field has the focus", await focused(page), "query");

    await choose("path", "daily");
    judge.same("a folder is one of a collection", await chips(page), ["collection=notes", "path=daily"]);
    judge.check("only what is in the folder", (await paths(page)).every((path) => path.startsWith("daily/")), await paths(page));
    await visit(page, { q: "siren" }, "#filter-language:not([hidden])");
    await choose("language", "rust");
    judge.check("one language", (await paths(page)).every((path) => path.endsWith(".rs")), await paths(page));
    await visit(page, { q: "siren" }, "#filter-kind:not([hidden])");
    await choose("kind", "doc");
    judge.same("one type", await chips(page), ["kind=doc"]);
  });

const days = (browser, judge) =>
  withPage(browser, judge, async (page) => {
    await start(page);
    await find(page, "siren");
    await page.click("#filter-days summary");
    const set = (filter, day) => searching(page, "siren", () => page.fill(`#filter-${filter}`, day));
    await set("since", "2026-03-05");
    await set("until", "2026-03-09");
    judge.same("both days", await chips(page), ["since=2026-03-05", "until=2026-03-09"]);
    const dates = await page.locator(".hit [data-badge=date]").allTextContents();
    judge.check("only these days", dates.length > 0 && dates.every((date) => date >= "2026-03-05" && date <= "2026-03-09"), dates);
  });

const links = (browser, judge) =>
  withPage(
    browser,
    judge,
    async (page) => {
      await visit(page, { q: "siren", tag: "daily", since: "2026-03-04", collection: "notes" }, ".hit");
      judge.same("filters of a link", await chips(page), ["collection=notes", "tag=daily", "since=2026-03-04"]);
      judge.same("its day is in the field", await page.inputValue("#filter-since"), "2026-03-04");
      judge.check("the results have the tag", (await paths(page)).every((path) => path.startsWith("daily/")), await paths(page));
      await visit(page, { q: "siren", since: "2026-99-99" }, "#search-problem .problem");
      judge.check("a wrong day is named", (await page.textContent("#search-problem")).includes("2026-99-99"));
      await searching(page, "siren", () => page.click(".chip[data-filter=since]"));
      judge.same("without it, no problem is left", await page.textContent("#search-problem"), "");
      await visit(page, { q: "siren", view: "unknown" }, ".hit");
      judge.check("an unknown view is the search", await page.isVisible("#search"));
    },
    { allowed: [status(422)] },
  );

const keyboard = (browser, judge) =>
  withPage(browser, judge, async (page) => {
    await start(page);
    const is = (what, expected) => judge.becomes(what, () => focused(page), expected);
    await searching(page, "gauge silent", () => page.keyboard.type("gauge silent"));
    await press(page, "ArrowDown", "j", "j", "k");
    await is("arrows and letters move", "2");
    await press(page, "w");
    await page.waitForSelector('.hit[data-rank="2"] .why tbody tr');
    await press(page, "?");
    await judge.becomes("help is open", () => page.isVisible("#help"), true);
    await press(page, "Escape");
    await judge.becomes("help is closed", () => page.isVisible("#help"), false);
    await is("the focus is where it was", "2");
    await press(page, "Enter");
    await page.waitForSelector("#document:not([hidden]) #lines .line.on");
    await press(page, "Escape");
    await page.waitForSelector("#search:not([hidden])");
    await is("Escape goes back to the result", "2");
    judge.same("and to the question", address(page), "/?q=gauge+silent");
    await press(page, "ArrowUp", "ArrowUp");
    await is("up from the first result", "query");
    await press(page, "Enter");
    await page.waitForSelector("#document:not([hidden]) #lines .line.on");
    judge.check("Enter in the field opens the first result", address(page).includes("target=gauges.md"), address(page));
    await press(page, "/");
    await page.waitForSelector("#search:not([hidden])");
    await is("a slash goes to the field", "query");
    await press(page, "Escape");
    await page.waitForSelector(".recent a");
    judge.same("Escape in the field empties it", await page.inputValue("#query"), "");
    await judge.becomes("and the address", () => address(page), "/");

    await page.reload();
    await page.waitForSelector(".recent a");
    await page.focus(".brand");
    await press(page, "Shift+Tab");
    judge.check("the first stop is the link to the content", await page.locator(".skip:focus").count());
    await press(page, "Enter");
    await is("it leads to the content", "main");
  });

const helpByMouse = (browser, judge) =>
  withPage(browser, judge, async (page) => {
    await start(page);
    await page.click("#help-open");
    await judge.becomes("help is open", () => page.isVisible("#help"), true);
    await page.click("#help button");
    await judge.becomes("help is closed", () => page.isVisible("#help"), false);
  });

/** Holds the answers to one question until it is released. */
async function held(page, query) {
  let release;
  const released = new Promise((resolve) => (release = resolve));
  await page.route(
    (url) => url.pathname === "/v1/search" && url.searchParams.get("query") === query,
    async (route) => {
      await released;
      // The page may have ended the request.
      await route.continue().catch(() => {});
    },
  );
  return release;
}

const slowAnswers = (browser, judge) =>
  withPage(browser, judge, async (page) => {
    await start(page);
    const release = await held(page, "siren");
    const started = page.waitForRequest((request) => asked(request)?.get("query") === "siren");
    await page.fill("#query", "siren");
    const old = await started;
    const ended = page.waitForEvent("requestfailed", (request) => request === old);
    const answer = await find(page, "gauge silent");
    await ended;
    release();
    judge.same("the newest question is answered", (await paths(page))[0], answer.hits[0].path);

    const releaseNext = await held(page, "calibrate");
    const next = page.waitForRequest((request) => asked(request)?.get("query") === "calibrate");
    await page.fill("#query", "calibrate");
    await next;
    await press(page, "Enter");
    judge.check("Enter does not open an older result", await page.isVisible("#search"));
    releaseNext();
    await page.waitForSelector("#document:not([hidden]) #lines .line.on");
    judge.check("it opens the result once it is there", /target=/.test(address(page)), address(page));
  });

const busyServer = (browser, judge) =>
  withPage(
    browser,
    judge,
    async (page) => {
      await start(page);
      const problem = { type: "about:blank", title: "Too Many Requests", status: 429, detail: "too many requests" };
      const reply = { status: 429, headers: { "retry-after": "1" }, contentType: "application/problem+json", body: JSON.stringify(problem) };
      await page.route("**/v1/search?*", (route) => route.fulfill(reply), { times: 1 });
      const answer = searching(page, "siren", () => page.fill("#query", "siren"));
      await judge.becomes("the page says why it waits", () => page.textContent("#search-problem"), "too many requests");
      await answer;
      judge.same("then the problem is over", await page.textContent("#search-problem"), "");
      await page.route(`${BASE}/v1/search?*`, (route) => route.abort());
      await page.fill("#query", "siren late");
      await judge.becomes("no answer", async () => /does not answer/.test(await page.textContent("#search-problem")), true);
    },
    { allowed: [status(429), "net::ERR_FAILED"] },
  );

export const parts = { typing, more, why, nothing, filters, days, links, keyboard, helpByMouse, slowAnswers, busyServer };
