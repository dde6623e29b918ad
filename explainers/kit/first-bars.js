/* A bet on a bar as it stands before any script: bars to compare with, and one whose end, or both, is dragged. */
import { shareAt } from "./bet-words.js";
import { pct } from "./chart.js";
import { answered, BAR, bracket, drawnWords, handle, line, rect, text, ticks, value } from "./first-marks.js";
import { scaleOf } from "./first-scale.js";
import { printValue } from "./numbers.js";

/** @import { Look } from "./beat-words.js" */
/** @import { Kid } from "./dom.js" */
/** @import { FullBet, Scale } from "./first-scale.js" */

const ROW = 98; // pixels: from one bar’s label to the next

/**
 * A bar both of whose ends are dragged; each end's value stands outside it.
 * @param {FullBet} bet
 * @param {Look} look
 * @param {Look} shown
 * @returns {[number, Kid]}
 */
const twoEnds = (bet, look, shown) => {
  const [on, y, low] = [scaleOf(bet), 24, 24 + BAR];
  const paths = /** @type {string[]} */ (bet.answer);
  const at = paths.map((path) => shareAt(on, shown(path)));
  const values = [
    { x: pct(at[0]), y: y + 29, css: " end", dx: -8 },
    { x: pct(at[1]), y: y + 29, css: " start", dx: 8 },
  ];
  return [
    low + 52,
    [
      text(0, y - 10, drawnWords(look, bet.label), "bet-name"),
      rect(0, y, "100%", "bet-track"),
      answered(rect(pct(at[0]), y, pct(at[1] - at[0]), "bet-answer")),
      on.ticks.slice(1, -1).map((t) => line(pct(shareAt(on, t)), 20, pct(shareAt(on, t)), low + 6, "bet-grid")),
      rect(0, y, 0, "bet-guess"),
      answered(values.map((place, i) => value(bet, shown, paths[i], place))),
      text("50%", low + 44, "", "bet-yours middle"),
      [0, 1].map((end) => handle(y + BAR / 2, 9, 18, { "data-end": end })),
      ticks(bet, on, low + 22),
    ],
  ];
};

/**
 * Bars to compare with, then the one whose end is dragged.
 * @param {FullBet} bet
 * @param {Look} look
 * @param {Look} shown
 * @returns {[number, Kid]}
 */
export const bar = (bet, look, shown) => {
  if (Array.isArray(bet.answer)) return twoEnds(bet, look, shown);
  const on = scaleOf(bet);
  const end = shareAt(on, shown(bet.answer));
  const y = ROW * bet.beside.length + 24;
  const low = y + BAR;
  const place = { x: pct(end), y: y + 29, ...(end > 0.3 ? { css: " end on", dx: -14 } : { css: "", dx: 10 }) };
  return [
    low + 66,
    [
      bet.beside.map((row, i) => beside(bet, on, row, look, ROW * i)),
      text(0, y - 10, drawnWords(look, bet.label), "bet-name"),
      rect(0, y, "100%", "bet-track"),
      answered(rect(0, y, pct(end), "bet-answer")),
      on.ticks.slice(1, -1).map((t) => line(pct(shareAt(on, t)), 20, pct(shareAt(on, t)), low + 18, "bet-grid")),
      rect(0, y, 0, "bet-guess"),
      text(0, y + 28, "", "bet-yours"),
      answered(value(bet, shown, bet.answer, place), bracket(low + 16)),
      handle(y + BAR / 2, 9, 18),
      ticks(bet, on, low + 52),
    ],
  ];
};

/**
 * One bar to compare with.
 * @param {FullBet} bet
 * @param {Scale} on
 * @param {{ label: string, value: number | string }} row
 * @param {Look} look
 * @param {number} y
 */
const beside = (bet, on, row, look, y) => {
  const amount = typeof row.value === "string" ? look(row.value) : row.value;
  const end = shareAt(on, amount);
  const out = typeof row.value === "string" ? { "data-out": row.value, "data-format": bet.format } : {};
  return [
    text(0, y + 14, row.label, "bet-name beside"),
    rect(0, y + 24, pct(end), "bet-beside"),
    text(pct(end), y + 52, printValue(amount, bet.format), `bet-number${end > 0.75 ? " end" : ""}`, {
      dx: end > 0.75 ? -10 : 10,
      ...out,
    }),
  ];
};
