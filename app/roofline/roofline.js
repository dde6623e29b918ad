// What each block of a model does and moves -> rows and verdict.
//
// Every block takes at least as long as its arithmetic and as its bytes, and blocks follow one another: a bound below
// which no step can be on so many GPUs that share the work evenly, with free communication.

import { DTYPES, fixed, inBytes, int, rowBytes } from "../weigh/cache-bytes.js";

/** @import { RooflineData, RooflineRow, RooflineState, WorkBlock, WorkSheet } from "../site/types.d.ts" */

/** @type {[size: number, unit: string][]} */
export const FLOPS = [
  [1e18, "EFLOP"],
  [1e15, "PFLOP"],
  [1e12, "TFLOP"],
  [1e9, "GFLOP"],
  [1e6, "MFLOP"],
  [1, "FLOP"],
];
/** @type {[size: number, unit: string][]} */
const TIMES = [
  [1, "s"],
  [1e-3, "ms"],
  [1e-6, "µs"],
  [1e-9, "ns"],
];
const BINDS = { arithmetic: "arithmetic", weights: "reading weights", cache: "reading its cache", "": "nothing" };
const EVERY = 3;

/**
 * @param {number} value
 * @param {[size: number, unit: string][]} steps
 */
export function scaled(value, steps) {
  const [size, unit] = steps.find(([one]) => value >= one) ?? steps[steps.length - 1];
  return `${fixed(value / size, 1)} ${unit}`;
}

// ---------------------------------------------------------------- work and bytes

/**
 * A sum over past entries: of one token that sees so many, or of all tokens of a prompt.
 * @param {number} context
 * @param {number} every
 * @param {number | null} cap
 */
function entriesAt(context, every, cap) {
  const found = Math.floor(context / every);
  return cap === null ? found : Math.min(found, cap);
}
/**
 * @param {number} tokens
 * @param {number} every
 * @param {number | null} cap
 */
function entriesOver(tokens, every, cap) {
  const limit = cap === null ? tokens : Math.min(tokens, cap * every + every - 1);
  const full = Math.floor(limit / every),
    rest = limit % every;
  return every * ((full * (full - 1)) / 2) + full * (rest + 1) + (tokens - limit) * (cap || 0);
}
/**
 * @param {WorkSheet} sheet
 * @param {WorkBlock} block
 * @param {number} context
 * @param {number} batch
 * @param {boolean} prefill
 */
function flops(sheet, block, context, batch, prefill) {
  let total = block.token * (prefill && block.half !== "head" ? context : 1); // the last token alone meets the head
  for (const [each, every, cap, when] of block.reads)
    if (when === "" || when === (prefill ? "prefill" : "decode"))
      total += each * (prefill ? entriesOver : entriesAt)(context, every, cap);
  return total * batch * (block.half === "head" ? 1 : sheet.loops);
}
/**
 * @param {WorkBlock} block
 * @param {number} tokens
 */
const weightBytes = (block, tokens) =>
  block.weights +
  block.experts.reduce(
    (sum, [size, many, visits]) =>
      sum + Number((BigInt(size) * BigInt(Math.min(visits * tokens, many)) + BigInt(many - 1)) / BigInt(many)),
    0,
  );
/**
 * @param {WorkSheet} sheet
 * @param {WorkBlock} block
 * @param {number} context
 * @param {string} dtype
 * @param {number} batch
 * @param {boolean} prefill
 */
function cacheBytes(sheet, block, context, dtype, batch, prefill) {
  let total = 0;
  for (const [row, most, many] of block.keeps)
    total +=
      many *
      rowBytes(row, sheet.loops, prefill || most === null ? context : Math.min(context, most * row[EVERY]), dtype);
  return total * batch;
}

/**
 * @param {RooflineData} data
 * @param {RooflineState} state
 * @returns {RooflineRow[]}
 */
export function rows({ sheet, devices }, state) {
  const prefill = state.job === "prefill",
    [bandwidth, peaks] = devices[state.gpu];
  const speed = state.gpus * bandwidth,
    tokens = state.batch * (prefill ? state.ctx : 1);
  return sheet.blocks.map((block) => {
    const work = flops(sheet, block, state.ctx, state.batch, prefill),
      weights = weightBytes(block, tokens);
    const cache = cacheBytes(sheet, block, state.ctx, DTYPES[state.kv], state.batch, prefill);
    const peak = state.gpus * peaks[block.runs],
      counting = work / peak,
      moving = (weights + cache) / speed,
      seconds = Math.max(counting, moving);
    const binds = !seconds ? "" : counting > moving ? "arithmetic" : weights >= cache ? "weights" : "cache";
    return {
      name: block.name,
      half: block.half,
      count: block.count,
      flops: work,
      weights,
      cache,
      seconds,
      peak,
      binds,
      intensity: weights + cache ? work / (weights + cache) : 0,
    };
  });
}
/**
 * @param {RooflineRow[]} found
 * @returns {number}
 */
export const totalOf = (found) => found.reduce((sum, one) => sum + one.seconds, 0);
/**
 * @param {RooflineRow} one
 * @param {number} total seconds of all blocks
 * @returns {string[]}
 */
export const cells = (one, total) => [
  scaled(one.flops, FLOPS),
  inBytes(one.weights),
  inBytes(one.cache),
  fixed(one.intensity, 1),
  scaled(one.seconds, TIMES),
  `${fixed(100 * (total ? one.seconds / total : 0), 1)} %`,
  BINDS[one.binds],
];

/**
 * @param {RooflineRow[]} found
 * @param {RooflineState} state
 * @returns {string}
 */
export function verdict(found, state) {
  const prefill = state.job === "prefill",
    total = totalOf(found),
    many = `${int(state.gpus)} × ${state.gpu.replaceAll("_", " ").toUpperCase()}`;
  if (!total) return `Nothing is done on ${many}.`;
  const most = found.reduce((best, one) => (one.seconds > best.seconds ? one : best));
  const what = prefill ? (state.batch > 1 ? "the prompts take" : "the prompt takes") : "a decode step takes";
  const where = most.half === "head" ? "" : ` in ${int(most.count)} layers`;
  return (
    `On ${many} ${what} at least ${scaled(total, TIMES)}, ${int((state.batch * (prefill ? state.ctx : 1)) / total)} tokens a second. ` +
    `${fixed(100 * (most.seconds / total), 0)} % of that time goes to ${most.name}${where}, bound by ${BINDS[most.binds]}.`
  );
}
