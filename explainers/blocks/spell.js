/* Numbers of a block as they are written: some are the word NaN. */
import { fmt } from "../kit/numbers.js";
import { exponent } from "./float32.js";

/** @import { Real } from "./compute.js" */

/** @param {Real} x @param {number} [digits] */
export const num = (x, digits = 5) => (x === "NaN" ? x : fmt.num(x, digits));
/** To draw with. @param {Real} x */
export const plain = (x) => (x === "NaN" ? 0 : x);
/** @param {number} code @param {number} bits */
export const hex = (code, bits) =>
  `0x${code
    .toString(16)
    .toUpperCase()
    .padStart(Math.ceil(bits / 4), "0")}`;
/** @param {Real} x */
export const signed = (x) => (plain(x) > 0 ? `+${num(x, 3)}` : num(x, 3));
/** @param {Real} scale */
export const power = (scale) => (scale === "NaN" ? scale : fmt.pow2(exponent(scale)));
