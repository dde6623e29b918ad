// Numbers -> the grid of a figure in strings: lines with words at their left, words below, and what those measure.

/**
 * The part of a figure that holds its lines, in pixels; words at the left stand `gap` from it, words below `tick`.
 * @typedef {{ left: number, right: number, top: number, foot: number, gap: number, tick: number }} Plot
 */

/** @param {number} value */
export const at1 = (value) => value.toFixed(1);

/**
 * @param {Plot} plot
 * @param {[y: number, words: string][]} lines
 * @param {[x: number, words: string | number][]} below
 * @param {string} title
 * @returns {string}
 */
export const grid = ({ left, right, foot, gap, tick }, lines, below, title) =>
  [
    ...lines.map(
      ([y, words]) =>
        `<path class="f-rule" d="M${left} ${at1(y)}H${at1(right)}"/>` +
        `<text class="f-dim f-end" x="${left - gap}" y="${at1(y + 4)}">${words}</text>`,
    ),
    ...below.map(([x, words]) => `<text class="f-dim f-mid" x="${at1(x)}" y="${foot + tick}">${words}</text>`),
    `<text class="f-label f-mid" x="${at1((left + right) / 2)}" y="${foot + tick + 20}">${title}</text>`,
  ].join("");
