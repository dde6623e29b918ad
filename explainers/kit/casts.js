/* What each library's cast makes of a number, and what other ways of rounding would keep: casts.py again. */
import { at, bareExponent, rank as bitsRank, bitWidth, even, ranks, steps } from "./codes.js";
import { digits, inDigits, sayShort, short, signed } from "./fraction-text.js";
import { Q } from "./fractions.js";
import { value as bitsValue, gap, nearest, number, q, stored } from "./reals.js";

/** @import { Data } from "../../.make/data_types/bits.d.ts" */
/** @import { Format } from "./codes.js" */
/** @import { Fraction } from "./fractions.js" */
/** @import { Real } from "./reals.js" */

/** Rows of policies.py, and the formats on the way. @typedef {{ policies: string[][], formats: { [name: string]: Format } }} Known */

/**
 * What a library's cast makes of a number, on which path; whether it differs from what most make of it.
 * @typedef {{ library: string, path: string, becomes: string, over: string, inf: string, nan: string, source: string,
 * differs: boolean }} Policy
 */

/** @param {Format} f @param {Real} x */
export const brief = (f, x) => sayShort(x, digits(f), digits(f) + 3);
/** @param {Format} f @param {Known} data @param {Real} x */
export const casts = (f, data, x) => {
  const policies = data.policies
    .filter((row) => row[0] === f.name)
    .map(
      (row) =>
        /** @type {Policy} */ ({
          library: row[1],
          path: path(f, data, row),
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
  if (!heard.length) return "No cast listed here documents what this becomes.";
  const [value, count] = heard[0];
  if (heard.length === 1)
    return count > 1 ? `All ${count} casts listed here give ${value}.` : `The one cast listed gives ${value}.`;
  return `The casts disagree: ${heard.map(([v, n]) => `${n} give${n === 1 ? "s" : ""} ${v}`).join(", ")}.`;
};
/* Every format that a number is rounded to on its way, this one last. */
/** @param {Format} f @param {Known} data @param {string[]} policy */
export const path = (f, data, [, , , , , , via]) =>
  ["FP64", ...(via ? [data.formats[via].label] : []), f.label].join(" → ");
/* The number as a cast gets it: the nearest double, and the nearest float of that where it goes via FP32. */
/** @param {Real} x @param {string} via @returns {Real} */
export const arriving = (x, via) => {
  if (x.kind !== "finite") return x;
  const size = Q.double(x.q);
  return { ...number(via ? Math.fround(size) : size), negative: x.negative };
};
/** @param {Format} f @param {string[]} policy @param {Real} given @returns {string} */
export const cast = (f, [, , over, inf, nan, , via, rest], given) => {
  const x = arriving(given, via);
  if (x.kind === "nan") return nan === "-0" && x.negative ? "0" : end(f, nan, false);
  if (x.kind === "inf") return end(f, inf, x.negative);
  if (rest === "wraps") return wrapped(f, x, end(f, inf, x.negative));
  if (rest === "midpoints in FP32") return brief(f, stored(f, entry32(f, x)));
  const one = scaled(f, x, rest);
  return past(f, one) ? end(f, over, one.negative) : brief(f, stored(f, nearest(f, one)));
};
/* A number's last bits, in two's complement; another answer past C's 32-bit int. */
/** @param {Format} f @param {Real} x @param {string} beyond */
export const wrapped = (f, x, beyond) => {
  const whole = (x.negative ? -1n : 1n) * (x.q.n / x.q.d); // BigInt cuts toward zero
  if (whole !== BigInt.asIntN(32, whole)) return beyond;
  return String(BigInt.asIntN(bitWidth(f), whole));
};
/* The entry of a codebook whose midpoints are FP32 numbers: a number on one goes down. */
/** @param {Format} f @param {Real} x */
export const entry32 = (f, x) => {
  const size = Q.double(bitsValue(x));
  return f.values.slice(1).filter((high, i) => size > Math.fround((f.values[i] + high) / 2)).length;
};
/* What casts to E8M0 do first: torch drops the sign, and both take FP32 subnormals above 2^-127 up to 2^-126. */
/** @param {Format} f @param {Real} x @param {string} rest @returns {Real} */
const scaled = (f, x, rest) => {
  const [least, next] = [Q.pow2(-f.bias), Q.pow2(1 - f.bias)];
  const q = rest.includes("drops the sign") && Q.cmp(x.q, least) < 0 ? least : x.q;
  const negative = x.negative && !rest.includes("drops the sign");
  const up = rest.includes("subnormals up") && !negative && Q.cmp(q, least) > 0 && Q.cmp(q, next) < 0;
  return { kind: "finite", negative, q: up ? next : q };
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
  const kept = keptByMode(f, x);
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
/** What each mode that leaves nothing to chance keeps of a finite number. @param {Format} f @param {Real} x */
export const keptByMode = (f, x) => {
  const value = bitsValue(x);
  const [low, high] = around(f, value, x);
  return [...[false, true].map((away) => mode(f, x, value, low, high, away)), x.negative ? high : low, high, low];
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
