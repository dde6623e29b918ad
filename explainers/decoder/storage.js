/* What a mixer stores, as area: a head's state, and a state beside a cache that grows. */
import { h as kitH, s, setAttrs } from "../kit/dom.js";
import { fill } from "../kit/numbers.js";
import { range_of } from "./vectors.js";

/** @import { Now } from "./compute.js" */

const SIDE = 40;
const [WIDE, GAP, PITCH, LINES] = [96, 2, 1.5, 13]; // of what is kept, in cells

/**
 * The paths of a state: filled for what is above zero, hollow for what is below; area is size.
 * @param {number[]} row
 */
const squares = (row) => {
  const [side, most] = [Math.round(Math.sqrt(row.length)), Math.max(...row.map(Math.abs)) || 1];
  const paths = ["", ""];
  row.forEach((value, place) => {
    const half = Math.floor((SIDE * Math.sqrt(Math.abs(value) / most)) / 2 - 1);
    if (1 > half) return;
    const [x, y] = [SIDE * (place % side) + SIDE / 2 - half, SIDE * Math.floor(place / side) + SIDE / 2 - half];
    paths[value > 0 ? 0 : 1] += `M${x} ${y}h${2 * half}v${2 * half}h-${2 * half}z`;
  });
  return paths;
};
export const state_view = () => {
  const [above, below] = ["above", "below"].map((name) => s("path", { class: name }));
  const el = s("svg", { class: "cw-decoder-state", role: "img" }, above, below);
  /** @param {number[][]} held @param {number} h */
  const update = (held, h) => {
    const row = held[h];
    const side = SIDE * Math.round(Math.sqrt(row.length));
    const [plus, minus] = squares(row);
    setAttrs(el, {
      viewBox: `0 0 ${side} ${side}`,
      "aria-label": `The state of head ${h}: filled squares are positive, hollow ones negative.`,
    });
    setAttrs(above, { d: plus });
    setAttrs(below, { d: minus });
  };
  return { el, update };
};

/* A state and a cache, each number a cell: how many tokens it takes to keep as much; while asked, one token. */
export const ink_view = () => {
  const says = range_of(3).map(() => kitH("p"));
  const [state, cache] = range_of(2).map(() =>
    s("svg", { "aria-hidden": "true" }, s("path"), s("path", { class: "later" })),
  );
  const el = kitH("div", { class: "cw-decoder-ink" }, says[0], state, says[1], cache, says[2]);
  /** @param {SVGElement} svg @param {number} high @param {...string} paths */
  const draw = (svg, high, ...paths) => {
    setAttrs(svg, { viewBox: `0 0 ${WIDE} ${high}` });
    paths.forEach((d, i) => setAttrs(svg.children[i], { d }));
  };
  /** @param {Now} now @param {boolean} hide */
  const update = (now, hide) => {
    const { row, fixed, after } = now.meets;
    const [side, beside] = [Math.sqrt(fixed / 4), Math.floor((WIDE + GAP) / (row + GAP))];
    /** @param {number} many @param {number} [first] */
    const tokens = (many, first = 0) =>
      range_of(first + many)
        .slice(first)
        .map((i) => `M${(i % beside) * (row + GAP)} ${PITCH * Math.floor(i / beside) + 0.5}h${row}`)
        .join("");
    draw(
      state,
      side,
      range_of(4 * side)
        .map((i) => `M${Math.floor(i / side) * (side + GAP)} ${(i % side) + 0.5}h${side}`)
        .join(""),
      "",
    );
    draw(cache, LINES, tokens(hide ? 1 : after), hide ? "" : tokens(2, after));
    fill(says[0], "State, at any length: {meets.fixed:int} numbers.", now);
    fill(says[1], "KV cache ({meets.cache:text}): {meets.row:int} numbers per token.", now);
    fill(
      says[2],
      hide
        ? ""
        : "After {meets.after:int} tokens the cache is as large as the state, which never grows. After {meets.many:int} tokens:",
      now,
    );
  };
  return { el, update };
};
