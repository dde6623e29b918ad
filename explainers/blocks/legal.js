/* What may be chosen on this page, and the sentence that says so. Twin of legal.py. */
import { codec } from "./codec.js";
import { row_of } from "./quantizer.js";

/** @import { Data } from "../../.make/data_types/blocks.d.ts" */
/** @import { Edits, State } from "./compute.js" */

/** @param {unknown} v @param {number} low @param {number} high */
const between = (v, low, high) => typeof v === "number" && Number.isFinite(v) && v >= low && v <= high;
/** @param {unknown} v @param {number} low @param {number} high */
const whole = (v, low, high) => between(v, low, high) && Number.isInteger(v);
/** @param {{ name: string }[]} rows */
const names = (rows) => rows.map((row) => row.name);
/** The sentence about a word that is none of those that are known, or "". @param {string} what @param {string} word @param {string[]} known */
const unknown = (what, word, known) =>
  known.includes(word) ? "" : `There is no ${what} “${word}”. There are: ${known.join(", ")}.`;
/** "" or the sentence that says what is legal. @param {State} state @param {Data} data */
export const check = (state, data) => {
  const word =
    unknown("scheme", state.scheme, names(data.schemes)) ||
    unknown("scale rule", state.rule, names(data.rules)) ||
    unknown(
      "sample",
      state.sample,
      data.samples.map((row) => row.value),
    ) ||
    unknown("packing", state.packing, Object.keys(data.packings));
  if (word) return word;
  const own = Array.isArray(state.own) && state.own.every((v) => between(v, -data.limit, data.limit));
  if (!own || state.own.length > data.own || (state.sample === "own" && !state.own.length))
    return "Your own numbers are 1 to 256 numbers from -10,000 to 10,000.";
  if (!whole(state.seed, 0, 9999)) return "The seed is a whole number from 0 to 9,999.";
  if (!whole(state.picked, 0, 127)) return "The picked element is a whole number from 0 to 127.";
  if (!between(state.outlier, 1, 1024)) return "The outlier is a number from 1 to 1,024: how many times its size.";
  if (!between(state.tensor_amax, 0.0001, 1e6))
    return "The tensor's largest value is a number from 0.0001 to 1,000,000.";
  /** @param {[string, Edits[string]]} edit */
  const legal = ([key, v]) =>
    /^(0|[1-9]\d{0,2})$/.test(key) &&
    Number(key) < 128 &&
    (v === "-0" || v === "NaN" || between(v, -data.limit, data.limit));
  if (!Object.entries(state.edits).every(legal))
    return "A changed value is a number from -10,000 to 10,000, or NaN, at an element from 0 to 127.";
  if (!codec.is_mx(row_of(state, data)) && Object.values(state.edits).includes("NaN"))
    return "NaN is supported here only for the MX schemes: choose one, or remove the NaN.";
  return "";
};
