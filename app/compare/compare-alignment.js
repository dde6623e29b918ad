// Two lists -> pairs of what corresponds in them: in one order (the longest common subsequence), or by likeness. Pure.

/** @import { Both, MergedState } from "../site/types.d.ts" */

/** @param {string | undefined} text */
export const words = (text) => (text ? text.split(" ") : []);
/** @param {string} text */
export const plain = (text) => text.replace(/\d[\d,.]*/g, "#");
/**
 * @param {unknown} a
 * @param {unknown} b
 * @returns {MergedState}
 */
export const state = (a, b) =>
  a === undefined ? "b" : b === undefined ? "a" : JSON.stringify(a) === JSON.stringify(b) ? "same" : "differs";

/**
 * Longest common subsequence of two lists by a test; what only one has stands where it stood.
 * @template T
 * @param {T[]} one
 * @param {T[]} other
 * @param {(x: T, y: T) => boolean} fits
 * @returns {Both<T>[]}
 */
export function aligned(one, other, fits) {
  const n = one.length,
    m = other.length,
    best = Array.from({ length: n + 1 }, () => new Array(m + 1).fill(0));
  for (let i = n - 1; i >= 0; i--)
    for (let j = m - 1; j >= 0; j--)
      best[i][j] = Math.max(best[i + 1][j], best[i][j + 1], fits(one[i], other[j]) ? best[i + 1][j + 1] + 1 : 0);
  /** @type {Both<T>[]} */
  const out = [];
  let i = 0,
    j = 0;
  while (i < n || j < m) {
    if (i < n && j < m && fits(one[i], other[j]) && best[i][j] === best[i + 1][j + 1] + 1)
      out.push([one[i++], other[j++]]);
    else if (i < n && (j >= m || best[i + 1][j] >= best[i][j + 1])) out.push([one[i++], undefined]);
    else out.push([undefined, other[j++]]);
  }
  return out;
}
/**
 * Pairs of two lists by the largest likeness first, in the order of the second; what only the first has keeps its
 * place.
 * @template T
 * @param {T[]} a
 * @param {T[]} b
 * @param {(x: T, y: T) => number} like
 * @returns {Both<T>[]}
 */
export function matched(a, b, like) {
  const all = a
    .flatMap((x, i) => b.map((y, j) => [like(x, y), i, j]))
    .filter(([much]) => much > 0)
    .sort((one, other) => other[0] - one[0] || one[1] - other[1] || one[2] - other[2]);
  /** @type {Map<number, number>} */
  const taken = new Map(),
    used = new Set();
  for (const [, i, j] of all)
    if (!taken.has(i) && !used.has(j)) {
      taken.set(i, j);
      used.add(j);
    }
  /** @type {Both<T>[]} */
  const out = b.map((y, j) => {
    const i = [...taken].find(([, to]) => to === j)?.[0];
    return [i === undefined ? undefined : a[i], y];
  });
  a.forEach((x, i) => {
    if (!taken.has(i))
      out.splice(
        i ? out.findLastIndex(([one]) => one !== undefined && a.indexOf(one) >= 0 && a.indexOf(one) < i) + 1 : 0,
        0,
        [x, undefined],
      );
  });
  return out;
}

/**
 * Clauses of a line, those of one pattern side by side: "8 heads · RoPE" and "4 heads · NoPE".
 * @param {string} a
 * @param {string} b
 * @returns {Both<string>[]}
 */
export function clauses(a, b) {
  /** @param {string} text */
  const split = (text) => (text ? text.split(" · ") : []);
  return aligned(split(a), split(b), (x, y) => plain(x) === plain(y));
}
