// The curve of caches over contexts, on a model's page and alone.

import { decades, decadesAround, inTwos, linePath, logScale, spreadLabels } from "../../explainers/kit/chart.js";
import { at1, grid } from "../site/figure-grid.js";
import { DTYPES, inBytes, keptBytes } from "./cache-bytes.js";

/** @import { Ends, Scale } from "../../explainers/kit/chart.js" */
/** @import { CurveLine, Frame, GrowthSheet, WeighState } from "../site/types.d.ts" */

/**
 * The room around a curve, the least distance of two names, and from the axis to its ticks, in pixels.
 * @typedef {{ top: number, bottom: number, line: number, tick: number }} Room
 */

const LEFT = 64;
/** @type {Room} */
const ROOM = { top: 12, bottom: 44, line: 15, tick: 18 };
/**
 * Of a model's page; figure.css shows the one that fits.
 * @type {{ [kind: string]: Frame }}
 */
export const FRAMES = { narrow: [380, 280, 104], middle: [860, 340, 170] };
export const POWERS = Array.from({ length: 11 }, (_, at) => 10 + at);
/** @param {string} text */
export const escaped = (text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/**
 * The plot of a curve; its scales, `x` of tokens and `y` of bytes.
 * @param {Frame} frame
 * @param {Ends} range bytes at the foot and at the top
 * @param {Room} [room]
 */
export const plotOf = ([width, height, right], range, { top, bottom, tick } = ROOM) => {
  const plot = { left: LEFT, right: width - right, top, foot: height - bottom, gap: 8, tick };
  const x = logScale([2 ** POWERS[0], 2 ** POWERS[10]], [plot.left, plot.right], true);
  return { ...plot, x, y: logScale(range, [plot.foot, top]) };
};

/**
 * A model's bytes at each of POWERS.
 * @param {string} title
 * @param {GrowthSheet} sheet
 * @param {Pick<WeighState, "kv" | "batch">} state
 * @returns {CurveLine}
 */
export const lineOf = (title, sheet, { kv, batch }) => ({
  title,
  bytes: POWERS.map((power) => keptBytes(sheet, 2 ** power, DTYPES[kv], batch)),
});

/**
 * The powers of ten around all lines.
 * @param {CurveLine[]} rows
 */
export const rangeOf = (rows) => {
  const kept = rows.flatMap((row) => row.bytes.filter(Boolean));
  return decadesAround(kept.length ? kept : [1]);
};

/**
 * Grid, lines and their names; the first line is the page's own.
 * @param {Frame} frame
 * @param {CurveLine[]} rows
 * @param {Room} [room]
 * @returns {string}
 */
export function inner(frame, rows, room = ROOM) {
  const range = rangeOf(rows),
    plot = plotOf(frame, range, room),
    { x, y } = plot;
  return [
    grid(
      plot,
      decades(range).map((bytes) => [y(bytes), inBytes(bytes, 0)]),
      POWERS.filter((power) => power % 2 === 0).map((power) => [x(2 ** power), inTwos(power)]),
      "context, tokens",
    ),
    ...rows.map((row, place) => path(plot, row, place)).reverse(),
    ...names(plot, rows, room.line, frame[2] - 12),
  ].join("");
}

/** The scales of a curve, and where it ends. @typedef {{ x: Scale, y: Scale, right: number, foot: number }} Scales */

/**
 * @param {Scales} plot
 * @param {CurveLine} row
 * @param {number} place
 */
function path({ x, y }, row, place) {
  const points = POWERS.flatMap((power, at) => (row.bytes[at] ? [[at1(x(2 ** power)), at1(y(row.bytes[at]))]] : []));
  if (!points.length) return "";
  const d = linePath(points);
  if (place === 0) return `<path class="c-edge" d="${d}"/><path class="c-own" d="${d}"/>`;
  return `<path class="c-other w-line${place}" d="${d}"/>`;
}

/**
 * Each line's name at its right end, kept apart.
 * @param {Scales} plot
 * @param {CurveLine[]} rows
 * @param {number} apart
 * @param {number} wide
 */
function names({ y, right, foot }, rows, apart, wide) {
  const ends = rows
    .flatMap(({ title, bytes }, place) => (bytes[10] ? [{ title, at: y(bytes[10]), place }] : []))
    .sort((a, b) => a.at - b.at || a.place - b.place);
  const places = ends.map(({ at }) => at);
  return spreadLabels(places, apart, foot).map((at, i) => {
    const { title, place } = ends[i];
    return `<text class="${place ? "f-label" : "f-keptsays"}" x="${at1(right + 10)}" y="${at1(at + 4)}">${escaped(shortened(title, wide))}</text>`;
  });
}

/**
 * A name cut to so many pixels.
 * @param {string} title
 * @param {number} room
 */
export function shortened(title, room) {
  if (lettersWide(title) <= 10 * room) return title;
  const letters = [...title];
  while (letters.length && lettersWide(`${letters.join("")}…`) > 10 * room) letters.pop();
  return `${letters.join("").replace(/[ -]+$/, "")}…`;
}
/**
 * Tenths of pixels, and the letters that are no wider in the figure's bold 12; what stands nowhere here is as wide as W.
 * @type {[width: number, letters: string][]}
 */
const WIDTHS = [
  [34, " Iijl"],
  [48, "!'(),./:;[]frt|"],
  [57, "-_{}"],
  [74, "EFJL?acehknosuvxyz"],
  [112, "Mmw"],
  [116, "…"],
  [82, "#$&+0123456789<=>BPRSTZbdgpq~"],
  [94, "ACDGHKNOQUVXY"],
];
/** @param {string} words */
const lettersWide = (words) =>
  [...words].reduce((sum, one) => sum + (WIDTHS.find(([, letters]) => letters.includes(one))?.[0] ?? 123), 0);
