/* Blocks of float32 -> scale, codes, values: codec.py again, by other means. Numbers here are doubles that hold float32
   values; every operation is followed by f32(), which rounds once, exactly as float32 hardware does. */
import { roundEven } from "../kit/arrays.js";

/** @import { Data } from "../../.make/data_types/blocks.d.ts" */

/** A scheme. @typedef {Data["schemes"][number]} Row */
/** A format of floats. @typedef {{ bits: number, mantissa_bits: number, emin: number, emax: number, largest: number }} Format */
/** A format of elements, with the sizes of its numbers where they are few. @typedef {Format & { sizes: number[] }} Elements */
/** A scheme that has a format of what is asked for. @typedef {{ format: Elements, scale_format: Format }} Coded */

/**
 * A block as it is kept and as it comes back; `zero` is the code of a zero point.
 * @typedef {{
 *   zero: number | null, codes: Uint8Array, elements: Float64Array, values: Float64Array, clipped: Uint8Array,
 *   scale: number, scale_code: number,
 * }} Made
 */

export const codec = /* @__PURE__ */ (() => {
  const f32 = Math.fround;
  const view = new DataView(new ArrayBuffer(8));
  /** @param {number} x */
  const exponent = (x) => {
    // floor(log2 x) of a positive double
    view.setFloat64(0, x);
    return ((view.getUint32(0) >>> 20) & 0x7ff) - 1023;
  };
  /** @param {number} e */
  const pow2 = (e) => {
    view.setUint32(0, (e + 1023) << 20);
    view.setUint32(4, 0);
    return view.getFloat64(0);
  };
  /** @param {number} x */
  const bits32 = (x) => {
    view.setFloat32(0, x);
    return view.getUint32(0);
  };
  /** @param {number} x */
  const negative = (x) => x < 0 || Object.is(x, -0);
  /** @param {number} x @returns {number} */
  const even = (x) => roundEven(Math.floor(x), x - Math.floor(x), 1); // of a non-negative number
  /** @param {number} x */
  const rint = (x) => (negative(x) ? -even(-x) : even(x));
  /** @param {number} x @param {number} low @param {number} high */
  const clip = (x, low, high) => Math.min(Math.max(x, low), high);

  /** @param {string} scheme */
  const is_mx = (scheme) => scheme.startsWith("mx");

  /** @param {number} y @param {Format} f */
  const round = (y, f) => {
    // nearest number of a format, ties to even, saturating
    const a = Math.min(Math.abs(y), f.largest);
    const step = pow2(Math.max(a === 0 ? f.emin : exponent(a), f.emin) - f.mantissa_bits);
    const near = even(a / step) * step;
    return negative(y) ? -near : near;
  };
  /** @param {number} v @param {Format} f */
  const code = (v, f) => {
    // the bits of a number the format has
    const a = Math.abs(v);
    const sign = negative(v) ? 2 ** (f.bits - 1) : 0;
    if (a < pow2(f.emin)) return sign + a / pow2(f.emin - f.mantissa_bits);
    const e = exponent(a);
    return sign + (e - f.emin + a / pow2(e)) * 2 ** f.mantissa_bits;
  };

  /** @param {Float32Array} x */
  const amax_of = (x) => {
    let most = 0;
    for (let i = 0; i < x.length; i += 1) most = Math.max(most, Math.abs(x[i]));
    return most;
  };
  /** @param {number} n @returns {Omit<Made, "scale" | "scale_code">} */
  const empty = (n) => ({
    zero: null,
    codes: new Uint8Array(n),
    elements: new Float64Array(n),
    values: new Float64Array(n),
    clipped: new Uint8Array(n),
  });

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
    const out = Object.assign(empty(x.length), { scale, scale_code });
    for (let i = 0; i < x.length; i += 1) {
      const y = Number.isNaN(scale) ? 0 : f32(x[i] / scale);
      const near = nearest(y, f);
      out.codes[i] = code(near, f);
      out.elements[i] = near;
      out.values[i] = f32(near * scale);
      out.clipped[i] = Math.abs(y) > limit ? 1 : 0;
    }
    return out;
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

  /** @param {number} tensor_amax */
  const tensor_scale = (tensor_amax) => f32(f32(tensor_amax) / 2688);
  /** @param {Float32Array} x @param {number} tensor_amax @param {Coded} row */
  const nvfp4 = (x, tensor_amax, { format, scale_format }) => {
    const tensor = tensor_scale(tensor_amax);
    const block = f32(amax_of(x) / f32(6 * tensor)) || 1;
    const stored = round(clip(block, pow2(-9), 448), scale_format);
    return scaled(x, format, f32(stored * tensor), code(stored, scale_format), 6, round);
  };

  /** @param {Float32Array} x @param {Format} format @param {boolean} power_of_two */
  const fp8 = (x, format, power_of_two) => {
    if (power_of_two) {
      const e = mx_exponent(format, amax_of(x), "rceil");
      return scaled(x, format, pow2(e), e + 127, f32(448.001), round);
    }
    const scale = f32(amax_of(x) / 448) || pow2(-23);
    return scaled(x, format, scale, bits32(scale), f32(448.001), round);
  };

  /**
   * @param {Float32Array} x
   * @param {number} scale
   * @param {number} scale_code
   * @param {number} zero
   * @returns {Made}
   */
  const int4 = (x, scale, scale_code, zero) => {
    const out = Object.assign(empty(x.length), { scale, scale_code, zero: zero + 8 });
    const [low, high] = [f32(-8.001), f32(7.001)];
    for (let i = 0; i < x.length; i += 1) {
      const y = f32(f32(x[i] / scale) + zero);
      const q = rint(clip(y, -8, 7));
      out.codes[i] = q + 8;
      out.elements[i] = q - zero;
      out.values[i] = f32((q - zero) * scale);
      out.clipped[i] = y < low || y > high ? 1 : 0;
    }
    return out;
  };
  /** @param {Float32Array} x @param {Coded} row */
  const int4_asymmetric = (x, { scale_format }) => {
    let [low, high] = [0, 0];
    for (let i = 0; i < x.length; i += 1) {
      low = Math.min(low, x[i]);
      high = Math.max(high, x[i]);
    }
    const step = f32(f32(high - low) / 15);
    const zero = step === 0 ? -8 : rint(clip(f32(-8 - f32(low / step)), -8, 7));
    const stored = round(step, scale_format) || pow2(-10);
    return int4(x, stored, code(stored, scale_format), zero);
  };
  /** @param {Float32Array} x @param {Coded} row @returns {Made} */
  const int4_symmetric = (x, { scale_format }) => {
    const stored = round(f32(amax_of(x) / 7.5), scale_format) || pow2(-7);
    return Object.assign(int4(x, stored, code(stored, scale_format), 0), { zero: null });
  };

  /** @param {Float32Array} x @param {Coded} row @returns {Made} */
  const q4_0 = (x, { scale_format }) => {
    let peak = x[0];
    for (let i = 1; i < x.length; i += 1) if (Math.abs(x[i]) > Math.abs(peak)) peak = x[i];
    const d = f32(peak / -8);
    const inverse = d === 0 ? 0 : f32(1 / d);
    const scale = round(d, scale_format);
    const out = Object.assign(empty(x.length), { scale, scale_code: code(scale, scale_format) });
    for (let i = 0; i < x.length; i += 1) {
      const y = f32(f32(x[i] * inverse) + 8.5);
      out.codes[i] = Math.min(Math.trunc(y), 15);
      out.elements[i] = out.codes[i] - 8;
      out.values[i] = f32(out.elements[i] * scale);
      out.clipped[i] = y > f32(15.501) ? 1 : 0;
    }
    return out;
  };

  /** @param {Float32Array} x @param {Coded} _ @param {number[]} book @returns {Made} */
  const nf4 = (x, _, book) => {
    const absmax = amax_of(x);
    const inverse = f32(1 / Math.max(absmax, f32(1e-38)));
    const middles = book.slice(1).map((high, i) => f32(f32(book[i] + high) / 2));
    const out = Object.assign(empty(x.length), { scale: absmax, scale_code: bits32(absmax) });
    for (let i = 0; i < x.length; i += 1) {
      const y = clip(f32(x[i] * inverse), -1, 1);
      let at = 0;
      while (at < 15 && y > middles[at]) at += 1; // a tie keeps the smaller code
      out.codes[i] = at;
      out.elements[i] = book[at];
      out.values[i] = f32(book[at] * absmax);
    }
    return out;
  };

  /** @type {{ [scheme: string]: (x: Float32Array, row: Coded, book: number[]) => Made }} */
  const others = { int4_g32: int4_symmetric, nf4, q4_0 };
  /**
   * @param {Row} given
   * @param {Float32Array} x
   * @param {string} rule
   * @param {number} tensor_amax
   * @param {number[]} book the codebook of NF4
   * @param {boolean} gguf whether GGUF writes it
   * @returns {Made}
   */
  const quantize = (given, x, rule, tensor_amax, book, gguf) => {
    const { name } = given;
    const row = /** @type {Coded} */ (given);
    if (is_mx(name)) return mx(x, row.format, rule, gguf ? as_gguf : round);
    if (name === "nvfp4") return nvfp4(x, tensor_amax, row);
    if (name.startsWith("fp8_")) return fp8(x, row.format, name.endsWith("ue8m0"));
    if (name === "int4_gptq" || name === "int4_awq") return int4_asymmetric(x, row);
    return others[name](x, row, book);
  };
  return { quantize, tensor_scale, is_mx, RULES: ["floor", "ceil", "rceil", "even"], exponent, pow2 };
})();
