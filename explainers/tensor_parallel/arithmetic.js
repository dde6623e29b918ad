/* Rows of float64 numbers: sums, softmax, norms and made-up weights in a fixed order: arithmetic.py. */
import { upto } from "../kit/arrays.js";
import { exp } from "../kit/exp.js";

/** Rows of numbers. @typedef {Float64Array[]} Matrix */

export const range = upto;

/** @param {number} rows @param {number} cols @param {(i: number, j: number) => number} at @returns {Matrix} */
export const grid = (rows, cols, at) => range(rows).map((i) => Float64Array.from({ length: cols }, (_, j) => at(i, j)));
/** @param {Matrix} a @param {ArrayLike<number>[]} b @returns {Matrix} */
export const matmul = (a, b) => {
  const cols = b[0].length;
  return a.map((row) => {
    const out = new Float64Array(cols);
    for (let k = 0; k !== b.length; k += 1) {
      const [x, other] = [row[k], b[k]];
      for (let j = 0; j !== cols; j += 1) out[j] += x * other[j];
    }
    return out;
  });
};
/** @param {Float64Array} row */
export const softmax = (row) => {
  const top = Math.max(...row);
  const e = row.map((x) => exp(x - top));
  const sum = e.reduce((a, b) => a + b, 0);
  return e.map((x) => x / sum);
};
/** @param {number} x */
export const silu = (x) => x / (1 + exp(-x));
/** @param {Matrix} x @returns {Matrix} */
export const rms_norm = (x) =>
  x.map((row) => {
    const sum = row.reduce((a, b) => a + b * b, 0);
    const root = Math.sqrt(sum / row.length + 1e-6);
    return row.map((v) => v / root);
  });
/** @param {number} seed @param {number} rows @param {number} cols @returns {Matrix} */
export const made_numbers = (seed, rows, cols, scale = 1) => {
  let x = seed;
  return grid(rows, cols, () => {
    x = (75 * x + 74) % 65537;
    return (x / 65537 - 0.5) * scale;
  });
};
/** @param {Matrix} a @param {number} from @param {number} to @returns {Matrix} */
export const columns = (a, from, to) => a.map((row) => row.slice(from, to));
/** @param {Matrix} a @param {Matrix} b @returns {Matrix} */
export const add = (a, b) => a.map((row, i) => row.map((x, j) => x + b[i][j]));
/** @param {Matrix} a @param {Matrix} b */
export const furthest = (a, b) =>
  a.reduce((most, row, i) => row.reduce((m, x, j) => Math.max(m, Math.abs(x - b[i][j])), most), 0);
/** @param {Matrix} a @returns {Matrix} */
export const turned = (a) => (a.length ? range(a[0].length).map((j) => Float64Array.from(a, (row) => row[j])) : []);
