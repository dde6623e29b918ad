/* A seed -> a weight matrix, the drawing, and the rotation: the same float32 numbers as weights.py. A matrix is
   { rows, columns, plain }, row by row. */
import { pcg64, signs, standard_normal } from "./pcg64.js";

/** @import { Data } from "../../.make/data_types/matrix.d.ts" */

/** @typedef {{ rows: number, columns: number, plain: Float32Array, loud: number }} Matrix */

/** @param {number} seed @param {Data["made"]} made @returns {Matrix} */
export const matrix_of = (seed, { side, sigma, row_spread, column_spread, outlier, times }) => {
  const rng = pcg64(seed);
  const normal = standard_normal(rng, new Float64Array(side * side));
  const rows = standard_normal(rng, new Float64Array(side)).map((v) => Math.exp(row_spread * v));
  const columns = standard_normal(rng, new Float64Array(side)).map((v) => Math.exp(column_spread * v));
  const plain = new Float32Array(side * side);
  for (let r = 0; r < side; r += 1)
    for (let c = 0; c < side; c += 1) {
      const v = sigma * normal[r * side + c] * rows[r] * columns[c];
      plain[r * side + c] = c === outlier ? v * times : v;
    }
  return { rows: side, columns: side, plain, loud: outlier };
};

/** [x, y, radius, light] of each disc of the drawing. */
const DISCS = [
  [0.25, 0.3, 0.16, 0.9],
  [0.72, 0.26, 0.12, -0.85],
  [0.5, 0.72, 0.2, 0.4],
];

/** The light of a point of the drawing, from -1 (black) to 1 (white). @param {number} x @param {number} y */
const light_at = (x, y) => {
  if (y > 0.93) return Math.floor(x * x * 48) % 2 === 1 ? 0.06 : -0.06;
  let light = y < 0.5 ? 2 * x - 1 : 1.6 * (x - 0.5) * (1.5 - y);
  for (const [cx, cy, radius, bright] of DISCS) {
    const far = ((x - cx) * (x - cx) + (y - cy) * (y - cy)) / (radius * radius);
    if (far < 1) light = bright * (1 - far) + 0.1 * bright;
  }
  return light;
};

/** Two gradients, discs and stripes that get finer. @param {Data["made"]} made @returns {Matrix} */
export const drawing_of = ({ drawn: side }) => {
  const plain = Float32Array.from({ length: side * side }, (_, i) =>
    light_at((i % side) / side, Math.floor(i / side) / side),
  );
  return { rows: side, columns: side, plain, loud: 0 };
};

/** Whose matrix it is: the reader's own, else the drawing's or a seed's. @typedef {{ seed: number, drawn: boolean, own: Matrix | null }} Origin */
/** @param {Origin} origin @param {Data["made"]} made */
export const make_matrix = ({ seed, drawn, own }, made) => own ?? (drawn ? drawing_of(made) : matrix_of(seed, made));

/** @type {{ [columns: string]: Int8Array }} */
const drawn_signs = {};
/** Of each input 1 or -1. @param {number} columns @param {Data["made"]} made */
const signs_of = (columns, { side, signs: seed }) =>
  (drawn_signs[columns] ??= signs(seed, Math.max(side, columns)).subarray(0, columns));

/** Each `n` numbers times the Hadamard matrix of n, over its square root, in place; it is its own inverse. @param {Float64Array} x @param {number} n */
const turn = (x, n) => {
  const root = Math.sqrt(n);
  for (let half = 1; half < n; half *= 2)
    for (let from = 0; from < x.length; from += 2 * half)
      for (let i = from; i < from + half; i += 1) {
        const [a, b] = [x[i], x[i + half]];
        x[i] = a + b;
        x[i + half] = a - b;
      }
  for (let i = 0; i < x.length; i += 1) x[i] /= root;
};

/** The matrix after signs and the Hadamard matrix along its inputs, float32. @param {Matrix} given @param {Data["made"]} made */
export const rotated = ({ rows, columns, plain }, made) => {
  const [signs, out, row] = [signs_of(columns, made), new Float32Array(plain.length), new Float64Array(columns)];
  for (let from = 0; from < rows * columns; from += columns) {
    for (let c = 0; c < columns; c += 1) row[c] = plain[from + c] * signs[c];
    turn(row, made.turned);
    out.set(row, from);
  }
  return out;
};

/** A row of the error of rotated weights as the error of the weights, in place. @param {Float64Array} row @param {Data["made"]} made */
export const turn_back = (row, made) => {
  const signs = signs_of(row.length, made);
  turn(row, made.turned);
  for (let c = 0; c < row.length; c += 1) row[c] *= signs[c];
};
