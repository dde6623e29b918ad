// A growth sheet and what is chosen -> bytes, which gallery/counting/cache_growth.py counts as well; and how a model's page
// writes bytes and other numbers. Both stand in one module: the scripts of a page fetch one file for them, not two.

/** @import { CacheRow, GrowthSheet, WeighState } from "../site/types.d.ts" */

/** @typedef {Pick<WeighState, "ctx" | "batch" | "kv">} CacheState */
/** @typedef {Pick<WeighState, "gpu" | "gpus">} DeviceState */

const [KIND, NUMBERS, BITS, EVERY, CAP, FIXED, PACKED] = /** @type {const} */ ([0, 1, 2, 3, 4, 5, 6]);
/** @type {{ [dtype: string]: number }} */
const WIDTHS = { bfloat16: 16, float8_e4m3fn: 8, float4_e2m1fn: 4 };
export const DTYPES = {
  bf16: "bfloat16",
  fp8: "float8_e4m3fn",
  fp4: "float4_e2m1fn",
  packed: "fp8_ds_mla",
  v4: "fp8_bf16rope_fp4index",
};
export const STEPS = 8,
  LONGEST = 2 ** 20;
export const CONTEXTS = Array.from(
  { length: 81 },
  (_, at) => (2 ** (10 + Math.floor(at / STEPS)) * (STEPS + (at % STEPS))) / STEPS,
);
/**
 * Which of the contexts is nearest to one.
 * @param {number} context
 * @returns {number}
 */
export const nearest = (context) =>
  CONTEXTS.reduce((best, one, at) => (Math.abs(one - context) < Math.abs(CONTEXTS[best] - context) ? at : best), 0);

// ---------------------------------------------------------------- bytes

/**
 * @param {CacheRow} row
 * @param {string} dtype
 * @returns {number}
 */
const bitsOf = (row, dtype) => row[PACKED][dtype] ?? row[BITS] + row[NUMBERS] * (WIDTHS[dtype] ?? 0);
/**
 * @param {CacheRow} row
 * @param {number} context tokens
 * @returns {number}
 */
const entries = (row, context) =>
  row[FIXED]
    ? 1
    : row[CAP] === null
      ? Math.floor(context / row[EVERY])
      : Math.min(Math.floor(context / row[EVERY]), row[CAP]);
/**
 * @param {CacheRow} row
 * @returns {boolean}
 */
export const grows = (row) => !row[FIXED] && row[CAP] === null;
/**
 * @param {CacheRow} row
 * @param {number} loops
 * @param {number} context
 * @param {string} dtype
 * @returns {number}
 */
export const rowBytes = (row, loops, context, dtype) =>
  Math.ceil((bitsOf(row, dtype) * entries(row, context) * loops) / 8);

/**
 * [what grows, what does not] of one layer of a kind.
 * @param {GrowthSheet} sheet
 * @param {number} kind
 * @param {number} context
 * @param {string} dtype
 * @returns {number[]}
 */
export function layerBytes(sheet, kind, context, dtype) {
  const found = [0, 0];
  for (const row of sheet.kinds[kind][1]) found[grows(row) ? 0 : 1] += rowBytes(row, sheet.loops, context, dtype);
  return found;
}
/**
 * @param {GrowthSheet} sheet
 * @param {number} context
 * @param {string} dtype
 * @param {number} [batch]
 * @returns {number}
 */
export function keptBytes(sheet, context, dtype, batch = 1) {
  let total = 0;
  for (const [count, kept] of sheet.kinds)
    for (const row of kept) total += count * rowBytes(row, sheet.loops, context, dtype);
  return batch * total;
}
/**
 * @param {GrowthSheet} sheet
 * @param {number} context
 * @param {string} dtype
 * @param {number} [batch]
 */
