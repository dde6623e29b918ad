/* A sheet and a plan -> communicators: which ranks meet for what, and how many bytes a rank sends; gallery/planning/communication.py. */

import { BFLOAT16, count_passes, FLOAT32, make_collective } from "./collective-bytes.js";
import { expert_parallel, expert_tensor } from "./expert-communication.js";
import { list_once_per_step } from "./gradient-communication.js";
import { count_sends, pipeline_parallel } from "./pipeline-communication.js";
import * as stages from "./stages.js";

/** @import { KindCounts, Layout, Plan, Sheet, Talk } from "./types.d.ts" */

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
