/* A sheet, a sequence and a layout -> FLOPs; the twin of gallery/planning/work.py. */

import * as lora from "./lora.js";
import * as stages from "./stages.js";

/** @import { Kind, Layout, Sheet, Terms } from "./types.d.ts" */

export const FORTH_AND_BACK = 3;

/**
 * Entries that one token sees, and the sum over contexts 1..tokens: gallery/operations.py's Reads.
 * @param {number} context
 * @param {number} every
 * @param {number | null} cap
 * @returns {number}
 */
export const at = (context, every, cap) =>
  cap === null ? Math.floor(context / every) : Math.min(Math.floor(context / every), cap);
/**
 * @param {number} tokens
 * @param {number} every
 * @param {number | null} cap
 * @returns {number}
 */
export const over = (tokens, every, cap) => {
  const limit = cap === null ? tokens : Math.min(tokens, cap * every + every - 1);
  const [full, rest] = [Math.floor(limit / every), limit % every];
  return (every * full * (full - 1)) / 2 + full * (rest + 1) + (tokens - limit) * (cap || 0);
};

/**
 * FLOPs of one token that sees so many, or (prefill) of so many that each see what came before.
 * @param {Terms} terms
 * @param {number} tokens
 * @param {boolean} prefill
 * @returns {number}
 */
export const flops_of_terms = (terms, tokens, prefill) => {
  let total = terms.token * (prefill ? tokens : 1);
  for (const [each, every, cap, when] of terms.reads) {
    if (when === "" || when === (prefill ? "prefill" : "decode"))
      total += each * (prefill ? over : at)(tokens, every, cap);
  }
  return total;
};

/**
 * Going forth through all layers and the head, for a sequence.
 * @param {Sheet} sheet
 * @param {number} tokens
 * @returns {number}
 */
export const model_flops = (sheet, tokens) => {
  const each = sheet.kinds.map((kind) => flops_of_terms(kind.work, tokens, true));
  return (
    sheet.layers.reduce((sum, kind) => sum + each[kind], 0) * sheet.loops + flops_of_terms(sheet.ends, tokens, true)
  );
};

/**
 * FLOPs of one training token, forth and back, attention counted causally; nothing recomputed.
 * @param {Sheet} sheet
 * @param {number} sequence
 * @param {number} lora_rank
 * @returns {number}
 */
export const training_flops = (sheet, sequence, lora_rank) => {
  const head = flops_of_terms(sheet.ends, sequence, true);
  const further =
    sheet.mtp.reduce((sum, kind) => sum + flops_of_terms(sheet.kinds[kind].work, sequence, true), 0) +
    head * sheet.further;
  const found = (FORTH_AND_BACK * (model_flops(sheet, sequence) + further)) / sequence;
  return lora_rank ? found - weight_flops(sheet) + FORTH_AND_BACK * lora_flops(sheet, lora_rank) : found;
};

/**
 * FLOPs of one token whatever its context: the products of the weights.
 * @param {Sheet} sheet
 * @returns {number}
 */
export const weight_flops = (sheet) =>
  sum_layers(sheet, (kind) => kind.work.token) + sheet.ends.token * (1 + sheet.further);

/**
 * FLOPs of one token going forth through all adapters.
 * @param {Sheet} sheet
 * @param {number} rank
 * @returns {number}
 */
export const lora_flops = (sheet, rank) => sum_layers(sheet, (kind) => lora.adapter_flops(kind, rank)[0]);

/**
 * A sum over all layers, those for further tokens too.
 * @param {Sheet} sheet
 * @param {(kind: Kind) => number} each
 * @returns {number}
 */
const sum_layers = ({ kinds, layers, loops, mtp }, each) => {
  const found = kinds.map(each);
  /** @param {number[]} list */
  const sum = (list) => list.reduce((total, kind) => total + found[kind], 0);
  return sum(layers) * loops + sum(mtp);
};

/**
 * Going forth through a layer of each kind, uncut: a sequence, or (decode) the next token of one.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @returns {number[]}
 */
export const kind_flops = (sheet, one) => {
  const prefill = one.job !== "decode";
  const tokens = prefill ? one.sequence : one.context;
  return sheet.kinds.map((kind) => {
    const terms = lora.adapted_work(kind, one.lora_rank);
    return (flops_of_terms(terms, tokens, prefill) + imbalance_flops(terms, prefill ? tokens : 1, one)) * sheet.loops;
  });
};

/**
 * What the busiest expert rank does more than the others, which wait for it.
 * @param {Terms} terms
 * @param {number} tokens
 * @param {Layout} one
 * @returns {number}
 */
export const imbalance_flops = (terms, tokens, { ep, imbalance }) =>
  ep > 1 ? (imbalance - 1) * (terms.experts * tokens) : 0;

/**
 * The head's; prefill needs it for the last token of a prompt alone.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @returns {number}
 */
export const head_flops = (sheet, one) =>
  flops_of_terms(sheet.ends, one.job === "decode" ? one.context : one.sequence, one.job === "train") * (1 + one.mtp);

/**
 * [of a layer of each kind, of the head] FLOPs of a sequence that frozen weights spare: a product for their gradients.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @returns {[each: number[], head: number]}
 */
export const frozen_flops = (sheet, one) => {
  if (!one.lora_rank) return [sheet.kinds.map(() => 0), 0];
  const tokens = one.sequence;
  return [
    sheet.kinds.map(({ work }) => (work.token * tokens + imbalance_flops(work, tokens, one)) * sheet.loops),
    sheet.ends.token * tokens * (1 + one.mtp),
  ];
};

/**
 * Going forth: FLOPs of one rank of each stage for one sequence, or (decode) for the next token of one.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @param {boolean} [head]
 * @returns {number[]}
 */
export const stage_flops = (sheet, one, head = true) =>
  sum_stages(sheet, one, [kind_flops(sheet, one), head ? head_flops(sheet, one) : 0]);

/**
 * What frozen weights spare one rank of each stage for one sequence.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @returns {number[]}
 */
export const spared_flops = (sheet, one) => sum_stages(sheet, one, frozen_flops(sheet, one));

/**
 * FLOPs of a layer of each kind and of the head -> of one rank of each stage.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @param {[each: number[], head: number]} flops
 * @returns {number[]}
 */
const sum_stages = (sheet, one, [each, head]) => {
  const found = stages
    .of(sheet.layers.length, one)
    .map((own, stage) =>
      [...stages.count_on_stage(sheet, one, stage, own)].reduce((total, [kind, many]) => total + many * each[kind], 0),
    );
  for (const last of stages.last_stages(one)) found[last] += head;
  return found.map((flops) => flops / (one.tp * one.cp * one.copies));
};
