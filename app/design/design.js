/* /design/: edits in the address (?m=slug&edit=heads:64,mix:3d1f&ctx=131072), and Python's answer put in place of what
   stands there. Nothing of Python is loaded before the reader changes something, or follows a link to a design. */

import { handPlans } from "../plan_page/hand-plans.js";
import { copied } from "../site/clipboard.js";
import { handed } from "../your_model/handed-config.js";
import { read, written } from "../your_model/permalink.js";
import { python, Stopped } from "../your_model/python.js";
import * as recent from "../your_model/recent.js";
import { choose, chosen } from "./brushes.js";
import { modelCalled, startOf } from "./design-start.js";
import { at, refuse, say, tellSheet } from "./design-status.js";
import { asSheet } from "./editor-sheet.js";
import { address, withEdit, without } from "./edits.js";
import { paintable } from "./paint-strip.js";
import { act, drop } from "./request-queue.js";

/** @import { Designed } from "../your_model/types.d.ts" */

const { worker, folder, most, seconds, starts, slug, edits, context } = at("design").dataset;
const engine = python({
  worker,
  seconds: Number(seconds),
  told: { folder: new URL(folder, location.href).href, ...JSON.parse(at("pack").textContent) },
  say,
});
/** Where a design starts: a model of the catalogue, or a config of the reader's own with the # that holds it. */
let base = { ...JSON.parse(at("start").textContent), hash: "" };
/** @type {{ edits: string, context: number }} */
let now = { edits, context: Number(context) };
/** @type {string[]} */
let past = [],
  /** @type {string[]} */
  future = [];
let config = ""; // as it is downloaded; "" until Python has answered

// ---------------------------------------------------------------- asking

/**
 * Ask for a design; what comes of it is shown, and what cannot be stays in its box with a sentence.
 * @param {string} wanted edits, also such as cannot be
 * @param {"push" | "replace" | ""} entry of the history
 */
async function ask(wanted, entry) {
  const text = JSON.stringify(base.config);
  const made = await engine.design({ text, title: base.title, edits: wanted, context: now.context, last: now.edits });
  if (made.refused) throw new Stopped(made.refused);
  if (entry === "push" && made.edits !== now.edits) [past, future] = [[...past, now.edits], []];
  now = { ...now, edits: made.edits };
  put(made);
  if (entry) enter(entry);
}
/**
 * @param {string} wanted
 * @param {"push" | "replace" | ""} [entry]
 */
const show = (wanted, entry = "push") => act(() => ask(wanted, entry));

/** @param {Designed} made */
function put(made) {
  const focused = document.activeElement?.id ?? "",
    brush = chosen();
  for (const name of /** @type {const} */ (["editor", "drawing", "after", "key"])) at(name).innerHTML = made.html[name];
  config = made.config;
  at("from").textContent = base.title;
  at("changes").textContent = `${made.changes} ${made.changes === 1 ? "change" : "changes"}`;
  at("undo").disabled = !past.length;
  at("redo").disabled = !future.length;
  at("undo-all").disabled = !made.edits;
  tellSheet();
  choose(brush);
  paint.refresh();
  handPlans();
  if (focused && document.activeElement === document.body) (at(focused) ?? at(`in-${focused.split("-")[1]}`))?.focus();
  document.title = `${base.title}, ${made.changes ? "designed" : "to design"} · Cutaway`;
}

/** @param {"push" | "replace"} how */
function enter(how) {
  const next = address(base, now, Number(context));
  if (next !== location.pathname + location.search + location.hash)
    history[how === "push" ? "pushState" : "replaceState"](null, "", next);
}

// ---------------------------------------------------------------- where a design starts

/**
 * @param {string} name a slug
 * @param {string} wanted
 * @param {"push" | "replace" | ""} entry
 */
const begin = (name, wanted, entry) =>
  act(async () => {
    if (name !== base.slug) rebase({ ...(await startOf(starts, name)), hash: "" });
    await ask(wanted, entry);
  });

/** @param {typeof base} to */
function rebase(to) {
  base = to;
  now = { ...now, edits: "" };
  [past, future] = [[], []];
}

/**
 * A config of the reader's own.
 * @param {string} text
 * @param {string} title
 * @param {string} wanted
 * @param {"push" | "replace" | ""} entry
 */
async function own(text, title, wanted, entry) {
  if (text.length > Number(most)) return refuse("That config is too large for this page: it reads up to 1 MB.");
  try {
    rebase({ slug: "", title, config: JSON.parse(text), hash: await written(text) });
  } catch {
    return refuse(`${title} is no plain JSON. Draw it on Your model first, and take it from there.`);
  }
  show(wanted, entry);
}

