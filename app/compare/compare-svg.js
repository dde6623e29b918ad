// SVG of the superposed drawing: elements, lines of text, edges with their tips, and the discs that number differences.

/** @import { MergedState, Run } from "../site/types.d.ts" */

const SVG = "http://www.w3.org/2000/svg";
/**
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {{ [name: string]: string | number | undefined }} [props]
 * @param {...(Node | string)} children
 * @returns {SVGElementTagNameMap[Tag]}
 */
export function draw(tag, props = {}, ...children) {
  const el = document.createElementNS(SVG, tag);
  for (const key in props) if (props[key] !== undefined && props[key] !== "") el.setAttribute(key, String(props[key]));
  if (children.length) el.append(...children);
  return el;
}
/**
 * @param {number} x
 * @param {number} y
 * @param {Run[]} list
 * @param {string} style
 * @param {"start" | "middle" | "end"} [anchor]
 * @returns {SVGTextElement}
 */
export function text(x, y, list, style, anchor = "start") {
  const el = draw("text", { x, y, class: `i-${style}`, "text-anchor": anchor === "start" ? "" : anchor });
  if (list.length === 1 && !list[0].k) el.textContent = list[0].t;
  else
    el.append(
      ...list.map((run) => {
        const one = draw("tspan", { class: run.k && `k-${run.k}` });
        one.textContent = run.t;
        return one;
      }),
    );
  return el;
}
/** @param {number} value */
export const round = (value) => Math.round(value * 100) / 100;
/**
 * @param {number} number
 * @param {number} x
 * @param {number} y
 */
export function disc(number, x, y) {
  const link = draw("a", { href: `#d-${number}`, class: "i-disc", "aria-label": `difference ${number}` });
  link.append(
    draw("circle", { cx: x, cy: y, r: 9 }),
    text(x, y + 4, [{ t: String(number), k: "" }], "small", "middle"),
  );
  return link;
}
/**
 * @param {string} id
 * @returns {SVGDefsElement}
 */
export function hatching(id) {
  const pattern = draw("pattern", {
    id,
    width: 6,
    height: 6,
    patternUnits: "userSpaceOnUse",
    patternTransform: "rotate(45)",
  });
  pattern.append(draw("path", { class: "m-hatch", d: "M0 0V6" }));
  return draw("defs", {}, pattern);
}
/**
 * @param {MergedState} state
 * @param {...[x: number, y: number]} points
 * @returns {SVGPathElement}
 */
export const edge = (state, ...points) =>
  draw("path", {
    class: `e e-${state}`,
    d: points.map(([x, y], i) => `${i ? "L" : "M"}${round(x)} ${round(y)}`).join(""),
  });
/**
 * @param {number} x
 * @param {number} y
 * @param {"up" | "left" | "right"} to
 * @param {MergedState} state
 * @returns {SVGPathElement}
 */
export const tip = (x, y, to, state) =>
  draw("path", {
    class: `tip e-${state}`,
    d: to === "left" ? `M${x} ${y}l7 -3.5v7z` : to === "right" ? `M${x} ${y}l-7 -3.5v7z` : `M${x} ${y}l-3.5 7h7z`,
  });
