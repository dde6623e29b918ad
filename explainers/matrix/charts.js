/* Signal to noise of schemes: bars, and all of them against the bits that a weight takes. */
import { linearScale, spreadLabels } from "../kit/chart.js";
import { h, renderList, s, setAttrs } from "../kit/dom.js";
import { fill, put } from "../kit/numbers.js";

/** @import { Now, Row } from "./compute.js" */

/** Bars of some schemes, of what comes out. @param {readonly string[]} names */
export const bars_view = (names) => {
  const rows = names.map((name) => {
    const [label, value] = [h("span"), h("span", { class: "cw-mono" })];
    const bar = s("rect", { height: 16 });
    const svg = s("svg", { width: "100%", height: 16, "aria-hidden": "true" }, bar);
    return { name, label, value, bar, el: h("li", {}, label, svg, value) };
  });
  const el = h(
    "ul",
    { class: "cw-matrix-bars" },
    rows.map((row) => row.el),
  );
  /** @param {Now} now @param {readonly string[]} hidden of these nothing is told: a bet asks for them */
  const update = (now, hidden = []) => {
    const top = Math.max(...now.rows.filter(({ name }) => names.includes(name)).map(({ out }) => out));
    for (const { name, label, value, bar, el: li } of rows) {
      const i = now.rows.findIndex((row) => row.name === name);
      const quiet = hidden.includes(name);
      li.classList.toggle("on", name === now.scheme);
      fill(label, `{rows.${i}.label:text}`, now);
      fill(value, quiet ? "?" : `{rows.${i}.out:signed 1} dB`, now);
      setAttrs(bar, { width: quiet ? "0%" : `${((100 * Math.max(now.rows[i].out, 0)) / top).toFixed(2)}%` });
    }
  };
  return { el, update };
};

const [LOW, HIGH] = [3.5, 9]; // bits
const [TOP, FOOT, APART] = [14, 340, 14];
const CROWD = 4.6; // schemes up to here have their labels beside the chart

/** @param {Row[]} rows @param {number} edge @param {boolean} narrow @param {(bits: number) => number} x @param {(dB: number) => number} y */
const placed = (rows, edge, narrow, x, y) => {
  const sorted = [...rows].sort((a, b) => b.weights - a.weights);
  const left = sorted.filter(({ bits }) => bits <= CROWD);
  const isBelow = (/** @type {Row} */ { bits }) => narrow && bits > 7.5 && bits < 8.4; // the 8-bit ones, under their dots
  const right = sorted.filter((row) => row.bits > CROWD && !isBelow(row));
  const below = sorted.filter(isBelow);
  /** @param {Row[]} part */
  const spread = (part) =>
    spreadLabels(
      part.map(({ weights }) => y(weights)),
      APART,
      FOOT - 2,
    );
  const [lefts, rights] = [spread(left), spread(right)];
  const lowest = Math.max(...below.map(({ weights }) => y(weights)));
  return new Map([
    ...left.map((row, i) => /** @type {const} */ ([row.name, { at: edge, y: lefts[i], anchor: "end", lead: true }])),
    ...below.map((row, i) => {
      const at = { at: x(HIGH) - 20, y: lowest + 1 + (i + 1) * 12, anchor: "end", lead: false };
      return /** @type {const} */ ([row.name, at]);
    }),
    ...right.map((row, i) => {
      const before = row.bits > 7.5; // there is no room behind the dot
      return /** @type {const} */ ([
        row.name,
        { at: x(row.bits) + (before ? -10 : 10), y: rights[i], anchor: before ? "end" : "start", lead: before },
      ]);
    }),
  ]);
};

/**
 * Where things stand in the scatter plot: its left and right end, and the scales of bits and of dB.
 * @typedef {{ edge: number, x_end: number, x: (bits: number) => number, y: (dB: number) => number }} Frame
 */

/** The lines of dB and the ticks of bits. @param {SVGElement} grid @param {Frame} frame @param {number} highest */
const draw_grid = (grid, { edge, x_end, x, y }, highest) => {
  const ticks = [
    ...[0, 10, 20, 30, 40, 50, 60].filter((v) => v <= highest).map((v) => ({ v, up: true })),
    ...[4, 5, 6, 7, 8, 9].map((v) => ({ v, up: false })),
  ];
  renderList(
    grid,
    ticks,
    () => s("g", {}, s("line"), s("text", { "data-index": true })),
    (g, { v, up }) => {
      const [line, text] = g.children;
      setAttrs(line, up ? { x1: edge, x2: x_end, y1: y(v), y2: y(v) } : { x1: x(v), x2: x(v), y1: FOOT, y2: FOOT + 4 });
      setAttrs(text, {
        text: v,
        ...(up ? { x: x_end, y: y(v) - 3, "text-anchor": "end" } : { x: x(v), y: FOOT + 18, "text-anchor": "middle" }),
      });
    },
  );
};

