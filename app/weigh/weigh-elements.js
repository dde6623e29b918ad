// The elements of a model's page that follow its cache, and how text gets into them.
import { rests } from "./defer-offscreen.js";
import { FRAMES } from "./weigh-curve.js";

/** @import { WeighState } from "../site/types.d.ts" */

/**
 * @template {Element} [E=HTMLElement]
 * @param {string} selector
 * @returns {E[]}
 */
export const all = (selector) => [.../** @type {NodeListOf<E>} */ (document.querySelectorAll(selector))];
export const root = /** @type {HTMLElement} */ (document.querySelector("[data-all]"));
/** @type {{ [key: string]: HTMLElement[] }} */
export const places = Object.fromEntries(
  all("[data-at]")
    .map((node) => node.dataset.at)
    .map((key) => [key, all(`[data-at="${key}"]`)]),
);
/** @type {{ [key: string]: HTMLInputElement[] }} */
export const inputs = Object.fromEntries(
  all("[data-in]")
    .map((node) => node.dataset.in)
    .map((key) => [key, all(`[data-in="${key}"]`)]),
);
export const bars = all("[data-bars] tr[data-slug]").map((row) => ({
  slug: row.dataset.slug ?? "",
  table: row.closest("table"),
  n: /** @type {Element} */ (row.querySelector(".n")),
  bar: row.querySelector("rect"),
}));
export const columnsNow = () =>
  all(".w-strip [data-kind]").map((node) => ({
    node,
    kind: Number(node.dataset.kind),
    still: node.classList.contains("w-still"),
  }));
export const legendNow = () => all("[data-kind-bytes]").map((node) => ({ node, kind: Number(node.dataset.kindBytes) }));
export const curves = all(".w-curve svg").map((svg, at) => ({
  frame: Object.values(FRAMES)[at],
  lines: /** @type {Element} */ (svg.querySelector("[data-lines]")),
  now: svg.querySelector("[data-now]"),
  dot: svg.querySelector("[data-now] circle"),
}));
export const chosen = /** @type {HTMLTableSectionElement} */ (document.querySelector("[data-chosen] tbody"));
export const split = /** @type {HTMLElement} */ (document.querySelector("[data-split]")),
  [planned] = `${split.getAttribute("href")}`.split("&");

/**
 * The text node stays: another child would make every :has() of the page look again.
 * @param {Element} node
 * @param {string} text
 */
export function write(node, text) {
  const only = node.childNodes.length === 1 ? /** @type {Text} */ (node.firstChild) : null;
  if ((only?.data ?? "") === text || rests(node)) return;
  if (only?.data === undefined) node.textContent = text;
  else only.data = text;
}
/**
 * @param {string} key
 * @param {string} text
 */
export const put = (key, text) => {
  for (const node of places[key] || []) {
    write(node, text);
    if (node.hidden === !!text) node.hidden = !text;
  }
};
/**
 * How far a key moves the slider, where nobody types: "[" back, "]" on.
 * @param {KeyboardEvent} event
 */
export function steppedBy(event) {
  const by = event.key === "[" ? -1 : Number(event.key === "]");
  return !by ||
    /** @type {Element} */ (event.target).closest("input:not([type=range]), select, textarea") ||
    event.ctrlKey ||
    event.metaKey ||
    event.altKey
    ? 0
    : by;
}
/**
 * What is chosen in its boxes; one that is being typed in and cannot be read stays.
 * @param {WeighState} state
 */
export function fillIn(state) {
  for (const key of /** @type {const} */ (["ctx", "batch", "gpus", "gpu"]))
    for (const node of inputs[key] || [])
      if (node.value !== String(state[key]) && (node !== document.activeElement || node.dataset.bad === undefined))
        node.value = String(state[key]);
  for (const key of /** @type {const} */ (["kv", "job"]))
    for (const node of inputs[key] || []) node.checked = node.value === state[key];
}
