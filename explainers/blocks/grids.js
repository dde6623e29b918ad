/* Blocks on grids of whole numbers, and on tables: grids.py again, by other means. */
import { amax_of, bits32, clip, code, empty, f32, peak_of, rint, round } from "./float32.js";

/** @import { Coded, Made } from "./float32.js" */

/** A scale as it is stored, and its bits; a block of zeros has one, too. @param {number} scale @param {Coded} row */
const kept = (scale, { facts, scale_format: f }) => {
  const stored = (f ? round(scale, f) : scale) || facts.empty;
  return { scale: stored, scale_code: f ? code(stored, f) : bits32(stored) };
};

/**
 * @param {Float32Array} x
 * @param {{ scale: number, scale_code: number }} stored
 * @param {number} zero
 * @param {Coded} row
 */
const whole = (x, { scale, scale_code }, zero, { facts }) => {
  const { low, high, offset, slack } = facts;
  const out = empty(x.length, [scale], [scale_code]);
  const [first, last] = [f32(low - f32(slack)), f32(high + f32(slack))];
  for (let i = 0; i < x.length; i += 1) {
    const y = f32(f32(x[i] / scale) + zero);
    const q = rint(clip(y, low, high));
    out.codes[i] = q + offset;
    out.elements[i] = q - zero;
    out.values[i] = f32((q - zero) * scale);
    out.clipped[i] = y < first || y > last ? 1 : 0;
  }
  return out;
};

/** Groups between their own minimum and maximum. @param {Float32Array} x @param {Coded} row @returns {Made} */
export const between_ends = (x, row) => {
  const { low: bottom, high: top, offset } = row.facts;
  const [low, high] = [Math.min(0, ...x), Math.max(0, ...x)];
  const step = f32(f32(high - low) / (top - bottom));
  const zero = step === 0 ? bottom : rint(clip(f32(bottom - f32(low / step)), bottom, top));
  return Object.assign(whole(x, kept(step, row), zero, row), { zeros: [zero + offset] });
};

/** Groups around zero: half of all steps on either side. @param {Float32Array} x @param {Coded} row @returns {Made} */
export const around_zero = (x, row) => whole(x, kept(f32(amax_of(x) / row.facts.half), row), 0, row);

/** GGUF: the largest magnitude, with its sign, becomes -8. @param {Float32Array} x @param {Coded} row @returns {Made} */
export const q4_0 = (x, { facts, scale_format }) => {
  const d = f32(peak_of(x) / facts.peak);
  const inverse = d === 0 ? 0 : f32(1 / d);
  const scale = round(d, scale_format);
  const out = empty(x.length, [scale], [code(scale, scale_format)]);
  for (let i = 0; i < x.length; i += 1) {
    const y = f32(f32(x[i] * inverse) + facts.plus);
    out.codes[i] = Math.min(Math.trunc(y), facts.top);
    out.elements[i] = out.codes[i] + facts.peak;
    out.values[i] = f32(out.elements[i] * scale);
    out.clipped[i] = y > f32(facts.beyond) ? 1 : 0;
  }
  return out;
};

/**
 * Codes of a grid that stands anywhere: `place` says where a number falls, `back` what a code gives.
 * @param {Float32Array} x
 * @param {{ scale: number, second: number, top: number }} grid
 * @param {(v: number) => number} place
 * @param {(q: number) => [element: number, value: number]} back
 * @returns {Made}
 */
const placed = (x, { scale, second, top }, place, back) => {
  const out = empty(x.length, [scale], [bits32(scale)]);
  for (let i = 0; i < x.length; i += 1) {
    const nearest = rint(place(x[i]));
    out.codes[i] = clip(nearest, 0, top);
    [out.elements[i], out.values[i]] = back(out.codes[i]);
    out.clipped[i] = nearest < 0 || nearest > top ? 1 : 0;
  }
  return Object.assign(out, { second: [second] });
};