/** The slope of 6 dB a bit, through 20 dB at 4.5 bits. @param {SVGElement} slope @param {Frame} frame */
const draw_slope = (slope, { x, y }) => {
  const from = Math.max(0, 20 - 6.02 * (4.5 - LOW));
  renderList(
    slope,
    [0],
    () => s("g", {}, s("line"), s("text", { text: "6 dB a bit", "data-index": true })),
    (g) => {
      const [line, text] = g.children;
      setAttrs(line, { x1: x(LOW), y1: y(from), x2: x(HIGH), y2: y(from + 6.02 * (HIGH - LOW)) });
      setAttrs(text, { x: x(5.6), y: y(from + 6.02 * (5.6 - LOW)) - 8, "text-anchor": "end" });
    },
  );
};

const make_mark = () =>
  s("g", {}, s("path"), s("line"), s("circle", { class: "out", r: 4 }), s("circle", { class: "in", r: 4 }), s("text"));

/**
 * Both dots of each scheme, and its label.
 * @param {SVGElement} marks
 * @param {Frame} frame
 * @param {Now} now
 * @param {Row[]} shown
 * @param {boolean} narrow
 */
const draw_marks = (marks, { edge, x, y }, now, shown, narrow) => {
  const places = placed(shown, edge - 8, narrow, x, y);
  renderList(marks, shown, make_mark, (g, row) => {
    const [lead, line, out, dot, text] = g.children;
    const place = /** @type {{ at: number, y: number, anchor: string, lead: boolean }} */ (places.get(row.name));
    const [px, py] = [x(row.bits), y(row.weights)];
    const i = now.rows.indexOf(row);
    setAttrs(g, { class: row.name === now.scheme ? "on" : false });
    setAttrs(lead, {
      class: "lead",
      d: place.lead ? `M${(place.at + 3).toFixed(1)} ${place.y.toFixed(1)}L${px.toFixed(1)} ${py.toFixed(1)}` : "",
    });
    setAttrs(line, { x1: px, x2: px, y1: py, y2: y(row.out) });
    setAttrs(out, { cx: px, cy: y(row.out) });
    setAttrs(dot, { cx: px, cy: py });
    put(text, `rows.${i}.label`, "text", now);
    setAttrs(text, { x: place.at.toFixed(1), y: (place.y + 4).toFixed(1), "text-anchor": place.anchor });
  });
};

/** All schemes: filled the error of the weights, hollow that of what comes out. */
export const scatter_view = () => {
  const [grid, slope, marks] = [s("g", { class: "grid" }), s("g", { class: "slope" }), s("g")];
  const foot = s("text", {
    class: "foot",
    y: FOOT + 34,
    "text-anchor": "end",
    text: "bits per weight, with its share of the scales",
  });
  const head = s("text", { class: "foot", y: 8, "text-anchor": "end", text: "dB" });
  const svg = s("svg", { class: "cw-matrix-scatter", role: "img", height: FOOT + 40 }, grid, slope, marks, foot, head);
  /** @param {Now} now @param {number} width @param {readonly string[]} hidden */
  const update = (now, width, hidden = []) => {
    const narrow = width < 500;
    const [edge, x_end] = [narrow ? 112 : 150, width - 8];
    const highest = Math.max(...now.rows.flatMap(({ weights, out }) => [weights, out]), 40);
    const frame = {
      edge,
      x_end,
      x: linearScale([LOW, HIGH], [edge + 4, x_end]),
      y: linearScale([0, highest + 2], [FOOT, TOP]),
    };
    const shown = now.rows.filter(({ name }) => !hidden.includes(name));
    setAttrs(svg, {
      width,
      viewBox: `0 0 ${width} ${FOOT + 40}`,
      "aria-label": "Signal to noise of every scheme against bits per weight; the table has the numbers.",
    });
    for (const words of [foot, head]) setAttrs(words, { x: x_end });
    draw_grid(grid, frame, highest);
    draw_slope(slope, frame);
    draw_marks(marks, frame, now, shown, narrow);
  };
  return { el: svg, update };
};
