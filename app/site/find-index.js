// A page's search box -> its index, fetched once, and what searches it: models that have pages, packed ones, places.

/** @import { Find, PackedName, Place, SearchIndex, SearchPlaces } from "./types.d.ts" */

import { finder } from "./find.js";

export { arranged } from "./found.js";
export { hubId } from "./query.js";

/**
 * The index of a page's search box, fetched once; without it nothing is found.
 * @type {Promise<SearchIndex> | null}
 */
let index = null;
/** @type {Promise<Find> | null} */
let asked = null;
/** @type {Promise<Find | null> | null} */
let widest = null;
/**
 * A finder whose words are read while nothing else happens, before a slip asks for them.
 * @param {SearchIndex} rows
 */
function warmed(rows) {
  const find = finder(rows);
  (globalThis.requestIdleCallback ?? setTimeout)(() => find.warm());
  return find;
}
/**
 * @param {HTMLElement} form
 * @returns {Promise<SearchIndex>}
 */
const rowsOf = (form) =>
  (index ??= fetch(/** @type {string} */ (form.dataset.search))
    .then((answer) => answer.json())
    .catch(() => ({})));
/**
 * What searches the models that have pages.
 * @param {HTMLElement} form
 * @returns {Promise<Find>}
 */
export const indexed = (form) => (asked ??= rowsOf(form).then(warmed));

/**
 * What searches the packed models, too, whose names are fetched with the first word; null where there are none.
 * @param {HTMLElement} form
 * @returns {Promise<Find | null>}
 */
export const widened = (form) =>
  (widest ??= rowsOf(form)
    .then(async (rows) => (rows.packed ? warmed(withPacked(rows, await namesOf(form, rows.packed.names))) : null))
    .catch(() => null));

/**
 * @param {HTMLElement} form
 * @param {string} file beside the index
 * @returns {Promise<PackedName[]>}
 */
const namesOf = (form, file) =>
  fetch(new URL(file, new URL(/** @type {string} */ (form.dataset.search), location.href))).then((answer) =>
    answer.json(),
  );

/**
 * @param {SearchIndex} index
 * @param {PackedName[]} names
 * @returns {SearchIndex}
 */
export function withPacked(index, names) {
  const rows = names.map(([slug, name, company]) => ({
    slug,
    name,
    company,
    words: `${name} ${slug} ${company}`,
    has: [],
    path: index.packed?.at.replace("SLUG", slug),
  }));
  const { models = [], dated = models.length } = index;
  return { ...index, models: [...models, ...rows], dated };
}

/**
 * The places beside it, fetched once with what searches them; null where they cannot be.
 * @type {Promise<SearchPlaces | null> | null}
 */
let sought = null;
/**
 * @param {HTMLElement} form
 * @returns {Promise<SearchPlaces | null>}
 */
export const placed = (form) =>
  (sought ??= Promise.all([
    fetch(new URL("places.json", new URL(/** @type {string} */ (form.dataset.search), location.href))).then((answer) =>
      answer.json(),
    ),
    import("./places.js"),
  ])
    .then(([/** @type {Place[]} */ rows, { placer }]) => placer(rows))
    .catch(() => null));
