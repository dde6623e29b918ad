// Compared models and the page's state -> what stands in its body: two models, several, or one that waits for another.
import { SHOWS } from "./compare-address.js";
import { bytesAt, formatWords } from "./compare-cache.js";
import { drawing, FAR } from "./compare-drawing.js";
import { make } from "./compare-elements.js";
import { list } from "./compare-list.js";
import { matrix } from "./compare-matrix.js";
import { share } from "./compare-merge.js";
import { LETTERS, size, whole } from "./compare-numbers.js";
import { table } from "./compare-table.js";
import { towers } from "./compare-tower.js";
import { figures, verdict } from "./compare-verdict.js";
import { pair } from "./compare-words.js";

/** @import { ComparedModel } from "../site/types.d.ts" */
/** @import { CacheChoice } from "./compare-address.js" */

/** @typedef {{ equal: boolean, cache: CacheChoice, kept: HTMLElement }} State `kept` is the section on the cache */

const PHONE = 640;

function legend() {
  /**
   * @param {string} kind
   * @param {string} words
   */
  const item = (kind, words) => make("li", {}, make("i", { class: kind, "aria-hidden": "true" }), words);
  return make(
    "ul",
    { class: "cmp-legend" },
    item("", "equal in both"),
    item("k-differs", "differs: A → B"),
    item("k-only-a", "⊖ only in A"),
    item("k-only-b", "⊕ only in B"),
    make("li", {}, make("span", { class: "disc" }, "2"), " the number of its row in the table"),
  );
}

/**
 * A | Both | B: which model's values the drawing shows; its boxes stay where they are.
 * @param {ComparedModel[]} models
 * @param {string} show
 */
function segmented([a, b], show) {
  const name = (/** @type {ComparedModel} */ model) =>
      model.title.length > 18 ? `${model.title.slice(0, 17)}…` : model.title,
    /** @type {{ [show: string]: string }} */
    words = { a: `A ${name(a)}`, both: "Both", b: `B ${name(b)}` };
  return make(
    "div",
    { class: "cmp-show", role: "group", "aria-label": "Which model the drawing shows" },
    ...SHOWS.map((key) =>
      make("button", { type: "button", "data-show": key, "aria-pressed": String(show === key) }, words[key]),
    ),
  );
}

/** @type {{ [part: string]: string }} */
const HOME = { mixer: "mixer", mlp: "mlp", norms: "card", position: "mixer", sizes: "tower", beside: "tower" };
/**
 * The part that the address names is marked, and scrolled to when the reader asked for it.
 * @param {HTMLElement} body
 * @param {string} part
 * @param {boolean} scroll
 */
export function marked(body, part, scroll) {
  for (const one of /** @type {NodeListOf<HTMLElement>} */ (body.querySelectorAll("[data-part]")))
    one.classList.toggle("lit", one.dataset.part === HOME[part]);
  if (scroll && part) body.querySelector(`[data-part="${HOME[part]}"]`)?.scrollIntoView({ block: "center" });
}

/**
 * @param {ComparedModel[]} models
 * @param {{ width: number, equal: boolean, show: string, counting: string }} options
 */
export function two([a, b], { width, equal, show, counting }) {
  const found = { ...pair(a, b), far: share(a, b) < FAR },
    narrow = width < PHONE;
  const button = make(
    "button",
    { type: "button", class: "button", "data-equal": "", "aria-pressed": String(equal) },
    equal ? "Hide equal parts" : narrow ? "Show equal parts" : `Show ${found.equal.length} equal fields`,
  );
  const note = [`${found.rows.length} differences · ${found.equal.length} fields equal`];
  if (!found.counted) note.push(counting);
  for (const one of [a, b]) if (one.from_keys) note.push(`${one.title} is read from its config keys alone`);
  const rows = [make("h2", {}, "What differs, and what it costs"), (narrow ? list : table)(found, [a, b], equal)];
  const seen = make(
    "div",
    { class: "cmp-seen", "data-show": show },
    make("div", { class: "cmp-bar" }, narrow ? "" : legend(), segmented([a, b], show)),
    drawing([a, b], found, { width, equal, narrow }),
  );
  const drawn = narrow
    ? [make("h2", {}, "The drawing"), seen, button]
    : [make("h2", { class: "away" }, "The drawing"), seen];
  return [
    verdict(found),
    make("p", { class: "cmp-note" }, note.join(" · ")),
    figures([a, b]),
    ...(narrow ? [...rows, ...drawn] : [...drawn, ...rows, button]),
  ];
}

