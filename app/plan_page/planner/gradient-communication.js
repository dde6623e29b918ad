/* What a rank holds of weights and gradients -> their sums and gathers, once per training step or for each micro-batch. */

import { gather_bytes, make_collective, round_half_up } from "./collective-bytes.js";
import { crosses_nodes, node } from "./pipeline-communication.js";
import * as rankMemory from "./rank-memory.js";
import * as stageWeights from "./stage-weights.js";

/** @import { Layout, Sheet, Talk, TrainedRank } from "./types.d.ts" */

/**
 * The gradients of two ranks that hold the same stage are summed: what a rank sends is what it holds of them.
 * @param {Layout} one
 * @param {number} stage
 * @param {string} axis
 * @param {number} size
 * @returns {Talk | false}
 */
export const tied_table = (one, stage, axis, size) =>
  one.copies > 1 && {
    axis: "pp",
    operation: `all-reduce, gradients of both copies${axis === "edp" ? ", experts" : ""}`,
    ranks: 2,
    calls: 1,
    bytes: size,
    leaving_bytes: crosses_nodes(one, stage) ? size : 0,
  };

/**
 * An embedding on several stages is one: its gradients are summed.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @param {number} stage
 * @returns {Talk[]}
 */
export const tied_embedding = (sheet, one, stage) => {
  const [holders, numbers] = [stageWeights.table_stages(sheet, one), stageWeights.table_numbers(sheet, one)];
  if (holders.length === 1 || one.copies > 1 || !holders.includes(stage) || !numbers || one.lora_rank) return [];
  const nodes = new Set(holders.map((held) => node(one, held))).size;
  const size = numbers * one.gradient_bytes;
  const sent = [2 * gather_bytes(holders.length, size), (2 * gather_bytes(nodes, size) * nodes) / holders.length];
  return [
    {
      axis: "pp",
      operation: "all-reduce, gradients of the embedding",
      ranks: holders.length,
      calls: 1,
      bytes: round_half_up(sent[0]),
      leaving_bytes: round_half_up(sent[1]),
    },
  ];
};

/**
 * Gradients are summed, and what ZeRO has dealt out is gathered: weights once. Who deals out gradients (stages 2
 * and 3) cannot keep those of several micro-batches whole, and sums each; stage 3 gathers weights for each twice.
 * Frozen weights have no gradients: with LoRA adapters alone are summed and gathered, but stage 3 gathers all.
 * @param {Layout} one
 * @param {TrainedRank} rank
 * @returns {Talk[]}
 */
export const data_parallel = (one, rank) =>
  /** @type {[axis: string, many: number, shard: number, numbers: number, adapters: number][]} */ ([
    ["dp", one.dp * one.cp, one.shard, rank.numbers - rank.expert_numbers, rank.adapters - rank.expert_adapters],
    ["edp", one.edp, one.expert_shard, rank.expert_numbers, rank.expert_adapters],
  ]).flatMap(([axis, many, shard, numbers, adapters]) => {
    const own = rankMemory.trained(numbers, adapters, one);
    if (!(one.zero === 3 ? numbers : own)) return [];
    const pair = tied_table(one, rank.stage, axis, Math.floor((own * one.gradient_bytes) / (one.zero ? shard : 1)));
    if (many === 1) return [pair].filter(Boolean);
    const gradients = own * one.gradient_bytes;
    const weights = rankMemory.held_bytes(one.lora_rank && one.zero < 3 ? 0 : numbers, adapters, one);
    if (one.zero === 0)
      return [pair, make_collective(one, axis, "all-reduce, gradients", many, 1, gradients, 2)].filter(Boolean);
    const some = shard === many ? axis : `${axis}_shard`;
    const every = one.zero > 1 ? one.visits : 1;
    const times = one.zero === 3 ? 2 * every : 1;
    return [
      pair,
      shard > 1 && make_collective(one, some, "reduce-scatter, gradients", shard, every, gradients, every),
      shard < many &&
        make_collective(
          one,
          `${axis}_replicate`,
          "all-reduce, gradients",
          Math.floor(many / shard),
          1,
          gradients / shard,
          2,
        ),
      shard > 1 && make_collective(one, some, "all-gather, weights", shard, times, weights, times),
    ].filter(Boolean);
  });

/**
 * Of a training step's talks those that wait for no micro-batch: the gradients' and the weights'.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @param {TrainedRank} rank
 * @returns {Talk[]}
 */
export const list_once_per_step = (sheet, one, rank) => [
  ...tied_embedding(sheet, one, rank.stage),
  ...data_parallel(one, rank),
];
