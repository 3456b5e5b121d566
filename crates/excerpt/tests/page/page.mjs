// Runs all parts with one browser, and writes the result to standard output as JSON. run.py starts it.
import { Judge, launch } from "./browser.mjs";
import * as accessibility from "./accessibility.mjs";
import * as documents from "./document.mjs";
import * as safety from "./safety.mjs";
import * as search from "./search.mjs";
import * as session from "./session.mjs";
import * as status from "./status.mjs";
import * as workshop from "./workshop.mjs";

const judge = new Judge();
const browser = await launch();
for (const { parts } of [search, documents, workshop, status, session, safety, accessibility]) {
  for (const [name, part] of Object.entries(parts)) {
    const start = Date.now();
    await judge.part(name, () => part(browser, judge));
    if (process.env.VERBOSE) console.error(`${name}: ${Date.now() - start} ms`);
  }
}
await browser.close();
console.log(JSON.stringify({ checked: judge.checked, wrong: judge.wrong }));
