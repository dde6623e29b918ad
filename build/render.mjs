/* Pages' modules -> what they show before any script. Standard input holds { folder, width, asked: {name: what
   explainers/first.py asks for}, pieces: {kind: {from, asked: {key: what app/first.py asks for}}} }; of first/<name>.js in
   the folder, which build/bundles.py bundled, first/<name>.json is made. A fault is one sentence, and exit 1.
   With the words "serve" and a width it waits for lines of standard input instead, { script, version, kind, asked }, and
   answers each with a line, { pieces } or { fault }, until the input ends (build/resident.py). */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { parseHTML } from "linkedom";

const serves = process.argv[2] === "serve";
const {
  folder,
  width,
  asked = {},
  pieces = {},
} = serves ? { width: Number(process.argv[3]) } : JSON.parse(readFileSync(0, "utf8"));

/* A browser as far as drawings ask for one: nothing is laid out, every box is as wide as the column. */
const page = parseHTML("<!doctype html><html><body></body></html>");
const box = { x: 0, y: 0, left: 0, top: 0, right: width, bottom: 0, width, height: 0 };
const never = () => new Promise(() => {});
class Observer {
  observe() {}
  unobserve() {}
  disconnect() {}
}
Object.defineProperty(page.Element.prototype, "clientWidth", { get: () => width });
Object.defineProperty(page.HTMLSelectElement.prototype, "value", { value: "", writable: true });
page.Element.prototype.getBoundingClientRect = () => box;
Object.assign(globalThis, {
  window: globalThis,
  document: page.document,
  location: { pathname: "/", search: "", hash: "" },
  history: { pushState() {}, replaceState() {} },
  innerWidth: width,
  ResizeObserver: Observer,
  IntersectionObserver: Observer,
  requestAnimationFrame: (fn) => setTimeout(() => fn(performance.now())),
  cancelAnimationFrame: clearTimeout,
  matchMedia: () => ({ matches: false, addEventListener() {}, removeEventListener() {} }),
  getComputedStyle: (el) => el.style,
  addEventListener() {},
  removeEventListener() {},
  fetch: never,
});
for (const name of ["Event", "CustomEvent", "Node", "Element", "HTMLElement", "SVGElement"])
  globalThis[name] = page[name];

const script = (name) => join(folder, "first", `${name}.js`);
const rendered = async (address, { digest, ...given }, where) => {
  try {
    const { render } = await import(address);
    return { digest, ...(await render(given)) };
  } catch (wrong) {
    if (process.env.DEBUG) process.stderr.write(`${wrong.stack}\n`);
    throw new Error(`${where}: ${wrong.message}`);
  }
};
const renderedAll = async (address, kind, all) => {
  const made = {};
  for (const [key, given] of Object.entries(all)) made[key] = await rendered(address, given, `${kind} of ${key}`);
  return made;
};
const address = (path) => pathToFileURL(path).href;
const write = (name, made) => writeFileSync(join(folder, "first", `${name}.json`), JSON.stringify(made));

const makeFiles = async () => {
  for (const [name, given] of Object.entries(asked))
    write(name, await rendered(address(script(given.name)), given, given.where)); // heads.zh, by the script of heads
  for (const name of new Set(Object.values(asked).map((given) => given.name))) rmSync(script(name));
  for (const [kind, { from, asked: all }] of Object.entries(pieces))
    write(kind, { from, pieces: await renderedAll(address(script(kind)), kind, all) });
};

const serve = async () => {
  console.log = console.error; // standard output is for answers
  for await (const line of createInterface({ input: process.stdin })) {
    const { script, version, kind, asked } = JSON.parse(line);
    const made = renderedAll(`${address(script)}?${version}`, kind, asked);
    const told = await made.then(
      (pieces) => ({ pieces }),
      (wrong) => ({ fault: wrong.message }),
    );
    process.stdout.write(`${JSON.stringify(told)}\n`);
  }
};

try {
  await (serves ? serve() : makeFiles());
} catch (wrong) {
  process.stderr.write(`${wrong.message}\n`);
  process.exit(1);
}
process.exit(0); // whatever drawings left waiting
