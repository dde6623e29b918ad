/* Float32 arithmetic on doubles that hold float32 values: f32() after an operation rounds once, as float32 hardware does.
   Also a format's nearest number and its bits. */

/** @import { Data } from "../../.make/data_types/blocks.d.ts" */

/** A scheme. @typedef {Data["schemes"][number]} Row */
/** The constants of a scheme. @typedef {{ [name: string]: number }} Facts */
/** A format of floats. @typedef {{ bits: number, mantissa_bits: number, emin: number, emax: number, largest: number, unit: number }} Format */
/** A format of elements, with the sizes of its numbers where they are few. @typedef {Format & { sizes: number[] }} Elements */
/** A scheme that has a format of what is asked for. @typedef {{ format: Elements, scale_format: Format, facts: Facts }} Coded */

/**
 * A block as it is kept and as it comes back: per sub-block a scale (most blocks are one), `zeros` the codes of zero points or
 * minimums, `second` the scales of scales and the offsets.
 * @typedef {{
 *   codes: Uint8Array, elements: Float64Array, values: Float64Array, clipped: Uint8Array,
 *   scales: number[], scale_codes: number[], zeros: number[] | null, second: number[],
 * }} Made
 */

export const f32 = Math.fround;
// One number seen as a double, as its two words (the high one at HIGH), as a float and as its bits.
const double = /* @__PURE__ */ new Float64Array(1);
const halves = /* @__PURE__ */ new Uint32Array(/* @__PURE__ */ double.buffer);
const single = /* @__PURE__ */ new Float32Array(/* @__PURE__ */ double.buffer);
const HIGH = /* @__PURE__ */ (() => {
  double[0] = 1;
  return halves[1] ? 1 : 0;
})();

/** floor(log2 x) of a positive double. @param {number} x */
export const exponent = (x) => {
  double[0] = x;
  return ((halves[HIGH] >>> 20) & 0x7ff) - 1023;
};
/** @param {number} e */
export const pow2 = (e) => {
  halves[HIGH] = (e + 1023) << 20;
  halves[1 - HIGH] = 0;
  return double[0];
};
/** @param {number} x */
export const bits32 = (x) => {
  single[0] = x;
  return halves[0];
};
/** @param {number} x */
const negative = (x) => x < 0 || Object.is(x, -0);
export const WHOLE = 2 ** 52; // a double this large has no fraction: adding it rounds, ties to even
/** The nearest whole number of a non-negative one. @param {number} x */
export const even = (x) => (x < WHOLE ? x + WHOLE - WHOLE : x);
/** The nearest whole number, ties to even. @param {number} x */
export const rint = (x) => (negative(x) ? -even(-x) : even(x));
/** @param {number} x @param {number} low @param {number} high */
export const clip = (x, low, high) => Math.min(Math.max(x, low), high);

/** The nearest number of a format, ties to even, saturating. @param {number} y @param {Format} f */
export const round = (y, f) => {
  if (f.unit) return (rint(clip(f32(y * f.unit), -2 * f.unit, 2 * f.unit - 1)) + 0) / f.unit; // an integer has no -0
  const a = Math.min(Math.abs(y), f.largest);
  const step = pow2(Math.max(a === 0 ? f.emin : exponent(a), f.emin) - f.mantissa_bits);
  const near = even(a / step) * step;
  return negative(y) ? -near : near;
};
/** The bits of a number that the format has. @param {number} v @param {Format} f */
export const code = (v, f) => {
  if (f.unit) return (v * f.unit) & 0xff;
  const a = Math.abs(v);
  const sign = negative(v) ? 2 ** (f.bits - 1) : 0;
  if (a < pow2(f.emin)) return sign + a / pow2(f.emin - f.mantissa_bits);
  const e = exponent(a);
  return sign + (e - f.emin + a / pow2(e)) * 2 ** f.mantissa_bits;
};

/** @param {Float32Array} x */
export const amax_of = (x) => {
  let most = 0;
  for (let i = 0; i < x.length; i += 1) most = Math.max(most, Math.abs(x[i]));
  return most;
};
/** The number of the largest magnitude; of equals the first. @param {ArrayLike<number>} x */
export const peak_of = (x) => {
  let peak = x[0];
  for (let i = 1; i < x.length; i += 1) if (Math.abs(x[i]) > Math.abs(peak)) peak = x[i];
  return peak;
};
/** A float32 sum, from the first number to the last. @param {number} n @param {(i: number) => number} term */
export const added = (n, term) => {
  let total = 0;
  for (let i = 0; i < n; i += 1) total = f32(total + term(i));
  return total;
};
const ROOM = 2 ** 14; // numbers that are made at once
/** @type {{ all: Float64Array | null, used: number }} */
const room = { all: null, used: ROOM };
/** Zeros. Short arrays are cut from a long one: to make an array takes a browser longer than to fill it. @param {number} n */
export const zeros = (n) => {
  if (n > ROOM / 16) return new Float64Array(n);
  if (!room.all || room.used + n > ROOM) Object.assign(room, { all: new Float64Array(ROOM), used: 0 });
  room.used += n;
  return /** @type {Float64Array} */ (room.all).subarray(room.used - n, room.used);
};
/** @param {number} n @param {number[]} scales @param {number[]} scale_codes @returns {Made} */
export const empty = (n, scales, scale_codes) => ({
  codes: new Uint8Array(n),
  elements: zeros(n),
  values: zeros(n),
  clipped: new Uint8Array(n),
  scales,
  scale_codes,
  zeros: null,
  second: [],
});
