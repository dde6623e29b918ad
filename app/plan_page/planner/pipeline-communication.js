/* A pipeline's stages -> which send to which, how often, how often to another node, and how many bytes. */

import { BFLOAT16, round_half_up } from "./collective-bytes.js";
import * as ranks from "./ranks.js";
import * as stages from "./stages.js";

/** @import { Layout, Sheet, Talk } from "./types.d.ts" */

/**
 * Map of other stage -> how often a stage sends to it for one micro-batch, or for one from each end: on, and in
 * training its gradients back.
 * @param {Layout} one
 * @param {number} stage
 * @returns {Map<number, number>}
 */
export const neighbour_stages = (one, stage) => {
  const all = one.pp * one.chunks;
  /** @type {Map<number, number>} */
  const out = new Map();
  for (let chunk = 0; chunk < all; chunk += 1)
    for (let way = 0; way < one.copies; way += 1) {
      if (stages.places(chunk, one)[way] !== stage) continue;
      for (const other of one.job === "train" ? [chunk + 1, chunk - 1] : [chunk + 1]) {
        const there = other >= 0 && other < all ? stages.places(other, one)[way] : stage;
        if (there !== stage) out.set(there, (out.get(there) || 0) + 1);
      }
    }
  return out;
};

/**
 * Whether the other rank that holds a stage's layers stands in another node.
 * @param {Layout} one
 * @param {number} stage
 * @returns {number}
 */
export const node = (one, stage) => Math.floor(ranks.first_rank(one, stage) / one.per_node);
/**
 * @param {Layout} one
 * @param {number} stage
 * @returns {boolean}
 */
export const crosses_nodes = (one, stage) => one.copies > 1 && node(one, stage) !== node(one, one.pp - 1 - stage);

/**
 * [how often a stage sends for one micro-batch, how often of these to another node].
 * @param {Layout} one
 * @param {number} stage
 * @returns {number[]}
 */
export const count_sends = (one, stage) => {
  let [calls, away] = [0, 0];
  for (const [other, times] of neighbour_stages(one, stage)) {
    calls += times;
    away += node(one, other) === node(one, stage) ? 0 : times;
  }
  return [calls, away];
};

/**
 * The stream (all streams) to the next stage, and its gradient to the one before; tensor ranks send a part each.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @param {number[]} sent
 * @param {number} tokens
 * @param {number} times
 * @returns {Talk[]}
 */
export const pipeline_parallel = (sheet, one, [calls, away], tokens, times) => {
  if (one.pp === 1) return [];
  const each = (times * tokens * sheet.hidden_size * sheet.streams * BFLOAT16) / one.tp;
  return [
    {
      axis: "pp",
      operation: "send",
      ranks: 2,
      calls: calls * times,
      bytes: round_half_up(calls * each),
      leaving_bytes: round_half_up(away * each),
    },
  ];
};
