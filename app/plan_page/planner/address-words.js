/* The words of a plan's address: which field each sets, and what it may say. */

import * as layout from "./layout.js";
import * as schedules from "./schedules.js";
import * as stageWeights from "./stage-weights.js";

/** @import { PlanData } from "./types.d.ts" */

/**
 * A word of an address -> a field's value; undefined where it cannot be one.
 * @typedef {(text: string, data: PlanData) => string | number | number[] | undefined} Read
 */

/**
 * @param {string} text
 * @returns {string}
 */
export const text = (text) => text;
/**
 * @param {string} text
 * @returns {number | undefined}
 */
export const parse_integer = (text) => (/^\d{1,13}$/.test(text) ? Number(text) : undefined);
/**
 * @param {string} text
 * @returns {number | undefined}
 */
export const factor = (text) => (/^\d{1,4}(\.\d{1,6})?$/.test(text) ? Number(text) : undefined);
/**
 * @param {string} text
 * @returns {number | undefined}
 */
export const share = (text) => {
  const share = factor(text);
  return share && share <= 1 ? share : undefined;
};
/**
 * @param {...string} list
 * @returns {(text: string) => string | undefined}
 */
export const one =
  (...list) =>
  (text) =>
    list.includes(text) ? text : undefined;
/**
 * @param {{ [short: string]: string }} names
 * @param {() => string[]} list
 * @returns {(text: string) => string | undefined}
 */
export const short = (names, list) => (text) => {
  const name = names[text] || text;
  return list().includes(name) ? name : undefined;
};

/** @type {{ [short: string]: string }} */
export const CACHES = { fp8: "float8_e4m3fn", bf16: "bfloat16", fp16: "float16", fp4: "float4_e2m1fn" };
/** @type {{ [short: string]: string }} */
export const WEIGHTS = { bf16: "bfloat16", fp16: "float16", float8_e4m3fn: "fp8" };
/** @returns {string[]} */
export const FORMS = () => ["bfloat16", "fp8", "fp4"];
/**
 * @param {string} text
 * @returns {number[] | undefined}
 */
export const pair = (text) => {
  const found = /^(\d{1,7})(?:x(\d{1,7}))?$/.exec(text);
  return found ? [Number(found[1]), Number(found[2] || 1)] : undefined;
};

/**
 * None, parts, full, or modules.
 * @param {string} text
 * @returns {string | undefined}
 */
export const recompute = (text) =>
  layout.RECOMPUTES.includes(text) || text.split(",").every((name) => layout.REDONE.includes(name)) ? text : undefined;

/**
 * [word, field, read(text) -> value or undefined], in the order of an address.
 * @type {[word: string, field: string, read: Read][]}
 */
export const WORDS = [
  ["on", "on", text],
  ["job", "job", one(...layout.JOBS)],
  ["tp", "tp", parse_integer],
  ["pp", "pp", pair],
  ["sched", "schedule", one(...Object.keys(schedules.ROWS))],
  ["split", "split", (text) => (/^[EtmL|(),*\d\s]{1,400}$/.test(text) ? text : undefined)],
  ["mtp", "mtp", parse_integer],
  ["cp", "cp", text],
  ["ep", "ep", parse_integer],
  ["etp", "etp", parse_integer],
  ["zero", "zero", parse_integer],
  ["shard", "dp_shard", parse_integer],
  ["order", "order", (text) => (/^[a-z-]{2,20}$/.test(text) ? text : undefined)],
  ["dcp", "dcp", parse_integer],
  ["seq", "sequence", parse_integer],
  ["batch", "batch", parse_integer],
  ["mb", "micro_batch", parse_integer],
  ["ctx", "context", parse_integer],
  ["n", "batch", parse_integer],
  ["re", "recompute", recompute],
  ["lora", "lora_rank", parse_integer],
  ["off", "offload", (text) => (/^(experts|\d{1,4})$/.test(text) ? text : undefined)],
  ["busy", "imbalance", factor],
  ["red", "redundant", parse_integer],
  ["w", "weights_dtype", short(WEIGHTS, () => Object.keys(stageWeights.WEIGHT_BITS))],
  ["g", "gradient_dtype", one("float32", "bfloat16")],
  ["o", "optimizer_bytes", parse_integer],
  ["x", "compute_dtype", short(WEIGHTS, FORMS)],
  ["d", "dispatch_dtype", short(WEIGHTS, FORMS)],
  ["kv", "cache_dtype", (text, data) => short(CACHES, () => Object.keys(data.cache_bits))(text)],
  ["fw", "framework_bytes", parse_integer],
  ["used", "used", share],
];
export const PAGE = ["pin", "pick", "t", "sort"];
export const OF_PLAN = [...WORDS.map(([word]) => word), "m"];
export const KNOWN = [...OF_PLAN, ...PAGE];
export const TRACKING = /^(utm_\w+|fbclid|gclid|ref)$/; // added by others on the way; they say nothing of a plan
