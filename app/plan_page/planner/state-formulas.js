/* How the bytes of weights, gradients and optimizer on a rank came to be: see formulas.js. */

import * as lora from "./lora.js";
import { NUMBERS, RULE } from "./pieces.js";
import * as arithmetic from "./sharding-arithmetic.js";
import * as stageWeights from "./stage-weights.js";
import * as words from "./words.js";

/** @import { Held, Layout, Now, Rule } from "./types.d.ts" */

/** @typedef {[lines: string[], note: string]} Lines */

export const n = words.int;

/**
 * What a rule does to a sum, with the values of the layout.
 * @param {Rule} rule
 * @param {Layout} one
 */
export const rule = (rule, one) => {
  const [word] = rule;
  const spare = one.redundant ? `(${rule[1]} + ${one.redundant}) ÷ ${rule[1]} ` : "";
  return {
    whole: "whole on every rank",
    tp: `÷ tp ${one.tp}`,
    heads: `× max(${rule[1]} ÷ tp ${one.tp}, 1) ÷ ${rule[1]} KV heads`,
    groups: `× ${arithmetic.ratio(rule, one).join(" ÷ ")}: heads ÷ tp ${one.tp}, at least one group of ${rule[3]}`,
    experts: `${spare}÷ ep ${one.ep}${rule[2] ? ` ÷ etp ${one.etp}` : ""}`,
  }[word];
};

/**
 * The pieces of a stage by rule, experts or all others: [[rule, sum], ...].
 * @param {Now} now
 * @param {Held} rank
 * @param {boolean} routed
 */
const sums = (now, rank, routed) => {
  const { sheet, layout: one } = now;
  const own = stageWeights.per_stage(sheet, one)[rank.stage];
  const rows =
    one.job === "train"
      ? own.map(([piece, times]) => [piece[RULE], piece[NUMBERS] * times])
      : stageWeights.stored_bits_by_rule(sheet, one, own);
  return [...stageWeights.sum_by_rule(rows)]
    .map(([rule, sum]) => /** @type {const} */ ([sheet.rules[rule], sum]))
    .filter(([rule]) => (rule[0] === "experts") === routed);
};

/**
 * @param {Now} now
 * @param {Held} rank
 * @param {boolean} routed
 * @returns {Lines}
 */
export const weights = (now, rank, routed) => {
  const { layout: one } = now;
  const train = one.job === "train";
  const lines = sums(now, rank, routed).map(([by, sum]) => {
    const part = arithmetic.part_of(sum, arithmetic.ratio(by, one), train ? 1 : 8);
    return train
      ? `${n(sum)} numbers ${rule(by, one)} = ${n(part)}`
      : `${words.size(sum / 8)} ${rule(by, one)} = ${words.size(part)}`;
  });
  if (train) {
    const [many, adapters, dealt] = routed
      ? [rank.expert_numbers, rank.expert_adapters, one.expert_shard]
      : [rank.numbers - rank.expert_numbers, rank.adapters - rank.expert_adapters, one.shard];
    const over = one.zero > 2 ? ` ÷ ${routed ? "edp" : "dp × cp"} ${dealt}` : "";
    const more = adapters ? ` + ${lora.BYTES} B × ${n(adapters)} of adapters${over}` : "";
    lines.push(
      `${one.weight_bytes} B × ${n(many)}${over}${more} = ${words.size(routed ? rank.experts_bytes : rank.weights_bytes)}`,
    );
  }
  return [
    lines,
    train
      ? `Weights of ${words.plural(one.weight_bytes, "byte")}.`
      : "Bytes as the checkpoint stores them, tensor by tensor.",
  ];
};

/**
 * @param {Now} now
 * @param {Held} rank
 * @param {number} bytes of a parameter
 * @param {number} level of ZeRO
 * @param {number} total
 * @returns {Lines}
 */
export const states = (now, rank, bytes, level, total) => {
  const { layout: one } = now;
  const [dense, routed] = one.lora_rank
    ? [rank.adapters - rank.expert_adapters, rank.expert_adapters]
    : [rank.numbers - rank.expert_numbers, rank.expert_numbers];
  /**
   * @param {string} name
   * @param {number} ranks_
   */
  const share = (name, ranks_) => (one.zero >= level ? ` ÷ ${name} ${ranks_}` : "");
  const terms = [
    dense && `${bytes} B × ${n(dense)}${share("dp × cp", one.shard)}`,
    routed && `${bytes} B × ${n(routed)}${share("edp", one.expert_shard)}`,
  ];
  const why =
    one.zero < level
      ? `ZeRO ${one.zero} deals out none of it.`
      : one.expert_shard === 1 && routed
        ? "edp 1: each expert lives once, so nobody shares its part."
        : "ZeRO deals it out over the copies.";
  return [[`${terms.filter(Boolean).join(" + ")} = ${words.size(total)}`], one.lora_rank ? `Of adapters. ${why}` : why];
};
