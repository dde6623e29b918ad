/* A number as the page has it: kind, sign and size; and its place in a format: the nearest code, the gap around it. */
import { at, decode, encode, nan, rank, ranks, signOf } from "./codes.js";
import { Q } from "./fractions.js";

/** @import { Format } from "./codes.js" */
/** @import { Fraction } from "./fractions.js" */

/**
 * A number as the page has it: q is its size.
 * @typedef {{ kind: "nan" | "inf" | "finite", negative: boolean, q: Fraction }} Real
 */

/** @param {number} x @returns {Real} */
export const number = (x) => ({
  kind: Number.isNaN(x) ? "nan" : Math.abs(x) === Infinity ? "inf" : "finite",
  negative: x < 0 || Object.is(x, -0),
  q: Number.isFinite(x) ? Q.of(Math.abs(x)) : Q.of(0),
});
/** @param {Format} f @param {number} code @returns {Real} */
export const stored = (f, code) => ({
  ...number(decode(f, code)),
  ...(Number.isNaN(decode(f, code))
    ? { negative: f.sign_bits > 0 && ["ieee", "fn"].includes(f.specials) && code >= signOf(f) }
    : {}),
});
/** @param {Real} x */
export const value = (x) => (x.negative ? { n: -x.q.n, d: x.q.d } : x.q);
/** @param {Format} f @param {Real} x */
export const nearest = (f, x) => {
  if (x.kind === "nan") return nan(f, x.negative);
  const size = x.kind === "inf" ? Infinity : Q.odd(x.q);
  return encode(f, x.negative ? -size : size);
};
/** The value of a rank. @param {Format} f @param {number} rank */
export const q = (f, rank) => Q.of(decode(f, at(f, rank)));
/** The distance of the two neighbours that a number lies between. @param {Format} f @param {Real} x */
export const gap = (f, x) => {
  const [low, high] = ranks(f);
  let place = rank(f, nearest(f, x)) ?? (x.negative && f.sign_bits ? low : high);
  const side = Q.cmp(value(x), q(f, place));
  place = side > 0 || (side === 0 && place < high) ? Math.min(place, high - 1) : Math.max(place - 1, low);
  return Q.sub(q(f, place + 1), q(f, place));
};
