/* Numbers of a plan -> the words that the page prints; gallery/command/plan_words.py says the same of memory. */

import { fmt } from "../../../explainers/kit/numbers.js";

/** @import { Held, HeldPart, Job, Now } from "./types.d.ts" */

export const AXES = [
  "tp",
  "pp",
  "cp",
  "dcp",
  "ep",
  "etp",
  "dp",
  "dp_shard",
  "dp_replicate",
  "edp",
  "edp_shard",
  "edp_replicate",
];
/**
 * @param {string} axis
 * @returns {string}
 */
export const role = (axis) => axis.split("_")[0];
/** @type {[name: HeldPart, word: string][]} */
export const PARTS = [
  ["weights_bytes", "weights"],
  ["experts_bytes", "routed experts"],
  ["gradients_bytes", "gradients"],
  ["optimizer_bytes", "optimizer"],
  ["activations_bytes", "activations"],
  ["cache_bytes", "cache"],
  ["framework_bytes", "framework"],
];
/** @type {{ [job in Job]: string }} */
export const STEP = { train: "step", prefill: "prompt", decode: "token" };
/** @type {{ [job in Job]: string }} */
export const JOB = { train: "training", prefill: "prefill", decode: "decode" };

/** @returns {string} */
export const int = fmt.int;
/**
 * @param {number} bytes
 * @returns {string}
 */
export const gb = (bytes) => fmt.fixed(bytes / 1e9, 1);
/**
 * @param {number} n
 * @param {string} one
 * @param {string} [many]
 * @returns {string}
 */
export const plural = (n, one, many = `${one}s`) => `${int(n)} ${n === 1 ? one : many}`;

/**
 * About three significant figures with their noughts: 37.6, 4.04.
 * @param {number} value
 * @param {number} [digits]
 * @returns {string}
 */
export const figures = (value, digits = 3) =>
  fmt.fixed(value, Math.max(0, digits - String(Math.trunc(Math.abs(value))).length));
/**
 * @param {number} bytes
 * @returns {string}
 */
export const size = (bytes) => {
  if (bytes < 10000) return `${Number.isInteger(bytes) ? int(bytes) : fmt.fixed(bytes, 1)} B`;
  const [unit, name] = /** @type {[unit: number, name: string][]} */ ([
    [1e12, "TB"],
    [1e9, "GB"],
    [1e6, "MB"],
    [1e3, "KB"],
  ]).filter(([one]) => bytes >= one)[0];
  return `${figures(bytes / unit)} ${name}`;
};
/**
 * @param {number} x
 * @returns {string}
 */
export const short = (x) => (x >= 1000 ? int(Number(x.toPrecision(3))) : String(Number(x.toPrecision(3))));
/**
 * @param {number} seconds
 * @returns {string}
 */
export const duration = (seconds) => {
  if (seconds < 1e-3) return `${short(seconds * 1e6)} µs`;
  return seconds < 1 ? `${short(seconds * 1e3)} ms` : `${short(seconds)} s`;
};
/**
 * @param {number} perSecond
 * @returns {string}
 */
export const rate = (perSecond) => (perSecond < 100 ? short(perSecond) : int(perSecond));
/**
 * @param {number} each a second
 * @returns {string}
 */
export const flops = (each) => (each >= 1e15 ? `${short(each / 1e15)} PFLOP/s` : `${short(each / 1e12)} TFLOP/s`);
/**
 * @param {string} text
 * @returns {string}
 */
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/**
 * 0-3, 16-19
 * @param {number[]} numbers
 * @returns {string}
 */
export const runs = (numbers) => {
  /** @type {number[][]} */
  const out = [];
  for (const n of numbers) {
    const last = out.at(-1);
    if (last?.[1] === n - 1) last[1] = n;
    else out.push([n, n]);
  }
  return out.map(([a, b]) => (a === b ? `${a}` : `${a}–${b}`)).join(" ");
};

/**
 * @param {string[]} list
 * @returns {string}
 */
export const and = (list) => (list.length > 1 ? `${list.slice(0, -1).join(", ")} and ${list.at(-1)}` : list.join(""));
/**
 * @param {number} x
 * @returns {string}
 */
export const share = (x) =>
  ({ 0.5: "half", 0.75: "three quarters", 0.875: "seven eighths" })[x] || `${short(100 * x)} %`;

/**
 * What is one rank of a stage called, and how many are like it.
 * @param {Now} now
 * @param {Held} rank
 * @returns {string}
 */
export const where = (now, rank) =>
  now.layout.pp > 1 ? `stage ${rank.stage}` : now.layout.gpus > 1 ? "each GPU" : "the GPU";
/** @returns {string} */
export const count = fmt.count;
/**
 * @param {string} name
 * @returns {string}
 */
export const device = (name) => name.replaceAll("_", " ").toUpperCase();
/**
 * A number as Python's `:g` writes it: six digits, no zeros behind them.
 * @param {number} number
 * @returns {string}
 */
export const g = (number) => String(Number(number.toPrecision(6)));
