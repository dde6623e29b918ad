// The address of /compare/ <-> what is shown: ?a=&b=&c=&d=&e=&f=&show=&equal=1&view=table&ctx=&kv=&part=.
import { LETTERS, PARTS } from "./compare-numbers.js";

/** @import { CacheFormat } from "../site/types.d.ts" */

/** @typedef {{ ctx: number, kv: CacheFormat }} CacheChoice */

/** What a cache is stored as. @type {[word: CacheFormat, label: string][]} */
export const FORMATS = [
  ["bf16", "BF16"],
  ["fp8", "FP8"],
  ["fp4", "FP4"],
  ["packed", "FP8 packed"],
  ["v4", "V4’s own"],
];
/** @type {CacheChoice} */
export const USUAL = { ctx: 2 ** 17, kv: "bf16" };

/** @typedef {{ slugs: string[], equal: boolean, table: boolean, show: string, part: string, cache: CacheChoice }} Shown */

export const SHOWS = ["a", "both", "b"];
export const KEYS = LETTERS.map((letter) => letter.toLowerCase());

/**
 * The cache that an address asks for; anything else is the usual.
 * @param {URLSearchParams} asked
 * @returns {CacheChoice}
 */
function chosen(asked) {
  const ctx = Number(asked.get("ctx")),
    kv = FORMATS.find(([word]) => word === asked.get("kv"))?.[0];
  return { ctx: Number.isInteger(ctx) && ctx > 0 && ctx <= 2 ** 24 ? ctx : USUAL.ctx, kv: kv ?? USUAL.kv };
}

/**
 * What an address asks for; `first` are the models of one that names none.
 * @param {string} search
 * @param {string[]} first
 * @returns {Shown}
 */
export const readAddress = (search, first) => {
  const asked = new URLSearchParams(search);
  const slugs = KEYS.map((key) => asked.get(key) ?? "").filter(Boolean);
  const part = asked.get("part") ?? "";
  return {
    slugs: slugs.length ? slugs : [...first],
    equal: asked.get("equal") === "1",
    table: asked.get("view") === "table",
    cache: chosen(asked),
    show: SHOWS.find((one) => one === asked.get("show")) ?? "both",
    part: Object.hasOwn(PARTS, part) ? part : "",
  };
};

/**
 * The same as a query, without what an empty one means: "" or "?a=...".
 * @param {Shown} state
 * @param {string[]} first
 */
export const queryOf = (state, first) => {
  const asked = new URLSearchParams();
  if (state.slugs.join(" ") !== first.join(" ")) state.slugs.forEach((slug, i) => slug && asked.set(KEYS[i], slug));
  if (state.show !== "both") asked.set("show", state.show);
  if (state.equal) asked.set("equal", "1");
  if (state.table) asked.set("view", "table");
  if (state.cache.ctx !== USUAL.ctx) asked.set("ctx", String(state.cache.ctx));
  if (state.cache.kv !== USUAL.kv) asked.set("kv", state.cache.kv);
  if (state.part) asked.set("part", state.part);
  const text = asked.toString().replaceAll("%2F", "/").replaceAll("%3A", ":");
  return text && `?${text}`;
};
/**
 * The pair of A and another of several; a cell says which part it is about.
 * @param {string} a
 * @param {string} b
 * @param {string} part
 */
export const pairQuery = (a, b, part) =>
  `?${new URLSearchParams({ a, b, ...(part && { part }) }).toString().replaceAll("%2F", "/")}`;
