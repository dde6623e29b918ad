/* A sheet and a plan -> what a layout that fits holds more than once, or leaves idle; gallery/planning/redundancy.py. */

import * as cuts from "./cuts.js";
import * as holdings from "./holdings.js";
import * as schedules from "./schedules.js";
import * as stages from "./stages.js";

/** @import { Bits, Plan, Sheet, Waste } from "./types.d.ts" */

/**
 * Cache that several tensor ranks hold alike: key/value heads that are fewer than they, latents, indexer keys.
 * @param {Sheet} sheet
 * @param {Plan} plan
 * @param {Bits} bits_of
 */
export const copies = (sheet, plan, bits_of) => {
  const { layout: one, fullest: rank } = plan;
  if (one.job === "train" || one.tp === 1) return [];
  const context = one.job === "decode" ? one.context : one.sequence;
  const kept = holdings.kept_of(sheet, one.cache_dtype, stages.counted(sheet, rank.layers), bits_of);
  const grown = holdings.by_rule(
    kept
      .filter(([, , , , fixed]) => !fixed)
      .map(([rule, bits, every, cap]) => [rule, bits * holdings.entries(context, every, cap, 0)]),
  );
  return [...grown].flatMap(([place, bits]) => {
    const rule = sheet.rules[place];
    const [above, below] = cuts.ratio(rule, one, one.dcp);
    const times = Math.floor((one.tp * above) / below);
    if (times <= 1) return [];
    const what =
      rule[0] === "heads" ? `${rule[1]} key/value heads stand` : "A latent or an index that serves all heads stands";
    const held = Math.floor((bits * above) / (8 * below));
    return [
      { field: "tp", says: `${what} on ${times} tensor ranks`, bytes: plan.here * (held - Math.floor(held / times)) },
    ];
  });
};

/**
 * Parts without a sequence; experts that every part holds.
 * @param {Sheet} sheet
 * @param {Plan} plan
 * @returns {Waste[]}
 */
export const idle = (sheet, plan) => {
  const { layout: one, fullest: rank } = plan;
  if (one.job === "train") return [];
  const parts = one.dp - (one.batch % one.dp);
  return [
    one.batch &&
      one.batch % one.dp && {
        field: "dp",
        says: `${one.batch} sequences on ${one.dp} parts: ${parts} of these have one less, or none`,
        bytes: 0,
      },
    one.edp > 1 &&
      rank.experts_bytes && {
        field: "etp",
        says: `Each expert stands ${one.edp} times`,
        bytes: rank.experts_bytes - Math.floor(rank.experts_bytes / one.edp),
      },
  ].filter(Boolean);
};

/**
 * Stages that a schedule holds at both ends of the pipeline.
 * @param {Plan} plan
 * @returns {Waste[]}
 */
export const twice = ({ layout: one, fullest: { states_bytes } }) =>
  one.copies > 1
    ? [
        {
          field: "schedule",
          says: `${schedules.ROWS[one.runs].label} holds every stage on ${one.copies} ranks of a pipeline: weights, gradients, optimizer`,
          bytes: states_bytes - Math.floor(states_bytes / one.copies),
        },
      ]
    : [];

/**
 * All of them, the largest first.
 * @param {Sheet} sheet
 * @param {Plan} plan
 * @param {Bits} bits_of
 * @returns {Waste[]}
 */
export const of = (sheet, plan, bits_of) =>
  [...copies(sheet, plan, bits_of), ...idle(sheet, plan), ...twice(plan)].sort((a, b) => b.bytes - a.bytes);
