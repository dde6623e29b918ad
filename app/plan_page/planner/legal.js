/* A sheet and a layout -> what cannot be: which field, why, and the legal values nearest; the twin of gallery/planning/legal.py. */

import * as legalAxes from "./legal-axes.js";
import * as legalJob from "./legal-job.js";
import * as legalPipeline from "./legal-pipeline.js";

/** @import { Layout, Problem, Sheet } from "./types.d.ts" */

/** @type {((sheet: Sheet, one: Layout) => Problem[])[]} */
export const RULES = [
  legalAxes.at_least_one,
  legalJob.job,
  legalAxes.tensor,
  legalAxes.devices,
  legalAxes.pipeline,
  legalAxes.experts,
  legalAxes.expert_tensor,
  legalPipeline.batch,
  legalPipeline.schedule,
  legalPipeline.split_layers,
  legalPipeline.ahead,
  legalJob.adapters,
  legalJob.contexts,
  legalJob.shards,
  legalJob.order,
];

/**
 * What breaks the first rule that a layout breaks; none if it is legal.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @returns {Problem[]}
 */
export const problems = (sheet, one) => {
  for (const rule of RULES) {
    const found = rule(sheet, one);
    if (found.length) return found;
  }
  return [];
};
/**
 * @param {Sheet} sheet
 * @param {Layout} one
 * @returns {string}
 */
export const problem = (sheet, one) => problems(sheet, one)[0]?.says || "";

/**
 * The same, behind what a device cannot be asked for: layout.py's devices() and seconds.py's peak() refuse it.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @returns {Problem[]}
 */
export const asked = (sheet, one) => {
  const { device } = one;
  if (one.per_node > device.domain)
    return [
      legalAxes.make("per_node", `A node of ${device.name} joins at most ${device.domain} GPUs, not ${one.per_node}`, [
        device.domain,
      ]),
    ];
  if (one.compute_dtype && !device.peaks[one.compute_dtype])
    return [
      legalAxes.make("compute_dtype", `${device.name} has no peak for ${one.compute_dtype}`, Object.keys(device.peaks)),
    ];
  return problems(sheet, one);
};
