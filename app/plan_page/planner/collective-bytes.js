/* A communicator's ranks and bytes -> what a rank sends, and what of it leaves the node; gallery/planning/collective_bytes.py. */

import * as ranks from "./ranks.js";

/** @import { Layout, Talk } from "./types.d.ts" */

export const BFLOAT16 = 2;
export const FLOAT32 = 4;

/**
 * @param {number} number
 * @returns {number}
 */
export const round_half_up = (number) => Math.floor(number + 0.5);

/**
 * Bytes a rank sends in an all-gather or a reduce-scatter of so many bytes.
 * @param {number} ranks
 * @param {number} size
 * @returns {number}
 */
export const gather_bytes = (ranks, size) => ((ranks - 1) / ranks) * size;

/**
 * [bytes a rank sends, of these to other nodes] where so many bytes are gathered so often.
 * @param {Layout} one
 * @param {string} axis
 * @param {number} many
 * @param {number} size
 * @param {number} times
 * @returns {number[]}
 */
export const sent_bytes = (one, axis, many, size, times) => {
  const here = ranks.count_in_node(one, axis);
  return [times * gather_bytes(many, size), (times * gather_bytes(many / here, size)) / here];
};

/**
 * `times` gathers (or sums, which cost the same) of `size` bytes in all calls together.
 * @param {Layout} one
 * @param {string} axis
 * @param {string} operation
 * @param {number} many
 * @param {number} calls
 * @param {number} size bytes
 * @param {number} [times]
 * @returns {Talk}
 */
export const make_collective = (one, axis, operation, many, calls, size, times = 1) => {
  const [sent, leaving] = sent_bytes(one, axis, many, size, times);
  return {
    axis,
    operation,
    ranks: many,
    calls: Math.trunc(calls),
    bytes: round_half_up(sent),
    leaving_bytes: round_half_up(leaving),
  };
};

/**
 * How often a batch of tokens goes through a layer: training forth and back, and forth again before.
 * @param {Pick<Layout, "job" | "recompute">} one
 * @returns {1 | 2 | 3}
 */
export const count_passes = ({ job, recompute }) => (job !== "train" ? 1 : recompute === "full" ? 3 : 2);
