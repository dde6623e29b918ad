/* The block as columns: what was given, what comes back and the error between, what came back before anything was changed (dashed), and
   below how far off each is of itself. What rises far above the rest is cut, so that the rest stays visible.
   Drag a column, or pick it and press keys.

   update(state, out, width, limit, bare)   bare: what it says as a picture, with nothing to drag or to read under a column */

import { renderList, s, setAttrs, setText } from "../kit/dom.js";
import { put } from "../kit/numbers.js";
import { onDrag } from "../kit/pointer.js";
import { words } from "./parts.js";

/** @import { Now, Real, State } from "./compute.js" */

/**
 * What is drawn: of the block before it was changed, what came back.
 * @typedef {Omit<Now, "before"> & { before: { dequantized: readonly Real[] } }} Drawn
 */

/**
 * What is done when a column is picked, dragged or pointed at (-1: left). A picture does nothing.
 * @typedef {{
 *   onPick?: (i: number, focus: boolean) => void, onValue?: (i: number, v: number) => void, onHover?: (i: number) => void,
 * }} Hooks
 */

/** @typedef {"hit" | "given" | "error" | "back"} Rect */
/**
 * A column, with its parts.
 * @typedef {SVGGElement & Record<Rect, SVGRectElement> & Record<"clip" | "label", SVGTextElement>} Column
 */

/**
 * What is drawn, and where.
 * @typedef {{
 *   state: State, out: Drawn, width: number, height: number, limit: number, bare: string, half: number, back: boolean,
 *   middle: number, col: number, top: number, labelled: number,
 * }} Place
 */

/** A place in pixels, to a tenth: more digits only make a page longer. @param {number} x */
export const px = (x) => Math.round(x * 10) / 10;

/** A column of a picture is nothing to drag, and says nothing by itself. */
const MUTE = Object.fromEntries(
  "role tabindex aria-orientation aria-label aria-valuenow aria-valuemin aria-valuemax aria-valuetext"
    .split(" ")
    .map((name) => [name, false]),
);

/** What the columns of a picture are, in words. @param {{ values: readonly Real[] }} now */
export const range = (now) => {
  const known = now.values.map(words.plain);
  return `${known.length} numbers from ${words.num(Math.min(...known), 4)} to ${words.num(Math.max(...known), 4)}`;
};