/** What the address asks for; without a query the page stays as it was built. */
async function follow() {
  const query = new URLSearchParams(location.search),
    wanted = query.get("edit") ?? "",
    tokens = Number(query.get("ctx")) || Number(context);
  now = { ...now, context: tokens };
  if (location.hash === "#pasted" || location.hash.startsWith("#c=")) {
    const text = location.hash === "#pasted" ? handed() : await read(location.hash, Number(most));
    if (!text) return refuse("This link is damaged: part of it is missing. Ask for it again, or start from a model.");
    return own(text, "Your config", wanted, "replace");
  }
  if (query.has("m")) return begin(query.get("m") ?? "", wanted, "");
  if (config || query.has("edit") || query.has("ctx")) begin(slug, query.has("edit") ? wanted : edits, "");
}

// ---------------------------------------------------------------- the reader's hands

asSheet({ sheet: at("sheet"), open: at("sheet-open"), close: at("sheet-close"), drawing: at("drawing") });
const paint = paintable(at("editor"), (pattern) => show(withEdit(now.edits, "mix", pattern)));

at("editor").addEventListener("click", (/** @type {Event} */ event) => {
  const button = /** @type {HTMLElement} */ (event.target).closest("button");
  if (!button) return;
  const { set, undo, brush } = button.dataset;
  if (brush) choose(button.id);
  if (undo) show(without(now.edits, undo));
  if (set) show(withEdit(now.edits, set.split(":")[0], set.split(":")[1]));
});
at("editor").addEventListener("change", (/** @type {Event} */ event) => {
  const input = /** @type {HTMLInputElement} */ (event.target),
    { flag, in: id } = input.dataset;
  if (flag) show(withEdit(now.edits, flag, input.checked ? "1" : "0"));
  if (id) show(withEdit(now.edits, id, input.value.replace(/[\s,’']/g, "")));
});
at("after").addEventListener("change", (/** @type {Event} */ event) => {
  now = { ...now, context: Number(/** @type {HTMLSelectElement} */ (event.target).value) };
  show(now.edits);
});
at("after").addEventListener("click", (/** @type {MouseEvent} */ event) => {
  const target = /** @type {HTMLElement} */ (event.target);
  if (target.id === "download") take(download);
  if (target.id === "open-yours") {
    event.preventDefault();
    take(open);
  }
});

/**
 * What needs the config as Python writes it.
 * @param {() => void} run
 */
function take(run) {
  if (config) return run();
  show(now.edits, "").then(() => config && run());
}
function download() {
  const link = document.createElement("a"),
    url = URL.createObjectURL(new Blob([config], { type: "application/json" }));
  Object.assign(link, { href: url, download: "config.json" });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
function open() {
  try {
    sessionStorage.setItem("your-model", config);
    location.href = `${at("open-yours").href}#pasted`;
  } catch {
    refuse("This browser lets no page hand a config on. Download it, and drop it on Your model.");
  }
}

/** @param {-1 | 1} step */
function travel(step) {
  const from = step < 0 ? past : future,
    to = step < 0 ? future : past,
    wanted = from.pop();
  if (wanted === undefined) return;
  to.push(now.edits);
  show(wanted, "replace");
}
at("undo").addEventListener("click", () => travel(-1));
at("redo").addEventListener("click", () => travel(1));
at("undo-all").addEventListener("click", () => show(""));
at("copy").addEventListener("click", async () => {
  enter("replace");
  at("status").textContent = (await copied(location.href))
    ? "Link copied: it holds this design."
    : "Copy the address bar: it holds this design.";
});
at("cancel").addEventListener("click", () => {
  drop();
  engine.cancel();
});
at("other").addEventListener("submit", (/** @type {Event} */ event) => {
  event.preventDefault();
  const typed = at("other-name").value.trim().toLowerCase(),
    found = modelCalled(typed, at("others").options);
  if (!typed || !found)
    return refuse(`No drawn model here is called “${typed}”. Type a name from the list, such as DeepSeek V3.`);
  /** @type {HTMLElement} */ (document.querySelector(".d-other")).removeAttribute("open");
  begin(found.dataset.slug ?? "", "", "push");
});
for (const one of recent.all()) {
  const row = document.createElement("li"),
    button = Object.assign(document.createElement("button"), { type: "button", textContent: one.title });
  button.addEventListener("click", () => own(one.text, one.title, "", "push"));
  row.append(button);
  at("kept").querySelector("ul").append(row);
  at("kept").hidden = false;
}
addEventListener("popstate", follow);
// Who reaches for the editor asks for Python: its files come meanwhile.
at("editor").addEventListener("pointerdown", engine.prepare, { once: true });
follow();
handPlans();
document.documentElement.dataset.ready = "true";
