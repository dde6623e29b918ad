/* What a serving engine holds of a GPU beside weights and cache, as measured with vLLM, and the pages of hybrids; the twin of gallery/planning/engine.py. */

import * as arithmetic from "./sharding-arithmetic.js";

/** @import { Bits, Layout, Pages, Piece, Sheet } from "./types.d.ts" */

export const LOGIT_BYTES = 39;
export const ALONE_BYTES = 930_000_000;
export const TOGETHER_BYTES = 1_380_000_000;
export const LARGE = 70 * 2 ** 30;
export const MEASURED = ["h100_sxm"];
export const BLOCK = 16;

/**
 * Sequences for which vLLM sizes a step, unless it is told.
 * @param {Pick<Layout, "device">} one
 * @returns {number}
 */
export const at_once = ({ device }) => (device.memory_bytes >= LARGE && !device.name.includes("a100") ? 1024 : 256);

/**
 * What is whole on every GPU: the process, and communicators where ranks have any.
 * @param {Layout} one
 * @returns {number}
 */
export const fixed_bytes = (one) => (one.tp * one.pp * one.ep === 1 ? ALONE_BYTES : TOGETHER_BYTES);

/**
 * Of one GPU, where nobody typed a number; last: of a stage that ends with the head. Training has no engine.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @param {boolean} last
 * @returns {number}
 */
export const engine_bytes = (sheet, one, last) => {
  if (one.framework_bytes !== null || one.job === "train") return one.framework_bytes ?? 0;
  return (last && sheet.has_head ? LOGIT_BYTES * at_once(one) * sheet.vocab_size : 0) + fixed_bytes(one);
};

/**
 * Whether the overhead was typed, or measured on such GPUs laid out so: H100, tp 1 or 2, whole copies.
 * @param {Layout} one
 * @returns {boolean}
 */
export const is_measured = (one) =>
  one.framework_bytes !== null ||
  one.job === "train" ||
  (MEASURED.includes(one.device.name) && one.tp <= 2 && one.pp === 1 && one.ep === 1 && one.dcp === 1);

/**
 * Width of a layer's convolution, of which vLLM keeps one column less than a whole window.
 * @param {Piece[]} pieces
 * @returns {number}
 */
export const kernel = (pieces) => {
  const found = pieces.find(([name, shape]) => name.includes("conv") && shape.length === 3);
  return found ? found[1][2] : 2 ** 53;
};

/**
 * What one sequence takes in pages of one size; null where nothing is padded.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @param {Iterable<[kind: number, many: number]>} kinds
 * @param {number} context
 * @param {Bits} bits_of
 * @returns {Pages | null}
 */
export const pages = (sheet, one, kinds, context, bits_of) => {
  /** @type {Map<number | null, number>} */
  const tokens = new Map(); // a window, or null for all of the context -> layers
  /** @type {Set<number>} */
  const each = new Set();
  /** @type {[bytes: number, many: number][]} */
  const states = [];
  for (const [kind, many] of kinds) {
    /** @type {Map<number | null, number>} */
    const grown = new Map();
    let state = 0;
    for (const [name, numbers, bits, packed, every, cap, fixed, rule] of sheet.kinds[kind].keeps) {
      let size = packed[one.cache_dtype] ?? bits + numbers * bits_of[one.cache_dtype];
      if (name === "conv") size -= Math.floor(size / kernel(sheet.kinds[kind].pieces));
      const held = arithmetic.part_of(size, arithmetic.ratio(sheet.rules[rule], one, fixed ? 1 : one.dcp), 8);
      if (fixed) state += held;
      else if (every > 1) return null;
      else grown.set(cap, (grown.get(cap) || 0) + held);
    }
    if (state) states.push([state, many]);
    for (const [cap, held] of grown) {
      tokens.set(cap, (tokens.get(cap) || 0) + many);
      each.add(held);
    }
  }
  if (!states.length || each.size !== 1) return null;
  const [token] = each;
  const block = BLOCK * Math.ceil(Math.max(...states.map(([bytes]) => bytes)) / (BLOCK * token));
  const counts = [...tokens.values(), states.reduce((sum, [, many]) => sum + many, 0)];
  const [most, least] = [Math.max(...counts), Math.min(...counts)];
  const group = 4 * most < 5 * least ? most : least;
  const all = Math.ceil(context / block);
  const blocks = [...tokens.keys()].map((cap) => (cap === null ? all : Math.min(Math.ceil(cap / block) + 1, all)));
  const groups = [...blocks, 1].reduce((sum, times, i) => sum + Math.ceil(counts[i] / group) * times, 0);
  return {
    tokens: block,
    page_bytes: block * token,
    layers: group,
    bytes: block * token * group * groups * sheet.loops,
  };
};
