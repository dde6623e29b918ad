/* What is chosen and a model -> all that follows from it: the layout, its plan and times, or the trouble with it. No page. */

import * as communication from "./communication.js";
import * as fits from "./fits.js";
import * as layout from "./layout.js";
import * as legal from "./legal.js";
import * as measured from "./measured.js";
import * as seconds from "./seconds.js";

/** @import { Chosen, Model, Now, PlanData, Talk } from "./types.d.ts" */

/**
 * `data`: what the page carries; `last`: the field that was changed last.
 * @param {Chosen} chosen
 * @param {Model} model
 * @param {Pick<PlanData, "cache_bits" | "measured" | "devices">} data
 * @param {string} last
 * @returns {Now}
 */
export const of = (chosen, model, { cache_bits: bits, measured: source, devices }, last) => {
  const { sheet, title } = model;
  const one = layout.of(chosen, devices);
  const now = /** @type {Now} */ ({ chosen, model, sheet, title, bits, source, layout: one, last });
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
 * Seconds of what one rank sends in a step, in the node and out of it.
 * @param {Now} now
 * @param {Talk} talk
 * @returns {number}
 */
export const busy = ({ layout: one }, talk) =>
  (talk.bytes - talk.leaving_bytes) / one.device.inside_bytes + talk.leaving_bytes / one.outside_bytes;
