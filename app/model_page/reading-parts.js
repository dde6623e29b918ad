// The parts of a model's drawing: which there are, which one stands where, what each is called, and the way from one
// to the next by keys.
import { lines } from "./reading-words.js";

/** @import { PartsData } from "../site/types.d.ts" */

/** @typedef {HTMLElement | SVGElement} Part */

export const room = /** @type {HTMLElement} */ (document.querySelector("[data-parts]"));
export const figure = /** @type {HTMLElement} */ (room?.querySelector(".cw-figure"));
export const shown = () =>
  [.../** @type {NodeListOf<SVGSVGElement>} */ (figure.querySelectorAll(":scope > svg"))].find(
    (svg) => svg.getBoundingClientRect().width,
  );

const TITLED = "g:has(> title), [data-title]";
/** @param {Element} svg */
export const partsOf = (svg) =>
  [.../** @type {NodeListOf<Part>} */ (svg.querySelectorAll(`[data-n], ${TITLED}`))].filter(
    (node) => graphAround(node) && (node.dataset.n !== undefined || !node.closest("[data-n]")),
  );
/** @param {EventTarget | null} target */
export const partAt = (target) => {
  const from = /** @type {Element} */ (target);
  return /** @type {Part | null | undefined} */ (from.closest?.("[data-n]") ?? from.closest?.(TITLED));
};
/** @param {Part} part */
const titled = (part) => part.dataset.title ?? part.querySelector(":scope > title")?.textContent ?? "";
/** @param {Element} part */
export const graphAround = (part) => /** @type {Part | null} */ (part.closest("[data-g]"));
/** @param {Element} part */
export const graphOf = (part) => graphAround(part)?.dataset.g ?? "";
/** @param {Part} part */
export const keyOf = (part) => `${graphOf(part)}:${(part.dataset.n ?? titled(part)).split(/[ :]/)[0]}`;
/** @param {Element} part */
const wordsOf = (part) => [...part.querySelectorAll("text")].map((text) => text.textContent).filter(Boolean);

/**
 * Titles would be said twice: they become data once the tips are there. Names make the parts readable one by one.
 * @param {SVGElement} svg
 * @param {PartsData} data
 */
export function dress(svg, data) {
  if (svg.dataset.dressed) return;
  svg.dataset.dressed = "";
  for (const image of [svg, ...svg.querySelectorAll(":scope > [role=img]")]) image.setAttribute("role", "group");
  for (const part of partsOf(svg)) {
    for (const title of part.querySelectorAll("title")) {
      /** @type {Part} */ (title.parentNode).dataset.title = title.textContent;
      title.remove();
    }
    const { head, rows } = said(part, data);
    part.setAttribute("role", "button");
    part.setAttribute("tabindex", "-1");
    part.setAttribute("aria-label", [head, ...rows.slice(0, 3).map((row) => `${row.name}: ${row.is}`)].join(". "));
  }
  svg.removeAttribute("tabindex");
  partsOf(svg)[0]?.setAttribute("tabindex", "0");
}

/**
 * @param {Part} part
 * @param {PartsData} data
 */
export const said = (part, data) =>
  lines(data, graphOf(part), (part.dataset.n ?? "").split(" ").filter(Boolean), wordsOf(part), titled(part));

/**
 * How high in a tower of layers a place of the screen is, from 0 at its foot to 1.
 * @param {Element} tower
 * @param {number} y
 */
export function heightAt(tower, y) {
  const boxes = [...tower.querySelectorAll(":scope > path.f-solid, :scope > path.f-empty")].map((path) =>
    path.getBoundingClientRect(),
  );
  const [top, bottom] = [Math.min(...boxes.map((box) => box.top)), Math.max(...boxes.map((box) => box.bottom))];
  return (bottom - y) / (bottom - top);
}

/**
 * @param {Part} part
 * @param {string} key
 */
export function walk(part, key) {
  const all = partsOf(/** @type {SVGSVGElement} */ (part.closest("svg"))),
    at = all.indexOf(part);
  const graphs = [...new Set(all.map(graphOf))],
    graph = graphs.indexOf(graphOf(part));
  /** @param {string} name */
  const first = (name) => all.find((one) => graphOf(one) === name);
  return {
    ArrowRight: all[at + 1],
    ArrowDown: all[at + 1],
    ArrowLeft: all[at - 1],
    ArrowUp: all[at - 1],
    Home: all[0],
    End: all.at(-1),
    PageDown: first(graphs[graph + 1]),
    PageUp: first(graphs[graph - 1]),
  }[key];
}
