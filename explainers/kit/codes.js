/* Codes <-> numbers in the browser: exact.py again. Every value of every format is a double. */
import { roundEven } from "./arrays.js";
import { log2, POW2 } from "./fractions.js";

/** @import { Data } from "../../.make/data_types/bits.d.ts" */

/**
 * A format: its fields in bits, its bias, its special values, its table if it is one.
 * @typedef {Data["formats"][string]} Format
 */

/** @param {Format} f */
export const mantissa = (f) => 2 ** f.mantissa_bits;
/** @param {Format} f */
export const bitWidth = (f) => f.sign_bits + f.exponent_bits + f.mantissa_bits;
/** @param {Format} f */
export const signOf = (f) => (f.sign_bits ? 2 ** (bitWidth(f) - 1) : 0);
/** @param {Format} f */
export const bareExponent = (f) => f.specials === "fnu" && !f.mantissa_bits; // powers of two and nothing else (E8M0)
/** @param {Format} f */
export const largestOf = (f) => {
  const ones = 2 ** (f.exponent_bits + f.mantissa_bits) - 1;
  return { ieee: ones - mantissa(f), fn: ones - 1, fnu: ones - 1, int: mantissa(f) - 1 }[f.specials] ?? ones;
};
/** @param {Format} f @param {boolean} [negative] @returns {number} */
export const nan = (f, negative) => {
  const sign = negative ? signOf(f) : 0;
  const top = largestOf(f) + 1;
  /** @type {{ [specials: string]: number }} */
  const codes = {
    ieee: sign + top + Math.floor(mantissa(f) / 2),
    fn: sign + top,
    fnu: top,
    fnuz: signOf(f),
    finite: negative ? 0 : signOf(f),
    codebook: 7,
  };
  return codes[f.specials] ?? 0;
};

/* What a code means, as a double: -0, infinities and NaN included. */
/** @param {Format} f @param {number} code */
export const decode = (f, code) => {
  if (f.specials === "codebook") return f.values[code];
  if (f.specials === "int") return f.sign_bits && code >= signOf(f) ? code - 2 ** bitWidth(f) : code;
  if (bareExponent(f)) return code > largestOf(f) ? NaN : POW2(code - f.bias);
  const sign = signOf(f);
  const negative = f.sign_bits > 0 && code >= sign;
  const magnitude = negative ? code - sign : code;
  if (f.specials === "fnuz" && code === sign) return NaN;
  if (magnitude > largestOf(f))
    return f.specials === "ieee" && magnitude === largestOf(f) + 1 ? (negative ? -Infinity : Infinity) : NaN;
  const exponent = Math.floor(magnitude / mantissa(f));
  const significand = magnitude - exponent * mantissa(f) + (exponent ? mantissa(f) : 0);
  const value = significand * POW2(Math.max(exponent, 1) - f.bias - f.mantissa_bits);
  return negative ? -value : value;
};

/* The code nearest to a double: ties to even (E8M0: up; NF4: to the lower entry), overflow by the row's rule. */
/** @param {Format} f @param {number} x */
export const encode = (f, x, nanNegative = false) => {
  if (Number.isNaN(x)) return nan(f, nanNegative);
  if (f.specials === "codebook") return entry(f, x);
  if (f.specials === "int") return whole(f, x);
  if (bareExponent(f)) return scale(f, x);
  const negative = x < 0 || Object.is(x, -0);
  const max = largestOf(f);
  const magnitude = Math.abs(x) === Infinity ? max + 1 : steps(f, Math.abs(x));
  const sign = negative ? signOf(f) : 0;
  if (negative && !f.sign_bits && magnitude) return f.overflow === "saturate" ? 0 : nan(f);
  if (magnitude > max)
    return f.overflow === "saturate" ? sign + max : f.overflow === "inf" ? sign + max + 1 : nan(f, negative);
  return f.specials === "fnuz" && magnitude === 0 ? 0 : sign + magnitude;
};
/** @param {number} q */
export const even = (q) => roundEven(Math.floor(q), q - Math.floor(q), 1);
/** @param {Format} f @param {number} x */
export const steps = (f, x) => {
  // counted as if the exponent had no end; a carry into the next exponent is just one more step
  if (x === 0) return 0;
  const exponent = Math.max(log2(x), 1 - f.bias);
  const step = exponent - f.mantissa_bits;
  const q = step < -1022 ? x * 2 ** 1000 * POW2(-step - 1000) : x * POW2(-step); // a power of two: exact
  return (exponent + f.bias - 1) * mantissa(f) + even(q);
};
/** @param {Format} f @param {number} x */
export const whole = (f, x) => {
  const high = mantissa(f) - 1;
  const low = f.sign_bits ? -high - 1 : 0;
  const value = Math.min(high, Math.max(low, Math.abs(x) === Infinity ? x : even(x)));
  return value < 0 ? value + 2 ** bitWidth(f) : value + 0;
};
/** @param {Format} f @param {number} x */
export const scale = (f, x) => {
  if (!(x > 0) || x === Infinity) return nan(f);
  const exponent = log2(x);
  const up = exponent < -1000 ? 0 : x * POW2(-exponent) >= 1.5 ? 1 : 0;
  return Math.min(nan(f), Math.max(0, exponent + up + f.bias));
};
/** @param {Format} f @param {number} x */
export const entry = (f, x) => {
  let code = 0;
  while (code < 15 && x > (f.values[code] + f.values[code + 1]) / 2) code += 1; // a sum of two float32 is exact here
  return code;
};

/** @param {Format} f @param {number} code */
export const rank = (f, code) => {
  const value = decode(f, code);
  if (!Number.isFinite(value)) return null;
  if (f.specials === "int") return value;
  if (!f.sign_bits) return code;
  return code >= signOf(f) ? signOf(f) - code + 0 : code;
};
/** @param {Format} f */
export const ranks = (f) => {
  const high = f.specials === "codebook" ? 15 : largestOf(f);
  return [!f.sign_bits ? 0 : f.specials === "int" ? -high - 1 : -high, high];
};
/** @param {Format} f @param {number} rank */
export const at = (f, rank) => (rank >= 0 ? rank : f.specials === "int" ? rank + 2 ** bitWidth(f) : signOf(f) - rank);
