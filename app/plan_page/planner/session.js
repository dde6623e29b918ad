/* What is chosen -> all that follows from it: the model, the layout, its plan and times, its address.

Every part of the page reads `state`; page.js, plan-view.js, cursor.js and pin.js write it. */

import * as address from "./address.js";
import * as elements from "./elements.js";
import * as now from "./now.js";

/** @import { Chosen, Layout, Model, Now, Picked, Values } from "./types.d.ts" */

const FOLLOWS = ["batch", "n", "etp", "mtp"]; // of an illegal layout they are not known
/** @type {{ [slug: string]: Model }} */
export const models = { [elements.data.first.slug]: elements.data.first };

/**
 * now: what was computed last; good: the last of these that is legal, and drawn; picked: the tensor that is lit in it;
 * pinned: the layout beside it; last: the field that was changed last. All but `last` is there once a model is.
 * @typedef {{
 *   chosen: Chosen, last: string, now: Now, good: Now, picked: Picked | null, pinned: Layout | null | undefined,
 * }} Session
 */
export const state = /** @type {Session} */ (
  /** @type {unknown} */ ({ chosen: null, last: "tp", now: null, good: null, picked: null, pinned: null })
);

/**
 * The page's own words beside the layout's.
 * @param {Pick<Now, "chosen" | "layout" | "trouble">} now
 * @returns {string}
 */
export const addressOf = ({ chosen, layout: one, trouble }) => {
  const { m, pin, pick, t, sort } = chosen;
  const follows = trouble ? FOLLOWS.filter((name) => /** @type {Values} */ (chosen)[name] === null) : [];
  return `?${address.of(one, { follows, m, pin, pick, t, sort: sort === "least" ? "" : sort })}`;
};

/**
 * What is chosen -> all that follows from it, or the trouble with it.
 * @param {Chosen} chosen
 * @returns {Now}
 */
export const compute = (chosen) => now.of(chosen, models[chosen.m], elements.data, state.last);

/**
 * Another model: its sheet is fetched once; one that was pasted in the workbench waits in the browser's own storage.
 * @param {string} slug
 * @returns {Promise<boolean>}
 */
export const load = async (slug) => {
  if (models[slug]) return true;
  try {
    if (slug.startsWith("local:"))
      models[slug] = JSON.parse(/** @type {string} */ (localStorage.getItem(`plan-${slug}`)));
    else {
      const answer = await fetch(`${elements.root.dataset.sheets}${slug}.json`);
      if (answer.ok) models[slug] = await answer.json();
    }
  } catch {
    /* said by whoever asked */
  }
  return Boolean(models[slug]);
};
