/* Twin of reference.py: a number, a format and a way of rounding -> what is kept, and what becomes of means. */
import { hash32, lazy, upto } from "../kit/arrays.js";
import { around, casts, keptByMode, modes } from "../kit/casts.js";
import { digits, inDigits, sayShort } from "../kit/fraction-text.js";
import { Q } from "../kit/fractions.js";
import { nearest, number, stored, value } from "../kit/reals.js";
import { parse } from "../kit/typed-numbers.js";
import { checkSums, formatsOf, runSums } from "./sums.js";

/** @import { Data, State } from "../../.make/data_types/rounding.d.ts" */
/** @import { Format } from "../kit/codes.js" */
/** @import { Fraction } from "../kit/fractions.js" */
/** @import { Real } from "../kit/reals.js" */

/** What beats and lab are drawn from. @typedef {ReturnType<typeof compute>} Now */
/** One format that a number passes, and where it stands then. @typedef {ReturnType<typeof steps>[number]} Step */

export const MODES = ["even", "away", "zero", "up", "down", "stochastic"];
const Z95 = 1.96;
const WORD = 2n ** 32n;

/** @param {number} n @param {number} low @param {number} high */
const isWithin = (n, low, high) => Number.isInteger(n) && n >= low && high >= n;

/** @param {State} state @param {Data} data @returns {string} */
export function check(state, data) {
  const f = formatsOf(data)[state.format];
  if (!Object.hasOwn(data.formats, state.format))
    return `There is no format “${state.format.slice(0, 40)}” here. There is ${Object.keys(data.formats).join(", ")}.`;
  const says = parse(state.typed, f).says;
  if (says) return says;
  if (!MODES.includes(state.mode)) return `The mode is one of ${MODES.join(", ")}.`;
  if (!isWithin(state.cut, 1, 8)) return "A cast drops 1 to 8 bits here.";
  if (!isWithin(state.seed, 1, 99)) return "The seed is a whole number from 1 to 99.";
  if (!data.draws.includes(state.draws)) return `The number of draws is one of ${data.draws.join(", ")}.`;
  return checkSums(state, data);
}

/* The two values that a number lies between; null for a value itself, past an end, infinity and NaN. */
/** @param {Format} f @param {Real} x @returns {[low: Fraction, high: Fraction] | null} */
export const neighbours = (f, x) => {
  const [low, high] = x.kind === "finite" ? around(f, value(x), x) : [null, null];
  return low && high && Q.cmp(low, high) < 0 ? [low, high] : null;
};
/** @param {Fraction} low @param {Fraction} high @param {Real} x */
const shareOf = (low, high, x) => Q.div(Q.sub(value(x), low), Q.sub(high, low));

/** @param {Format} f @param {Real} x */
const between = (f, x) => {
  const pair = neighbours(f, x);
  if (!pair) return { between: false, low: "", high: "", share: 0, aims: /** @type {number[]} */ ([]) };
  const [low, high] = pair;
  return {
    between: true,
    low: inDigits(f, low),
    high: inDigits(f, high),
    share: Q.double(shareOf(low, high, x)),
    aims: keptByMode(f, x).map((one) => (one && Q.cmp(one, low) === 0 ? 0 : 1)),
  };
};

/** @param {Format} f @param {Real} x */
const kept = (f, x) => sayShort(stored(f, nearest(f, x)), digits(f), digits(f) + 3);
/** @param {[Fraction, Fraction] | null} pair @param {Real} x */
const sideOf = (pair, x) => {
  if (!pair || x.kind !== "finite") return "";
  const far = Q.cmp(Q.add(value(x), value(x)), Q.add(...pair));
  return far > 0 ? "above" : far < 0 ? "below" : "on";
};
/** @param {Real} x @param {(size: number) => number} round @returns {Real} */
const held = (x, round) => (x.kind === "finite" ? { ...number(round(Q.double(x.q))), negative: x.negative } : x);
/* The number through FP64 and FP32: what each holds, and on which side of the tie it is. */
/** @param {Format} f @param {Real} x */
const steps = (f, x) => {
  const pair = neighbours(f, x);
  const double = held(x, (size) => size);
  return [
    { name: "typed", x },
    { name: "float64", x: double },
    { name: "float32", x: held(double, Math.fround) },
  ].map(({ name, x }) => ({ name, holds: sayShort(x, 17, 20), side: sideOf(pair, x), keeps: kept(f, x) }));
};