/** MLX: a scale and a bias, so that the farther end and zero stand on the grid. @param {Float32Array} x @param {Coded} row */
export const mlx = (x, { facts: { top, empty: least } }) => {
  const [low, high] = [Math.min(...x), Math.max(...x)];
  const below = Math.abs(low) > Math.abs(high);
  const size = Math.max(f32(f32(high - low) / top), f32(least));
  const [step, end] = below ? [size, low] : [-size, high];
  const first = rint(f32(end / step));
  const [scale, bias] = first === 0 ? [step, 0] : [f32(end / first), end];
  const place = (/** @type {number} */ v) => f32(f32(v - bias) / scale);
  return placed(x, { scale, second: bias, top }, place, (q) => [q, f32(f32(q * scale) + bias)]);
};

/** HQQ before its optimizer: a zero point that need not be whole. @param {Float32Array} x @param {Coded} row */
export const hqq = (x, { facts: { top, flat, most } }) => {
  const [low, high] = [Math.min(...x), Math.max(...x)];
  const width = f32(high - low);
  const inverse = width <= f32(flat) ? 1 : Math.min(f32(f32(1 / width) * top), most);
  const [scale, zero] = [f32(1 / inverse), f32(-low * inverse)];
  const place = (/** @type {number} */ v) => f32(f32(v * inverse) + zero);
  const back = (/** @type {number} */ q) => /** @type {[number, number]} */ ([f32(q - zero), f32(f32(q - zero) * scale)]);
  return placed(x, { scale, second: zero, top }, place, back);
};

/** bitsandbytes: divide by the largest magnitude, take the nearest entry; a tie keeps the smaller code. @param {number[]} table */
const lookup = (table) => {
  const middles = table.slice(1).map((high, i) => f32(f32(table[i] + high) / 2));
  /** @param {number} x @param {number} absmax @param {number} least */
  return (x, absmax, least) => {
    const y = clip(f32(x * f32(1 / Math.max(absmax, f32(least)))), -1, 1);
    let [low, high] = [0, middles.length]; // how many middles lie below y
    while (low < high) {
      const at = (low + high) >> 1;
      if (middles[at] < y) low = at + 1;
      else high = at;
    }
    return low;
  };
};

/** 64 indices into a table under the largest magnitude. @param {Float32Array} x @param {Coded} row @param {number[]} table @returns {Made} */
export const nf4 = (x, { facts }, table) => {
  const absmax = amax_of(x);
  const nearest = lookup(table);
  const out = empty(x.length, [absmax], [bits32(absmax)]);
  x.forEach((v, i) => {
    out.codes[i] = nearest(v, absmax, facts.empty);
    out.elements[i] = table[out.codes[i]];
    out.values[i] = f32(out.elements[i] * absmax);
  });
  return out;
};

/**
 * NF4 whose scales, less their mean, are quantized in turn.
 * @param {Float32Array} x
 * @param {Coded} row
 * @param {number[]} table
 * @param {number[]} second
 * @returns {Made}
 */
export const nf4_nested = (x, { facts: { sub, empty: least } }, table, second) => {
  const absmax = Array.from({ length: x.length / sub }, (_, k) => amax_of(x.subarray(k * sub, k * sub + sub)));
  const mean = f32(absmax.reduce((sum, v) => sum + v, 0) / absmax.length);
  const less = absmax.map((v) => f32(v - mean));
  const most = Math.max(...less.map(Math.abs));
  const [nearest, of_scale] = [lookup(table), lookup(second)];
  const scale_codes = less.map((v) => of_scale(v, most, least));
  const scales = scale_codes.map((c) => f32(f32(second[c] * most) + mean));
  const out = Object.assign(empty(x.length, scales, scale_codes), { second: [mean, most] });
  x.forEach((v, i) => {
    const k = Math.floor(i / sub);
    out.codes[i] = nearest(v, absmax[k], least);
    out.elements[i] = table[out.codes[i]];
    out.values[i] = f32(out.elements[i] * scales[k]);
  });
  return out;
};
