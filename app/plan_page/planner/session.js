/* What is chosen -> all that follows from it: the model, the layout, its plan and times, its address.

Every part of the page reads `state`; page.js, cursor.js and pin.js write it. */

import * as address from "./address.js";
import * as communication from "./communication.js";
import * as elements from "./elements.js";
import * as fits from "./fits.js";
import * as layout from "./layout.js";
import * as legal from "./legal.js";
import * as measured from "./measured.js";
import * as seconds from "./seconds.js";

/** @import { Chosen, Layout, Model, Now, Picked, Talk, Values } from "./types.d.ts" */

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
export const compute = (chosen) => {
  const model = models[chosen.m];
  const { cache_bits: bits, measured: source } = elements.data;
  const { sheet, title } = model;
  const one = layout.of(chosen, elements.data.devices);
  const now = /** @type {Now} */ ({ chosen, model, sheet, title, bits, source, layout: one, last: state.last });
  now.problems = legal.asked(sheet, one);
  now.trouble = now.problems[0];
  if (now.trouble) return now;
  now.plan = fits.make_plan(sheet, one, bits);
  const found = seconds.stage_bounds(sheet, now.plan);
  now.bound = seconds.bind_step(sheet, now.plan);
  now.slowest = found.reduce((best, each, i) => (each.seconds > found[best].seconds ? i : best), 0);
  now.runs = measured.matching_runs(model.runs, one);
  /** @type {Map<number, Talk[]>} */
  const talked = new Map();
  now.talksOf = (stage) => {
    const found = talked.get(stage) || communication.list_collectives(sheet, now.plan, stage);
    talked.set(stage, found);
    return found;
  };
  Object.defineProperty(now, "talks", { get: () => now.talksOf(now.plan.fullest.stage) });
  Object.defineProperty(now, "talksAll", { get: () => now.plan.ranks.flatMap((rank) => now.talksOf(rank.stage)) });
  return now;
};

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
