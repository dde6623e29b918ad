/* Counts and spans in words. */
import { fmt } from "../kit/numbers.js";

/** @import { Span } from "./mask.js" */

/** @param {number} n */
export const int = (n) => fmt.int(n);
/** @param {Iterable<number>} list */
export const sum = (list) => [...list].reduce((a, b) => a + b, 0);
/** @param {number} n @param {string} word */
export const plural = (n, word) => `${int(n)} ${word}${n === 1 ? "" : "s"}`;
/** @param {Span[]} list */
export const spansWords = (list) => list.map(([a, b]) => (a === b ? `${a}` : `${a} to ${b}`)).join(", ");
