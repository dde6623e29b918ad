// A model's cache against context as one figure: it in yellow, a few others thin. build/render.mjs runs this for each model.

import { inTwos } from "../../explainers/kit/chart.js";
import { at1 } from "../site/figure-grid.js";
import { inBytes } from "./cache-bytes.js";
import { escaped, inner, lineOf, POWERS, plotOf, rangeOf } from "./weigh-curve.js";

/** @import { CurveLine, Frame, TitledSheet } from "../site/types.d.ts" */
/** @import { Room } from "./weigh-curve.js" */

/**
 * What app/weigh/curve.py asks for: its pictures' sizes, and growth sheets, the model's own first.
 * @typedef {{ frames: [kind: string, frame: Frame][], rows: TitledSheet[] }} Asked
 */

/** @type {Room} */
const ROOM = { top: 66, bottom: 48, line: 16, tick: 20 };
const [FIRST, LAST] = [POWERS[0], POWERS[POWERS.length - 1]];
/** Whose bytes are written on the line: powers of two. */
const NAMED = [13, 17, 20];

/**
 * Where the context ends that the model was made for.
 * @param {number | null} longest
 * @param {ReturnType<typeof plotOf>} plot
 */
function limit(longest, plot) {
  if (!longest || longest <= 2 ** FIRST || longest >= 2 ** LAST) return "";
  const x = at1(plot.x(longest));
  return (
    `<path class="c-limit" d="M${x} ${plot.top - 10}V${plot.foot}"/>` +
    `<text class="f-small f-mid" x="${x}" y="${plot.top - 14}">its context</text>`
  );
}

/**
 * The bytes at 8k, 128k and a million tokens, on the model's own line.
 * @param {ReturnType<typeof plotOf>} plot
 * @param {CurveLine} line
 */
function figures(plot, { bytes }) {
  return NAMED.map((power) => {
    const value = bytes[power - FIRST],
      [x, y] = [plot.x(2 ** power), plot.y(value)];
    if (!value) return "";
    return (
      `<circle class="f-keep" cx="${at1(x)}" cy="${at1(y)}" r="4.5"/>` +
      `<text class="c-halo f-keptsays ${power === LAST ? "f-end" : "f-mid"}" x="${at1(x)}" y="${at1(y - 11)}">${inBytes(value)}</text>`
    );
  }).join("");
}

/**
 * The figure in its widths; figure.css shows the one that fits.
 * @param {Asked} asked
 */
export function render({ frames, rows }) {
  const [[title, { longest }]] = rows,
    lines = rows.map(([name, sheet]) => lineOf(name, sheet, { kv: "bf16", batch: 1 }));
  const told = NAMED.map((power) => `${inTwos(power)} tokens ${inBytes(lines[0].bytes[power - FIRST])}`).join("; ");
  const says = escaped(`${title}: what decoding keeps for one sequence, in 16 bits. ${told}`);
  const drawn = frames.map(([kind, frame]) => {
    const plot = plotOf(frame, rangeOf(lines), ROOM);
    return (
      `<svg class="cf cf-${kind}" viewBox="0 0 ${frame[0]} ${frame[1]}" role="img" aria-label="${says}">` +
      `<text class="f-head" x="0" y="20">${escaped(title)}</text>` +
      '<text class="f-label" x="0" y="40">Kept while decoding one sequence, in 16 bits</text>' +
      `${inner(frame, lines, ROOM)}${limit(longest, plot)}${figures(plot, lines[0])}</svg>`
    );
  });
  return { figure: `<figure class="cw-figure">${drawn.join("")}</figure>` };
}
