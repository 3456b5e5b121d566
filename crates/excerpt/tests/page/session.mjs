// Signing in, and what the page loads.
import { BASE, SIGNED_OUT, TOKEN, address, start, status, withPage } from "./browser.mjs";

/** The limit for all files of the page together, in bytes. */
const LARGEST = 100_000;

const expired = (browser, judge) =>
  withPage(
    browser,
    judge,
    async (page) => {
      await start(page);
      await page.evaluate(() => localStorage.setItem("excerpt.session", "old"));
      await page.goto(`${BASE}/?q=siren`);
      await page.waitForSelector("#signed-out:not([hidden])");
      await judge.becomes("the field for a token has the focus", () => page.evaluate(() => document.activeElement.id), "token");
      judge.check("nothing else is shown", await page.isHidden("#search"));
      await page.keyboard.type("/?");
      judge.same("keys belong to the field", await page.inputValue("#token"), "/?");
      await page.fill("#token", TOKEN);
      await page.keyboard.press("Enter");
      await page.waitForSelector("#results .count");
      await judge.becomes("the session is not in the address", () => address(page), "/");
    },
    { allowed: [status(401)], context: {} },
  );

const signIn = (browser, judge) =>
  withPage(
    browser,
    judge,
    async (page) => {
      await page.goto(BASE);
      await page.fill("#token", "excerpt_wrong");
      await page.keyboard.press("Enter");
      await page.waitForSelector("[role=alert]");
      await page.fill("#token", TOKEN);
      await page.keyboard.press("Enter");
      await page.waitForSelector("#results .count");
      const cookies = await page.context().cookies();
      judge.check("scripts cannot read the cookie", cookies.length === 1 && cookies[0].httpOnly && cookies[0].sameSite !== "None", cookies);
    },
    { allowed: [status(401)], context: SIGNED_OUT },
  );

const deepLink = (browser, judge) =>
  withPage(
    browser,
    judge,
    async (page) => {
      await page.goto(`${BASE}/?view=document&target=gauges.md&collection=guide&lines=30-40&token=${TOKEN}`);
      await page.waitForSelector("#lines .line.on");
      judge.same("a link with a token keeps the rest", address(page), "/?view=document&target=gauges.md&collection=guide&lines=30-40");
      judge.check("the session is not in the address", !page.url().includes("#"), page.url());
      await page.waitForSelector("#outgoing");
      const stored = await page.evaluate(() => Object.values({ ...localStorage }).join());
      judge.check("the token is not kept", !stored.includes(TOKEN));
    },
    { context: SIGNED_OUT },
  );

const size = (browser, judge) =>
  withPage(
    browser,
    judge,
    async (page) => {
      const bodies = new Map();
      page.on("response", (response) => {
        const { pathname } = new URL(response.url());
        const isFile = pathname === "/" || pathname.startsWith("/assets/");
        if (isFile && response.ok()) bodies.set(pathname, response.body());
      });
      await page.goto(`${BASE}/?token=${TOKEN}`);
      await page.waitForSelector("#results .count");
      const sizes = (await Promise.all(bodies.values())).map((body) => body.length);
      const total = sizes.reduce((sum, size) => sum + size, 0);
      const names = [...bodies.keys()];
      judge.check("page and scripts were loaded", ["/", "/assets/app.js"].every((name) => names.includes(name)), names);
      judge.check(`all files together have fewer than ${LARGEST} bytes`, total < LARGEST, total);
    },
    { context: SIGNED_OUT },
  );

export const parts = { expired, signIn, deepLink, size };
