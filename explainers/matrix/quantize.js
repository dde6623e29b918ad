/* A matrix and a scheme -> what comes back, by the quantizers of *blocks*; and how large the error is in each cell of a map. */
import { codec } from "../blocks/codec.js";
import { four_over_six } from "../blocks/four_over_six.js";
import { q8_0 } from "../blocks/grids.js";
import { iq4_nl, q4_k, q6_k } from "../blocks/super_blocks.js";
import { rotated, turn_back } from "./weights.js";

/** @import { Data } from "../../.make/data_types/matrix.d.ts" */
/** @import { Made, Row as Coded } from "../blocks/float32.js" */
/** @import { Matrix } from "./weights.js" */

/** @typedef {Data["schemes"][number]} Scheme */
/** What came back, and the scale of each number. @typedef {{ given: Float32Array, values: Float32Array, scale: Float32Array }} Stored */
/**
 * Of each cell of a map the rms of the error, of the error under the loud input and of the values, the share of zeros, and the
 * mean scale; and the sums of the whole: [squares of the weights, of the loud column, of the error, of its loud column], zeros.
 * @typedef {{ [key: string]: Float32Array, error: Float32Array }} Cells
 */

Object.assign(codec.kinds, { four_over_six, iq4_nl, q4_k, q6_k, q8_0 });

const STEP = 2 ** 15; // numbers between two looks at the clock

/** @param {Float32Array} x */
const most = (x) => {
  let found = 0;
  for (let i = 0; i < x.length; i += 1) found = Math.max(found, Math.abs(x[i]));
  return found;
};

/**
 * The matrix under a scheme. A generator: after every so many numbers it lets others run.
 * @param {Matrix} matrix @param {Scheme} scheme @param {Data} data @param {boolean} turned the matrix is rotated first
 * @returns {Generator<undefined, Stored>}
 */
export function* store({ rows, columns, ...matrix }, scheme, data, turned) {
  const given = turned ? rotated({ rows, columns, ...matrix }, data.made) : matrix.plain;
  const out = { given, values: new Float32Array(given.length), scale: new Float32Array(given.length) };
  const [tall, wide] = [scheme.shape[0] || rows, Math.min(scheme.shape[1] || columns, columns)];
  const amax = most(given);
  const row = /** @type {Coded} */ (/** @type {unknown} */ (scheme));
  const books = /** @type {{ [name: string]: number[] }} */ (data.books);
  let done = 0;
  for (let r = 0; r < rows; r += tall)
    for (let c = 0; c < columns; c += wide) {
      const [height, width] = [Math.min(tall, rows - r), Math.min(wide, columns - c)];
      const at = r * columns + c;
      const flat = height === 1 || width === columns;
      const block = flat ? given.subarray(at, at + height * width) : gather(given, at, columns, height, width);
      put_back(codec.quantize(row, block, scheme.rule || "floor", amax, books, false), out, at, columns, width);
      done += height * width;
      if (done >= STEP) {
        done = 0;
        yield;
      }
    }
  return out;
}

/** A block of several rows as one. @param {Float32Array} given @param {number} at @param {number} columns @param {number} height @param {number} width */
const gather = (given, at, columns, height, width) => {
  const block = new Float32Array(height * width);
  for (let r = 0; r < height; r += 1)
    block.set(given.subarray(at + r * columns, at + r * columns + width), r * width);
  return block;
};

/** @param {Made} made @param {Stored} out @param {number} at @param {number} columns @param {number} width */
const put_back = ({ values, scales }, { values: all, scale }, at, columns, width) => {
  const each = values.length / scales.length;
  for (let r = 0, i = 0; i < values.length; r += 1)
    for (let c = 0; c < width; c += 1, i += 1) {
      all[at + r * columns + c] = values[i];
      scale[at + r * columns + c] = scales.length === 1 ? scales[0] : scales[Math.floor(i / each)];
    }
};
