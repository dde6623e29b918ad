/* Blocks of float32 -> scale, codes, values: codec.py again, by other means. What a scheme is stands in its row, which Python
   sends; a row's kind names the function that quantizes it. */
import { amax_of, bits32, clip, code, exponent, f32, pow2, round, zeros } from "./float32.js";
import { around_zero, between_ends, nf4, q4_0 } from "./grids.js";

/** @import { Coded, Elements, Facts, Format, Made, Row } from "./float32.js" */

/** A block under one scale. Its codes and what was clipped are worked out when they are asked for: a whole matrix needs neither. */
class Scaled {
  /** @param {Float32Array} x @param {Format} format @param {number} scale @param {number} scale_code @param {number} limit */
  constructor(x, format, scale, scale_code, limit) {
    this.x = x;
    this.format = format;
    this.limit = limit;
    this.elements = zeros(x.length);
    this.values = zeros(x.length);
    this.scales = [scale];
    this.scale_codes = [scale_code];
    /** @type {number[] | null} */
    this.zeros = null;
    /** @type {number[]} */
    this.second = [];
    this.by = scale;
  }
  get codes() {
    return Uint8Array.from(this.elements, (v) => code(v, this.format));
  }
  get clipped() {
    return Uint8Array.from(this.x, (v) => (Math.abs(f32(v / this.by)) > this.limit ? 1 : 0)); // none where the scale is NaN
  }
}

/** @param {{ kind: string }} row */
const is_mx = (row) => row.kind === "mx";

/** @param {number} y @param {Elements} f */
const as_gguf = (y, { sizes }) => {
  // the smaller magnitude at a tie, and no -0
  const size = sizes.findLast((v, i) => i === 0 || Math.abs(y) > (sizes[i - 1] + v) / 2) ?? 0;
  return y < 0 && size ? -size : size;
};
/**
 * @template {Format} F
 * @param {Float32Array} x
 * @param {F} f
 * @param {number} scale
 * @param {number} scale_code
 * @param {number} limit
 * @param {(y: number, f: F) => number} nearest
 * @returns {Made}
 */
const scaled = (x, f, scale, scale_code, limit, nearest) => {
  const lost = Number.isNaN(scale);
  const made = new Scaled(x, f, scale, scale_code, limit);
  for (let i = 0; i < x.length; i += 1) {
    const near = nearest(lost ? 0 : f32(x[i] / scale), f);
    made.elements[i] = near;
    made.values[i] = f32(near * scale);
  }
  return made;
};

/** @param {Format} f @param {number} amax @param {string} rule */
const mx_exponent = (f, amax, rule) => {
  const wanted = rule === "rceil" ? f32(amax / f.largest) : amax;
  if (wanted === 0) return -127;
  const e = exponent(wanted);
  const m = wanted / pow2(e);
  /** @type {{ [rule: string]: boolean }} */
  const up = { floor: false, ceil: m > 1, rceil: m > 1, even: m >= 2 - pow2(-(f.mantissa_bits + 1)) };
  return clip(e + (up[rule] ? 1 : 0) - (rule === "rceil" ? 0 : f.emax), -127, 127);
};
/**
 * @param {Float32Array} x
 * @param {Elements} f
 * @param {string} rule
 * @param {(y: number, f: Elements) => number} nearest
 */
const mx = (x, f, rule, nearest) => {
  const amax = amax_of(x);
  if (Number.isNaN(amax)) return scaled(x, f, NaN, 255, f.largest, round); // one NaN makes the scale NaN, and so the block
  const e = mx_exponent(f, amax, rule);
  return scaled(x, f, pow2(e), e + 127, f.largest, nearest);
};

/** The FP32 scale of the tensor, where a scheme has one; else 0. @param {number} tensor_amax @param {Facts} facts */
const tensor_scale = (tensor_amax, facts) => (facts.reach ? f32(f32(tensor_amax) / facts.reach) : 0);
/** @param {Float32Array} x @param {number} tensor_amax @param {Coded} row */
const nvfp4 = (x, tensor_amax, { format, scale_format, facts }) => {
  const tensor = tensor_scale(tensor_amax, facts);
  const block = f32(amax_of(x) / f32(format.largest * tensor)) || facts.empty;
  const stored = round(clip(block, facts.least, facts.ceiling), scale_format);
  return scaled(x, format, f32(stored * tensor), code(stored, scale_format), format.largest, round);
};
/** @param {Float32Array} x @param {Coded} row */
const fp8 = (x, { format, facts }) => {
  if (facts.power) {
    const e = mx_exponent(format, amax_of(x), "rceil");
    return scaled(x, format, pow2(e), e + 127, f32(facts.beyond), round);
  }
  const scale = f32(amax_of(x) / format.largest) || facts.empty;
  return scaled(x, format, scale, bits32(scale), f32(facts.beyond), round);
};

/**
 * searched.js adds what a single file leaves out.
 * @type {{ [kind: string]: (x: Float32Array, row: Coded, ...more: any[]) => Made }}
 */
const kinds = { fp8, between_ends, around_zero, q4_0, nf4 };
/**
 * @param {Row} given
 * @param {Float32Array} x
 * @param {string} rule
 * @param {number} tensor_amax
 * @param {{ [name: string]: number[] }} books tables of numbers that codes look up
 * @param {boolean} gguf whether GGUF writes it
 * @returns {Made}
 */
const quantize = (given, x, rule, tensor_amax, books, gguf) => {
  const row = /** @type {Coded} */ (/** @type {unknown} */ (given));
  if (is_mx(given)) return mx(x, row.format, rule, gguf ? as_gguf : round);
  if (given.kind === "nvfp4") return nvfp4(x, tensor_amax, row);
  return kinds[given.kind](x, row, ...given.books.map((name) => books[name]), tensor_amax);
};

export const codec = { quantize, kinds, scaled, tensor_scale, is_mx, exponent, pow2 };
