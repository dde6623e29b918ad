/* A sheet and a layout -> the bytes that a rank of each pipeline stage holds; the twin of gallery/planning/rank_memory.py. */

import * as activationMemory from "./activation-memory.js";
import * as cacheMemory from "./cache-memory.js";
import * as engine from "./engine.js";
import * as lora from "./lora.js";
import { NUMBERS, PART, RULE } from "./pieces.js";
import * as arithmetic from "./sharding-arithmetic.js";
import * as stageWeights from "./stage-weights.js";
import * as stages from "./stages.js";

/** @import { Bits, Held, HeldFields, Layout, Sheet } from "./types.d.ts" */

/**
 * What one rank of a stage holds; parts that the job does not have are 0.
 * @param {HeldFields} found
 * @returns {Held}
 */
export const make = (found) => {
  const one = /** @type {Held} */ ({
    gradients_bytes: 0,
    optimizer_bytes: 0,
    activations_bytes: 0,
    cache_bytes: 0,
    sequence_cache_bytes: 0,
    sequence_padding_bytes: 0,
    sequence_fixed_bytes: 0,
    sequence_read_bytes: 0,
    lookup_bytes: 0,
    numbers: 0,
    expert_numbers: 0,
    adapters: 0,
    expert_adapters: 0,
    framework_bytes: 0,
    ...found,
  });
  one.sequence_bytes = one.sequence_cache_bytes + one.sequence_padding_bytes;
  one.states_bytes = one.weights_bytes + one.experts_bytes + one.gradients_bytes + one.optimizer_bytes;
  one.before_text_bytes = one.states_bytes + one.framework_bytes;
  one.total_bytes = one.before_text_bytes + one.activations_bytes + one.cache_bytes;
  return one;
};

/**
 * How many of them have gradients: all, or the adapters alone.
 * @param {number} numbers
 * @param {number} adapters
 * @param {Pick<Layout, "lora_rank">} one
 * @returns {number}
 */
export const trained = (numbers, adapters, { lora_rank }) => (lora_rank ? adapters : numbers);

/**
 * Training: of weights, and of the adapters beside them.
 * @param {number} numbers
 * @param {number} adapters
 * @param {Pick<Layout, "weight_bytes">} one
 * @returns {number}
 */
export const held_bytes = (numbers, adapters, { weight_bytes }) => numbers * weight_bytes + adapters * lora.BYTES;

/**
 * [weights, gradients, optimizer] of so many parameters on one of the ranks that ZeRO deals them over.
 * @param {number} numbers
 * @param {Layout} one
 * @param {number} ranks
 * @param {number} adapters
 * @returns {number[]}
 */
export const state_bytes = (numbers, one, ranks, adapters) => {
  const [own, { zero }] = [trained(numbers, adapters, one), one];
  return /** @type {[bytes: number, dealt: boolean][]} */ ([
    [held_bytes(numbers, adapters, one), zero >= 3],
    [own * one.gradient_bytes, zero >= 2],
    [own * one.optimizer_bytes, zero >= 1],
  ]).map(([size, dealt]) => arithmetic.part_of(size, [1, dealt ? ranks : 1]));
};

/**
 * @param {Sheet} sheet
 * @param {Layout} one
 * @returns {Held[]}
 */
export const training_memory = (sheet, one) => {
  const rows = stages.of(sheet.layers.length, one);
  return stageWeights.per_stage(sheet, one).map((own, stage) => {
    const [numbers, experts] = stageWeights.rank_numbers(
      sheet,
      one,
      stageWeights.sum_by_rule(own.map(([piece, times]) => [piece[RULE], piece[NUMBERS] * times])),
    );
    const [adapters, theirs] = stageWeights.rank_numbers(
      sheet,
      one,
      stageWeights.sum_by_rule(lora.adapter_rows(one, own)),
    );
    const dense = state_bytes(numbers, one, one.shard, adapters);
    const routed = state_bytes(experts, one, one.expert_shard, theirs);
    return make({
      stage,
      layers: rows[stage],
      weights_bytes: dense[0],
      experts_bytes: routed[0],
      gradients_bytes: dense[1] + routed[1],
      optimizer_bytes: dense[2] + routed[2],
      activations_bytes: activationMemory.activation_bytes(
        sheet,
        one,
        stage,
        stages.count_on_stage(sheet, one, stage, rows[stage]),
      ),
      numbers: numbers + experts,
      expert_numbers: experts,
      adapters: adapters + theirs,
      expert_adapters: theirs,
      framework_bytes: one.framework_bytes ?? 0,
    });
  });
};

/**
 * @param {Sheet} sheet
 * @param {Layout} one
 * @param {Bits} bits_of
 * @returns {Held[]}
 */
export const serving_memory = (sheet, one, bits_of) => {
  const rows = stages.of(sheet.layers.length, one);
  const context = one.job === "decode" ? one.context : one.sequence;
  const lasts = stages.last_stages(one);
  return stageWeights.per_stage(sheet, one).map((own, stage) => {
    const [weights_bytes, experts_bytes] = stageWeights.rank_numbers(
      sheet,
      one,
      stageWeights.sum_by_rule(stageWeights.stored_bits_by_rule(sheet, one, own)),
      8,
    );
    const tables = own.filter(
      ([piece]) => piece[PART] === "embedding" && !stageWeights.is_head(sheet, one, piece, stage),
    );
    const looked = stageWeights.rank_numbers(
      sheet,
      one,
      stageWeights.sum_by_rule(stageWeights.stored_bits_by_rule(sheet, one, tables)),
      8,
    );
    const kinds = stages.count_kinds(sheet, rows[stage]);
    const kept = cacheMemory.cache_rows(sheet, one.cache_dtype, kinds, bits_of);
    const cached = cacheMemory.cache_bytes(sheet, one, kept, context);
    return make({
      stage,
      layers: rows[stage],
      weights_bytes,
      experts_bytes,
      lookup_bytes: looked[0] + looked[1],
      sequence_cache_bytes: cached,
      sequence_padding_bytes: cacheMemory.padding_bytes(sheet, one, kinds, context, cached, bits_of),
      framework_bytes: engine.engine_bytes(sheet, one, lasts.includes(stage)),
      sequence_read_bytes: cacheMemory.cache_bytes(sheet, one, cacheMemory.read_rows(kept), context),
      sequence_fixed_bytes: cacheMemory.cache_bytes(
        sheet,
        one,
        kept.filter(([, , , cap, fixed]) => fixed || cap !== null),
        context,
      ),
    });
  });
};

/**
 * @param {Sheet} sheet
 * @param {Layout} one
 * @param {Bits} bits_of
 * @returns {Held[]}
 */
export const list_rank_memory = (sheet, one, bits_of) =>
  one.job === "train" ? training_memory(sheet, one) : serving_memory(sheet, one, bits_of);
