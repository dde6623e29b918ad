/* Twin of steps.py: a model's sheet, a device and a load -> each block's work, bytes and least time; halves; where one
   passes another. */
import { fmt } from "../kit/numbers.js";

/** @import { State } from "../../.make/data_types/roofline.d.ts" */
/** @import { Block, Half, Sheet } from "./sheet.js" */

/**
 * What all GPUs do in a second: products by form, and bytes.
 * @typedef {{ forms: number[], peaks: number[], bytes: number }} Rates
 */

/** A unit and its size, largest first. @typedef {[size: number, unit: string]} Unit */

/** A block of a step in numbers. @typedef {ReturnType<typeof row_of> & { share: number }} Row */

/** All blocks of a half. @typedef {ReturnType<typeof half_of>} Sums */

const [LAST_BATCH, LAST_CONTEXT] = [2 ** 24, 2 ** 27];

/** @type {{ [kv: string]: number }} */
export const KV_BITS = { bf16: 16, fp8: 8 };

/** @type {Unit[]} */
export const TIMES = [
  [1e3, "s"],
  [1, "ms"],
  [1e-3, "µs"],
  [1e-6, "ns"],
];

/** @type {Unit[]} */
export const WORK = [
  [1e18, "EFLOP"],
  [1e15, "PFLOP"],
  [1e12, "TFLOP"],
  [1e9, "GFLOP"],
  [1e6, "MFLOP"],
  [1, "FLOP"],
];

export const FORMS = ["16 bits", "FP8", "FP4"];

const BINDS = { arithmetic: "arithmetic", weights: "reading weights", cache: "reading its cache", "": "nothing" };

/** @type {{ [half: string]: string }} */
const LABELS = { mixer: ": projections", past: ": cache" };

/** @param {number[]} list */
export const sum = (list) => list.reduce((a, b) => a + b, 0);

/** @param {number} value @param {Unit[]} steps */
export const spelt = (value, steps) => {
  const [size, unit] = /** @type {Unit} */ (steps.find(([one]) => value >= one) || steps.at(-1));
  const digits = !value ? 0 : 10 > value / size ? 2 : 1000 > value / size ? 1 : 0;
  return `${fmt.fixed(value / size, digits)} ${unit}`;
};

/** @param {number} context @param {number} every @param {number | null} cap */
const entries_at = (context, every, cap) => {
  const found = Math.floor(context / every);
  return cap === null ? found : Math.min(found, cap);
};

/** @param {number} tokens @param {number} every @param {number | null} cap */
const entries_over = (tokens, every, cap) => {
  const limit = cap === null ? tokens : Math.min(tokens, cap * every + every - 1);
  const [full, rest] = [Math.floor(limit / every), limit % every];
  return (every * full * (full - 1)) / 2 + full * (rest + 1) + (tokens - limit) * (cap || 0);
};

/** @param {Sheet} sheet @param {Block} block @param {number} context @param {number} batch @param {boolean} prefill */
const flops_of = ({ loops }, block, context, batch, prefill) => {
  let total = block.token * (prefill ? context : 1);
  for (const [each, every, cap, when] of block.reads) {
    if (when === "" || when === (prefill ? "prefill" : "decode"))
      total += each * (prefill ? entries_over : entries_at)(context, every, cap);
  }
  return total * batch * (block.half === "head" ? 1 : loops);
};

/** @param {number} n @param {number} by */
export const up = (n, by) => (n - (n % by)) / by + (n % by ? 1 : 0);

/** @param {Block} block @param {number} tokens */
const weights_of = (block, tokens) =>
  block.weights + sum(block.experts.map(([size, many, visits]) => up(size * Math.min(visits * tokens, many), many)));

/**
 * @param {Sheet} sheet
 * @param {Block} block
 * @param {number} context
 * @param {string} kv
 * @param {number} batch
 * @param {boolean} prefill
 */
