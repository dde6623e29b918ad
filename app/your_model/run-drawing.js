/* The drawing of a model whose small copy runs: its lines, and the marks of the chosen wire and of cut ones. */

import { wireOf } from "./run-wires.js";

/** @import { SmallRun } from "./types.d.ts" */
/** @import { Wire } from "./run-wires.js" */

/**
 * The graph that a part of the drawing belongs to.
 * @param {Element} part
 */
export const groupOf = (part) => /** @type {SVGElement | null} */ (part.closest("[data-g]"))?.dataset.g ?? "";

/**
 * The lines of the wide drawing, which is in the page at every width.
 * @param {Element} figure
 * @returns {[string, string][]}
 */
export const lines = (figure) =>
  [.../** @type {NodeListOf<SVGElement>} */ (figure.querySelectorAll("svg.cf-wide [data-e]"))].map((line) => [
    groupOf(line),
    line.dataset.e ?? "",
  ]);

/**
 * The norm that this part of the drawing shows, if it shows one.
 * @param {Map<string, Wire[]>} wires
 * @param {SVGElement} part
 */
export function normAt(wires, part) {
  const [where, ...inside] = groupOf(part).split(".");
  const name = [...inside, part.dataset.n].join(".");
  return wires.get(where)?.find(({ key }) => key === `${where} ${name}`);
}

/**
 * @param {Element} figure
 * @param {SmallRun} run
 * @param {Map<string, Wire[]>} wires
 * @param {{ chosen: Wire | null, done: Wire[] }} state
 */
export function marked(figure, run, wires, { chosen, done }) {
  const cuts = new Set(done.flatMap((one) => one.cuts.map(String)));
  for (const line of /** @type {NodeListOf<SVGElement>} */ (figure.querySelectorAll("[data-e]"))) {
    const wire = wireOf(run, groupOf(line), line.dataset.e ?? "");
    line.classList.toggle("run-chosen", !!wire && wire.key === chosen?.key);
    line.classList.toggle("run-cut", !!wire?.cuts.length && wire.cuts.every((one) => cuts.has(String(one))));
  }
  for (const part of /** @type {NodeListOf<SVGElement>} */ (figure.querySelectorAll("[data-n]"))) {
    const norm = normAt(wires, part);
    part.classList.toggle("run-chosen", !!norm && norm === chosen);
    part.classList.toggle("run-cut", !!norm && done.includes(norm));
  }
}
