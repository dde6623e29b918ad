/* GGUF's blocks that search for their scale, by ggml's own steps: super_blocks.py again, by other means; Q4_K is in q4_k.js. */
import { added, amax_of, clip, code, empty, exponent, f32, peak_of, pow2, rint, round } from "./float32.js";

/** @import { Coded, Facts, Made } from "./float32.js" */

/** A sub-block -> scale, codes: make_qx_quants, which weighs each number by its square. @param {Float32Array} x @param {Facts} facts */
const search_around = (x, { half, tries, step, empty: least }) => {
  const peak = peak_of(x);
  if (Math.abs(peak) < f32(least)) return { scale: 0, codes: Array.from(x, () => 0) };
  const weight = Array.from(x, (v) => f32(v * v));
  /** @param {number} inverse */
  const fitted = (inverse) => {
    const q = Array.from(x, (v) => clip(rint(f32(inverse * v)), -half, half - 1));
    const sum_xl = added(x.length, (i) => f32(f32(weight[i] * x[i]) * q[i]));
    return { q, sum_xl, sum_l2: added(x.length, (i) => f32(f32(weight[i] * q[i]) * q[i])) };
  };
  let { q, sum_xl, sum_l2 } = fitted(f32(-half / peak));
  let scale = sum_l2 ? f32(sum_xl / sum_l2) : 0;
  let best = f32(scale * sum_xl);
  for (let k = -tries; k <= tries; k += 1) {
    if (k === 0) continue;
    const tried = fitted(f32(-f32(half + f32(f32(step) * k)) / peak));
    ({ sum_xl, sum_l2 } = tried);
    if (!(sum_l2 > 0 && f32(sum_xl * sum_xl) > f32(best * sum_l2))) continue;
    [scale, q] = [f32(sum_xl / sum_l2), tried.q];
    best = f32(scale * sum_xl);
  }
  return { scale, codes: q.map((l) => l + half) };
};

/** Sixteen sub-blocks: INT8 scales under an FP16 d. @param {Float32Array} x @param {Coded} row @returns {Made} */
export const q6_k = (x, { facts, scale_format }) => {
  const { sub, half, scale_half } = facts;
  const parts = Array.from({ length: x.length / sub }, (_, k) => x.subarray(k * sub, k * sub + sub));
  const found = parts.map((part) => search_around(part, facts));
  const peak = peak_of(found.map((one) => one.scale));
  const lost = Math.abs(peak) < f32(facts.empty);
  const inverse = f32(-scale_half / peak);
  const d = lost ? 0 : round(f32(1 / inverse), scale_format);
  const whole = found.map(({ scale }) => (lost ? 0 : Math.min(rint(f32(inverse * scale)), scale_half - 1) + 0));
  const out = empty(
    x.length,
    whole.map((w) => f32(d * w)),
    whole.map((w) => w & 0xff),
  );
  parts.forEach((part, k) => {
    const scale = out.scales[k];
    part.forEach((v, j) => {
      const i = k * sub + j;
      const nearest = scale ? rint(f32(v / scale)) : lost ? -half : found[k].codes[j] - half;
      out.codes[i] = clip(nearest, -half, half - 1) + half;
      out.elements[i] = out.codes[i] - half;
      out.values[i] = f32(scale * out.elements[i]);
      out.clipped[i] = scale && (nearest < -half || nearest > half - 1) ? 1 : 0;
    });
  });
  return Object.assign(out, { second: [d] });
};

/** The index of the nearest entry; of two equally near the upper one. @param {number} y @param {number[]} table */
const nearest_entry = (y, table) => {
  const last = table.length - 1;
  if (y <= table[0]) return 0;
  if (y >= table[last]) return last;
  let above = 1;
  while (table[above] <= y) above += 1;
  return f32(y - table[above - 1]) < f32(table[above] - y) ? above - 1 : above;
};

/** 32 indices into a table under an FP16 scale. @param {Float32Array} x @param {Coded} row @param {number[]} table @returns {Made} */
export const iq4_nl = (x, { facts, scale_format }, table) => {
  const peak = peak_of(x);
  let scale = 0;
  let best = 0;
  /** @param {number} inverse @param {boolean} anyway */
  const attempt = (inverse, anyway) => {
    const q = Array.from(x, (v) => table[nearest_entry(f32(inverse * v), table)]);
    const weighed = q.map((entry, i) => f32(f32(x[i] * x[i]) * entry));
    const sum_qx = added(x.length, (i) => f32(weighed[i] * x[i]));
    const sum_q2 = added(x.length, (i) => f32(weighed[i] * q[i]));
    if (!anyway && !(sum_q2 > 0 && f32(sum_qx * sum_qx) > f32(best * sum_q2))) return;
    scale = sum_q2 > 0 ? f32(sum_qx / sum_q2) : 0;
    best = f32(scale * sum_qx);
  };
  if (Math.abs(peak) >= f32(facts.empty)) {
    attempt(f32(1 / f32(-peak / table[0])), true);
    for (let k = -facts.tries; k <= facts.tries; k += 1) attempt(f32((k + table[0]) / peak), false);
  }
  const stored = round(scale, scale_format);
  const inverse = scale ? f32(1 / scale) : 0;
  const out = empty(x.length, [stored], [code(stored, scale_format)]);
  const last = table.length - 1;
  const [low, high] = [table[0] - (table[1] - table[0]) / 2, table[last] + (table[last] - table[last - 1]) / 2];
  x.forEach((v, i) => {
    const y = f32(inverse * v);
    out.codes[i] = nearest_entry(y, table);
    out.elements[i] = table[out.codes[i]];
    out.values[i] = f32(stored * out.elements[i]);
    out.clipped[i] = y < low || y > high ? 1 : 0;
  });
  return out;
};

/** A number as E4M3 without a sign: halves go up, and below the smallest normal number it stays there. @param {number} x @param {Coded["scale_format"]} f */
const half_up = (x, f) => {
  const e = x === 0 ? f.emin : Math.max(exponent(x), f.emin);
  const step = pow2(e - f.mantissa_bits);
  const whole = Math.floor(f32(f32(x / step) + 0.5));
  return (x < pow2(f.emin) ? Math.min(whole, 2 ** f.mantissa_bits - 1) : whole) * step;
};

/** 64 FP4 elements, a UE4M3 scale for every 16, no scale of the tensor. @param {Float32Array} x @param {Coded} row @returns {Made} */
export const ue4m3 = (x, { facts, format, scale_format }) => {
  const { sub, most, target, beyond } = facts;
  const parts = Array.from({ length: x.length / sub }, (_, k) => x.subarray(k * sub, k * sub + sub));
  const scales = parts.map((part) => half_up(Math.min(f32(amax_of(part) / target), most), scale_format));
  const out = empty(
    x.length,
    scales,
    scales.map((v) => code(v, scale_format)),
  );
  const sizes = [...format.sizes, ...format.sizes.map((v) => -v)];
  x.forEach((v, i) => {
    const scale = scales[Math.floor(i / sub)];
    let [at, least] = [0, Infinity];
    sizes.forEach((size, c) => {
      const error = Math.abs(f32(f32(size * scale) - v));
      if (error < least) [at, least] = [c, error]; // of equals the first: the smaller magnitude, and no -0
    });
    out.codes[i] = at;
    out.elements[i] = sizes[at];
    out.values[i] = f32(sizes[at] * scale);
    out.clipped[i] = scale && Math.abs(f32(v / scale)) > beyond ? 1 : 0;
  });
  return out;
};
