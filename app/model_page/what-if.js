// "What if it had ...": edits of a model's numbers in the address (?edit=heads:64,layers:40), and all that follows.
// Loaded when somebody reaches for it, or when the address has edits.

import { DTYPES, keptBytes } from "../weigh/cache-bytes.js";
import { follow, ready } from "../weigh/weigh-page.js";
import { address, begun, enter, number } from "./what-if-address.js";
import { become } from "./what-if-become.js";
import { built } from "./what-if-draw.js";
import { drawing } from "./what-if-drawing.js";
import { parsed, problems, settled, written } from "./what-if-rules.js";
import { counts, growth, mixers, valuesOf } from "./what-if-sheet.js";

/** @import { ComparedModel, EditFigures, EditSheet, Edits, Problem, WeighData, WeighState } from "../site/types.d.ts" */

const box = /** @type {HTMLDetailsElement} */ (document.querySelector(".what-if")),
  files = new URL(
    `${/** @type {HTMLElement} */ (document.querySelector("[data-parts]")).dataset.parts}`,
    location.href,
  );
const root = new URL("../".repeat(files.href.split("/data/parts/")[1].split("/").length + 1), files);
/** @type {WeighData} */
const weighing = JSON.parse(/** @type {HTMLElement} */ (document.getElementById("weigh-data")).textContent);
/** @param {string} path */
const fetched = async (path) => {
  const answer = await fetch(new URL(`data/${path}.json`, root)).catch(() => null);
  if (!answer?.ok)
    throw new Error(`The site's file data/${path}.json could not be read. Reload the page to try again.`);
  return answer.json();
};
const style = Object.assign(document.createElement("link"), {
  rel: "stylesheet",
  href: new URL("../css/what-if.css", import.meta.url).href,
});
document.head.append(style);

/** @type {EditSheet} */
let sheet,
  /** @type {ReturnType<typeof built>} */
  form,
  /** @type {ReturnType<typeof drawing>} */
  picture,
  /** @type {EditSheet | null} */
  target = null,
  retold = () => {}; // `target`: the model that this one is to become; `retold`: its list, anew
/** @type {[good: Edits, draft: { [id: string]: string }]} */
let [good, draft] = [{}, {}]; // edits that count; what is typed and does not
/** @type {Pick<WeighState, "ctx" | "batch" | "kv">} */
let scene = weighing.start;

// ---------------------------------------------------------------- numbers

/**
 * Everything that a set of edits leads to.
 * @param {EditSheet} one
 * @param {Edits} changes
 * @returns {EditFigures}
 */
function worth(one, changes) {
  const values = valuesOf(one, changes),
    [grown] = growth(one, values),
    { total, active, layers } = counts(one, values);
  return {
    parameters: total,
    active,
    layers,
    bytes: 2 * total,
    cache: keptBytes(grown, scene.ctx, DTYPES[scene.kv], scene.batch),
  };
}

const figures = () =>
  form.table(worth(sheet, {}), worth(sheet, good), target && { title: target.title, ...worth(target, {}) }, scene);

function show() {
  form.rows(good, draft);
  figures();
  form.tools(address(written(sheet, good)), written(sheet, good));
  retold();
}

// The rest of the page: sheet of the cache, weights, the strip of layers.
function relay() {
  const edits = written(sheet, good);
  picture.follow(edits);
  if (!edits) return follow(null);
  const values = valuesOf(sheet, good),
    [grown, kinds] = growth(sheet, values),
    { total } = counts(sheet, values);
  const layers = mixers(sheet, values).map(([role, words], at) => ({ role, words, kind: kinds[at] }));
  const weights = sheet.bits ? (total * sheet.bits) / 8 : 2 * total;
  follow({
    sheet: grown,
    layers,
    weights,
    stored: sheet.bits ? "weights as stored" : "weights in 16 bits",
    mark: ", edited",
  });
}

// ---------------------------------------------------------------- edits

/**
 * What stands in the boxes: taken where all of it can stand together, else said, and the last good edits stay.
 * @param {string} id
 * @param {string} text
 * @param {boolean} commit
 */
function typed(id, text, commit) {
  draft = { ...draft, [id]: text };
  const changes = { ...good },
    /** @type {Problem[]} */
    wrong = [];
  for (const [key, words] of Object.entries(draft)) {
    const value = number(key, words);
    if (value === undefined) wrong.push([key, `${key} is a whole number, not “${words.slice(0, 40)}”.`]);
    else changes[key] = value;
  }
  for (const [key, , , , value] of sheet.fields) if (changes[key] === value) delete changes[key];
  if (!wrong.length) wrong.push(...problems(sheet, { ...changes }));
  if (!wrong.length) return take(changes, commit);
  form.wrong(wrong);
  form.rows(good, draft);
  if (commit) enter(address(written(sheet, good)), true);
}

/**
 * @param {Edits} changes
 * @param {boolean} [commit]
 */
function take(changes, commit = true) {
  [good, draft] = [changes, {}];
  enter(address(written(sheet, good)), commit);
  form.wrong([]);
  show();
  relay();
  if (commit) form.say(worth(sheet, good));
}

/**
 * Some fields at once; who is at fault is left as it was, and says so.
 * @param {Edits} changes
 */
function set(changes) {
  const wanted = Object.fromEntries(
    Object.entries({ ...good, ...changes }).filter(([id, value]) =>
      sheet.fields.some(([key, , , , own]) => key === id && own !== value),
    ),
  );
  const [kept, wrong] = settled(sheet, wanted);
  take(kept);
  form.wrong(wrong);
}

function restore() {
  const [changes, unread] = parsed(sheet, new URLSearchParams(location.search).get("edit") ?? ""),
    [kept, wrong] = settled(sheet, changes);
  [good, draft] = [kept, {}];
  begun();
  form.wrong([...unread, ...wrong]);
  show();
  relay();
}

// ---------------------------------------------------------------- begin

async function begin() {
  [sheet] = await Promise.all([fetched(`whatif/${weighing.slug}`), ready]);
  form = built(box, sheet, {
    typed,
    /** @param {string} id */
    clear: (id) => set({ [id]: sheet.fields.find(([key]) => key === id)?.[4] ?? 0 }),
    reset: () => {
      take({});
      form.first();
    },
  });
  picture = drawing(form.bar, weighing.slug, root);
  /**
   * @param {string} slug
   * @returns {Promise<[EditSheet, ComparedModel, ComparedModel]>}
   */
  const aim = (slug) =>
    Promise.all([fetched(`whatif/${slug}`), fetched(`compare/${slug}`), fetched(`compare/${weighing.slug}`)]);
  /** @param {string} slug */
  const compare = (slug) => new URL(`compare/?a=${weighing.slug}&b=${slug}`, root).href;
  retold = become(form.goal, {
    sheet,
    aim,
    compare,
    set,
    good: () => good,
    chosen: (found) => {
      target = found;
      show();
    },
  });
  document.addEventListener("weigh", ({ detail }) => {
    scene = detail;
    if (box.open) figures();
  });
  box.addEventListener("toggle", figures);
  addEventListener("popstate", restore);
  restore();
  if (new URLSearchParams(location.search).has("edit")) box.open = true;
  box.classList.remove("needs-js"); // what is open is printed too
  box.dataset.ready = "";
}
begin().catch((why) => {
  box.append(
    Object.assign(document.createElement("p"), { className: "w-error", role: "alert", textContent: why.message }),
  );
});