/** @param {HTMLElement} root @param {Hooks} hooks */
export const block_chart = (root, { onPick, onValue, onHover }) => {
  const [TOP, STRIP, BOTTOM, RIGHT] = [24, 18, 24, 48];
  /** @param {string} name */
  const group = (name) => s("g", { class: name, "aria-hidden": "true" });
  const [grid, columns, cuts] = [group("cw-blocks-levels"), s("g", {}), group("cw-blocks-cuts")];
  const zero = s("line", { class: "cw-blocks-zero" });
  const [ghost, strip] = ["ghost", "strip"].map((name) => s("path", { class: `cw-blocks-${name}` }));
  const off = s("text", { class: "cw-blocks-off", text: "error" });
  const lost = s("text", { class: "cw-blocks-lost", "text-anchor": "middle" });
  const handle = s("circle", { class: "cw-blocks-handle", r: 7, "data-omit": true });
  const svg = s("svg", { class: "cw-blocks-chart" }, grid, columns, ghost, zero, cuts, strip, off, lost, handle);
  let now = /** @type {Place} */ ({}); // until the first update
  let held = 0; // while dragging the axis stays

  /** @param {Drawn} out @param {number} i */
  const size = (out, i) =>
    Math.max(
      ...[out.values, out.dequantized, out.before.dequantized].map((list) => Math.abs(words.plain(list[i] ?? 0))),
    );
  /** @param {Drawn} out */
  const axis = (out) => {
    const sizes = out.values.map((_, i) => size(out, i));
    const most = Math.max(...sizes, 1e-30);
    const rest = Math.max(0, ...sizes.filter((_, i) => i !== sizes.indexOf(most)));
    return rest && most >= 3 * rest ? 1.5 * rest : 1.12 * most;
  };
  /** @param {Real} v */
  const y = (v) =>
    px(now.middle - Math.max(-now.half - 12, Math.min(now.half + 12, (now.half * words.plain(v)) / now.top)));
  const step_of = () => 10 ** (Math.floor(Math.log10(now.top)) - 2);
  /** @param {number} v */
  const tidy = (v) => {
    const step = step_of();
    const places = Math.max(0, -Math.floor(Math.log10(step)));
    return Math.max(
      -now.limit,
      Math.min(now.limit, Number((Math.round(v / step) * step).toFixed(Math.min(places, 20)))),
    );
  };

  /** @param {KeyboardEvent} e @param {number} i */
  const keys = (e, i) => {
    const jump = e.key.startsWith("Page") ? 100 : e.shiftKey ? 1 : 10;
    /** @type {{ [key: string]: number }} */
    const turns = { ArrowLeft: -1, ArrowRight: 1, Home: -i, End: now.out.shown - 1 - i };
    /** @type {{ [key: string]: number }} */
    const grows = { ArrowUp: 1, ArrowDown: -1, PageUp: 1, PageDown: -1 };
    const [turn, grow] = [turns[e.key], grows[e.key]];
    if (now.bare || (turn === undefined && grow === undefined)) return;
    e.preventDefault();
    if (grow) onValue?.(i, tidy(words.plain(now.out.values[i]) + grow * jump * step_of()));
    else onPick?.(Math.max(0, Math.min(now.out.shown - 1, i + turn)), true);
  };
  /** @param {unknown} _ @param {number} i @returns {Column} */
  const make = (_, i) => {
    /** @param {string} name */
    const part = (name) => s("rect", { class: `cw-blocks-${name}` });
    const [hit, given, error, back] = [part("hit"), part("given"), part("error"), part("back")];
    const clip = s("text", { class: "cw-blocks-clip", "text-anchor": "middle", "data-omit": true });
    const label = s("text", { class: "cw-blocks-element", "text-anchor": "middle" });
    const g = s("g", {}, hit, given, error, back, clip, label);
    g.addEventListener("keydown", (e) => keys(e, i));
    g.addEventListener("focus", () => {
      if (!now.bare && now.state.picked !== i) onPick?.(i, false);
    });
    g.addEventListener("pointerenter", () => onHover?.(i));
    g.addEventListener("pointerleave", () => onHover?.(-1));
    return Object.assign(g, { hit, given, error, back, clip, label });
  };
  /** @param {SVGRectElement} rect @param {number} a @param {number} b @param {number} width */
  const span = (rect, a, b, width) =>
    setAttrs(rect, { x: -width / 2, width, y: Math.min(a, b), height: px(Math.abs(a - b)) });
  /** @param {Element} node */
  const unbind = (node) => setAttrs(node, { "data-out": false, "data-format": false, text: "" });
  /** @param {Column} g @param {number} i */
  const draw = (g, i) => {
    const { out, state, col, bare, back: seen } = now;
    const [at, back] = [y(out.values[i]), y(out.dequantized[i])];
    const [thick, wide, thin] = [Math.max(2, col * 0.62), Math.max(3, col * 0.86), Math.min(4, col / 2)].map(px);
    setAttrs(g.hit, { x: px(-col / 2), width: px(col), y: 0, height: now.height });
    span(g.given, y(0), at, thick);
    span(g.error, at, seen ? back : at, thin);
    setAttrs(g.back, { x: -wide / 2, width: seen ? wide : 0, y: px(back - 1.5), height: 3 });
    const clipped = seen && out.clipped.includes(i);
    setAttrs(g.clip, { y: px(words.plain(out.values[i]) > 0 ? Math.min(at, back) - 6 : Math.max(at, back) + 14) });
    setText(g.clip, clipped ? (col > 24 ? "clips" : "▲") : "");
    setAttrs(g.label, { y: now.height - 6 });
    if (!bare && col >= 26) put(g.label, `said.under.${i}`, "text", out);
    else unbind(g.label);
    const picked = !bare && i === state.picked;
    setAttrs(g, {
      transform: `translate(${px(col * (i + 0.5))} 0)`,
      class: `cw-blocks-col${picked ? " picked" : ""}${clipped ? " clipped" : ""}${i === out.peak ? " peak" : ""}`,
    });
    setAttrs(
      g,
      bare
        ? MUTE
        : {
            role: "slider",
            tabindex: picked ? 0 : -1,
            "aria-orientation": "vertical",
            "aria-label": `element ${i}`,
            "aria-valuenow": words.plain(out.values[i]),
            "aria-valuemin": -now.limit,
            "aria-valuemax": now.limit,
            "aria-valuetext": words.spoken(out, i),
          },
    );
  };
  /** @param {SVGGElement} g @param {[value: number, k: number]} at @param {number} i */
  const level = (g, [v, k], i) => {
    const [line, text] = /** @type {Iterable<SVGElement>} */ (g.children);
    const at = y(v);
    const free = i === 0 || Math.abs(at - now.labelled) >= 13;
    if (free) now.labelled = at;
    setAttrs(line, { x1: 0, x2: now.width - RIGHT + 4, y1: at, y2: at });
    setAttrs(text, { x: now.width - RIGHT + 8, y: px(at + 3.5) });
    if (free) put(text, `levels.${k}`, "num 3", now.out);
    else unbind(text);
  };
  /** Two strokes across a column that goes on, and its number beside it. @param {SVGGElement} g @param {number} i */
  const cut = (g, i) => {
    const [mark, text] = /** @type {Iterable<SVGElement>} */ (g.children);
    const up = words.plain(now.out.values[i]) > 0;
    const [x, at] = [now.col * (i + 0.5), px(y(now.out.values[i]) + (up ? 14 : -14))];
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
  const dashes = () =>
    now.out.before.dequantized
      .map((v, i) =>
        v === now.out.dequantized[i]
          ? ""
          : `M${(now.col * (i + 0.07)).toFixed(1)} ${y(v).toFixed(1)}h${(now.col * 0.86).toFixed(1)}`,
      )
      .join("");
  const bars = () =>
    now.out.relative
      .map(
        (v, i) =>
          `M${(now.col * (i + 0.5)).toFixed(1)} ${now.height - BOTTOM}v-${(Math.min(1, words.plain(v)) * (STRIP - 4)).toFixed(1)}`,
      )
      .join("");
  /** @param {State} state @param {Drawn} out @param {number} width @param {number} limit @param {string} bare */
  const update = (state, out, width, limit, bare = "") => {
    const height = width < 560 ? 240 : 300;
    const half = (height - TOP - STRIP - BOTTOM - 12) / 2;
    const back = out.scale !== "NaN";
    now = {
      state,
      out,
      width,
      height,
      limit,
      bare,
      half,
      back,
      middle: TOP + half,
      col: (width - RIGHT) / out.values.length,
      top: held || axis(out),
      labelled: 0,
    };
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
      level,
    );
    renderList(columns, out.values, make, (g, _, i) => draw(g, i));
    renderList(
      cuts,
      out.values.flatMap((v, i) => (Math.abs(words.plain(v)) > now.top ? [i] : [])),
      () => s("g", {}, s("path", {}), s("text", {})),
      cut,
    );
    setAttrs(ghost, { d: back ? dashes() : "" });
    setAttrs(strip, { d: back ? bars() : "", "stroke-width": px(now.col * 0.62) });
    setAttrs(off, { x: width - RIGHT + 8, y: height - BOTTOM, visibility: back ? "visible" : "hidden" });
    setAttrs(lost, { x: (width - RIGHT) / 2, y: TOP + 20 });
    setText(lost, back ? "" : "NaN: every number of this block is lost");
    setAttrs(zero, { x1: 0, x2: width - RIGHT, y1: y(0), y2: y(0) });
    setAttrs(handle, {
      cx: px(now.col * (state.picked + 0.5)),
      cy: y(out.values[state.picked]),
      visibility: bare ? "hidden" : "visible",
    });
  };

  let dragged = 0;
  /** @param {number} py */
  const value_at = (py) => tidy((now.top * (now.middle - py)) / now.half);
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
