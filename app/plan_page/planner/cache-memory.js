/* A sheet and a layout -> what one sequence keeps on a rank: keys and values, states, the padding of pages. */
import * as engine from "./engine.js";
import * as arithmetic from "./sharding-arithmetic.js";

/** @import { Bits, Counts, Kept, Layout, Sheet } from "./types.d.ts" */

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
