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

/** GGUF: INT8 under an FP16 scale; codes are found before it is rounded, halves go away from zero. @param {Float32Array} x @param {Coded} row @returns {Made} */
export const q8_0 = (x, { facts, scale_format }) => {
  const d = f32(amax_of(x) / facts.high);
  const inverse = d === 0 ? 0 : f32(1 / d);
  const scale = round(d, scale_format);
  const out = empty(x.length, [scale], [code(scale, scale_format)]);
  for (let i = 0; i < x.length; i += 1) {
    const y = f32(x[i] * inverse);
    const size = Math.floor(Math.abs(y) + 0.5); // of doubles: the sum is exact
    out.elements[i] = y < 0 ? 0 - size : size;
    out.codes[i] = out.elements[i];
    out.values[i] = f32(out.elements[i] * scale);
  }
  return out;
};

/** bitsandbytes: divide by the largest magnitude, take the nearest entry; a tie keeps the smaller code. @param {number[]} table */
export const lookup = (table) => {
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
