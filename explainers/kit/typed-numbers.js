/* What a reader types -> a number, exactly, or the bits: text.py again. */
import { bitWidth } from "./codes.js";
import { Q } from "./fractions.js";
import { stored } from "./reals.js";

/** @import { Format } from "./codes.js" */
/** @import { Fraction } from "./fractions.js" */
/** @import { Real } from "./reals.js" */

/**
 * What a text says: a number, and the code if bits were typed; or why it says nothing.
 * @typedef {{ x?: Real, code?: number, says?: string }} Read
 */

export const HOW =
  "Type a decimal (0.1), a fraction (1/3), a hexfloat (0x1.8p3), bits as hex or binary (0x5D, 0b1011101), inf or nan.";
/** @param {string} text @param {Format} f @returns {Read} */
export const parse = (text, f) => {
  // {x, code} or {says}
  const t = text.trim().replaceAll("−", "-").replaceAll("_", "").toLowerCase();
  const special = /^([+-]?)(inf|infinity|∞|nan)$/.exec(t);
  if (special) return { x: { kind: special[2] === "nan" ? "nan" : "inf", negative: special[1] === "-", q: Q.of(0) } };
  if (t.length > 400) return { says: "That is longer than 400 characters." };
  if (/^(0x[0-9a-f]+|0b[01]+)$/.test(t)) {
    const code = BigInt(t);
    const width = bitWidth(f);
    if (code >> BigInt(width))
      return { says: `${f.label} has ${width} bits: from 0x0 to 0x${(2 ** width - 1).toString(16).toUpperCase()}.` };
    return { x: stored(f, Number(code)), code: Number(code) };
  }
  try {
    const value = rational(t);
    return { x: { kind: "finite", negative: t.startsWith("-"), q: { n: Q.abs(value.n), d: value.d } } };
  } catch (error) {
    if (typeof error === "string") return { says: error };
    throw error;
  }
};
/** @param {string} t @returns {Fraction} */
export const rational = (t) => {
  const decimal = "(?:\\d{1,3}(?:,\\d{3})+|\\d+)?(?:\\.\\d*)?";
  /** @param {string} pattern */
  const match = (pattern) => new RegExp(`^(?:${pattern})$`).exec(t);
  /** @param {bigint} base @param {number} e @returns {Fraction} */
  const power = (base, e) => {
    if (Math.abs(e) > 3000) throw "An exponent past ±3,000 is beyond every format.";
    return e >= 0 ? { n: base ** BigInt(e), d: 1n } : { n: 1n, d: base ** BigInt(-e) };
  };
  /** @param {string} digits @param {number} e */
  const scaled = (digits, e) => {
    const [whole, part = ""] = digits.replaceAll(",", "").split(".");
    return Q.mul({ n: BigInt(whole + part || "0"), d: 1n }, power(10n, e - part.length));
  };
  /** @param {string} sign @param {Fraction} v @returns {Fraction} */
  const signed = (sign, v) => (sign === "-" ? { n: -v.n, d: v.d } : v);
  const plain = match(`([+-]?)(${decimal})(?:e([+-]?\\d+))?`);
  if (plain && /\d/.test(plain[2])) return signed(plain[1], scaled(plain[2], Number(plain[3] || 0)));
  const hex = match("([+-]?)0x([0-9a-f]*)(?:\\.([0-9a-f]*))?p([+-]?\\d+)");
  if (hex && (hex[2] || hex[3])) {
    const part = hex[3] || "";
    return signed(
      hex[1],
      Q.mul({ n: BigInt(`0x${hex[2]}${part}`), d: 1n }, power(2n, Number(hex[4]) - 4 * part.length)),
    );
  }
  const two = match("([+-]?)2\\^([+-]?\\d+)");
  if (two) return signed(two[1], power(2n, Number(two[2])));
  const ratio = match(`([+-]?)(${decimal})\\s*/\\s*(${decimal})`);
  if (ratio && /\d/.test(ratio[2]) && /\d/.test(ratio[3])) {
    const below = scaled(ratio[3], 0);
    if (below.n === 0n) throw "The denominator of a fraction cannot be 0.";
    return signed(ratio[1], Q.div(scaled(ratio[2], 0), below));
  }
  throw HOW;
};
