/* A column of the chart: a number that was given, what comes back and the error between; to a screen reader a slider. */
import { s, setAttrs, setText } from "../kit/dom.js";
import { put } from "../kit/numbers.js";
import { px, y_of } from "./axis.js";
import { spoken } from "./parts.js";
import { plain } from "./spell.js";

/** @import { Place } from "./axis.js" */

/** @typedef {"hit" | "given" | "error" | "back"} Rect */
/**
 * A column, with its parts.
 * @typedef {SVGGElement & Record<Rect, SVGRectElement> & Record<"clip" | "label", SVGTextElement>} Column
 */

/** A column of a picture is nothing to drag, and says nothing by itself. */
const MUTE = Object.fromEntries(
  "role tabindex aria-orientation aria-label aria-valuenow aria-valuemin aria-valuemax aria-valuetext"
    .split(" ")
    .map((name) => [name, false]),
);

/** @param {Place} now @param {number} i @param {boolean} picked */
const slider = ({ out, limit }, i, picked) => ({
  role: "slider",
  tabindex: picked ? 0 : -1,
  "aria-orientation": "vertical",
  "aria-label": `element ${i}`,
  "aria-valuenow": plain(out.values[i]),
  "aria-valuemin": -limit,
  "aria-valuemax": limit,
  "aria-valuetext": spoken(out, i),
});

/** @returns {Column} */
export const make_column = () => {
  /** @param {string} name */
  const part = (name) => s("rect", { class: `cw-blocks-${name}` });
  const [hit, given, error, back] = [part("hit"), part("given"), part("error"), part("back")];
  const clip = s("text", { class: "cw-blocks-clip", "text-anchor": "middle", "data-omit": true });
  const label = s("text", { class: "cw-blocks-element", "text-anchor": "middle" });
  const g = s("g", {}, hit, given, error, back, clip, label);
  return Object.assign(g, { hit, given, error, back, clip, label });
};
/** @param {SVGRectElement} rect @param {number} a @param {number} b @param {number} width */
const span = (rect, a, b, width) =>
  setAttrs(rect, { x: -width / 2, width, y: Math.min(a, b), height: px(Math.abs(a - b)) });
/** Its text is no longer a number of the block. @param {Element} node */
export const unbind = (node) => setAttrs(node, { "data-out": false, "data-format": false, text: "" });
/** @param {Place} now @param {Column} g @param {number} i */
export const draw_column = (now, g, i) => {
  const { out, state, col, bare, back: seen } = now;
  const [at, back] = [y_of(now, out.values[i]), y_of(now, out.dequantized[i])];
  const [thick, wide, thin] = [Math.max(2, col * 0.62), Math.max(3, col * 0.86), Math.min(4, col / 2)].map(px);
  setAttrs(g.hit, { x: px(-col / 2), width: px(col), y: 0, height: now.height });
  span(g.given, y_of(now, 0), at, thick);
  span(g.error, at, seen ? back : at, thin);
  setAttrs(g.back, { x: -wide / 2, width: seen ? wide : 0, y: px(back - 1.5), height: 3 });
  const clipped = seen && out.clipped.includes(i);
  setAttrs(g.clip, { y: px(plain(out.values[i]) > 0 ? Math.min(at, back) - 6 : Math.max(at, back) + 14) });
  setText(g.clip, clipped ? (col > 24 ? "clips" : "▲") : "");
  setAttrs(g.label, { y: now.height - 6 });
  if (!bare && col >= 26) put(g.label, `said.under.${i}`, "text", out);
  else unbind(g.label);
  const picked = !bare && i === state.picked;
  setAttrs(g, {
    transform: `translate(${px(col * (i + 0.5))} 0)`,
    class: `cw-blocks-col${picked ? " picked" : ""}${clipped ? " clipped" : ""}${i === out.peak ? " peak" : ""}`,
  });
  setAttrs(g, bare ? MUTE : slider(now, i, picked));
};
