/* GGUF's Q4_K, whose sub-blocks search for scale and minimum, by ggml's own steps: q4_k of super_blocks.py again. */
import { clip, empty, f32, rint, round, WHOLE } from "./float32.js";

/** @import { Coded, Facts, Made } from "./float32.js" */

const MOST = 256; // numbers of a sub-block, at most
const [weight, tried] = /* @__PURE__ */ [new Float32Array(MOST), new Float32Array(MOST)];
const SURE = 1e-3; // of an error, and
const NOISE = 1e-7; // of the squares: more than float32 rounds away in 32 terms, so a try that loses by more has lost

/**
 * The codes of a grid, into `tried`. Returns a bound below their error, whatever the scale and the minimum: the least of all, in
 * doubles. Where it exceeds the best error so far, ggml's own float32 sums find no better one, and need not be made.
 * @param {Float32Array} x @param {number} low @param {number} inverse @param {number} top
 * @param {{ w: number, x: number, x2: number }} sums of the weights, of weights times x and times its square
 */
const on_grid = (x, low, inverse, top, sums) => {
  let sum_l = 0;
  let sum_l2 = 0;
  let sum_xl = 0;
  for (let i = 0; i < x.length; i += 1) {
    const y = f32(inverse * f32(x[i] - low));
    const l = y > 0 ? Math.min(y + WHOLE - WHOLE, top) : 0; // the nearest whole number, ties to even
    const weighed = weight[i] * l;
    tried[i] = l;
    sum_l += weighed;
    sum_l2 += weighed * l;
    sum_xl += weighed * x[i];
  }
  const divisor = sums.w * sum_l2 - sum_l * sum_l;
  if (!(divisor > 1e-6 * sums.w * sum_l2)) return 0;
  const fitted = (sum_l2 * sums.x * sums.x - 2 * sum_l * sums.x * sum_xl + sums.w * sum_xl * sum_xl) / divisor;
  return (sums.x2 - fitted) * (1 - SURE) - sums.x2 * NOISE;
};

/** The weighted squared error of the codes in `tried`; at `most` it is large enough. @param {Float32Array} x @param {number} scale @param {number} low @param {number} most */
const error_of = (x, scale, low, most) => {
  let total = 0;
  for (let i = 0; i < x.length && !(total >= most); i += 1) {
    const off = f32(f32(f32(scale * tried[i]) + low) - x[i]);
    total = f32(total + f32(weight[i] * f32(off * off)));
  }
  return total;
};

/**
 * A sub-block -> scale, how far the minimum lies below 0, codes: make_qkx2_quants.
 * @param {Float32Array} x
 * @param {Facts} facts
 */
const search_between = (x, { top, tries, first, step }) => {
  const n = x.length;
  let [low, high, squares, sum_w, sum_x] = [0, x[0], 0, 0, 0];
  for (let i = 0; i < n; i += 1) {
    low = Math.min(low, x[i]);
    high = Math.max(high, x[i]);
    squares = f32(squares + f32(x[i] * x[i]));
  }
  const spread = f32(Math.sqrt(f32(squares / n)));
  const sums = { w: 0, x: 0, x2: 0 }; // in doubles
  for (let i = 0; i < n; i += 1) {
    const w = f32(spread + Math.abs(x[i]));
    weight[i] = w;
    sum_w = f32(sum_w + w);
    sum_x = f32(sum_x + f32(w * x[i]));
    sums.w += w;
    sums.x += w * x[i];
    sums.x2 += w * x[i] * x[i];
  }
  if (high === low) return { scale: 0, low: -low, codes: new Uint8Array(n) };
  const widest = f32(top / f32(high - low));
  let scale = f32(1 / widest);
  on_grid(x, low, widest, top, sums);
  const codes = new Uint8Array(n);
  for (let i = 0; i < n; i += 1) codes[i] = tried[i];
  let best = error_of(x, scale, low, Infinity);
  for (let k = 0; k < tries; k += 1) {
    const inverse = f32(f32(f32(f32(first) + f32(f32(step) * k)) + top) / f32(high - low));
    if (on_grid(x, low, inverse, top, sums) > best) continue;
    let sum_l = 0;
    let sum_l2 = 0;
    let sum_xl = 0;
    for (let i = 0; i < n; i += 1) {
      const weighed = f32(weight[i] * tried[i]);
      sum_l = f32(sum_l + weighed);
      sum_l2 = f32(sum_l2 + f32(weighed * tried[i]));
      sum_xl = f32(sum_xl + f32(weighed * x[i]));
    }
    const divisor = f32(f32(sum_w * sum_l2) - f32(sum_l * sum_l));
    if (!(divisor > 0)) continue;
    let new_scale = f32(f32(f32(sum_w * sum_xl) - f32(sum_x * sum_l)) / divisor);
    let new_low = f32(f32(f32(sum_l2 * sum_x) - f32(sum_l * sum_xl)) / divisor);
    if (new_low > 0) {
      new_scale = f32(sum_xl / sum_l2);
      new_low = 0;
    }
    const found = error_of(x, new_scale, new_low, best);
    if (!(found < best)) continue;
    best = found;
    scale = new_scale;
    low = new_low;
    for (let i = 0; i < n; i += 1) codes[i] = tried[i];
  }
  return { scale, low: -low, codes };
};

/** Eight sub-blocks: 6-bit scales and minimums under FP16 d and dmin. @param {Float32Array} x @param {Coded} row @returns {Made} */
export const q4_k = (x, { facts, scale_format }) => {
  const { sub, top, scale_top: most } = facts;
  const parts = Array.from({ length: x.length / sub }, (_, k) => x.subarray(k * sub, k * sub + sub));
  const found = parts.map((part) => search_between(part, facts));
  /** @param {number[]} numbers */
  const six_bits = (numbers) => {
    const largest = Math.max(0, ...numbers);
    const inverse = largest > 0 ? f32(most / largest) : 0;
    const codes = numbers.map((v) => Math.min(rint(f32(inverse * v)), most) + 0);
    return { codes, unit: round(f32(largest / most), scale_format) };
  };
  const [scales, lows] = [six_bits(found.map((one) => one.scale)), six_bits(found.map((one) => one.low))];
  const out = empty(
    x.length,
    scales.codes.map((c) => f32(scales.unit * c)),
    scales.codes,
  );
  parts.forEach((part, k) => {
    const [scale, low] = [out.scales[k], f32(lows.unit * lows.codes[k])];
    for (let j = 0; j < part.length; j += 1) {
      const i = k * sub + j;
      const nearest = scale ? rint(f32(f32(part[j] + low) / scale)) : found[k].codes[j];
      const kept = clip(nearest, 0, top);
      out.codes[i] = kept;
      out.elements[i] = kept;
      out.values[i] = f32(f32(kept * scale) - low);
      out.clipped[i] = nearest < 0 || nearest > top ? 1 : 0;
    }
  });
  return Object.assign(out, { zeros: lows.codes, second: [scales.unit, lows.unit] });
};
