/* A matrix and a scheme -> what comes back, by the quantizers of *blocks*; and how large the error is in each cell of a map. */
import { codec } from "../blocks/codec.js";
import { q4_k } from "../blocks/q4_k.js";
import { rotated, turn_back } from "./weights.js";

/** @import { Data } from "../../.make/data_types/matrix.d.ts" */
/** @import { Made, Row as Coded } from "../blocks/float32.js" */
/** @import { Matrix } from "./weights.js" */

/** @typedef {Data["schemes"][number]} Scheme */
/** What came back, and the scale of each number. @typedef {{ given: Float32Array, values: Float32Array, scale: Float32Array }} Stored */
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
export function* store(matrix, scheme, data, turned) {
  const { rows, columns } = matrix;
  codec.kinds.q4_k ??= q4_k;
  const given = turned ? turned_of(matrix, data) : matrix.plain;
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

/** The last matrix that was rotated. @type {{ of: Float32Array | null, to: Float32Array }} */
const last = { of: null, to: new Float32Array() };
/** @param {Matrix} matrix @param {Data} data */
const turned_of = (matrix, data) => {
  if (last.of !== matrix.plain) Object.assign(last, { of: matrix.plain, to: rotated(matrix, data.made) });
  return last.to;
};

/** A block of several rows as one. @param {Float32Array} given @param {number} at @param {number} columns @param {number} height @param {number} width */
const gather = (given, at, columns, height, width) => {
  const block = new Float32Array(height * width);
  for (let r = 0; r < height; r += 1) block.set(given.subarray(at + r * columns, at + r * columns + width), r * width);
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

/** Numbers of a matrix that one cell of its map holds along a side. @param {{ rows: number, columns: number }} matrix */
export const cell_of = ({ rows, columns }) => (Math.max(rows, columns) > 256 ? 8 : 1);

/**
 * The sums of each cell of a map, and of the whole.
 * @param {Matrix} matrix @param {Stored} stored @param {boolean} turned @param {Data} data
 */
export const sums_of = ({ rows, columns, plain, loud }, { given, values, scale }, turned, data) => {
  const cell = cell_of({ rows, columns });
  const [high, wide] = [Math.ceil(rows / cell), Math.ceil(columns / cell)];
  const fresh = () => new Float64Array(high * wide);
  const cells = { error: fresh(), loud: fresh(), zeros: fresh(), scales: fresh(), values: fresh() };
  const error = new Float64Array(columns);
  const total = { error: 0, loud: 0, zeros: 0 };
  for (let r = 0; r < rows; r += 1) {
    const [from, down] = [r * columns, Math.floor(r / cell) * wide];
    for (let c = 0; c < columns; c += 1) error[c] = values[from + c] - given[from + c];
    if (turned) turn_back(error, data.made);
    for (let at = down; at < down + wide; at += 1) {
      const first = (at - down) * cell;
      let [squares, alone, zeros, scales, back] = [0, 0, 0, 0, 0];
      for (let c = first, end = Math.min(first + cell, columns); c < end; c += 1) {
        const [i, off] = [from + c, error[c]];
        if (c === loud) alone = off * off;
        else squares += off * off;
        if (values[i] === 0 && given[i] !== 0) zeros += 1;
        scales += Math.abs(scale[i]);
        const value = plain[i] + off;
        back += cell === 1 ? value : value * value;
      }
      cells.error[at] += squares;
      cells.loud[at] += alone;
      cells.zeros[at] += zeros;
      cells.scales[at] += scales;
      cells.values[at] += back;
      total.error += squares;
      total.loud += alone;
      total.zeros += zeros;
    }
  }
  return {
    cell,
    rows: high,
    columns: wide,
    ...cells,
    total: [total.error + total.loud, total.loud, total.zeros / plain.length],
  };
};

/** @typedef {ReturnType<typeof sums_of>} Sums */

/** [sum of squares of a matrix, of its loud column]. @param {Matrix} matrix */
export const signal_of = ({ columns, plain, loud }) => {
  let [all, column] = [0, 0];
  for (let i = 0; i < plain.length; i += 1) all += plain[i] * plain[i];
  for (let i = loud; i < plain.length; i += columns) column += plain[i] * plain[i];
  return [all, column];
};
