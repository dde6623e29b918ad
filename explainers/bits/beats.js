/* What the beats of bits ask and say: answers and goals; the page alone loads it. */
import { rank as bitsRank, bitWidth, decode } from "../kit/codes.js";
import { short } from "../kit/fraction-text.js";
import { Q } from "../kit/fractions.js";
import { nearest, stored, value } from "../kit/reals.js";
import { parse } from "../kit/typed-numbers.js";
import { compute } from "./compute.js";

/** @import { Data, State } from "../../.make/data_types/bits.d.ts" */
/** @import { Answers, Goals } from "../kit/beats.js" */
/** @import { Format } from "../kit/codes.js" */
/** @import { Real } from "../kit/reals.js" */

/** @param {Format} f @param {number} code */
const numberOf = (f, code) => {
  const v = decode(f, code);
  return Number.isFinite(v) ? v : 0;
};
/** @param {Format} f @param {string} typed @param {number[]} options */
const optionOf = (f, typed, options) => {
  const v = decode(f, nearest(f, /** @type {Real} */ (parse(typed, f).x)));
  return Number.isFinite(v) ? options.indexOf(v) : options.length;
};
/** @param {State} state @param {Data} data */
const worthOf = (state, data) => {
  const f = data.formats[state.format];
  if (!f.exponent_bits) return 0;
  const { code } = compute(state, data);
  const bit = 2 ** (f.mantissa_bits + f.exponent_bits - 1);
  const cleared = Math.floor(code / bit) % 2 ? code - bit : code;
  const off = numberOf(f, cleared);
  return off ? numberOf(f, cleared + bit) / off : 0;
};
/** @param {State} state @param {Data} data @param {"low" | "high"} end */
const intervalOf = (state, data, end) => {
  const now = compute(state, data);
  const rank = bitsRank(data.formats[state.format], now.code);
  const here = now.bins.find((one) => one.rank === rank);
  return here ? (here[end] ?? here.at) : 0;
};
/** @satisfies {Answers<State, Data>} */
export const answers = {
  /** @param {Data} data */
  comes_back: (_, data) => optionOf(data.formats.bfloat16, "257", [256, 257, 258]),
  /** @param {Data} data */
  past_tie: (_, data) => optionOf(data.formats.float8_e4m3fn, "464", [448, 480]),
  /** @param {State} state @param {Data} data */
  stored: (state, data) => numberOf(data.formats[state.format], compute(state, data).code),
  worth: worthOf,
  /** @param {State} state @param {Data} data */
  share: (state, data) => {
    const { below_one, count } = compute(state, data).format;
    return below_one / count;
  },
  /** @param {State} state @param {Data} data */
  bin_from: (state, data) => intervalOf(state, data, "low"),
  /** @param {State} state @param {Data} data */
  bin_to: (state, data) => intervalOf(state, data, "high"),
};

/** @param {string} says */
const not = (says) => ({ reached: false, says });
/** @param {State} state @param {Format} f */
export const askedOf = (state, f) =>
  state.typed.trim() ? /** @type {Real} */ (parse(state.typed, f).x) : stored(f, state.code);
/** @param {State} state @param {Data} data */
const third_in_16 = (state, data) => {
  const f = data.formats[state.format];
  const x = askedOf(state, f);
  const third = { n: 1n, d: 3n };
  if (x.kind !== "finite" || Q.cmp(value(x), third) !== 0) return not("Type 1/3, then choose a format.");
  if (bitWidth(f) > 16) return not(`${f.label} has ${bitWidth(f)} bits.`);
  const now = compute(state, data);
  const error = Q.sub(Q.of(numberOf(f, now.code)), third);
  if (Q.cmp({ n: Q.abs(error.n), d: error.d }, { n: 1n, d: 3000n }) >= 0)
    return not(`${f.label} is off by ${now.typed.relative}.`);
  return {
    reached: true,
    says: `Reached with ${f.label}: ${now.typed.relative}. BF16 has as many bits, but spends them on range.`,
  };
};
/** @param {State} state @param {Data} data */
const ten_apart = (state, data) => {
  const x = askedOf(state, data.formats[state.format]);
  if (x.kind !== "finite" || x.q.n === 0n) return not("Type a number that is not zero.");
  const held = Object.values(data.formats)
    .filter((f) => bitWidth(f) === 8 && 7 > f.mantissa_bits && f.sign_bits)
    .map((f) => ({ f, v: decode(f, nearest(f, x)) }))
    .filter((row) => Number.isFinite(row.v));
  if (!held.length) return not("No 8-bit float format can store this number.");
  const low = held.reduce((a, b) => (b.v < a.v ? b : a));
  const high = held.reduce((a, b) => (b.v > a.v ? b : a));
  const far = Q.div(Q.mul({ n: 100n, d: 1n }, Q.sub(Q.of(high.v), Q.of(low.v))), x.q);
  const told = `${low.f.label} stores ${short(Q.of(low.v))}, ${high.f.label} stores ${short(Q.of(high.v))}: a difference of ${short(far, 3)} %.`;
  if (Q.cmp(far, { n: 10n, d: 1n }) <= 0)
    return not(far.n ? told : `All ${held.length} formats that can store this number store ${short(Q.of(low.v))}.`);
  return {
    reached: true,
    says: `Reached: ${told} ${Q.cmp(x.q, Q.of(1)) > 0 ? "Small" : "Large"} numbers give large differences, too.`,
  };
};

/** @type {Goals<State, Data>} */
export const goals = { third_in_16, ten_apart };
