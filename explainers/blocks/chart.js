/* The block as columns: what was given, what comes back and the error between, what came back before anything was changed (dashed), and
   below how far off each is of itself. What rises far above the rest is cut, so that the rest stays visible.
   Drag a column, or pick it and press keys.

   update(state, out, width, limit, bare)   bare: what it says as a picture, with nothing to drag or to read under a column */

import { renderList, s, setAttrs, setText } from "../kit/dom.js";
import { onDrag } from "../kit/pointer.js";
import { BOTTOM, place_of, px, RIGHT, step_of, TOP, tidy, y_of } from "./axis.js";
import { draw_column, make_column } from "./columns.js";
import { bars, dashes, draw_cut, draw_level } from "./marks.js";
import { num, plain } from "./spell.js";

/** @import { Drawn, Place } from "./axis.js" */
/** @import { Column } from "./columns.js" */
/** @import { Real, State } from "./compute.js" */

/**
 * What is done when a column is picked, dragged or pointed at (-1: left). A picture does nothing.
 * @typedef {{
 *   onPick?: (i: number, focus: boolean) => void, onValue?: (i: number, v: number) => void, onHover?: (i: number) => void,
 * }} Hooks
 */

/** What the columns of a picture are, in words. @param {{ values: readonly Real[] }} now */
export const range = (now) => {
  const known = now.values.map(plain);
  return `${known.length} numbers from ${num(Math.min(...known), 4)} to ${num(Math.max(...known), 4)}`;
};

/** The chart and its parts, from back to front. */
const parts_of_chart = () => {
  /** @param {string} name */
  const group = (name) => s("g", { class: name, "aria-hidden": "true" });
  const [grid, columns, cuts] = [group("cw-blocks-levels"), s("g", {}), group("cw-blocks-cuts")];
  const zero = s("line", { class: "cw-blocks-zero" });
  const [ghost, strip] = ["ghost", "strip"].map((name) => s("path", { class: `cw-blocks-${name}` }));
  const off = s("text", { class: "cw-blocks-off", text: "error" });
  const lost = s("text", { class: "cw-blocks-lost", "text-anchor": "middle" });
  const handle = s("circle", { class: "cw-blocks-handle", r: 7, "data-omit": true });
  const svg = s("svg", { class: "cw-blocks-chart" }, grid, columns, ghost, zero, cuts, strip, off, lost, handle);
  return { svg, grid, columns, cuts, zero, ghost, strip, off, lost, handle };
};

/** @param {ReturnType<typeof parts_of_chart>} parts @param {Place} now @param {(_: unknown, i: number) => Column} make */
const draw_chart = ({ svg, grid, columns, cuts, zero, ghost, strip, off, lost, handle }, now, make) => {
  const { state, out, width, height, bare, back } = now;
  setAttrs(svg, { viewBox: `0 0 ${width} ${height}`, width, height });
  setAttrs(svg, {
    role: bare ? "img" : "group",
    "aria-label": bare || "The block's numbers, one slider each",
    "data-picture": bare ? false : `${range(out)}; ${out.zeros} round to zero`,
  });
  renderList(
    grid,
    out.levels.flatMap((v, k) => (now.top >= Math.abs(v) ? [/** @type {[number, number]} */ ([v, k])] : [])),
    () => s("g", {}, s("line", {}), s("text", {})),
    (g, at, i) => draw_level(now, g, at, i),
  );
  renderList(columns, out.values, make, (g, _, i) => draw_column(now, g, i));
  renderList(
    cuts,
    out.values.flatMap((v, i) => (Math.abs(plain(v)) > now.top ? [i] : [])),
    () => s("g", {}, s("path", {}), s("text", {})),
    (g, i) => draw_cut(now, g, i),
  );
  setAttrs(ghost, { d: back ? dashes(now) : "" });
  setAttrs(strip, { d: back ? bars(now) : "", "stroke-width": px(now.col * 0.62) });
  setAttrs(off, { x: width - RIGHT + 8, y: height - BOTTOM, visibility: back ? "visible" : "hidden" });
  setAttrs(lost, { x: (width - RIGHT) / 2, y: TOP + 20 });
  setText(lost, back ? "" : "NaN: every number of this block is lost");
  setAttrs(zero, { x1: 0, x2: width - RIGHT, y1: y_of(now, 0), y2: y_of(now, 0) });
  setAttrs(handle, {
    cx: px(now.col * (state.picked + 0.5)),
    cy: y_of(now, out.values[state.picked]),
    visibility: bare ? "hidden" : "visible",
  });
};

