/* A plan's address, both ways; the twin of gallery/planning/address.py. What cannot be read is told, and nothing is planned. */

import { KNOWN, OF_PLAN, PAGE, pair, TRACKING, WORDS } from "./address-words.js";
import * as layout from "./layout.js";
import * as words from "./words.js";

/** @import { Changes, Chosen, Layout, PlanData } from "./types.d.ts" */
/** @import { Read } from "./address-words.js" */

/**
 * The page's own words, and those of fields that follow from the rest.
 * @typedef {{ [word: string]: string | string[] | undefined } & { m?: string, follows?: string[] }} Own
 */

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
