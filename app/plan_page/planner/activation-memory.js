/* A sheet and a layout -> the bytes that a rank saves for the way back, at the fullest moment of its stage. */
import * as layout from "./layout.js";
import * as schedules from "./schedules.js";
import * as stages from "./stages.js";

/** @import { Counts, Kind, Layout, Sheet } from "./types.d.ts" */

/**
 * Bytes saved for the way back at the fullest moment; counts: layers of each kind.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @param {number} stage
 * @param {Counts} counts
 * @param {number} [flight]
 * @returns {number}
 */
export const activation_bytes = (sheet, one, stage, counts, flight = stages.in_flight(stage, one)) =>
  Math.ceil(dense_activations(sheet, one, stage, counts, flight)) +
  Math.ceil(routed_activations(sheet, one, stage, counts, flight));

/**
 * Layers of all kinds.
 * @param {Counts} counts
 * @returns {number}
 */
const count = (counts) => [...counts.values()].reduce((sum, many) => sum + many, 0);

/**
 * Tokens of one micro-batch on one rank.
 * @param {Layout} one
 * @returns {number}
 */
export const rank_tokens = (one) => (one.sequence * one.micro_batch) / (one.cp * one.tp);

/**
 * The part that does not depend on how experts are dealt out: what enters layers, or all but routed experts.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @param {number} stage
 * @param {Counts} counts
 * @param {number} [flight]
 * @returns {number}
 */
export const dense_activations = (sheet, one, stage, counts, flight = stages.in_flight(stage, one)) => {
  const full = one.recompute === "full";
  let whole = 0;
  for (const [kind, many] of counts)
    whole +=
      many * (full ? checkpoint_bytes(sheet) : dense_activation_bytes(sheet.hidden_size, sheet.kinds[kind], one));
  const held = whole * sheet.loops * flight * layout.kept_share(one, count(counts));
  return rank_tokens(one) * (held + logits_bytes(sheet, one, stage));
};

/**
 * The part that does: routed experts; or all of the one layer that is being computed anew.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @param {number} stage
 * @param {Counts} counts
 * @param {number} [flight]
 * @returns {number}
 */
export const routed_activations = (sheet, one, stage, counts, flight = stages.in_flight(stage, one)) => {
  let whole = 0;
  if (one.recompute === "full") {
    for (const [kind] of counts)
      whole = Math.max(whole, activation_bytes_per_token(sheet.hidden_size, sheet.kinds[kind], one));
    return flight ? rank_tokens(one) * whole : 0;
  }
  if (one.redone.includes("moe")) {
    for (const [kind] of counts) whole = Math.max(whole, routed_once(sheet.kinds[kind], one));
    return flight ? rank_tokens(one) * whole : 0;
  }
  for (const [kind, many] of counts) whole += many * routed_activation_bytes(sheet.kinds[kind], one);
  return rank_tokens(one) * whole * sheet.loops * flight * layout.kept_share(one, count(counts));
};

/**
 * What enters a layer, of one token: all that is kept where the layer is computed anew, one layer at a time.
 * @param {Sheet} sheet
 * @returns {number}
 */
export const checkpoint_bytes = (sheet) => 2 * sheet.hidden_size * sheet.streams;

/**
 * Of one token, in FP32, with what the last norm reads; schedules that go all forth first keep them of all.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @param {number} stage
 * @returns {number}
 */
export const logits_bytes = (sheet, one, stage) => {
  if (!stages.last_stages(one).includes(stage) || !sheet.has_head) return 0;
  const at_once = one.pp > 1 && schedules.ROWS[one.runs].forth_first ? one.micro_batches : 1;
  return 4 * (sheet.hidden_size + sheet.vocab_size) * (1 + one.mtp) * at_once;
};

/**
 * What a layer saves of one token: two bytes a number, one where matrices alone read it, in FP8; parts computed anew
 * are spared.
 * @param {number} hidden
 * @param {Kind} kind
 * @param {Layout} one
 * @returns {number}
 */
export const activation_bytes_per_token = (hidden, kind, one) =>
  dense_activation_bytes(hidden, kind, one) + routed_activation_bytes(kind, one);

/**
 * @param {number} hidden
 * @param {Kind} kind
 * @param {Layout} one
 * @returns {number}
 */
export const dense_activation_bytes = (hidden, kind, { redone, saves_fp8 }) => {
  const [others, matrices, both, normed, unpacked] = kind.saves;
  const [each, norms] = [saves_fp8 ? 1 : 2, redone.includes("layernorm")];
  const joined = (kind.joins || 0) * hidden * (4 + (norms ? 0 : 2 * each));
  const spared = (norms ? each * normed : 0) + (redone.includes("mla_up_proj") ? 2 * unpacked : 0);
  return joined + 2 * (others + both) + each * matrices - spared;
};

/**
 * @param {Kind} kind
 * @param {Layout} one
 * @returns {number}
 */
export const routed_activation_bytes = (kind, { redone, offload, ep, etp, imbalance, saves_fp8 }) => {
  if (redone.includes("moe")) return 0;
  const [arriving, first, last] = kind.saves.slice(5);
  const each = saves_fp8 ? 1 : 2;
  const here = offload === "experts" ? 0 : 2 * first;
  return (each * arriving * etp + here + (redone.includes("moe_act") ? 0 : each * last)) * (ep > 1 ? imbalance : 1);
};

/**
 * All that routed experts need of the one layer of them that is being computed anew.
 * @param {Kind} kind
 * @param {Layout} one
 * @returns {number}
 */
export const routed_once = (kind, { ep, etp, imbalance, saves_fp8 }) => {
  const [arriving, first, last] = kind.saves.slice(5);
  const each = saves_fp8 ? 1 : 2;
  return (each * arriving * etp + 2 * first + each * last) * (ep > 1 ? imbalance : 1);
};