const cache_of = ({ loops }, block, context, kv, batch, prefill) =>
  batch *
  sum(
    block.keeps.map(([numbers, bits, every, cap, fixed, most, layers]) => {
      const seen = prefill || most === null ? context : Math.min(context, most * every);
      return layers * up((bits + numbers * KV_BITS[kv]) * (fixed ? 1 : entries_at(seen, every, cap)) * loops, 8);
    }),
  );

/**
 * @param {Sheet} told
 * @param {Block} block
 * @param {State} load
 * @param {boolean} prefill
 * @returns {[weights: number, cache: number]}
 */
export const moved = (told, block, { context, batch, kv }, prefill) => [
  weights_of(block, batch * (prefill ? context : 1)),
  cache_of(told, block, context, kv, batch, prefill),
];

/** @param {Sheet} told @param {Block} block @param {State} state @param {Rates} rates */
export const row_of = (told, block, state, rates) => {
  const prefill = state.job === "prefill";
  const [form, rate] = [rates.forms[block.runs], rates.peaks[block.runs]];
  const flops = flops_of(told, block, state.context, state.batch, prefill && block.half !== "head");
  const [weights, cache] = moved(told, block, state, prefill);
  const bytes = weights + cache;
  const [flops_ms, bytes_ms] = [(1e3 * flops) / rate, (1e3 * bytes) / rates.bytes];
  const ms = Math.max(flops_ms, bytes_ms);
  const binds = !ms ? "" : flops_ms > bytes_ms ? "arithmetic" : weights >= cache ? "weights" : "cache";
  return {
    label: block.name + (LABELS[block.half] || ""),
    half: block.half,
    role: block.role,
    form: FORMS[form],
    peak: rate / state.gpus,
    count: block.count,
    work: spelt(flops, WORK),
    flops,
    weights,
    cache,
    bytes,
    intensity: bytes ? flops / bytes : 0,
    tflops: ms ? flops / ms / 1e9 / state.gpus : 0,
    flops_ms,
    bytes_ms,
    ms,
    time: spelt(ms, TIMES),
    binds: BINDS[binds],
  };
};

/** @param {Row[]} rows @param {Half} name @param {number} gpus @param {Rates} rates */
export const half_of = (rows, name, gpus, rates) => {
  const mine = rows.filter((one) => one.half === name);
  const [flops, bytes, ms, counting] = /** @type {const} */ (["flops", "bytes", "ms", "flops_ms"]).map((key) =>
    sum(mine.map((one) => one[key])),
  );
  return {
    flops,
    bytes,
    ms,
    time: spelt(ms, TIMES),
    intensity: bytes ? flops / bytes : 0,
    tflops: ms ? flops / ms / 1e9 / gpus : 0,
    ridge: counting ? (1e3 * flops) / counting / rates.bytes : 0,
  };
};

/** @param {(n: number) => boolean} holds @param {number} high */
const last_of = (holds, high) => {
  if (!holds(1) || holds(high)) return holds(1) ? -1 : 0;
  let [low, top] = [1, high];
  while (top - low > 1) {
    const middle = Math.floor((low + top) / 2);
    if (holds(middle)) low = middle;
    else top = middle;
  }
  return low;
};

/** @param {Sheet} told @param {Half} name @param {Rates} rates */
export const waits = (told, name, rates) => {
  const mine = told.blocks.filter((one) => one.half === name);
  const token = sum(mine.map((one) => flops_of(told, one, 1, 1, false) / rates.peaks[one.runs]));
  return last_of((batch) => sum(mine.map((one) => weights_of(one, batch))) >= token * batch * rates.bytes, LAST_BATCH);
};

/** @param {Sheet} told @param {State} state */
export const rule_of = (told, state) => {
  /** @param {number} context @param {number} batch */
  const more = (context, batch) => {
    const both = told.blocks.map((one) => moved(told, one, { ...state, context, batch }, false));
    return sum(both.map(([weights]) => weights)) >= sum(both.map(([, cache]) => cache));
  };
  const batch = last_of((batch) => more(state.context, batch), LAST_BATCH);
  return {
    tokens: last_of((context) => more(context, state.batch), LAST_CONTEXT),
    sequences: batch >= 0 ? batch + 1 : -1,
  };
};
