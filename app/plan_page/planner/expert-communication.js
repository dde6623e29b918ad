/* Experts dealt over ranks -> the bytes of tokens on their way to them and back, and of tokens that parts of one expert share. */

import * as reach from "../../../explainers/kit/reach.js";
import { BFLOAT16, count_passes, FLOAT32, make_collective, round_half_up } from "./collective-bytes.js";
import * as ranks from "./ranks.js";

/** @import { Experts, KindCounts, Layout, Talk } from "./types.d.ts" */

export const FP8_BLOCK = 128;

/**
 * @param {number} hidden
 * @param {boolean} fp8
 * @returns {number}
 */
export const dispatch_bytes = (hidden, fp8) =>
  fp8 ? hidden + FLOAT32 * Math.ceil(hidden / FP8_BLOCK) : BFLOAT16 * hidden;
/**
 * @param {number} hidden
 * @returns {number}
 */
export const combine_bytes = (hidden) => BFLOAT16 * hidden;

/**
 * How many copies of a token go to other parts of the experts (ranks, or nodes): one to each part that it needs,
 * and none for experts without weights; while decoding one to each of its experts there.
 * @param {Pick<Layout, "job">} one
 * @param {Experts} moe
 * @param {number} parts
 * @returns {number}
 */
export const other_ranks = ({ job }, moe, parts) =>
  job === "decode" ? (reach.count_chosen(moe) * (parts - 1)) / parts : reach.count_other_parts(moe, parts);

/**
 * One token's way to its experts and back, through all layers of a stage: bytes, and those to other nodes.
 * @param {Layout} one
 * @param {KindCounts} kinds
 */
export const expert_route = (one, kinds) => {
  const way = { meetings: 0, there: 0, back: 0, away_there: 0, away_back: 0 };
  const nodes = Math.floor(one.ep / ranks.count_in_node(one, "ep"));
  for (const [kind, layers] of kinds)
    for (const moe of kind.experts) {
      const [copies, far] = [one.ep, nodes].map((parts) => layers * other_ranks(one, moe, parts) * one.imbalance);
      const [to, fro] = [dispatch_bytes(moe.width, one.dispatches_fp8), combine_bytes(moe.width)];
      way.meetings += layers;
      way.there += copies * to;
      way.back += copies * fro;
      way.away_there += far * to;
      way.away_back += far * fro;
    }
  return way;
};

/**
 * To the experts and back. `tokens`: of one rank.
 * @param {Layout} one
 * @param {KindCounts} kinds
 * @param {number} tokens
 * @param {number} visits
 */
export const expert_parallel = (one, kinds, tokens, visits) => {
  if (one.ep === 1) return [];
  const often = visits * count_passes(one);
  const [way, many] = [expert_route(one, kinds), tokens * often];
  /**
   * @param {string} word
   * @param {number} bytes
   * @param {number} leaving
   */
  const row = (word, bytes, leaving) => ({
    axis: "ep",
    operation: `all-to-all, ${word}`,
    ranks: one.ep,
    calls: way.meetings * often,
    bytes: round_half_up(bytes * many),
    leaving_bytes: round_half_up(leaving * many),
  });
  return [row("dispatch", way.there, way.away_there), row("combine", way.back, way.away_back)];
};

/**
 * Bytes of tokens that ranks of one etp group bring together before the experts of a stage, for each of a rank.
 * @param {Layout} one
 * @param {KindCounts} kinds
 * @returns {number}
 */
export const gathered_tokens = (one, kinds) => {
  let total = 0;
  for (const [kind, layers] of kinds)
    for (const moe of kind.experts) total += layers * Math.min(reach.count_chosen(moe), one.ep) * moe.width * BFLOAT16;
  return total * one.etp * (one.ep > 1 ? one.imbalance : 1);
};

/**
 * Experts that are cut see the tokens of all ranks that hold a part of them, and sum what these find.
 * @param {Layout} one
 * @param {KindCounts} kinds
 * @param {number} tokens
 * @param {number} visits
 * @returns {Talk[]}
 */
export const expert_tensor = (one, kinds, tokens, visits) => {
  const size = gathered_tokens(one, kinds);
  if (one.etp === 1 || !size || one.cut_as_dense) return [];
  const often = visits * count_passes(one);
  const calls = kinds.reduce((sum, [kind, layers]) => sum + layers * kind.experts.length, 0) * often;
  return [
    make_collective(one, "etp", "all-gather and reduce-scatter, tokens", one.etp, 2 * calls, size * tokens * often, 2),
  ];
};
