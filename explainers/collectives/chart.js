/* Time against message size, both axes logarithmic: one line per algorithm, from 1 KiB to 2 ** to bytes.
   The lab marks S; a beat shows the ends alone while its bet is open, then where the lines meet. */

import { upto } from "../kit/arrays.js";
import { renderList, s, setAttrs } from "../kit/dom.js";
import { spelt } from "./compute.js";
import { time_of } from "./timed.js";

/** @import { State } from "../../.make/data_types/collectives.d.ts" */

/** @typedef {[algorithm: string, message: number, microseconds: number]} Point */

export const LOW = 10;
const TICKS = { 10: "1 KiB", 20: "1 MiB", 30: "1 GiB" };

/**
 * An algorithm's line: how long it takes at each power of two from LOW on.
 * @typedef {{ a: string, y: number[], last: number }} Curve
 */
/** Where a name stands. @typedef {[x: number, y: number, anchor: string]} Place */
/**
 * The field of a chart: its edges, the largest message (a power of two), and the scales. `inside`: without room on the
 * right, as above a bet's line; that line has the ticks, and the names stand at the ends of the lines.
 * @typedef {{
 *   left: number,
 *   right: number,
 *   width: number,
 *   bottom: number,
 *   to: number,
 *   inside: boolean,
 *   low: number,
 *   high: number,
 *   x: (message: number) => number,
 *   y: (us: number) => number,
 * }} Field
 */

/**
 * @param {Curve[]} curves
 * @param {{ left: number, right: number, width: number, bottom: number, to: number }} edges
 * @returns {Field}
 */
const field_of = (curves, edges) => {
  const { left, right, width, bottom, to } = edges;
  const all = curves.flatMap((c) => c.y).map((y) => Math.log10(Math.max(y, 1e-3)));
  const [low, high] = [Math.floor(Math.min(...all)), Math.ceil(Math.max(...all))];
  return {
    ...edges,
    inside: 40 > right,
    low,
    high,
    x: (message) => left + ((message - LOW) / (to - LOW)) * (width - left - right),
    y: (us) => bottom - ((Math.log10(Math.max(us, 1e-3)) - low) / Math.max(high - low, 1)) * (bottom - 15),
  };
};

/** Ticks below for sizes, and lines across for powers of ten. @param {Element} axis @param {Field} field */
const draw_axis = (axis, { left, bottom, to, inside, low, high, x, y }) => {
  const ticks = inside
    ? []
    : Object.entries(TICKS).map(([m, text]) => ({
        x1: x(Number(m)),
        x2: x(Number(m)),
        y1: bottom,
        y2: bottom + 4,
        tx: x(Number(m)),
        ty: bottom + 18,
        text,
        anchor: "middle",
      }));
  for (let e = low; high >= e; e += 1)
    ticks.push({
      x1: left,
      x2: x(to),
      y1: y(10 ** e),
      y2: y(10 ** e),
      tx: left - 6,
      ty: y(10 ** e) + 4,
      text: spelt(10 ** e).replace(/\.0+ /, " "),
      anchor: "end",
    });
  renderList(
    axis,
    ticks,
    () => s("g", {}, s("line"), s("text", { "data-index": true })),
    (node, t) => {
      setAttrs(node.children[0], { x1: t.x1, x2: t.x2, y1: t.y1, y2: t.y2 });
      setAttrs(node.children[1], { x: t.tx, y: t.ty, "text-anchor": t.anchor, text: t.text });
    },
  );
};

/**
 * Where the name of each line stands: beside its end, below the name above it.
 * Without room there, above the upper line and below the lower one.
 * @param {Curve[]} curves
 * @param {Field} field
 * @param {number} height
 * @param {boolean} [ends]
 * @returns {Map<string, Place>}
 */
const places_of = (curves, { left, right, width, to, inside, x, y }, height, ends) => {
  let used = height + 30;
  const sorted = [...curves].sort((a, b) => a.last - b.last);
  /** How high a line is so many pixels before its end. @param {Curve} c @param {number} px */
  const back = (c, px) => y(c.y[c.y.length - 1 - Math.floor((px * (to - LOW)) / (width - left - right))]);
  /** @param {Curve} c @returns {Place} */
  const place = (c) => {
    used = Math.min(y(c.last) + 4, used - 13);
    if (!inside) return [x(to) + 5, used, "start"];
    if (ends) return [x(to) - 12, y(c.last) + 4, "end"];
    return c === sorted.at(-1) ? [x(to) - 48, back(c, 48) - 6, "end"] : [x(to) - 4, back(c, 40) + 18, "end"];
  };
  return new Map(sorted.map((c) => [c.a, place(c)]));
};

/** @param {{ to: number, height: number }} given */
export const time_chart = ({ to, height }) => {
  const [axis, lines, marks] = ["axis", "lines", "marks"].map((name) => s("g", { class: `cw-collectives-${name}` }));
  const here = s("line", { class: "cw-collectives-here" });
  const svg = s("svg", { role: "img", class: "cw-collectives-chart" }, axis, here, lines, marks);
  const bottom = height - (to === 30 ? 10 : 30);

  /**
   * `at`: where the dashed line stands, a power of two or null; `ends`: no lines yet.
   * @param {State} state
   * @param {{
   *   names: string[],
   *   width: number,
   *   left: number,
   *   right: number,
   *   at: number | null,
   *   points: Point[],
   *   ends?: boolean,
   * }} given
   */
  const update = (state, { names, width, left, right, at, points, ends }) => {
    const curves = names.map((a) => {
      const y = upto(to - LOW + 1).map((i) => time_of(a, { ...state, message: LOW + i }));
      return { a, y, last: y[y.length - 1] };
    });
    const field = field_of(curves, { left, right, width, bottom, to });
    const { x, y } = field;
    setAttrs(svg, { viewBox: `0 0 ${width} ${height}`, width, height });
    draw_axis(axis, field);
    const places = places_of(curves, field, height, ends);
    renderList(
      lines,
      curves,
      () => s("g", {}, s("path"), s("text"), s("text")),
      (node, c) => {
        setAttrs(node, { class: c.a === state.algorithm ? "on" : false });
        setAttrs(node.children[0], {
          d: ends ? "" : c.y.map((us, i) => `${i ? "L" : "M"}${x(LOW + i).toFixed(1)} ${y(us).toFixed(1)}`).join(""),
        });
        const [nx, ny, anchor] = /** @type {Place} */ (places.get(c.a));
        setAttrs(node.children[1], { x: nx, y: ny, "text-anchor": anchor, text: c.a });
        setAttrs(node.children[2], { x: x(LOW) + 10, y: y(c.y[0]) + 4, text: ends ? c.a : "" });
      },
    );
    here.style.display = at === null ? "none" : "";
    if (at !== null) setAttrs(here, { x1: x(at), x2: x(at), y1: 12, y2: bottom });
    renderList(
      marks,
      points,
      () => s("circle"),
      (node, [a, m, us]) => setAttrs(node, { cx: x(m), cy: y(us), r: a === state.algorithm ? 5 : 3 }),
    );
  };
  return { svg, update };
};
