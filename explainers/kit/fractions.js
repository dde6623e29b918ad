/* Fractions of two BigInts, d above 0, n with the sign; and powers of two. To be rounded, a fraction becomes a double
   whose last bit remembers whether anything was cut off (round to odd), and 53 bits are enough for that to decide every
   tie of a format with at most 24. */
import { roundEven } from "./arrays.js";

/** A fraction: d is above 0, n has the sign. @typedef {{ n: bigint, d: bigint }} Fraction */

export const POW2 = (() => {
  const table = new Float64Array(2200);
  for (let e = -1074; e < 1024; e += 1) table[e + 1100] = e < -1022 ? 2 ** -1022 * 2 ** (e + 1022) : 2 ** e;
  /** @param {number} e */
  return (e) => (e > 1023 ? Infinity : e < -1074 ? 0 : table[e + 1100]);
})();
export const log2 = (() => {
  const view = new DataView(new ArrayBuffer(8));
  /** @param {number} x */
  const top = (x) => {
    view.setFloat64(0, x);
    return ((view.getUint32(0) >>> 20) & 0x7ff) - 1023;
  };
  /** @param {number} x */
  return (x) => (x >= 2 ** -1022 ? top(x) : top(x * 2 ** 60) - 60); // floor(log2 x) of a positive double
})();

export const Q = {
  /** @param {bigint} n */
  abs: (n) => (n < 0n ? -n : n),
  /** @param {bigint} a @param {bigint} b */
  gcd: (a, b) => {
    while (b) [a, b] = [b, a % b];
    return a;
  },
  /** @param {bigint} n @param {bigint} d @returns {Fraction} */
  make: (n, d) => {
    const g = Q.gcd(Q.abs(n), d) || 1n;
    return { n: n / g, d: d / g };
  },
  /** @param {Fraction} a @param {Fraction} b @returns {Fraction} */
  add: (a, b) => Q.make(a.n * b.d + b.n * a.d, a.d * b.d),
  /** @param {Fraction} a @param {Fraction} b @returns {Fraction} */
  sub: (a, b) => Q.make(a.n * b.d - b.n * a.d, a.d * b.d),
  /** @param {Fraction} a @param {Fraction} b @returns {Fraction} */
  mul: (a, b) => Q.make(a.n * b.n, a.d * b.d),
  /** @param {Fraction} a @param {Fraction} b @returns {Fraction} */
  div: (a, b) => (b.n < 0n ? Q.make(-a.n * b.d, -a.d * b.n) : Q.make(a.n * b.d, a.d * b.n)),
  /** @param {Fraction} a @param {Fraction} b */
  cmp: (a, b) => {
    const l = a.n * b.d;
    const r = b.n * a.d;
    return l > r ? 1 : l === r ? 0 : -1;
  },
  /** @param {number} e @returns {Fraction} */
  pow2: (e) => (e >= 0 ? { n: 1n << BigInt(e), d: 1n } : { n: 1n, d: 1n << BigInt(-e) }),
  /** @param {bigint} n */
  size: (n) => n.toString(2).length,
  /** @param {Fraction} x @returns {number} */
  log2: (x) => {
    const e = Q.size(x.n) - Q.size(x.d);
    return Q.cmp(x, Q.pow2(e)) >= 0 ? e : e - 1;
  },
  /** @param {number} x @returns {Fraction} */
  of: (x) => {
    // a finite double, exactly
    if (x === 0) return { n: 0n, d: 1n };
    const e = log2(Math.abs(x)) - 52;
    const whole = e < -1022 ? x * 2 ** 1000 * POW2(-e - 1000) : x * POW2(-e);
    return Q.mul({ n: BigInt(whole), d: 1n }, Q.pow2(e));
  },
  /** @param {Fraction} x @returns {number} */
  double: (x) => {
    // the nearest double, ties to even, subnormals and infinities as IEEE 754 has them
    if (x.n === 0n) return 0;
    const a = Q.abs(x.n);
    const e = Math.max(Q.log2({ n: a, d: x.d }), -1022) - 52;
    if (e > 971) return x.n < 0n ? -Infinity : Infinity;
    const up = e < 0 ? a << BigInt(-e) : a;
    const down = e > 0 ? x.d << BigInt(e) : x.d;
    return (x.n < 0n ? -1 : 1) * Number(roundEven(up / down, up % down, down)) * POW2(e);
  },
  /** @param {Fraction} x @returns {number} */
  odd: (x) => {
    // the double toward zero, its last bit set if anything was cut: decides every tie of <= 24 bits
    if (x.n === 0n) return 0;
    const a = { n: Q.abs(x.n), d: x.d };
    const sign = x.n < 0n ? -1 : 1;
    const e = Q.log2(a) - 52;
    if (e > 900) return sign * Number.MAX_VALUE;
    if (e < -900) return sign * 2 ** -950;
    const up = e < 0 ? a.n << BigInt(-e) : a.n;
    const down = e > 0 ? a.d << BigInt(e) : a.d;
    const whole = up / down;
    return sign * Number(up % down ? whole | 1n : whole) * POW2(e);
  },
};
