// Runs all parts with one browser, and writes the result to standard output as JSON. run.py starts it.
import { Judge, launch, signIn } from "./browser.mjs";
import * as accessibility from "./accessibility.mjs";
import * as documents from "./document.mjs";
import * as safety from "./safety.mjs";
import * as search from "./search.mjs";
import * as session from "./session.mjs";
import * as status from "./status.mjs";
import * as sync from "./sync.mjs";
import * as workshop from "./workshop.mjs";

/** So many parts run at the same time. */
const WORKERS = 3;

/** Runs the parts of some modules. @returns {Promise<Judge[]>} */
async function run(browser, ...modules) {
  const rest = modules.flatMap(({ parts }) => Object.entries(parts));
  const judges = [];
  const work = async () => {
    for (let next = rest.shift(); next; next = rest.shift()) {
      const [name, part] = next;
      judges.push(await new Judge(name).run((judge) => part(browser, judge)));
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, work));
  return judges;
}

const browser = await launch();
await signIn(browser);
const judges = await run(browser, accessibility, search, documents, workshop, status, session, safety);
// It changes the documents.
judges.push(...(await run(browser, sync)));
await browser.close();

const checked = judges.reduce((sum, judge) => sum + judge.checked, 0);
console.log(JSON.stringify({ checked, wrong: judges.flatMap((judge) => judge.wrong) }));
