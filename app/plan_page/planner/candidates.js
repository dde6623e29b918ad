/* A sheet and a layout -> every legal way to lay the same job over the same GPUs; the twin of gallery/planning/candidates.py. */

import * as layout from "./layout.js";
import * as legalAxes from "./legal-axes.js";
import * as legalJob from "./legal-job.js";
import * as legalPipeline from "./legal-pipeline.js";

/** @import { Layout, Sheet } from "./types.d.ts" */

export const MOST = 64;
export const MOST_CHUNKS = 16;
export const RULES = [
  legalJob.job,
  legalPipeline.batch,
  legalPipeline.schedule,
  legalJob.contexts,
  legalJob.shards,
  legalJob.adapters,
];

/**
 * @param {number} number
 * @param {number} most
 * @returns {number[]}
 */
export const divisors = (number, most) => {
  const out = [];
  for (let n = 1; n <= Math.min(number, most); n += 1) if (number % n === 0) out.push(n);
  return out;
};

/**
 * Every legal tp, pp, chunks and cp; experts are not dealt out.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @returns {Layout[]}
 */
export const dense = (sheet, one) => {
  /** @type {Layout[]} */
  const out = [];
  const [room, train] = [sheet.layers.length + 2, one.job === "train"];
  for (const tp of divisors(one.gpus, MOST)) {
    if (legalAxes.unsupported_cuts(sheet, tp)) continue;
    for (const pp of divisors(one.gpus / tp, Math.min(MOST, room))) {
      const most = pp > 1 && train ? MOST_CHUNKS : 1;
      for (let chunks = 1; chunks <= Math.min(most, Math.floor(room / pp)); chunks += 1) {
        for (const cp of divisors(one.gpus / (tp * pp), train ? MOST : 1)) {
          const made = layout.make({ ...one, ep: 1, etp: 1, split: "", tp, pp, chunks, cp });
          if (!RULES.some((rule) => rule(sheet, made).length)) out.push(made);
        }
      }
    }
  }
  return out;
};

/**
 * Every legal [ep, etp] of a layout of ep 1; they depend on the GPUs of a stage alone, as the usual etp without
 * experts.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @returns {[ep: number, etp: number][]}
 */
export const folds = (sheet, one) => {
  const [found, many] = [legalAxes.experts_of(sheet), one.tp * one.cp * one.dp];
  if (!found.length) return [[1, one.usual_etp]];
  const eps = divisors(many, Math.max(...found.map((moe) => moe.num_experts + one.redundant))).filter((ep) =>
    found.every((moe) => (moe.num_experts + one.redundant) % ep === 0),
  );
  const widest = Math.max(...found.map((moe) => moe.moe_intermediate_size));
  return eps.flatMap((ep) =>
    divisors(many / ep, widest)
      .filter((etp) => found.every((moe) => moe.moe_intermediate_size % etp === 0) && one.lora_rank % etp === 0)
      .map((etp) => [ep, etp]),
  );
};