/* ---------------------------------------------------------------- many draws */
/** So many whole numbers below 2³². @param {number} seed @param {number} many */
const draws = (seed, many) => {
  const start = hash32(seed);
  return upto(many).map((i) => hash32(start + i));
};
/* 1 to 15, then eight numbers to each doubling, up to `many`. */
/** @param {number} many */
const counts = (many) => {
  const found = upto(7).map((i) => i + 1);
  for (let base = 1; many >= 8 * base; base *= 2)
    for (let m = 8; m < 16; m += 1) if (many >= m * base) found.push(m * base);
  return found;
};
/** @param {Format} f @param {Real} x @param {State} state */
const drawn = (f, x, { seed, draws: many }) => {
  const pair = neighbours(f, x);
  /** @type {[draws: number, share: number][]} */
  const none = [];
  if (!pair) return { up: 0, down: 0, mean: 0, half: 0, bias: 0, nearest: 0, curve: none };
  const [low, high] = pair;
  const { n, d } = shareOf(low, high, x);
  const limit = Number((n * WORD) / d);
  let up = 0;
  const counted = draws(seed, many).map((one) => {
    if (limit > one) up += 1;
    return up;
  });
  const step = Q.double(Q.sub(high, low));
  const part = up / many;
  const mean = Q.double(low) + part * step;
  return {
    up,
    down: many - up,
    mean,
    half: Z95 * Math.sqrt((part * (1 - part)) / many) * step,
    bias: mean - Q.double(value(x)),
    nearest: Q.double(Q.sub(value(stored(f, nearest(f, x))), value(x))),
    curve: counts(many).map((n) => /** @type {[number, number]} */ ([n, counted[n - 1] / n])),
  };
};

/* ---------------------------------------------------------------- every remainder */
/** @type {{ [mode: string]: (left: number, many: number, place: number, random: number) => boolean }} */
const goesUp = {
  even: (left, many, place) => 2 * left > many || (2 * left === many && place > many),
  away: (left, many) => 2 * left >= many,
  zero: () => false,
  up: (left) => left > 0,
  down: () => false,
  stochastic: (left, many, _, random) => left * 2 ** 32 > random * many,
};
/** @param {string} mode @param {number} place @param {number} many @param {number} random */
const errorOf = (mode, place, many, random) => {
  const left = place % many;
  return goesUp[mode](left, many, place, random) ? (many - left) / many : -left / many + 0;
};
/** @param {number[]} all */
const meanOf = (all) => all.reduce((sum, one) => sum + one, 0) / all.length;
/** @param {State} state */
const errors = (state) => {
  const many = 2 ** state.cut;
  const places = upto(2 * many);
  const random = draws(state.seed + 1000, 2 * many);
  const each = places.map((place) => errorOf(state.mode, place, many, random[place]));
  return {
    each,
    mean: meanOf(each),
    means: MODES.map((mode) =>
      mode === "stochastic" ? 0 : meanOf(places.map((place) => errorOf(mode, place, many, 0))),
    ),
  };
};

/** @param {State} state @param {Data} data */
export function compute(state, data) {
  const f = formatsOf(data)[state.format];
  const x = /** @type {Real} */ (parse(state.typed.trim(), f).x);
  return lazy(
    {
      label: f.label,
      number: sayShort(x, 17, 20),
      ...between(f, x),
      modes: modes(f, data.modes, x),
      ...casts(f, { policies: data.policies, formats: formatsOf(data) }, x),
    },
    {
      steps: () => steps(f, x),
      drawn: () => drawn(f, x, state),
      errors: () => errors(state),
      sums: () => runSums(state, data),
    },
  );
}