/**
 * A key at column i: to another one, or up and down.
 * @param {KeyboardEvent} e
 * @param {number} i
 * @param {Place} now
 * @param {Hooks} hooks
 */
const press = (e, i, now, { onPick, onValue }) => {
  const jump = e.key.startsWith("Page") ? 100 : e.shiftKey ? 1 : 10;
  /** @type {{ [key: string]: number }} */
  const turns = { ArrowLeft: -1, ArrowRight: 1, Home: -i, End: now.out.shown - 1 - i };
  /** @type {{ [key: string]: number }} */
  const grows = { ArrowUp: 1, ArrowDown: -1, PageUp: 1, PageDown: -1 };
  const [turn, grow] = [turns[e.key], grows[e.key]];
  if (now.bare || (turn === undefined && grow === undefined)) return;
  e.preventDefault();
  if (grow) onValue?.(i, tidy(now, plain(now.out.values[i]) + grow * jump * step_of(now)));
  else onPick?.(Math.max(0, Math.min(now.out.shown - 1, i + turn)), true);
};

/** @param {HTMLElement} root @param {Hooks} hooks */
export const block_chart = (root, hooks) => {
  const { onPick, onValue, onHover } = hooks;
  const parts = parts_of_chart();
  const { svg, columns, handle } = parts;
  let now = /** @type {Place} */ ({}); // until the first update
  let held = 0; // while dragging the axis stays

  /** @param {unknown} _ @param {number} i */
  const make = (_, i) => {
    const g = make_column();
    g.addEventListener("keydown", (e) => press(e, i, now, hooks));
    g.addEventListener("focus", () => {
      if (!now.bare && now.state.picked !== i) onPick?.(i, false);
    });
    g.addEventListener("pointerenter", () => onHover?.(i));
    g.addEventListener("pointerleave", () => onHover?.(-1));
    return g;
  };
  /** @param {State} state @param {Drawn} out @param {number} width @param {number} limit @param {string} bare */
  const update = (state, out, width, limit, bare = "") => {
    now = place_of(state, out, width, limit, bare, held);
    draw_chart(parts, now, make);
  };

  let dragged = 0;
  /** @param {number} py */
  const value_at = (py) => tidy(now, (now.top * (now.middle - py)) / now.half);
  let moved = false;
  let from = 0;
  onDrag(svg, {
    start: (px, py, e) => {
      if (now.bare) return false;
      dragged = Math.floor(px / now.col);
      if (dragged >= now.out.shown || dragged < 0) return false;
      if (dragged !== now.state.picked && e.target !== handle) onPick?.(dragged, true);
      if (e.target === handle) dragged = now.state.picked;
      if (e.pointerType === "touch" && e.target !== handle) return false; // a swipe over the chart still scrolls the page
      [moved, from, held] = [false, py, now.top];
      return true;
    },
    move: (px, py) => {
      moved = moved || Math.abs(py - from) > 3;
      if (moved) onValue?.(dragged, value_at(py));
    },
    end: () => {
      held = 0;
      root.dispatchEvent(new Event("cw-redraw"));
    },
  });
  return {
    el: svg,
    update,
    labelled: () => now.back && now.col >= 26,
    /** @param {number} i */
    focus: (i) => /** @type {Column} */ (columns.children[i]).focus(),
    /** @param {number} i */
    hover: (i) => [...columns.children].forEach((g, k) => g.classList.toggle("hover", k === i)),
  };
};