/**
 * A sentence on each model beside A.
 * @param {ComparedModel[]} models
 */
function sentences([a, ...others]) {
  const said = others.map((one, i) =>
    make("li", {}, make("b", {}, LETTERS[i + 1]), ...named(pair(a, one).brief, one.title)),
  );
  return make("div", { class: "cmp-verdict many" }, `Compared with ${a.title}:`, make("ul", {}, ...said));
}
/**
 * What a choice makes of the cache, as a row of the table.
 * @param {ComparedModel[]} models
 * @param {CacheChoice} choice
 * @returns {[words: string, values: string[]]}
 */
const chosenRow = (models, { ctx, kv }) => [
  `cache at ${whole(ctx)} tokens, ${formatWords(kv)}`,
  models.map((model) => size(bytesAt(model, ctx, kv))),
];
/** @param {boolean} equal */
const allFields = (equal) =>
  make(
    "button",
    { type: "button", class: "button", "data-equal": "", "aria-pressed": String(equal) },
    equal ? "Hide equal fields" : "Show equal fields",
  );

/**
 * Three to six models: a sentence on each, towers, the cache, and a table.
 * @param {ComparedModel[]} all
 * @param {(model: ComparedModel, part?: string) => string} address
 * @param {State} state
 * @returns {HTMLElement[]}
 */
export function several(all, address, { equal, cache: choice, kept }) {
  const stand = make(
    "div",
    { class: "scroll cmp-seen", tabindex: 0, role: "region", "aria-label": "Towers" },
    make("div", { class: "cmp-drawing" }, towers(all, { link: (model, i) => (i ? address(model) : null) })),
  );
  return [
    sentences(all),
    make("div", { class: "cmp-level" }, stand, kept),
    make("h2", {}, "What differs"),
    matrix(all, address, { equal, more: [chosenRow(all, choice)] }),
    allFields(equal),
  ];
}

/**
 * Any set of models as a table alone.
 * @param {ComparedModel[]} all
 * @param {(model: ComparedModel, part?: string) => string} address
 * @param {State} state
 * @returns {HTMLElement[]}
 */
export function tabled(all, address, { equal, cache: choice, kept }) {
  return [
    all.length > 2 ? sentences(all) : verdict(pair(all[0], all[1])),
    make("h2", {}, equal ? "Every field" : "What differs"),
    matrix(all, address, { equal, more: [chosenRow(all, choice)] }),
    allFields(equal),
    kept,
  ];
}
/**
 * @param {string} words
 * @param {string} title
 */
const named = (words, title) => (words.startsWith(title) ? [make("b", {}, title), words.slice(title.length)] : [words]);

/**
 * @param {ComparedModel | undefined} model
 * @param {HTMLElement[]} chips
 * @returns {HTMLParagraphElement[]}
 */
export function alone(model, chips) {
  return [
    make(
      "p",
      { class: "cmp-verdict" },
      model ? `${model.title}: choose a model to compare it with.` : "Choose two models.",
    ),
    make("p", {}, chips.length ? "Nearest earlier models: " : "", ...chips.flatMap((chip) => [chip, " "])),
  ];
}

/**
 * @param {ComparedModel[]} models
 * @param {URL} pages
 * @returns {HTMLParagraphElement}
 */
export function links(models, pages) {
  const found = models
    .filter((model) => !model.slug.startsWith("local:"))
    .map((model) => make("a", { href: new URL(`${model.slug}/`, pages).href }, model.title));
  return make("p", { class: "small" }, ...found.flatMap((link, i) => (i ? [" · ", link] : [link])));
}
