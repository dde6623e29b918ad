/* A token's vector through the layers: its length, and what the model would predict from it there. Twin of lens.py. */
import { softmax } from "./forward.js";
import { best } from "./sampling.js";

/** @import { Step } from "./forward.js" */

/**
 * The vector after a layer: its length, its likeliest token, and the probability `final` of the token that the last layer
 * finds likeliest. The first row is the embedding.
 * @typedef {{ at: number, name: string, final: string, rows: { length: number, name: string, share: number, final: number }[] }} Lens
 */

/** @param {Float64Array} vector */
const lengthOf = (vector) => Math.sqrt(vector.reduce((sum, v) => sum + v * v, 0));

/**
 * @param {Step} step
 * @param {number} at
 * @param {string} word the token's own name
 * @param {(vector: Float64Array) => Float64Array} logitsOf
 * @param {(id: number) => string} name
 * @returns {Lens}
 */
export const lensOf = ({ embedded, layers }, at, word, logitsOf, name) => {
  const vectors = [embedded, ...layers.map(({ out }) => out)];
  const logits = vectors.map(logitsOf);
  const final = best(logits[layers.length]);
  const rows = vectors.map((vector, i) => {
    const [top, shares] = [best(logits[i]), softmax(logits[i])];
    return { length: lengthOf(vector), name: name(top), share: shares[top], final: shares[final] };
  });
  return { at, name: word, final: name(final), rows };
};
