/* Twin of toy.py: four cached tokens and one query, small enough to print; rebuilt keys and folded queries. */
import { sum } from "./counting.js";

/** @import { Data } from "../../.make/data_types/heads.d.ts" */

/**
 * Four cached tokens, scored from rebuilt keys and from the latents.
 * @param {string} where
 * @param {Data["toy"]} numbers
 */
export const toy = (where, numbers) => {
  const { latents, w_uk: up, q } = numbers;
  const last = latents.length - 1;
  /**
   * @param {number[]} a
   * @param {number[]} b
   */
  const dot = (a, b) => sum(a.map((x, i) => x * b[i]));
  /**
   * @param {number[]} pair
   * @param {number} at radians
   */
  const turn = ([a, b], at) => [a * Math.cos(at) - b * Math.sin(at), b * Math.cos(at) + a * Math.sin(at)];
  /** @param {number[]} vector */
  const fold = (vector) => latents[0].map((_, r) => sum(up.map((row, i) => row[r] * vector[i])));
  /** @param {number[]} c */
  const key = (c) => up.map((row) => dot(row, c));
  const apart = numbers.k_rope.map((k, j) => dot(turn(numbers.q_rope, last), turn(k, j)));
  const is = where === "apart";
  const expanded = latents.map((c, j) => (is ? dot(q, key(c)) + apart[j] : dot(turn(q, last), turn(key(c), j))));
  const absorbed = latents.map((c, j) => dot(fold(q), c) + (is ? apart[j] : 0));
  const error = absorbed.map((a, j) => a - expanded[j]);
  return {
    expanded,
    absorbed,
    error,
    needed: latents.map((_, j) => fold(turn(q, is ? 0 : last - j))),
    agree: error.every((e) => Math.abs(e) < 1e-9),
  };
};
