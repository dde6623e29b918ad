/* What each library's cast makes of a number, and what other ways of rounding would keep: casts.py again. */
import { digits, inDigits, q } from "./describe.js";
import {
  at,
  bareExponent,
  rank as bitsRank,
  value as bitsValue,
  bitWidth,
  even,
  nearest,
  Q,
  ranks,
  signOf,
  steps,
  stored,
} from "./number.js";
import { gap } from "./rounding.js";
import { sayShort, short, signed } from "./text.js";

/** @import { Data } from "../../.make/data_types/bits.d.ts" */
/** @import { Format, Fraction, Real } from "./number.js" */

/**
 * What a library's cast makes of a number; whether it differs from what most make of it.
 * @typedef {{ library: string, becomes: string, over: string, inf: string, nan: string, source: string, differs:
 * boolean }} Policy
 */

/** @param {Format} f @param {Real} x */
export const brief = (f, x) => sayShort(x, digits(f), digits(f) + 3);
/** @param {Format} f @param {Data} data @param {Real} x */
export const casts = (f, data, x) => {
  const policies = data.policies
    .filter((row) => row[0] === f.name)
    .map(
      (row) =>
        /** @type {Policy} */ ({
          library: row[1],
          becomes: cast(f, row, x),
          over: row[2],
          inf: row[3],
          nan: row[4],
          source: row[5],
        }),
    );
  const counts = new Map();
  for (const { becomes } of policies) if (becomes) counts.set(becomes, (counts.get(becomes) || 0) + 1);
  const heard = [...counts].sort((a, b) => b[1] - a[1]);
  for (const row of policies) row.differs = row.becomes !== "" && row.becomes !== heard[0][0];
  return { policies, agree: agreement(heard) };
};
/** @param {[value: string, count: number][]} heard */
export const agreement = (heard) => {
  if (!heard.length) return "No cast listed here says what this becomes.";
  const [value, count] = heard[0];
  if (heard.length === 1)
    return count > 1 ? `All ${count} casts listed here give ${value}.` : `The one cast listed gives ${value}.`;
  return `The casts disagree: ${heard.map(([v, n]) => `${n} give${n === 1 ? "s" : ""} ${v}`).join(", ")}.`;
};
/** @param {Format} f @param {string[]} policy @param {Real} x @returns {string} */
export const cast = (f, [, , over, inf, nan, , rest], x) => {
  if (x.kind === "nan") return nan;
  if (x.kind === "inf") return end(f, inf, x.negative);
  if (rest === "wraps") {
    const size = 2n ** BigInt(bitWidth(f));
    const whole = Number(((((x.negative ? -1n : 1n) * (x.q.n / x.q.d)) % size) + size) % size); // BigInt cuts toward zero
    return String(whole >= signOf(f) ? whole - Number(size) : whole);
  }
  const least = Q.pow2(-f.bias);
  /** @type {Real} */
  const one =
    rest === "drops the sign" ? { kind: "finite", negative: false, q: Q.cmp(x.q, least) > 0 ? x.q : least } : x;
  return past(f, one) ? end(f, over, one.negative) : brief(f, stored(f, nearest(f, one)));
};
/** @param {Format} f @param {string} word @param {boolean} negative @returns {string} */
export const end = (f, word, negative) => {
  if (word === "max") return brief(f, stored(f, at(f, ranks(f)[negative ? 0 : 1])));
  return word === "inf" && negative ? "-inf" : word;
};
/** @param {Format} f @param {Real} x */
export const past = (f, x) => {
  const [low, high] = ranks(f);
  if (f.specials === "codebook") return Q.cmp(bitsValue(x), q(f, low)) < 0 || Q.cmp(bitsValue(x), q(f, high)) > 0;
  const size = Q.odd(x.q);
  const whole = f.specials === "int" ? even(x.negative ? -size : size) : 0;
  if (f.specials === "int") return whole > high || low > whole;
  if (!f.sign_bits) return !x.negative && x.q.n > 0n && nearest(f, x) > high;
  return steps(f, size) > high;
};

/* Below zero where there is no sign, or zero where there is none. */
/** @param {Format} f @param {Real} x */
const noPlace = (f, x) => (x.q.n === 0n ? bareExponent(f) : x.negative && !f.sign_bits && f.exponent_bits > 0);
/** @param {Format} f @param {Data["modes"]} names @param {Real} x */
export const modes = (f, names, x) => {
  if (x.kind !== "finite" || noPlace(f, x)) return [];
  const value = bitsValue(x);
  const [low, high] = around(f, value, x);
  const kept = [...[false, true].map((away) => mode(f, x, value, low, high, away)), x.negative ? high : low, high, low];
  /** @param {Fraction | null} one */
  const off = (one) => {
    const error = one && Q.sub(one, value);
    return !error ? "" : error.n ? signed(error) : "exact";
  };
  return names.map(([mode, where], i) => ({
    mode,
    where,
    keeps: i === 5 ? chances(f, x, value, low, high) : keptOf(f, x, kept[i]),
    error: i === 5 ? "" : off(kept[i]),
  }));
};
/** @param {Format} f @param {Fraction} value @param {Real} x @returns {(Fraction | null)[]} */
export const around = (f, value, x) => {
  const [first, last] = ranks(f);
  if (Q.cmp(value, q(f, last)) > 0) return [q(f, last), null];
  if (Q.cmp(value, q(f, first)) < 0) return [null, q(f, first)];
  const rank = /** @type {number} */ (bitsRank(f, nearest(f, x)));
  const side = Q.cmp(q(f, rank), value);
  return [side > 0 ? rank - 1 : rank, side < 0 ? rank + 1 : rank].map((r) => q(f, r));
};
/**
 * @param {Format} f
 * @param {Real} x
 * @param {Fraction} value
 * @param {Fraction | null} low
 * @param {Fraction | null} high
 * @param {boolean} away
 * @returns {Fraction | null}
 */
export const mode = (f, x, value, low, high, away) => {
  if (!away || (low && high && Q.cmp(low, high) === 0)) return past(f, x) ? null : bitsValue(stored(f, nearest(f, x)));
  const twice = { n: 2n * value.n, d: value.d };
  if (!low || !high) {
    const far = Q.sub(value, /** @type {Fraction} */ (low || high));
    return Q.cmp({ n: 2n * Q.abs(far.n), d: far.d }, gap(f, x)) < 0 ? low || high : null;
  }
  const side = Q.cmp(twice, Q.add(low, high));
  return side < 0 || (side === 0 && x.negative) ? low : high;
};
/** @param {Format} f @param {Real} x @param {Fraction | null} one @returns {string} */
export const keptOf = (f, x, one) => {
  if (!one) return "past the end";
  return one.n === 0n && x.negative && ["ieee", "fn", "finite"].includes(f.specials) ? "-0" : inDigits(f, one);
};
/**
 * @param {Format} f
 * @param {Real} x
 * @param {Fraction} value
 * @param {Fraction | null} low
 * @param {Fraction | null} high
 */
export const chances = (f, x, value, low, high) => {
  if (!low || !high || Q.cmp(low, high) === 0) return keptOf(f, x, low && high ? low : null);
  const up = Q.mul({ n: 100n, d: 1n }, Q.div(Q.sub(value, low), Q.sub(high, low)));
  const down = Q.sub({ n: 100n, d: 1n }, up);
  return `${keptOf(f, x, low)} in ${short(down, 3)} %, ${keptOf(f, x, high)} in ${short(up, 3)} %`;
};
