/* How the bytes of a rank, part by part, and the sequences that fit came to be: see formulas.js. */
import * as activationMemory from "./activation-memory.js";
import * as cacheCopies from "./cache-copies.js";
import * as engine from "./engine.js";
import * as layout from "./layout.js";
import * as lora from "./lora.js";
import * as notes from "./notes.js";
import { NUMBERS, RULE } from "./pieces.js";
import * as arithmetic from "./sharding-arithmetic.js";
import * as stageWeights from "./stage-weights.js";
import * as stages from "./stages.js";
import * as words from "./words.js";

/** @import { Formula, Held, HeldPart, Layout, Now, Rule } from "./types.d.ts" */

/** @typedef {[lines: string[], note: string]} Lines */

const n = words.int;

/**
 * What a rule does to a sum, with the values of the layout.
 * @param {Rule} rule
 * @param {Layout} one
 */
const rule = (rule, one) => {
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
const states = (now, rank, bytes, level, total) => {
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

/**
 * @param {Now} now
 * @param {Held} rank
 * @returns {Lines}
 */
const activations = (now, rank) => {
  const { sheet, layout: one } = now;
  const flight = stages.in_flight(rank.stage, one);
  const tokens = (one.sequence * one.micro_batch) / (one.cp * one.tp);
  const full = one.recompute === "full";
  const kinds = [...stages.count_on_stage(sheet, one, rank.stage, rank.layers)];
  const sizes = kinds.map(([kind, many]) => [
    many,
    activationMemory.activation_bytes_per_token(sheet.hidden_size, sheet.kinds[kind], one),
  ]);
  const each = sizes.map(([many, size]) => `${many} × ${n(full ? activationMemory.checkpoint_bytes(sheet) : size)}`);
  const share = layout.kept_share(
    one,
    sizes.reduce((sum, [many]) => sum + many, 0),
  );
  const here = share < 1 ? ` × ${share} on the GPU` : "";
  const lines = [
    `${words.short(flight)} micro-batches in flight${here} × ${n(tokens)} tokens a rank`,
    `× (${each.join(" + ")}) B${sheet.loops > 1 ? ` × ${sheet.loops} loops` : ""}`,
  ];
  if (full && sizes.length)
    lines.push(
      `+ ${n(tokens)} × ${n(Math.max(...sizes.map(([, size]) => size)))} B of the layer that is computed anew`,
    );
  if (one.redone.includes("moe")) {
    const once = Math.max(0, ...kinds.map(([kind]) => activationMemory.routed_once(sheet.kinds[kind], one)));
    lines.push(`+ ${n(tokens)} × ${n(once)} B of the experts of one layer, computed anew`);
  }
  const logits = activationMemory.logits_bytes(sheet, one, rank.stage);
  if (logits) lines.push(`+ ${n(tokens)} × ${n(logits)} B of logits`);
  return [[...lines, `= ${words.size(rank.activations_bytes)}`], `${words.capital(notes.activations(one))}.`];
};

/**
 * @param {Now} now
 * @param {Held} rank
 * @returns {Lines}
 */
const cache = (now, rank) => {
  const { layout: one } = now;
  const lines = cacheCopies
    .kept(now, rank)
    .map(
      ([by, bytes, dcp]) =>
        `${words.size(bytes)} a sequence (${rule(by, one)}${dcp > 1 ? `, its tokens ÷ dcp ${dcp}` : ""})`,
    );
  const padding = rank.sequence_padding_bytes;
  if (padding)
    lines.push(`${words.size(padding)} a sequence of padding: pages hold attention or a state, all of one size`);
  return [
    [
      ...lines,
      `${words.plural(now.plan.here, "sequence")} × ${words.size(rank.sequence_bytes)} = ${words.size(rank.cache_bytes)}`,
    ],
    `${words.int(cacheCopies.tokens(one))} tokens each, in ${one.cache_dtype}.`,
  ];
};

/**
 * What the engine holds, as measured, or as typed.
 * @param {Now} now
 * @param {Held} rank
 * @returns {Lines}
 */
const framework = ({ sheet, layout: one }, rank) => {
  if (one.framework_bytes !== null || one.job === "train")
    return [["typed in, under More"], "What neither weights nor activations nor cache account for."];
  const fixed = engine.fixed_bytes(one);
  const logits = `${engine.LOGIT_BYTES} B × ${n(engine.at_once(one))} sequences × ${n(sheet.vocab_size)} logits + `;
  return [
    [`${rank.framework_bytes > fixed ? logits : ""}${words.size(fixed)} = ${words.size(rank.framework_bytes)}`],
    "Engine overhead measured with vLLM on H100: the copies of logits that sampling makes, and the process's own.",
  ];
};

/**
 * One part of one rank.
 * @param {Now} now
 * @param {Held} rank
 * @param {HeldPart} name
 * @returns {Formula}
 */
export const part = (now, rank, name) => {
  const word = words.PARTS.find(([key]) => key === name)?.[1];
  /** @type {{ [part in HeldPart]: () => Lines }} */
  const told = {
    weights_bytes: () => weights(now, rank, false),
    experts_bytes: () => weights(now, rank, true),
    gradients_bytes: () => states(now, rank, now.layout.gradient_bytes, 2, rank.gradients_bytes),
    optimizer_bytes: () => states(now, rank, now.layout.optimizer_bytes, 1, rank.optimizer_bytes),
    activations_bytes: () => activations(now, rank),
    cache_bytes: () => cache(now, rank),
    framework_bytes: () => framework(now, rank),
  };
  const [lines, note] = told[name]();
  return [`${words.where(now, rank)}, ${word}: ${words.gb(rank[name])} GB`, lines, note];
};

/**
 * @param {Now} now
 * @param {Held} rank
 * @returns {Formula}
 */
export const total = (now, rank) => {
  const { layout: one } = now;
  const lines = words.PARTS.filter(([name]) => rank[name]).map(([name, word]) => `${words.gb(rank[name])} = ${word}`);
  const alike = one.gpus / one.pp;
  return [
    `${words.where(now, rank)}${alike > 1 ? `, each of its ${alike} GPUs` : ""}: ${words.gb(rank.total_bytes)} GB`,
    lines,
    `${words.gb(now.plan.room_bytes)} of ${words.gb(one.device.memory_bytes)} GB usable.`,
  ];
};

/**
 * @param {Now} now
 * @returns {Formula}
 */
export const sequences = (now) => {
  const { layout: one, plan } = now;
  const tight = plan.ranks
    .filter((rank) => rank.sequence_bytes)
    .reduce((best, rank) => {
      /** @param {Held} r */
      const room = (r) => Math.floor((plan.room_bytes - r.before_text_bytes) / r.sequence_bytes);
      return room(rank) < room(best) ? rank : best;
    });
  const one_ = tight.sequence_bytes;
  const left = plan.room_bytes - tight.before_text_bytes;
  return [
    `sequences that fit = ${words.int(plan.sequences ?? 0)}`,
    [
      `(${words.gb(one.device.memory_bytes)} × ${one.used} − ${words.gb(tight.before_text_bytes)}) GB ÷ ${words.size(one_)}`,
      `= ${words.size(left)} ÷ ${words.size(one_)} = ${words.short(left / one_)} → ${Math.floor(left / one_)}${one.dp > 1 ? ` on each of dp ${one.dp} parts` : ""}`,
    ],
    plan.longest_context === null
      ? "No context is too long for one sequence."
      : `One sequence alone has room for ${words.int(plan.longest_context)} tokens.`,
  ];
};