export function byKind(sheet, context, dtype, batch = 1) {
  /** @type {{ [kind: string]: number }} */
  const found = {};
  for (const [count, kept] of sheet.kinds)
    for (const row of kept)
      found[row[KIND]] = (found[row[KIND]] || 0) + batch * count * rowBytes(row, sheet.loops, context, dtype);
  return found;
}
/**
 * What a further token of every sequence adds.
 * @param {GrowthSheet} sheet
 * @param {Pick<WeighState, "batch" | "kv">} state
 * @returns {number}
 */
export function slope(sheet, { batch, kv }) {
  let total = 0;
  for (const [count, kept] of sheet.kinds)
    for (const row of kept) if (grows(row)) total += (count * bitsOf(row, DTYPES[kv]) * sheet.loops) / row[EVERY];
  return (batch * total) / 8;
}
/** @param {string} dtype */
export const usualBits = (dtype) => WIDTHS[dtype] ?? 8;
/**
 * @param {GrowthSheet} sheet
 * @param {number} context
 * @param {string} dtype
 * @param {number} [batch]
 * @returns {number}
 */
export function usualBytes(sheet, context, dtype, batch = 1) {
  if (!sheet.usual) return 0;
  const [layers, heads, headDim] = sheet.usual;
  return Math.ceil((2 * layers * heads * headDim * usualBits(dtype) * context * batch) / 8);
}

/**
 * The contexts from which on the other of two models keeps more.
 * @param {GrowthSheet} a
 * @param {GrowthSheet} b
 * @param {string} dtype
 * @returns {number[]}
 */
export function crossings(a, b, dtype) {
  /** @param {number} context */
  const more = (context) => Math.sign(keptBytes(a, context, dtype) - keptBytes(b, context, dtype));
  const found = [];
  let [before, low] = [more(CONTEXTS[0]), CONTEXTS[0]];
  for (const context of CONTEXTS.slice(1)) {
    const now = more(context);
    if (now && before && now !== before) found.push(between(more, low, context, now));
    if (now) [before, low] = [now, context];
  }
  return found;
}
/**
 * @param {(context: number) => number} more
 * @param {number} low
 * @param {number} high
 * @param {number} now
 */
function between(more, low, high, now) {
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (more(middle) === now) high = middle;
    else low = middle;
  }
  return high;
}

/**
 * The next of 1, 2, 5, 10, 20, 50 ... that is no less.
 * @param {number} most
 * @returns {number}
 */
export function ceiling(most) {
  let size = 1;
  while (size * 10 < most) size *= 10;
  return size * /** @type {number} */ ([1, 2, 5, 10].find((step) => size * step >= most));
}

/**
 * Of each kind of layers [what grows, what does not] of all sequences, and the bytes at the strip's upper edge.
 * @param {GrowthSheet} sheet
 * @param {CacheState} state
 */
export function stripBytes(sheet, { ctx, batch, kv }) {
  const high = sheet.kinds.map((_, kind) => layerBytes(sheet, kind, ctx, DTYPES[kv]).map((size) => size * batch));
  return { high, top: ceiling(Math.max(1, ...high.map(([growing, still]) => growing + still))) };
}

// ---------------------------------------------------------------- in words

/** @param {string} digits */
const grouped = (digits) => digits.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
/**
 * @param {number} n
 * @returns {string}
 */
export const int = (n) => grouped(String(Math.round(n)));
/**
 * @param {number} x
 * @param {number} digits
 * @returns {string}
 */
export function fixed(x, digits) {
  const [whole, part] = x.toFixed(digits).split(".");
  return grouped(whole) + (part ? `.${part}` : "");
}
/** @type {[size: number, unit: string][]} */
const UNITS = [
  [1e15, "PB"],
  [1e12, "TB"],
  [1e9, "GB"],
  [1e6, "MB"],
  [1e3, "KB"],
];
/**
 * @param {number} n
 * @param {number} [digits]
 * @returns {string}
 */
export function inBytes(n, digits = 1) {
  const found = UNITS.find(([size]) => n >= size);
  return found ? `${fixed(n / found[0], digits)} ${found[1]}` : `${Number.isInteger(n) ? int(n) : fixed(n, 0)} B`;
}
