/* A sheet and a layout -> the pieces that each pipeline stage holds, and how much of them is on one rank. */

import { BYTES, MATRIX, NAME, NUMBERS, RULE, TABLE } from "./pieces.js";
import * as arithmetic from "./sharding-arithmetic.js";
import * as stages from "./stages.js";

/** @import { Layout, Piece, Pieces, Sheet } from "./types.d.ts" */

/** @type {{ [format: string]: number }} */
export const WEIGHT_BITS = { bfloat16: 16, float16: 16, fp8: 8, int8: 8, fp4: 4, int4: 4 };

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
