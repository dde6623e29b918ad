/* How the bytes of a rank, of any part and in all, and the sequences that fit came to be: see formulas.js. */

import * as activationMemory from "./activation-memory.js";
import * as cacheCopies from "./cache-copies.js";
import * as engine from "./engine.js";
import * as layout from "./layout.js";
import * as notes from "./notes.js";
import * as stages from "./stages.js";
import { n, rule, states, weights } from "./state-formulas.js";
import * as words from "./words.js";

/** @import { Formula, Held, HeldPart, Now } from "./types.d.ts" */
/** @import { Lines } from "./state-formulas.js" */

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
