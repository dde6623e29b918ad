/* A model of the list by its slug; the lengths, batches, windows and top-k that a reader may choose. */

/** @import { Data } from "../../.make/data_types/long-context.d.ts" */

/**
 * A model: its place in each list of data.models.
 * @typedef {{
 *   slug: string, title: string, longest: number, weights: number, states: number, loops: number, kinds: number[][],
 *   stack: string, reads: number[][],
 * }} Model
 */

export const [MOST, MILLION] = [2 ** 21, 2 ** 20];
export const [BATCHES, WINDOWS, TOPKS] = [
  [1, 8, 64],
  [128, 512, 1024, 4096],
  [0, 512, 2048, 8192],
];
export const [V32, PRO, GEMMA] = ["deepseek-ai/DeepSeek-V3.2", "deepseek-ai/DeepSeek-V4-Pro", "google/gemma-4-31B-it"];
/** @param {string} slug @param {Data} data @returns {Model | null} */
export const find = (slug, { models, units: [weights, past] }) => {
  const place = models.slug.indexOf(slug);
  if (0 > place) return null;
  const made = /** @type {Model} */ (
    Object.fromEntries(Object.entries(models).map(([name, values]) => [name, values[place]]))
  );
  return {
    ...made,
    weights: made.weights * weights,
    reads: made.reads.map(([kind, flop, ...rest]) => [kind, flop * past, ...rest]),
  };
};
