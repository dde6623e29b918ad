/* The block of a state and everything the page prints about it: the same keys and values as reference.py. */
import { codec } from "./codec.js";
import { packed, scale_bytes } from "./packing.js";
import { told } from "./parts.js";
import { quantized, row_of } from "./quantizer.js";
import { json, levels, results, tile } from "./results.js";
import { given, TILE } from "./samples.js";
import { labs } from "./scale_rules.js";

/** @import { Data, State as Plain } from "../../.make/data_types/blocks.d.ts" */
/** @import { Facts, Row } from "./float32.js" */
/** @import { Packed } from "./packing.js" */
/** @import { Told } from "./parts.js" */

/** A number as JSON has it. @typedef {number | "NaN"} Real */
/** The numbers that were changed, by their places: JSON has no -0. @typedef {{ [i: string]: Real | "-0" }} Edits */
/** @typedef {Omit<Plain, "edits" | "own"> & { edits: Edits, own: number[] }} State */

/**
 * What quantizing did to a block: of each number that is drawn, and of all.
 * @typedef {{
 *   codes: number[], elements: Real[], dequantized: Real[], errors: Real[], relative: Real[], clipped: number[],
 *   clipped_count: number, zeros: number, mse: Real, rms: Real, worst: Real, off: Real,
 * }} Results
 */

/**
 * The same block under one of the scale rules.
 * @typedef {Pick<Results, "dequantized" | "clipped" | "clipped_count" | "mse" | "worst"> & {
 *   rule: string, scale: Real, scale_code: number, kept: string, often: string, best: string,
 * }} Ruled
 */

/**
 * The block of a state, without words.
 * @typedef {Results & Packed & {
 *   n: number, shown: number, values: Real[], amax: Real, peak: number, low: Real, high: Real, subs: number, sub: number,
 *   scale: Real, scale_code: number, zero: number | null, second: number[], tensor_amax: number, tensor_scale: number,
 *   before: Pick<Results, "dequantized" | "zeros" | "off">, levels: number[], scale_bytes: number[], lab: Ruled[],
 *   tile: number[], picked: number,
 * }} Block
 */

/** @typedef {Block & Told} Now */

/**
 * [share that clips, error] of many blocks.
 * @typedef {{ [scheme: string]: { [sample: string]: { [rule: string]: number[] } } }} Survey
 */

/** @param {State} state @param {Data} data */
const values = (state, data) => {
  const row = row_of(state, data);
  const x = Float64Array.from(given(state, row.n));
  x[data.outlier_at] *= state.outlier;
  for (const [key, value] of Object.entries(state.edits)) if (Number(key) < row.shown) x[Number(key)] = Number(value);
  return Float32Array.from(x);
};

/** @type {{ key: string, found: Results | null }} */
const unchanged = { key: "", found: null }; // the block before anything was changed: the same at every move
/** @param {State} state @param {Float32Array} x @param {Row} row @param {Data} data */
const before = (state, x, row, data) => {
  const plain = Float32Array.from(given(state, row.n));
  const key = [state.sample, state.seed, state.own, row.name, state.rule, state.tensor_amax, state.packing].join(" ");
  const now = unchanged.key === key ? unchanged.found : null;
  const found = now ?? results(plain, quantized(state, plain, state.rule, data), row.shown);
  Object.assign(unchanged, { key, found });
  const { dequantized, zeros, off } = found;
  return { dequantized: x.every((v, i) => v === plain[i]) ? [] : dequantized, zeros, off };
};

/** The largest magnitude, which element has it, and both ends. @param {Float32Array} x */
const ends_of = (x) => {
  let [amax, peak, low, high] = [0, 0, x[0], x[0]];
  x.forEach((v, i) => {
    if (!Number.isNaN(amax) && !(amax >= Math.abs(v))) {
      amax = Math.abs(v);
      peak = i;
    }
    low = Math.min(low, v);
    high = Math.max(high, v);
  });
  return { amax, peak, low, high };
};

/** @param {State} state @param {Data} data @returns {Now} */
export const compute = (state, data) => {
  const row = row_of(state, data);
  const x = values(state, data);
  const { amax, peak, low, high } = ends_of(x);
  const made = quantized(state, x, state.rule, data);
  const found = results(x, made, row.shown);
  const picked = Math.min(state.picked, row.shown - 1);
  const subs = made.scales.length;
  const sub = Math.floor((picked * subs) / row.n);
  const out = {
    n: row.n,
    shown: row.shown,
    values: Array.from(x.subarray(0, row.shown), json),
    amax: json(amax),
    peak,
    low: json(low),
    high: json(high),
    subs,
    sub,
    scale: json(made.scales[sub]),
    scale_code: made.scale_codes[sub],
    zero: made.zeros?.[sub] ?? null,
    second: made.second,
    tensor_amax: made.tensor_amax,
    tensor_scale: codec.tensor_scale(made.tensor_amax, /** @type {Facts} */ (row.facts)),
    ...found,
    before: before(state, x, row, data),
    levels: levels(row, made, sub, data),
    ...packed(row, state.packing, found.codes, data),
    scale_bytes: scale_bytes(row, made, sub),
    lab: codec.is_mx(row) ? labs(state, x, row, data) : [],
    tile: row.kind === "fp8" && row.n === TILE * TILE ? tile(x) : [],
    picked,
  };
  return Object.assign(out, told(state, out, row, data));
};
