/* Exact fractions -> the strings of text.py, digit for digit. */

import { roundEven } from "./arrays.js";
import { bitWidth } from "./codes.js";
import { Q } from "./fractions.js";
import { value } from "./reals.js";

/** @import { Format } from "./codes.js" */
/** @import { Fraction } from "./fractions.js" */
/** @import { Real } from "./reals.js" */
/** @param {Fraction} x @returns {string} */
export const decimal = (x) => {
  const sign = x.n < 0n ? "-" : "";
  const n = Q.abs(x.n);
  let [rest, twos, fives] = [x.d, 0, 0];
  while (rest % 2n === 0n) [rest, twos] = [rest / 2n, twos + 1];
  while (rest % 5n === 0n) [rest, fives] = [rest / 5n, fives + 1];
  if (rest !== 1n) return sign + cut(n, x.d);
  const places = Math.max(twos, fives);
  return sign + place(String((n * 10n ** BigInt(places)) / x.d), places);
};
/** @param {string} digits @param {number} places */
export const place = (digits, places) => {
  const padded = digits.padStart(places + 1, "0");
  const plain = padded.slice(0, padded.length - places) + (places ? `.${padded.slice(padded.length - places)}` : "");
  return plain.length <= 40 ? plain : scientific(digits.replace(/0+$/, "") || "0", digits.length - 1 - places);
};
/** @param {string} digits @param {number} e */
export const scientific = (digits, e) => `${digits[0]}${digits.length > 1 ? `.${digits.slice(1)}` : ""}e${e}`;
/** @param {bigint} n @param {bigint} d @returns {string} */
export const cut = (n, d) => {
  const [digits, e] = leading(n, d, 24, false);
  if (e < -6 || e >= 24) return `${digits[0]}.${digits.slice(1)}…e${e}`;
  const whole = e >= 0 ? digits.slice(0, e + 1) : "0";
  const part = e >= 0 ? digits.slice(e + 1) : "0".repeat(-e - 1) + digits;
  return part ? `${whole}.${part}…` : `${whole}…`;
};
/** @param {bigint} n @param {bigint} d @param {number} count @returns {[digits: string, e: number]} */
export const leading = (n, d, count, exact = true) => {
  /** @param {number} k */
  const ten = (k) => 10n ** BigInt(Math.max(0, k));
  let e = String(n).length - String(d).length;
  if (n * ten(-e) < d * ten(e)) e -= 1;
  const top = n * ten(count - 1 - e);
  const below = d * ten(e - count + 1);
  const digits = String(exact ? roundEven(top / below, top % below, below) : top / below);
  return [digits.slice(0, count), e + digits.length - count];
};
/** @param {Fraction} x @returns {string} */
export const short = (x, count = 4, width = 7) => {
  if (x.n === 0n) return "0";
  const sign = x.n < 0n ? "-" : "";
  const n = Q.abs(x.n);
  const full = decimal({ n, d: x.d });
  if (full.length <= width && !/[e…]/.test(full)) return sign + full;
  const [cut, e] = leading(n, x.d, count);
  const digits = cut.replace(/0+$/, "");
  if (e < -5 || e >= 7) return sign + scientific(digits, e);
  if (e < 0) return `${sign}0.${"0".repeat(-e - 1)}${digits}`;
  return sign + digits.slice(0, e + 1).padEnd(e + 1, "0") + (digits.length > e + 1 ? `.${digits.slice(e + 1)}` : "");
};
/** @param {Fraction} x */
export const hexfloat = (x) => {
  if (x.n === 0n) return "0x0p+0";
  let n = Q.abs(x.n);
  let e = 1 - Q.size(x.d);
  while (n % 2n === 0n) [n, e] = [n / 2n, e + 1];
  const top = Q.size(n) - 1;
  const pad = (4 - (top % 4)) % 4;
  const part = top ? ((n - (1n << BigInt(top))) << BigInt(pad)).toString(16).padStart((top + pad) / 4, "0") : "";
  return `${x.n < 0n ? "-" : ""}0x1${part ? `.${part}` : ""}p${e + top < 0 ? "" : "+"}${e + top}`;
};
/** @param {Real} x */
export const minusZero = (x) => x.kind === "finite" && x.negative && x.q.n === 0n;
/** @param {Real} x @returns {string} */
export const say = (x) =>
  x.kind === "nan" ? "NaN" : x.kind === "inf" ? (x.negative ? "-inf" : "inf") : minusZero(x) ? "-0" : decimal(value(x));
/** @param {Real} x @param {number} [count] @param {number} [width] @returns {string} */
export const sayShort = (x, count, width) =>
  x.kind === "finite" && !minusZero(x) ? short(value(x), count, width) : say(x);
/** @param {Format} f @param {number} code */
export const hex = (f, code) =>
  `0x${code
    .toString(16)
    .toUpperCase()
    .padStart(Math.ceil(bitWidth(f) / 4), "0")}`;
/** @param {Fraction} x */
export const signed = (x) => (x.n > 0n ? "+" : "") + short(x, 3);
/** @param {Format} f */
export const digits = (f) => (f.exponent_bits ? Math.max(4, Math.ceil(1 + (f.mantissa_bits + 1) * Math.log10(2))) : 4);
/** @param {Format} f @param {Fraction} x */
export const inDigits = (f, x, more = 0) => short(x, digits(f) + more, digits(f) + 3 + 2 * more);
