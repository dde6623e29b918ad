/* What the papers say of a schedule's bubble: its formula, how it grows with the ranks, and when it holds. */

/** @import { Row } from "./compute.js" */
/** @import { Run } from "./schedule_run.js" */

const PAIRED = "F&B + B − 3W";
/**
 * How the bubble grows with the ranks.
 * @param {Pick<Row, "factor">} row
 * @param {number} p
 * @returns {[written: string, counted: number]}
 */
export const factor_of = ({ factor }, p) => {
  if (factor === "V-Half") return p % 2 ? ["3(p − 1)", 3 * p - 3] : ["(3p − 4)", 3 * p - 4];
  if (factor === "V-Min") return p % 3 ? ["(4p − 5)", 4 * p - 5] : ["(4p − 3)", 4 * p - 3];
  return [`(${factor})`, factor === "p − 1" ? p - 1 : p / 2 - 1];
};
/** @type {(row: Run["row"], p: number, m: number, v: number, units: number[]) => [idle: number, holds: boolean]} */
export const closed_form = (row, p, m, v, [f, i, w, pair]) => {
  const each = /** @type {{ [bubble: string]: number }} */ ({
    F: f,
    "F + I + W": f + i + w,
    "F + I − W": f + i - w,
    [PAIRED]: pair + (i + w) - 3 * w,
  })[row.bubble];
  const holds = /** @type {{ [needed: string]: boolean }} */ ({
    "": true,
    "m ≥ p": m >= p,
    "m ≥ p, W ≤ F, W ≤ I": m >= p && w <= f && w <= i,
    "W ≤ F, W ≤ I": w <= f && w <= i,
    "m ≥ 2p, F = I = W": m >= 2 * p && f === i && i === w,
    "F = I, W ≤ F": f === i && w <= f,
  })[row.holds];
  return [(factor_of(row, p)[1] * each) / v, holds];
};
