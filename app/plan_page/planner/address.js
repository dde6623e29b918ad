/* A plan's address, both ways; the twin of gallery/planning/address.py. What cannot be read is told, and nothing is planned. */

import * as layout from "./layout.js";
import * as schedules from "./schedules.js";
import * as stageWeights from "./stage-weights.js";
import * as words from "./words.js";

/** @import { Changes, Chosen, Layout, PlanData } from "./types.d.ts" */

/**
 * A word of an address -> a field's value; undefined where it cannot be one.
 * @typedef {(text: string, data: PlanData) => string | number | number[] | undefined} Read
 */

/**
 * The page's own words, and those of fields that follow from the rest.
 * @typedef {{ [word: string]: string | string[] | undefined } & { m?: string, follows?: string[] }} Own
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
const OF_PLAN = [...WORDS.map(([word]) => word), "m"];
const KNOWN = [...OF_PLAN, ...PAGE];
const TRACKING = /^(utm_\w+|fbclid|gclid|ref)$/; // added by others on the way; they say nothing of a plan

/**
 * Every word's value, as it would be written.
 * @param {Layout} one
 * @returns {{ [word: string]: string }}
 */
export const word_values = (one) => {
  const made = Object.fromEntries(
    WORDS.map(([word, field]) => [word, String(/** @type {{ [field: string]: unknown }} */ (one)[field] ?? "")]),
  );
  return {
    ...made,
    on: `${one.device.name}:${one.nodes}x${one.per_node}`,
    pp: one.chunks > 1 ? `${one.pp}x${one.chunks}` : `${one.pp}`,
    cp: `${one.cp}${one.cp_kind === layout.DEFAULTS.cp_kind ? "" : `:${one.cp_kind}`}`,
    g: one.gradient_bytes === 4 ? "" : "bfloat16",
    busy: words.g(one.imbalance),
    used: words.g(one.used),
    [one.job === "decode" ? "batch" : "n"]: "",
  };
};

/**
 * The value of every word that need not be written.
 * @param {Layout} one
 * @returns {{ [word: string]: string }}
 */
export const default_values = (one) => {
  const usual = Object.fromEntries(
    WORDS.map(([word, field]) => [
      word,
      String(/** @type {{ [field: string]: unknown }} */ (layout.DEFAULTS)[field] ?? ""),
    ]),
  );
  const batch = String(layout.usual_batch(one));
  return {
    ...usual,
    on: "",
    pp: "1",
    cp: "1",
    g: "",
    busy: "1",
    used: words.g(layout.DEFAULTS.used),
    etp: String(one.usual_etp),
    mtp: String(layout.usual_mtp(one)),
    batch,
    n: batch,
  };
};

/**
 * @param {string} text
 * @returns {string}
 */
export const quote = (text) =>
  encodeURIComponent(text)
    .replace(/%(2F|3A|2C|21|2A|28|29)/g, (found) => decodeURIComponent(found))
    .replaceAll("'", "%27");

/**
 * The words of a layout and the page's own.
 * @param {Layout} one
 * @param {Own} [own]
 * @returns {string}
 */
export const of = (one, own = {}) => {
  const [made, usual] = [word_values(one), default_values(one)];
  const found = [
    ...(own.m ? [["m", own.m]] : []),
    ...WORDS.map(([word]) => [word, made[word]]).filter(
      ([word, value]) => value && value !== usual[word] && !own.follows?.includes(word),
    ),
    ...PAGE.map((word) => [word, own[word]]).filter(([, value]) => value),
  ];
  return found.map(([word, value]) => `${word}=${quote(String(value))}`).join("&");
};

/**
 * The fields that one word sets, or undefined.
 * @param {string} word
 * @param {string} field
 * @param {Read} read
 * @param {string} text
 * @param {PlanData} data
 * @returns {Changes | undefined}
 */
export const field = (word, field, read, text, data) => {
  if (word === "on") {
    const [name, shape] = text.split(":");
    const device = data.devices.find((one) => one.name === name.toLowerCase().replaceAll("-", "_"));
    const size = shape === undefined ? [1, device?.gpus_per_node] : /x/.test(shape) ? pair(shape) : undefined;
    return device && size ? { device: device.name, nodes: size[0], per_node: size[1] } : undefined;
  }
  if (word === "cp") {
    const found = /^(\d{1,13})(?::(all-gather|ring|ulysses))?$/.exec(text);
    return found ? { cp: Number(found[1]), cp_kind: found[2] || "all-gather" } : undefined;
  }
  const value = read(text, data);
  if (value === undefined) return undefined;
  if (Array.isArray(value)) return { pp: value[0], chunks: value[1] };
  return word === "n" ? { n: Number(value) } : { [field]: value };
};

/**
 * Why a word cannot be read, as a sentence.
 * @param {string} word
 * @param {string} text
 * @param {Pick<PlanData, "devices">} data
 * @returns {string}
 */
export const refusal = (word, text, { devices }) => {
  const said = `“${text.slice(0, 40)}”`;
  if (!KNOWN.includes(word))
    return `The address has an unknown key, “${word.slice(0, 40)}”. Known keys: ${KNOWN.join(", ")}.`;
  if (word !== "on") return `${word} cannot be ${said}.`;
  const name = text.split(":")[0].toLowerCase().replaceAll("-", "_");
  if (devices.some((one) => one.name === name)) return `on takes nodes x GPUs, as in h200_sxm:2x8, not ${said}.`;
  return `No device is called “${text.split(":")[0].slice(0, 40)}”; known are ${devices.map((one) => one.name).join(", ")}.`;
};

/**
 * Whether an address says nothing of a model or a layout, as a first visit's.
 * @param {string} search
 * @returns {boolean}
 */
export const is_bare = (search) => {
  const given = new URLSearchParams(search);
  return !OF_PLAN.some((word) => given.has(word));
};

/**
 * {chosen, wrong: [word, ...], why: [sentence, ...]}: what cannot be read keeps its default, and a sentence says so.
 * @param {string} search
 * @param {PlanData} data
 * @returns {{ chosen: Chosen, wrong: string[], why: string[] }}
 */
export const read_address = (search, data) => {
  const given = new URLSearchParams(search);
  /** @type {[Chosen, string[]]} */
  const [chosen, wrong] = [
    { ...data.chosen },
    [...new Set(given.keys())].filter((word) => !KNOWN.includes(word) && !TRACKING.test(word)),
  ];
  for (const [word, name, read] of WORDS) {
    if (!given.has(word)) continue;
    const found = field(word, name, read, given.get(word) ?? "", data);
    if (found) Object.assign(chosen, found);
    else wrong.push(word);
  }
  for (const word of /** @type {const} */ (["m", "pick", "pin"]))
    if (given.has(word)) chosen[word] = given.get(word) ?? "";
  if (/^\d{1,9}(\.\d{1,12})?(e-\d{1,2})?$/.test(given.get("t") || "")) chosen.t = given.get("t") ?? "";
  else if (given.has("t")) wrong.push("t");
  if (["least", "sum"].includes(given.get("sort") || "")) chosen.sort = given.get("sort") ?? "";
  else if (given.has("sort")) wrong.push("sort");
  return { chosen, wrong, why: wrong.map((word) => refusal(word, given.get(word) ?? "", data)) };
};
