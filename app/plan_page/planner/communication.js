/* A sheet and a plan -> communicators: which ranks meet for what, and how many bytes a rank sends; gallery/planning/communication.py. */

import * as reach from "../../../explainers/kit/reach.js";
import * as rankMemory from "./rank-memory.js";
import * as ranks from "./ranks.js";
import * as stageWeights from "./stage-weights.js";
import * as stages from "./stages.js";

/** @import { Counts, Experts, KindCounts, Layout, Plan, Sheet, Talk, TrainedRank } from "./types.d.ts" */

export const BFLOAT16 = 2;
export const FLOAT32 = 4;
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

/**
 * The meetings of each layer: an all-reduce of the stream; training gathers and sums, and gathers once more going back.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @param {KindCounts} kinds
 * @param {number} tokens
 * @param {number} visits
 * @returns {Talk[]}
 */
export const tensor_parallel = (sheet, one, kinds, tokens, visits) => {
  if (one.tp === 1) return [];
  const [other, train] = [one.cut_as_dense ? 0 : 1, one.job === "train"];
  const meets = kinds.reduce((sum, [kind, layers]) => sum + kind.meets[other] * layers, 0) * visits;
  const calls = meets * (train ? 2 * count_passes(one) + 1 : 1);
  const word = train ? "all-gather and reduce-scatter" : "all-reduce";
  return [
    make_collective(one, "tp", word, one.tp, calls, calls * tokens * sheet.hidden_size * BFLOAT16, train ? 1 : 2),
  ];
};

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
 * Keys and values go round; going back they do so again, and their gradients too; Ulysses: queries, keys, values and
 * results change from tokens to heads.
 * @param {Layout} one
 * @param {KindCounts} kinds
 * @param {number} visits
 * @returns {Talk[]}
 */
export const context_parallel = (one, kinds, visits) => {
  const { cp: c, tp: t } = one;
  if (c === 1) return [];
  const ulysses = one.cp_kind === "ulysses";
  const often = visits * (count_passes(one) + (ulysses ? 0 : 1));
  let [size, calls] = [0, 0];
  for (const [kind, layers] of kinds)
    for (const row of kind.context) {
      const keys = (row.kv_heads || row.heads) / t;
      if (ulysses) size += (layers * (row.heads / t + Math.max(keys, c)) * row.width) / c;
      else size += layers * Math.max(keys, 1) * row.width;
      calls += layers * often * (ulysses ? 4 : 1);
    }
  const whole = size * one.sequence * one.micro_batch * BFLOAT16 * often;
  const word = { ulysses: "all-to-all, heads", ring: "ring of sends" }[one.cp_kind] || "all-gather";
  return [make_collective(one, "cp", word, c, calls * (one.cp_kind === "ring" ? c - 1 : 1), whole)];
};

/**
 * Ranks that share a cache's tokens: each sees the queries of all their heads, and they merge what these found.
 * @param {Layout} one
 * @param {KindCounts} kinds
 * @param {number} tokens
 * @param {number} visits
 * @returns {Talk[]}
 */
export const decode_context = (one, kinds, tokens, visits) => {
  const d = one.dcp;
  if (d === 1) return [];
  const rows = kinds.flatMap(([kind, layers]) =>
    kind.context.map((row) => /** @type {const} */ ([row, layers * visits])),
  );
  const calls = rows.reduce((sum, [, many]) => sum + many, 0);
  const heads = rows.map(([row, many]) => /** @type {const} */ ([row, (many * tokens * d * row.heads) / one.tp]));
  const asked = heads.reduce((sum, [row, many]) => sum + many * row.query * BFLOAT16, 0);
  const found = heads.reduce((sum, [row, many]) => sum + many * (row.value * BFLOAT16 + FLOAT32), 0);
  return [
    make_collective(one, "dcp", "all-gather, queries", d, calls, asked),
    make_collective(one, "dcp", "reduce-scatter, results and their sums", d, calls, found),
  ];
};

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
 * The communicators of one rank of a stage. Serving: of one step of every sequence, or of their prompts.
 * @param {Sheet} sheet
 * @param {Plan} plan
 * @param {number} stage
 * @returns {Talk[]}
 */
export const list_collectives = (sheet, plan, stage) => {
  const { layout: one, ranks: held } = plan;
  const kinds = [...stages.count_on_stage(sheet, one, stage, held[stage].layers)].map(
    ([kind, layers]) => /** @type {KindCounts[number]} */ ([sheet.kinds[kind], layers]),
  );
  const train = one.job === "train";
  const tokens = train
    ? (one.sequence * one.micro_batch) / one.cp
    : plan.here * (one.job === "prefill" ? one.sequence : 1);
  const visits = sheet.loops * (train ? one.visits : 1);
  return [
    ...tensor_parallel(sheet, one, kinds, tokens, visits),
    ...expert_parallel(one, kinds, tokens / one.tp, visits),
    ...expert_tensor(one, kinds, tokens / one.tp, visits),
    ...(train ? context_parallel(one, kinds, visits) : []),
    ...(one.job === "decode" ? decode_context(one, kinds, tokens, visits) : []),
    ...pipeline_parallel(sheet, one, count_sends(one, stage), tokens, visits),
    ...(train ? list_once_per_step(sheet, one, held[stage]) : []),
  ];
};

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
