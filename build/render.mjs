/* Pages' modules -> what they show before any script. Standard input holds { folder, width, asked: {name: what
   explainers/first.py asks for}, pieces: {kind: {from, asked: {key: what app/first.py asks for}}} }; of first/<name>.js in
   the folder, which build/bundles.py bundled, first/<name>.json is made. A fault is one sentence, and exit 1. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseHTML } from "linkedom";

const { folder, width, asked = {}, pieces = {} } = JSON.parse(readFileSync(0, "utf8"));

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
const rendered = async (name, { digest, ...given }, where) => {
  try {
    const { render } = await import(pathToFileURL(script(name)));
    return { digest, ...(await render(given)) };
  } catch (wrong) {
    process.stderr.write(`${where}: ${wrong.message}\n`);
    if (process.env.DEBUG) process.stderr.write(`${wrong.stack}\n`);
    process.exit(1);
  }
};
const write = (name, made) => writeFileSync(join(folder, "first", `${name}.json`), JSON.stringify(made));

for (const [name, given] of Object.entries(asked)) {
  write(name, await rendered(given.name, given, given.where)); // heads.zh, by the script of heads
}
for (const name of new Set(Object.values(asked).map((given) => given.name))) rmSync(script(name));
for (const [kind, { from, asked: all }] of Object.entries(pieces)) {
  const made = {};
  for (const [key, given] of Object.entries(all)) made[key] = await rendered(kind, given, `${kind} of ${key}`);
  write(kind, { from, pieces: made });
}
process.exit(0); // whatever drawings left waiting
