/* Errors over time: a line for each rule and for attention, over the writes. */
import { renderList, s, setAttrs, setText } from "../kit/dom.js";
import { fmt, put } from "../kit/numbers.js";

/** @import { Data } from "./compute.js" */
/** @import { Pair } from "./writes.js" */

/** The errors after each write, by the name of the rule. @typedef {{ [name: string]: number[] }} Histories */

const H = 190;
const TOP = 14;
const BOTTOM = 26;
const LEFT = 40;
const RIGHT = 128; // for the names at the ends

/**
 * Each name stands at the end of its line, at least 14 px below the one above; all move up if the last does not fit.
 * @param {Element[]} names
 * @param {number[]} values
 * @param {(value: number) => number} y
 * @param {number} x
 */
const place_names = (names, values, y, x) => {
  let last = -99;
  for (const [value, i] of values.map((v, k) => [v, k]).sort((a, b) => b[0] - a[0])) {
    last = Math.max(y(value) + 4, last + 14);
    setAttrs(names[i], { x, y: last });
  }
  const over = last - (H - 2);
  if (over > 0) for (const text of names) setAttrs(text, { y: Number(text.getAttribute("y")) - over });
};

/** @param {Data} data */
export const history_view = (data) => {
  const [grid, names] = [s("g", { class: "cw-delta-rule-grid" }), s("g", {})];
  const cursor = s("line", { class: "cw-delta-rule-cursor", y1: TOP, y2: H - BOTTOM });
  const rows = [...data.rules, { name: "attention", label: "Softmax attention" }];
  const lines = rows.map((rule) => s("path", { class: `cw-delta-rule-line r-${rule.name}` }));
  const ends = rows.map((rule) => s("text", { class: `cw-delta-rule-end r-${rule.name}`, text: rule.label }));
  const el = s("svg", { class: "cw-delta-rule-history", role: "img" }, grid, names, cursor, lines, ends);
  /** @type {(histories: Histories, axis: number[], pairs: Pair[], t: number, width: number) => void} */
  const update = (histories, axis, pairs, t, width) => {
    const most = axis[2];
    const x = (/** @type {number} */ i) => LEFT + ((width - LEFT - RIGHT) * i) / Math.max(1, pairs.length);
    const y = (/** @type {number} */ v) => H - BOTTOM - ((H - TOP - BOTTOM) * v) / most;
    setAttrs(el, {
      viewBox: `0 0 ${width} ${H}`,
      width,
      height: H,
      "aria-label": `Mean recall error after each write; at step ${Math.floor(t)}: ${rows.map((r) => `${r.label} ${fmt.percent(histories[r.name][Math.floor(t)])}`).join(", ")}`,
    });
    renderList(
      grid,
      axis,
      () => s("g", {}, s("line", {}), s("text", { "text-anchor": "end" })),
      (g, v, i) => {
        setAttrs(g.children[0], { x1: LEFT, x2: width - RIGHT, y1: y(v), y2: y(v) });
        put(setAttrs(g.children[1], { x: LEFT - 6, y: y(v) + 4 }), `axis.${i}`, "percent 0", { axis });
      },
    );
    renderList(
      names,
      pairs,
      () => s("text", { "text-anchor": "middle" }),
      (text, [key], i) => {
        setAttrs(text, { x: x(i + 1), y: H - 8 });
        setText(text, data.letters[key]);
      },
    );
    setAttrs(cursor, { x1: x(t), x2: x(t) });
    const all = rows.map(({ name }) => histories[name]);
    all.forEach((row, i) =>
      setAttrs(lines[i], { d: row.map((v, k) => `${k ? "L" : "M"}${x(k).toFixed(1)} ${y(v).toFixed(1)}`).join("") }),
    );
    place_names(
      ends,
      all.map((row) => /** @type {number} */ (row.at(-1))),
      y,
      width - RIGHT + 8,
    );
  };
  return { el, update };
};
