/* Where a block's numbers stand in pixels. What rises far above the rest is cut, so that the rest stays visible. */
import { plain } from "./spell.js";

/** @import { Now, Real, State } from "./compute.js" */

/**
 * What is drawn: of the block before it was changed, what came back.
 * @typedef {Omit<Now, "before"> & { before: { dequantized: readonly Real[] } }} Drawn
 */

/**
 * What is drawn, and where.
 * @typedef {{
 *   state: State, out: Drawn, width: number, height: number, limit: number, bare: string, half: number, back: boolean,
 *   middle: number, col: number, top: number, labelled: number,
 * }} Place
 */

/* Pixels that the columns leave free. */
export const TOP = 24;
export const STRIP = 18; // of it the relative errors
export const BOTTOM = 24;
export const RIGHT = 48;

/** A place in pixels, to a tenth: more digits only make a page longer. @param {number} x */
export const px = (x) => Math.round(x * 10) / 10;

/** @param {Drawn} out @param {number} i */
const size = (out, i) =>
  Math.max(...[out.values, out.dequantized, out.before.dequantized].map((list) => Math.abs(plain(list[i] ?? 0))));
/** The largest number that the axis shows. @param {Drawn} out */
const top_of = (out) => {
  const sizes = out.values.map((_, i) => size(out, i));
  const most = Math.max(...sizes, 1e-30);
  const rest = Math.max(0, ...sizes.filter((_, i) => i !== sizes.indexOf(most)));
  return rest && most >= 3 * rest ? 1.5 * rest : 1.12 * most;
};
/**
 * The width and what is drawn -> where everything stands.
 * @param {State} state
 * @param {Drawn} out
 * @param {number} width
 * @param {number} limit
 * @param {string} bare
 * @param {number} held the axis while dragging, else 0
 * @returns {Place}
 */
export const place_of = (state, out, width, limit, bare, held) => {
  const height = width < 560 ? 240 : 300;
  const half = (height - TOP - STRIP - BOTTOM - 12) / 2;
  return {
    state,
    out,
    width,
    height,
    limit,
    bare,
    half,
    back: out.scale !== "NaN",
    middle: TOP + half,
    col: (width - RIGHT) / out.values.length,
    top: held || top_of(out),
    labelled: 0,
  };
};
/** Where a number stands; far ones stay at the edge. @param {Place} now @param {Real} v */
export const y_of = (now, v) =>
  px(now.middle - Math.max(-now.half - 12, Math.min(now.half + 12, (now.half * plain(v)) / now.top)));
/** What an arrow key adds, with Shift. @param {Place} now */
export const step_of = (now) => 10 ** (Math.floor(Math.log10(now.top)) - 2);
/** The nearest multiple of a step, within the limit. @param {Place} now @param {number} v */
export const tidy = (now, v) => {
  const step = step_of(now);
  const places = Math.max(0, -Math.floor(Math.log10(step)));
  return Math.max(-now.limit, Math.min(now.limit, Number((Math.round(v / step) * step).toFixed(Math.min(places, 20)))));
};
