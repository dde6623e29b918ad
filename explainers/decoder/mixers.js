/* A mixer of the data: its row, and what it keeps after so many tokens. */

/** @import { Data } from "./compute.js" */

/**
 * A mixer, its sizes, what it keeps and what was measured of it: a row of data.mixers. Of `right` the shares of right
 * answers, of `cells` and `said` those by keys that live and by distance.
 * @typedef {{
 *   name: string, title: string, family: "softmax" | "state", role: string, heads: number, kv: number, d: number,
 *   rotated: number, latent: number, window: number, delta: boolean, gated: boolean, steps: boolean, resets: boolean,
 *   shapes: [name: string, shape: number[]][], trained: number, keeps: { row: number, fixed: number, conv: number }, numbers: number,
 *   bytes: number, digest: string, right: { [of: string]: number }, others: number[], stays: number[],
 *   cells: [right: number, asked: number][][], said: number[],
 * }} Mixer
 */
const BYTES = 2;
export const MANY = 1000;
/** @param {string} name @param {Data} data */
export const row_of = (name, data) => /** @type {Mixer} */ (data.mixers.find((one) => one.name === name));

/** What is kept after so many tokens, convolutions aside. @param {Mixer} one @param {number} tokens */
export const kept_of = (one, tokens) => {
  const rows = one.keeps.row ? Math.min(tokens, one.window || tokens) : 0;
  const numbers = one.keeps.row * rows + one.keeps.fixed;
  return { rows, numbers, bytes: BYTES * numbers };
};

/**
 * A cache and a state whose heads are as wide as this mixer's: what a token adds, what is kept at any length.
 * @param {Mixer} one
 * @param {Data} data
 */
export const meets_of = (one, data) => {
  const alike = [one, ...data.mixers.filter(({ d }) => d === one.d)];
  const [cache, held] = /** @type {const} */ (["row", "fixed"]).map(
    (key) => /** @type {Mixer} */ (alike.find(({ keeps }) => keeps[key])),
  );
  const [{ row }, { fixed }] = [cache.keeps, held.keeps];
  return { cache: cache.title, row, fixed, after: Math.ceil(fixed / row), many: MANY };
};
