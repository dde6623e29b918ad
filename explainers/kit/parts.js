/* Parts of tensors, as ranks hold them: added up, cut into equal or nearly equal pieces, put together again. */
import { upto } from "./arrays.js";

/** What a rank holds of a tensor: numbers, or rows of them. @typedef {Numbers | Numbers[]} Part */

/** @typedef {Float64Array | Float32Array} Numbers */

/** @type {(a: Numbers, b: Numbers) => Numbers} */
const sumOf = (a, b) => a.map((x, i) => x + b[i]);

/**
 * Adds two parts, number by number.
 * @template {Part} P
 * @param {P} a
 * @param {P} b
 * @returns {P}
 */
export const addUp = (a, b) => {
  const [mine, other] = /** @type {[Part, any]} */ ([a, b]);
  return /** @type {P} */ (Array.isArray(mine) ? mine.map((row, i) => sumOf(row, other[i])) : sumOf(mine, other));
};

/**
 * The bytes of a part.
 * @param {Part} part
 */
export const bytesOf = (part) =>
  Array.isArray(part) ? part.reduce((sum, row) => sum + row.byteLength, 0) : part.byteLength;

/**
 * Every slot of a rank after a collective; none may be empty.
 * @template P
 * @param {(P | null)[]} slots
 */
export const checkFull = (slots) => {
  if (slots.some((chunk) => !chunk)) throw new Error("A slot is empty after a collective.");
  return /** @type {P[]} */ (slots);
};

/**
 * A part in n equal pieces.
 * @template {Part} P
 * @param {P} part
 * @param {number} n
 */
export const splitEqually = (part, n) => {
  if (part.length % n) throw new Error(`${part.length} are no ${n} equal parts.`);
  return upto(n).map((i) => /** @type {P} */ (part.slice((i * part.length) / n, ((i + 1) * part.length) / n)));
};

/**
 * Numbers one behind the other.
 * @param {Numbers[]} chunks
 * @returns {Numbers}
 */
const concatNumbers = (chunks) => {
  const Type = /** @type {new (length: number) => Numbers} */ (chunks[0].constructor);
  const out = new Type(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    out.set(chunk, at);
    at += chunk.length;
  }
  return out;
};

/**
 * Parts one behind the other, as one part.
 * @template {Part} P
 * @param {P[]} chunks
 */
export const joinParts = (chunks) => {
  const all = /** @type {Part[]} */ (chunks);
  return /** @type {P} */ (Array.isArray(all[0]) ? all.flat() : concatNumbers(/** @type {Numbers[]} */ (all)));
};

/**
 * The numbers of a part in n pieces, of which the first are longer by one where n does not divide them.
 * @param {Part} part
 * @param {number} n
 */
export const splitNumbers = (part, n) => {
  const numbers = Array.isArray(part) ? concatNumbers(part) : part;
  const [each, more] = [Math.floor(numbers.length / n), numbers.length % n];
  /** @param {number} i */
  const from = (i) => i * each + Math.min(i, more);
  return upto(n).map((i) => numbers.slice(from(i), from(i + 1)));
};

/**
 * Numbers in rows as long as another part's.
 * @template {Part} P
 * @param {Numbers} numbers
 * @param {P} like
 */
export const reshapeLike = (numbers, like) => {
  let at = 0;
  /** @param {Numbers} row */
  const cut = (row) => {
    at += row.length;
    return numbers.slice(at - row.length, at);
  };
  return /** @type {P} */ (Array.isArray(like) ? like.map(cut) : numbers);
};
