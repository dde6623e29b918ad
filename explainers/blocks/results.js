/* A block and what quantizing made of it -> codes, errors, levels; a NaN is the word "NaN". Twin of results.py. */
import { books_of } from "./quantizer.js";
import { TILE } from "./samples.js";

/** @import { Data } from "../../.make/data_types/blocks.d.ts" */
/** @import { Elements, Facts, Made, Row } from "./float32.js" */
/** @import { Real, Results } from "./compute.js" */

/** @param {number} v @returns {Real} */
export const json = (v) => (Number.isNaN(v) ? "NaN" : v);
/** @param {Float32Array} x @param {Made} made @param {number} shown @returns {Results} */
export const results = (x, made, shown) => {
  /** @type {[Real[], Real[], number[]]} */
  const [errors, relative, clipped] = [[], [], []];
  let [total, worst, clipped_count, zeros, off, given] = [0, 0, 0, 0, 0, 0];
  const beyond = made.clipped;
  for (let i = 0; i < x.length; i += 1) {
    const error = made.values[i] - x[i];
    const share = x[i] ? Math.abs(error / x[i]) : x[i] === 0 ? 0 : NaN;
    if (i < shown) errors.push(json(error));
    if (i < shown) relative.push(json(share));
    if (i < shown && beyond[i]) clipped.push(i);
    clipped_count += beyond[i];
    if (made.values[i] === 0 && x[i] !== 0) zeros += 1;
    if (x[i] !== 0) given += 1;
    total += error * error;
    off += share;
    worst = Math.max(worst, Math.abs(error));
  }
  /** @param {Float64Array} array */
  const first = (array) => Array.from(array.subarray(0, shown), json);
  return {
    codes: Array.from(made.codes.subarray(0, shown)),
    elements: first(made.elements),
    dequantized: first(made.values),
    errors,
    relative,
    clipped,
    clipped_count,
    zeros,
    mse: json(total / x.length),
    rms: json(Math.sqrt(total / x.length)),
    worst: json(worst),
    off: json(off / Math.max(1, given)),
  };
};

/** What an element can be before scaling. @param {Row} row @param {Made} made @param {Data} data @returns {number[]} */
const possible = (row, made, data) => {
  const format = /** @type {Elements | null} */ (row.format);
  const facts = /** @type {Facts} */ (row.facts);
  if (row.books.length) return books_of(data)[row.books[0]];
  if (format)
    return format.sizes.length ? format.sizes.flatMap((v) => [v, -v]) : [-1, 0, 1].map((k) => k * format.largest);
  if (row.kind === "q6_k") return [-facts.half, 0, facts.half - 1];
  if (row.bits > 4) return [facts.low, 0, facts.high];
  const zero = row.kind === "hqq" ? made.second[0] : /^(q4_k|mlx)$/.test(row.kind) ? 0 : (made.zeros?.[0] ?? 8);
  return Array.from({ length: 16 }, (_, i) => Math.fround(i - zero));
};
/** What is added to a scaled element. @param {Row} row @param {Made} made @param {number} sub */
const shift = (row, { second, zeros }, sub) =>
  row.kind === "q4_k" ? -Math.fround(second[1] * (zeros?.[sub] ?? 0)) : row.kind === "mlx" ? second[0] : 0;
/** @param {Row} row @param {Made} made @param {number} sub @param {Data} data */
export const levels = (row, made, sub, data) => {
  const scale = made.scales[sub];
  if (Number.isNaN(scale)) return [];
  const by = shift(row, made, sub);
  const all = possible(row, made, data).map((v) => Math.fround(Math.fround(v * scale) + by) + 0);
  return [...new Set(all)].sort((a, b) => a - b);
};

/** @param {Float32Array} x */
export const tile = (x) => {
  /** @type {number[]} */
  const most = new Array(256).fill(0);
  for (let i = 0; i < x.length; i += 1) {
    const patch = Math.floor(i / 1024) * 16 + Math.floor((i % TILE) / 8);
    most[patch] = Math.max(most[patch], Math.abs(x[i]));
  }
  return most;
};
