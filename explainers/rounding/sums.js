/* Twin of sums.py: numbers added one by one in a format -> the running sum, where it stops, and what helps. */
import { hash32, upto } from "../kit/arrays.js";
import { even } from "../kit/codes.js";
import { log2, POW2 } from "../kit/fractions.js";

/** @import { Data, State } from "../../.make/data_types/rounding.d.ts" */
/** @import { Format } from "../kit/codes.js" */

/** A running sum. @typedef {ReturnType<typeof told>} Running */
/** A number to a format, at a step of the sum. @typedef {(x: number, f: Format, i: number) => number} Round */

/** The formats by their names. @param {Data} data */
export const formatsOf = (data) => /** @type {{ [name: string]: Format }} */ (data.formats);

const TERMS = ["ones", "products", "signed"];
export const HOW = ["plain", "stochastic", "chunks", "kahan"];
const [RUNS, POINTS, T95] = [16, 64, 2.131];

/** @param {State} state @param {Data} data @returns {string} */
export const checkSums = (state, data) => {
  /** @type {[value: string | number, values: (string | number)[], words: string][]} */
  const rows = [
    [state.terms, TERMS, "What is summed"],
    [state.n, data.lengths, "The number of terms"],
    [state.sum, data.accumulators, "The accumulator"],
    [state.how, HOW, "The way of adding"],
    [state.chunk, data.chunks, "A chunk"],
  ];
  const wrong = rows.find(([value, values]) => !values.includes(value));
  return wrong ? `${wrong[2]} is one of ${wrong[1].join(", ")}.` : "";
};

/* The sixteen values of E4M3 from 0.5 to 1.875. */
/** @param {number} code */
const fp8 = (code) => (8 + (code % 8)) / (code < 8 ? 16 : 8);
/** @param {string} kind @param {number} n @param {number} seed @returns {number[]} */
const termsOf = (kind, n, seed) => {
  const start = hash32(seed + 2000);
  return upto(n).map((i) => {
    if (kind === "ones") return 1;
    const random = hash32(start + i);
    const product = fp8(random % 16) * fp8((random >>> 4) % 16);
    return kind === "signed" && (random >>> 8) % 2 ? -product : product;
  });
};

/** The distance of a format's values around a number. @param {number} x @param {Format} f */
const stepAt = (x, f) => POW2(Math.max(log2(Math.abs(x) || 2 ** -1000), 1 - f.bias) - f.mantissa_bits);
/** @type {Round} */
const plainly = (x, f) => {
  const step = stepAt(x, f);
  return even(x / step) * step;
};
/** @param {number} seed @param {number} run @returns {Round} */
const byChance = (seed, run) => {
  const start = hash32(seed * RUNS + run + 3000);
  return (x, f, i) => {
    const step = stepAt(x, f);
    const down = Math.floor(x / step);
    return (down + ((x / step - down) * 2 ** 32 > hash32(start + i) ? 1 : 0)) * step;
  };
};

/** @param {Round} round @param {number[]} numbers @param {Format} f */
const add = (round, numbers, f) => {
  let total = 0;
  return numbers.map((one, i) => {
    total = round(total + one, f, i);
    return total;
  });
};
/** @param {number[]} numbers @param {Format} f @param {Format} whole @param {number} chunk */
const inChunks = (numbers, f, whole, chunk) => {
  let [total, part] = [0, 0];
  return numbers.map((one, i) => {
    part = plainly(part + one, f, i);
    const now = plainly(total + part, whole, i);
    if ((i + 1) % chunk === 0) [total, part] = [now, 0];
    return now;
  });
};
/** @param {number[]} numbers @param {Format} f */
const kahan = (numbers, f) => {
  let [total, lost] = [0, 0];
  return numbers.map((one, i) => {
    const more = plainly(one - lost, f, i);
    const after = plainly(total + more, f, i);
    lost = plainly(plainly(after - total, f, i) - more, f, i);
    total = after;
    return total;
  });
};

/**
 * A running sum: its total, its error, when it last changed, and points of its line.
 * @param {Format} f
 * @param {number[]} sums
 * @param {{ exact: number, size: number, at: number[] }} given
 */
const told = (f, sums, { exact, size, at }) => {
  const total = sums[sums.length - 1];
  let moved = sums.length;
  while (moved > 1 && sums[moved - 1] === sums[moved - 2]) moved -= 1;
  return {
    name: f.name,
    label: f.label,
    total,
    error: (total - exact) / size,
    moved,
    line: at.map((n) => sums[n - 1]),
  };
};

/** @param {State} state @param {Data} data */
export const runSums = (state, data) => {
  const numbers = termsOf(state.terms, state.n, state.seed);
  const running = add((x) => x, numbers, formatsOf(data).float32); // exact: all terms are multiples of 1/256
  const exact = running[running.length - 1];
  const size = numbers.reduce((sum, one) => sum + Math.abs(one), 0);
  const at = upto(POINTS).map((i) => (state.n * (i + 1)) / POINTS);
  const given = { exact, size, at };
  return {
    at,
    exact,
    line: at.map((n) => running[n - 1]),
    plain: data.accumulators.map((name) =>
      told(formatsOf(data)[name], add(plainly, numbers, formatsOf(data)[name]), given),
    ),
    chosen: chosen(state, data, numbers, given),
  };
};
/** @param {State} state @param {Data} data @param {number[]} numbers @param {{ exact: number, size: number, at: number[] }} given */
const chosen = (state, data, numbers, given) => {
  const f = formatsOf(data)[state.sum];
  const every = {
    plain: () => [add(plainly, numbers, f)],
    stochastic: () => upto(RUNS).map((run) => add(byChance(state.seed, run), numbers, f)),
    chunks: () => [inChunks(numbers, f, formatsOf(data).float32, state.chunk)],
    kahan: () => [kahan(numbers, f)],
  }[/** @type {"plain" | "stochastic" | "chunks" | "kahan"} */ (state.how)]();
  const totals = every.map((one) => one[one.length - 1]);
  const mean = totals.reduce((sum, one) => sum + one, 0) / totals.length;
  const spread = Math.sqrt(totals.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (RUNS - 1));
  return {
    ...told(f, every[0], given),
    totals,
    mean,
    half: totals.length > 1 ? (T95 * spread) / Math.sqrt(RUNS) : 0,
    off: (mean - given.exact) / given.size,
  };
};
