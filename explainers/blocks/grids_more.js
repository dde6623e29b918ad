/* Grids and tables that a single file leaves out: MLX, HQQ, NF4 with its scales quantized in turn. grids.py has them, too. */
import { amax_of, bits32, clip, empty, f32, rint } from "./float32.js";
import { lookup } from "./grids.js";

/** @import { Coded, Made } from "./float32.js" */

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
  const back = (/** @type {number} */ q) =>
    /** @type {[number, number]} */ ([f32(q - zero), f32(f32(q - zero) * scale)]);
  return placed(x, { scale, second: zero, top }, place, back);
};

/** bitsandbytes' table for scales of scales: gallery/formats/codebooks.py, whose rows are too many to send. */
export const dynamic8 = () => {
  const [first, last, found] = [f32(0.1), 1, [0, 1]];
  for (let i = 0; i < 7; i += 1) {
    const n = 2 ** i;
    const step = f32(f32(last - first) / n);
    const end = (/** @type {number} */ k) => f32(k < (n + 1) >> 1 ? first + step * k : last - step * (n - k));
    for (let k = 0; k < n; k += 1) {
      const entry = f32(f32(10 ** (i - 6)) * f32(f32(end(k) + end(k + 1)) / 2));
      found.push(entry, -entry);
    }
  }
  return found.sort((a, b) => a - b);
};

/**
 * NF4 whose scales, less their mean, are quantized in turn.
 * @param {Float32Array} x
 * @param {Coded} row
 * @param {number[]} table
 * @returns {Made}
 */
export const nf4_nested = (x, { facts: { sub, empty: least } }, table) => {
  const second = dynamic8();
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
