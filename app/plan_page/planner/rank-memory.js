/* A sheet and a layout -> the bytes that a rank of each pipeline stage holds; the twin of gallery/planning/rank_memory.py. */

import * as engine from "./engine.js";
import * as layout from "./layout.js";
import * as lora from "./lora.js";
import * as schedules from "./schedules.js";
import * as arithmetic from "./sharding-arithmetic.js";
import * as stages from "./stages.js";

/** @import { Bits, Counts, Held, HeldFields, Kept, Kind, Layout, Piece, Pieces, Sheet } from "./types.d.ts" */

/** @type {{ [format: string]: number }} */
export const WEIGHT_BITS = { bfloat16: 16, float16: 16, fp8: 8, int8: 8, fp4: 4, int4: 4 };
export const TABLE = "model.embed_tokens.weight";

/* The columns of a piece of a sheet. */
export const NAME = 0;
export const SHAPE = 1;
export const PART = 2;
export const NUMBERS = 3;
export const BYTES = 4;
export const RULE = 5;
export const MATRIX = 6;

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
 * [[piece, how often], ...] of each stage; a tied embedding stands on the last once more, as the head.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @returns {Pieces[][]}
 */
export const per_stage = (sheet, one) => {
  /** @type {Pieces[][]} */
  const out = stages
    .of(sheet.layers.length, one)
    .map((own, stage) =>
      [...stages.count_on_stage(sheet, one, stage, own, true)].flatMap(([kind, many]) =>
        sheet.kinds[kind].pieces.map((piece) => /** @type {Pieces} */ ([piece, many])),
      ),
    );
  const firsts = stages.first_stages(one);
  for (const first of firsts)
    out[first] = [...sheet.before.map((piece) => /** @type {Pieces} */ ([piece, 1])), ...out[first]];
  for (const last of stages.last_stages(one))
    out[last].push(...sheet.after.map((piece) => /** @type {Pieces} */ ([piece, 1])));
  for (const stage of table_stages(sheet, one)) {
    if (!firsts.includes(stage))
      out[stage].push(
        ...sheet.before.filter((piece) => piece[NAME] === TABLE).map((piece) => /** @type {Pieces} */ ([piece, 1])),
      );
  }
  return out;
};

/**
 * The stages that hold the embedding's table: to look up tokens, as the head, or to look up further ones.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @returns {number[]}
 */
export const table_stages = (sheet, one) => [
  ...new Set([
    ...stages.first_stages(one),
    ...(sheet.tied ? stages.last_stages(one) : []),
    ...(one.mtp ? stages.mtp_stages(one) : []),
  ]),
];

/**
 * Numbers of that table on one rank.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @returns {number}
 */
export const table_numbers = (sheet, one) => {
  const rows = sheet.before.filter((piece) => piece[NAME] === TABLE).map((piece) => [piece[RULE], piece[NUMBERS]]);
  const [dense, routed] = rank_numbers(sheet, one, sum_by_rule(rows));
  return dense + routed;
};

/**
 * @param {number[][]} rows
 * @returns {Map<number, number>}
 */
export const sum_by_rule = (rows) => {
  /** @type {Map<number, number>} */
  const sums = new Map();
  for (const [rule, amount] of rows) sums.set(rule, (sums.get(rule) || 0) + amount);
  return sums;
};

/**
 * What a rank holds of the sums of each rule: [all but routed experts, routed experts].
 * @param {Sheet} sheet
 * @param {Layout} one
 * @param {Map<number, number>} sums
 * @param {number} [per]
 * @returns {number[]}
 */
export const rank_numbers = (sheet, one, sums, per = 1) => {
  const found = [0, 0];
  for (const [rule, total] of sums) {
    const row = sheet.rules[rule];
    found[row[0] === "experts" ? 1 : 0] += arithmetic.part_of(total, arithmetic.ratio(row, one), per);
  }
  return found;
};

/**
 * @param {Sheet} sheet
 * @param {Layout} one
 * @returns {Held[]}
 */
export const training_memory = (sheet, one) => {
  const rows = stages.of(sheet.layers.length, one);
  return per_stage(sheet, one).map((own, stage) => {
    const [numbers, experts] = rank_numbers(
      sheet,
      one,
      sum_by_rule(own.map(([piece, times]) => [piece[RULE], piece[NUMBERS] * times])),
    );
    const [adapters, theirs] = rank_numbers(sheet, one, sum_by_rule(lora.adapter_rows(one, own)));
    const dense = state_bytes(numbers, one, one.shard, adapters);
    const routed = state_bytes(experts, one, one.expert_shard, theirs);
    return make({
      stage,
      layers: rows[stage],
      weights_bytes: dense[0],
      experts_bytes: routed[0],
      gradients_bytes: dense[1] + routed[1],
      optimizer_bytes: dense[2] + routed[2],
      activations_bytes: activation_bytes(sheet, one, stage, stages.count_on_stage(sheet, one, stage, rows[stage])),
      numbers: numbers + experts,
      expert_numbers: experts,
      adapters: adapters + theirs,
      expert_adapters: theirs,
      framework_bytes: one.framework_bytes ?? 0,
    });
  });
};

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

/**
 * [[rule, bits of one entry, every, cap, fixed, most read], ...] that one sequence keeps of so many layers of each
 * kind.
 * @param {Sheet} sheet
 * @param {string} cache_dtype
 * @param {Iterable<[kind: number, many: number]>} kinds
 * @param {Bits} bits_of
 * @returns {Kept[]}
 */
