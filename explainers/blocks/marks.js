/* Marks around the columns of the chart: values of the codes, cuts, and the strokes of what came back before. */
import { setAttrs } from "../kit/dom.js";
import { put } from "../kit/numbers.js";
import { BOTTOM, px, RIGHT, STRIP, y_of } from "./axis.js";
import { unbind } from "./columns.js";
import { plain } from "./spell.js";

/** @import { Place } from "./axis.js" */

/**
 * A value that a code stands for, as a line; its number where there is room.
 * @param {Place} now
 * @param {SVGGElement} g
 * @param {[value: number, k: number]} at
 * @param {number} i
 */
export const draw_level = (now, g, [v, k], i) => {
  const [line, text] = /** @type {Iterable<SVGElement>} */ (g.children);
  const at = y_of(now, v);
  const free = i === 0 || Math.abs(at - now.labelled) >= 13;
  if (free) now.labelled = at;
  setAttrs(line, { x1: 0, x2: now.width - RIGHT + 4, y1: at, y2: at });
  setAttrs(text, { x: now.width - RIGHT + 8, y: px(at + 3.5) });
  if (free) put(text, `levels.${k}`, "num 3", now.out);
  else unbind(text);
};

/**
 * Two strokes across a column that goes on, and its number beside it.
 * @param {Place} now
 * @param {SVGGElement} g
 * @param {number} i
 */
export const draw_cut = (now, g, i) => {
  const [mark, text] = /** @type {Iterable<SVGElement>} */ (g.children);
  const up = plain(now.out.values[i]) > 0;
  const [x, at] = [now.col * (i + 0.5), px(y_of(now, now.out.values[i]) + (up ? 14 : -14))];
  const wide = Math.max(4, now.col * 0.45);
  setAttrs(mark, {
    d: [-3, 3].map((d) => `M${px(x - wide)} ${px(at + d + 3)}L${px(x + wide)} ${px(at + d - 3)}`).join(""),
  });
  const left = x > now.width - RIGHT - 70;
  setAttrs(text, {
    x: px(x + (left ? -wide - 2 : wide + 2)),
    y: px(at + (up ? 0 : 8)),
    "text-anchor": left ? "end" : "start",
  });
  put(text, `values.${i}`, "num 4", now.out);
};

/** What came back before anything was changed. @param {Place} now */
export const dashes = (now) =>
  now.out.before.dequantized
    .map((v, i) =>
      v === now.out.dequantized[i]
        ? ""
        : `M${(now.col * (i + 0.07)).toFixed(1)} ${y_of(now, v).toFixed(1)}h${(now.col * 0.86).toFixed(1)}`,
    )
    .join("");
/** Below: how far off each number is of itself. @param {Place} now */
export const bars = (now) =>
  now.out.relative
    .map(
      (v, i) =>
        `M${(now.col * (i + 0.5)).toFixed(1)} ${now.height - BOTTOM}v-${(Math.min(1, plain(v)) * (STRIP - 4)).toFixed(1)}`,
    )
    .join("");
