/* Lines in a drawing as wide as its page: x in percent, y in pixels. */
import { renderList, s, setAttrs } from "../kit/dom.js";

/** A line of a class; x in percent, y in pixels. @typedef {[css: string, x1: number, y1: number, x2: number, y2: number]} Line */

/** @param {number} x */
export const percent_of = (x) => `${Number(x.toFixed(3))}%`;
/** @param {number} x */
export const tenth = (x) => String(Number(x.toFixed(1)));
/** @param {Element} group @param {Line[]} rows */
export const lines_in = (group, rows) =>
  renderList(
    group,
    rows,
    () => s("line"),
    (node, [css, x1, y1, x2, y2]) =>
      setAttrs(node, { class: css, x1: percent_of(x1), y1: tenth(y1), x2: percent_of(x2), y2: tenth(y2) }),
  );
/** @param {number} a @param {number} b */
export const below = (a, b) => b > a;