export const cache_rows = (sheet, cache_dtype, kinds, bits_of) => {
  const each = bits_of[cache_dtype];
  /** @type {Kept[]} */
  const out = [];
  for (const [kind, many] of kinds) {
    for (const [, numbers, bits, packed, every, cap, fixed, rule, most] of sheet.kinds[kind].keeps) {
      out.push([rule, (packed[cache_dtype] ?? bits + numbers * each) * many * sheet.loops, every, cap, fixed, most]);
    }
  }
  return out;
};

/**
 * [[rule, dcp, bits], ...] of one sequence: what grows is cut over dcp by tokens.
 * @param {Layout} one
 * @param {Kept[]} kept
 * @param {number} context
 * @returns {[rule: number, dcp: number, bits: number][]}
 */
export const kept_sums = (one, kept, context) => {
  /** @type {Map<string, [rule: number, dcp: number, bits: number]>} */
  const sums = new Map();
  for (const [rule, bits, every, cap, fixed] of kept) {
    const dcp = fixed ? 1 : one.dcp;
    const key = `${rule} ${dcp}`;
    if (!sums.has(key)) sums.set(key, [rule, dcp, 0]);
    /** @type {number[]} */ (sums.get(key))[2] += bits * count_entries(context, every, cap, fixed);
  }
  return [...sums.values()];
};

/**
 * What one sequence keeps on one rank.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @param {Kept[]} kept
 * @param {number} context
 * @returns {number}
 */
export const cache_bytes = (sheet, one, kept, context) =>
  kept_sums(one, kept, context).reduce(
    (total, [rule, dcp, bits]) => total + arithmetic.part_of(bits, arithmetic.ratio(sheet.rules[rule], one, dcp), 8),
    0,
  );

/**
 * What pages of one size add to what one sequence keeps, as vLLM deals them out.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @param {Counts} kinds
 * @param {number} context
 * @param {number} cached bytes
 * @param {Bits} bits_of
 * @returns {number}
 */
export const padding_bytes = (sheet, one, kinds, context, cached, bits_of) => {
  const found = one.framework_bytes === null ? engine.pages(sheet, one, kinds, context, bits_of) : null;
  return found ? Math.max(found.bytes - cached, 0) : 0;
};

/**
 * The same as far as one step reads it.
 * @param {Kept[]} kept
 * @returns {Kept[]}
 */
export const read_rows = (kept) =>
  kept.map(([rule, bits, every, cap, fixed, most]) => [
    rule,
    bits,
    every,
    most === null ? cap : cap === null ? most : Math.min(cap, most),
    fixed,
    most,
  ]);

/**
 * @param {number} context
 * @param {number} every
 * @param {number | null} cap
 * @param {number} fixed
 * @returns {number}
 */
export const count_entries = (context, every, cap, fixed) => {
  if (fixed) return 1;
  const all = Math.floor(context / every);
  return cap === null ? all : Math.min(all, cap);
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
  return per_stage(sheet, one).map((own, stage) => {
    const [weights_bytes, experts_bytes] = rank_numbers(
      sheet,
      one,
      sum_by_rule(stored_bits_by_rule(sheet, one, own)),
      8,
    );
    const tables = own.filter(([piece]) => piece[PART] === "embedding" && !is_head(sheet, one, piece, stage));
    const looked = rank_numbers(sheet, one, sum_by_rule(stored_bits_by_rule(sheet, one, tables)), 8);
    const kinds = stages.count_kinds(sheet, rows[stage]);
    const kept = cache_rows(sheet, one.cache_dtype, kinds, bits_of);
    const cached = cache_bytes(sheet, one, kept, context);
    return make({
      stage,
      layers: rows[stage],
      weights_bytes,
      experts_bytes,
      lookup_bytes: looked[0] + looked[1],
      sequence_cache_bytes: cached,
      sequence_padding_bytes: padding_bytes(sheet, one, kinds, context, cached, bits_of),
      framework_bytes: engine.engine_bytes(sheet, one, lasts.includes(stage)),
      sequence_read_bytes: cache_bytes(sheet, one, read_rows(kept), context),
      sequence_fixed_bytes: cache_bytes(
        sheet,
        one,
        kept.filter(([, , , cap, fixed]) => fixed || cap !== null),
        context,
      ),
    });
  });
};

/**
 * [[rule, bits], ...]: matrices in the format that was asked for, without scales, the rest in the model's own.
 * @param {Sheet} sheet
 * @param {Pick<Layout, "weights_dtype">} one
 * @param {Pieces[]} own
 * @returns {number[][]}
 */
export const stored_bits_by_rule = (sheet, { weights_dtype: asked }, own) =>
  own.map(([piece, times]) => {
    const each = asked && piece[MATRIX] ? WEIGHT_BITS[asked] : sheet.dtype_bits;
    return [piece[RULE], times * (asked ? piece[NUMBERS] * each : 8 * piece[BYTES])];
  });

/**
 * Where head and embedding are tied, the table on the last stage is the head.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @param {Piece} piece
 * @param {number} stage
 * @returns {boolean}
 */
export const is_head = (sheet, one, piece, stage) =>
  sheet.tied && stages.last_stages(one).includes(stage) && piece[NAME] === TABLE;

/**
 * @param {Sheet} sheet
 * @param {Layout} one
 * @param {Bits} bits_of
 * @returns {Held[]}
 */
export const list_rank_memory = (sheet, one, bits_of) =>
  one.job === "train" ? training_memory(sheet, one) : serving_memory(sheet, one, bits_of);
