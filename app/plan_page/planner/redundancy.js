/* A sheet and a plan -> what a layout that fits holds more than once, or leaves idle; gallery/planning/redundancy.py. */

import * as cacheMemory from "./cache-memory.js";
import * as schedules from "./schedules.js";
import * as arithmetic from "./sharding-arithmetic.js";
import * as stageWeights from "./stage-weights.js";
import * as stages from "./stages.js";

/** @import { Bits, Plan, Sheet, Waste } from "./types.d.ts" */

/**
 * Cache that several tensor ranks hold alike: key/value heads that are fewer than they, latents, indexer keys.
 * @param {Sheet} sheet
 * @param {Plan} plan
 * @param {Bits} bits_of
 */
export const redundant_copies = (sheet, plan, bits_of) => {
  const { layout: one, fullest: rank } = plan;
  if (one.job === "train" || one.tp === 1) return [];
  const context = one.job === "decode" ? one.context : one.sequence;
  const kept = cacheMemory.cache_rows(sheet, one.cache_dtype, stages.count_kinds(sheet, rank.layers), bits_of);
  const grown = stageWeights.sum_by_rule(
    kept
      .filter(([, , , , fixed]) => !fixed)
      .map(([rule, bits, every, cap]) => [rule, bits * cacheMemory.count_entries(context, every, cap, 0)]),
  );
  return [...grown].flatMap(([place, bits]) => {
    const rule = sheet.rules[place];
    const [above, below] = arithmetic.ratio(rule, one, one.dcp);
    const times = Math.floor((one.tp * above) / below);
    if (times <= 1) return [];
    const on = `stored on ${times} tensor-parallel ranks`;
    const says =
      rule[0] === "heads"
        ? `${rule[1]} key/value heads are ${on} each`
        : `A latent or an index that serves all heads is ${on}`;
    const held = Math.floor((bits * above) / (8 * below));
    return [{ field: "tp", says, bytes: plan.here * (held - Math.floor(held / times)) }];
  });
};

/**
 * Parts without a sequence; experts that every part holds.
 * @param {Sheet} sheet
 * @param {Plan} plan
 * @returns {Waste[]}
 */
export const idle_ranks = (sheet, plan) => {
  const { layout: one, fullest: rank } = plan;
  if (one.job === "train") return [];
  const parts = one.dp - (one.batch % one.dp);
  return [
    one.batch &&
      one.batch % one.dp && {
        field: "dp",
        says: `${one.batch} sequences on ${one.dp} replicas: ${parts} of these have one fewer, or none`,
        bytes: 0,
      },
    one.edp > 1 &&
      rank.experts_bytes && {
        field: "etp",
        says: `Each expert is stored ${one.edp} times`,
        bytes: rank.experts_bytes - Math.floor(rank.experts_bytes / one.edp),
      },
  ].filter(Boolean);
};

/**
 * Stages that a schedule holds at both ends of the pipeline.
 * @param {Plan} plan
 * @returns {Waste[]}
 */
export const doubled_stages = ({ layout: one, fullest: { states_bytes } }) =>
  one.copies > 1
    ? [
        {
          field: "schedule",
          says: `${schedules.ROWS[one.runs].label} stores every stage on ${one.copies} ranks of a pipeline: weights, gradients, optimizer`,
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
export const list_redundancies = (sheet, plan, bits_of) =>
  [...redundant_copies(sheet, plan, bits_of), ...idle_ranks(sheet, plan), ...doubled_stages(plan)].sort(
    (a, b) => b.bytes - a.bytes,
  );
