/* What every key should read, how far off each is, and the differences between states. */
import { D, value_of } from "./writes.js";

/** @import { Matrix, Pair } from "./writes.js" */

/** What a key should read, by key; null where nothing is written under it. @typedef {(number[] | null)[]} Targets */
/** How far off each key reads, by key; null where nothing is written under it. @typedef {(number | null)[]} Errors */

/** @param {Pair[]} pairs @param {number} t @param {number} border @param {number} many */
export const latest = (pairs, t, border, many) => {
  /** @type {Targets} */
  const out = new Array(many).fill(null);
  pairs.slice(0, t).forEach(([key, bits], i) => {
    out[key] = border > i && t > border ? new Array(D).fill(0) : value_of(bits);
  });
  return out;
};
/** @param {Matrix} reads @param {Targets} target @returns {Errors} */
export const recall_errors = (reads, target) =>
  reads.map((read_, i) => {
    if (target[i] === null) return null;
    const off =
      Math.sqrt(read_.reduce((sum, x, j) => sum + (x - /** @type {number[]} */ (target[i])[j]) ** 2, 0)) / Math.sqrt(D);
    return off > 1e-12 ? off : 0;
  });
/** @param {Errors} errors @returns {number} */
export const mean = (errors) => {
  const there = errors.filter((e) => e !== null);
  return there.length ? there.reduce((a, b) => a + b, 0) / there.length : 0;
};
/** @param {Matrix} a @param {Matrix} b */
export const furthest = (a, b) => {
  const other = b.flat();
  return a.flat().reduce((most, x, i) => Math.max(most, Math.abs(x - other[i])), 0);
};
/** @param {Matrix} S @returns {Matrix} */
export const quiet = (S, least = 1e-12) => S.map((row) => row.map((x) => (Math.abs(x) >= least ? x : 0)));
