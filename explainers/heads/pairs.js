/* What one token leaves behind: a cell for each pair of key and value, heads across and layers up, and one cell opened.
   Along x everything is a percentage of the drawing, so one drawing fits every width. */
import { h, s, setAttrs, setText } from "../kit/dom.js";
import { gettext } from "../kit/gettext.js";
import { fill } from "../kit/numbers.js";

/** @import { Now } from "./compute.js" */

const TOP = 24;
const HIGH = 280;
const OPENED = { head: 40, layer: 52 };

/**
 * @param {number} n
 * @param {(i: number) => string} line
 */
const lines = (n, line) => Array.from({ length: n - 1 }, (_, i) => line(i + 1)).join("");
/**
 * Lines between so many columns and rows, each one unit wide and high.
 * @param {number} columns
 * @param {number} rows
 */
const cutsBetween = (columns, rows) =>
  lines(columns, (i) => `M${i} 0V${rows}`) + lines(rows, (i) => `M0 ${i}H${columns}`);

/**
 * A yellow block cut into cells, stretched over the room that its attributes give it.
 * @param {{ x: number | string, y?: number, width: number | string, height: number }} room
 */
const block = (room) => {
  const cells = s("rect", { class: "cw-heads-cells" });
  const cuts = s("path", { class: "cw-heads-cuts" });
  const el = s("svg", { ...room, preserveAspectRatio: "none" }, cells, cuts);
  /**
   * @param {number} columns
   * @param {number} rows
   */
  const update = (columns, rows) => {
    setAttrs(el, { viewBox: `0 0 ${columns} ${rows}` });
    setAttrs(cells, { width: columns, height: rows });
    setAttrs(cuts, { d: cutsBetween(columns, rows) });
  };
  return { el, update };
};

/**
 * The key or the value of the opened cell.
 * @param {string} name
 * @param {number} x
 */
const tile = (name, x) => {
  const numbers = block({ x, width: 52, height: 100 });
  numbers.update(8, 16);
  return [numbers.el, s("text", { class: "cw-heads-tile", x: x + 26, y: -10, text: name })];
};

/** @param {number} head */
const headName = (head) => gettext("head {head}", { head });
/** @param {number} layer */
const layerName = (layer) => gettext("layer {layer}", { layer });

/**
 * One cell opened at the right of the block: its key and its value.
 * @param {number} left in px
 * @param {number} wide percent of the drawing that the block takes
 */
const openedView = (left, wide) => {
  const leads = [76, 214].map((end) => s("line", { class: "cw-heads-lead", x2: "73.5%", y2: end }));
  const frame = s("rect", { class: "cw-heads-frame", width: 9, height: 5 });
  const where = s("text", { "data-index": true, x: "73.5%", y: 232 });
  const each = s("text", { x: "73.5%", y: 250 });
  const el = s(
    "svg",
    { x: left, overflow: "visible" },
    leads,
    frame,
    s("rect", { class: "cw-heads-box", x: "73.5%", y: 76, width: 134, height: 138, rx: 4 }),
    s("svg", { x: "73.5%", y: 104, overflow: "visible" }, tile(gettext("key"), 10), tile(gettext("value"), 72)),
    where,
    each,
  );
  /** @param {Now} now */
  const update = (now) => {
    const [head, layer] = [Math.min(OPENED.head, now.heads - 1), Math.min(OPENED.layer, now.layers - 1)];
    const x = `${((wide * (head + 0.5)) / now.heads).toFixed(2)}%`;
    const y = TOP + (HIGH * (now.layers - 1 - layer)) / now.layers;
    for (const lead of leads) setAttrs(lead, { x1: x, y1: y + 2 });
    setAttrs(frame, { x, y: y - 1 });
    setText(where, gettext("layer {layer}, head {head}:", { layer, head }));
    fill(each, gettext("{width} numbers each"), now);
  };
  return { el, update };
};

/**
 * All cells, with their names. A wide drawing has the layers' numbers at its left and a cell opened at its right.
 * @param {boolean} open
 */
const cellsView = (open) => {
  const [left, wide] = open ? [62, 70] : [0, 100];
  const foot = TOP + HIGH + 20;
  /** @param {{ [name: string]: number | string }} at */
  const name = (at) => s("text", { "data-index": true, ...at });
  const cells = block({ x: left, y: TOP, width: `${wide}%`, height: HIGH });
  const title = s("text", { class: "cw-heads-title", x: left, y: 14 });
  const first = name({ x: left, y: foot });
  const last = name({ x: `${wide}%`, dx: left, y: foot, "text-anchor": "end" });
  const top = name({ x: 54, y: TOP + 11, "text-anchor": "end" });
  const bottom = name({ x: 54, y: TOP + HIGH, "text-anchor": "end" });
  const opened = openedView(left, wide);
  const svg = s(
    "svg",
    { width: "100%", height: HIGH + 52, role: "img" },
    title,
    cells.el,
    first,
    last,
    open && [top, bottom, opened.el],
  );
  setText(first, headName(0));
  setText(bottom, layerName(0));
  /** @param {Now} now */
  const update = (now) => {
    cells.update(now.heads, now.layers);
    fill(title, gettext("one token, “cat”: {kv} key-value pairs in each of {layers} layers"), now);
    setText(last, headName(now.heads - 1));
    setText(top, layerName(now.layers - 1));
    opened.update(now);
    const { heads, layers } = now;
    const label = gettext("{heads} times {layers} cells, one for each key and value that one token stores", {
      heads,
      layers,
    });
    setAttrs(svg, { "aria-label": label });
  };
  return { el: h("div", { class: `cw-heads-pairs${open ? "" : " narrow"}` }, svg), update };
};

/** The cells twice: styles show what fits the column. @returns {{ els: HTMLElement[], update: (now: Now) => void }} */
export const pairsView = () => {
  const views = [cellsView(true), cellsView(false)];
  return { els: views.map((view) => view.el), update: (now) => views.forEach((view) => view.update(now)) };
};
